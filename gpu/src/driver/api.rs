//! Function table of the CUDA driver, and detection of a driver.
//!
//! The driver is opened by name when a device is first requested: the library links with nothing of CUDA, and runs
//! where there is none. A function that an older driver lacks is an error of the call that needs it, not of loading.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::ptr;
use std::sync::OnceLock;

use cudarc::driver::sys::{
    CUcontext, CUdevice, CUdevice_attribute, CUdeviceptr, CUevent, CUfunction, CUmodule, CUresult, CUstream,
};
use libloading::Library;

use super::host::{DriverFacts, DriverFault};
use super::runtime_table::RuntimeTable;
use super::texture_api::TextureApi;
use super::{nvrtc, read_ahead, symbols::symbols};
use crate::error::{Error, ErrorKind, Result};

/// File names of the driver's library.
const NAMES: &[&str] = if cfg!(windows) { &["nvcuda.dll"] } else { &["libcuda.so.1", "libcuda.so"] };
/// Advice that is prefixed to an error of the driver if a device must be chosen.
pub(crate) const CHOICE: &str = "CUPRUM_DEVICE=sim chooses the simulator";

symbols! {
    /// The driver's functions.
    Api, error
    fn init(flags: c_uint) = "cuInit";
    fn driver_version(version: *mut c_int) = "cuDriverGetVersion";
    fn error_name(code: c_int, name: *mut *const c_char) = "cuGetErrorName";
    fn device_count(count: *mut c_int) = "cuDeviceGetCount";
    fn device(device: *mut CUdevice, ordinal: c_int) = "cuDeviceGet";
    fn device_name(name: *mut c_char, length: c_int, device: CUdevice) = "cuDeviceGetName";
    fn device_attribute(value: *mut c_int, attribute: c_int, device: CUdevice) = "cuDeviceGetAttribute";
    fn device_memory(bytes: *mut usize, device: CUdevice) = "cuDeviceTotalMem_v2";
    fn primary_context(context: *mut CUcontext, device: CUdevice) = "cuDevicePrimaryCtxRetain";
    fn current_context(context: *mut CUcontext) = "cuCtxGetCurrent";
    fn set_context(context: CUcontext) = "cuCtxSetCurrent";
    fn synchronize() = "cuCtxSynchronize";
    fn alloc(addr: *mut CUdeviceptr, bytes: usize) = "cuMemAlloc_v2";
    fn free(addr: CUdeviceptr) = "cuMemFree_v2";
    fn memory_info(free: *mut usize, total: *mut usize) = "cuMemGetInfo_v2";
    fn alloc_pinned(memory: *mut *mut c_void, bytes: usize, flags: c_uint) = "cuMemHostAlloc";
    fn free_pinned(memory: *mut c_void) = "cuMemFreeHost";
    fn upload(dst: CUdeviceptr, src: *const c_void, bytes: usize, stream: CUstream) = "cuMemcpyHtoDAsync_v2";
    fn download(dst: *mut c_void, src: CUdeviceptr, bytes: usize, stream: CUstream) = "cuMemcpyDtoHAsync_v2";
    fn copy(dst: CUdeviceptr, src: CUdeviceptr, bytes: usize, stream: CUstream) = "cuMemcpyDtoDAsync_v2";
    fn load_module(module: *mut CUmodule, image: *const c_void) = "cuModuleLoadData";
    fn module_function(function: *mut CUfunction, module: CUmodule, name: *const c_char) = "cuModuleGetFunction";
    fn module_global(addr: *mut CUdeviceptr, bytes: *mut usize, module: CUmodule, name: *const c_char) = "cuModuleGetGlobal_v2";
    fn function_attribute(value: *mut c_int, attribute: c_int, function: CUfunction) = "cuFuncGetAttribute";
    fn set_function_attribute(function: CUfunction, attribute: c_int, value: c_int) = "cuFuncSetAttribute";
    fn unload_module(module: CUmodule) = "cuModuleUnload";
    fn parameter(function: CUfunction, index: usize, offset: *mut usize, bytes: *mut usize) = "cuFuncGetParamInfo";
    fn active_blocks(count: *mut c_int, function: CUfunction, threads: c_int, shared: usize) = "cuOccupancyMaxActiveBlocksPerMultiprocessor";
    fn launch_together(
        function: CUfunction,
        grid_x: c_uint,
        grid_y: c_uint,
        grid_z: c_uint,
        block_x: c_uint,
        block_y: c_uint,
        block_z: c_uint,
        shared: c_uint,
        stream: CUstream,
        params: *mut *mut c_void,
    ) = "cuLaunchCooperativeKernel";
    fn pci_bus_id(id: *mut c_char, length: c_int, device: CUdevice) = "cuDeviceGetPCIBusId";
    fn create_stream_with(stream: *mut CUstream, flags: c_uint, priority: c_int) = "cuStreamCreateWithPriority";
    fn launch(
        function: CUfunction,
        grid_x: c_uint,
        grid_y: c_uint,
        grid_z: c_uint,
        block_x: c_uint,
        block_y: c_uint,
        block_z: c_uint,
        shared: c_uint,
        stream: CUstream,
        params: *mut *mut c_void,
        extra: *mut *mut c_void,
    ) = "cuLaunchKernel";
    fn create_stream(stream: *mut CUstream, flags: c_uint) = "cuStreamCreate";
    fn destroy_stream(stream: CUstream) = "cuStreamDestroy_v2";
    fn synchronize_stream(stream: CUstream) = "cuStreamSynchronize";
    fn wait_event(stream: CUstream, event: CUevent, flags: c_uint) = "cuStreamWaitEvent";
    fn create_event(event: *mut CUevent, flags: c_uint) = "cuEventCreate";
    fn destroy_event(event: CUevent) = "cuEventDestroy_v2";
    fn record_event(event: CUevent, stream: CUstream) = "cuEventRecord";
    fn query_event(event: CUevent) = "cuEventQuery";
    fn synchronize_event(event: CUevent) = "cuEventSynchronize";
    // The second version came with driver 12.8. For two events that were recorded and reached both are equivalent.
    fn elapsed(ms: *mut f32, start: CUevent, end: CUevent) = "cuEventElapsedTime_v2" | "cuEventElapsedTime";
}

