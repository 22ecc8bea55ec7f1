//! Block sizes found by measurement, and the launches that tuning takes. The tests are serialised, since launches are
//! recorded in all threads.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use cuprum::cuda::{Device, Stream, TraceKind, record};
use cuprum::{
    Array, DType, ElementwiseKernel, ElementwiseKernelOptions, ErrorKind, KernelArgument, ReductionKernel, Result,
    Tuning, TuningOptions, array,
};

fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns options with the least time per trial: each size is launched once or twice.
fn quick() -> TuningOptions {
    let mut options = TuningOptions::default();
    (options.timeout, options.max_time_per_trial) = (Duration::from_secs(60), Duration::ZERO);
    options
}

fn elementwise(inputs: &str, outputs: &str, operation: &str) -> ElementwiseKernel {
    ElementwiseKernel::new(inputs, outputs, operation, ()).unwrap()
}

/// Returns the grids and blocks of the launches of `f` from the trace.
fn launches<R>(f: impl FnOnce() -> Result<R>) -> Result<(R, Vec<String>)> {
    let (result, trace) = record(f)?;
    let recorded = trace.events().iter().filter(|e| e.kind == TraceKind::Kernel);
    Ok((result?, recorded.map(|e| e.detail.clone()).collect()))
}

fn call(kernel: &ElementwiseKernel, x: &Array) -> Result<Array> {
    // SAFETY: the operations of these tests access only their own elements.
    Ok(unsafe { kernel.call(&[x.into()], &[], None, None) }?.remove(0))
}

#[test]
fn a_size_is_looked_for_once_for_each_call_and_kept_in_a_file() -> Result<()> {
    let _alone = alone();
    let square = elementwise("T x", "T y", "y = x * x");
    let (x, tuning) = (cuprum::arange(0, 3000, 1)?, Tuning::with_key("squares", quick()));
    let want = (&x * &x).to_vec::<i64>()?;
    let (y, tried) = launches(|| tuning.with(|| call(&square, &x)))?;
    assert_eq!(y.to_vec::<i64>()?, want);
    // Nine sizes, each with a warm-up and a measurement, and the call.
    assert_eq!((tried.len(), tuning.len(), tuning.is_dirty()), (19, 1, true));
    let (y, after) = launches(|| tuning.with(|| call(&square, &x)))?;
    assert_eq!((y.to_vec::<i64>()?, after.len()), (want, 1));
    // Another shape, dtype or source is another entry.
    for x in [x.reshape([3000, 1])?.index(cuprum::s![..2000])?, x.astype(DType::F32)?] {
        tuning.with(|| call(&square, &x))?;
    }
    tuning.with(|| call(&elementwise("T x", "T y", "y = x + x"), &x))?;
    assert_eq!(tuning.len(), 4);
    // Outside of a scope nothing is tuned.
    let short = cuprum::arange(0, 10, 1)?;
    let (_, apart) = launches(|| call(&square, &short))?;
    assert_eq!((apart.len(), tuning.len()), (1, 4));

    let file = std::env::temp_dir().join(format!("cuprum-tuning-{}", std::process::id()));
    tuning.save(&file)?;
    assert!(!tuning.is_dirty());
    let text = std::fs::read_to_string(&file).unwrap();
    // A size loaded from the file is used, for every possible size.
    for size in [32, 64, 1024] {
        let recorded: String = text
            .lines()
            .enumerate()
            .map(|(k, line)| match (k, line.rsplit_once(' ')) {
                (2.., Some((hash, _))) => format!("{hash} {size}\n"),
                _ => format!("{line}\n"),
            })
            .collect();
        std::fs::write(&file, recorded).unwrap();
        let again = Tuning::with_key("squares", quick());
        again.load(&file)?;
        let (_, used) = launches(|| again.with(|| call(&square, &x)))?;
        assert!(used.len() == 1 && used[0].contains(&format!("({size}, 1, 1)")), "{used:?}");
        assert!(!again.is_dirty());
    }
    let e = Tuning::with_key("other", ()).load(&file).unwrap_err();
    assert!(e.kind() == ErrorKind::Value && e.message().contains("squares"), "{e}");
    for damaged in [
        "",
        "cuprum block sizes 1\nkey squares\nnothing 12\n",
        &text.replace(" 1", " -1"),
        &text.replace("sizes 1", "sizes 2"),
    ] {
        std::fs::write(&file, damaged).unwrap();
        assert_eq!(tuning.load(&file).unwrap_err().kind(), ErrorKind::Value, "{damaged}");
    }
    assert_eq!(tuning.len(), 4, "what a file is rejected for takes nothing away");
    std::fs::remove_file(&file).unwrap();
    assert_eq!(tuning.load(&file).unwrap_err().kind(), ErrorKind::Io);
    assert_eq!(Tuning::with_key("two\nlines", ()).save(&file).unwrap_err().kind(), ErrorKind::Value);
    Ok(())
}

