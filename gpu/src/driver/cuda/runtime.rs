//! CUDA runtime features of a CUDA device.
//!
//! Each function is one call of the driver with its errors converted; handles are numbers for the code above.

use std::ffi::{CString, c_int, c_uint, c_void};
use std::ptr;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU64, Ordering};

use cudarc::driver::sys::{
    CUDA_MEMCPY2D, CUcontext, CUgraph, CUgraphExec, CUmemoryPool, CUmemorytype, CUresult, CUstream,
};

use super::Cuda;
use crate::driver::runtime_api::{
    Conditional, HostCall, IpcHandle, PoolAttribute, Rows, RuntimeApi, created_handle, queue_host_call,
};
use crate::driver::runtime_table::{Location, PoolProps, UpdateResult};
use crate::driver::{Driver, StreamHandle};
use crate::error::{Error, ErrorKind, Result};

/// `CU_STREAM_CAPTURE_MODE_RELAXED`: other calls of the library to the driver during the capture are allowed.
pub(super) const RELAXED: c_int = 2;
/// `CU_MEM_ATTACH_GLOBAL`: every device can access the memory.
const GLOBAL: c_uint = 1;

/// Returns the context of another CUDA device.
fn context_of(other: &dyn Driver) -> Result<CUcontext> {
    other.context().map(|context| context as CUcontext).ok_or_else(|| {
        Error::new(ErrorKind::Value, format!("{} is no CUDA device: there is no way between the two", other.info().id))
    })
}

impl RuntimeApi for Cuda {
    fn context(&self) -> Option<usize> {
        Some(self.context)
    }

    unsafe fn stream_query(&self, stream: StreamHandle) -> Result<bool> {
        let _bound = self.bind()?;
        let query = self.shown.query_stream.as_ref().map_err(Clone::clone)?;
        // SAFETY: the caller guarantees the stream.
        match unsafe { query(stream as CUstream) } {
            0 => Ok(true),
            code if code == CUresult::CUDA_ERROR_NOT_READY as c_int => Ok(false),
            code => Err(self.api.error("cuStreamQuery", code)),
        }
    }

    fn priorities(&self) -> Result<(i32, i32)> {
        let _bound = self.bind()?;
        let (mut least, mut greatest) = (0, 0);
        // SAFETY: both are live variables.
        unsafe { self.shown.priorities(&mut least, &mut greatest) }?;
        Ok((least, greatest))
    }

    unsafe fn host_call(&self, stream: StreamHandle, call: HostCall) -> Result<()> {
        let _bound = self.bind()?;
        // SAFETY: the caller guarantees the stream; the driver passes the pointer to the function once, or fails.
        unsafe { queue_host_call(call, |function, data| self.shown.host_call(stream as CUstream, function, data)) }
    }

    fn event_create_with(&self, flags: u32) -> Result<usize> {
        let _bound = self.bind()?;
        // SAFETY: the variable is live; the driver rejects flags that it does not know.
        created_handle(|event| unsafe { self.api.create_event(event, flags) })
    }

    fn usual_pool(&self) -> Result<usize> {
        // SAFETY: the variable is live.
        created_handle(|pool| unsafe { self.shown.usual_pool(pool, self.device) })
    }

    fn current_pool(&self) -> Result<usize> {
        // SAFETY: the variable is live.
        created_handle(|pool| unsafe { self.shown.current_pool(pool, self.device) })
    }

    unsafe fn set_current_pool(&self, pool: usize) -> Result<()> {
        // SAFETY: the caller guarantees the pool.
        unsafe { self.shown.set_current_pool(self.device, pool as CUmemoryPool) }
    }

    fn create_pool(&self) -> Result<usize> {
        let props = PoolProps::of(self.device);
        // SAFETY: the variable is live, and so are the properties.
        created_handle(|pool| unsafe { self.shown.create_pool(pool, &props) })
    }

    unsafe fn destroy_pool(&self, pool: usize) -> Result<()> {
        // SAFETY: the caller guarantees the pool.
        unsafe { self.shown.destroy_pool(pool as CUmemoryPool) }
    }

    unsafe fn trim_pool(&self, pool: usize, keep: usize) -> Result<()> {
        // SAFETY: the caller guarantees the pool.
        unsafe { self.shown.trim_pool(pool as CUmemoryPool, keep) }
    }

    unsafe fn pool_attribute(&self, pool: usize, attribute: PoolAttribute) -> Result<u64> {
        let mut value = 0_u64;
        let pointer = ptr::from_mut(&mut value).cast();
        // SAFETY: all of these attributes are 64-bit numbers; the caller guarantees the pool.
        unsafe { self.shown.pool_attribute(pool as CUmemoryPool, attribute as c_int, pointer) }?;
        Ok(value)
    }

