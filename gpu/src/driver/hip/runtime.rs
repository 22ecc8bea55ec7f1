//! Runtime features of a HIP device: each function is one call of the runtime with its errors converted.

use std::ffi::{c_int, c_uint};
use std::ptr;
use std::sync::atomic::Ordering;

use super::api::{PEER_ENABLED, Pointer};
use super::{Hip, lacking};
use crate::driver::runtime_api::{HostCall, PoolAttribute, RuntimeApi, created_handle, queue_host_call};
use crate::driver::{Driver, StreamHandle};
use crate::error::{Error, ErrorKind, Result};

/// `hipStreamCaptureModeRelaxed`: other calls of the library to the runtime during the capture are allowed.
const RELAXED: c_int = 2;
/// `hipMemAttachGlobal`: every device can access the memory.
const GLOBAL: c_uint = 1;

/// Returns the number of another HIP device.
fn number(other: &dyn Driver) -> Option<c_int> {
    other.info().id.strip_prefix("hip:")?.parse().ok()
}

fn number_or_error(other: &dyn Driver) -> Result<c_int> {
    let message = || format!("{} is no HIP device: there is no way between the two", other.info().id);
    number(other).ok_or_else(|| Error::new(ErrorKind::Value, message()))
}

impl Hip {
    /// Creates an event with flags, which have CUDA's numbers.
    pub(super) fn create_event(&self, flags: c_uint) -> Result<usize> {
        let _bound = self.bind()?;
        // SAFETY: the variable is live.
        created_handle(|event| unsafe { self.api.create_event(event, flags) })
    }
}

impl RuntimeApi for Hip {
    unsafe fn stream_query(&self, stream: StreamHandle) -> Result<bool> {
        let _bound = self.bind()?;
        let query = self.api.query_stream.as_ref().map_err(Clone::clone)?;
        // SAFETY: the caller guarantees the stream.
        self.is_complete("hipStreamQuery", unsafe { query(stream as Pointer) })
    }

    fn priorities(&self) -> Result<(i32, i32)> {
        let _bound = self.bind()?;
        let (mut least, mut greatest) = (0, 0);
        // SAFETY: both are live variables.
        unsafe { self.api.priorities(&mut least, &mut greatest) }?;
        Ok((least, greatest))
    }

    unsafe fn host_call(&self, stream: StreamHandle, call: HostCall) -> Result<()> {
        let _bound = self.bind()?;
        // SAFETY: the caller guarantees the stream; the runtime passes the pointer to the function once, or fails.
        unsafe { queue_host_call(call, |function, data| self.api.host_call(stream as Pointer, function, data)) }
    }

    fn event_create_with(&self, flags: u32) -> Result<usize> {
        self.create_event(flags)
    }

    fn usual_pool(&self) -> Result<usize> {
        // SAFETY: the variable is live.
        created_handle(|pool| unsafe { self.api.usual_pool(pool, self.device) })
    }

    fn current_pool(&self) -> Result<usize> {
        // SAFETY: the variable is live.
        created_handle(|pool| unsafe { self.api.current_pool(pool, self.device) })
    }

    unsafe fn set_current_pool(&self, pool: usize) -> Result<()> {
        // SAFETY: the caller guarantees the pool.
        unsafe { self.api.set_current_pool(self.device, pool as Pointer) }
    }

    fn create_pool(&self) -> Result<usize> {
        Err(lacking("memory pools besides their own"))
    }

    unsafe fn destroy_pool(&self, _: usize) -> Result<()> {
        Err(lacking("memory pools besides their own"))
    }

    unsafe fn trim_pool(&self, pool: usize, keep: usize) -> Result<()> {
        // SAFETY: the caller guarantees the pool.
        unsafe { self.api.trim_pool(pool as Pointer, keep) }
    }

    unsafe fn pool_attribute(&self, pool: usize, attribute: PoolAttribute) -> Result<u64> {
        let mut value = 0_u64;
        let pointer = ptr::from_mut(&mut value).cast();
        // SAFETY: all of these attributes are 64-bit numbers, with CUDA's numbers; the caller guarantees the pool.
        unsafe { self.api.pool_attribute(pool as Pointer, attribute as c_int, pointer) }?;
        Ok(value)
    }

