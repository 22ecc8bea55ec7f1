//! Transfers, copies and matrix products by the driver.
//!
//! Every transfer is ordered with the work of the stream; those to the host are where calls synchronise.

use std::cell::RefCell;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use cuprum_kernels::DType;

use super::one_device;
use crate::array::Array;
use crate::cuda::{self, Access, Device, Queue, Stream, StreamSignal, TraceKind, trace};
use crate::driver::runtime_api::Rows;
use crate::driver::{Driver, Fill, Gemm, StreamHandle, Take};
use crate::element::{self, Element};
use crate::error::Result;

/// Writes the bytes of the elements of `dst`, which is in C order.
pub(crate) fn upload(dst: &Array, src: &[u8]) -> Result<()> {
    debug_assert!(dst.is_c_contiguous() && dst.nbytes() == src.len());
    if src.is_empty() {
        return Ok(());
    }
    if dst.dtype() == DType::Bool && src.iter().any(|&byte| byte > 1) {
        dst.buffer().allow_any_bytes();
    }
    let queue = dst.device().queue();
    dst.buffer().touch(&queue, Access::Write)?;
    if queue.is_captured() {
        return cuda::upload_captured(&queue, dst.addr(), src.len(), |kept| {
            kept.copy_from_slice(src);
            Ok(())
        });
    }
    // SAFETY: the array is live, in C order and of as many bytes; its buffer records the stream.
    unsafe { queue.device().driver()?.upload(dst.addr(), src, queue.handle()) }
}

/// Writes the bytes that `fill` writes to the staging memory to `dst`: the host has no copy of all of them.
pub(crate) fn upload_from(dst: &Array, fill: &Fill<'_>) -> Result<()> {
    debug_assert!(dst.is_c_contiguous());
    if dst.nbytes() == 0 {
        return Ok(());
    }
    let queue = dst.device().queue();
    dst.buffer().touch(&queue, Access::Write)?;
    if queue.is_captured() {
        return cuda::upload_captured(&queue, dst.addr(), dst.nbytes(), |kept| fill(0, kept));
    }
    // SAFETY: the array is live, in C order and of this size; its buffer records the stream.
    unsafe { queue.device().driver()?.upload_from(dst.addr(), dst.nbytes(), fill, queue.handle()) }
}

/// Calls `take` with the bytes of `src`, which is in C order. Synchronises the stream.
pub(crate) fn download_to(src: &Array, take: &Take<'_>) -> Result<()> {
    debug_assert!(src.is_c_contiguous());
    if src.nbytes() == 0 {
        return Ok(());
    }
    let queue = src.device().queue();
    let driver = queue.device().driver()?;
    cuda::announce(queue.device())?;
    let _waiting = trace::span(TraceKind::Wait, "download");
    src.buffer().touch(&queue, Access::Read)?;
    // SAFETY: as for `upload_from`.
    unsafe { driver.download_to(src.addr(), src.nbytes(), take, queue.handle()) }?;
    driver.check_defined(src.addr(), src.nbytes())?;
    queue.device().check_errors()
}

/// Reads bytes of the buffer of `src`, from offset `start` on. Synchronises the stream.
pub(crate) fn download(dst: &mut [u8], src: &Array, start: usize) -> Result<()> {
    download_raw(dst, src, start)?;
    src.device().driver()?.check_defined(src.buffer().addr() + start as u64, dst.len())
}

/// Reads bytes as [`download`] does, with a check of the elements of `src` only: bytes between them may be
/// uninitialised.
pub(crate) fn download_elements(dst: &mut [u8], src: &Array, start: usize) -> Result<()> {
    download_raw(dst, src, start)?;
    let (driver, addr) = (src.device().driver()?, src.buffer().addr());
    let mut checked = Ok(());
    src.layout().for_each_offset(|at| {
        if checked.is_ok() {
            checked = driver.check_defined(addr + at as u64, src.itemsize());
        }
    });
    checked
}

fn download_raw(dst: &mut [u8], src: &Array, start: usize) -> Result<()> {
    let _span = trace::span(TraceKind::Wait, "download");
    assert!(start + dst.len() <= src.buffer().bytes(), "the bytes are those of the buffer");
    if dst.is_empty() {
        return Ok(());
    }
    let queue = src.device().queue();
    cuda::announce(queue.device())?;
    src.buffer().touch(&queue, Access::Read)?;
    // SAFETY: the bytes are within the buffer, which is live and records the stream.
    unsafe { queue.device().driver()?.download(dst, src.buffer().addr() + start as u64, queue.handle()) }?;
    queue.device().check_errors()
}

