//! What CUDA shows beyond what arrays need: host functions, the driver's pools, managed memory, peers, limits, graphs.
//!
//! A device that does not have something says so: that is what each default here does.

use super::{Driver, StreamHandle, unknown};
use crate::error::Result;

/// A function of the host that a device calls in the order of a stream.
pub(crate) type HostCall = Box<dyn FnOnce() + Send>;

/// Attributes of a memory pool of the driver, with CUDA's numbers (`CU_MEMPOOL_ATTR_*`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PoolAttribute {
    ReleaseThreshold = 4,
    Reserved = 5,
    ReservedHigh = 6,
    Used = 7,
    UsedHigh = 8,
}

/// A handle of memory or of an event, as it goes from process to process.
pub(crate) type IpcHandle = [u8; 64];

/// A condition in a graph whose body is captured: on a stream of its own, for a node that goes by the byte at `flag`.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "CUDA alone reads some of it"))]
pub(crate) struct Conditional {
    pub(crate) stream: StreamHandle,
    pub(crate) handle: u64,
    pub(crate) flag: u64,
    pub(crate) repeats: bool,
}

/// A device as CUDA shows it. Streams, events and graphs that a call is given are live ones of the device, and addresses
/// are those of live memory: that is what each `unsafe` here asks for.
#[allow(clippy::missing_safety_doc, reason = "said once, above")]
pub(crate) trait Face {
    /// Returns the driver's context, as a number; none where there is none.
    fn context(&self) -> Option<usize> {
        None
    }

    /// Returns true if all that was queued on the stream is done.
    unsafe fn stream_query(&self, stream: StreamHandle) -> Result<bool>;
    /// Returns the lowest priority, and the highest, which is the smaller number.
    fn priorities(&self) -> Result<(i32, i32)>;
    /// Queues a call of the host.
    unsafe fn host_call(&self, stream: StreamHandle, call: HostCall) -> Result<()>;
    /// Returns an event with CUDA's flags (`CU_EVENT_*`).
    fn event_create_with(&self, flags: u32) -> Result<usize>;

    /// Returns the pool that a device begins with, and the one that it uses.
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

    /// Has the device copy from and to memory of the host by itself that is there already, with CUDA's flags
    /// (`CU_MEMHOSTREGISTER_*`). Where the host's memory is the device's, there is nothing to do.
    unsafe fn host_register(&self, _addr: usize, _bytes: usize, _flags: u32) -> Result<()> {
        Ok(())
    }
    unsafe fn host_unregister(&self, _addr: usize) -> Result<()> {
        Ok(())
    }

    /// Memory that the driver moves between the host and the devices. It is returned by `Driver::free`.
    fn alloc_managed(&self, bytes: usize) -> Result<u64>;
    /// Advice by CUDA's number (`CU_MEM_ADVISE_*`), of a device by its number, or of the host: -1.
    unsafe fn advise(&self, addr: u64, bytes: usize, advice: i32, device: i32) -> Result<()>;
    unsafe fn prefetch(&self, addr: u64, bytes: usize, device: i32, stream: StreamHandle) -> Result<()>;

    /// Returns true if this device reads and writes the memory of another one.
    fn reaches(&self, _other: &dyn Driver) -> Result<bool> {
        Ok(false)
    }
    /// Lets kernels of this device reach the memory of another one; nothing where they may already.
    fn enable_peer(&self, _other: &dyn Driver) -> Result<()> {
        Err(unknown("memory of another device that it reaches"))
    }
    /// Takes that back.
    fn disable_peer(&self, _other: &dyn Driver) -> Result<()> {
        Err(unknown("memory of another device that it reaches"))
    }
    /// Copies from another device to this one; the stream is this one's.
    unsafe fn copy_from(&self, _: u64, _: &dyn Driver, _: u64, _bytes: usize, _: StreamHandle) -> Result<()> {
        Err(unknown("copies from another device"))
    }

    /// Copies to the device from memory of [`Driver::host_alloc`] that stays there, also for as long as a graph has the copy.
    unsafe fn upload_kept(&self, dst: u64, src: usize, bytes: usize, stream: StreamHandle) -> Result<()>;

    /// Returns a limit by CUDA's number (`CU_LIMIT_*`).
    fn limit(&self, number: i32) -> Result<usize>;
    fn set_limit(&self, number: i32, value: usize) -> Result<()>;

    /// Everything that is queued on the stream from here on is kept and not done.
    unsafe fn begin_capture(&self, stream: StreamHandle) -> Result<()>;
    /// Returns the graph of what was kept.
    unsafe fn end_capture(&self, stream: StreamHandle) -> Result<usize>;
    /// Returns true if any stream of the device is captured.
    fn is_capturing(&self) -> bool;
    /// Begins the body of a condition in the graph that the stream is captured for: it is done where the byte at `flag` is
    /// not 0, or for as long as it is not.
    unsafe fn begin_conditional(&self, _stream: StreamHandle, _flag: u64, _repeats: bool) -> Result<Conditional> {
        Err(unknown("conditions in graphs"))
    }
    /// Ends the body, and the stream that it was captured on.
    unsafe fn end_conditional(&self, _: &Conditional) -> Result<()> {
        Err(unknown("conditions in graphs"))
    }
    unsafe fn clone_graph(&self, graph: usize) -> Result<usize>;
    unsafe fn destroy_graph(&self, graph: usize) -> Result<()>;
    unsafe fn graph_nodes(&self, graph: usize) -> Result<usize>;
    unsafe fn graph_dot(&self, graph: usize, flags: u32) -> Result<String>;
    /// What can be launched.
    unsafe fn instantiate(&self, graph: usize) -> Result<usize>;
    unsafe fn destroy_instance(&self, instance: usize) -> Result<()>;
    /// Gives what is launched the nodes of another graph of the same form.
    unsafe fn update_instance(&self, instance: usize, graph: usize) -> Result<()>;
    unsafe fn upload_graph(&self, instance: usize, stream: StreamHandle) -> Result<()>;
    unsafe fn launch_graph(&self, instance: usize, stream: StreamHandle) -> Result<()>;

    /// Returns a handle of the allocation that an address lies in, and how far behind its beginning.
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

    /// Returns a profiler looks from here on, or no more.
    fn profiler(&self, _on: bool) -> Result<()> {
        Ok(())
    }
}
