//! Function table of AMD's HIP runtime, and its start. Compiled, never run.
//!
//! The runtime is opened by name when a HIP device is first requested. Handles are pointers here, and enumerations
//! integers. Codes of errors are those of CUDA where both have them.

use std::ffi::{c_char, c_int, c_uint, c_ulonglong, c_void};
use std::sync::OnceLock;

use super::rocm;
use crate::driver::symbols::symbols;
use crate::error::{Error, ErrorKind, Result};

/// A handle, or an address of the host or the device.
pub(super) type Pointer = *mut c_void;

symbols! {
    /// The functions of the HIP runtime.
    Api, error
    fn init(flags: c_uint) = "hipInit";
    fn runtime_version(version: *mut c_int) = "hipRuntimeGetVersion";
    fn device_count(count: *mut c_int) = "hipGetDeviceCount";
    fn device_name(name: *mut c_char, length: c_int, device: c_int) = "hipDeviceGetName";
    fn device_attribute(value: *mut c_int, attribute: c_int, device: c_int) = "hipDeviceGetAttribute";
    fn device_memory(bytes: *mut usize, device: c_int) = "hipDeviceTotalMem";
    // The second one, of ROCm before 6.0, has another structure; see `architecture`.
    fn properties(properties: Pointer, device: c_int) = "hipGetDevicePropertiesR0600" | "hipGetDeviceProperties";
    fn pci_bus_id(id: *mut c_char, length: c_int, device: c_int) = "hipDeviceGetPCIBusId";
    fn device(device: *mut c_int) = "hipGetDevice";
    fn set_device(device: c_int) = "hipSetDevice";
    fn synchronize() = "hipDeviceSynchronize";
    fn alloc(addr: *mut Pointer, bytes: usize) = "hipMalloc";
    fn free(addr: Pointer) = "hipFree";
    fn memory_info(free: *mut usize, total: *mut usize) = "hipMemGetInfo";
    fn alloc_pinned(memory: *mut Pointer, bytes: usize, flags: c_uint) = "hipHostMalloc";
    fn free_pinned(memory: Pointer) = "hipHostFree";
    fn register(memory: Pointer, bytes: usize, flags: c_uint) = "hipHostRegister";
    fn unregister(memory: Pointer) = "hipHostUnregister";
    fn alloc_managed(addr: *mut Pointer, bytes: usize, flags: c_uint) = "hipMallocManaged";
    fn advise(addr: Pointer, bytes: usize, advice: c_int, device: c_int) = "hipMemAdvise";
    fn prefetch(addr: Pointer, bytes: usize, device: c_int, stream: Pointer) = "hipMemPrefetchAsync";
    fn upload(dst: Pointer, src: *const c_void, bytes: usize, stream: Pointer) = "hipMemcpyHtoDAsync";
    fn download(dst: Pointer, src: Pointer, bytes: usize, stream: Pointer) = "hipMemcpyDtoHAsync";
    fn copy(dst: Pointer, src: Pointer, bytes: usize, stream: Pointer) = "hipMemcpyDtoDAsync";
    fn copy_peer(dst: Pointer, to: c_int, src: Pointer, from: c_int, bytes: usize, stream: Pointer) = "hipMemcpyPeerAsync";
    fn reaches(yes: *mut c_int, device: c_int, peer: c_int) = "hipDeviceCanAccessPeer";
    fn enable_peer(peer: c_int, flags: c_uint) = "hipDeviceEnablePeerAccess";
    fn disable_peer(peer: c_int) = "hipDeviceDisablePeerAccess";
    fn limit(value: *mut usize, limit: c_int) = "hipDeviceGetLimit";
    fn set_limit(limit: c_int, value: usize) = "hipDeviceSetLimit";
    fn load_module(module: *mut Pointer, image: *const c_void) = "hipModuleLoadData";
    fn unload_module(module: Pointer) = "hipModuleUnload";
    fn module_function(function: *mut Pointer, module: Pointer, name: *const c_char) = "hipModuleGetFunction";
    fn module_global(addr: *mut Pointer, bytes: *mut usize, module: Pointer, name: *const c_char) = "hipModuleGetGlobal";
    fn function_attribute(value: *mut c_int, attribute: c_int, function: Pointer) = "hipFuncGetAttribute";
    fn active_blocks(
        count: *mut c_int,
        function: Pointer,
        threads: c_int,
        shared: usize,
    ) = "hipModuleOccupancyMaxActiveBlocksPerMultiprocessor";
    fn launch(
        function: Pointer,
        grid_x: c_uint,
        grid_y: c_uint,
        grid_z: c_uint,
        block_x: c_uint,
        block_y: c_uint,
        block_z: c_uint,
        shared: c_uint,
        stream: Pointer,
        params: *mut Pointer,
        extra: *mut Pointer,
    ) = "hipModuleLaunchKernel";
    fn create_stream(stream: *mut Pointer, flags: c_uint, priority: c_int) = "hipStreamCreateWithPriority";
    fn priorities(least: *mut c_int, greatest: *mut c_int) = "hipDeviceGetStreamPriorityRange";
    fn destroy_stream(stream: Pointer) = "hipStreamDestroy";
    fn synchronize_stream(stream: Pointer) = "hipStreamSynchronize";
    fn query_stream(stream: Pointer) = "hipStreamQuery";
    fn wait_event(stream: Pointer, event: Pointer, flags: c_uint) = "hipStreamWaitEvent";
    fn host_call(stream: Pointer, call: unsafe extern "C" fn(Pointer), data: Pointer) = "hipLaunchHostFunc";
    fn create_event(event: *mut Pointer, flags: c_uint) = "hipEventCreateWithFlags";
    fn destroy_event(event: Pointer) = "hipEventDestroy";
    fn record_event(event: Pointer, stream: Pointer) = "hipEventRecord";
    fn query_event(event: Pointer) = "hipEventQuery";
    fn synchronize_event(event: Pointer) = "hipEventSynchronize";
    fn elapsed(ms: *mut f32, start: Pointer, end: Pointer) = "hipEventElapsedTime";
    fn usual_pool(pool: *mut Pointer, device: c_int) = "hipDeviceGetDefaultMemPool";
    fn current_pool(pool: *mut Pointer, device: c_int) = "hipDeviceGetMemPool";
    fn set_current_pool(device: c_int, pool: Pointer) = "hipDeviceSetMemPool";
    fn trim_pool(pool: Pointer, keep: usize) = "hipMemPoolTrimTo";
    fn pool_attribute(pool: Pointer, attribute: c_int, value: Pointer) = "hipMemPoolGetAttribute";
    fn set_pool_attribute(pool: Pointer, attribute: c_int, value: Pointer) = "hipMemPoolSetAttribute";
    fn alloc_from_pool(addr: *mut Pointer, bytes: usize, pool: Pointer, stream: Pointer) = "hipMallocFromPoolAsync";
    fn free_async(addr: Pointer, stream: Pointer) = "hipFreeAsync";
    fn begin_capture(stream: Pointer, mode: c_int) = "hipStreamBeginCapture";
    fn end_capture(stream: Pointer, graph: *mut Pointer) = "hipStreamEndCapture";
    fn clone_graph(clone: *mut Pointer, graph: Pointer) = "hipGraphClone";
    fn destroy_graph(graph: Pointer) = "hipGraphDestroy";
    fn graph_nodes(graph: Pointer, nodes: Pointer, count: *mut usize) = "hipGraphGetNodes";
    fn instantiate(instance: *mut Pointer, graph: Pointer, flags: c_ulonglong) = "hipGraphInstantiateWithFlags";
    fn destroy_instance(instance: Pointer) = "hipGraphExecDestroy";
    fn update_instance(
        instance: Pointer,
        graph: Pointer,
        node: *mut Pointer,
        result: *mut c_int,
    ) = "hipGraphExecUpdate";
    fn upload_graph(instance: Pointer, stream: Pointer) = "hipGraphUpload";
    fn launch_graph(instance: Pointer, stream: Pointer) = "hipGraphLaunch";
}

