//! Factorisations of sparse matrices by a library of the device.
//!
//! The time is that of the library; its memory is its own.

use std::sync::{Mutex, PoisonError};

use cuprum_kernels::DType;

use super::launch::one_device;
use crate::array::Array;
use crate::cuda::{Access, Device};
use crate::driver::sparse_library::{LibraryFactors, SolveMode, SparseOptions, SparseReport, SparseStep, SparseSystem};
use crate::error::{ErrorKind, Result};

/// Factors of a sparse matrix in the memory of a library.
#[derive(Debug)]
pub(crate) struct SparseLibrary {
    /// The device.
    device: Device,
    /// The factors; `None` once they are released. A library has one caller at a time.
    factors: Mutex<Option<Box<dyn LibraryFactors>>>,
    /// Pointers, columns and values, which the library reads again.
    arrays: [Array; 3],
    /// The report on the factorisation.
    pub(crate) report: SparseReport,
}

impl SparseLibrary {
    /// Factors a square matrix in compressed rows, sorted and distinct; the lower triangle of a Hermitian one; or a
    /// batch of matrices of this pattern, whose values follow each other. Returns `None` if the device has no library for
    /// it, or one that does not support it. Synchronises.
    ///
    /// # Errors
    ///
    /// Those of the library. A matrix without a pivot is no error: its report says so.
    pub(crate) fn factor(arrays: [Array; 3], options: SparseOptions) -> Result<Option<SparseLibrary>> {
        let [indptr, columns, values] = &arrays;
        let device = one_device(values, [indptr, columns])?;
        let system = SparseSystem {
            rows: indptr.size() - 1,
            entries: columns.size(),
            dtype: values.dtype(),
            wide: indptr.dtype() == DType::I64,
            options,
            indptr: indptr.addr(),
            columns: columns.addr(),
            values: values.addr(),
        };
        let Some(factors) = device.driver()?.sparse_library(&system)? else { return Ok(None) };
        match SparseLibrary::with(device, arrays, factors) {
            Err(e) if e.kind() == ErrorKind::NotImplemented => Ok(None),
            result => result.map(Some),
        }
    }

    /// Factors a matrix by a library.
    pub(crate) fn with(device: Device, arrays: [Array; 3], factors: Box<dyn LibraryFactors>) -> Result<SparseLibrary> {
        let factors = Mutex::new(Some(factors));
        let mut new = SparseLibrary { device, factors, arrays, report: SparseReport::default() };
        new.run(SparseStep::Analyse, &[])?;
        new.run(SparseStep::Factor, &[])?;
        new.report = new.call(|factors| factors.report())?;
        Ok(new)
    }

    /// Factors other values of the pattern in the order of the first ones. Synchronises.
    pub(crate) fn refactor(&mut self, values: Array) -> Result<()> {
        one_device(&self.arrays[2], [&values])?;
        let step = SparseStep::Refactor(values.addr());
        // The library reads the values again in solutions.
        self.arrays[2] = values;
        self.run(step, &[])?;
        self.report = self.call(|factors| factors.report())?;
        Ok(())
    }

    /// Calls the library while the device's context is current.
    fn call<R>(&self, call: impl FnOnce(&mut dyn LibraryFactors) -> Result<R>) -> Result<R> {
        let mut factors = self.factors.lock().unwrap_or_else(PoisonError::into_inner);
        let factors = factors.as_mut().expect("they are released at the end alone");
        let (mut call, mut result) = (Some(call), None);
        self.device.driver()?.in_context(&mut || {
            if let Some(call) = call.take() {
                result = Some(call(&mut **factors)?);
            }
            Ok(())
        })?;
        Ok(result.expect("it was called once"))
    }

    fn run(&self, step: SparseStep, written: &[&Array]) -> Result<()> {
        let queue = self.device.queue();
        for array in &self.arrays {
            array.buffer().touch(&queue, Access::Read)?;
        }
        for array in written {
            array.buffer().touch(&queue, Access::Write)?;
        }
        // SAFETY: the arrays of the system live as long as the factors, those of the step are the caller's operands; the
        // buffers have recorded the stream.
        self.call(|factors| unsafe { factors.run(step, queue.handle()) })
    }

    /// Solves for right-hand sides, an array of shape (number, rows of all matrices) in C order, and writes the solutions
    /// to `x`.
    pub(crate) fn solve(&self, mode: SolveMode, b: &Array, x: &Array) -> Result<()> {
        debug_assert!(b.is_c_contiguous() && x.is_c_contiguous() && b.shape() == x.shape());
        one_device(&self.arrays[2], [b, x])?;
        let step = SparseStep::Solve { mode, b: b.addr(), x: x.addr(), columns: b.shape()[0] };
        self.run(step, &[b, x])
    }
}

impl Drop for SparseLibrary {
    fn drop(&mut self) {
        let factors = self.factors.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        // After a fork the library's memory is another process's.
        let Ok(driver) = self.device.driver_for_drop() else { return std::mem::forget(factors) };
        let mut factors = Some(factors);
        let _ = driver.in_context(&mut || {
            drop(factors.take());
            Ok(())
        });
    }
}
