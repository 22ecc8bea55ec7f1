//! Matrix products on HIP devices by rocBLAS, and its handles, which rocSOLVER uses as well. Compiled, never run.
//!
//! A handle has its stream for life: setting the stream of a shared one would need a lock around every call.

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::{Mutex, OnceLock, PoisonError};

use cuprum_kernels::DType;
use rustc_hash::FxHashMap;

use super::api::Pointer;
use super::rocm;
use crate::driver::dense::Transpose;
use crate::driver::symbols::symbols;
use crate::driver::{Gemm, StreamHandle};
use crate::error::{Error, ErrorKind, Result};

/// Triangular solve of a dtype: side, triangle, operation, diagonal, sizes, scale, matrices with their leading dimensions
/// and distances, batch.
macro_rules! rocblas {
    ($($trsm:ident = $symbol:literal),+) => {
        symbols! {
            /// The functions of rocBLAS.
            Api, error
            fn create(handle: *mut Pointer) = "rocblas_create_handle";
            fn set_stream(handle: Pointer, stream: Pointer) = "rocblas_set_stream";
            fn set_atomics(handle: Pointer, mode: c_int) = "rocblas_set_atomics_mode";
            fn gemm(
                handle: Pointer,
                transpose_a: c_int,
                transpose_b: c_int,
                m: c_int,
                n: c_int,
                k: c_int,
                alpha: *const c_void,
                a: Pointer,
                a_type: c_int,
                lda: c_int,
                a_stride: i64,
                b: Pointer,
                b_type: c_int,
                ldb: c_int,
                b_stride: i64,
                beta: *const c_void,
                c: Pointer,
                c_type: c_int,
                ldc: c_int,
                c_stride: i64,
                d: Pointer,
                d_type: c_int,
                ldd: c_int,
                d_stride: i64,
                batch: c_int,
                compute: c_int,
                algorithm: c_int,
                solution: i32,
                flags: u32,
            ) = "rocblas_gemm_strided_batched_ex";
            $(fn $trsm(
                handle: Pointer,
                side: c_int,
                triangle: c_int,
                transpose: c_int,
                diagonal: c_int,
                m: c_int,
                n: c_int,
                alpha: *const c_void,
                a: Pointer,
                lda: c_int,
                a_stride: i64,
                b: Pointer,
                ldb: c_int,
                b_stride: i64,
                batch: c_int,
            ) = $symbol;)+
        }
    };
}

rocblas!(
    strsm = "rocblas_strsm_strided_batched",
    dtrsm = "rocblas_dtrsm_strided_batched",
    ctrsm = "rocblas_ctrsm_strided_batched",
    ztrsm = "rocblas_ztrsm_strided_batched"
);

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

pub(super) use typed;

/// `rocblas_side_left`.
pub(super) const LEFT: c_int = 141;
/// `rocblas_atomics_not_allowed`: without it, results may differ from call to call.
const NO_ATOMICS: c_int = 0;

/// Returns `rocblas_operation` of a matrix operand.
pub(super) fn operation(transpose: Transpose) -> c_int {
    match transpose {
        Transpose::None => 111,
        Transpose::Transposed => 112,
        Transpose::Adjoint => 113,
    }
}

/// Returns `rocblas_fill` of a triangle.
pub(super) fn triangle(upper: bool) -> c_int {
    if upper { 121 } else { 122 }
}

/// Returns `rocblas_diagonal`.
pub(super) fn diagonal(unit: bool) -> c_int {
    if unit { 132 } else { 131 }
}

/// Returns an error for another code than that of success. The codes are those of rocSOLVER as well.
pub(super) fn error(call: &str, code: c_int) -> Error {
    let meaning = match code {
        1 => "invalid handle",
        2 => "not implemented",
        3 => "invalid pointer",
        4 => "invalid size",
        5 => "allocation failed",
        6 => "internal error",
        11 => "invalid value",
        14 => "left out of this build",
        15 => "not made for this architecture",
        _ => "unknown",
    };
    let kind = if code == 5 { ErrorKind::OutOfMemory } else { ErrorKind::Driver };
    Error::new(kind, format!("{call} failed: code {code}, {meaning}"))
}

/// Converts a size that the libraries take in 32 bits.
pub(super) fn int(n: usize) -> Result<c_int> {
    c_int::try_from(n).map_err(|_| {
        let what = format!("a side or a batch of {n} is more than the {} that rocBLAS and rocSOLVER take", c_int::MAX);
        Error::new(ErrorKind::Value, what)
    })
}

