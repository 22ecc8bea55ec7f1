//! Dense linear algebra on HIP devices by rocSOLVER; triangular systems by rocBLAS. Compiled, never run.
//!
//! Matrices of a batch follow each other, so that every task but products of reflectors is one call of a function for
//! strided batches, also for a single matrix. The library allocates its own workspace. It has no eigenvalues of
//! nonsymmetric matrices.

use std::ffi::{c_int, c_void};
use std::sync::OnceLock;

use cuprum_kernels::DType;

use super::api::Pointer;
use super::blas::{self, LEFT, Rocblas, diagonal, int, operation, triangle, typed};
use super::{lacking, rocm};
use crate::driver::dense::{SingularVectors, Task};
use crate::driver::symbols::symbols;
use crate::driver::{Dense, StreamHandle};
use crate::error::{Error, ErrorKind, Result};

/// Declares the functions of rocSOLVER. A function has a name and a symbol for each of four dtypes.
macro_rules! rocsolver {
    ($($potrf:ident $getrf:ident $getrs:ident $getri:ident $geqrf:ident $orgqr:ident $gesvd:ident $syevd:ident =
       $potrf_name:literal $getrf_name:literal $getrs_name:literal $getri_name:literal $geqrf_name:literal
       $orgqr_name:literal $gesvd_name:literal $syevd_name:literal;)+) => {
        symbols! {
            /// The functions of rocSOLVER.
            Api, error
            $(fn $potrf(
                handle: Pointer, triangle: c_int, n: c_int, a: Pointer, lda: c_int, a_stride: i64, info: *mut c_int,
                batch: c_int,
            ) = $potrf_name;
            fn $getrf(
                handle: Pointer, m: c_int, n: c_int, a: Pointer, lda: c_int, a_stride: i64, pivots: *mut c_int,
                pivots_stride: i64, info: *mut c_int, batch: c_int,
            ) = $getrf_name;
            fn $getrs(
                handle: Pointer, transpose: c_int, n: c_int, k: c_int, a: Pointer, lda: c_int, a_stride: i64,
                pivots: *mut c_int, pivots_stride: i64, b: Pointer, ldb: c_int, b_stride: i64, batch: c_int,
            ) = $getrs_name;
            fn $getri(
                handle: Pointer, n: c_int, a: Pointer, lda: c_int, a_stride: i64, pivots: *mut c_int,
                pivots_stride: i64, c: Pointer, ldc: c_int, c_stride: i64, info: *mut c_int, batch: c_int,
            ) = $getri_name;
            fn $geqrf(
                handle: Pointer, m: c_int, n: c_int, a: Pointer, lda: c_int, a_stride: i64, tau: Pointer,
                tau_stride: i64, batch: c_int,
            ) = $geqrf_name;
            fn $orgqr(
                handle: Pointer, m: c_int, n: c_int, k: c_int, a: Pointer, lda: c_int, tau: Pointer,
            ) = $orgqr_name;
            fn $gesvd(
                handle: Pointer, left: c_int, right: c_int, m: c_int, n: c_int, a: Pointer, lda: c_int, a_stride: i64,
                s: Pointer, s_stride: i64, u: Pointer, ldu: c_int, u_stride: i64, v: Pointer, ldv: c_int,
                v_stride: i64, e: Pointer, e_stride: i64, mode: c_int, info: *mut c_int, batch: c_int,
            ) = $gesvd_name;
            fn $syevd(
                handle: Pointer, vectors: c_int, triangle: c_int, n: c_int, a: Pointer, lda: c_int, a_stride: i64,
                w: Pointer, w_stride: i64, e: Pointer, e_stride: i64, info: *mut c_int, batch: c_int,
            ) = $syevd_name;)+
        }
    };
}

