//! cuSOLVER calls of a task: the sizes of its workspaces, and the functions.
//!
//! A call is made twice: once for the size of the workspace, which comes from the memory pool, and once for the work.

use std::ffi::{c_char, c_int, c_void};
use std::ptr;

use cudarc::cublas::sys::{cublasOperation_t, cudaDataType};
use cuprum_kernels::DType;

use super::Dense;
use super::cusolver_api::{Api, Handle};
use super::dense::{SingularVectors, Task, Transpose};
use crate::error::{Error, ErrorKind, Result};

/// Calls the function of a dtype, for functions that have one variant for each.
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

/// A task with the arguments of its cuSOLVER call.
pub(super) struct CusolverCall<'a> {
    pub(super) api: &'a Api,
    pub(super) handle: Handle,
    pub(super) params: Handle,
    pub(super) dense: &'a Dense,
    pub(super) data: cudaDataType,
    /// The type of singular values, and of eigenvalues of Hermitian matrices.
    pub(super) real: cudaDataType,
    pub(super) complex: cudaDataType,
}

fn operation(transpose: Transpose) -> cublasOperation_t {
    match transpose {
        Transpose::None => cublasOperation_t::CUBLAS_OP_N,
        Transpose::Transposed => cublasOperation_t::CUBLAS_OP_T,
        Transpose::Adjoint => cublasOperation_t::CUBLAS_OP_C,
    }
}

/// Converts a size that the library takes in 32 bits.
fn int(n: usize) -> Result<c_int> {
    c_int::try_from(n).map_err(|_| {
        Error::new(
            ErrorKind::Value,
            format!("a side or a stack of {n} is more than the {} that cuSOLVER takes", c_int::MAX),
        )
    })
}

