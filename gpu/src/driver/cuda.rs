//! CUDA device, through the driver API that is loaded at run time.
//!
//! The device's primary context is shared with CUDA's runtime, so that memory and streams of other libraries can be
//! used as they are. Errors of kernels are reported by a later call, as CUDA does; after one that ends the context,
//! every call returns it.

mod conditional;
mod ipc;
mod runtime;
mod texture;

use std::collections::BTreeSet;
use std::ffi::{CStr, CString, c_int, c_uint, c_void};
use std::net::Ipv4Addr;
use std::ptr;
use std::sync::atomic::{AtomicU32, AtomicUsize};
use std::sync::{Mutex, OnceLock, PoisonError};

use cudarc::driver::sys::{
    CUcontext, CUdevice_attribute as Attribute, CUevent, CUevent_flags, CUfunction, CUmodule, CUresult, CUstream,
};

use super::api::{self, Api};
use super::collectives::{GroupId, Membership};
use super::cublas::Cublas;
use super::cufft::Cufft;
use super::cusolver::Cusolver;
use super::nccl::{self, Marker};
use super::runtime_api::RuntimeApi;
use super::runtime_table::RuntimeTable;
use super::sparse_library::{LibraryFactors, SparseSystem};
use super::staging::{Side, Staging};
use super::{
    Dense, DeviceInfo, Driver, Fill, Function, FunctionAttribute, Gemm, LibraryPlan, Mark, Piece, StreamHandle, Take,
    Transform, Transforming, cudss, nvjitlink, nvrtc, search_paths,
};
use crate::error::{Error, ErrorKind, Result, no_kernel};

/// Maximum size of a copy from pageable memory that the driver buffers itself.
const SMALL_COPY: usize = 64 << 10;

/// A CUDA device and the libraries that are loaded for it.
#[derive(Debug)]
pub(crate) struct Cuda {
    /// Functions of the driver.
    api: &'static Api,
    /// Functions of runtime features.
    shown: &'static RuntimeTable,
    /// Properties, read once.
    info: DeviceInfo,
    /// The primary context.
    context: usize,
    /// The driver's number of the device.
    device: c_int,
    /// True if the context is the one that CUDA's runtime makes current on a thread without a context: that of the
    /// first device.
    first: bool,
    /// True if tensor cores multiply int8.
    has_byte_products: bool,
    /// Matrix products.
    cublas: Cublas,
    /// Decompositions.
    cusolver: Cusolver,
    /// Fourier transforms.
    cufft: Cufft,
    /// Pinned buffers of large copies.
    staging: Mutex<Staging>,
    /// The contexts of the devices whose memory this one accesses.
    peers: Mutex<BTreeSet<usize>>,
    /// Number of captured streams.
    captures: AtomicUsize,
    /// The kernel that sets a conditional handle in a graph.
    setter: OnceLock<Result<Function>>,
}

/// Guard for which the device's context is current on the thread; it restores the caller's context when dropped.
struct Bound<'a> {
    /// Functions of the driver.
    api: &'a Api,
    /// The caller's context, if it is a different one.
    before: Option<CUcontext>,
}

impl Drop for Bound<'_> {
    fn drop(&mut self) {
        if let Some(before) = self.before {
            // A context that the caller has destroyed meanwhile cannot be restored, and the failure cannot be reported.
            // SAFETY: the context was current when the call began; the driver rejects one that was destroyed.
            let _ = unsafe { self.api.set_context(before) };
        }
    }
}

/// Flags of pinned memory: `CU_MEMHOSTALLOC_PORTABLE` and `CU_MEMHOSTALLOC_DEVICEMAP`.
const PORTABLE: u32 = 1;
const MAPPED: u32 = 2;

