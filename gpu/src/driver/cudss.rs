//! Sparse factorisations on CUDA devices by cuDSS, if it is installed.
//!
//! The library orders the matrix on the host and factors it on the device. It replaces pivots that are too small instead
//! of failing: [`SparseReport::perturbed`] counts them.

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::OnceLock;

use cuprum_kernels::DType;

use super::StreamHandle;
use super::cudss_api::{Api, MATRIX_KINDS, Object, VIEWS, config, data, phase};
use super::sparse_library::{LibraryFactors, SolveMode, SparseReport, SparseStep, SparseSystem, Structure};
use crate::error::{Error, ErrorKind, Result};

/// `cudaDataType` of the indices: int32, int64.
const INDEX_TYPES: [c_int; 2] = [10, 24];

/// The status of an argument that the library rejects.
const INVALID_VALUE: c_int = 3;

/// Returns the library, which is loaded once. A failed load is retried at the next call.
fn loaded() -> Result<&'static Api> {
    static API: OnceLock<Api> = OnceLock::new();
    match API.get() {
        Some(api) => Ok(api),
        None => {
            let api = Api::load()?;
            Ok(API.get_or_init(|| api))
        }
    }
}

/// Returns true if the library is installed, which is decided once.
pub(super) fn is_installed() -> bool {
    static INSTALLED: OnceLock<bool> = OnceLock::new();
    *INSTALLED.get_or_init(Api::is_installed)
}

/// Returns `cudaDataType` of a dtype.
fn data_type(dtype: DType) -> Result<c_int> {
    Ok(match dtype {
        DType::F32 => 0,
        DType::F64 => 1,
        DType::C64 => 4,
        DType::C128 => 5,
        other => return Err(Error::new(ErrorKind::Type, format!("cuDSS has no factorisation of {other}"))),
    })
}

/// Objects of the library for one matrix.
#[derive(Debug)]
pub(super) struct CudssFactors<'a> {
    /// Functions of the library.
    api: &'a Api,
    /// The matrix.
    system: SparseSystem,
    /// The library's handle, configuration, data and matrix, as addresses; 0 if one was not created.
    objects: [usize; 4],
}

const HANDLE: usize = 0;
const CONFIG: usize = 1;
const DATA: usize = 2;
const MATRIX: usize = 3;

impl CudssFactors<'static> {
    /// Creates the objects of a matrix with the library that is installed. A context must be current.
    pub(super) fn new(system: SparseSystem) -> Result<CudssFactors<'static>> {
        let new = CudssFactors::with(loaded()?, system)?;
        if let Some(file) = Api::threading_layer() {
            // Without the threads, for which the compiler's OpenMP library is needed, the analysis has one.
            // SAFETY: the handle is live, and the library copies the name.
            let _ = unsafe { new.api.set_threading_layer(new.object(HANDLE), file.as_ptr()) };
        }
        Ok(new)
    }
}

impl<'a> CudssFactors<'a> {
    fn with(api: &'a Api, system: SparseSystem) -> Result<CudssFactors<'a>> {
        let value_type = data_type(system.dtype)?;
        let mut new = CudssFactors { api, system, objects: [0; 4] };
        let mut created: Object = ptr::null_mut();
        // SAFETY: the object is a live variable, here and below.
        let status = unsafe { api.create(&mut created) };
        // A handle that is written is to be destroyed, also after an error.
        new.objects[HANDLE] = created as usize;
        status?;
        // SAFETY: as above.
        unsafe { api.create_config(&mut created) }?;
        new.objects[CONFIG] = created as usize;
        let batch = system.options.batch;
        if batch == 1 {
            new.configure(config::DETERMINISTIC_MODE, c_int::from(system.options.deterministic))?;
        } else {
            // The library has no deterministic mode for batches.
            let size = c_int::try_from(batch)
                .map_err(|_| Error::new(ErrorKind::Value, format!("a batch of {batch} matrices is too large")))?;
            new.configure(config::UBATCH_SIZE, size)?;
            new.configure(config::UBATCH_INDEX, -1)?;
        }
        // SAFETY: the handle is live.
        unsafe { api.create_data(new.object(HANDLE), &mut created) }?;
        new.objects[DATA] = created as usize;
        let structure = system.options.structure;
        let kind = MATRIX_KINDS[usize::from(system.dtype.is_complex())][structure as usize];
        let (rows, entries) = (system.rows as i64, system.entries as i64);
        let index_type = INDEX_TYPES[usize::from(system.wide)];
        let at = |address: u64| address as *const c_void;
        // SAFETY: the library stores the addresses, and reads them in the steps of `run`.
        unsafe {
            api.create_rows(
                &mut created,
                rows,
                rows,
                entries,
                at(system.indptr),
                ptr::null(),
                at(system.columns),
                at(system.values),
                index_type,
                index_type,
                value_type,
                kind,
                VIEWS[usize::from(structure != Structure::General)],
                0,
            )
        }?;
        new.objects[MATRIX] = created as usize;
        Ok(new)
    }

    fn object(&self, which: usize) -> Object {
        self.objects[which] as Object
    }

    fn configure(&self, which: c_int, value: c_int) -> Result<()> {
        let value: *const c_int = &value;
        // SAFETY: the configuration is live, and the value is an int.
        unsafe { self.api.set_config(self.object(CONFIG), which, value.cast(), size_of::<c_int>()) }
    }

    /// Executes a phase with dense matrices for the right-hand sides, if there are any.
    fn execute(&self, phase: c_int, solution: Object, sides: Object) -> Result<()> {
        let [handle, config, data, matrix] = [HANDLE, CONFIG, DATA, MATRIX].map(|k| self.object(k));
        // SAFETY: the objects are live; the caller of `run` guarantees the arrays.
        unsafe { self.api.execute(handle, phase, config, data, matrix, solution, sides) }
    }

    /// Creates the matrix of right-hand sides or solutions, for a batch of those of the first matrix.
    fn dense(&self, address: u64, columns: i64) -> Result<Dense<'a>> {
        let (rows, mut matrix) = (self.system.rows as i64, ptr::null_mut());
        let values = address as *const c_void;
        // SAFETY: the library stores the address; 0 is the layout of contiguous columns.
        unsafe {
            let value_type = data_type(self.system.dtype)?;
            self.api.create_dense(&mut matrix, rows, columns, rows.max(1), values, value_type, 0)
        }?;
        Ok(Dense { api: self.api, matrix })
    }

