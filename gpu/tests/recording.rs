//! Recording of the library's own activity. It covers the whole process, so no other test may be in this file.

use cuprum::cuda::{TraceKind, record, time_range};
use cuprum::{Argument, DType, RawModule, Result};

#[test]
fn launches_compiles_waits_and_ranges_are_recorded() -> Result<()> {
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