/// The code of an operation that has not completed.
pub(super) const NOT_READY: c_int = 600;
/// The code of access to a peer that is enabled already.
pub(super) const PEER_ENABLED: c_int = 704;
const OUT_OF_MEMORY: c_int = 2;
const NO_DEVICE: c_int = 100;

/// Codes of the runtime, in words.
const MEANINGS: &[(c_int, &str)] = &[
    (1, "invalid value"),
    (OUT_OF_MEMORY, "out of memory"),
    (3, "not initialized"),
    (9, "invalid configuration"),
    (35, "the driver is too old for this ROCm"),
    (98, "invalid device function"),
    (NO_DEVICE, "no device is detected"),
    (101, "invalid device"),
    (200, "invalid image"),
    (209, "the code has no kernel for this device"),
    (400, "invalid handle"),
    (500, "not found"),
    (NOT_READY, "not ready"),
    (700, "illegal address: a kernel has failed on the device, and each later call of this process fails"),
    (701, "a launch needs more resources than the device has"),
    (PEER_ENABLED, "access to the peer is enabled already"),
    (705, "access to the peer is not enabled"),
    (710, "an assertion has failed in a kernel, and each later call of this process fails"),
    (712, "the host memory is registered already"),
    (713, "the host memory is not registered"),
    (719, "a launch has failed on the device, and each later call of this process fails"),
    (801, "not supported by HIP"),
    (900, "not permitted while the stream is captured"),
    (901, "the capture has ended early: a call in it was not allowed"),
    (910, "the graphs differ in more than an update can change"),
];