/// Makes a device's context current on this thread. The current context is queried each time: another library may have
/// changed it. A thread without a context keeps the first device's: it is the one that CUDA's runtime would make
/// current.
fn bind(api: &Api, context: usize, first: bool) -> Result<Bound<'_>> {
    let mut current = ptr::null_mut();
    // SAFETY: `current` is a live variable.
    unsafe { api.current_context(&mut current) }?;
    if current as usize == context {
        return Ok(Bound { api, before: None });
    }
    // SAFETY: the device's primary context is never released.
    unsafe { api.set_context(context as CUcontext) }?;
    let before = (!current.is_null() || !first).then_some(current);
    Ok(Bound { api, before })
}

impl Cuda {
    pub(crate) fn open(ordinal: usize) -> Result<Cuda> {
        let api::Started { api, shown, devices, .. } = api::driver()?;
        if ordinal >= *devices {
            return Err(Error::new(
                ErrorKind::Driver,
                format!("there is no device cuda:{ordinal}: {devices} were found"),
            ));
        }
        let mut device = 0;
        // SAFETY: `device` is a live variable.
        unsafe { api.device(&mut device, ordinal as c_int) }?;
        let mut context = ptr::null_mut();
        // SAFETY: `context` is a live variable, and the device was found.
        unsafe { api.primary_context(&mut context, device) }?;
        let mut name = [0; 256];
        // SAFETY: the buffer has the length that is passed.
        unsafe { api.device_name(name.as_mut_ptr(), name.len() as c_int, device) }?;
        let attribute = |attribute: Attribute| -> Result<c_int> {
            let mut value = 0;
            // SAFETY: `value` is a live variable.
            unsafe { api.device_attribute(&mut value, attribute as c_int, device) }?;
            Ok(value)
        };
        let mut memory_bytes = 0;
        // SAFETY: `memory_bytes` is a live variable.
        unsafe { api.device_memory(&mut memory_bytes, device) }?;
        let major = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
        let minor = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
        search_paths::driver_is(api.cuda()?);
        // SAFETY: the driver ends the name with NUL within the buffer.
        let name = unsafe { CStr::from_ptr(name.as_ptr()) }.to_string_lossy().into_owned();
        let info = DeviceInfo {
            name,
            id: format!("cuda:{ordinal}"),
            target: nvrtc::target((major, minor))?,
            multiprocessors: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)? as u32,
            memory_bytes: memory_bytes as u64,
            l2_bytes: attribute(Attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)? as u64,
            shared_bytes: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)? as u64,
            driver: api.version()?,
        };
        let first = ordinal == 0;
        let (cublas, cusolver) = (Cublas::default(), Cusolver::default());
        let (cufft, staging, captures) = (Cufft::default(), Mutex::default(), AtomicUsize::new(0));
        let context = context as usize;
        let (setter, has_byte_products) = (OnceLock::new(), (major, minor) >= (7, 5));
        Ok(Cuda {
            api,
            shown,
            info,
            context,
            device,
            first,
            has_byte_products,
            cublas,
            cusolver,
            cufft,
            staging,
            captures,
            peers: Mutex::default(),
            setter,
        })
    }

    fn bind(&self) -> Result<Bound<'_>> {
        bind(self.api, self.context, self.first)
    }

    /// Returns memory of the host in which the device notes completed collective calls; nothing if the driver is too old
    /// for it.
    fn marker(&self) -> Result<Option<Marker>> {
        let (api, shown, context, first) = (self.api, self.shown, self.context, self.first);
        if shown.write_value.is_err() || shown.capture_state.is_err() {
            return Ok(None);
        }
        let memory = self.host_alloc(64, PORTABLE | MAPPED)?;
        // SAFETY: the driver has allocated this number of bytes, and never frees them.
        let done: &'static AtomicU32 = unsafe {
            ptr::write_bytes(memory as *mut u8, 0, 64);
            &*(memory as *const AtomicU32)
        };
        let write = move |stream: StreamHandle, number: u32| {
            let (mut state, stream) = (0, stream as CUstream);
            let _bound = bind(api, context, first)?;
            // SAFETY: the state is a live variable, the caller guarantees the stream, and the memory is never freed.
            unsafe {
                shown.capture_state(stream, &mut state)?;
                if state != 0 {
                    return Ok(false);
                }
                shown.write_value(stream, memory as u64, number, 0)?;
            }
            Ok(true)
        };
        Ok(Some(Marker { write: Box::new(write), done }))
    }

    /// Returns the device side of a copy through pinned memory.
    fn side(&self, addr: u64, stream: StreamHandle) -> Side<'_> {
        Side { api: self.api, context: self.context, addr, stream }
    }

    fn create_event(&self, flags: CUevent_flags) -> Result<usize> {
        let _bound = self.bind()?;
        let mut event = ptr::null_mut();
        // SAFETY: `event` is a live variable.
        unsafe { self.api.create_event(&mut event, flags as c_uint) }?;
        Ok(event as usize)
    }
}

