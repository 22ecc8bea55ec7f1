//! Matrix products on CUDA devices by cuBLAS.
//!
//! A handle has its stream for life: setting the stream of a shared one would need a lock around every call.

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use cudarc::cublas::sys::{
    cublasComputeType_t, cublasGemmAlgo_t, cublasHandle_t, cublasOperation_t, cudaDataType, cudaStream_t,
};
use cuprum_kernels::DType;
use rustc_hash::FxHashMap;

use super::cublas_api::Api;
use super::dense::{Task, Transpose};
use super::switches::switch;
use super::{Dense, Gemm, StreamHandle};
use crate::error::{Error, ErrorKind, Result};

/// cuBLAS of a device, with a handle for each stream. A failed initialisation is retried at the next call.
#[derive(Debug, Default)]
pub(super) struct Cublas {
    /// The library, loaded at the first product.
    api: OnceLock<Api>,
    /// A handle for each stream.
    handles: Mutex<Handles>,
}

/// Handles of the library, which outlive the calls.
#[derive(Debug, Default)]
struct Handles {
    /// Handle of each stream.
    of: FxHashMap<StreamHandle, usize>,
    /// Handles of destroyed streams: destroying a handle would synchronise the device.
    idle: Vec<usize>,
}

/// Aligned to the size of the largest scalar.
#[repr(align(16))]
struct Aligned<T>(T);

impl Cublas {
    fn handles(&self) -> MutexGuard<'_, Handles> {
        self.handles.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn api(&self) -> Result<&Api> {
        match self.api.get() {
            Some(api) => Ok(api),
            None => {
                let api = Api::load()?;
                Ok(self.api.get_or_init(|| api))
            }
        }
    }

    /// Returns the handle of a stream. No lock is held while it is used, since its state does not change after its
    /// creation.
    pub(super) fn handle(&self, api: &Api, stream: StreamHandle) -> Result<cublasHandle_t> {
        let mut handles = self.handles();
        if let Some(&handle) = handles.of.get(&stream) {
            return Ok(handle as cublasHandle_t);
        }
        let handle = match handles.idle.pop() {
            Some(handle) => handle as cublasHandle_t,
            None => {
                let mut handle = ptr::null_mut();
                // SAFETY: `handle` is a live variable, and the caller has a context current.
                unsafe { api.create(&mut handle) }?;
                handle
            }
        };
        // SAFETY: the handle is live and not used otherwise, and the caller's stream is live.
        if let Err(e) = unsafe { api.set_stream(handle, stream as cudaStream_t) } {
            handles.idle.push(handle as usize);
            return Err(e);
        }
        handles.of.insert(stream, handle as usize);
        Ok(handle)
    }

    /// Creates a spare handle for the next stream, if the library is in use: none can be created while a stream is
    /// captured.
    pub(super) fn prepare(&self) -> Result<()> {
        let Some(api) = self.api.get() else { return Ok(()) };
        let mut handles = self.handles();
        if handles.idle.is_empty() {
            let mut handle = ptr::null_mut();
            // SAFETY: `handle` is a live variable, and the caller has a context current.
            unsafe { api.create(&mut handle) }?;
            handles.idle.push(handle as usize);
        }
        Ok(())
    }

    /// Releases the handle of a stream that is about to be destroyed: the driver may reuse the stream's handle.
    pub(super) fn forget(&self, stream: StreamHandle) {
        let mut handles = self.handles();
        if let Some(handle) = handles.of.remove(&stream) {
            handles.idle.push(handle);
        }
    }

