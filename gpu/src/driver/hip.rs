//! HIP device: an AMD GPU, through the runtime that is loaded when such a device is opened. Compiled, never run.
//!
//! Kernels are translated and compiled by hipRTC, or taken from archives that clang has compiled. Wavefronts must have 64
//! lanes, on which the translation runs two warps. Copies from pageable memory have completed when a call returns.
//! Linked device code, textures, cooperative launches, conditional nodes of graphs, collective operations and memory of
//! other processes are errors.

mod api;
mod attributes;
mod blas;
mod fft;
mod hiprtc;
mod rocm;
mod runtime;
mod solver;
#[cfg(test)]
mod tests;

use std::ffi::{CStr, CString, c_int, c_uint};
use std::ptr;
use std::sync::atomic::AtomicUsize;

use cuprum_kernels::DType;

use self::api::{Api, NOT_READY, Pointer};
use self::blas::Rocblas;
use self::fft::Hipfft;
use self::solver::Rocsolver;
use super::archive::Request;
use super::nvrtc::Image;
use super::runtime_api::created_handle;
use super::texture::Textures;
use super::{
    Dense, DeviceInfo, Driver, Function, FunctionAttribute, Gemm, LibraryPlan, Mark, Piece, StreamHandle, Transform,
    Transforming,
};
use crate::error::{Error, ErrorKind, Result, no_kernel};

pub(super) use self::hiprtc::identity;

/// The end of a name of a HIP device, and of everything that shows it.
const LABEL: &str = "HIP: compiled, never run";

/// Largest shared memory of a block, which needs no permission as on CUDA devices.
const SHARED: i32 = 64 << 10;

/// An AMD GPU and the libraries that are loaded for it.
#[derive(Debug)]
pub(crate) struct Hip {
    /// Functions of the runtime.
    api: &'static Api,
    /// Properties, read once.
    info: DeviceInfo,
    /// The runtime's number of the device.
    device: c_int,
    /// Matrix products, and the handles of the streams.
    rocblas: Rocblas,
    /// Decompositions.
    rocsolver: Rocsolver,
    /// Fourier transforms.
    hipfft: Hipfft,
    /// Number of captured streams.
    captures: AtomicUsize,
}

/// Guard for which the device is current on the thread; it restores the caller's device when dropped.
struct Bound<'a> {
    api: &'a Api,
    /// The caller's device, if it is a different one.
    before: Option<c_int>,
}

impl Drop for Bound<'_> {
    fn drop(&mut self) {
        if let Some(before) = self.before {
            // The failure cannot be reported.
            // SAFETY: the device was current when the call began.
            let _ = unsafe { self.api.set_device(before) };
        }
    }
}

/// Returns the number of HIP devices.
///
/// # Errors
///
/// [`ErrorKind::Library`] if there is no runtime, [`ErrorKind::Driver`] if it does not start.
pub(super) fn device_count() -> Result<usize> {
    Ok(api::runtime()?.1)
}

/// Returns the version of the runtime.
pub(super) fn version() -> Result<String> {
    api::runtime()?.0.version()
}

/// Compiles a source by hipRTC.
pub(super) fn compile(request: &Request, target: &str) -> Result<Image> {
    let Request { name, text, options, expressions } = request;
    hiprtc::hiprtc()?.compiled(text, name, target, options, expressions)
}

/// Returns the error for a feature that HIP devices lack.
fn lacking(what: &str) -> Error {
    Error::new(ErrorKind::NotImplemented, format!("HIP devices do not have {what}: use a CUDA device"))
}

fn c_string(name: &str, what: &str) -> Result<CString> {
    CString::new(name).map_err(|_| Error::new(ErrorKind::Value, format!("a {what}'s name holds a NUL")))
}

impl Hip {
    /// Opens a device of the runtime.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Library`] if there is no runtime, [`ErrorKind::Driver`] if there is no such device, or if its
    /// wavefronts do not have 64 lanes.
    pub(crate) fn open(ordinal: usize) -> Result<Hip> {
        let (api, devices) = api::runtime()?;
        Hip::of(api, *devices, ordinal)
    }

