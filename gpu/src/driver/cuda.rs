//! A CUDA device, through the driver API loaded at run time.

use std::cell::Cell;
use std::ffi::{CStr, CString, c_int, c_void};
use std::ptr;
use std::sync::{Mutex, OnceLock, PoisonError};

use cudarc::driver::sys::{self, CUdevice_attribute as Attribute, CUresult};

use super::{DeviceInfo, Driver, Function, Gemm, Mark, StreamHandle, cublas::Cublas, staging::Staging};
use crate::error::{Error, ErrorKind, Result};

/// Bytes that the driver copies aside by itself.
const SMALL_UPLOAD: usize = 64 << 10;

#[derive(Debug)]
pub(crate) struct Cuda {
    info: DeviceInfo,
    context: usize,
    cublas: OnceLock<Result<Cublas>>,
    staging: Mutex<Staging>,
}

thread_local! {
    /// The context that is current on this thread.
    static CURRENT: Cell<usize> = const { Cell::new(0) };
}

/// The error of a call of the driver that failed.
pub(super) fn failed(call: &str, code: CUresult) -> Error {
    let mut name = ptr::null();
    // SAFETY: the driver writes a pointer to a constant string, or nothing.
    let named = unsafe { sys::cuGetErrorName(code, &mut name) } == CUresult::CUDA_SUCCESS && !name.is_null();
    // SAFETY: the driver's string ends with NUL and lives for ever.
    let name = if named { unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned() } else { format!("{code:?}") };
    let kind = if code == CUresult::CUDA_ERROR_OUT_OF_MEMORY { ErrorKind::OutOfMemory } else { ErrorKind::Driver };
    Error::new(kind, format!("{call} failed: {name}"))
}

/// Calls a function of the driver and turns its code into a result.
macro_rules! cu {
    ($name:ident($($arg:expr),* $(,)?)) => {
        // SAFETY: every pointer is to a live variable of the type that the driver's manual names for this call, and
        // every handle came from the driver and has not been destroyed.
        match unsafe { sys::$name($($arg),*) } {
            CUresult::CUDA_SUCCESS => Ok(()),
            code => Err(failed(stringify!($name), code)),
        }
    };
}

/// How many CUDA devices there are.
///
/// # Errors
///
/// [`ErrorKind::Library`] where there is no driver, [`ErrorKind::Driver`] where it does not start.
pub(crate) fn device_count() -> Result<usize> {
    static COUNT: OnceLock<Result<usize>> = OnceLock::new();
    COUNT.get_or_init(count).clone()
}

/// Probes the driver with a loader of our own: the bindings panic where it is missing.
fn count() -> Result<usize> {
    let names = ["libcuda.so.1", "libcuda.so", "nvcuda.dll"];
    // SAFETY: loading the CUDA driver runs its initialisers, which have no preconditions.
    let Some(library) = names.iter().find_map(|n| unsafe { libloading::Library::new(*n) }.ok()) else {
        return Err(Error::new(
            ErrorKind::Library,
            format!(
                "no CUDA driver: looked for {} on the loader's path. Install NVIDIA's driver, or run on the simulator \
                 with CUPRUM_DEVICE=sim",
                names.join(", ")
            ),
        ));
    };
    // SAFETY: cuInit has had this signature since CUDA 1.
    let init = unsafe { library.get::<unsafe extern "C" fn(u32) -> i32>(b"cuInit\0") };
    let Ok(init) = init else {
        return Err(Error::new(ErrorKind::Library, "the CUDA driver that was found has no cuInit: it is a stub"));
    };
    // SAFETY: 0 is the one value that the flags may have.
    let code = unsafe { init(0) };
    if code != 0 {
        return Err(Error::new(ErrorKind::Driver, format!("cuInit failed with code {code}: no usable CUDA device")));
    }
    std::mem::forget(library);
    let mut count: c_int = 0;
    cu!(cuDeviceGetCount(&mut count))?;
    Ok(count.max(0) as usize)
}

