//! Function table of cuBLAS.

use std::ffi::{c_int, c_void};
use std::path::PathBuf;

use cudarc::cublas::sys::{
    cublasComputeType_t, cublasGemmAlgo_t, cublasHandle_t, cublasOperation_t, cudaDataType, cudaStream_t,
    libraryPropertyType,
};

use super::library::{Loaded, Needs, Part, version as version_of};
use super::search_paths;
use super::symbols::symbols;
use crate::error::{Error, ErrorKind, Result};

symbols! {
    /// The functions of cuBLAS.
    Api, error
    fn property(which: libraryPropertyType, value: *mut c_int) = "cublasGetProperty";
    fn create(handle: *mut cublasHandle_t) = "cublasCreate_v2";
    fn set_stream(handle: cublasHandle_t, stream: cudaStream_t) = "cublasSetStream_v2";
    fn gemm(
        handle: cublasHandle_t,
        transpose_a: cublasOperation_t,
        transpose_b: cublasOperation_t,
        m: i64,
        n: i64,
        k: i64,
        alpha: *const c_void,
        a: *const c_void,
        a_type: cudaDataType,
        lda: i64,
        b: *const c_void,
        b_type: cudaDataType,
        ldb: i64,
        beta: *const c_void,
        c: *mut c_void,
        c_type: cudaDataType,
        ldc: i64,
        compute: cublasComputeType_t,
        algorithm: cublasGemmAlgo_t,
    ) = "cublasGemmEx_64";
    fn gemm_of_stack(
        handle: cublasHandle_t,
        transpose_a: cublasOperation_t,
        transpose_b: cublasOperation_t,
        m: i64,
        n: i64,
        k: i64,
        alpha: *const c_void,
        a: *const c_void,
        a_type: cudaDataType,
        lda: i64,
        a_stride: i64,
        b: *const c_void,
        b_type: cudaDataType,
        ldb: i64,
        b_stride: i64,
        beta: *const c_void,
        c: *mut c_void,
        c_type: cudaDataType,
        ldc: i64,
        c_stride: i64,
        batch: i64,
        compute: cublasComputeType_t,
        algorithm: cublasGemmAlgo_t,
    ) = "cublasGemmStridedBatchedEx_64";
    fn sgetrf(
        handle: cublasHandle_t,
        n: c_int,
        a: *mut c_void,
        lda: c_int,
        pivots: *mut c_int,
        info: *mut c_int,
        batch: c_int,
    ) = "cublasSgetrfBatched";
    fn sgetrs(
        handle: cublasHandle_t,
        turn: cublasOperation_t,
        n: c_int,
        k: c_int,
        a: *const c_void,
        lda: c_int,
        pivots: *const c_int,
        b: *mut c_void,
        ldb: c_int,
        info: *mut c_int,
        batch: c_int,
    ) = "cublasSgetrsBatched";
    fn sgetri(
        handle: cublasHandle_t,
        n: c_int,
        a: *const c_void,
        lda: c_int,
        pivots: *const c_int,
        out: *mut c_void,
        ldc: c_int,
        info: *mut c_int,
        batch: c_int,
    ) = "cublasSgetriBatched";
    fn sgeqrf(
        handle: cublasHandle_t,
        m: c_int,
        n: c_int,
        a: *mut c_void,
        lda: c_int,
        tau: *mut c_void,
        info: *mut c_int,
        batch: c_int,
    ) = "cublasSgeqrfBatched";
    fn strsm(
        handle: cublasHandle_t,
        side: c_int,
        uplo: c_int,
        turn: cublasOperation_t,
        diag: c_int,
        m: c_int,
        n: c_int,
        alpha: *const c_void,
        a: *const c_void,
        lda: c_int,
        b: *mut c_void,
        ldb: c_int,
    ) = "cublasStrsm_v2";
    fn strsm_of_stack(
        handle: cublasHandle_t,
        side: c_int,
        uplo: c_int,
        turn: cublasOperation_t,
        diag: c_int,
        m: c_int,
        n: c_int,
        alpha: *const c_void,
        a: *const c_void,
        lda: c_int,
        b: *mut c_void,
        ldb: c_int,
        batch: c_int,
    ) = "cublasStrsmBatched";
    fn dgetrf(
        handle: cublasHandle_t,
        n: c_int,
        a: *mut c_void,
        lda: c_int,
        pivots: *mut c_int,
        info: *mut c_int,
        batch: c_int,
    ) = "cublasDgetrfBatched";
    fn dgetrs(
        handle: cublasHandle_t,
        turn: cublasOperation_t,
        n: c_int,
        k: c_int,
        a: *const c_void,
        lda: c_int,
        pivots: *const c_int,
        b: *mut c_void,
        ldb: c_int,
        info: *mut c_int,
        batch: c_int,
    ) = "cublasDgetrsBatched";
    fn dgetri(
        handle: cublasHandle_t,
        n: c_int,
        a: *const c_void,
        lda: c_int,
        pivots: *const c_int,
        out: *mut c_void,
        ldc: c_int,
        info: *mut c_int,
        batch: c_int,
    ) = "cublasDgetriBatched";
    fn dgeqrf(
        handle: cublasHandle_t,
        m: c_int,
        n: c_int,
        a: *mut c_void,
        lda: c_int,
        tau: *mut c_void,
        info: *mut c_int,
        batch: c_int,
    ) = "cublasDgeqrfBatched";
    fn dtrsm(
        handle: cublasHandle_t,
        side: c_int,
        uplo: c_int,
        turn: cublasOperation_t,
        diag: c_int,
        m: c_int,
        n: c_int,
        alpha: *const c_void,
        a: *const c_void,
        lda: c_int,
        b: *mut c_void,
        ldb: c_int,
    ) = "cublasDtrsm_v2";
    fn dtrsm_of_stack(
        handle: cublasHandle_t,
        side: c_int,
        uplo: c_int,
        turn: cublasOperation_t,
        diag: c_int,
        m: c_int,
        n: c_int,
        alpha: *const c_void,
        a: *const c_void,
        lda: c_int,
        b: *mut c_void,
        ldb: c_int,
        batch: c_int,
    ) = "cublasDtrsmBatched";
    fn cgetrf(
        handle: cublasHandle_t,
        n: c_int,
        a: *mut c_void,
        lda: c_int,
        pivots: *mut c_int,
        info: *mut c_int,
        batch: c_int,
    ) = "cublasCgetrfBatched";
    fn cgetrs(
        handle: cublasHandle_t,
        turn: cublasOperation_t,
        n: c_int,
        k: c_int,
        a: *const c_void,
        lda: c_int,
        pivots: *const c_int,
        b: *mut c_void,
        ldb: c_int,
        info: *mut c_int,
        batch: c_int,
    ) = "cublasCgetrsBatched";
    fn cgetri(
        handle: cublasHandle_t,
        n: c_int,
        a: *const c_void,
        lda: c_int,
        pivots: *const c_int,
        out: *mut c_void,
        ldc: c_int,
        info: *mut c_int,
        batch: c_int,
    ) = "cublasCgetriBatched";
    fn cgeqrf(
        handle: cublasHandle_t,
        m: c_int,
        n: c_int,
        a: *mut c_void,
        lda: c_int,
        tau: *mut c_void,
        info: *mut c_int,
        batch: c_int,
    ) = "cublasCgeqrfBatched";
    fn ctrsm(
        handle: cublasHandle_t,
        side: c_int,
        uplo: c_int,
        turn: cublasOperation_t,
        diag: c_int,
        m: c_int,
        n: c_int,
        alpha: *const c_void,
        a: *const c_void,
        lda: c_int,
        b: *mut c_void,
        ldb: c_int,
    ) = "cublasCtrsm_v2";
    fn ctrsm_of_stack(
        handle: cublasHandle_t,
        side: c_int,
        uplo: c_int,
        turn: cublasOperation_t,
        diag: c_int,
        m: c_int,
        n: c_int,
        alpha: *const c_void,
        a: *const c_void,
        lda: c_int,
        b: *mut c_void,
        ldb: c_int,
        batch: c_int,
    ) = "cublasCtrsmBatched";
    fn zgetrf(
        handle: cublasHandle_t,
        n: c_int,
        a: *mut c_void,
        lda: c_int,
        pivots: *mut c_int,
        info: *mut c_int,
        batch: c_int,
    ) = "cublasZgetrfBatched";
    fn zgetrs(
        handle: cublasHandle_t,
        turn: cublasOperation_t,
        n: c_int,
        k: c_int,
        a: *const c_void,
        lda: c_int,
        pivots: *const c_int,
        b: *mut c_void,
        ldb: c_int,
        info: *mut c_int,
        batch: c_int,
    ) = "cublasZgetrsBatched";
    fn zgetri(
        handle: cublasHandle_t,
        n: c_int,
        a: *const c_void,
        lda: c_int,
        pivots: *const c_int,
        out: *mut c_void,
        ldc: c_int,
        info: *mut c_int,
        batch: c_int,
    ) = "cublasZgetriBatched";
    fn zgeqrf(
        handle: cublasHandle_t,
        m: c_int,
        n: c_int,
        a: *mut c_void,
        lda: c_int,
        tau: *mut c_void,
        info: *mut c_int,
        batch: c_int,
    ) = "cublasZgeqrfBatched";
    fn ztrsm(
        handle: cublasHandle_t,
        side: c_int,
        uplo: c_int,
        turn: cublasOperation_t,
        diag: c_int,
        m: c_int,
        n: c_int,
        alpha: *const c_void,
        a: *const c_void,
        lda: c_int,
        b: *mut c_void,
        ldb: c_int,
    ) = "cublasZtrsm_v2";
    fn ztrsm_of_stack(
        handle: cublasHandle_t,
        side: c_int,
        uplo: c_int,
        turn: cublasOperation_t,
        diag: c_int,
        m: c_int,
        n: c_int,
        alpha: *const c_void,
        a: *const c_void,
        lda: c_int,
        b: *mut c_void,
        ldb: c_int,
        batch: c_int,
    ) = "cublasZtrsmBatched";
}

