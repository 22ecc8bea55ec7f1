//! CUDA runtime features beyond those that arrays need: host functions, the driver's memory pools, managed memory, peer
//! access, limits, graphs.
//!
//! The default implementations return an error for features that a device lacks.

use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

use super::{Driver, StreamHandle, unknown};
use crate::error::Result;

/// Host function that a device calls in stream order.
pub(crate) type HostCall = Box<dyn FnOnce() + Send>;

/// Queues a host function. `queue` passes a function and its data to the driver.
///
/// # Safety
///
/// The driver calls the function once with the data; if `queue` returns an error, it does not.
pub(super) unsafe fn queue_host_call(
    call: HostCall,
    queue: impl FnOnce(unsafe extern "C" fn(*mut c_void), *mut c_void) -> Result<()>,
) -> Result<()> {
    let data = Box::into_raw(Box::new(call));
    let queued = queue(call_host, data.cast());
    if queued.is_err() {
        // SAFETY: the caller guarantees that the driver has not taken the pointer.
        drop(unsafe { Box::from_raw(data) });
    }
    queued
}

/// Calls the queued host function, on a thread of the driver's.
unsafe extern "C" fn call_host(data: *mut c_void) {
    // SAFETY: the pointer is that of a box of `queue_host_call`, which the driver passes once.
    let call = unsafe { Box::from_raw(data.cast::<HostCall>()) };
    // A panic must not unwind through the driver. The function that queued the call catches its panics and reports
    // them.
    let _ = catch_unwind(AssertUnwindSafe(call));
}

/// Returns the handle or address that a call of a driver writes.
pub(super) fn created_handle<T>(call: impl FnOnce(&mut *mut T) -> Result<()>) -> Result<usize> {
    let mut handle = ptr::null_mut();
    call(&mut handle)?;
    Ok(handle as usize)
}

/// Attributes of a memory pool of the driver, with CUDA's numbers (`CU_MEMPOOL_ATTR_*`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PoolAttribute {
    ReleaseThreshold = 4,
    Reserved = 5,
    ReservedHigh = 6,
    Used = 7,
    UsedHigh = 8,
}

/// Rows of equal length in two memories; the fields are in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "CUDA alone reads them"))]
pub(crate) struct Rows {
    /// Length of a row.
    pub(crate) width: usize,
    /// Number of rows.
    pub(crate) count: usize,
    /// Distances from a row to the next in the destination and in the source.
    pub(crate) pitches: [usize; 2],
}

/// Handle of memory or of an event that is passed between processes.
pub(crate) type IpcHandle = [u8; 64];

/// Conditional node in a graph, whose body is captured on a stream of its own, and whose condition is the byte at
/// `flag`.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "CUDA alone reads some of it"))]
pub(crate) struct Conditional {
    /// Stream on which the body is captured.
    pub(crate) stream: StreamHandle,
    /// CUDA's handle of the condition.
    pub(crate) handle: u64,
    /// Address of the byte that is the condition.
    pub(crate) flag: u64,
    /// True for a loop, false for a body that runs once at most.
    pub(crate) repeats: bool,
}

/// CUDA runtime interface of a device. Streams, events and graphs that are passed must be live ones of the device, and
/// addresses must be those of live memory: that is the safety requirement of each `unsafe` function here.
#[allow(clippy::missing_safety_doc, reason = "said once, above")]
pub(crate) trait RuntimeApi {
    /// Returns the driver's context as a number, if there is one.
    fn context(&self) -> Option<usize> {
        None
    }

    /// Returns true if all work queued on the stream has completed.
    unsafe fn stream_query(&self, stream: StreamHandle) -> Result<bool>;
    /// Returns the lowest priority, and the highest, which is the smaller number.
    fn priorities(&self) -> Result<(i32, i32)>;
    /// Queues a host function.
    unsafe fn host_call(&self, stream: StreamHandle, call: HostCall) -> Result<()>;
    /// Returns an event with CUDA's flags (`CU_EVENT_*`).
    fn event_create_with(&self, flags: u32) -> Result<usize>;

    /// Returns the default pool of a device; `current_pool` returns the one in use.
    fn usual_pool(&self) -> Result<usize>;
    fn current_pool(&self) -> Result<usize>;
    unsafe fn set_current_pool(&self, pool: usize) -> Result<()>;
    fn create_pool(&self) -> Result<usize>;
    unsafe fn destroy_pool(&self, pool: usize) -> Result<()>;
    unsafe fn trim_pool(&self, pool: usize, keep: usize) -> Result<()>;
    unsafe fn pool_attribute(&self, pool: usize, attribute: PoolAttribute) -> Result<u64>;
    unsafe fn set_pool_attribute(&self, pool: usize, attribute: PoolAttribute, value: u64) -> Result<()>;
    unsafe fn alloc_from_pool(&self, pool: usize, bytes: usize, stream: StreamHandle) -> Result<u64>;
    unsafe fn free_to_pool(&self, pool: usize, addr: u64, stream: StreamHandle) -> Result<()>;

