//! The Arnoldi process, `_cuprum.Arnoldi`, and the filter `_cuprum.ChebyshevFilter`, of which `eigsh`, `eigs` and `svds` are
//! made.

use std::sync::{Mutex, PoisonError};

use cuprum::Array;
use cuprum::scipy::sparse::Sparse;
use cuprum::scipy::sparse::linalg::{Arnoldi, ChebyshevFilter, Gram, LinearOperator};
use pyo3::prelude::*;

use crate::array::NdArray;
use crate::convert::wrap;
use crate::dtypes;
use crate::errors::OrRaise;
use crate::sparse::{PySparse, array};

/// A matrix whose products are captured.
enum Matrix {
    Sparse(Box<Sparse>),
    Dense(Array),
}

impl Matrix {
    fn as_dyn(&self) -> &dyn LinearOperator {
        match self {
            Matrix::Sparse(a) => a.as_ref(),
            Matrix::Dense(a) => a,
        }
    }
}

/// The Arnoldi process of a matrix, of its product with its conjugate transpose, or of products that Python computes.
#[pyclass(name = "Arnoldi", module = "cuprum._cuprum", frozen)]
pub(crate) struct PyArnoldi {
    process: Mutex<Arnoldi>,
    matrix: Option<Matrix>,
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
    /// Creates a process for vectors of `length` elements. `a` is a sparse or dense array; `outer` tells which product with its
    /// conjugate transpose is the operator, if it is not the matrix.
    #[new]
    #[pyo3(signature = (dtype, length, steps, locked, a=None, outer=None))]
    fn new(
        dtype: &Bound<'_, PyAny>,
        length: usize,
        steps: usize,
        locked: usize,
        a: Option<&Bound<'_, PyAny>>,
        outer: Option<bool>,
    ) -> PyResult<PyArnoldi> {
        let matrix = match a {
            None => None,
            Some(a) => Some(match a.cast::<PySparse>() {
                Ok(a) => Matrix::Sparse(Box::new(a.get().core().clone())),
                Err(_) => Matrix::Dense(array(a)?.clone()),
            }),
        };
        let process = Arnoldi::new(dtypes::of(dtype)?, length, steps, locked).or_raise()?;
        Ok(PyArnoldi { process: Mutex::new(process), matrix, outer })
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
                (Some(a), None) => process.extend(a.as_dyn(), first, limit, locked).map(drop),
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

/// The Chebyshev filter of a sparse matrix.
#[pyclass(name = "ChebyshevFilter", module = "cuprum._cuprum", frozen)]
pub(crate) struct PyChebyshevFilter {
    filter: Mutex<ChebyshevFilter>,
}

impl PyChebyshevFilter {
    fn with<R>(&self, call: impl FnOnce(&mut ChebyshevFilter) -> cuprum::Result<R>) -> cuprum::Result<R> {
        call(&mut self.filter.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[pymethods]
impl PyChebyshevFilter {
    /// Creates a filter for blocks of `columns` vectors; `outer` as for the Arnoldi process.
    #[new]
    #[pyo3(signature = (a, columns, outer=None))]
    fn new(a: PyRef<'_, PySparse>, columns: usize, outer: Option<bool>) -> PyResult<PyChebyshevFilter> {
        Ok(PyChebyshevFilter { filter: Mutex::new(ChebyshevFilter::new(a.core(), outer, columns).or_raise()?) })
    }

    fn input<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, NdArray>> {
        wrap(py, self.with(|filter| Ok(filter.input().clone())).or_raise()?)
    }

    fn output<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, NdArray>> {
        wrap(py, self.with(|filter| Ok(filter.output().clone())).or_raise()?)
    }

    /// The product of the operator and a block.
    fn product<'py>(&self, py: Python<'py>, block: &Bound<'py, PyAny>) -> PyResult<Bound<'py, NdArray>> {
        let block = array(block)?;
        wrap(py, self.with(|filter| filter.product(block)).or_raise()?)
    }

    /// Applies the polynomial of at least this degree for an interval, and returns its degree.
    fn run(&self, py: Python<'_>, degree: usize, low: f64, high: f64) -> PyResult<usize> {
        py.detach(|| self.with(|filter| filter.run(degree, [low, high]))).or_raise()
    }
}

/// Adds the classes to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyArnoldi>()?;
    module.add_class::<PyChebyshevFilter>()
}