/// Status codes with which the driver reports that a kernel has failed on the device, in that call and in every later
/// one: an illegal instruction or address, an assertion, a launch that timed out or failed otherwise.
const ENDS_CONTEXT: [c_int; 9] = [700, 702, 710, 714, 715, 716, 717, 718, 719];

const AFTER_A_FAULT: &str = ": a kernel has failed on the device, most likely one of the program's own, and with it every array \
                             there; each later call of this process fails. Begin anew; with CUPRUM_DEVICE=sim the simulator \
                             says which kernel it was and where";

impl Api {
    /// Returns the error of a call that failed.
    pub(super) fn error(&self, call: &str, code: c_int) -> Error {
        let mut name = ptr::null();
        let named = match &self.error_name {
            Ok(error_name) => {
                // SAFETY: the driver writes a pointer to a constant string, or null.
                let found = unsafe { error_name(code, &mut name) };
                found == 0 && !name.is_null()
            }
            Err(_) => false,
        };
        let name = if named {
            // SAFETY: the driver's string ends with NUL and is never freed.
            unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned()
        } else {
            format!("code {code}")
        };
        let full = code == CUresult::CUDA_ERROR_OUT_OF_MEMORY as c_int;
        let why = if ENDS_CONTEXT.contains(&code) { AFTER_A_FAULT } else { "" };
        let kind = if full { ErrorKind::OutOfMemory } else { ErrorKind::Driver };
        Error::new(kind, format!("{call} failed: {name}{why}")).with_status(code)
    }