impl CusolverCall<'_> {
    /// Returns true if the function accepts a batch.
    pub(super) fn takes_stack(&self) -> bool {
        matches!(self.dense.task, Task::Potrf { .. } | Task::Syevd { .. })
    }

    fn array(&self, k: usize) -> *mut c_void {
        self.dense.arrays[k] as *mut c_void
    }

    fn uplo(upper: bool) -> c_int {
        c_int::from(upper)
    }

    fn job(vectors: SingularVectors) -> c_char {
        match vectors {
            SingularVectors::None => b'N' as c_char,
            SingularVectors::Thin => b'S' as c_char,
            SingularVectors::Full => b'A' as c_char,
        }
    }

    /// Returns the leading dimensions of the singular vectors, which must be at least one even if no vectors are
    /// requested.
    fn leading(&self, vectors: SingularVectors) -> [i64; 2] {
        let Dense { m, n, .. } = *self.dense;
        match vectors {
            SingularVectors::Thin => [m as i64, m.min(n) as i64],
            _ => [m as i64, n as i64],
        }
    }

    /// Returns the bytes of the workspaces of one call, on the device and on the host.
    pub(super) fn sizes(&self) -> Result<(usize, usize)> {
        let &Dense { task, dtype, m, n, k, batch, .. } = self.dense;
        let (mut device, mut host, mut elements) = (0, 0, 0);
        let (api, handle, params, data) = (self.api, self.handle, self.params, self.data);
        let (a, rows, columns) = (self.array(0), m as i64, n as i64);
        let (m32, n32, k32) = (int(m)?, int(n)?, int(k)?);
        // SAFETY: sizes are written to live variables; only the addresses of the arrays are passed.
        unsafe {
            match task {
                Task::Potrf { upper } => api.potrf_size(
                    handle,
                    params,
                    Self::uplo(upper),
                    columns,
                    data,
                    a,
                    columns,
                    data,
                    &mut device,
                    &mut host,
                ),
                Task::Getrf => {
                    api.getrf_size(handle, params, rows, columns, data, a, rows, data, &mut device, &mut host)
                }
                Task::Geqrf => api.geqrf_size(
                    handle,
                    params,
                    rows,
                    columns,
                    data,
                    a,
                    rows,
                    data,
                    self.array(1),
                    data,
                    &mut device,
                    &mut host,
                ),
                Task::Orgqr => typed!(
                    api,
                    dtype,
                    [sorgqr_size, dorgqr_size, corgqr_size, zorgqr_size],
                    handle,
                    m32,
                    n32,
                    k32,
                    a,
                    m32,
                    self.array(1),
                    &mut elements,
                ),
                Task::Gesvd { vectors } => {
                    let ([ldu, ldvt], job) = (self.leading(vectors), Self::job(vectors));
                    api.gesvd_size(
                        handle,
                        params,
                        job,
                        job,
                        rows,
                        columns,
                        data,
                        a,
                        rows,
                        self.real,
                        self.array(1),
                        data,
                        self.array(2),
                        ldu,
                        data,
                        self.array(3),
                        ldvt,
                        data,
                        &mut device,
                        &mut host,
                    )
                }
                Task::Gesvdp { vectors } => api.gesvdp_size(
                    handle,
                    params,
                    (vectors != SingularVectors::None).into(),
                    (vectors != SingularVectors::Full).into(),
                    rows,
                    columns,
                    data,
                    a,
                    rows,
                    self.real,
                    self.array(1),
                    data,
                    self.array(2),
                    rows,
                    data,
                    self.array(3),
                    columns,
                    data,
                    &mut device,
                    &mut host,
                ),
                Task::Syevd { upper, vectors } if batch > 1 => api.syevd_of_stack_size(
                    handle,
                    params,
                    vectors.into(),
                    Self::uplo(upper),
                    columns,
                    data,
                    a,
                    columns,
                    self.real,
                    self.array(1),
                    data,
                    &mut device,
                    &mut host,
                    batch as i64,
                ),
                Task::Syevd { upper, vectors } => api.syevd_size(
                    handle,
                    params,
                    vectors.into(),
                    Self::uplo(upper),
                    columns,
                    data,
                    a,
                    columns,
                    self.real,
                    self.array(1),
                    data,
                    &mut device,
                    &mut host,
                ),
                Task::Geev { vectors } => api.geev_size(
                    handle,
                    params,
                    0,
                    vectors.into(),
                    columns,
                    data,
                    a,
                    columns,
                    self.complex,
                    self.array(1),
                    data,
                    ptr::null(),
                    columns,
                    data,
                    self.array(2),
                    columns,
                    data,
                    &mut device,
                    &mut host,
                ),
                Task::Getrs { .. } | Task::Getri | Task::Trsm { .. } => Ok(()),
            }
        }?;
        Ok((device.max(elements as usize * dtype.size()), host))
    }

    /// Calls the function of the task. Returns whether the library perturbed the matrix.
    ///
    /// # Safety
    ///
    /// As [`Cusolver::run`].
    pub(super) unsafe fn run(&self, (workspace, bytes): (u64, usize)) -> Result<bool> {
        let mut perturbation = 0.0;
        let &Dense { task, dtype, m, n, k, batch, pointers, info, .. } = self.dense;
        let (api, handle, params, data) = (self.api, self.handle, self.params, self.data);
        let (a, rows, columns) = (self.array(0), m as i64, n as i64);
        let (m32, n32, k32) = (int(m)?, int(n)?, int(k)?);
        let info = info as *mut c_int;
        if let Task::Potrf { upper } = task
            && batch > 1
        {
            // SAFETY: guaranteed by the caller; the table has the address of each matrix.
            unsafe {
                typed!(
                    api,
                    dtype,
                    [spotrf_of_stack, dpotrf_of_stack, cpotrf_of_stack, zpotrf_of_stack],
                    handle,
                    Self::uplo(upper),
                    n32,
                    pointers[0] as *mut c_void,
                    n32,
                    info,
                    int(batch)?,
                )
            }?;
            return Ok(false);
        }
        if let Task::Getrs { transpose } = task {
            // SAFETY: guaranteed by the caller.
            unsafe {
                api.getrs(
                    handle,
                    params,
                    operation(transpose),
                    columns,
                    k as i64,
                    data,
                    a,
                    columns,
                    self.array(1).cast(),
                    data,
                    self.array(2),
                    columns,
                    info,
                )
            }?;
            return Ok(false);
        }
        let (_, host_bytes) = self.sizes()?;
        // The library has read and written it when the call returns.
        let mut host = vec![0u8; host_bytes];
        let (work, host) = (workspace as *mut c_void, host.as_mut_ptr().cast::<c_void>());
        let elements = int(bytes / dtype.size())?;
        // SAFETY: guaranteed by the caller; both workspaces have the sizes that the library requires.
        unsafe {
            match task {
                Task::Potrf { upper } => api.potrf(
                    handle,
                    params,
                    Self::uplo(upper),
                    columns,
                    data,
                    a,
                    columns,
                    data,
                    work,
                    bytes,
                    host,
                    host_bytes,
                    info,
                ),
                Task::Getrf => api.getrf(
                    handle,
                    params,
                    rows,
                    columns,
                    data,
                    a,
                    rows,
                    self.array(1).cast(),
                    data,
                    work,
                    bytes,
                    host,
                    host_bytes,
                    info,
                ),
                Task::Geqrf => api.geqrf(
                    handle,
                    params,
                    rows,
                    columns,
                    data,
                    a,
                    rows,
                    data,
                    self.array(1),
                    data,
                    work,
                    bytes,
                    host,
                    host_bytes,
                    info,
                ),
                Task::Orgqr => typed!(
                    api,
                    dtype,
                    [sorgqr, dorgqr, corgqr, zorgqr],
                    handle,
                    m32,
                    n32,
                    k32,
                    a,
                    m32,
                    self.array(1),
                    work,
                    elements,
                    info,
                ),
                Task::Gesvd { vectors } => {
                    let ([ldu, ldvt], job) = (self.leading(vectors), Self::job(vectors));
                    api.gesvd(
                        handle,
                        params,
                        job,
                        job,
                        rows,
                        columns,
                        data,
                        a,
                        rows,
                        self.real,
                        self.array(1),
                        data,
                        self.array(2),
                        ldu,
                        data,
                        self.array(3),
                        ldvt,
                        data,
                        work,
                        bytes,
                        host,
                        host_bytes,
                        info,
                    )
                }
                Task::Gesvdp { vectors } => api.gesvdp(
                    handle,
                    params,
                    (vectors != SingularVectors::None).into(),
                    (vectors != SingularVectors::Full).into(),
                    rows,
                    columns,
                    data,
                    a,
                    rows,
                    self.real,
                    self.array(1),
                    data,
                    self.array(2),
                    rows,
                    data,
                    self.array(3),
                    columns,
                    data,
                    work,
                    bytes,
                    host,
                    host_bytes,
                    info,
                    &mut perturbation,
                ),
                Task::Syevd { upper, vectors } if batch > 1 => api.syevd_of_stack(
                    handle,
                    params,
                    vectors.into(),
                    Self::uplo(upper),
                    columns,
                    data,
                    a,
                    columns,
                    self.real,
                    self.array(1),
                    data,
                    work,
                    bytes,
                    host,
                    host_bytes,
                    info,
                    batch as i64,
                ),
                Task::Syevd { upper, vectors } => api.syevd(
                    handle,
                    params,
                    vectors.into(),
                    Self::uplo(upper),
                    columns,
                    data,
                    a,
                    columns,
                    self.real,
                    self.array(1),
                    data,
                    work,
                    bytes,
                    host,
                    host_bytes,
                    info,
                ),
                Task::Geev { vectors } => api.geev(
                    handle,
                    params,
                    0,
                    vectors.into(),
                    columns,
                    data,
                    a,
                    columns,
                    self.complex,
                    self.array(1),
                    data,
                    ptr::null_mut(),
                    columns,
                    data,
                    self.array(2),
                    columns,
                    data,
                    work,
                    bytes,
                    host,
                    host_bytes,
                    info,
                ),
                Task::Getrs { .. } | Task::Getri | Task::Trsm { .. } => Ok(()),
            }
        }?;
        Ok(perturbation != 0.0)
    }
}