    /// Queues a matrix product.
    ///
    /// # Safety
    ///
    /// The device's context is current, the stream is live, and the matrices are live device memory of these sizes
    /// until the stream has completed the product.
    pub(super) unsafe fn gemm(&self, g: &Gemm, stream: StreamHandle) -> Result<()> {
        let (data, compute) = types(g.dtype, uses_tf32()?)?;
        let result = if g.dtype == DType::I8 { cudaDataType::CUDA_R_32I } else { data };
        // One and zero in the scale's type: complex128 is the largest, and the others are its leading bytes. The
        // library reads the whole scalar, which must be aligned to its 16 bytes.
        let (one64, one32, zero) = (Aligned([1.0f64, 0.0]), Aligned([1.0f32, 0.0]), Aligned([0.0f64; 2]));
        let whole = Aligned([1i32, 0]);
        let one: *const c_void = match g.dtype {
            DType::I8 => whole.0.as_ptr().cast(),
            DType::F64 | DType::C128 => one64.0.as_ptr().cast(),
            _ => one32.0.as_ptr().cast(),
        };
        let scale = if g.adds { one } else { zero.0.as_ptr().cast() };
        let operation = |t| if t { cublasOperation_t::CUBLAS_OP_T } else { cublasOperation_t::CUBLAS_OP_N };
        let api = self.api()?;
        let handle = self.handle(api, stream)?;
        if g.batch > 1 {
            // SAFETY: as below, for all matrices of the batch.
            return unsafe {
                api.gemm_of_stack(
                    handle,
                    operation(g.transpose[0]),
                    operation(g.transpose[1]),
                    g.m as i64,
                    g.n as i64,
                    g.k as i64,
                    one,
                    g.a.0 as *const c_void,
                    data,
                    g.a.1 as i64,
                    g.strides[0],
                    g.b.0 as *const c_void,
                    data,
                    g.b.1 as i64,
                    g.strides[1],
                    scale,
                    g.c.0 as *mut c_void,
                    result,
                    g.c.1 as i64,
                    g.strides[2],
                    g.batch as i64,
                    compute,
                    cublasGemmAlgo_t::CUBLAS_GEMM_DEFAULT,
                )
            };
        }
        // SAFETY: the handle is live; the caller passes live device matrices of these sizes; the scales live until the
        // call has returned, which has read them by then.
        unsafe {
            api.gemm(
                handle,
                operation(g.transpose[0]),
                operation(g.transpose[1]),
                g.m as i64,
                g.n as i64,
                g.k as i64,
                one,
                g.a.0 as *const c_void,
                data,
                g.a.1 as i64,
                g.b.0 as *const c_void,
                data,
                g.b.1 as i64,
                scale,
                g.c.0 as *mut c_void,
                result,
                g.c.1 as i64,
                compute,
                cublasGemmAlgo_t::CUBLAS_GEMM_DEFAULT,
            )
        }
    }
}

/// Returns true if `CUPRUM_TF32=1` lets tensor cores multiply float32 and complex64 with factors rounded to TF32.
fn uses_tf32() -> Result<bool> {
    static USES: OnceLock<Result<bool>> = OnceLock::new();
    USES.get_or_init(|| switch("CUPRUM_TF32")).clone()
}

/// Returns cuBLAS's types of the data and of the computation of a product.
fn types(dtype: DType, tf32: bool) -> Result<(cudaDataType, cublasComputeType_t)> {
    let single = match tf32 {
        true => cublasComputeType_t::CUBLAS_COMPUTE_32F_FAST_TF32,
        false => cublasComputeType_t::CUBLAS_COMPUTE_32F,
    };
    Ok(match dtype {
        DType::I8 => (cudaDataType::CUDA_R_8I, cublasComputeType_t::CUBLAS_COMPUTE_32I),
        DType::F16 => (cudaDataType::CUDA_R_16F, cublasComputeType_t::CUBLAS_COMPUTE_32F),
        DType::BF16 => (cudaDataType::CUDA_R_16BF, cublasComputeType_t::CUBLAS_COMPUTE_32F),
        DType::F32 => (cudaDataType::CUDA_R_32F, single),
        DType::C64 => (cudaDataType::CUDA_C_32F, single),
        DType::F64 => (cudaDataType::CUDA_R_64F, cublasComputeType_t::CUBLAS_COMPUTE_64F),
        DType::C128 => (cudaDataType::CUDA_C_64F, cublasComputeType_t::CUBLAS_COMPUTE_64F),
        other => return Err(Error::new(ErrorKind::Type, format!("cuBLAS has no product of {other}"))),
    })
}

