//! Dense linear algebra of CUDA devices, by cuSOLVER; of stacks of small matrices by cuBLAS.
//!
//! A matrix alone goes through the functions with 64-bit sizes, which know the dtype from an argument. Stacks have functions
//! of their own, one for each dtype. Where the library has none for stacks (reflectors put together, eigenvalues of
//! matrices that are not symmetric, singular values beyond 32 by 32) the matrices are queued one after the other.

use std::ffi::{c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use cudarc::cublas::sys::{cublasOperation_t, cudaDataType};
use cuprum_kernels::DType;
use libloading::Library;
use rustc_hash::FxHashMap;

use super::cublas::Cublas;
use super::dense::{SingularVectors, Task, Turn, pivot_dtype};
use super::symbols::symbols;
use super::{Dense, StreamHandle, places};
use crate::error::{Error, ErrorKind, Result};

/// What the library knows by an address of its own.
type Handle = *mut c_void;

symbols! {
    /// The functions of cuSOLVER.
    Api, error
    fn property(which: c_int, value: *mut c_int) = "cusolverGetProperty";
    fn create(handle: *mut Handle) = "cusolverDnCreate";
    fn set_stream(handle: Handle, stream: *mut c_void) = "cusolverDnSetStream";
    fn create_params(params: *mut Handle) = "cusolverDnCreateParams";
    fn create_gesvdj(how: *mut Handle) = "cusolverDnCreateGesvdjInfo";
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
    fn sgesvdj_size(
        handle: Handle,
        vectors: c_int,
        m: c_int,
        n: c_int,
        a: *const c_void,
        lda: c_int,
        s: *const c_void,
        u: *const c_void,
        ldu: c_int,
        v: *const c_void,
        ldv: c_int,
        size: *mut c_int,
        how: Handle,
        batch: c_int,
    ) = "cusolverDnSgesvdjBatched_bufferSize";
    fn sgesvdj(
        handle: Handle,
        vectors: c_int,
        m: c_int,
        n: c_int,
        a: *mut c_void,
        lda: c_int,
        s: *mut c_void,
        u: *mut c_void,
        ldu: c_int,
        v: *mut c_void,
        ldv: c_int,
        work: *mut c_void,
        size: c_int,
        info: *mut c_int,
        how: Handle,
        batch: c_int,
    ) = "cusolverDnSgesvdjBatched";
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
    fn dgesvdj_size(
        handle: Handle,
        vectors: c_int,
        m: c_int,
        n: c_int,
        a: *const c_void,
        lda: c_int,
        s: *const c_void,
        u: *const c_void,
        ldu: c_int,
        v: *const c_void,
        ldv: c_int,
        size: *mut c_int,
        how: Handle,
        batch: c_int,
    ) = "cusolverDnDgesvdjBatched_bufferSize";
    fn dgesvdj(
        handle: Handle,
        vectors: c_int,
        m: c_int,
        n: c_int,
        a: *mut c_void,
        lda: c_int,
        s: *mut c_void,
        u: *mut c_void,
        ldu: c_int,
        v: *mut c_void,
        ldv: c_int,
        work: *mut c_void,
        size: c_int,
        info: *mut c_int,
        how: Handle,
        batch: c_int,
    ) = "cusolverDnDgesvdjBatched";
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
    fn cgesvdj_size(
        handle: Handle,
        vectors: c_int,
        m: c_int,
        n: c_int,
        a: *const c_void,
        lda: c_int,
        s: *const c_void,
        u: *const c_void,
        ldu: c_int,
        v: *const c_void,
        ldv: c_int,
        size: *mut c_int,
        how: Handle,
        batch: c_int,
    ) = "cusolverDnCgesvdjBatched_bufferSize";
    fn cgesvdj(
        handle: Handle,
        vectors: c_int,
        m: c_int,
        n: c_int,
        a: *mut c_void,
        lda: c_int,
        s: *mut c_void,
        u: *mut c_void,
        ldu: c_int,
        v: *mut c_void,
        ldv: c_int,
        work: *mut c_void,
        size: c_int,
        info: *mut c_int,
        how: Handle,
        batch: c_int,
    ) = "cusolverDnCgesvdjBatched";
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
    fn zgesvdj_size(
        handle: Handle,
        vectors: c_int,
        m: c_int,
        n: c_int,
        a: *const c_void,
        lda: c_int,
        s: *const c_void,
        u: *const c_void,
        ldu: c_int,
        v: *const c_void,
        ldv: c_int,
        size: *mut c_int,
        how: Handle,
        batch: c_int,
    ) = "cusolverDnZgesvdjBatched_bufferSize";
    fn zgesvdj(
        handle: Handle,
        vectors: c_int,
        m: c_int,
        n: c_int,
        a: *mut c_void,
        lda: c_int,
        s: *mut c_void,
        u: *mut c_void,
        ldu: c_int,
        v: *mut c_void,
        ldv: c_int,
        work: *mut c_void,
        size: c_int,
        info: *mut c_int,
        how: Handle,
        batch: c_int,
    ) = "cusolverDnZgesvdjBatched";
}

/// The function of a dtype, of those that have one for each.
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

/// The cuSOLVER that is used.
pub(super) fn file() -> Result<PathBuf> {
    places::find(&places::CUSOLVER, places::driver())
}

fn open(file: &Path) -> Result<Library> {
    // Parts of it lie beside it or in folders beside its own, and the loader need not look there: one that is loaded
    // already serves.
    let part = |package: &str, name: &str| {
        let beside = file.with_file_name(name);
        let apart = file.ancestors().nth(3).map(|root| root.join(package).join("lib").join(name));
        for part in [Some(beside), apart].into_iter().flatten().filter(|part| part.is_file()) {
            // SAFETY: loading a part of CUDA runs its initialisers, which have no preconditions.
            if let Ok(library) = unsafe { Library::new(&part) } {
                std::mem::forget(library);
                return;
            }
        }
    };
    for version in [13, 12] {
        part("nvjitlink", &format!("libnvJitLink.so.{version}"));
        part("cublas", &format!("libcublasLt.so.{version}"));
        part("cublas", &format!("libcublas.so.{version}"));
        part("cusparse", "libcusparse.so.12");
    }
    // SAFETY: as above.
    unsafe { Library::new(file) }
        .map_err(|e| Error::new(ErrorKind::Library, format!("cuSOLVER at {} does not load: {e}", file.display())))
}

impl Api {
    fn load() -> Result<Api> {
        let library = open(&file()?)?;
        let lacking = |name: &str, version: &str| {
            Error::new(
                ErrorKind::Library,
                format!("cuSOLVER {version} has no function {name}: the one of CUDA 12.6 or later is needed"),
            )
        };
        let version = Api::resolve(&library, |name| lacking(name, "")).version();
        let api = Api::resolve(&library, |name| lacking(name, &version));
        // The library stays loaded for as long as the process lives.
        std::mem::forget(library);
        Ok(api)
    }

    fn version(&self) -> String {
        let part = |which| {
            let mut value = 0;
            // SAFETY: `value` is a live variable.
            unsafe { self.property(which, &mut value) }.ok().map(|()| value)
        };
        match (part(0), part(1)) {
            (Some(major), Some(minor)) => format!("{major}.{minor}"),
            _ => "of no version".into(),
        }
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

/// The handles of cuSOLVER, one for each stream. What fails is tried again at the next call.
#[derive(Debug, Default)]
pub(super) struct Cusolver {
    api: OnceLock<Api>,
    handles: Mutex<Handles>,
}

/// What calls on a stream are made with. The library keeps what it is doing in all of it, and some of its functions work on
/// the host for long: threads that share a stream take turns.
#[derive(Debug)]
struct Own {
    handle: usize,
    /// Parameters and the settings of Jacobi's method, as they come, made where a task first asks for them.
    params: Option<usize>,
    jacobi: Option<usize>,
}

impl Own {
    /// With a new handle; the caller has a context current.
    fn new(api: &Api) -> Result<Arc<Mutex<Own>>> {
        let mut handle = ptr::null_mut();
        // SAFETY: `handle` is a live variable.
        unsafe { api.create(&mut handle) }?;
        Ok(Arc::new(Mutex::new(Own { handle: handle as usize, params: None, jacobi: None })))
    }
}

#[derive(Debug, Default)]
struct Handles {
    of: FxHashMap<StreamHandle, Arc<Mutex<Own>>>,
    /// Those of streams that are no more: destroying one would wait for the device.
    idle: Vec<Arc<Mutex<Own>>>,
}

fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A task as the library is called for it.
struct Called<'a> {
    api: &'a Api,
    handle: Handle,
    params: Handle,
    jacobi: Handle,
    dense: &'a Dense,
    data: cudaDataType,
    /// Of singular values, and of eigenvalues of Hermitian matrices.
    real: cudaDataType,
    complex: cudaDataType,
}

fn operation(turn: Turn) -> cublasOperation_t {
    match turn {
        Turn::None => cublasOperation_t::CUBLAS_OP_N,
        Turn::Transposed => cublasOperation_t::CUBLAS_OP_T,
        Turn::Adjoint => cublasOperation_t::CUBLAS_OP_C,
    }
}

/// A size that the library takes in 32 bits.
fn int(n: usize) -> Result<c_int> {
    c_int::try_from(n).map_err(|_| {
        Error::new(
            ErrorKind::Value,
            format!("a side or a stack of {n} is more than the {} that cuSOLVER takes", c_int::MAX),
        )
    })
}

impl Cusolver {
    fn api(&self) -> Result<&Api> {
        match self.api.get() {
            Some(api) => Ok(api),
            None => {
                let api = Api::load()?;
                Ok(self.api.get_or_init(|| api))
            }
        }
    }

    /// What a stream has of its own.
    fn own(&self, api: &Api, stream: StreamHandle) -> Result<Arc<Mutex<Own>>> {
        let mut handles = locked(&self.handles);
        if let Some(own) = handles.of.get(&stream) {
            return Ok(own.clone());
        }
        let own = match handles.idle.pop() {
            Some(own) => own,
            None => Own::new(api)?,
        };
        let handle = locked(&own).handle as Handle;
        // SAFETY: the handle is live and no one else's, and the caller's stream is live.
        if let Err(e) = unsafe { api.set_stream(handle, stream as *mut c_void) } {
            handles.idle.push(own);
            return Err(e);
        }
        handles.of.insert(stream, own.clone());
        Ok(own)
    }

    /// Has a handle ready for the next stream, where the library is in use: none is made while a stream is captured.
    pub(super) fn prepare(&self) -> Result<()> {
        let Some(api) = self.api.get() else { return Ok(()) };
        let mut handles = locked(&self.handles);
        if handles.idle.is_empty() {
            handles.idle.push(Own::new(api)?);
        }
        Ok(())
    }

    /// Takes the handle away from a stream that is about to be destroyed.
    pub(super) fn forget(&self, stream: StreamHandle) {
        let mut handles = locked(&self.handles);
        if let Some(own) = handles.of.remove(&stream) {
            handles.idle.push(own);
        }
    }

    /// What is made once, by one of the library's functions.
    fn once(cell: &mut Option<usize>, make: impl Fn(*mut Handle) -> Result<()>) -> Result<Handle> {
        if let Some(made) = *cell {
            return Ok(made as Handle);
        }
        let mut made = ptr::null_mut();
        make(&mut made)?;
        *cell = Some(made as usize);
        Ok(made)
    }

    /// Calls the library for a task, no other thread using the stream's handle meanwhile.
    fn calling<T>(&self, dense: &Dense, stream: StreamHandle, call: impl FnOnce(Called<'_>) -> Result<T>) -> Result<T> {
        use cudaDataType::{CUDA_C_32F, CUDA_C_64F, CUDA_R_32F, CUDA_R_64F};
        let (data, real, complex) = match dense.dtype {
            DType::F32 => (CUDA_R_32F, CUDA_R_32F, CUDA_C_32F),
            DType::F64 => (CUDA_R_64F, CUDA_R_64F, CUDA_C_64F),
            DType::C64 => (CUDA_C_32F, CUDA_R_32F, CUDA_C_32F),
            DType::C128 => (CUDA_C_64F, CUDA_R_64F, CUDA_C_64F),
            other => return Err(Error::new(ErrorKind::Type, format!("cuSOLVER has no linear algebra of {other}"))),
        };
        let api = self.api()?;
        let own = self.own(api, stream)?;
        let mut own = locked(&own);
        let handle = own.handle as Handle;
        // SAFETY: what is made is written to a live variable.
        let params = Self::once(&mut own.params, |made| unsafe { api.create_params(made) })?;
        let jacobi = if matches!(dense.task, Task::Gesvdj { .. }) {
            // SAFETY: as above.
            Self::once(&mut own.jacobi, |made| unsafe { api.create_gesvdj(made) })?
        } else {
            ptr::null_mut()
        };
        call(Called { api, handle, params, jacobi, dense, data, real, complex })
    }

    /// Bytes of device memory that a task needs beside its arrays.
    pub(super) fn workspace(&self, dense: &Dense, stream: StreamHandle) -> Result<usize> {
        let by_cublas = match dense.task {
            Task::Getri | Task::Trsm { .. } | Task::Getrs { .. } => true,
            Task::Getrf => pivot_dtype(dense.batch, dense.m, dense.n) == DType::I32,
            Task::Geqrf | Task::Potrf { .. } => dense.batch > 1,
            _ => false,
        };
        if by_cublas { Ok(0) } else { self.calling(dense, stream, |called| Ok(called.sizes()?.0)) }
    }

    /// Queues a task.
    ///
    /// # Safety
    ///
    /// The device's context is current, the stream is live, and the arrays and the workspace are live device memory of the
    /// task's sizes until the stream has come past it.
    pub(super) unsafe fn run(
        &self,
        cublas: &Cublas,
        dense: &Dense,
        workspace: (u64, usize),
        stream: StreamHandle,
    ) -> Result<()> {
        let stack = dense.batch > 1;
        let narrow_pivots = pivot_dtype(dense.batch, dense.m, dense.n) == DType::I32;
        match dense.task {
            Task::Getri | Task::Trsm { .. } => {
                // SAFETY: the caller's promise.
                unsafe { cublas.dense(dense, stream) }
            }
            Task::Geqrf if stack => {
                // SAFETY: as above.
                unsafe { cublas.dense(dense, stream) }
            }
            Task::Getrf | Task::Getrs { .. } if narrow_pivots => {
                // SAFETY: as above.
                unsafe { cublas.dense(dense, stream) }
            }
            _ => self.calling(dense, stream, |called| {
                if !stack || called.takes_stack() {
                    // SAFETY: as above.
                    return unsafe { called.run(workspace) };
                }
                for number in 0..dense.batch {
                    let one = dense.of_stack(number);
                    // SAFETY: as above, of one matrix of the stack.
                    unsafe { Called { dense: &one, ..called }.run(workspace) }?;
                }
                Ok(())
            }),
        }
    }
}

impl Dense {
    /// The task of one matrix of a stack.
    fn of_stack(&self, number: usize) -> Dense {
        let (m, n, k, size) = (self.m, self.n, self.k, self.dtype.size());
        let short = m.min(n);
        let real = if self.dtype.is_complex() { size / 2 } else { size };
        let bytes = match self.task {
            Task::Potrf { .. } => [n * n * size, 0, 0, 0],
            Task::Getrf => [m * n * size, short * 8, 0, 0],
            Task::Getrs { .. } => [n * n * size, n * 8, n * k * size, 0],
            Task::Getri => [n * n * size, n * 8, n * n * size, 0],
            Task::Trsm { .. } => [n * n * size, n * k * size, 0, 0],
            Task::Geqrf => [m * n * size, short * size, 0, 0],
            Task::Orgqr => [m * n * size, k * size, 0, 0],
            Task::Gesvd { vectors } => {
                let [columns, rows] = if vectors == SingularVectors::Full { [m, n] } else { [short; 2] };
                [m * n * size, short * real, m * columns * size, rows * n * size]
            }
            Task::Gesvdj { .. } => [m * n * size, short * real, m * m * size, n * n * size],
            Task::Syevd { .. } => [n * n * size, n * real, 0, 0],
            Task::Geev { .. } => [n * n * size, n * 2 * real, n * n * size, 0],
        };
        let at = |k: usize| if self.arrays[k] == 0 { 0 } else { self.arrays[k] + (number * bytes[k]) as u64 };
        Dense {
            batch: 1,
            arrays: std::array::from_fn(at),
            info: if self.info == 0 { 0 } else { self.info + 4 * number as u64 },
            ..*self
        }
    }
}

impl Called<'_> {
    /// Whether the function takes a stack as it is.
    fn takes_stack(&self) -> bool {
        matches!(self.dense.task, Task::Potrf { .. } | Task::Syevd { .. } | Task::Gesvdj { .. })
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

    /// The leading dimensions of the singular vectors, which are at least one where none are wanted.
    fn leading(&self, vectors: SingularVectors) -> [i64; 2] {
        let Dense { m, n, .. } = *self.dense;
        match vectors {
            SingularVectors::Thin => [m as i64, m.min(n) as i64],
            _ => [m as i64, n as i64],
        }
    }

    /// Bytes of the workspaces of one call, on the device and on the host.
    fn sizes(&self) -> Result<(usize, usize)> {
        let &Dense { task, dtype, m, n, k, batch, .. } = self.dense;
        let (mut device, mut host, mut elements) = (0, 0, 0);
        let (api, handle, params, data) = (self.api, self.handle, self.params, self.data);
        let (a, rows, columns) = (self.array(0), m as i64, n as i64);
        let (m32, n32, k32) = (int(m)?, int(n)?, int(k)?);
        // SAFETY: sizes are written to live variables; the arrays are asked for their addresses alone.
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
                Task::Gesvdj { vectors } => typed!(
                    api,
                    dtype,
                    [sgesvdj_size, dgesvdj_size, cgesvdj_size, zgesvdj_size],
                    handle,
                    vectors.into(),
                    m32,
                    n32,
                    a,
                    m32,
                    self.array(1),
                    self.array(2),
                    m32,
                    self.array(3),
                    n32,
                    &mut elements,
                    self.jacobi,
                    int(batch)?,
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

    /// # Safety
    ///
    /// As [`Cusolver::run`].
    unsafe fn run(&self, (workspace, bytes): (u64, usize)) -> Result<()> {
        let &Dense { task, dtype, m, n, k, batch, pointers, info, .. } = self.dense;
        let (api, handle, params, data) = (self.api, self.handle, self.params, self.data);
        let (a, rows, columns) = (self.array(0), m as i64, n as i64);
        let (m32, n32, k32) = (int(m)?, int(n)?, int(k)?);
        let info = info as *mut c_int;
        if let Task::Potrf { upper } = task
            && batch > 1
        {
            // SAFETY: the caller's promise; the table has the address of each matrix.
            return unsafe {
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
            };
        }
        if let Task::Getrs { turn } = task {
            // SAFETY: the caller's promise.
            return unsafe {
                api.getrs(
                    handle,
                    params,
                    operation(turn),
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
            };
        }
        let (_, host_bytes) = self.sizes()?;
        // The library has read and written it when the call returns.
        let mut host = vec![0u8; host_bytes];
        let (work, host) = (workspace as *mut c_void, host.as_mut_ptr().cast::<c_void>());
        let elements = int(bytes / dtype.size())?;
        // SAFETY: the caller's promise; both workspaces are as large as the library asked.
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
                Task::Gesvdj { vectors } => typed!(
                    api,
                    dtype,
                    [sgesvdj, dgesvdj, cgesvdj, zgesvdj],
                    handle,
                    vectors.into(),
                    m32,
                    n32,
                    a,
                    m32,
                    self.array(1),
                    self.array(2),
                    m32,
                    self.array(3),
                    n32,
                    work,
                    elements,
                    info,
                    self.jacobi,
                    int(batch)?,
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
        }
    }
}
