//! Function table of the CUDA driver for runtime features: host functions, pools, managed memory, peers, graphs.
//!
//! Structures are those of the driver's header; fields at their ends that older drivers lack are zero.

use std::ffi::{c_char, c_int, c_longlong, c_uint, c_ulonglong, c_ushort, c_void};
use std::ptr;

use cudarc::driver::sys::{
    CUDA_MEMCPY2D, CUcontext, CUdevice, CUdeviceptr, CUevent, CUgraph, CUgraphExec, CUgraphNode, CUipcEventHandle,
    CUipcMemHandle, CUmemoryPool, CUstream,
};

use super::api;
use super::symbols::symbols;
use crate::error::{Error, ErrorKind};

/// `CUmemLocation`: the location of memory.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(super) struct Location {
    pub(super) kind: c_int,
    pub(super) id: c_int,
}

impl Location {
    const DEVICE: c_int = 1;
    const HOST: c_int = 2;

    /// Returns a device by its number; the host is -1.
    pub(super) fn of(device: i32) -> Location {
        if device < 0 {
            Location { kind: Location::HOST, id: 0 }
        } else {
            Location { kind: Location::DEVICE, id: device }
        }
    }
}

/// `CUmemPoolProps`, as of CUDA 12.6; fields that an older driver does not know are zero.
#[repr(C)]
#[derive(Debug)]
pub(super) struct PoolProps {
    pub(super) kind: c_int,
    pub(super) handles: c_int,
    pub(super) location: Location,
    pub(super) security: *mut c_void,
    pub(super) most: usize,
    pub(super) usage: c_ushort,
    pub(super) reserved: [u8; 54],
}

impl PoolProps {
    /// Returns the properties of pinned memory of a device, which is not shared with other processes.
    pub(super) fn of(device: c_int) -> PoolProps {
        PoolProps {
            kind: 1,
            handles: 0,
            location: Location::of(device),
            security: ptr::null_mut(),
            most: 0,
            usage: 0,
            reserved: [0; 54],
        }
    }
}

/// `CUgraphExecUpdateResultInfo`.
#[repr(C)]
#[derive(Debug)]
pub(super) struct UpdateResult {
    pub(super) result: c_int,
    pub(super) node: *mut c_void,
    pub(super) from: *mut c_void,
}

/// `CUgraphNodeParams` of a conditional node.
#[repr(C)]
#[derive(Debug)]
pub(super) struct ConditionalNode {
    kind: c_int,
    reserved: [c_int; 3],
    handle: u64,
    repeats: c_int,
    size: c_uint,
    /// The graphs of the bodies, which the driver creates.
    pub(super) graphs: *mut CUgraph,
    context: CUcontext,
    rest: [c_longlong; 25],
    reserved_too: c_longlong,
}

impl ConditionalNode {
    /// `CU_GRAPH_NODE_TYPE_CONDITIONAL`.
    const KIND: c_int = 13;

    /// Creates the parameters of a node with one body: of type `CU_GRAPH_COND_TYPE_IF`, or `CU_GRAPH_COND_TYPE_WHILE`.
    pub(super) fn new(handle: u64, repeats: bool, context: CUcontext) -> ConditionalNode {
        ConditionalNode {
            kind: ConditionalNode::KIND,
            reserved: [0; 3],
            handle,
            repeats: c_int::from(repeats),
            size: 1,
            graphs: ptr::null_mut(),
            context,
            rest: [0; 25],
            reserved_too: 0,
        }
    }
}

