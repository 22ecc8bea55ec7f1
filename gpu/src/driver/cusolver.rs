//! Dense linear algebra of CUDA devices, by cuSOLVER; of stacks of small matrices by cuBLAS.
//!
//! A matrix alone goes through the functions with 64-bit sizes, which know the dtype from an argument. Stacks have functions
//! of their own, one for each dtype. Where the library has none for stacks (reflectors put together, eigenvalues of
//! matrices that are not symmetric, singular values) the matrices are queued one after the other.

use std::ffi::c_void;
use std::ptr;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use cudarc::cublas::sys::cudaDataType;
use cuprum_kernels::DType;
use rustc_hash::FxHashMap;

use super::cublas::Cublas;
use super::cusolver_api::{Api, Handle};
use super::cusolver_calls::Called;
use super::dense::{SingularVectors, Task, pivot_dtype};
use super::{Dense, StreamHandle};
use crate::error::{Error, ErrorKind, Result};

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
    /// Parameters, as they come, made where a task first asks for them.
    params: Option<usize>,
}

impl Own {
    /// With a new handle; the caller has a context current.
    fn new(api: &Api) -> Result<Arc<Mutex<Own>>> {
        let mut handle = ptr::null_mut();
        // SAFETY: `handle` is a live variable.
        unsafe { api.create(&mut handle) }?;
        Ok(Arc::new(Mutex::new(Own { handle: handle as usize, params: None })))
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
        call(Called { api, handle, params, dense, data, real, complex })
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
    /// Returns the task of one matrix of a stack.
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