    unsafe fn set_pool_attribute(&self, pool: usize, attribute: PoolAttribute, mut value: u64) -> Result<()> {
        let pointer = ptr::from_mut(&mut value).cast();
        // SAFETY: as above.
        unsafe { self.api.set_pool_attribute(pool as Pointer, attribute as c_int, pointer) }
    }

    unsafe fn alloc_from_pool(&self, pool: usize, bytes: usize, stream: StreamHandle) -> Result<u64> {
        let _bound = self.bind()?;
        let (pool, stream) = (pool as Pointer, stream as Pointer);
        // SAFETY: the variable is live; the caller guarantees pool and stream.
        created_handle(|addr| unsafe { self.api.alloc_from_pool(addr, bytes, pool, stream) }).map(|addr| addr as u64)
    }

    unsafe fn free_to_pool(&self, _: usize, addr: u64, stream: StreamHandle) -> Result<()> {
        let _bound = self.bind()?;
        // SAFETY: the caller guarantees memory and stream.
        unsafe { self.api.free_async(addr as Pointer, stream as Pointer) }
    }

    unsafe fn host_register(&self, addr: usize, bytes: usize, flags: u32) -> Result<()> {
        let _bound = self.bind()?;
        // SAFETY: the caller guarantees the memory.
        unsafe { self.api.register(addr as Pointer, bytes, flags) }
    }

    unsafe fn host_unregister(&self, addr: usize) -> Result<()> {
        let _bound = self.bind()?;
        // SAFETY: the caller guarantees the memory.
        unsafe { self.api.unregister(addr as Pointer) }
    }

    fn alloc_managed(&self, bytes: usize) -> Result<u64> {
        let _bound = self.bind()?;
        // SAFETY: the variable is live.
        created_handle(|addr| unsafe { self.api.alloc_managed(addr, bytes, GLOBAL) }).map(|addr| addr as u64)
    }

    unsafe fn advise(&self, addr: u64, bytes: usize, advice: i32, device: i32) -> Result<()> {
        let _bound = self.bind()?;
        // SAFETY: the caller guarantees the memory; the runtime rejects advice that it does not know.
        unsafe { self.api.advise(addr as Pointer, bytes, advice, device) }
    }

    unsafe fn prefetch(&self, addr: u64, bytes: usize, device: i32, stream: StreamHandle) -> Result<()> {
        let _bound = self.bind()?;
        // SAFETY: the caller guarantees memory and stream.
        unsafe { self.api.prefetch(addr as Pointer, bytes, device, stream as Pointer) }
    }

    fn reaches(&self, other: &dyn Driver) -> Result<bool> {
        let Some(peer) = number(other) else { return Ok(false) };
        let mut yes = 0;
        // SAFETY: the variable is live.
        unsafe { self.api.reaches(&mut yes, self.device, peer) }?;
        Ok(yes != 0)
    }

    fn enable_peer(&self, other: &dyn Driver) -> Result<()> {
        let peer = number_or_error(other)?;
        let _bound = self.bind()?;
        // SAFETY: the runtime rejects a number that is no device's.
        match unsafe { self.api.enable_peer(peer, 0) } {
            Err(e) if e.status() == Some(PEER_ENABLED) => Ok(()),
            done => done,
        }
    }

    fn disable_peer(&self, other: &dyn Driver) -> Result<()> {
        let peer = number_or_error(other)?;
        let _bound = self.bind()?;
        // SAFETY: as above.
        unsafe { self.api.disable_peer(peer) }
    }

    unsafe fn copy_from(
        &self,
        dst: u64,
        other: &dyn Driver,
        src: u64,
        bytes: usize,
        stream: StreamHandle,
    ) -> Result<()> {
        let from = number_or_error(other)?;
        let _bound = self.bind()?;
        // SAFETY: the caller guarantees the memory and the stream.
        unsafe { self.api.copy_peer(dst as Pointer, self.device, src as Pointer, from, bytes, stream as Pointer) }
    }

