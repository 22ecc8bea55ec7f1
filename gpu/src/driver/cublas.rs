//! Matrix products of CUDA devices, by cuBLAS.

use std::ffi::c_void;
use std::ptr;
use std::sync::Mutex;

use cudarc::cublas::sys::{
    self, cublasComputeType_t, cublasGemmAlgo_t, cublasOperation_t, cublasStatus_t, cudaDataType,
};
use cuprum_kernels::DType;

use super::{Gemm, StreamHandle};
use crate::error::{Error, ErrorKind, Result};

/// A handle of cuBLAS. The stream is a property of the handle, so a call holds the lock while it is queued.
#[derive(Debug)]
pub(super) struct Cublas(Mutex<usize>);

fn check(call: &str, status: cublasStatus_t) -> Result<()> {
    match status {
        cublasStatus_t::CUBLAS_STATUS_SUCCESS => Ok(()),
        other => Err(Error::new(ErrorKind::Driver, format!("{call} failed: {other:?}"))),
    }
}

impl Cublas {
    pub(super) fn open() -> Result<Cublas> {
        // SAFETY: loading cuBLAS runs its initialisers, which have no preconditions.
        if !unsafe { sys::is_culib_present() } {
            return Err(Error::new(
                ErrorKind::Library,
                "cuBLAS is missing: looked for libcublas.so.13 and .so.12 on the loader's path. It is part of the CUDA \
                 toolkit; `pip install nvidia-cublas` and LD_LIBRARY_PATH serve as well",
            ));
        }
        let mut handle = ptr::null_mut();
        // SAFETY: `handle` is a live variable; a context is current.
        check("cublasCreate", unsafe { sys::cublasCreate_v2(&mut handle) })?;
        Ok(Cublas(Mutex::new(handle as usize)))
    }

    pub(super) fn gemm(&self, g: &Gemm, stream: StreamHandle) -> Result<()> {
        let (data, compute) = match g.dtype {
            DType::F16 => (cudaDataType::CUDA_R_16F, cublasComputeType_t::CUBLAS_COMPUTE_32F),
            DType::BF16 => (cudaDataType::CUDA_R_16BF, cublasComputeType_t::CUBLAS_COMPUTE_32F),
            DType::F32 => (cudaDataType::CUDA_R_32F, cublasComputeType_t::CUBLAS_COMPUTE_32F),
            DType::C64 => (cudaDataType::CUDA_C_32F, cublasComputeType_t::CUBLAS_COMPUTE_32F),
            DType::F64 => (cudaDataType::CUDA_R_64F, cublasComputeType_t::CUBLAS_COMPUTE_64F),
            DType::C128 => (cudaDataType::CUDA_C_64F, cublasComputeType_t::CUBLAS_COMPUTE_64F),
            other => return Err(Error::new(ErrorKind::Type, format!("cuBLAS has no product of {other}"))),
        };
        // One and zero in the scale's type: complex128 is the largest, and the others are its beginning.
        let (one64, one32, zero) = ([1.0f64, 0.0], [1.0f32, 0.0], [0.0f64; 2]);
        let wide = matches!(g.dtype, DType::F64 | DType::C128);
        let one: *const c_void = if wide { one64.as_ptr().cast() } else { one32.as_ptr().cast() };
        let operation = |t| if t { cublasOperation_t::CUBLAS_OP_T } else { cublasOperation_t::CUBLAS_OP_N };
        let handle = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let handle = *handle as sys::cublasHandle_t;
        // SAFETY: the handle is live and the stream one of the driver's.
        check("cublasSetStream", unsafe { sys::cublasSetStream_v2(handle, stream as sys::cudaStream_t) })?;
        // SAFETY: the caller gives live device matrices of these sizes; the scales live until the call has returned,
        // which has read them by then.
        check("cublasGemmEx", unsafe {
            sys::cublasGemmEx_64(
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
                zero.as_ptr().cast(),
                g.c.0 as *mut c_void,
                data,
                g.c.1 as i64,
                compute,
                cublasGemmAlgo_t::CUBLAS_GEMM_DEFAULT,
            )
        })
    }
}