impl Cuda {
    pub(crate) fn open(ordinal: usize) -> Result<Cuda> {
        let count = device_count()?;
        if ordinal >= count {
            return Err(Error::new(
                ErrorKind::Driver,
                format!("there is no device cuda:{ordinal}: {count} were found"),
            ));
        }
        let mut device = 0;
        cu!(cuDeviceGet(&mut device, ordinal as c_int))?;
        let mut context = ptr::null_mut();
        cu!(cuDevicePrimaryCtxRetain(&mut context, device))?;
        let mut name = [0; 256];
        cu!(cuDeviceGetName(name.as_mut_ptr(), name.len() as c_int, device))?;
        let attribute = |attribute| -> Result<c_int> {
            let mut value = 0;
            cu!(cuDeviceGetAttribute(&mut value, attribute, device))?;
            Ok(value)
        };
        let mut memory_bytes = 0;
        cu!(cuDeviceTotalMem_v2(&mut memory_bytes, device))?;
        let mut version = 0;
        cu!(cuDriverGetVersion(&mut version))?;
        let major = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
        let minor = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
        // SAFETY: the driver ends the name with NUL within the buffer.
        let name = unsafe { CStr::from_ptr(name.as_ptr()) }.to_string_lossy().into_owned();
        let info = DeviceInfo {
            name,
            id: format!("cuda:{ordinal}"),
            target: format!("sm_{major}{minor}"),
            multiprocessors: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)? as u32,
            memory_bytes: memory_bytes as u64,
            l2_bytes: attribute(Attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)? as u64,
            driver: format!("{}.{}", version / 1000, version % 1000 / 10),
        };
        Ok(Cuda { info, context: context as usize, cublas: OnceLock::new(), staging: Mutex::default() })
    }

    /// Makes the device's context current on this thread.
    fn bind(&self) -> Result<()> {
        if CURRENT.get() != self.context {
            cu!(cuCtxSetCurrent(self.context as sys::CUcontext))?;
            CURRENT.set(self.context);
        }
        Ok(())
    }
}

impl Driver for Cuda {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn alloc(&self, bytes: usize) -> Result<u64> {
        self.bind()?;
        let mut addr = 0;
        cu!(cuMemAlloc_v2(&mut addr, bytes))?;
        Ok(addr)
    }

    unsafe fn free(&self, addr: u64) -> Result<()> {
        self.bind()?;
        cu!(cuMemFree_v2(addr))
    }

    fn mark(&self, _: u64, _: usize, _: Mark, _: StreamHandle) -> Result<()> {
        Ok(())
    }

    unsafe fn upload(&self, dst: u64, src: &[u8], stream: StreamHandle) -> Result<()> {
        self.bind()?;
        if src.len() <= SMALL_UPLOAD {
            // The driver keeps a copy of so little and returns at once.
            return cu!(cuMemcpyHtoDAsync_v2(dst, src.as_ptr().cast(), src.len(), stream as sys::CUstream));
        }
        self.staging.lock().unwrap_or_else(PoisonError::into_inner).upload(dst, src, stream)
    }

    unsafe fn download(&self, dst: &mut [u8], src: u64, stream: StreamHandle) -> Result<()> {
        self.bind()?;
        cu!(cuMemcpyDtoHAsync_v2(dst.as_mut_ptr().cast(), src, dst.len(), stream as sys::CUstream))?;
        cu!(cuStreamSynchronize(stream as sys::CUstream))
    }

    unsafe fn copy(&self, dst: u64, src: u64, bytes: usize, stream: StreamHandle) -> Result<()> {
        self.bind()?;
        cu!(cuMemcpyDtoDAsync_v2(dst, src, bytes, stream as sys::CUstream))
    }

    fn load(&self, image: &[u8]) -> Result<usize> {
        self.bind()?;
        let mut module = ptr::null_mut();
        cu!(cuModuleLoadData(&mut module, image.as_ptr().cast()))?;
        Ok(module as usize)
    }