    unsafe fn upload_kept(&self, dst: u64, src: usize, bytes: usize, stream: StreamHandle) -> Result<()> {
        let _bound = self.bind()?;
        // SAFETY: the caller guarantees both ranges and the stream.
        unsafe { self.api.upload(dst as Pointer, src as Pointer, bytes, stream as Pointer) }
    }

    fn limit(&self, number: i32) -> Result<usize> {
        let _bound = self.bind()?;
        let mut value = 0;
        // SAFETY: the variable is live; the runtime rejects a limit that it does not know.
        unsafe { self.api.limit(&mut value, number) }?;
        Ok(value)
    }

    fn set_limit(&self, number: i32, value: usize) -> Result<()> {
        let _bound = self.bind()?;
        // SAFETY: the runtime rejects a limit that it does not know.
        unsafe { self.api.set_limit(number, value) }
    }

    unsafe fn begin_capture(&self, stream: StreamHandle) -> Result<()> {
        let _bound = self.bind()?;
        // SAFETY: the caller guarantees the stream.
        unsafe { self.api.begin_capture(stream as Pointer, RELAXED) }?;
        self.captures.fetch_add(1, Ordering::AcqRel);
        Ok(())
    }

    unsafe fn end_capture(&self, stream: StreamHandle) -> Result<usize> {
        let _bound = self.bind()?;
        self.captures.fetch_sub(1, Ordering::AcqRel);
        // SAFETY: the variable is live; the caller guarantees the stream.
        created_handle(|graph| unsafe { self.api.end_capture(stream as Pointer, graph) })
    }

    fn is_capturing(&self) -> bool {
        self.captures.load(Ordering::Acquire) > 0
    }

    unsafe fn clone_graph(&self, graph: usize) -> Result<usize> {
        // SAFETY: the variable is live; the caller guarantees the graph.
        created_handle(|clone| unsafe { self.api.clone_graph(clone, graph as Pointer) })
    }

    unsafe fn destroy_graph(&self, graph: usize) -> Result<()> {
        // SAFETY: the caller guarantees the graph.
        unsafe { self.api.destroy_graph(graph as Pointer) }
    }

    unsafe fn graph_nodes(&self, graph: usize) -> Result<usize> {
        let mut count = 0;
        // SAFETY: without a buffer for the nodes the runtime counts them; the caller guarantees the graph.
        unsafe { self.api.graph_nodes(graph as Pointer, ptr::null_mut(), &mut count) }?;
        Ok(count)
    }

    unsafe fn graph_dot(&self, _: usize, _: u32) -> Result<String> {
        Err(lacking("a text form of graphs"))
    }

    unsafe fn instantiate(&self, graph: usize) -> Result<usize> {
        let _bound = self.bind()?;
        // SAFETY: the variable is live; the caller guarantees the graph.
        created_handle(|instance| unsafe { self.api.instantiate(instance, graph as Pointer, 0) })
    }

    unsafe fn destroy_instance(&self, instance: usize) -> Result<()> {
        // SAFETY: the caller guarantees the executable graph.
        unsafe { self.api.destroy_instance(instance as Pointer) }
    }

    unsafe fn update_instance(&self, instance: usize, graph: usize) -> Result<()> {
        let (mut node, mut result) = (ptr::null_mut(), 0);
        // SAFETY: both variables are live; the caller guarantees both graphs.
        unsafe { self.api.update_instance(instance as Pointer, graph as Pointer, &mut node, &mut result) }
    }

    unsafe fn upload_graph(&self, instance: usize, stream: StreamHandle) -> Result<()> {
        let _bound = self.bind()?;
        // SAFETY: the caller guarantees the executable graph and the stream.
        unsafe { self.api.upload_graph(instance as Pointer, stream as Pointer) }
    }

    unsafe fn launch_graph(&self, instance: usize, stream: StreamHandle) -> Result<()> {
        let _bound = self.bind()?;
        // SAFETY: as above.
        unsafe { self.api.launch_graph(instance as Pointer, stream as Pointer) }
    }
}