    unsafe fn set_pool_attribute(&self, pool: usize, attribute: PoolAttribute, mut value: u64) -> Result<()> {
        let pointer = ptr::from_mut(&mut value).cast();
        // SAFETY: as above.
        unsafe { self.shown.set_pool_attribute(pool as CUmemoryPool, attribute as c_int, pointer) }
    }

    unsafe fn alloc_from_pool(&self, pool: usize, bytes: usize, stream: StreamHandle) -> Result<u64> {
        let _bound = self.bind()?;
        let mut addr = 0;
        // SAFETY: the variable is live; the caller guarantees pool and stream.
        unsafe { self.shown.alloc_from_pool(&mut addr, bytes, pool as CUmemoryPool, stream as CUstream) }?;
        Ok(addr)
    }

    unsafe fn free_to_pool(&self, _: usize, addr: u64, stream: StreamHandle) -> Result<()> {
        let _bound = self.bind()?;
        // SAFETY: the caller guarantees memory and stream.
        unsafe { self.shown.free_async(addr, stream as CUstream) }
    }

    fn alloc_managed(&self, bytes: usize) -> Result<u64> {
        let _bound = self.bind()?;
        let mut addr = 0;
        // SAFETY: the variable is live.
        unsafe { self.shown.alloc_managed(&mut addr, bytes, GLOBAL) }?;
        Ok(addr)
    }

    unsafe fn advise(&self, addr: u64, bytes: usize, advice: i32, device: i32) -> Result<()> {
        let _bound = self.bind()?;
        if self.shown.advise_at.is_ok() {
            // SAFETY: the caller guarantees the memory; the driver rejects advice that it does not know.
            return unsafe { self.shown.advise_at(addr, bytes, advice, Location::of(device)) };
        }
        // SAFETY: as above.
        unsafe { self.shown.advise(addr, bytes, advice, device) }
    }

    unsafe fn prefetch(&self, addr: u64, bytes: usize, device: i32, stream: StreamHandle) -> Result<()> {
        let _bound = self.bind()?;
        if self.shown.prefetch_to.is_ok() {
            // SAFETY: the caller guarantees memory and stream.
            return unsafe { self.shown.prefetch_to(addr, bytes, Location::of(device), 0, stream as CUstream) };
        }
        // SAFETY: as above.
        unsafe { self.shown.prefetch(addr, bytes, device, stream as CUstream) }
    }

    fn reaches(&self, other: &dyn Driver) -> Result<bool> {
        let Some(peer) = other.info().id.strip_prefix("cuda:").and_then(|n| n.parse::<c_int>().ok()) else {
            return Ok(false);
        };
        let mut device = 0;
        // SAFETY: the variable is live.
        unsafe { self.api.device(&mut device, peer) }?;
        let mut yes = 0;
        // SAFETY: the variable is live.
        unsafe { self.shown.reaches(&mut yes, self.device, device) }?;
        Ok(yes != 0)
    }

    fn enable_peer(&self, other: &dyn Driver) -> Result<()> {
        let context = context_of(other)?;
        let _bound = self.bind()?;
        let enable = self.shown.enable_peer.as_ref().map_err(Clone::clone)?;
        // SAFETY: the context is the other device's primary one, which is never released.
        match unsafe { enable(context, 0) } {
            0 => {}
            code if code == CUresult::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED as c_int => {}
            code => return Err(self.api.error("cuCtxEnablePeerAccess", code)),
        }
        self.peers.lock().unwrap_or_else(PoisonError::into_inner).insert(context as usize);
        Ok(())
    }

    fn disable_peer(&self, other: &dyn Driver) -> Result<()> {
        let context = context_of(other)?;
        let _bound = self.bind()?;
        self.peers.lock().unwrap_or_else(PoisonError::into_inner).remove(&(context as usize));
        // SAFETY: the context is the other device's primary one, which is never released.
        unsafe { self.shown.disable_peer(context) }
    }

    unsafe fn host_register(&self, addr: usize, bytes: usize, flags: u32) -> Result<()> {
        let _bound = self.bind()?;
        // SAFETY: the caller guarantees the memory.
        unsafe { self.shown.register(addr as *mut c_void, bytes, flags) }
    }

    unsafe fn host_unregister(&self, addr: usize) -> Result<()> {
        let _bound = self.bind()?;
        // SAFETY: the caller guarantees the memory.
        unsafe { self.shown.unregister(addr as *mut c_void) }
    }