    fn function(&self, module: usize, name: &str) -> Result<Function> {
        self.bind()?;
        let name = CString::new(name).map_err(|_| Error::new(ErrorKind::Value, "a kernel's name holds a NUL"))?;
        let mut function = ptr::null_mut();
        cu!(cuModuleGetFunction(&mut function, module as sys::CUmodule, name.as_ptr()))?;
        Ok(Function(function as usize))
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
        self.bind()?;
        let mut size = params.len();
        // CU_LAUNCH_PARAM_BUFFER_POINTER, _BUFFER_SIZE and _END of the driver's manual.
        let mut extra: [*mut c_void; 5] = [
            ptr::without_provenance_mut(1),
            params.as_ptr().cast_mut().cast(),
            ptr::without_provenance_mut(2),
            ptr::from_mut(&mut size).cast(),
            ptr::null_mut(),
        ];
        cu!(cuLaunchKernel(
            function.0 as sys::CUfunction,
            gx,
            gy,
            gz,
            bx,
            by,
            bz,
            shared,
            stream as sys::CUstream,
            ptr::null_mut(),
            extra.as_mut_ptr()
        ))
    }

    fn synchronize(&self) -> Result<()> {
        self.bind()?;
        cu!(cuCtxSynchronize())
    }

    fn stream_create(&self) -> Result<StreamHandle> {
        self.bind()?;
        let mut stream = ptr::null_mut();
        cu!(cuStreamCreate(&mut stream, 0))?;
        Ok(stream as usize)
    }

    fn stream_destroy(&self, stream: StreamHandle) -> Result<()> {
        self.bind()?;
        cu!(cuStreamDestroy_v2(stream as sys::CUstream))
    }

    fn stream_synchronize(&self, stream: StreamHandle) -> Result<()> {
        self.bind()?;
        cu!(cuStreamSynchronize(stream as sys::CUstream))
    }

    fn stream_wait(&self, stream: StreamHandle, event: usize) -> Result<()> {
        self.bind()?;
        cu!(cuStreamWaitEvent(stream as sys::CUstream, event as sys::CUevent, 0))
    }

    fn event_create(&self) -> Result<usize> {
        self.bind()?;
        let mut event = ptr::null_mut();
        cu!(cuEventCreate(&mut event, 0))?;
        Ok(event as usize)
    }

    fn event_destroy(&self, event: usize) -> Result<()> {
        self.bind()?;
        cu!(cuEventDestroy_v2(event as sys::CUevent))
    }

    fn event_record(&self, event: usize, stream: StreamHandle) -> Result<()> {
        self.bind()?;
        cu!(cuEventRecord(event as sys::CUevent, stream as sys::CUstream))
    }

    fn event_synchronize(&self, event: usize) -> Result<()> {
        self.bind()?;
        cu!(cuEventSynchronize(event as sys::CUevent))
    }

    fn event_query(&self, event: usize) -> Result<bool> {
        self.bind()?;
        // SAFETY: the event came from the driver and has not been destroyed.
        match unsafe { sys::cuEventQuery(event as sys::CUevent) } {
            CUresult::CUDA_SUCCESS => Ok(true),
            CUresult::CUDA_ERROR_NOT_READY => Ok(false),
            code => Err(failed("cuEventQuery", code)),
        }
    }

    fn event_elapsed_ms(&self, start: usize, end: usize) -> Result<f32> {
        self.bind()?;
        let mut ms = 0.0;
        cu!(cuEventElapsedTime_v2(&mut ms, start as sys::CUevent, end as sys::CUevent))?;
        Ok(ms)
    }

    unsafe fn gemm(&self, gemm: &Gemm, stream: StreamHandle) -> Result<()> {
        self.bind()?;
        self.cublas.get_or_init(Cublas::open).as_ref().map_err(Clone::clone)?.gemm(gemm, stream)
    }
}
