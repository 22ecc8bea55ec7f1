//! Dense linear algebra on CUDA devices by cuSOLVER; for batches of small matrices by cuBLAS.
//!
//! A single matrix is processed by the functions with 64-bit sizes, which take the dtype as an argument. Batches have
//! functions of their own, one for each dtype. Where the library has no batched function (products of reflectors,
//! eigenvalues of nonsymmetric matrices, singular values) the matrices are queued one after the other.

use std::ffi::c_void;
use std::ptr;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use cudarc::cublas::sys::cudaDataType;
use cuprum_kernels::DType;
use rustc_hash::FxHashMap;

use super::cublas::Cublas;
use super::cusolver_api::{Api, Handle};
use super::cusolver_calls::CusolverCall;
use super::dense::{SingularVectors, Task, pivot_dtype};
use super::{Dense, StreamHandle};
use crate::error::{Error, ErrorKind, Result};

/// cuSOLVER of a device, with a handle for each stream. A failed initialisation is retried at the next call.
#[derive(Debug, Default)]
pub(super) struct Cusolver {
    /// The library, loaded at the first task.
    api: OnceLock<Api>,
    /// A handle for each stream.
    handles: Mutex<Handles>,
}

/// Handle and parameters of a stream. The library keeps the state of a call in them, and some of its functions work on
/// the host for long: threads that share a stream take turns.
#[derive(Debug)]
struct Own {
    /// The library's handle.
    handle: usize,
    /// Default parameters, created when a task first needs them.
    params: Option<usize>,
}

impl Own {
    /// Creates a handle; a context must be current.
    fn new(api: &Api) -> Result<Arc<Mutex<Own>>> {
        let mut handle = ptr::null_mut();
        // SAFETY: `handle` is a live variable.
        unsafe { api.create(&mut handle) }?;
        Ok(Arc::new(Mutex::new(Own { handle: handle as usize, params: None })))
    }
}

/// Handles of the library, which outlive the calls.
#[derive(Debug, Default)]
struct Handles {
    /// Handle and parameters of each stream.
    of: FxHashMap<StreamHandle, Arc<Mutex<Own>>>,
    /// Handles of destroyed streams: destroying a handle would synchronise the device.
    idle: Vec<Arc<Mutex<Own>>>,
}

fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
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

    /// Returns the handle and parameters of a stream.
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
        // SAFETY: the handle is live and not used otherwise, and the caller's stream is live.
        if let Err(e) = unsafe { api.set_stream(handle, stream as *mut c_void) } {
            handles.idle.push(own);
            return Err(e);
        }
        handles.of.insert(stream, own.clone());
        Ok(own)
    }

    /// Creates a spare handle for the next stream, if the library is in use: none can be created while a stream is
    /// captured.
    pub(super) fn prepare(&self) -> Result<()> {
        let Some(api) = self.api.get() else { return Ok(()) };
        let mut handles = locked(&self.handles);
        if handles.idle.is_empty() {
            handles.idle.push(Own::new(api)?);
        }
        Ok(())
    }

    /// Releases the handle of a stream that is about to be destroyed.
    pub(super) fn forget(&self, stream: StreamHandle) {
        let mut handles = locked(&self.handles);
        if let Some(own) = handles.of.remove(&stream) {
            handles.idle.push(own);
        }
    }

    /// Returns an object that one of the library's functions creates at first use.
    fn once(cell: &mut Option<usize>, make: impl Fn(*mut Handle) -> Result<()>) -> Result<Handle> {
        if let Some(made) = *cell {
            return Ok(made as Handle);
        }
        let mut made = ptr::null_mut();
        make(&mut made)?;
        *cell = Some(made as usize);
        Ok(made)
    }

    /// Calls the library for a task, while no other thread uses the stream's handle.
    fn calling<T>(
        &self,
        dense: &Dense,
        stream: StreamHandle,
        call: impl FnOnce(CusolverCall<'_>) -> Result<T>,
    ) -> Result<T> {
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
        // SAFETY: the created object is written to a live variable.
        let params = Self::once(&mut own.params, |made| unsafe { api.create_params(made) })?;
        call(CusolverCall { api, handle, params, dense, data, real, complex })
    }

    /// Returns the bytes of device memory that a task needs besides its arrays.
    pub(super) fn workspace(&self, dense: &Dense, stream: StreamHandle) -> Result<usize> {
        let by_cublas = match dense.task {
            Task::Getri | Task::Trsm { .. } | Task::Getrs { .. } => true,
            Task::Getrf => pivot_dtype(dense.batch, dense.m, dense.n) == DType::I32,
            Task::Geqrf | Task::Potrf { .. } => dense.batch > 1,
            _ => false,
        };
        if by_cublas { Ok(0) } else { self.calling(dense, stream, |called| Ok(called.sizes()?.0)) }
    }

    /// Queues a task. Returns the addresses of the info codes of matrices that the library perturbed.
    ///
    /// # Safety
    ///
    /// The device's context is current, the stream is live, and the arrays and the workspace are live device memory of
    /// the task's sizes until the stream has completed it.
    pub(super) unsafe fn run(
        &self,
        cublas: &Cublas,
        dense: &Dense,
        workspace: (u64, usize),
        stream: StreamHandle,
    ) -> Result<Vec<u64>> {
        let stack = dense.batch > 1;
        let narrow_pivots = pivot_dtype(dense.batch, dense.m, dense.n) == DType::I32;
        match dense.task {
            Task::Getri | Task::Trsm { .. } => {
                // SAFETY: guaranteed by the caller.
                unsafe { cublas.dense(dense, stream) }.map(|()| Vec::new())
            }
            Task::Geqrf if stack => {
                // SAFETY: as above.
                unsafe { cublas.dense(dense, stream) }.map(|()| Vec::new())
            }
            Task::Getrf | Task::Getrs { .. } if narrow_pivots => {
                // SAFETY: as above.
                unsafe { cublas.dense(dense, stream) }.map(|()| Vec::new())
            }
            _ => self.calling(dense, stream, |called| {
                if !stack || called.takes_stack() {
                    // SAFETY: as above.
                    let perturbed = unsafe { called.run(workspace) }?;
                    return Ok(if perturbed { vec![dense.info] } else { Vec::new() });
                }
                let mut perturbed = Vec::new();
                for number in 0..dense.batch {
                    let one = dense.of_stack(number);
                    // SAFETY: as above, for one matrix of the batch.
                    if unsafe { CusolverCall { dense: &one, ..called }.run(workspace) }? {
                        perturbed.push(one.info);
                    }
                }
                Ok(perturbed)
            }),
        }
    }
}

impl Dense {
    /// Returns the task of one matrix of a batch.
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
            Task::Gesvd { vectors } | Task::Gesvdp { vectors } => {
                let [columns, rows] = if vectors == SingularVectors::Full { [m, n] } else { [short; 2] };
                [m * n * size, short * real, m * columns * size, rows * n * size]
            }
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