impl Api {
    /// Returns the error of a call that failed.
    pub(super) fn error(&self, call: &str, code: c_int) -> Error {
        let meaning = MEANINGS.iter().find(|(known, _)| *known == code).map_or("unknown", |(_, meaning)| meaning);
        let kind = if code == OUT_OF_MEMORY { ErrorKind::OutOfMemory } else { ErrorKind::Driver };
        Error::new(kind, format!("{call} failed: code {code}, {meaning}")).with_status(code)
    }

    /// Returns the version of the runtime: `6.2`. Its number has five digits for the patch and two for the minor version.
    pub(super) fn version(&self) -> Result<String> {
        let mut version = 0;
        // SAFETY: `version` is a live variable.
        unsafe { self.runtime_version(&mut version) }?;
        Ok(format!("{}.{}", version / 10_000_000, version / 100_000 % 100))
    }

    /// Returns the architecture of a device without its features: `gfx90a`.
    pub(super) fn architecture(&self, device: c_int) -> Result<String> {
        // The structure and its size differ from version to version; the text is the only one in it that begins with
        // "gfx", after the name of the device, which has 256 bytes. The buffer is several times the known sizes.
        const NAME: usize = 256;
        let mut properties = vec![0_u64; 2048];
        // SAFETY: the buffer is larger than the structure of every version.
        unsafe { self.properties(properties.as_mut_ptr().cast(), device) }?;
        let bytes: Vec<u8> = properties.iter().flat_map(|word| word.to_ne_bytes()).skip(NAME).collect();
        let at = bytes.windows(3).position(|text| text == b"gfx").ok_or_else(|| {
            Error::new(
                ErrorKind::Driver,
                format!("HIP {} names no architecture of hip:{device}", self.version_or_none()),
            )
        })?;
        let end = bytes[at..].iter().position(|b| !b.is_ascii_alphanumeric()).unwrap_or(0);
        Ok(String::from_utf8_lossy(&bytes[at..at + end]).into_owned())
    }

    fn version_or_none(&self) -> String {
        self.version().unwrap_or_else(|_| "of no version".into())
    }
}

/// Returns the runtime and its number of devices. It is loaded and initialised once.
///
/// # Errors
///
/// [`ErrorKind::Library`] if there is no runtime, [`ErrorKind::Driver`] if it does not start.
pub(super) fn runtime() -> Result<&'static (Api, usize)> {
    static STARTED: OnceLock<Result<(Api, usize)>> = OnceLock::new();
    STARTED
        .get_or_init(|| start(rocm::HIP.functions(|library, absent| Api::resolve(library, absent))?))
        .as_ref()
        .map_err(Clone::clone)
}

/// Initialises a runtime, and returns it with its number of devices; 0 if it reports that there is none.
pub(super) fn start(api: Api) -> Result<(Api, usize)> {
    let mut count = 0;
    // SAFETY: 0 is the only valid value of the flags, and `count` is a live variable.
    let started = unsafe { api.init(0).and_then(|()| api.device_count(&mut count)) };
    match started {
        Ok(()) => Ok((api, count.max(0) as usize)),
        Err(e) if matches!(e.status(), Some(NO_DEVICE | 101)) => Ok((api, 0)),
        Err(e) => Err(Error::new(
            ErrorKind::Driver,
            format!("the HIP runtime does not start: {}. CUPRUM_DEVICE=sim chooses the simulator", e.message()),
        )),
    }
}
