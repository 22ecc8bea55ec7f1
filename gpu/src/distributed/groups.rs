//! Groups of calls of one thread, which are queued together.
//!
//! Calls in a group may depend on each other's ranks, such as a send and a receive of the same thread, which one after
//! the other would wait for each other.

use std::cell::{Cell, RefCell};

use cuprum_macros::unrecorded;

use crate::array::Array;
use crate::cuda::{Device, Stream};
use crate::error::{Error, ErrorKind, Result};

thread_local! {
    /// Number of groups of calls that this thread has begun and not ended; the arrays that their calls use; the work
    /// that follows the outermost one.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
    static KEPT: RefCell<Vec<Array>> = const { RefCell::new(Vec::new()) };
    static COPIES: RefCell<Vec<(Array, Array, Stream)>> = const { RefCell::new(Vec::new()) };
}

/// Queues the calls of `f` together, with which calls that wait for each other can be made by one thread: of several
/// ranks, or to send and to receive; NCCL's `ncclGroupStart` and `ncclGroupEnd`. The calls have been queued when it
/// returns.
///
/// ```
/// use cuprum::cuda::Device;
/// use cuprum::distributed::{Communicator, ReduceOp, group_calls};
/// let devices = [Device::open("sim")?, Device::open("sim:1")?];
/// let ranks = Communicator::init_all(&devices)?;
/// let own = [devices[0].with(|| cuprum::array([1.0]))?, devices[1].with(|| cuprum::array([2.0]))?];
/// group_calls(devices[0], || {
///     ranks[0].all_reduce(&own[0], &own[0], ReduceOp::Sum)?;
///     ranks[1].all_reduce(&own[1], &own[1], ReduceOp::Sum)
/// })?;
/// assert_eq!((own[0].item::<f64>()?, own[1].item::<f64>()?), (3.0, 3.0));
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// The error of `f`, else the first of the calls.
#[unrecorded("takes no array: tested in `gpu/src/distributed/tests.rs`")]
pub fn group_calls<R>(device: Device, f: impl FnOnce() -> Result<R>) -> Result<R> {
    group_start(device)?;
    let result = f();
    let ended = group_end(device);
    let value = result?;
    ended.map(|()| value)
}

/// Begins a group of calls, as [`group_calls`] does, which [`group_end`] ends; CuPy's `nccl.groupStart`.
///
/// Languages without closures use the pair; [`group_calls`] ends the group in any case.
///
/// ```
/// use cuprum::{cuda::Device, distributed::{group_end, group_start}};
/// let device = Device::open("sim")?;
/// group_start(device)?;
/// group_end(device)?;
/// assert!(group_end(device).is_err());
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Library`] if NCCL is missing.
#[unrecorded("takes no array: tested in `gpu/src/distributed/tests.rs`")]
pub fn group_start(device: Device) -> Result<()> {
    device.driver()?.begin_group().map_err(|e| e.with_op("distributed::group_start"))?;
    DEPTH.set(DEPTH.get() + 1);
    Ok(())
}

/// Ends a group of calls; CuPy's `nccl.groupEnd`.
///
/// # Errors
///
/// The first error of the calls; [`ErrorKind::Value`] if none has begun on this thread.
#[unrecorded("takes no array: tested in `gpu/src/distributed/tests.rs`")]
pub fn group_end(device: Device) -> Result<()> {
    let go = || {
        if DEPTH.get() == 0 {
            return Err(Error::new(
                ErrorKind::Value,
                "no group of calls has begun on this thread: group_start begins one",
            ));
        }
        DEPTH.set(DEPTH.get() - 1);
        let ended = device.driver()?.end_group();
        if DEPTH.get() > 0 {
            return ended;
        }
        let (kept, copies) = (KEPT.take(), COPIES.take());
        ended?;
        for (from, to, stream) in &copies {
            stream.with(|| to.assign(from))?;
        }
        drop(kept);
        Ok(())
    };
    go().map_err(|e: Error| e.with_op("distributed::group_end"))
}

/// Keeps the arrays of a call until its group of calls has ended, and copies one array to another then.
pub(super) fn keep(arrays: impl IntoIterator<Item = Array>, copy: Option<(Array, Array, Stream)>) {
    KEPT.with_borrow_mut(|kept| kept.extend(arrays));
    COPIES.with_borrow_mut(|copies| copies.extend(copy));
}

/// Returns true if a group of calls of this thread has begun.
pub(super) fn has_begun() -> bool {
    DEPTH.get() > 0
}