#[test]
fn what_is_tried_is_not_done_to_the_users_arrays() -> Result<()> {
    let _alone = alone();
    let tuning = Tuning::new(quick());
    // Outputs that are read, raw arrays that are written, an output over its own input, strides of every kind.
    let add = elementwise("T x", "T y", "y += x");
    let base = cuprum::zeros([8, 9], DType::I64)?;
    let y = cuprum::flip(base.t(), ())?;
    let x = cuprum::arange(0, 72, 1)?.reshape([9, 8])?;
    // SAFETY: as in `call`.
    tuning.with(|| unsafe { add.call(&[(&x).into()], &[&y], None, None) })?;
    assert_eq!(y.to_vec::<i64>()?, x.to_vec::<i64>()?);
    let count = elementwise("int64 x, raw int64 counts", "", "counts[i % 4] = counts[i % 4] * 0 + 7 + counts[4]");
    let counts = array([0i64, 0, 0, 0, 5])?;
    // SAFETY: as above.
    tuning.with(|| unsafe { count.call(&[(&x).into(), (&counts).into()], &[], None, None) })?;
    assert_eq!(counts.to_vec::<i64>()?, [12, 12, 12, 12, 5]);
    let twice = elementwise("T x", "T y", "y = x * 2");
    let z = array([1i64, 2, 3])?;
    // SAFETY: as above.
    tuning.with(|| unsafe { twice.call(&[(&z).into()], &[&z], None, None) })?;
    assert_eq!((z.to_vec::<i64>()?, tuning.len()), (vec![2, 4, 6], 3));
    Ok(())
}

#[test]
fn sums_are_the_same_to_the_bit_with_every_size() -> Result<()> {
    let _alone = alone();
    let total = ReductionKernel::new("T x", "T y", "x", "a + b", "y = a", "0", ())?;
    let least = ReductionKernel::new("T x", "T y", "x", "a < b ? a : b", "y = a", "", ())?;
    let file = std::env::temp_dir().join(format!("cuprum-sums-{}", std::process::id()));
    for (shape, axis) in
        [(vec![37, 61], 1), (vec![500, 7], 1), (vec![61, 40], 0), (vec![2, 20_000], 1), (vec![40_000], 0)]
    {
        let size: usize = shape.iter().product();
        let x = cuprum::sin(cuprum::arange(0, size as i64, 1)?.astype(DType::F32)? * 1.7f32)?.reshape(shape.clone())?;
        for kernel in [&total, &least] {
            // SAFETY: the expressions access only their own elements.
            let call = || unsafe { kernel.call(&[KernelArgument::Array(&x)], None, axis, false) };
            let want = call()?.to_vec::<f32>()?;
            let tuning = Tuning::new(quick());
            assert_eq!(tuning.with(call)?.to_vec::<f32>()?, want, "{shape:?}");
            tuning.save(&file)?;
            let text = std::fs::read_to_string(&file).unwrap();
            for size in [32, 64, 128, 256, 512, 1024] {
                let (head, _) = text.trim_end().rsplit_once(' ').unwrap();
                std::fs::write(&file, format!("{head} {size}\n")).unwrap();
                tuning.load(&file)?;
                assert_eq!(tuning.with(call)?.to_vec::<f32>()?, want, "{shape:?} by {size}");
            }
        }
    }
    std::fs::remove_file(&file).unwrap();
    Ok(())
}

#[test]
fn texts_that_tell_blocks_apart_keep_their_size() -> Result<()> {
    let _alone = alone();
    let tuning = Tuning::new(quick());
    let x = cuprum::arange(0, 10, 1)?;
    let by_thread = elementwise("T x", "T y", "y = threadIdx.x");
    let (y, tried) = launches(|| tuning.with(|| call(&by_thread, &x)))?;
    assert_eq!((y.to_vec::<i64>()?, tried.len()), (x.to_vec::<i64>()?, 1));
    let made = ElementwiseKernelOptions { loop_prep: "int k = 3".into(), ..Default::default() };
    tuning.with(|| call(&ElementwiseKernel::new("T x", "T y", "y = x + k", made)?, &x))?;
    // An explicit block size is used as it is.
    let square = elementwise("T x", "T y", "y = x * x");
    // SAFETY: as in `call`.
    let given = || tuning.with(|| unsafe { square.call(&[(&x).into()], &[], None, Some(96)) });
    assert!(launches(given)?.1[0].contains("(96, 1, 1)"));
    // A graph captures a call without tuning it.
    call(&square, &x)?;
    let stream = Stream::new(Device::current()?)?;
    let graph = stream.with(|| -> Result<_> {
        stream.begin_capture()?;
        let y = tuning.with(|| call(&square, &x))?;
        Ok((stream.end_capture()?, y))
    })?;
    assert!(tuning.is_empty() && !tuning.is_dirty());
    graph.0.launch()?;
    Ok(())
}

#[test]
fn scopes_lie_in_one_another_and_are_their_threads() -> Result<()> {
    let _alone = alone();
    let (outer, inner) = (
        Tuning::new(quick()),
        Tuning::new({
            let mut o = quick();
            o.max_trials = 1;
            o
        }),
    );
    let square = elementwise("T x", "T y", "y = x * x");
    let x = cuprum::arange(0, 10, 1)?;
    outer.with(|| -> Result<()> {
        let (_, tried) = launches(|| inner.with(|| call(&square, &x)))?;
        // One size with a warm-up and a measurement, and the call.
        assert_eq!((tried.len(), inner.len(), outer.len()), (3, 1, 0));
        std::thread::scope(|s| s.spawn(|| call(&square, &x).map(drop)).join().unwrap())?;
        assert_eq!(outer.len(), 0);
        call(&square, &x)?;
        assert_eq!(outer.len(), 1);
        Ok(())
    })?;
    assert_eq!(launches(|| call(&square, &x))?.1.len(), 1);
    // A timeout of zero allows a single size.
    let short = Tuning::new({
        let mut o = quick();
        o.timeout = Duration::ZERO;
        o
    });
    let (_, tried) = launches(|| short.with(|| call(&square, &x)))?;
    assert_eq!(tried.len(), 3);
    Ok(())
}