/// Asynchronous read of a C-ordered array with its current contents. Finishing it synchronises, but not with work that
/// was queued since.
#[derive(Debug)]
pub(crate) struct Reading<'a> {
    /// The array that is read.
    src: &'a Array,
    /// Signal after the work that writes it.
    so_far: StreamSignal,
}

impl<'a> Reading<'a> {
    /// Begins to read an array that must not be written until the read is finished.
    pub(crate) fn of(src: &'a Array) -> Result<Reading<'a>> {
        debug_assert!(src.is_c_contiguous());
        let queue = src.device().queue();
        cuda::announce(queue.device())?;
        src.buffer().touch(&queue, Access::Read)?;
        Ok(Reading { src, so_far: queue.so_far()? })
    }

    /// Waits for the read and returns the elements.
    pub(crate) fn finish<T: Element>(self) -> Result<Vec<T>> {
        let _span = trace::span(TraceKind::Wait, "download");
        element::read(self.src.size(), |bytes| {
            if bytes.is_empty() {
                return Ok(());
            }
            // SAFETY: the array is live, in C order and of this size, and has not been written since.
            unsafe { self.so_far.download(bytes, self.src.addr()) }?;
            self.src.device().driver()?.check_defined(self.src.addr(), bytes.len())
        })
    }
}

/// Copies the bytes of one contiguous array to another of the same size, on one device; they do not overlap.
pub(crate) fn copy_bytes(src: &Array, dst: &Array) -> Result<()> {
    debug_assert!(src.is_c_contiguous() && dst.is_c_contiguous() && src.nbytes() == dst.nbytes());
    if dst.nbytes() == 0 {
        return Ok(());
    }
    let queue = one_device(dst, [src])?.queue();
    src.buffer().touch(&queue, Access::Read)?;
    dst.buffer().touch(&queue, Access::Write)?;
    // SAFETY: both arrays are live and of this size, and do not overlap; their buffers record the stream.
    unsafe { queue.device().driver()?.copy(dst.addr(), src.addr(), dst.nbytes(), queue.handle()) }
}

/// Returns true if two devices can copy from each other without the host.
pub(crate) fn copy_by_themselves(from: Device, to: Device) -> Result<bool> {
    let here = |device: Device| Ok(device.driver()?.context().is_some() && !device.queue().is_captured());
    Ok(here(from)? && here(to)?)
}

/// Copies bytes as [`copy_bytes`] does to an array of another device, if [`copy_by_themselves`] is true. The host does
/// not wait: both streams do.
pub(crate) fn copy_between(src: &Array, dst: &Array) -> Result<()> {
    debug_assert!(src.is_c_contiguous() && dst.is_c_contiguous() && src.nbytes() == dst.nbytes());
    if dst.nbytes() == 0 {
        return Ok(());
    }
    // SAFETY: both arrays are live and of this size.
    let queue = |to: &dyn Driver, from: &dyn Driver, stream| unsafe {
        to.copy_from(dst.addr(), from, src.addr(), dst.nbytes(), stream)
    };
    between(src, dst, queue)
}

/// Copies the elements of an array to one of another device with the same shape and dtype, if [`copy_by_themselves`] is
/// true, both arrays are rows of contiguous elements at equal distances, and the device accesses the other's memory;
/// otherwise returns false. Waits as [`copy_between`] does.
pub(crate) fn copy_rows_between(src: &Array, dst: &Array) -> Result<bool> {
    debug_assert!(src.shape() == dst.shape() && src.dtype() == dst.dtype());
    if dst.nbytes() == 0 {
        return Ok(true);
    }
    if src.is_c_contiguous() && dst.is_c_contiguous() {
        return copy_between(src, dst).map(|()| true);
    }
    let Some(rows) = rows_of(dst.shape(), [dst.strides(), src.strides()], dst.itemsize()) else { return Ok(false) };
    let mut is_queued = false;
    between(src, dst, |to, from, stream| {
        // SAFETY: both arrays are live and consist of these rows.
        is_queued = unsafe { to.copy_rows_from(dst.addr(), from, src.addr(), rows, stream) }?;
        Ok(())
    })?;
    Ok(is_queued)
}

/// Returns the rows of arrays with a shape and two lists of strides; `None` if they are no such rows, or if the rows are
/// so short that the copy of a contiguous duplicate is faster.
fn rows_of(shape: &[usize], strides: [&[i64]; 2], itemsize: usize) -> Option<Rows> {
    const SHORTEST: usize = 1024;
    let mut rows = Rows { width: itemsize, count: 1, pitches: [0; 2] };
    for (axis, &n) in shape.iter().enumerate().rev() {
        let steps = strides.map(|strides| usize::try_from(strides[axis]).ok());
        if n == 1 {
            continue;
        }
        let [Some(to), Some(from)] = steps else { return None };
        if rows.count == 1 && [to, from] == [rows.width; 2] {
            rows.width *= n;
        } else if rows.count == 1 && to.min(from) >= rows.width {
            (rows.count, rows.pitches) = (n, [to, from]);
        } else if rows.count > 1 && [to, from] == rows.pitches.map(|pitch| pitch * rows.count) {
            rows.count *= n;
        } else {
            return None;
        }
    }
    (rows.width >= SHORTEST).then_some(rows)
}

/// Queues a copy between two devices by `queue`, which receives the destination's driver, the source's, and a stream of
/// the destination's device.
fn between(
    src: &Array,
    dst: &Array,
    queue: impl FnOnce(&dyn Driver, &dyn Driver, StreamHandle) -> Result<()>,
) -> Result<()> {
    let (from, to) = (src.device().driver()?, dst.device().driver()?);
    let (source, target) = (src.device().queue(), dst.device().queue());
    src.buffer().touch(&source, Access::Read)?;
    dst.buffer().touch(&target, Access::Write)?;
    if src.may_have_any_bytes() {
        dst.buffer().allow_any_bytes();
    }
    target.wait_for_other(&source)?;
    reach_once(dst.device(), src.device())?;
    // The copy is a use of both streams, which the buffers have recorded, and which wait for it: now, or at the end of
    // the exchange.
    if EXCHANGE.with_borrow(Option::is_none) {
        queue(to, from, target.handle())?;
        return source.wait_for_other(&target);
    }
    let copying = copy_queue(src.device(), dst.device())?;
    copying.wait_for_other(&source)?;
    copying.wait_for_other(&target)?;
    let queued = queue(to, from, copying.handle());
    let copy =
        Underway { _src: src.clone(), dst: dst.clone(), queues: [source, target], copying, end: copying.so_far()? };
    EXCHANGE.with_borrow_mut(|copies| copies.get_or_insert_default().push(copy));
    queued
}

/// A copy between two devices for which their streams do not wait yet.
///
/// The arrays live until the two streams wait for the copy: their memory is not used for others before.
struct Underway {
    _src: Array,
    dst: Array,
    /// The streams of the two arrays.
    queues: [Queue; 2],
    /// The stream of the copy.
    copying: Queue,
    /// The end of the copy.
    end: StreamSignal,
}

thread_local! {
    /// Copies of the exchange that this thread makes.
    static EXCHANGE: RefCell<Option<Vec<Underway>>> = const { RefCell::new(None) };
}

/// Makes several copies between devices, which run at the same time: each waits for the work that was queued before it on
/// the two devices, and the devices wait for all of them when `f` returns. Otherwise each copy would also wait for those
/// before it that one of its devices takes part in.
///
/// Within `f` an array that was copied to a device is used there after [`arrive`] alone.
pub(crate) fn exchange<R>(f: impl FnOnce() -> Result<R>) -> Result<R> {
    /// Joins the copies, also when `f` panics.
    struct Scope;
    impl Drop for Scope {
        fn drop(&mut self) {
            // After a panic the error has nowhere to go.
            let _ = join(&EXCHANGE.take().unwrap_or_default());
        }
    }
    if EXCHANGE.with_borrow(Option::is_some) {
        return f();
    }
    EXCHANGE.set(Some(vec![]));
    let scope = Scope;
    let result = f();
    let joined = join(&EXCHANGE.take().unwrap_or_default());
    drop(scope);
    let value = result?;
    joined.map(|()| value)
}

/// Makes the device of an array wait for the copies to the array in the exchange that this thread makes.
pub(crate) fn arrive(array: &Array) -> Result<()> {
    EXCHANGE.with_borrow(|copies| {
        let to_array = |copy: &&Underway| copy.dst.addr() == array.addr() && copy.dst.device() == array.device();
        copies.iter().flatten().filter(to_array).try_for_each(|copy| copy.end.hold(&array.device().queue()))
    })
}

/// Makes the streams of copies wait for them.
fn join(copies: &[Underway]) -> Result<()> {
    let mut joined = BTreeSet::new();
    for copy in copies {
        for queue in copy.queues {
            if joined.insert((queue.device().number(), queue.handle(), copy.copying.handle())) {
                queue.wait_for_other(&copy.copying)?;
            }
        }
    }
    Ok(())
}

/// Returns the stream of the copies from one device to another in exchanges.
fn copy_queue(from: Device, to: Device) -> Result<Queue> {
    static STREAMS: Mutex<BTreeMap<[usize; 2], Stream>> = Mutex::new(BTreeMap::new());
    let mut streams = STREAMS.lock().unwrap_or_else(PoisonError::into_inner);
    let stream = match streams.entry([from.number(), to.number()]) {
        Entry::Occupied(entry) => entry.into_mut(),
        Entry::Vacant(entry) => entry.insert(Stream::with_options(to, true, 0)?),
    };
    Ok(stream.with(|| to.queue()))
}

/// Enables a CUDA device's peer access to another before its first copy from there, if possible: the copy then goes
/// over NVLink or PCIe directly, and otherwise through host memory, which is far slower. Done once, so that access that
/// a program disables stays disabled.
fn reach_once(to: Device, from: Device) -> Result<()> {
    static ASKED: Mutex<BTreeSet<[usize; 2]>> = Mutex::new(BTreeSet::new());
    let pair = [to.number(), from.number()];
    if ASKED.lock().unwrap_or_else(PoisonError::into_inner).insert(pair) && to.can_access_peer(from)? {
        // A device has a bounded number of peers; without peer access it is reached through the host.
        let _ = to.enable_peer_access(from);
    }
    Ok(())
}

/// Matrix in an array, as the library takes it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Matrix<'a> {
    /// The array.
    pub(crate) array: &'a Array,
    /// True if it is to be transposed.
    pub(crate) transposed: bool,
    /// Leading dimension: elements from a column to the next.
    pub(crate) step: usize,
}