rocsolver! {
    spotrf sgetrf sgetrs sgetri sgeqrf sorgqr sgesvd ssyevd =
        "rocsolver_spotrf_strided_batched" "rocsolver_sgetrf_strided_batched" "rocsolver_sgetrs_strided_batched"
        "rocsolver_sgetri_outofplace_strided_batched" "rocsolver_sgeqrf_strided_batched" "rocsolver_sorgqr"
        "rocsolver_sgesvd_strided_batched" "rocsolver_ssyevd_strided_batched";
    dpotrf dgetrf dgetrs dgetri dgeqrf dorgqr dgesvd dsyevd =
        "rocsolver_dpotrf_strided_batched" "rocsolver_dgetrf_strided_batched" "rocsolver_dgetrs_strided_batched"
        "rocsolver_dgetri_outofplace_strided_batched" "rocsolver_dgeqrf_strided_batched" "rocsolver_dorgqr"
        "rocsolver_dgesvd_strided_batched" "rocsolver_dsyevd_strided_batched";
    cpotrf cgetrf cgetrs cgetri cgeqrf cungqr cgesvd cheevd =
        "rocsolver_cpotrf_strided_batched" "rocsolver_cgetrf_strided_batched" "rocsolver_cgetrs_strided_batched"
        "rocsolver_cgetri_outofplace_strided_batched" "rocsolver_cgeqrf_strided_batched" "rocsolver_cungqr"
        "rocsolver_cgesvd_strided_batched" "rocsolver_cheevd_strided_batched";
    zpotrf zgetrf zgetrs zgetri zgeqrf zungqr zgesvd zheevd =
        "rocsolver_zpotrf_strided_batched" "rocsolver_zgetrf_strided_batched" "rocsolver_zgetrs_strided_batched"
        "rocsolver_zgetri_outofplace_strided_batched" "rocsolver_zgeqrf_strided_batched" "rocsolver_zungqr"
        "rocsolver_zgesvd_strided_batched" "rocsolver_zheevd_strided_batched";
}

impl Api {
    fn error(&self, call: &str, code: c_int) -> Error {
        blas::error(call, code)
    }
}

/// Returns the bytes of device memory that a task needs besides its arrays: the superdiagonal or subdiagonal of a
/// reduced matrix, in real numbers, for each matrix of the batch.
pub(super) fn workspace(dense: &Dense) -> usize {
    match dense.task {
        Task::Gesvd { .. } | Task::Syevd { .. } => dense.batch * dense.n.max(1) * dense.dtype.real().size(),
        _ => 0,
    }
}

/// Returns `rocblas_svect` of singular vectors.
fn singular(vectors: SingularVectors) -> c_int {
    match vectors {
        SingularVectors::Full => 191,
        SingularVectors::Thin => 192,
        SingularVectors::None => 194,
    }
}

/// rocSOLVER of a device. A failed initialisation is retried at the next call.
#[derive(Debug, Default)]
pub(super) struct Rocsolver {
    /// The library, loaded at the first task.
    pub(super) api: OnceLock<Api>,
}

impl Rocsolver {
    fn api(&self) -> Result<&Api> {
        match self.api.get() {
            Some(api) => Ok(api),
            None => {
                let api = rocm::ROCSOLVER.functions(|library, absent| Api::resolve(library, absent))?;
                Ok(self.api.get_or_init(|| api))
            }
        }
    }