    /// Returns integers of the data: of int32 or int64, depending on the version of the library.
    fn integers(&self, which: c_int, count: usize) -> Result<Vec<i64>> {
        let (handle, data, mut written) = (self.object(HANDLE), self.object(DATA), 0);
        let mut narrow = vec![0_i32; count];
        // SAFETY: the handle and the data are live, and the array has the size that is passed.
        let status = unsafe {
            self.api.get_data(handle, data, which, narrow.as_mut_ptr().cast(), size_of_val(&narrow[..]), &mut written)
        };
        match status {
            Ok(()) => return Ok(narrow.into_iter().map(i64::from).collect()),
            Err(e) if e.status() == Some(INVALID_VALUE) => {}
            Err(e) => return Err(e),
        }
        let mut wide = vec![0_i64; count];
        let size = size_of_val(&wide[..]);
        // SAFETY: as above.
        unsafe { self.api.get_data(handle, data, which, wide.as_mut_ptr().cast(), size, &mut written) }?;
        Ok(wide)
    }

    /// Returns a number of the factorisation: one for a batch, or one for each of its matrices.
    fn numbers(&self, which: c_int) -> Result<Vec<i64>> {
        match self.integers(which, 1) {
            Err(e) if e.status() == Some(INVALID_VALUE) && self.system.options.batch > 1 => {
                self.integers(which, self.system.options.batch)
            }
            result => result,
        }
    }
}

/// A dense matrix of the library.
struct Dense<'a> {
    api: &'a Api,
    matrix: Object,
}

impl Drop for Dense<'_> {
    fn drop(&mut self) {
        // SAFETY: the matrix is live, and no other step uses it.
        let _ = unsafe { self.api.destroy_matrix(self.matrix) };
    }
}

impl LibraryFactors for CudssFactors<'_> {
    unsafe fn run(&mut self, step: SparseStep, stream: StreamHandle) -> Result<()> {
        // SAFETY: the handle is live, and so is the caller's stream.
        unsafe { self.api.set_stream(self.object(HANDLE), stream as *mut c_void) }?;
        let none = ptr::null_mut();
        match step {
            SparseStep::Analyse => self.execute(phase::ANALYSIS, none, none),
            SparseStep::Factor => self.execute(phase::FACTORIZATION, none, none),
            SparseStep::Refactor(values) => {
                // SAFETY: the matrix is live; the caller guarantees the values.
                unsafe { self.api.set_values(self.object(MATRIX), values as *const c_void) }?;
                self.execute(phase::REFACTORIZATION, none, none)
            }
            SparseStep::Solve { mode, b, x, columns } => {
                let mode = match mode {
                    SolveMode::Normal => 0,
                    SolveMode::Adjoint if self.system.dtype.is_complex() => 2,
                    // The library rejects the conjugate transpose of real matrices.
                    SolveMode::Transposed | SolveMode::Adjoint => 1,
                };
                self.configure(config::SOLVE_MODE, mode)?;
                let options = self.system.options;
                // In its deterministic mode the library solves for one right-hand side at a time.
                let each = if options.deterministic || options.batch > 1 { 1 } else { columns };
                let bytes = (options.batch * self.system.rows * self.system.dtype.size()) as u64;
                for k in (0..columns as u64).step_by(each.max(1)) {
                    let sides = |address: u64| self.dense(address + k * bytes, each as i64);
                    let (x, b) = (sides(x)?, sides(b)?);
                    self.execute(phase::SOLVE, x.matrix, b.matrix)?;
                }
                Ok(())
            }
        }
    }

    fn report(&mut self) -> Result<SparseReport> {
        let info = self.numbers(data::INFO)?.into_iter().find(|&pivot| pivot != 0).unwrap_or(0);
        let perturbed = self.numbers(data::NPIVOTS)?.iter().sum();
        let entries = self.numbers(data::LU_NNZ)?.iter().sum();
        let inertia = match self.system.options.structure {
            Structure::Hermitian => self.integers(data::INERTIA, 2).ok().and_then(|counts| counts.try_into().ok()),
            Structure::General | Structure::Positive => None,
        };
        Ok(SparseReport { info: info as i32, perturbed, inertia, entries })
    }
}

impl Drop for CudssFactors<'_> {
    fn drop(&mut self) {
        let [handle, config, data, matrix] = [HANDLE, CONFIG, DATA, MATRIX].map(|k| self.object(k));
        // SAFETY: each object is live, and destroyed once, in the reverse order of its creation.
        unsafe {
            if !matrix.is_null() {
                let _ = self.api.destroy_matrix(matrix);
            }
            if !data.is_null() {
                let _ = self.api.destroy_data(handle, data);
            }
            if !config.is_null() {
                let _ = self.api.destroy_config(config);
            }
            if !handle.is_null() {
                let _ = self.api.destroy(handle);
            }
        }
    }
}

#[cfg(test)]
mod tests;
