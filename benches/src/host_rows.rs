//! Benchmarks of time on the host: calls on ten elements.

use std::cell::RefCell;

use cuprum::cuda::{Event, Memory, Stream, graph};
use cuprum::random::{RandomOptions, default_rng};
use cuprum::{Array, DType, RawModule, Result, UfuncOptions, s};

use crate::timing::host_ns;

/// Times each row and passes its name and nanoseconds to `report`.
///
/// # Errors
///
/// Errors of the device.
pub fn run(mut report: impl FnMut(&str, f64)) -> Result<()> {
    from_python(&mut report)?;
    let strided = || cuprum::arange(0, 20, 1)?.astype(DType::F32)?.index(s![..;2]);
    let (a, out, c, d) = (ten(0)?, ten(0)?, strided()?, strided()?);
    report("call add, strided pair", host_ns(|| cuprum::add(&c, &d))?);
    // An empty launch: any time below it is the driver's.
    let nothing = RawModule::compile("extern \"C\" __global__ void nothing() {}", &[])?.kernel("nothing")?;
    // SAFETY: the kernel has no parameters and accesses no memory.
    report("call an empty kernel", host_ns(|| unsafe { nothing.launch([1, 1, 1], [32, 1, 1], &[]) })?);
    shown(&a, &mut report)?;
    let (left, right) = (cuprum::ones([10, 10], DType::F32)?, cuprum::ones([10, 10], DType::F32)?);
    report("call matmul", host_ns(|| cuprum::matmul(&left, &right))?);
    let (indices, mask) = (cuprum::array([3i64, 1, 4, 1, 5, 9, 2, 6, 5, 3])?, cuprum::greater(&a, 4.5)?);
    report("call a[i]", host_ns(|| a.index(s![&indices]))?);
    report("call a[mask] = 0", host_ns(|| out.set(s![&mask], 0))?);
    drawn(&mut report)
}

/// Times the calls that `benches/python_calls.py` also makes from Python.
///
/// # Errors
///
/// Errors of the device.
pub fn from_python(report: &mut impl FnMut(&str, f64)) -> Result<()> {
    let (a, b, out) = (ten(0)?, ten(10)?, ten(0)?);
    report("call add", host_ns(|| cuprum::add(&a, &b))?);
    let (adding, into) = (cuprum::ufunc("add")?, UfuncOptions { out: Some(&out), ..UfuncOptions::default() });
    report("call add, out", host_ns(|| adding.call((&a, &b), into))?);
    report("call add a scalar", host_ns(|| cuprum::add(&a, 2.5))?);
    report("call sum", host_ns(|| cuprum::sum(&a, ()))?);
    report("call concatenate of 2", host_ns(|| cuprum::concatenate([&a, &b], ()))?);
    // Nothing is launched: the time is that of the choice of the loop and of the result's allocation.
    let (none, rows) = (cuprum::empty([0], DType::F32)?, cuprum::empty([0, 3], DType::F32)?);
    report("call add, no elements", host_ns(|| cuprum::add(&none, &none))?);
    let into = UfuncOptions { out: Some(&none), ..UfuncOptions::default() };
    report("call add, out, no elements", host_ns(|| adding.call((&none, &none), into))?);
    report("call add a scalar, no elements", host_ns(|| cuprum::add(&none, 2.5))?);
    report("call sum, no elements", host_ns(|| cuprum::sum(&rows, 1))?);
    report("call slice view", host_ns(|| a.index(s![2..7]))?);
    report("call transpose", host_ns(|| Ok(a.t()))?);
    report("call empty", host_ns(|| cuprum::empty([10], DType::F32))?);
    let list = [0i64, 1, 2, 3, 4, 5, 6, 7, 8, 9];
    report("call array of the host", host_ns(|| cuprum::array(list))?);
    Ok(())
}

fn ten(from: i64) -> Result<Array> {
    cuprum::arange(from, from + 10, 1)?.astype(DType::F32)
}

/// Times the sampling of ten random numbers, and the creation of a generator, which launches nothing.
fn drawn(report: &mut impl FnMut(&str, f64)) -> Result<()> {
    let rng = RefCell::new(default_rng(1)?);
    let ten = || RandomOptions::new().size(10).dtype(DType::F32);
    report("call uniform", host_ns(|| rng.borrow_mut().uniform(-1.0, 1.0, ten()))?);
    report("call normal", host_ns(|| rng.borrow_mut().normal(0.0, 1.0, ten()))?);
    report("call integers", host_ns(|| rng.borrow_mut().integers(0, 10, 10))?);
    report("call default_rng", host_ns(|| default_rng(1))?);
    report("call default_rng, its first number", host_ns(|| default_rng(1)?.random(ten()))?);
    Ok(())
}

/// Times calls of the CUDA interface: memory, streams, events, graphs.
fn shown(a: &Array, report: &mut impl FnMut(&str, f64)) -> Result<()> {
    let device = a.device();
    let (stream, event) = (Stream::with_options(device, true, 0)?, Event::new(device)?);
    report("call memory allocated and freed", host_ns(|| Memory::new(device, 40))?);
    report("call stream switched twice", host_ns(|| stream.with(|| Ok(())))?);
    report("call event recorded", host_ns(|| event.record())?);
    event.synchronize()?;
    report("call event asked", host_ns(|| event.is_done())?);
    let (chain, _) = graph::capture(|| (1..20).try_fold(cuprum::add(a, 1.0)?, |y, _| cuprum::add(&y, 1.0)))?;
    report("call graph of 20 nodes", host_ns(|| chain.launch())?);
    Ok(())
}