/// A part of it (`cublasLt`) is in the same folder.
pub(super) const CUBLAS: Loaded = Loaded {
    name: "cuBLAS",
    spec: &search_paths::CUBLAS,
    since: "CUDA 12",
    parts: &[Part { package: None, file: "libcublasLt.so.13" }, Part { package: None, file: "libcublasLt.so.12" }],
    needs: Needs::One,
};

/// Returns the file of the cuBLAS in use.
pub(super) fn file() -> Result<PathBuf> {
    CUBLAS.file()
}

/// Returns the version of the cuBLAS in use, without a device: `13.1`.
pub(super) fn version() -> Result<String> {
    Ok(Api::load()?.version())
}

impl Api {
    pub(super) fn load() -> Result<Api> {
        CUBLAS.functions(|library, absent| Api::resolve(library, absent), Api::version)
    }

    fn version(&self) -> String {
        let parts = [libraryPropertyType::MAJOR_VERSION, libraryPropertyType::MINOR_VERSION];
        // SAFETY: the value is a live variable.
        version_of(|which, value| unsafe { self.property(parts[which as usize], value) })
    }

    fn error(&self, call: &str, code: c_int) -> Error {
        let meaning = match code {
            1 => "not initialized",
            3 => "allocation failed",
            7 => "invalid value",
            8 => "not made for this architecture",
            11 => "mapping failed",
            13 => "execution failed",
            14 => "internal error",
            15 => "not supported",
            16 => "license error",
            _ => "unknown",
        };
        let kind = if code == 3 { ErrorKind::OutOfMemory } else { ErrorKind::Driver };
        Error::new(kind, format!("{call} failed: code {code}, {meaning}"))
    }
}