    unsafe fn copy_from(
        &self,
        dst: u64,
        other: &dyn Driver,
        src: u64,
        bytes: usize,
        stream: StreamHandle,
    ) -> Result<()> {
        let from = context_of(other)?;
        let _bound = self.bind()?;
        // A copy within the memory that a device accesses uses more of a link than one between contexts. The memory of a
        // stream-ordered pool has access of its own: the driver rejects it here.
        if self.peers.lock().unwrap_or_else(PoisonError::into_inner).contains(&(from as usize)) {
            // SAFETY: the device accesses the other's memory; the caller guarantees the memory and the stream.
            match unsafe { self.api.copy(dst, src, bytes, stream as CUstream) } {
                Err(e) if e.status() == Some(CUresult::CUDA_ERROR_INVALID_VALUE as c_int) => {}
                done => return done,
            }
        }
        // SAFETY: both contexts are never released; the caller guarantees the memory and the stream.
        unsafe { self.shown.copy_peer(dst, self.context as CUcontext, src, from, bytes, stream as CUstream) }
    }

    unsafe fn copy_rows_from(
        &self,
        dst: u64,
        other: &dyn Driver,
        src: u64,
        rows: Rows,
        stream: StreamHandle,
    ) -> Result<bool> {
        let from = context_of(other)?;
        if !self.peers.lock().unwrap_or_else(PoisonError::into_inner).contains(&(from as usize)) {
            return Ok(false);
        }
        let _bound = self.bind()?;
        let unified = CUmemorytype::CU_MEMORYTYPE_UNIFIED;
        let copy = CUDA_MEMCPY2D {
            srcXInBytes: 0,
            srcY: 0,
            srcMemoryType: unified,
            srcHost: ptr::null(),
            srcDevice: src,
            srcArray: ptr::null_mut(),
            srcPitch: rows.pitches[1],
            dstXInBytes: 0,
            dstY: 0,
            dstMemoryType: unified,
            dstHost: ptr::null_mut(),
            dstDevice: dst,
            dstArray: ptr::null_mut(),
            dstPitch: rows.pitches[0],
            WidthInBytes: rows.width,
            Height: rows.count,
        };
        // SAFETY: the device accesses the other's memory; the caller guarantees the memory and the stream.
        match unsafe { self.shown.copy_rows(&raw const copy, stream as CUstream) } {
            // Memory of a stream-ordered pool, or a pitch that is too large.
            Err(e) if e.status() == Some(CUresult::CUDA_ERROR_INVALID_VALUE as c_int) => Ok(false),
            done => done.map(|()| true),
        }
    }

    unsafe fn upload_kept(&self, dst: u64, src: usize, bytes: usize, stream: StreamHandle) -> Result<()> {
        let _bound = self.bind()?;
        // SAFETY: the caller guarantees both ranges and the stream.
        unsafe { self.api.upload(dst, src as *const c_void, bytes, stream as CUstream) }
    }

    fn limit(&self, number: i32) -> Result<usize> {
        let _bound = self.bind()?;
        let mut value = 0;
        // SAFETY: the variable is live; the driver rejects a limit that it does not know.
        unsafe { self.shown.limit(&mut value, number) }?;
        Ok(value)
    }

    fn set_limit(&self, number: i32, value: usize) -> Result<()> {
        let _bound = self.bind()?;
        // SAFETY: the device's context is current; the driver rejects a limit that it does not know.
        unsafe { self.shown.set_limit(number, value) }
    }

    unsafe fn begin_capture(&self, stream: StreamHandle) -> Result<()> {
        let _bound = self.bind()?;
        self.cublas.prepare()?;
        self.cusolver.prepare()?;
        // SAFETY: the caller guarantees the stream.
        unsafe { self.shown.begin_capture(stream as CUstream, RELAXED) }?;
        self.captures.fetch_add(1, Ordering::AcqRel);
        Ok(())
    }

    unsafe fn end_capture(&self, stream: StreamHandle) -> Result<usize> {
        let _bound = self.bind()?;
        self.captures.fetch_sub(1, Ordering::AcqRel);
        // SAFETY: the variable is live; the caller guarantees the stream.
        let graph = created_handle(|graph| unsafe { self.shown.end_capture(stream as CUstream, graph) })?;
        if graph == 0 {
            let what = "the capture has ended early: a call in it was not allowed";
            return Err(Error::new(ErrorKind::Driver, what).with_status(901));
        }
        Ok(graph)
    }

    fn is_capturing(&self) -> bool {
        self.captures.load(Ordering::Acquire) > 0
    }

    unsafe fn begin_conditional(&self, stream: StreamHandle, flag: u64, repeats: bool) -> Result<Conditional> {
        // SAFETY: the caller guarantees stream and flag.
        unsafe { self.begin_condition(stream, flag, repeats) }
    }

