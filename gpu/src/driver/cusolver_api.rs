//! Function table of cuSOLVER.
//!
//! The functions with 64-bit sizes take dtypes as arguments; those for batches have a variant for each dtype.

use std::ffi::{c_char, c_int, c_void};

use cudarc::cublas::sys::{cublasOperation_t, cudaDataType};

use super::library::{Loaded, Needs, Part, version};
use super::search_paths;
use super::symbols::symbols;
use crate::error::{Error, ErrorKind, Result};

/// Opaque handle of the library.
pub(super) type Handle = *mut c_void;

symbols! {
    /// The functions of cuSOLVER.
    Api, error
    fn property(which: c_int, value: *mut c_int) = "cusolverGetProperty";
    fn create(handle: *mut Handle) = "cusolverDnCreate";
    fn set_stream(handle: Handle, stream: *mut c_void) = "cusolverDnSetStream";
    fn create_params(params: *mut Handle) = "cusolverDnCreateParams";
    fn potrf_size(
        handle: Handle, params: Handle, uplo: c_int, n: i64, a_type: cudaDataType, a: *const c_void, lda: i64,
        compute: cudaDataType, device: *mut usize, host: *mut usize,
    ) = "cusolverDnXpotrf_bufferSize";
    fn potrf(
        handle: Handle, params: Handle, uplo: c_int, n: i64, a_type: cudaDataType, a: *mut c_void, lda: i64,
        compute: cudaDataType, work: *mut c_void, size: usize, host: *mut c_void, host_size: usize, info: *mut c_int,
    ) = "cusolverDnXpotrf";
    fn getrf_size(
        handle: Handle, params: Handle, m: i64, n: i64, a_type: cudaDataType, a: *const c_void, lda: i64,
        compute: cudaDataType, device: *mut usize, host: *mut usize,
    ) = "cusolverDnXgetrf_bufferSize";
    fn getrf(
        handle: Handle, params: Handle, m: i64, n: i64, a_type: cudaDataType, a: *mut c_void, lda: i64, pivots: *mut i64,
        compute: cudaDataType, work: *mut c_void, size: usize, host: *mut c_void, host_size: usize, info: *mut c_int,
    ) = "cusolverDnXgetrf";
    fn getrs(
        handle: Handle, params: Handle, turn: cublasOperation_t, n: i64, k: i64, a_type: cudaDataType, a: *const c_void,
        lda: i64, pivots: *const i64, b_type: cudaDataType, b: *mut c_void, ldb: i64, info: *mut c_int,
    ) = "cusolverDnXgetrs";
    fn geqrf_size(
        handle: Handle, params: Handle, m: i64, n: i64, a_type: cudaDataType, a: *const c_void, lda: i64,
        tau_type: cudaDataType, tau: *const c_void, compute: cudaDataType, device: *mut usize, host: *mut usize,
    ) = "cusolverDnXgeqrf_bufferSize";
    fn geqrf(
        handle: Handle, params: Handle, m: i64, n: i64, a_type: cudaDataType, a: *mut c_void, lda: i64,
        tau_type: cudaDataType, tau: *mut c_void, compute: cudaDataType, work: *mut c_void, size: usize,
        host: *mut c_void, host_size: usize, info: *mut c_int,
    ) = "cusolverDnXgeqrf";
    fn gesvd_size(
        handle: Handle, params: Handle, job_u: c_char, job_vt: c_char, m: i64, n: i64, a_type: cudaDataType,
        a: *const c_void, lda: i64, s_type: cudaDataType, s: *const c_void, u_type: cudaDataType, u: *const c_void,
        ldu: i64, vt_type: cudaDataType, vt: *const c_void, ldvt: i64, compute: cudaDataType, device: *mut usize,
        host: *mut usize,
    ) = "cusolverDnXgesvd_bufferSize";
    fn gesvd(
        handle: Handle, params: Handle, job_u: c_char, job_vt: c_char, m: i64, n: i64, a_type: cudaDataType,
        a: *mut c_void, lda: i64, s_type: cudaDataType, s: *mut c_void, u_type: cudaDataType, u: *mut c_void, ldu: i64,
        vt_type: cudaDataType, vt: *mut c_void, ldvt: i64, compute: cudaDataType, work: *mut c_void, size: usize,
        host: *mut c_void, host_size: usize, info: *mut c_int,
    ) = "cusolverDnXgesvd";
    fn gesvdp_size(
        handle: Handle, params: Handle, vectors: c_int, thin: c_int, m: i64, n: i64, a_type: cudaDataType,
        a: *const c_void, lda: i64, s_type: cudaDataType, s: *const c_void, u_type: cudaDataType, u: *const c_void,
        ldu: i64, v_type: cudaDataType, v: *const c_void, ldv: i64, compute: cudaDataType, device: *mut usize,
        host: *mut usize,
    ) = "cusolverDnXgesvdp_bufferSize";
    fn gesvdp(
        handle: Handle, params: Handle, vectors: c_int, thin: c_int, m: i64, n: i64, a_type: cudaDataType,
        a: *mut c_void, lda: i64, s_type: cudaDataType, s: *mut c_void, u_type: cudaDataType, u: *mut c_void, ldu: i64,
        v_type: cudaDataType, v: *mut c_void, ldv: i64, compute: cudaDataType, work: *mut c_void, size: usize,
        host: *mut c_void, host_size: usize, info: *mut c_int, perturbation: *mut f64,
    ) = "cusolverDnXgesvdp";
    fn syevd_size(
        handle: Handle, params: Handle, vectors: c_int, uplo: c_int, n: i64, a_type: cudaDataType, a: *const c_void,
        lda: i64, w_type: cudaDataType, w: *const c_void, compute: cudaDataType, device: *mut usize, host: *mut usize,
    ) = "cusolverDnXsyevd_bufferSize";
    fn syevd(
        handle: Handle, params: Handle, vectors: c_int, uplo: c_int, n: i64, a_type: cudaDataType, a: *mut c_void,
        lda: i64, w_type: cudaDataType, w: *mut c_void, compute: cudaDataType, work: *mut c_void, size: usize,
        host: *mut c_void, host_size: usize, info: *mut c_int,
    ) = "cusolverDnXsyevd";
    fn syevd_of_stack_size(
        handle: Handle, params: Handle, vectors: c_int, uplo: c_int, n: i64, a_type: cudaDataType, a: *const c_void,
        lda: i64, w_type: cudaDataType, w: *const c_void, compute: cudaDataType, device: *mut usize, host: *mut usize,
        batch: i64,
    ) = "cusolverDnXsyevBatched_bufferSize";
    fn syevd_of_stack(
        handle: Handle, params: Handle, vectors: c_int, uplo: c_int, n: i64, a_type: cudaDataType, a: *mut c_void,
        lda: i64, w_type: cudaDataType, w: *mut c_void, compute: cudaDataType, work: *mut c_void, size: usize,
        host: *mut c_void, host_size: usize, info: *mut c_int, batch: i64,
    ) = "cusolverDnXsyevBatched";
    fn geev_size(
        handle: Handle, params: Handle, left: c_int, right: c_int, n: i64, a_type: cudaDataType, a: *const c_void,
        lda: i64, w_type: cudaDataType, w: *const c_void, vl_type: cudaDataType, vl: *const c_void, ldvl: i64,
        vr_type: cudaDataType, vr: *const c_void, ldvr: i64, compute: cudaDataType, device: *mut usize,
        host: *mut usize,
    ) = "cusolverDnXgeev_bufferSize";
    fn geev(
        handle: Handle, params: Handle, left: c_int, right: c_int, n: i64, a_type: cudaDataType, a: *mut c_void,
        lda: i64, w_type: cudaDataType, w: *mut c_void, vl_type: cudaDataType, vl: *mut c_void, ldvl: i64,
        vr_type: cudaDataType, vr: *mut c_void, ldvr: i64, compute: cudaDataType, work: *mut c_void, size: usize,
        host: *mut c_void, host_size: usize, info: *mut c_int,
    ) = "cusolverDnXgeev";
    fn spotrf_of_stack(
        handle: Handle,
        uplo: c_int,
        n: c_int,
        a: *mut c_void,
        lda: c_int,
        info: *mut c_int,
        batch: c_int,
    ) = "cusolverDnSpotrfBatched";
    fn sorgqr_size(
        handle: Handle,
        m: c_int,
        n: c_int,
        k: c_int,
        a: *const c_void,
        lda: c_int,
        tau: *const c_void,
        size: *mut c_int,
    ) = "cusolverDnSorgqr_bufferSize";
    fn sorgqr(
        handle: Handle,
        m: c_int,
        n: c_int,
        k: c_int,
        a: *mut c_void,
        lda: c_int,
        tau: *const c_void,
        work: *mut c_void,
        size: c_int,
        info: *mut c_int,
    ) = "cusolverDnSorgqr";
    fn dpotrf_of_stack(
        handle: Handle,
        uplo: c_int,
        n: c_int,
        a: *mut c_void,
        lda: c_int,
        info: *mut c_int,
        batch: c_int,
    ) = "cusolverDnDpotrfBatched";
    fn dorgqr_size(
        handle: Handle,
        m: c_int,
        n: c_int,
        k: c_int,
        a: *const c_void,
        lda: c_int,
        tau: *const c_void,
        size: *mut c_int,
    ) = "cusolverDnDorgqr_bufferSize";
    fn dorgqr(
        handle: Handle,
        m: c_int,
        n: c_int,
        k: c_int,
        a: *mut c_void,
        lda: c_int,
        tau: *const c_void,
        work: *mut c_void,
        size: c_int,
        info: *mut c_int,
    ) = "cusolverDnDorgqr";
    fn cpotrf_of_stack(
        handle: Handle,
        uplo: c_int,
        n: c_int,
        a: *mut c_void,
        lda: c_int,
        info: *mut c_int,
        batch: c_int,
    ) = "cusolverDnCpotrfBatched";
    fn corgqr_size(
        handle: Handle,
        m: c_int,
        n: c_int,
        k: c_int,
        a: *const c_void,
        lda: c_int,
        tau: *const c_void,
        size: *mut c_int,
    ) = "cusolverDnCungqr_bufferSize";
    fn corgqr(
        handle: Handle,
        m: c_int,
        n: c_int,
        k: c_int,
        a: *mut c_void,
        lda: c_int,
        tau: *const c_void,
        work: *mut c_void,
        size: c_int,
        info: *mut c_int,
    ) = "cusolverDnCungqr";
    fn zpotrf_of_stack(
        handle: Handle,
        uplo: c_int,
        n: c_int,
        a: *mut c_void,
        lda: c_int,
        info: *mut c_int,
        batch: c_int,
    ) = "cusolverDnZpotrfBatched";
    fn zorgqr_size(
        handle: Handle,
        m: c_int,
        n: c_int,
        k: c_int,
        a: *const c_void,
        lda: c_int,
        tau: *const c_void,
        size: *mut c_int,
    ) = "cusolverDnZungqr_bufferSize";
    fn zorgqr(
        handle: Handle,
        m: c_int,
        n: c_int,
        k: c_int,
        a: *mut c_void,
        lda: c_int,
        tau: *const c_void,
        work: *mut c_void,
        size: c_int,
        info: *mut c_int,
    ) = "cusolverDnZungqr";
}