symbols! {
    /// The driver's functions.
    RuntimeTable, error
    fn query_stream(stream: CUstream) = "cuStreamQuery";
    fn priorities(least: *mut c_int, greatest: *mut c_int) = "cuCtxGetStreamPriorityRange";
    fn host_call(
        stream: CUstream,
        call: unsafe extern "C" fn(*mut c_void),
        data: *mut c_void
    ) = "cuLaunchHostFunc";
    fn usual_pool(pool: *mut CUmemoryPool, device: CUdevice) = "cuDeviceGetDefaultMemPool";
    fn current_pool(pool: *mut CUmemoryPool, device: CUdevice) = "cuDeviceGetMemPool";
    fn set_current_pool(device: CUdevice, pool: CUmemoryPool) = "cuDeviceSetMemPool";
    fn create_pool(pool: *mut CUmemoryPool, props: *const PoolProps) = "cuMemPoolCreate";
    fn destroy_pool(pool: CUmemoryPool) = "cuMemPoolDestroy";
    fn trim_pool(pool: CUmemoryPool, keep: usize) = "cuMemPoolTrimTo";
    fn pool_attribute(pool: CUmemoryPool, attribute: c_int, value: *mut c_void) = "cuMemPoolGetAttribute";
    fn set_pool_attribute(pool: CUmemoryPool, attribute: c_int, value: *mut c_void) = "cuMemPoolSetAttribute";
    fn alloc_from_pool(addr: *mut CUdeviceptr, bytes: usize, pool: CUmemoryPool, stream: CUstream) = "cuMemAllocFromPoolAsync";
    fn free_async(addr: CUdeviceptr, stream: CUstream) = "cuMemFreeAsync";
    fn alloc_managed(addr: *mut CUdeviceptr, bytes: usize, flags: c_uint) = "cuMemAllocManaged";
    // The variants with a memory location, which distinguish the host from a device, came with driver 12.2.
    fn advise_at(addr: CUdeviceptr, bytes: usize, advice: c_int, to: Location) = "cuMemAdvise_v2";
    fn prefetch_to(addr: CUdeviceptr, bytes: usize, to: Location, flags: c_uint, stream: CUstream) = "cuMemPrefetchAsync_v2";
    fn advise(addr: CUdeviceptr, bytes: usize, advice: c_int, device: CUdevice) = "cuMemAdvise";
    fn prefetch(addr: CUdeviceptr, bytes: usize, device: CUdevice, stream: CUstream) = "cuMemPrefetchAsync";
    fn reaches(yes: *mut c_int, device: CUdevice, peer: CUdevice) = "cuDeviceCanAccessPeer";
    fn enable_peer(context: CUcontext, flags: c_uint) = "cuCtxEnablePeerAccess";
    fn disable_peer(context: CUcontext) = "cuCtxDisablePeerAccess";
    fn register(addr: *mut c_void, bytes: usize, flags: c_uint) = "cuMemHostRegister_v2";
    fn unregister(addr: *mut c_void) = "cuMemHostUnregister";
    fn copy_peer(
        dst: CUdeviceptr,
        to: CUcontext,
        src: CUdeviceptr,
        from: CUcontext,
        bytes: usize,
        stream: CUstream
    ) = "cuMemcpyPeerAsync";
    fn copy_rows(rows: *const CUDA_MEMCPY2D, stream: CUstream) = "cuMemcpy2DAsync_v2";
    fn limit(value: *mut usize, limit: c_int) = "cuCtxGetLimit";
    fn set_limit(limit: c_int, value: usize) = "cuCtxSetLimit";
    fn begin_capture(stream: CUstream, mode: c_int) = "cuStreamBeginCapture_v2";
    fn capture_state(stream: CUstream, status: *mut c_int) = "cuStreamIsCapturing";
    fn write_value(stream: CUstream, addr: CUdeviceptr, value: c_uint, flags: c_uint) = "cuStreamWriteValue32_v2";
    fn end_capture(stream: CUstream, graph: *mut CUgraph) = "cuStreamEndCapture";
    // Conditional nodes came with driver 12.3.
    fn capture_info(
        stream: CUstream,
        status: *mut c_int,
        id: *mut c_ulonglong,
        graph: *mut CUgraph,
        nodes: *mut *const CUgraphNode,
        count: *mut usize
    ) = "cuStreamGetCaptureInfo_v2";
    fn follow_in_capture(stream: CUstream, nodes: *mut CUgraphNode, count: usize, flags: c_uint) = "cuStreamUpdateCaptureDependencies";
    fn condition_handle(
        handle: *mut u64,
        graph: CUgraph,
        context: CUcontext,
        value: c_uint,
        flags: c_uint
    ) = "cuGraphConditionalHandleCreate";
    fn add_node(
        node: *mut CUgraphNode,
        graph: CUgraph,
        after: *const CUgraphNode,
        count: usize,
        params: *mut ConditionalNode
    ) = "cuGraphAddNode";
    fn capture_to(
        stream: CUstream,
        graph: CUgraph,
        after: *const CUgraphNode,
        data: *const c_void,
        count: usize,
        mode: c_int
    ) = "cuStreamBeginCaptureToGraph";
    fn clone_graph(clone: *mut CUgraph, graph: CUgraph) = "cuGraphClone";
    fn destroy_graph(graph: CUgraph) = "cuGraphDestroy";
    fn graph_nodes(graph: CUgraph, nodes: *mut c_void, count: *mut usize) = "cuGraphGetNodes";
    fn graph_dot(graph: CUgraph, path: *const c_char, flags: c_uint) = "cuGraphDebugDotPrint";
    fn instantiate(instance: *mut CUgraphExec, graph: CUgraph, flags: c_ulonglong) = "cuGraphInstantiateWithFlags";
    fn destroy_instance(instance: CUgraphExec) = "cuGraphExecDestroy";
    fn update_instance(instance: CUgraphExec, graph: CUgraph, result: *mut UpdateResult) = "cuGraphExecUpdate_v2";
    fn upload_graph(instance: CUgraphExec, stream: CUstream) = "cuGraphUpload";
    fn launch_graph(instance: CUgraphExec, stream: CUstream) = "cuGraphLaunch";
    fn ipc_memory(handle: *mut CUipcMemHandle, addr: CUdeviceptr) = "cuIpcGetMemHandle";
    fn ipc_open_memory(addr: *mut CUdeviceptr, handle: CUipcMemHandle, flags: c_uint) = "cuIpcOpenMemHandle_v2";
    fn ipc_close_memory(addr: CUdeviceptr) = "cuIpcCloseMemHandle";
    fn ipc_event(handle: *mut CUipcEventHandle, event: CUevent) = "cuIpcGetEventHandle";
    fn ipc_open_event(event: *mut CUevent, handle: CUipcEventHandle) = "cuIpcOpenEventHandle";
    fn address_range(base: *mut CUdeviceptr, bytes: *mut usize, addr: CUdeviceptr) = "cuMemGetAddressRange_v2";
    fn profiler_start() = "cuProfilerStart";
    fn profiler_stop() = "cuProfilerStop";
}

impl RuntimeTable {
    /// Looks the functions up in the driver.
    pub(super) fn of(library: &libloading::Library, absent: impl Fn(&str) -> Error) -> RuntimeTable {
        RuntimeTable::resolve(library, absent)
    }

    /// Returns the error of a call that failed.
    pub(super) fn error(&self, call: &str, code: c_int) -> Error {
        match api::driver() {
            Ok(started) => started.api.error(call, code),
            Err(_) => Error::new(ErrorKind::Driver, format!("{call} failed: code {code}")),
        }
    }
}
