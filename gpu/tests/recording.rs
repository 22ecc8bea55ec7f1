//! Recording of the library's own activity. It covers the whole process, so no other test may be in this file.

use cuprum::cuda::{TraceKind, record, time_range};
use cuprum::scipy::sparse::{Format, Select, Sparse};
use cuprum::{Argument, Array, DType, RawModule, Result, array};

/// Returns how often the host waits in a call.
fn waits<T>(call: impl FnOnce() -> Result<T>) -> Result<usize> {
    let (done, trace) = record(call)?;
    done?;
    Ok(trace.events().iter().filter(|e| e.kind == TraceKind::Wait).count())
}

/// Operations on sparse arrays read the number of entries of a result that they cannot know, and nothing else: the table of the guide.
fn waits_of_sparse_arrays() -> Result<()> {
    let rows = |offset: i64| -> Result<Sparse> {
        let dense: Vec<f64> = (0..60).map(|k| f64::from(u8::from((k + offset) % 7 < 2))).collect();
        Sparse::from_dense(&Array::from_slice(&dense, [6, 10])?, Format::Csr)
    };
    let (a, b) = (rows(0)?, rows(3)?);
    let (x, column) = (Array::from_slice(&[1.0; 10], [10])?, array([3, 1])?);
    let coo = a.to_format(Format::Coo)?;
    let unsorted = Sparse::coo(&coo.data(), &coo.coords()?.iter().collect::<Vec<_>>(), &[6, 10])?;
    let (all, some) = (Select::All, Select::Indices(column));
    let slice = Select::Range { start: 1, step: 1, len: 3 };
    let blocks = a.to_blocks([2, 5])?;
    // Tables of a pattern are remembered.
    for m in [&a, &b, &blocks] {
        m.matmul_dense(&x)?;
        m.has_canonical_format()?;
    }
    let counts = [
        ("transpose", 0, waits(|| a.transpose(None))?),
        ("with_data", 0, waits(|| a.with_data(&a.data().negative()?))?),
        ("astype", 0, waits(|| a.astype(DType::F32))?),
        ("copy", 0, waits(|| a.copy())?),
        ("to_dense", 0, waits(|| a.to_dense(()))?),
        ("coo of csr", 0, waits(|| a.to_format(Format::Coo))?),
        ("dense of blocks", 0, waits(|| blocks.to_dense(()))?),
        ("csr of blocks", 0, waits(|| blocks.to_format(Format::Csr))?),
        ("product of blocks", 0, waits(|| blocks.matmul_dense(&x))?),
        ("product", 0, waits(|| a.matmul_dense(&x))?),
        ("nnz", 0, waits(|| a.nnz())?),
        ("sum of rows", 0, waits(|| a.reduce("sum", Some(1), None))?),
        ("largest of rows", 0, waits(|| a.reduce("max", Some(1), None))?),
        ("diagonal", 0, waits(|| a.diagonal(0))?),
        ("points", 0, waits(|| a.points(&[&array([1, 2])?, &array([3, 4])?]))?),
        ("gather_dense", 0, waits(|| a.gather_dense(&x))?),
        ("sum_duplicates", 0, waits(|| a.sum_duplicates())?),
        ("from_dense", 1, waits(|| Sparse::from_dense(&a.to_dense(())?, Format::Csr))?),
        ("csr of coo", 1, waits(|| unsorted.to_format(Format::Csr))?),
        ("slice of rows", 1, waits(|| a.select(&slice, &all))?),
        ("list of rows", 1, waits(|| a.select(&some, &all))?),
        ("list of columns", 1, waits(|| a.select(&all, &some))?),
        ("sum of matrices", 1, waits(|| a.binary("add", &b))?),
        ("eliminate_zeros", 1, waits(|| a.eliminate_zeros())?),
        ("sparse extremes", 1, waits(|| a.reduce_sparse("max", 1, false))?),
        ("blocks", 1, waits(|| a.to_blocks([3, 2]))?),
    ];
    let wrong: Vec<_> = counts.iter().filter(|(_, want, found)| want != found).collect();
    assert!(wrong.is_empty(), "operation, expected and found: {wrong:?}");
    Ok(())
}

#[test]
fn launches_compiles_waits_and_ranges_are_recorded() -> Result<()> {
    waits_of_sparse_arrays()?;
    let text = format!("extern \"C\" __global__ void traced(int *p) {{ *p = {}; }}", std::process::id());
    let x = cuprum::zeros(1, DType::I32)?;
    let (done, trace) = record(|| {
        let _range = time_range("a \"range\"");
        let kernel = RawModule::compile(&text, &[])?.kernel("traced")?;
        // SAFETY: the argument is that of the kernel, which stays inside the array.
        unsafe { kernel.launch([1; 3], [1; 3], &[Argument::Array(&x)]) }?;
        x.item::<i32>()
    })?;
    assert_eq!(done?, std::process::id() as i32);
    let find = |kind, name: &str| trace.events().iter().find(|e| e.kind == kind && e.name == name).cloned();
    let launch = find(TraceKind::Launch, "traced").unwrap();
    assert!(launch.detail.contains("<<<(1, 1, 1), (1, 1, 1)>>>"), "{}", launch.detail);
    let kernel = find(TraceKind::Kernel, "traced").unwrap();
    let range = find(TraceKind::Range, "a \"range\"").unwrap();
    let compile = find(TraceKind::Compile, "raw").unwrap();
    assert!(kernel.duration_us >= 0.0 && range.duration_us >= launch.duration_us + compile.duration_us);
    assert!(trace.events().iter().any(|e| e.kind == TraceKind::Wait));
    let json: serde_json::Value = serde_json::from_str(&trace.to_chrome()).unwrap();
    assert!(json["traceEvents"].as_array().unwrap().len() > 5);
    Ok(())
}