impl Driver for Cuda {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn alloc(&self, bytes: usize) -> Result<u64> {
        let _bound = self.bind()?;
        let mut addr = 0;
        // SAFETY: `addr` is a live variable.
        unsafe { self.api.alloc(&mut addr, bytes) }?;
        Ok(addr)
    }

    fn free_bytes(&self) -> Result<u64> {
        let _bound = self.bind()?;
        let (mut free, mut total) = (0, 0);
        // SAFETY: both are live variables.
        unsafe { self.api.memory_info(&mut free, &mut total) }?;
        Ok(free as u64)
    }

    unsafe fn free(&self, addr: u64) -> Result<()> {
        let _bound = self.bind()?;
        // SAFETY: the caller guarantees the address.
        unsafe { self.api.free(addr) }
    }

    fn mark(&self, _: u64, _: usize, _: Mark, _: StreamHandle) -> Result<()> {
        Ok(())
    }

    unsafe fn upload(&self, dst: u64, src: &[u8], stream: StreamHandle) -> Result<()> {
        let _bound = self.bind()?;
        if src.len() <= SMALL_COPY {
            // The driver buffers so few bytes and returns immediately.
            // SAFETY: the slice holds its bytes; the caller guarantees the device's memory.
            return unsafe { self.api.upload(dst, src.as_ptr().cast(), src.len(), stream as CUstream) };
        }
        let mut staging = self.staging.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the context is current; the caller guarantees the device's memory.
        unsafe {
            staging.upload(self.side(dst, stream), src.len(), &|at, part| {
                part.copy_from_slice(&src[at..at + part.len()]);
                Ok(())
            })
        }
    }

    unsafe fn upload_from(&self, dst: u64, bytes: usize, fill: &Fill<'_>, stream: StreamHandle) -> Result<()> {
        let _bound = self.bind()?;
        let mut staging = self.staging.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the context is current; the caller guarantees the device's memory.
        unsafe { staging.upload(self.side(dst, stream), bytes, fill) }
    }

    unsafe fn download_to(&self, src: u64, bytes: usize, take: &Take<'_>, stream: StreamHandle) -> Result<()> {
        let _bound = self.bind()?;
        let mut staging = self.staging.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: as for an upload.
        unsafe { staging.download_to(self.side(src, stream), bytes, take) }?;
        nccl::check_failures(self.context)
    }

    unsafe fn download(&self, dst: &mut [u8], src: u64, stream: StreamHandle) -> Result<()> {
        let _bound = self.bind()?;
        if dst.len() > SMALL_COPY {
            let mut staging = self.staging.lock().unwrap_or_else(PoisonError::into_inner);
            // SAFETY: as for an upload.
            unsafe { staging.download(self.side(src, stream), dst) }?;
            return nccl::check_failures(self.context);
        }
        // SAFETY: the slice has room for its bytes until the stream has completed the copy, which is synchronised
        // below; the caller guarantees the device's memory.
        unsafe { self.api.download(dst.as_mut_ptr().cast(), src, dst.len(), stream as CUstream) }?;
        // SAFETY: the stream is live.
        unsafe { self.api.synchronize_stream(stream as CUstream) }?;
        nccl::check_failures(self.context)
    }