/// Batch of products: their number, where their matrices are, and whether they are added to the result.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stack {
    /// Number of products.
    pub(crate) count: usize,
    /// Distances in elements between matrices of `a`, of `b` and of the result.
    pub(crate) strides: [i64; 3],
    /// Bytes from the first element of each array to that of its first matrix.
    pub(crate) offsets: [i64; 3],
    /// True if the products are added to what `out` has.
    pub(crate) adds: bool,
}

/// Queues `out = a b`, or `out += a b`, products of matrices of `m` by `k` and of `k` by `n`.
///
/// # Safety
///
/// The matrices of the batch, with these sizes and strides, are within their arrays, which have the same dtype; for
/// int8 the result is int32.
pub(crate) unsafe fn gemm([m, n, k]: [usize; 3], [a, b, out]: [Matrix<'_>; 3], stack: Stack) -> Result<()> {
    let queue = one_device(out.array, [a.array, b.array])?.queue();
    a.array.buffer().touch(&queue, Access::Read)?;
    b.array.buffer().touch(&queue, Access::Read)?;
    out.array.buffer().touch(&queue, Access::Write)?;
    let (dtype, transpose) = (a.array.dtype(), [a.transposed, b.transposed]);
    let matrix = |x: Matrix<'_>, at: usize| (x.array.addr().wrapping_add_signed(stack.offsets[at]), x.step);
    let (operands, batch, strides) = ([matrix(a, 0), matrix(b, 1), matrix(out, 2)], stack.count, stack.strides);
    let [a, b, c] = operands;
    let gemm = Gemm { dtype, transpose, m, n, k, a, b, c, batch, strides, adds: stack.adds };
    // SAFETY: the caller guarantees the matrices; the buffers record the stream.
    unsafe { queue.device().driver()?.gemm(&gemm, queue.handle()) }
}