impl Api {
    fn error(&self, call: &str, code: c_int) -> Error {
        error(call, code)
    }
}

/// rocBLAS of a device, with a handle for each stream. A failed initialisation is retried at the next call.
#[derive(Debug, Default)]
pub(super) struct Rocblas {
    /// The library, loaded at the first product.
    pub(super) api: OnceLock<Api>,
    /// Handle of each stream, and those of destroyed ones, which are used again.
    handles: Mutex<(FxHashMap<StreamHandle, usize>, Vec<usize>)>,
}

impl Rocblas {
    pub(super) fn api(&self) -> Result<&Api> {
        match self.api.get() {
            Some(api) => Ok(api),
            None => {
                let api = rocm::ROCBLAS.functions(|library, absent| Api::resolve(library, absent))?;
                Ok(self.api.get_or_init(|| api))
            }
        }
    }

    /// Returns the handle of a stream.
    pub(super) fn handle(&self, stream: StreamHandle) -> Result<Pointer> {
        let api = self.api()?;
        let mut handles = self.handles.lock().unwrap_or_else(PoisonError::into_inner);
        let (of, idle) = &mut *handles;
        if let Some(&handle) = of.get(&stream) {
            return Ok(handle as Pointer);
        }
        let handle = match idle.pop() {
            Some(handle) => handle as Pointer,
            None => {
                let mut handle = ptr::null_mut();
                // SAFETY: `handle` is a live variable, and the caller has the device current.
                unsafe {
                    api.create(&mut handle)?;
                    api.set_atomics(handle, NO_ATOMICS)?;
                }
                handle
            }
        };
        // SAFETY: the handle is live and not used otherwise, and the caller's stream is live.
        if let Err(e) = unsafe { api.set_stream(handle, stream as Pointer) } {
            idle.push(handle as usize);
            return Err(e);
        }
        of.insert(stream, handle as usize);
        Ok(handle)
    }

    /// Releases the handle of a stream that is about to be destroyed.
    pub(super) fn forget(&self, stream: StreamHandle) {
        let mut handles = self.handles.lock().unwrap_or_else(PoisonError::into_inner);
        let (of, idle) = &mut *handles;
        idle.extend(of.remove(&stream));
    }

    /// Queues a matrix product.
    ///
    /// # Safety
    ///
    /// The device is current, the stream is live, and the matrices are live device memory of these sizes until the stream
    /// has completed the product.
    pub(super) unsafe fn gemm(&self, g: &Gemm, stream: StreamHandle) -> Result<()> {
        let (data, compute) = types(g.dtype)?;
        // One and zero in the type of the computation, of which complex128 is the largest.
        let (one64, one32, zero) = ([1.0_f64, 0.0], [1.0_f32, 0.0], [0.0_f64; 2]);
        let one: *const c_void = match g.dtype {
            DType::F64 | DType::C128 => one64.as_ptr().cast(),
            _ => one32.as_ptr().cast(),
        };
        let scale = if g.adds { one } else { zero.as_ptr().cast() };
        let transpose = |t| operation(if t { Transpose::Transposed } else { Transpose::None });
        let [a, b, c] = [g.a, g.b, g.c].map(|(addr, leading)| (addr as Pointer, leading));
        let (lda, ldb, ldc) = (int(a.1)?, int(b.1)?, int(c.1)?);
        let handle = self.handle(stream)?;
        // SAFETY: the handle is live; the caller passes live device matrices of these sizes; the scales live until the
        // call has returned, which has read them by then.
        unsafe {
            self.api()?.gemm(
                handle,
                transpose(g.transpose[0]),
                transpose(g.transpose[1]),
                int(g.m)?,
                int(g.n)?,
                int(g.k)?,
                one,
                a.0,
                data,
                lda,
                g.strides[0],
                b.0,
                data,
                ldb,
                g.strides[1],
                scale,
                c.0,
                data,
                ldc,
                g.strides[2],
                c.0,
                data,
                ldc,
                g.strides[2],
                int(g.batch)?,
                compute,
                0,
                0,
                0,
            )
        }
    }
}

/// Returns `rocblas_datatype` of the data and of the computation of a product.
fn types(dtype: DType) -> Result<(c_int, c_int)> {
    const F32: c_int = 151;
    Ok(match dtype {
        DType::F16 => (150, F32),
        DType::BF16 => (168, F32),
        DType::F32 => (F32, F32),
        DType::F64 => (152, 152),
        DType::C64 => (154, 154),
        DType::C128 => (155, 155),
        other => return Err(Error::new(ErrorKind::Type, format!("rocBLAS has no product of {other}"))),
    })
}