    unsafe fn copy(&self, dst: u64, src: u64, bytes: usize, stream: StreamHandle) -> Result<()> {
        let _bound = self.bind()?;
        // SAFETY: the caller guarantees both ranges.
        unsafe { self.api.copy(dst, src, bytes, stream as CUstream) }
    }

    fn link(&self, pieces: &[Piece<'_>], target: &str, options: &[String]) -> Result<Vec<u8>> {
        nvjitlink::link(pieces, target, options)
    }

    fn linker(&self) -> Result<Option<String>> {
        nvjitlink::identity().map(Some)
    }

    fn load(&self, image: &[u8]) -> Result<usize> {
        let _bound = self.bind()?;
        let mut module = ptr::null_mut();
        // The driver reads PTX up to a NUL. The size of a CUBIN is in its header.
        let ended = (image.last() != Some(&0) && !image.starts_with(b"\x7fELF")).then(|| [image, &[0]].concat());
        let image = ended.as_deref().unwrap_or(image);
        // SAFETY: `module` is a live variable; the image is a complete CUBIN, or PTX that ends with NUL.
        unsafe { self.api.load_module(&mut module, image.as_ptr().cast()) }?;
        Ok(module as usize)
    }

    fn function(&self, module: usize, name: &str) -> Result<Function> {
        let _bound = self.bind()?;
        let name = CString::new(name).map_err(|_| Error::new(ErrorKind::Value, "a kernel's name holds a NUL"))?;
        let mut function = ptr::null_mut();
        // SAFETY: `function` is a live variable, the module is loaded as long as its handle is known, and the name ends with NUL.
        unsafe { self.api.module_function(&mut function, module as CUmodule, name.as_ptr()) }.map_err(|e| {
            let error = no_kernel(&name.to_string_lossy(), &[]);
            Error::new(e.kind(), format!("{}: {}", error.message(), e.message()))
        })?;
        Ok(Function(function as usize))
    }

    fn global(&self, module: usize, name: &str) -> Result<(u64, usize)> {
        let _bound = self.bind()?;
        let text = CString::new(name).map_err(|_| Error::new(ErrorKind::Value, "a variable's name holds a NUL"))?;
        let (mut addr, mut bytes) = (0, 0);
        // SAFETY: both are live variables, the module is loaded as long as its handle is known, and the name ends with NUL.
        unsafe { self.api.module_global(&mut addr, &mut bytes, module as CUmodule, text.as_ptr()) }
            .map_err(|e| Error::new(e.kind(), format!("the module has no variable called {name}: {}", e.message())))?;
        Ok((addr, bytes))
    }

    fn host_alloc(&self, bytes: usize, flags: u32) -> Result<usize> {
        let _bound = self.bind()?;
        let mut memory = ptr::null_mut();
        // SAFETY: `memory` is a live variable.
        unsafe { self.api.alloc_pinned(&mut memory, bytes.max(1), flags) }?;
        Ok(memory as usize)
    }

    unsafe fn host_free(&self, memory: usize, _: usize) -> Result<()> {
        let _bound = self.bind()?;
        // SAFETY: the caller guarantees the memory.
        unsafe { self.api.free_pinned(memory as *mut c_void) }
    }

    fn function_attribute(&self, function: Function, attribute: FunctionAttribute) -> Result<i32> {
        let _bound = self.bind()?;
        let mut value = 0;
        // SAFETY: `value` is a live variable, and the function's module is loaded as long as the function is known.
        unsafe { self.api.function_attribute(&mut value, attribute as c_int, function.0 as CUfunction) }?;
        Ok(value)
    }

    fn set_function_attribute(&self, function: Function, attribute: FunctionAttribute, value: i32) -> Result<()> {
        let _bound = self.bind()?;
        // SAFETY: the module of a function handle is loaded.
        unsafe { self.api.set_function_attribute(function.0 as CUfunction, attribute as c_int, value) }
    }

    fn parameters(&self, function: Function) -> Result<Option<Vec<(usize, usize)>>> {
        let _bound = self.bind()?;
        // Drivers before CUDA 12.4 lack this function.
        let Ok(parameter) = &self.api.parameter else { return Ok(None) };
        let mut all = Vec::new();
        loop {
            let (mut offset, mut bytes) = (0, 0);
            // SAFETY: both are live variables, and the module of a function handle is loaded.
            match unsafe { parameter(function.0 as CUfunction, all.len(), &mut offset, &mut bytes) } {
                0 => all.push((offset, bytes)),
                // There is no parameter with this index.
                code if code == CUresult::CUDA_ERROR_INVALID_VALUE as c_int => return Ok(Some(all)),
                code => return Err(self.api.error("cuFuncGetParamInfo", code)),
            }
        }
    }

    fn max_active_blocks(&self, function: Function, threads: u32, shared: u32) -> Result<u32> {
        let _bound = self.bind()?;
        let mut count = 0;
        let (function, shared) = (function.0 as CUfunction, shared as usize);
        // SAFETY: `count` is a live variable, and the module of a function handle is loaded.
        unsafe { self.api.active_blocks(&mut count, function, threads as c_int, shared) }?;
        Ok(count.max(0) as u32)
    }

    unsafe fn launch_together(
        &self,
        function: Function,
        [[gx, gy, gz], [bx, by, bz]]: [[u32; 3]; 2],
        shared: u32,
        stream: StreamHandle,
        params: &[u8],
        offsets: &[(usize, usize)],
    ) -> Result<()> {
        let _bound = self.bind()?;
        let (function, stream) = (function.0 as CUfunction, stream as CUstream);
        let mut each: Vec<*mut c_void> =
            offsets.iter().map(|&(offset, _)| params[offset..].as_ptr().cast_mut().cast()).collect();
        let each = each.as_mut_ptr();
        // SAFETY: the driver reads each parameter at its address before it returns; the rest is guaranteed by the
        // caller.
        unsafe { self.api.launch_together(function, gx, gy, gz, bx, by, bz, shared, stream, each) }
    }

    unsafe fn unload(&self, module: usize) -> Result<()> {
        let _bound = self.bind()?;
        // SAFETY: the device's context is current.
        unsafe { self.api.synchronize() }?;
        // SAFETY: the caller guarantees the module.
        unsafe { self.api.unload_module(module as CUmodule) }
    }

    fn attribute(&self, number: i32) -> Result<i32> {
        let mut value = 0;
        // SAFETY: `value` is a live variable; the driver rejects a number that it does not know.
        unsafe { self.api.device_attribute(&mut value, number, self.device) }?;
        Ok(value)
    }

    fn pci_bus_id(&self) -> Result<String> {
        let mut id = [0; 32];
        // SAFETY: the buffer has the length that is passed.
        unsafe { self.api.pci_bus_id(id.as_mut_ptr(), id.len() as c_int, self.device) }?;
        // SAFETY: the driver ends the text with NUL within the buffer.
        Ok(unsafe { CStr::from_ptr(id.as_ptr()) }.to_string_lossy().into_owned())
    }

    unsafe fn launch(
        &self,
        function: Function,
        [gx, gy, gz]: [u32; 3],
        [bx, by, bz]: [u32; 3],
        shared: u32,
        stream: StreamHandle,
        params: &[u8],
    ) -> Result<()> {
        let _bound = self.bind()?;
        let mut size = params.len();
        // CU_LAUNCH_PARAM_BUFFER_POINTER, _BUFFER_SIZE and _END of the driver's manual.
        let mut extra: [*mut c_void; 5] = [
            ptr::without_provenance_mut(1),
            params.as_ptr().cast_mut().cast(),
            ptr::without_provenance_mut(2),
            ptr::from_mut(&mut size).cast(),
            ptr::null_mut(),
        ];
        let (function, stream) = (function.0 as CUfunction, stream as CUstream);
        let (none, extra) = (ptr::null_mut(), extra.as_mut_ptr());
        // SAFETY: the function's module is loaded as long as the function is known, the driver reads the buffer and its
        // size before it returns, and the caller guarantees the contents of the buffer.
        unsafe { self.api.launch(function, gx, gy, gz, bx, by, bz, shared, stream, none, extra) }
    }

    fn synchronize(&self) -> Result<()> {
        if self.is_capturing() {
            // The driver would reject the call, and invalidate the capture.
            return Err(Error::new(
                ErrorKind::Driver,
                "the device cannot be waited for while a stream of it is captured: wait for streams, or end the capture",
            ));
        }
        let _bound = self.bind()?;
        // SAFETY: the device's context is current.
        unsafe { self.api.synchronize() }?;
        nccl::check_failures(self.context)
    }

    fn stream_create(&self) -> Result<StreamHandle> {
        let _bound = self.bind()?;
        let mut stream = ptr::null_mut();
        // SAFETY: `stream` is a live variable.
        unsafe { self.api.create_stream(&mut stream, 0) }?;
        Ok(stream as usize)
    }

    fn stream_create_with(&self, non_blocking: bool, priority: i32) -> Result<StreamHandle> {
        let _bound = self.bind()?;
        let mut stream = ptr::null_mut();
        // SAFETY: `stream` is a live variable.
        unsafe { self.api.create_stream_with(&mut stream, c_uint::from(non_blocking), priority) }?;
        Ok(stream as usize)
    }

    unsafe fn stream_destroy(&self, stream: StreamHandle) -> Result<()> {
        let _bound = self.bind()?;
        self.cublas.forget(stream);
        self.cusolver.forget(stream);
        // SAFETY: the caller guarantees the stream.
        unsafe { self.api.destroy_stream(stream as CUstream) }
    }

    unsafe fn stream_synchronize(&self, stream: StreamHandle) -> Result<()> {
        let _bound = self.bind()?;
        // SAFETY: the caller guarantees the stream.
        unsafe { self.api.synchronize_stream(stream as CUstream) }?;
        nccl::check_failures(self.context)
    }

    unsafe fn stream_wait(&self, stream: StreamHandle, event: usize) -> Result<()> {
        let _bound = self.bind()?;
        // SAFETY: the caller guarantees the stream and the event, which may be of another CUDA device.
        unsafe { self.api.wait_event(stream as CUstream, event as CUevent, 0) }
    }

    fn takes_events_of(&self, other: &dyn Driver) -> bool {
        other.info().id.starts_with("cuda:")
    }

    fn event_create(&self) -> Result<usize> {
        self.create_event(CUevent_flags::CU_EVENT_DEFAULT)
    }

    fn event_create_untimed(&self) -> Result<usize> {
        self.create_event(CUevent_flags::CU_EVENT_DISABLE_TIMING)
    }

    unsafe fn event_destroy(&self, event: usize) -> Result<()> {
        let _bound = self.bind()?;
        // SAFETY: the caller guarantees the event.
        unsafe { self.api.destroy_event(event as CUevent) }
    }

    unsafe fn event_record(&self, event: usize, stream: StreamHandle) -> Result<()> {
        let _bound = self.bind()?;
        // SAFETY: the caller guarantees the event and the stream.
        unsafe { self.api.record_event(event as CUevent, stream as CUstream) }
    }

    unsafe fn event_query(&self, event: usize) -> Result<bool> {
        let _bound = self.bind()?;
        let query = self.api.query_event.as_ref().map_err(Clone::clone)?;
        // SAFETY: the caller guarantees the event.
        match unsafe { query(event as CUevent) } {
            0 => Ok(true),
            code if code == CUresult::CUDA_ERROR_NOT_READY as c_int => Ok(false),
            code => Err(self.api.error("cuEventQuery", code)),
        }
    }

    unsafe fn event_synchronize(&self, event: usize) -> Result<()> {
        let _bound = self.bind()?;
        // SAFETY: the caller guarantees the event.
        unsafe { self.api.synchronize_event(event as CUevent) }?;
        nccl::check_failures(self.context)
    }

    unsafe fn event_elapsed_ms(&self, start: usize, end: usize) -> Result<f32> {
        let _bound = self.bind()?;
        let mut ms = 0.0;
        // SAFETY: `ms` is a live variable; the caller guarantees the events.
        unsafe { self.api.elapsed(&mut ms, start as CUevent, end as CUevent) }?;
        Ok(ms)
    }

    unsafe fn gemm(&self, gemm: &Gemm, stream: StreamHandle) -> Result<()> {
        let _bound = self.bind()?;
        // SAFETY: a context is current; the caller guarantees the matrices.
        unsafe { self.cublas.gemm(gemm, stream) }
    }

    /// Returns about 406 cubed: at 384 both methods take about as long for int64, and tensor cores half for the others.
    /// They have int8 products since compute capability 7.5, and the library must be there.
    fn byte_products(&self) -> Option<usize> {
        (self.has_byte_products && self.cublas.api().is_ok()).then_some(1 << 26)
    }

    fn dense_workspace(&self, dense: &Dense, stream: StreamHandle) -> Result<usize> {
        let _bound = self.bind()?;
        self.cusolver.workspace(dense, stream)
    }

    unsafe fn dense(&self, dense: &Dense, workspace: (u64, usize), stream: StreamHandle) -> Result<()> {
        let _bound = self.bind()?;
        // SAFETY: a context is current; the caller guarantees the arrays.
        let perturbed = unsafe { self.cusolver.run(&self.cublas, dense, workspace, stream) }?;
        let code = 1i32;
        for info in perturbed {
            // SAFETY: as above; the driver buffers so few bytes and returns immediately.
            unsafe { self.api.upload(info, ptr::from_ref(&code).cast(), size_of_val(&code), stream as CUstream) }?;
        }
        Ok(())
    }

    fn sparse_library(&self, system: &SparseSystem) -> Result<Option<Box<dyn LibraryFactors>>> {
        if !cudss::is_installed() {
            return Ok(None);
        }
        let _bound = self.bind()?;
        Ok(Some(Box::new(cudss::CudssFactors::new(*system)?)))
    }

    fn in_context(&self, call: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        let _bound = self.bind()?;
        call()
    }

    fn group_id(&self, host: Option<Ipv4Addr>) -> Result<GroupId> {
        let _bound = self.bind()?;
        nccl::unique_id(host)
    }

    fn join(&self, id: &GroupId, size: usize, rank: usize) -> Result<Membership> {
        let _bound = self.bind()?;
        nccl::join(id, size, rank, self.context, self.marker()?)
    }

    fn begin_group(&self) -> Result<()> {
        nccl::begin_group()
    }

    fn end_group(&self) -> Result<()> {
        nccl::end_group()
    }

    fn collectives_version(&self) -> Result<i32> {
        nccl::version()
    }

    fn transforms_call_texts(&self) -> bool {
        true
    }

    fn transform_plan(&self, transform: &Transform) -> Result<LibraryPlan> {
        let _bound = self.bind()?;
        self.cufft.plan(transform, &self.info.target)
    }

    unsafe fn transform_forget(&self, plan: LibraryPlan) -> Result<()> {
        let _bound = self.bind()?;
        // SAFETY: a context is current; the caller guarantees the plan.
        unsafe { self.cufft.forget(plan) }
    }

    unsafe fn transform(&self, call: &Transforming, stream: StreamHandle) -> Result<()> {
        let _bound = self.bind()?;
        // SAFETY: a context is current; the caller guarantees the plan and the memory.
        unsafe { self.cufft.run(call, stream) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cudarc::driver::sys::CUevent;
    use std::cell::{Cell, RefCell};

    const OURS: usize = 0x10;

    thread_local! {
        /// The current context of the mock driver.
        static CURRENT: Cell<usize> = const { Cell::new(0) };
        static CALLS: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
    }

    unsafe extern "C" fn current_context(context: *mut CUcontext) -> c_int {
        // SAFETY: the variable is live.
        unsafe { *context = CURRENT.get() as CUcontext };
        0
    }

    unsafe extern "C" fn set_context(context: CUcontext) -> c_int {
        CURRENT.set(context as usize);
        CALLS.with_borrow_mut(|calls| calls.push(format!("set {:#x}", context as usize)));
        0
    }

    unsafe extern "C" fn query_event(event: CUevent) -> c_int {
        CALLS.with_borrow_mut(|calls| calls.push(format!("query under {:#x}", CURRENT.get())));
        event as usize as c_int
    }

    unsafe extern "C" fn elapsed(_: *mut f32, _: CUevent, _: CUevent) -> c_int {
        201
    }

    fn device() -> Cuda {
        let api = Api {
            current_context: Ok(current_context),
            set_context: Ok(set_context),
            query_event: Ok(query_event),
            elapsed: Ok(elapsed),
            ..Api::absent()
        };
        let info = DeviceInfo {
            name: "played".into(),
            id: "cuda:0".into(),
            target: "sm_90".into(),
            multiprocessors: 1,
            memory_bytes: 0,
            l2_bytes: 0,
            shared_bytes: 0,
            driver: "12.4".into(),
        };
        let (api, shown) = (Box::leak(Box::new(api)), Box::leak(Box::new(RuntimeTable::absent())));
        let (cublas, cusolver) = (Cublas::default(), Cusolver::default());
        let (cufft, staging, captures) = (Cufft::default(), Mutex::default(), AtomicUsize::new(0));
        let (context, setter) = (OURS, OnceLock::new());
        let has_byte_products = false;
        Cuda {
            api,
            shown,
            info,
            context,
            device: 0,
            first: false,
            has_byte_products,
            cublas,
            cusolver,
            cufft,
            staging,
            captures,
            peers: Mutex::default(),
            setter,
        }
    }

    #[test]
    fn the_context_is_asked_each_time_and_the_callers_restored() {
        let device = device();
        // No context, another library's, and, without a superfluous call, our own.
        for theirs in [0, 0x20, OURS, 0x20] {
            CURRENT.set(theirs);
            // SAFETY: the events of the mock driver are numbers.
            assert!(unsafe { device.event_query(0) }.unwrap());
            assert_eq!(CURRENT.get(), theirs);
            let query = format!("query under {OURS:#x}");
            let expected = if theirs == OURS {
                vec![query]
            } else {
                vec![format!("set {OURS:#x}"), query, format!("set {theirs:#x}")]
            };
            assert_eq!(CALLS.take(), expected);
        }
    }

    #[test]
    fn a_thread_without_a_context_keeps_the_first_devices() {
        let device = Cuda { first: true, ..device() };
        for (theirs, left) in [(0, OURS), (OURS, OURS), (0x20, 0x20)] {
            CURRENT.set(theirs);
            // SAFETY: the events of the mock driver are numbers.
            assert!(unsafe { device.event_query(0) }.unwrap());
            assert_eq!(CURRENT.get(), left);
        }
    }

    #[test]
    fn the_callers_context_is_restored_after_a_failure_too() {
        let device = device();
        CURRENT.set(0x20);
        // SAFETY: the events of the mock driver are numbers.
        let e = unsafe { device.event_elapsed_ms(0, 0) }.unwrap_err();
        assert_eq!((e.kind(), e.message()), (ErrorKind::Driver, "cuEventElapsedTime_v2 failed: code 201"));
        assert_eq!(CURRENT.get(), 0x20);
    }

    #[test]
    fn an_event_that_is_not_reached_is_no_error() {
        let device = device();
        // SAFETY: the events of the mock driver are the codes that it returns.
        let query = |code| unsafe { device.event_query(code) };
        assert!(!query(600).unwrap());
        assert_eq!(query(1).unwrap_err().message(), "cuEventQuery failed: code 1");
    }

    #[test]
    fn a_failed_kernel_is_reported_by_every_later_call() {
        let device = device();
        for _ in 0..2 {
            // SAFETY: the events of the mock driver are the codes that it returns.
            let e = unsafe { device.event_query(700) }.unwrap_err();
            assert!(e.kind() == ErrorKind::Driver && e.message().contains("code 700: a kernel has failed"), "{e}");
        }
    }
}