    /// Returns the CUDA version of the driver.
    pub(super) fn cuda(&self) -> Result<nvrtc::Version> {
        let mut version = 0;
        // SAFETY: `version` is a live variable.
        unsafe { self.driver_version(&mut version) }?;
        Ok((version / 1000, version % 1000 / 10))
    }

    /// Returns the driver's version: `13.0`.
    pub(super) fn version(&self) -> Result<String> {
        self.cuda().map(|(major, minor)| format!("{major}.{minor}"))
    }
}

/// An initialised driver, and its number of devices.
#[derive(Debug)]
pub(super) struct Started {
    /// Functions of the driver that every device needs.
    pub(super) api: Api,
    /// Functions of runtime features.
    pub(super) shown: RuntimeTable,
    /// Functions of arrays, textures and surfaces.
    pub(super) textures: TextureApi,
    /// Number of devices.
    pub(super) devices: usize,
}

/// Returns the driver, which is loaded and initialised once.
///
/// # Errors
///
/// [`ErrorKind::Library`] if there is no driver, [`ErrorKind::Driver`] if it does not work.
pub(super) fn driver() -> Result<&'static Started> {
    static STARTED: OnceLock<Result<Started>> = OnceLock::new();
    STARTED.get_or_init(|| start(NAMES)).as_ref().map_err(Clone::clone)
}

/// Returns the number of CUDA devices; 0 if the driver reports that there is none.
///
/// # Errors
///
/// [`ErrorKind::Library`] if there is no driver, [`ErrorKind::Driver`] if it does not work.
pub(crate) fn device_count() -> Result<usize> {
    Ok(driver()?.devices)
}

/// Starts the driver, and returns what a diagnosis needs to know of it.
pub(super) fn facts() -> std::result::Result<DriverFacts, DriverFault> {
    let started = driver().map_err(|e| match (e.kind(), e.status()) {
        (ErrorKind::Library, _) => DriverFault::Absent,
        (_, None) if find(NAMES).is_err() => DriverFault::Unloadable(e.message().to_owned()),
        (_, status) => DriverFault::Failed(status, e.message().to_owned()),
    })?;
    let failed = |e: Error| DriverFault::Failed(e.status(), e.message().to_owned());
    let devices = (0..started.devices).map(|ordinal| identify(&started.api, ordinal as c_int));
    let devices = devices.collect::<Result<Vec<_>>>().map_err(failed)?;
    Ok(DriverFacts { version: started.api.cuda().map_err(failed)?, devices })
}

/// Returns the name and the compute capability of a device, without a context.
fn identify(api: &Api, ordinal: c_int) -> Result<(String, nvrtc::Version)> {
    let mut device: CUdevice = 0;
    // SAFETY: `device` is a live variable.
    unsafe { api.device(&mut device, ordinal) }?;
    let mut name = [0 as c_char; 256];
    // SAFETY: the buffer has the length that is passed.
    unsafe { api.device_name(name.as_mut_ptr(), name.len() as c_int, device) }?;
    let attribute = |which: CUdevice_attribute| {
        let mut value = 0;
        // SAFETY: `value` is a live variable.
        unsafe { api.device_attribute(&mut value, which as c_int, device) }.map(|()| value)
    };
    let major = attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
    let minor = attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
    // SAFETY: the driver ends the name with NUL within the buffer.
    let name = unsafe { CStr::from_ptr(name.as_ptr()) }.to_string_lossy().into_owned();
    Ok((name, (major, minor)))
}