    fn of(api: &'static Api, devices: usize, ordinal: usize) -> Result<Hip> {
        if ordinal >= devices {
            let what = format!("there is no device hip:{ordinal}: {devices} were found");
            return Err(Error::new(ErrorKind::Driver, what));
        }
        let device = ordinal as c_int;
        let attribute = |number| {
            let mut value = 0;
            // SAFETY: `value` is a live variable.
            unsafe { api.device_attribute(&mut value, number, device) }.map(|()| value)
        };
        let (mut name, mut memory_bytes) = ([0; 256], 0);
        // SAFETY: the buffer has the length that is passed, and `memory_bytes` is a live variable.
        unsafe {
            api.device_name(name.as_mut_ptr(), name.len() as c_int, device)?;
            api.device_memory(&mut memory_bytes, device)?;
        }
        // SAFETY: the runtime ends the name with NUL within the buffer.
        let name = unsafe { CStr::from_ptr(name.as_ptr()) }.to_string_lossy().into_owned();
        let (target, lanes) = (api.architecture(device)?, attribute(attributes::WAVEFRONT)?);
        if lanes != 64 {
            let what = format!(
                "hip:{ordinal}, {name} ({target}), has wavefronts of {lanes} lanes: kernels are translated for 64, as those \
                 of gfx90a and gfx942"
            );
            return Err(Error::new(ErrorKind::Driver, what));
        }
        let info = DeviceInfo {
            name: format!("{name} ({LABEL})"),
            id: format!("hip:{ordinal}"),
            target,
            multiprocessors: attribute(attributes::MULTIPROCESSORS)? as u32,
            memory_bytes: memory_bytes as u64,
            l2_bytes: attribute(attributes::L2_BYTES)? as u64,
            shared_bytes: attribute(attributes::SHARED_BYTES)? as u64,
            driver: format!("HIP {}", api.version()?),
        };
        let (rocblas, rocsolver, hipfft) = (Rocblas::default(), Rocsolver::default(), Hipfft::default());
        Ok(Hip { api, info, device, rocblas, rocsolver, hipfft, captures: AtomicUsize::new(0) })
    }

    /// Makes the device current on this thread. The current one is queried each time: another library may have changed
    /// it.
    fn bind(&self) -> Result<Bound<'_>> {
        let (api, mut before) = (self.api, 0);
        // SAFETY: `before` is a live variable.
        unsafe { api.device(&mut before) }?;
        if before == self.device {
            return Ok(Bound { api, before: None });
        }
        // SAFETY: the device was found.
        unsafe { api.set_device(self.device) }?;
        Ok(Bound { api, before: Some(before) })
    }

    /// Returns true for success, false for work that has not completed.
    fn is_complete(&self, call: &str, code: c_int) -> Result<bool> {
        match code {
            0 => Ok(true),
            NOT_READY => Ok(false),
            code => Err(self.api.error(call, code)),
        }
    }
}

impl Textures for Hip {}

impl Driver for Hip {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn alloc(&self, bytes: usize) -> Result<u64> {
        let _bound = self.bind()?;
        // SAFETY: the variable is live.
        created_handle(|addr| unsafe { self.api.alloc(addr, bytes) }).map(|addr| addr as u64)
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
        unsafe { self.api.free(addr as Pointer) }
    }

    fn mark(&self, _: u64, _: usize, _: Mark, _: StreamHandle) -> Result<()> {
        Ok(())
    }

    unsafe fn upload(&self, dst: u64, src: &[u8], stream: StreamHandle) -> Result<()> {
        let _bound = self.bind()?;
        // The runtime may read pageable memory after the call has returned: hence the synchronisation.
        // SAFETY: the slice holds its bytes until the copy has completed; the caller guarantees the device's memory.
        unsafe {
            self.api.upload(dst as Pointer, src.as_ptr().cast(), src.len(), stream as Pointer)?;
            self.api.synchronize_stream(stream as Pointer)
        }
    }

    unsafe fn download(&self, dst: &mut [u8], src: u64, stream: StreamHandle) -> Result<()> {
        let _bound = self.bind()?;
        // SAFETY: the slice has room for its bytes until the copy has completed; the caller guarantees the device's memory.
        unsafe {
            self.api.download(dst.as_mut_ptr().cast(), src as Pointer, dst.len(), stream as Pointer)?;
            self.api.synchronize_stream(stream as Pointer)
        }
    }

    unsafe fn copy(&self, dst: u64, src: u64, bytes: usize, stream: StreamHandle) -> Result<()> {
        let _bound = self.bind()?;
        // SAFETY: the caller guarantees both ranges.
        unsafe { self.api.copy(dst as Pointer, src as Pointer, bytes, stream as Pointer) }
    }

    fn load(&self, image: &[u8]) -> Result<usize> {
        let _bound = self.bind()?;
        // SAFETY: the variable is live; the image is a complete code object, whose header has its size.
        created_handle(|module| unsafe { self.api.load_module(module, image.as_ptr().cast()) })
    }