pub(super) const CUSOLVER: Loaded = Loaded {
    name: "cuSOLVER",
    spec: &search_paths::CUSOLVER,
    since: "CUDA 12.6",
    parts: &[
        Part { package: Some("nvjitlink"), file: "libnvJitLink.so.13" },
        Part { package: Some("cublas"), file: "libcublasLt.so.13" },
        Part { package: Some("cublas"), file: "libcublas.so.13" },
        Part { package: Some("cusparse"), file: "libcusparse.so.12" },
        Part { package: Some("nvjitlink"), file: "libnvJitLink.so.12" },
        Part { package: Some("cublas"), file: "libcublasLt.so.12" },
        Part { package: Some("cublas"), file: "libcublas.so.12" },
        Part { package: Some("cusparse"), file: "libcusparse.so.12" },
    ],
    needs: Needs::All,
};

impl Api {
    pub(super) fn load() -> Result<Api> {
        CUSOLVER.functions(|library, absent| Api::resolve(library, absent), Api::version)
    }

    fn version(&self) -> String {
        // SAFETY: the value is a live variable.
        version(|which, value| unsafe { self.property(which, value) })
    }

    fn error(&self, call: &str, code: c_int) -> Error {
        let meaning = match code {
            1 => "not initialized",
            2 => "allocation failed",
            3 => "invalid value",
            4 => "not made for this architecture",
            5 => "mapping failed",
            6 => "execution failed",
            7 => "internal error",
            8 => "matrix type not supported",
            9 => "not supported",
            _ => "unknown",
        };
        let kind = if code == 2 { ErrorKind::OutOfMemory } else { ErrorKind::Driver };
        Error::new(kind, format!("{call} failed: code {code}, {meaning}"))
    }
}