fn start(names: &[&str]) -> Result<Started> {
    let library = find(names)?;
    read_ahead::start();
    // A table without a version, to query the version.
    let version = Api::resolve(&library, |name| lacking(name, "")).version().unwrap_or_else(|_| "of no version".into());
    let api = Api::resolve(&library, |name| lacking(name, &version));
    let shown = RuntimeTable::of(&library, |name| lacking(name, &version));
    let textures = TextureApi::of(&library, |name| lacking(name, &version));
    // The library stays loaded until the process ends.
    std::mem::forget(library);
    // SAFETY: 0 is the only valid value of the flags.
    if let Err(e) = unsafe { api.init(0) } {
        return if has_no_device(&api) { Ok(Started { api, shown, textures, devices: 0 }) } else { Err(broken(&e)) };
    }
    let mut count: c_int = 0;
    // SAFETY: `count` is a live variable.
    unsafe { api.device_count(&mut count) }.map_err(|e| broken(&e))?;
    Ok(Started { api, shown, textures, devices: count.max(0) as usize })
}

/// Returns true if the driver does not start because there is no device.
fn has_no_device(api: &Api) -> bool {
    // SAFETY: as in `start`; an uninitialised driver may be initialised again.
    api.init.as_ref().is_ok_and(|init| unsafe { init(0) } == CUresult::CUDA_ERROR_NO_DEVICE as c_int)
}

fn lacking(name: &str, version: &str) -> Error {
    Error::new(
        ErrorKind::Driver,
        format!("the CUDA driver {version} has no function {name}: a newer driver of NVIDIA's is needed"),
    )
}

fn broken(e: &Error) -> Error {
    let error = Error::new(ErrorKind::Driver, format!("the CUDA driver does not start: {}. {CHOICE}", e.message()));
    match e.status() {
        Some(status) => error.with_status(status),
        None => error,
    }
}

/// Loads the first library of the names.
fn find(names: &[&str]) -> Result<Library> {
    for &name in names {
        // SAFETY: loading the CUDA driver runs its initialisers, which have no preconditions.
        let e = match unsafe { Library::new(name) } {
            Ok(library) => return Ok(library),
            Err(e) => e,
        };
        // The cause contains the loader's own message.
        let why = std::error::Error::source(&e).map_or_else(|| e.to_string(), ToString::to_string);
        if !is_absent(name, &why) {
            let what = format!("the CUDA driver {name} is there, but does not load: {why}. {CHOICE}");
            return Err(Error::new(ErrorKind::Driver, what));
        }
    }
    Err(Error::new(
        ErrorKind::Library,
        format!(
            "no CUDA driver: looked for {} on the loader's path. Install NVIDIA's driver; {CHOICE}",
            names.join(", ")
        ),
    ))
}

/// Returns true if the loader's message says that the file does not exist. Any other message, or one about another
/// file, is about a library that was found.
fn is_absent(name: &str, message: &str) -> bool {
    message.contains(name) && message.to_lowercase().contains("no such file")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_driver_is_distinguished_from_one_that_does_not_load() {
        let absent = start(&["libcuprum-has-no-such-driver.so.1"]).unwrap_err();
        assert_eq!(absent.kind(), ErrorKind::Library);
        assert!(absent.message().contains("libcuprum-has-no-such-driver.so.1"), "{absent}");

        let file = std::env::temp_dir().join(format!("cuprum-no-library-{}.so", std::process::id()));
        std::fs::write(&file, "not a library").unwrap();
        let broken = start(&[file.to_str().unwrap()]).unwrap_err();
        std::fs::remove_file(&file).unwrap();
        assert_eq!(broken.kind(), ErrorKind::Driver);
        assert!(broken.message().contains("does not load") && broken.message().contains(CHOICE), "{broken}");
    }

    #[test]
    fn a_function_that_the_driver_lacks_is_an_error_that_names_it() {
        // The C library serves as a driver without any function of CUDA's.
        let library = find(&["libc.so.6"]).unwrap();
        let api = Api::resolve(&library, |name| lacking(name, "12.4"));
        // SAFETY: there is no such function, so nothing is called.
        let e = unsafe { api.synchronize() }.unwrap_err();
        assert!(e.message().contains("cuCtxSynchronize") && e.message().contains("12.4"), "{e}");
    }
}
