//! The Arnoldi process, `_cuprum.Arnoldi`, of which functions of matrices and solvers with recycled vectors are built.

use std::sync::{Mutex, PoisonError};

use cuprum::Array;
use cuprum::scipy::sparse::Sparse;
use cuprum::scipy::sparse::linalg::{Arnoldi, Gram, LinearOperator, Preconditioned};
use pyo3::prelude::*;

use crate::array::NdArray;
use crate::convert::wrap;
use crate::dtypes;
use crate::errors::OrRaise;
use crate::sparse::{PySparse, array};
use crate::sparse_incomplete::PyIncompleteFactors;

/// A matrix, or incomplete factors, whose products are captured.
#[derive(Debug)]
pub(crate) enum Matrix {
    Sparse(Box<Sparse>),
    Dense(Array),
    Incomplete(Py<PyIncompleteFactors>),
}

impl Matrix {
    pub(crate) fn of(object: &Bound<'_, PyAny>) -> PyResult<Matrix> {
        if let Ok(factors) = object.cast::<PyIncompleteFactors>() {
            return Ok(Matrix::Incomplete(factors.clone().unbind()));
        }
        Ok(match object.cast::<PySparse>() {
            Ok(a) => Matrix::Sparse(Box::new(a.get().core().clone())),
            Err(_) => Matrix::Dense(array(object)?.clone()),
        })
    }

    pub(crate) fn as_dyn(&self) -> &dyn LinearOperator {
        match self {
            Matrix::Sparse(a) => a.as_ref(),
            Matrix::Dense(a) => a,
            Matrix::Incomplete(factors) => factors.get().core(),
        }
    }
}

/// The Arnoldi process of a matrix, of its product with its conjugate transpose, or of products that Python computes.
#[pyclass(name = "Arnoldi", module = "cuprum._cuprum", frozen)]
pub(crate) struct PyArnoldi {
    process: Mutex<Arnoldi>,
    matrix: Option<Matrix>,
    /// The preconditioner, which is applied before the matrix.
    preconditioner: Option<Matrix>,
    /// The first factor is the matrix for true, its conjugate transpose for false.
    outer: Option<bool>,
}

impl PyArnoldi {
    fn with<R>(&self, call: impl FnOnce(&mut Arnoldi) -> cuprum::Result<R>) -> cuprum::Result<R> {
        call(&mut self.process.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[pymethods]
impl PyArnoldi {
    /// Creates a process for vectors of `length` elements. `a` is a sparse or dense array; `outer` selects which product with its
    /// conjugate transpose is the operator, if it is not the matrix; `m` is a preconditioner, which is applied before the matrix.
    #[new]
    #[pyo3(signature = (dtype, length, steps, locked, a=None, outer=None, m=None))]
    fn new(
        dtype: &Bound<'_, PyAny>,
        length: usize,
        steps: usize,
        locked: usize,
        a: Option<&Bound<'_, PyAny>>,
        outer: Option<bool>,
        m: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyArnoldi> {
        let (matrix, preconditioner) = (a.map(Matrix::of).transpose()?, m.map(Matrix::of).transpose()?);
        let process = Arnoldi::new(dtypes::of(dtype)?, length, steps, locked).or_raise()?;
        Ok(PyArnoldi { process: Mutex::new(process), matrix, preconditioner, outer })
    }

    /// Begins steps whose products Python computes.
    fn begin(&self, py: Python<'_>, first: usize, limit: usize, locked: usize) -> PyResult<()> {
        py.detach(|| self.with(|process| process.begin(first, limit, locked))).or_raise()
    }

    /// Does the steps from 0 up to `limit` with a matrix, until the residual of GMRES falls from its norm `residual[0]` to `residual[1]`;
    /// returns the number of steps that are done.
    fn minimize(&self, py: Python<'_>, limit: usize, residual: (f64, f64)) -> PyResult<usize> {
        let call = || {
            self.with(|process| match (&self.matrix, &self.preconditioner) {
                (None, _) => Ok(0),
                (Some(a), None) => process.minimize(a.as_dyn(), limit, residual),
                (Some(a), Some(m)) => {
                    process.minimize(&Preconditioned { a: a.as_dyn(), m: m.as_dyn() }, limit, residual)
                }
            })
        };
        py.detach(call).or_raise()
    }

    fn basis<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, NdArray>> {
        wrap(py, self.with(|process| Ok(process.basis().clone())).or_raise()?)
    }

    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, NdArray>> {
        wrap(py, self.with(|process| Ok(process.columns().clone())).or_raise()?)
    }

    /// The last vector of the basis.
    fn vector<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, NdArray>> {
        wrap(py, self.with(|process| Ok(process.vector().clone())).or_raise()?)
    }

    /// Does the steps from `first` up to `limit` on the device; without a matrix it begins them only.
    fn extend(&self, py: Python<'_>, first: usize, limit: usize, locked: usize) -> PyResult<()> {
        let call = || {
            self.with(|process| match (&self.matrix, self.outer) {
                (None, _) => process.begin(first, limit, locked),
                (Some(a), None) => match &self.preconditioner {
                    None => process.extend(a.as_dyn(), first, limit, locked).map(drop),
                    Some(m) => {
                        let operator = Preconditioned { a: a.as_dyn(), m: m.as_dyn() };
                        process.extend(&operator, first, limit, locked).map(drop)
                    }
                },
                (Some(a), Some(outer)) => {
                    process.extend(&Gram { a: a.as_dyn(), outer }, first, limit, locked).map(drop)
                }
            })
        };
        py.detach(call).or_raise()
    }

    /// Queues a step with the product of the operator and the last vector.
    fn push(&self, py: Python<'_>, product: &Bound<'_, PyAny>) -> PyResult<()> {
        let product = array(product)?;
        py.detach(|| self.with(|process| process.push(product))).or_raise()
    }
}

/// Adds the class to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyArnoldi>()
}