    unsafe fn end_conditional(&self, node: &Conditional) -> Result<()> {
        // SAFETY: the caller guarantees the body.
        unsafe { self.end_condition(node) }
    }

    unsafe fn clone_graph(&self, graph: usize) -> Result<usize> {
        // SAFETY: the variable is live; the caller guarantees the graph.
        created_handle(|clone| unsafe { self.shown.clone_graph(clone, graph as CUgraph) })
    }

    unsafe fn destroy_graph(&self, graph: usize) -> Result<()> {
        // SAFETY: the caller guarantees the graph.
        unsafe { self.shown.destroy_graph(graph as CUgraph) }
    }

    unsafe fn graph_nodes(&self, graph: usize) -> Result<usize> {
        let mut count = 0;
        // SAFETY: without a buffer for the nodes the driver counts them; the caller guarantees the graph.
        unsafe { self.shown.graph_nodes(graph as CUgraph, ptr::null_mut(), &mut count) }?;
        Ok(count)
    }

    unsafe fn graph_dot(&self, graph: usize, flags: u32) -> Result<String> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let file = std::env::temp_dir().join(format!("cuprum-graph-{}-{number}.dot", std::process::id()));
        let io = |e: std::io::Error| Error::new(ErrorKind::Io, format!("{}: {e}", file.display()));
        let path = CString::new(file.as_os_str().as_encoded_bytes())
            .map_err(|_| Error::new(ErrorKind::Io, "the name of the folder for temporary files holds a NUL"))?;
        // SAFETY: the path ends with NUL; the caller guarantees the graph.
        unsafe { self.shown.graph_dot(graph as CUgraph, path.as_ptr(), flags) }?;
        let text = std::fs::read_to_string(&file).map_err(io)?;
        std::fs::remove_file(&file).map_err(io)?;
        Ok(text)
    }

    unsafe fn instantiate(&self, graph: usize) -> Result<usize> {
        let _bound = self.bind()?;
        // SAFETY: the variable is live; the caller guarantees the graph.
        created_handle(|instance| unsafe { self.shown.instantiate(instance, graph as CUgraph, 0) })
    }

    unsafe fn destroy_instance(&self, instance: usize) -> Result<()> {
        // SAFETY: the caller guarantees the executable graph.
        unsafe { self.shown.destroy_instance(instance as CUgraphExec) }
    }

    unsafe fn update_instance(&self, instance: usize, graph: usize) -> Result<()> {
        let _bound = self.bind()?;
        let mut result = UpdateResult { result: 0, node: ptr::null_mut(), from: ptr::null_mut() };
        // SAFETY: the variable is live; the caller guarantees both graphs.
        unsafe { self.shown.update_instance(instance as CUgraphExec, graph as CUgraph, &mut result) }.map_err(|e| {
            let why = result.result;
            Error::new(ErrorKind::Value, format!("the graphs are not of one form ({}, reason {why})", e.message()))
        })
    }

    unsafe fn upload_graph(&self, instance: usize, stream: StreamHandle) -> Result<()> {
        let _bound = self.bind()?;
        // SAFETY: the caller guarantees the graph and the stream.
        unsafe { self.shown.upload_graph(instance as CUgraphExec, stream as CUstream) }
    }

    unsafe fn launch_graph(&self, instance: usize, stream: StreamHandle) -> Result<()> {
        let _bound = self.bind()?;
        // SAFETY: the caller guarantees the graph and the stream.
        unsafe { self.shown.launch_graph(instance as CUgraphExec, stream as CUstream) }
    }

    unsafe fn ipc_memory(&self, addr: u64) -> Result<(IpcHandle, u64)> {
        // SAFETY: the caller guarantees the address.
        unsafe { self.share_memory(addr) }
    }

    fn ipc_open_memory(&self, handle: IpcHandle, flags: u32) -> Result<u64> {
        self.open_memory(handle, flags)
    }

    unsafe fn ipc_close_memory(&self, addr: u64) -> Result<()> {
        // SAFETY: the caller guarantees the address.
        unsafe { self.close_memory(addr) }
    }

    unsafe fn ipc_event(&self, event: usize) -> Result<IpcHandle> {
        // SAFETY: the caller guarantees the event.
        unsafe { self.share_event(event) }
    }

    fn ipc_open_event(&self, handle: IpcHandle) -> Result<usize> {
        self.open_event(handle)
    }

    fn profiler(&self, on: bool) -> Result<()> {
        let _bound = self.bind()?;
        // SAFETY: the device's context is current.
        unsafe { if on { self.shown.profiler_start() } else { self.shown.profiler_stop() } }
    }
}