    /// Pins existing host memory, so that the device can copy from and to it directly, with CUDA's flags
    /// (`CU_MEMHOSTREGISTER_*`). Does nothing if the host's memory is the device's.
    unsafe fn host_register(&self, _addr: usize, _bytes: usize, _flags: u32) -> Result<()> {
        Ok(())
    }
    unsafe fn host_unregister(&self, _addr: usize) -> Result<()> {
        Ok(())
    }

    /// Allocates managed memory, which the driver migrates between the host and the devices. It is freed by
    /// `Driver::free`.
    fn alloc_managed(&self, bytes: usize) -> Result<u64>;
    /// Gives advice by CUDA's number (`CU_MEM_ADVISE_*`), for a device by its number, or for the host: -1.
    unsafe fn advise(&self, addr: u64, bytes: usize, advice: i32, device: i32) -> Result<()>;
    unsafe fn prefetch(&self, addr: u64, bytes: usize, device: i32, stream: StreamHandle) -> Result<()>;

    /// Returns true if this device can access the memory of another one.
    fn reaches(&self, _other: &dyn Driver) -> Result<bool> {
        Ok(false)
    }
    /// Enables access of this device's kernels to the memory of another one; does nothing if it is enabled.
    fn enable_peer(&self, _other: &dyn Driver) -> Result<()> {
        Err(unknown("memory of another device that it reaches"))
    }
    /// Disables the access again.
    fn disable_peer(&self, _other: &dyn Driver) -> Result<()> {
        Err(unknown("memory of another device that it reaches"))
    }
    /// Copies from another device to this one; the stream is this one's.
    unsafe fn copy_from(&self, _: u64, _: &dyn Driver, _: u64, _bytes: usize, _: StreamHandle) -> Result<()> {
        Err(unknown("copies from another device"))
    }
    /// Copies rows from another device to this one, whose stream it is, within memory that this device accesses; false,
    /// and nothing is queued, where it does not access it.
    unsafe fn copy_rows_from(
        &self,
        _dst: u64,
        _: &dyn Driver,
        _src: u64,
        _rows: Rows,
        _: StreamHandle,
    ) -> Result<bool> {
        Ok(false)
    }

    /// Copies to the device from memory of [`Driver::host_alloc`] that remains allocated, also as long as a graph
    /// contains the copy.
    unsafe fn upload_kept(&self, dst: u64, src: usize, bytes: usize, stream: StreamHandle) -> Result<()>;

    /// Returns a limit by CUDA's number (`CU_LIMIT_*`).
    fn limit(&self, number: i32) -> Result<usize>;
    fn set_limit(&self, number: i32, value: usize) -> Result<()>;

    /// Begins a capture: work that is queued on the stream from here on is recorded instead of run.
    unsafe fn begin_capture(&self, stream: StreamHandle) -> Result<()>;
    /// Ends the capture and returns its graph.
    unsafe fn end_capture(&self, stream: StreamHandle) -> Result<usize>;
    /// Returns true if any stream of the device is captured.
    fn is_capturing(&self) -> bool;
    /// Begins the body of a conditional node in the graph that the stream is captured into: it runs if the byte at
    /// `flag` is not 0, or, with `repeats`, as long as it is not.
    unsafe fn begin_conditional(&self, _stream: StreamHandle, _flag: u64, _repeats: bool) -> Result<Conditional> {
        Err(unknown("conditions in graphs"))
    }
    /// Ends the body, and destroys the stream that it was captured on.
    unsafe fn end_conditional(&self, _: &Conditional) -> Result<()> {
        Err(unknown("conditions in graphs"))
    }
    unsafe fn clone_graph(&self, graph: usize) -> Result<usize>;
    unsafe fn destroy_graph(&self, graph: usize) -> Result<()>;
    unsafe fn graph_nodes(&self, graph: usize) -> Result<usize>;
    unsafe fn graph_dot(&self, graph: usize, flags: u32) -> Result<String>;
    /// Returns an executable graph.
    unsafe fn instantiate(&self, graph: usize) -> Result<usize>;
    unsafe fn destroy_instance(&self, instance: usize) -> Result<()>;
    /// Updates an executable graph with the nodes of another graph of the same topology.
    unsafe fn update_instance(&self, instance: usize, graph: usize) -> Result<()>;
    unsafe fn upload_graph(&self, instance: usize, stream: StreamHandle) -> Result<()>;
    unsafe fn launch_graph(&self, instance: usize, stream: StreamHandle) -> Result<()>;

    /// Returns a handle of the allocation that contains an address, and the offset of the address in it.
    unsafe fn ipc_memory(&self, _addr: u64) -> Result<(IpcHandle, u64)> {
        Err(unknown("memory that other processes open"))
    }
    fn ipc_open_memory(&self, _: IpcHandle, _flags: u32) -> Result<u64> {
        Err(unknown("memory of other processes"))
    }
    unsafe fn ipc_close_memory(&self, _addr: u64) -> Result<()> {
        Err(unknown("memory of other processes"))
    }
    unsafe fn ipc_event(&self, _event: usize) -> Result<IpcHandle> {
        Err(unknown("events that other processes open"))
    }
    fn ipc_open_event(&self, _: IpcHandle) -> Result<usize> {
        Err(unknown("events of other processes"))
    }

    /// Starts or stops profiling.
    fn profiler(&self, _on: bool) -> Result<()> {
        Ok(())
    }
}