    fn link(&self, _: &[Piece<'_>], _: &str, _: &[String]) -> Result<Vec<u8>> {
        Err(lacking("a linker of device code"))
    }

    fn linker(&self) -> Result<Option<String>> {
        Err(lacking("a linker of device code"))
    }

    fn function(&self, module: usize, name: &str) -> Result<Function> {
        let _bound = self.bind()?;
        let text = c_string(name, "kernel")?;
        // SAFETY: the variable is live, the module is loaded as long as its handle is known, and the name ends with NUL.
        created_handle(|function| unsafe { self.api.module_function(function, module as Pointer, text.as_ptr()) })
            .map(Function)
            .map_err(|e| Error::new(e.kind(), format!("{}: {}", no_kernel(name, &[]).message(), e.message())))
    }

    fn global(&self, module: usize, name: &str) -> Result<(u64, usize)> {
        let _bound = self.bind()?;
        let (text, mut bytes) = (c_string(name, "variable")?, 0);
        // SAFETY: as for a function.
        created_handle(|addr| unsafe { self.api.module_global(addr, &mut bytes, module as Pointer, text.as_ptr()) })
            .map(|addr| (addr as u64, bytes))
            .map_err(|e| Error::new(e.kind(), format!("the module has no variable called {name}: {}", e.message())))
    }

    fn host_alloc(&self, bytes: usize, flags: u32) -> Result<usize> {
        let _bound = self.bind()?;
        // SAFETY: the variable is live; the flags have CUDA's numbers.
        created_handle(|memory| unsafe { self.api.alloc_pinned(memory, bytes.max(1), flags) })
    }

    unsafe fn host_free(&self, memory: usize, _: usize) -> Result<()> {
        let _bound = self.bind()?;
        // SAFETY: the caller guarantees the memory.
        unsafe { self.api.free_pinned(memory as Pointer) }
    }

    fn function_attribute(&self, function: Function, attribute: FunctionAttribute) -> Result<i32> {
        let _bound = self.bind()?;
        let mut value = 0;
        // SAFETY: `value` is a live variable, and the function's module is loaded; attributes have CUDA's numbers.
        unsafe { self.api.function_attribute(&mut value, attribute as c_int, function.0 as Pointer) }?;
        Ok(value)
    }

    fn set_function_attribute(&self, _: Function, attribute: FunctionAttribute, value: i32) -> Result<()> {
        match attribute {
            // A launch may use all of it.
            FunctionAttribute::MaxDynamicSharedSizeBytes if value <= SHARED => Ok(()),
            _ => Err(lacking(&format!("{attribute:?} of {value} for a kernel"))),
        }
    }

    fn max_active_blocks(&self, function: Function, threads: u32, shared: u32) -> Result<u32> {
        let _bound = self.bind()?;
        let mut count = 0;
        // SAFETY: `count` is a live variable, and the module of a function handle is loaded.
        unsafe { self.api.active_blocks(&mut count, function.0 as Pointer, threads as c_int, shared as usize) }?;
        Ok(count.max(0) as u32)
    }

    unsafe fn launch_together(
        &self,
        _: Function,
        _: [[u32; 3]; 2],
        _: u32,
        _: StreamHandle,
        _: &[u8],
        _: &[(usize, usize)],
    ) -> Result<()> {
        Err(lacking("cooperative launches"))
    }

    unsafe fn unload(&self, module: usize) -> Result<()> {
        let _bound = self.bind()?;
        // SAFETY: the device is current; the caller guarantees the module.
        unsafe {
            self.api.synchronize()?;
            self.api.unload_module(module as Pointer)
        }
    }

    fn attribute(&self, number: i32) -> Result<i32> {
        let hip = attributes::number(number).ok_or_else(|| lacking(&format!("the attribute {number}")))?;
        let mut value = 0;
        // SAFETY: `value` is a live variable.
        unsafe { self.api.device_attribute(&mut value, hip, self.device) }?;
        Ok(value)
    }

    fn pci_bus_id(&self) -> Result<String> {
        let mut id = [0; 64];
        // SAFETY: the buffer has the length that is passed.
        unsafe { self.api.pci_bus_id(id.as_mut_ptr(), id.len() as c_int, self.device) }?;
        // SAFETY: the runtime ends the text with NUL within the buffer.
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
        // HIP_LAUNCH_PARAM_BUFFER_POINTER, _BUFFER_SIZE and _END; the last one is not CUDA's.
        let mut extra: [Pointer; 5] = [
            ptr::without_provenance_mut(1),
            params.as_ptr().cast_mut().cast(),
            ptr::without_provenance_mut(2),
            ptr::from_mut(&mut size).cast(),
            ptr::without_provenance_mut(3),
        ];
        let (function, stream) = (function.0 as Pointer, stream as Pointer);
        let (none, extra) = (ptr::null_mut(), extra.as_mut_ptr());
        // SAFETY: the function's module is loaded as long as the function is known, the runtime reads the buffer and its
        // size before it returns, and the caller guarantees the contents of the buffer.
        unsafe { self.api.launch(function, gx, gy, gz, bx, by, bz, shared, stream, none, extra) }
    }

    fn synchronize(&self) -> Result<()> {
        let _bound = self.bind()?;
        // SAFETY: the device is current.
        unsafe { self.api.synchronize() }
    }

    fn stream_create(&self) -> Result<StreamHandle> {
        self.stream_create_with(false, 0)
    }

    fn stream_create_with(&self, non_blocking: bool, priority: i32) -> Result<StreamHandle> {
        let _bound = self.bind()?;
        // SAFETY: the variable is live.
        created_handle(|stream| unsafe { self.api.create_stream(stream, c_uint::from(non_blocking), priority) })
    }

    unsafe fn stream_destroy(&self, stream: StreamHandle) -> Result<()> {
        let _bound = self.bind()?;
        self.rocblas.forget(stream);
        // SAFETY: the caller guarantees the stream.
        unsafe { self.api.destroy_stream(stream as Pointer) }
    }

    unsafe fn stream_synchronize(&self, stream: StreamHandle) -> Result<()> {
        let _bound = self.bind()?;
        // SAFETY: the caller guarantees the stream.
        unsafe { self.api.synchronize_stream(stream as Pointer) }
    }

    unsafe fn stream_wait(&self, stream: StreamHandle, event: usize) -> Result<()> {
        let _bound = self.bind()?;
        // SAFETY: the caller guarantees stream and event, which may be of another HIP device.
        unsafe { self.api.wait_event(stream as Pointer, event as Pointer, 0) }
    }

    fn takes_events_of(&self, other: &dyn Driver) -> bool {
        other.info().id.starts_with("hip:")
    }

    fn event_create(&self) -> Result<usize> {
        self.create_event(0)
    }

    fn event_create_untimed(&self) -> Result<usize> {
        const DISABLE_TIMING: c_uint = 2;
        self.create_event(DISABLE_TIMING)
    }

    unsafe fn event_destroy(&self, event: usize) -> Result<()> {
        let _bound = self.bind()?;
        // SAFETY: the caller guarantees the event.
        unsafe { self.api.destroy_event(event as Pointer) }
    }

    unsafe fn event_record(&self, event: usize, stream: StreamHandle) -> Result<()> {
        let _bound = self.bind()?;
        // SAFETY: the caller guarantees event and stream.
        unsafe { self.api.record_event(event as Pointer, stream as Pointer) }
    }

    unsafe fn event_query(&self, event: usize) -> Result<bool> {
        let _bound = self.bind()?;
        let query = self.api.query_event.as_ref().map_err(Clone::clone)?;
        // SAFETY: the caller guarantees the event.
        self.is_complete("hipEventQuery", unsafe { query(event as Pointer) })
    }

    unsafe fn event_synchronize(&self, event: usize) -> Result<()> {
        let _bound = self.bind()?;
        // SAFETY: the caller guarantees the event.
        unsafe { self.api.synchronize_event(event as Pointer) }
    }

    unsafe fn event_elapsed_ms(&self, start: usize, end: usize) -> Result<f32> {
        let _bound = self.bind()?;
        let mut ms = 0.0;
        // SAFETY: `ms` is a live variable; the caller guarantees the events.
        unsafe { self.api.elapsed(&mut ms, start as Pointer, end as Pointer) }?;
        Ok(ms)
    }

    unsafe fn gemm(&self, gemm: &Gemm, stream: StreamHandle) -> Result<()> {
        let _bound = self.bind()?;
        // SAFETY: the device is current; the caller guarantees the matrices.
        unsafe { self.rocblas.gemm(gemm, stream) }
    }

    fn pivot_dtype(&self, _: usize, _: usize, _: usize) -> DType {
        DType::I32
    }

    fn dense_workspace(&self, dense: &Dense, _: StreamHandle) -> Result<usize> {
        Ok(solver::workspace(dense))
    }

    unsafe fn dense(&self, dense: &Dense, workspace: (u64, usize), stream: StreamHandle) -> Result<()> {
        let _bound = self.bind()?;
        // SAFETY: the device is current; the caller guarantees the arrays.
        unsafe { self.rocsolver.run(&self.rocblas, dense, workspace.0, stream) }
    }

    fn in_context(&self, call: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        let _bound = self.bind()?;
        call()
    }

    fn transforms_call_texts(&self) -> bool {
        false
    }

    fn transform_plan(&self, transform: &Transform) -> Result<LibraryPlan> {
        let _bound = self.bind()?;
        self.hipfft.plan(transform)
    }

    unsafe fn transform_forget(&self, plan: LibraryPlan) -> Result<()> {
        let _bound = self.bind()?;
        // SAFETY: the caller guarantees the plan.
        unsafe { self.hipfft.forget(plan) }
    }

    unsafe fn transform(&self, call: &Transforming, stream: StreamHandle) -> Result<()> {
        let _bound = self.bind()?;
        // SAFETY: the device is current; the caller guarantees the plan and the memory.
        unsafe { self.hipfft.run(call, stream) }
    }
}