/// Calls the function of a dtype.
macro_rules! typed {
    ($api:expr, $dtype:expr, [$s:ident, $d:ident, $c:ident, $z:ident], $($arg:expr),+ $(,)?) => {
        match $dtype {
            DType::F32 => $api.$s($($arg),+),
            DType::F64 => $api.$d($($arg),+),
            DType::C64 => $api.$c($($arg),+),
            _ => $api.$z($($arg),+),
        }
    };
}

impl Cublas {
    /// Queues a linear algebra task that cuBLAS has functions for: batched ones, and triangular systems.
    ///
    /// # Safety
    ///
    /// As [`Cublas::gemm`], for the arrays of the task; the tables of a batch have the addresses of its matrices.
    pub(super) unsafe fn dense(&self, dense: &Dense, stream: StreamHandle) -> Result<()> {
        let int = |n: usize| {
            let message = || format!("a side or a stack of {n} is more than the {} that cuBLAS takes", c_int::MAX);
            c_int::try_from(n).map_err(|_| Error::new(ErrorKind::Value, message()))
        };
        let operation = |transpose| match transpose {
            Transpose::None => cublasOperation_t::CUBLAS_OP_N,
            Transpose::Transposed => cublasOperation_t::CUBLAS_OP_T,
            Transpose::Adjoint => cublasOperation_t::CUBLAS_OP_C,
        };
        let (api, dtype) = (self.api()?, dense.dtype);
        let handle = self.handle(api, stream)?;
        let (m, n, k, batch) = (int(dense.m)?, int(dense.n)?, int(dense.k)?, int(dense.batch)?);
        let [first, second] = dense.pointers.map(|table| table as *mut c_void);
        let (pivots, info) = (dense.arrays[1] as *mut c_int, dense.info as *mut c_int);
        // The status of the arguments is returned on the host; the arguments are always valid.
        let mut wrong = 0;
        let (one64, one32) = (Aligned([1.0f64, 0.0]), Aligned([1.0f32, 0.0]));
        let wide = matches!(dtype, DType::F64 | DType::C128);
        let one: *const c_void = if wide { one64.0.as_ptr().cast() } else { one32.0.as_ptr().cast() };
        // SAFETY: guaranteed by the caller; the scale and `wrong` live until the call has returned.
        unsafe {
            match dense.task {
                Task::Getrf => {
                    typed!(api, dtype, [sgetrf, dgetrf, cgetrf, zgetrf], handle, n, first, n, pivots, info, batch,)
                }
                Task::Getrs { transpose } => typed!(
                    api,
                    dtype,
                    [sgetrs, dgetrs, cgetrs, zgetrs],
                    handle,
                    operation(transpose),
                    n,
                    k,
                    first,
                    n,
                    pivots,
                    second,
                    n,
                    &mut wrong,
                    batch,
                ),
                Task::Getri => typed!(
                    api,
                    dtype,
                    [sgetri, dgetri, cgetri, zgetri],
                    handle,
                    n,
                    first,
                    n,
                    pivots,
                    second,
                    n,
                    info,
                    batch,
                ),
                Task::Geqrf => typed!(
                    api,
                    dtype,
                    [sgeqrf, dgeqrf, cgeqrf, zgeqrf],
                    handle,
                    m,
                    n,
                    first,
                    m,
                    second,
                    &mut wrong,
                    batch,
                ),
                Task::Trsm { upper, transpose, unit } if batch > 1 => typed!(
                    api,
                    dtype,
                    [strsm_of_stack, dtrsm_of_stack, ctrsm_of_stack, ztrsm_of_stack],
                    handle,
                    0,
                    upper.into(),
                    operation(transpose),
                    unit.into(),
                    n,
                    k,
                    one,
                    first,
                    n,
                    second,
                    n,
                    batch,
                ),
                Task::Trsm { upper, transpose, unit } => typed!(
                    api,
                    dtype,
                    [strsm, dtrsm, ctrsm, ztrsm],
                    handle,
                    0,
                    upper.into(),
                    operation(transpose),
                    unit.into(),
                    n,
                    k,
                    one,
                    dense.arrays[0] as *const c_void,
                    n,
                    dense.arrays[1] as *mut c_void,
                    n,
                ),
                other => Err(Error::new(ErrorKind::Driver, format!("cuBLAS has no function for {other:?}"))),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::{Cell, RefCell};

    thread_local! {
        /// The number of times that `create` still fails, and the calls that were made.
        static FAILURES: Cell<usize> = const { Cell::new(0) };
        static CALLS: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
        static MADE: Cell<usize> = const { Cell::new(0) };
    }

    fn note(call: String) {
        CALLS.with_borrow_mut(|calls| calls.push(call));
    }

    unsafe extern "C" fn create(handle: *mut cublasHandle_t) -> c_int {
        if FAILURES.get() > 0 {
            FAILURES.set(FAILURES.get() - 1);
            return 1;
        }
        MADE.set(MADE.get() + 1);
        note(format!("create {}", MADE.get()));
        // SAFETY: the handle is a live variable.
        unsafe { *handle = MADE.get() as cublasHandle_t };
        0
    }

    unsafe extern "C" fn set_stream(handle: cublasHandle_t, stream: cudaStream_t) -> c_int {
        note(format!("set {} to {}", handle as usize, stream as usize));
        0
    }

    fn fake() -> Cublas {
        let api = Api { create: Ok(create), set_stream: Ok(set_stream), ..Api::absent() };
        Cublas { api: OnceLock::from(api), handles: Mutex::default() }
    }

    #[test]
    fn a_handle_that_could_not_be_made_is_made_at_the_next_call() {
        let cublas = fake();
        FAILURES.set(2);
        for _ in 0..2 {
            let e = cublas.handle(cublas.api().unwrap(), 0).unwrap_err();
            assert_eq!((e.kind(), e.message()), (ErrorKind::Driver, "cublasCreate_v2 failed: code 1, not initialized"));
        }
        assert_eq!(cublas.handle(cublas.api().unwrap(), 0).unwrap() as usize, 1);
    }

    #[test]
    fn each_stream_has_a_handle_and_leaves_it_to_the_next() {
        let cublas = fake();
        let handle = |stream| cublas.handle(cublas.api().unwrap(), stream).unwrap() as usize;
        assert_eq!([handle(0), handle(70), handle(0), handle(70)], [1, 2, 1, 2]);
        cublas.forget(70);
        assert_eq!(handle(80), 2);
        assert_eq!(CALLS.take(), ["create 1", "set 1 to 0", "create 2", "set 2 to 70", "set 2 to 80"]);
    }

    #[test]
    fn tf32_changes_the_arithmetic_of_single_precision_alone() {
        use cublasComputeType_t::*;
        for dtype in [DType::I8, DType::F16, DType::BF16, DType::F32, DType::C64, DType::F64, DType::C128] {
            let [(data, exact), (of_tf32, fast)] = [false, true].map(|tf32| types(dtype, tf32).unwrap());
            assert_eq!(data, of_tf32);
            match dtype {
                DType::F32 | DType::C64 => {
                    assert_eq!((exact, fast), (CUBLAS_COMPUTE_32F, CUBLAS_COMPUTE_32F_FAST_TF32), "{dtype}");
                }
                _ => assert_eq!(exact, fast, "{dtype}"),
            }
        }
        assert_eq!(types(DType::Bool, true).unwrap_err().kind(), ErrorKind::Type);
    }

    #[test]
    fn a_function_that_the_library_lacks_is_an_error_that_names_it() {
        let cublas = fake();
        let gemm = Gemm {
            dtype: DType::F32,
            transpose: [false; 2],
            m: 1,
            n: 1,
            k: 1,
            a: (0, 1),
            b: (0, 1),
            c: (0, 1),
            batch: 1,
            strides: [0; 3],
            adds: false,
        };
        // SAFETY: there is no function that could read the matrices.
        let e = unsafe { cublas.gemm(&gemm, 0) }.unwrap_err();
        assert!(e.message().contains("cublasGemmEx_64"), "{e}");
    }
}