    /// Queues a task, with the address of its workspace.
    ///
    /// # Safety
    ///
    /// The device is current, the stream is live, and the arrays and the workspace are live device memory of the task's
    /// sizes until the stream has completed it.
    pub(super) unsafe fn run(
        &self,
        rocblas: &Rocblas,
        dense: &Dense,
        workspace: u64,
        stream: StreamHandle,
    ) -> Result<()> {
        // `rocblas_outofplace`, and `rocblas_evect` with and without vectors.
        const OUT_OF_PLACE: c_int = 201;
        const VECTORS: [c_int; 2] = [213, 211];
        let &Dense { task, dtype, arrays, info, .. } = dense;
        if !matches!(dtype, DType::F32 | DType::F64 | DType::C64 | DType::C128) {
            return Err(Error::new(ErrorKind::Type, format!("rocSOLVER has no linear algebra of {dtype}")));
        }
        let (m, n, k, batch) = (int(dense.m)?, int(dense.n)?, int(dense.k)?, int(dense.batch)?);
        let strides = task.lengths(dense.m, dense.n, dense.k).map(|length| length as i64);
        let [a, second, third, fourth] = arrays.map(|addr| addr as Pointer);
        let (pivots, info, e) = (second.cast::<c_int>(), info as *mut c_int, workspace as Pointer);
        let handle = rocblas.handle(stream)?;
        let step = strides[0];
        if let Task::Trsm { upper, transpose, unit } = task {
            let (one64, one32) = ([1.0_f64, 0.0], [1.0_f32, 0.0]);
            let wide = matches!(dtype, DType::F64 | DType::C128);
            let one: *const c_void = if wide { one64.as_ptr().cast() } else { one32.as_ptr().cast() };
            let (api, op) = (rocblas.api()?, operation(transpose));
            let (fill, unit) = (triangle(upper), diagonal(unit));
            // SAFETY: guaranteed by the caller; the scale lives until the call has returned.
            return unsafe {
                typed!(
                    api,
                    dtype,
                    [strsm, dtrsm, ctrsm, ztrsm],
                    handle,
                    LEFT,
                    fill,
                    op,
                    unit,
                    n,
                    k,
                    one,
                    a,
                    n,
                    step,
                    second,
                    n,
                    strides[1],
                    batch,
                )
            };
        }
        let api = self.api()?;
        // SAFETY: guaranteed by the caller.
        unsafe {
            match task {
                Task::Potrf { upper } => {
                    let fill = triangle(upper);
                    typed!(api, dtype, [spotrf, dpotrf, cpotrf, zpotrf], handle, fill, n, a, n, step, info, batch)
                }
                Task::Getrf => typed!(
                    api,
                    dtype,
                    [sgetrf, dgetrf, cgetrf, zgetrf],
                    handle,
                    m,
                    n,
                    a,
                    m,
                    step,
                    pivots,
                    strides[1],
                    info,
                    batch,
                ),
                Task::Getrs { transpose } => typed!(
                    api,
                    dtype,
                    [sgetrs, dgetrs, cgetrs, zgetrs],
                    handle,
                    operation(transpose),
                    n,
                    k,
                    a,
                    n,
                    step,
                    pivots,
                    strides[1],
                    third,
                    n,
                    strides[2],
                    batch,
                ),
                Task::Getri => typed!(
                    api,
                    dtype,
                    [sgetri, dgetri, cgetri, zgetri],
                    handle,
                    n,
                    a,
                    n,
                    step,
                    pivots,
                    strides[1],
                    third,
                    n,
                    strides[2],
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
                    a,
                    m,
                    step,
                    second,
                    strides[1],
                    batch,
                ),
                Task::Orgqr => (0..dense.batch).try_for_each(|number| {
                    let at = |k: usize| (arrays[k] + (number * strides[k] as usize * dtype.size()) as u64) as Pointer;
                    typed!(api, dtype, [sorgqr, dorgqr, cungqr, zungqr], handle, m, n, k, at(0), m, at(1))
                }),
                Task::Gesvd { vectors } => {
                    let job = singular(vectors);
                    // One is the least that is valid, also without vectors.
                    typed!(
                        api,
                        dtype,
                        [sgesvd, dgesvd, cgesvd, zgesvd],
                        handle,
                        job,
                        job,
                        m,
                        n,
                        a,
                        m,
                        step,
                        second,
                        strides[1],
                        third,
                        m.max(1),
                        strides[2],
                        fourth,
                        n.max(1),
                        strides[3],
                        e,
                        i64::from(n),
                        OUT_OF_PLACE,
                        info,
                        batch,
                    )
                }
                Task::Syevd { upper, vectors } => typed!(
                    api,
                    dtype,
                    [ssyevd, dsyevd, cheevd, zheevd],
                    handle,
                    VECTORS[usize::from(vectors)],
                    triangle(upper),
                    n,
                    a,
                    n,
                    step,
                    second,
                    strides[1],
                    e,
                    i64::from(n),
                    info,
                    batch,
                ),
                Task::Gesvdp { .. } => Err(lacking("singular values by a polar decomposition (gesvdp)")),
                Task::Geev { .. } => Err(lacking("eigenvalues of nonsymmetric matrices (geev)")),
                Task::Trsm { .. } => Ok(()),
            }
        }
    }
}
