//! Eigenvalues and singular values, `_cuprum.eigen`, which `cuprum.cupyx.scipy.sparse.linalg` wraps.

use std::sync::{Mutex, PoisonError};

use cuprum::scipy::sparse::linalg::{
    self, EigsOptions, EigshOptions, LinearOperator, LobpcgOptions, SvdsOptions, Which,
};
use cuprum::{Array, DType, Error, ErrorKind};
use pyo3::prelude::*;

use crate::arnoldi::Matrix;
use crate::array::NdArray;
use crate::convert::wrap;
use crate::dtypes;
use crate::errors::{OrRaise, type_error};
use crate::sparse::array;

/// Operator of an iteration: a matrix, or an object of Python with the methods of a linear operator.
#[derive(Debug)]
enum Operator {
    Matrix(Matrix),
    Python(PyOperator),
}

/// Linear operator whose products Python computes.
#[derive(Debug)]
struct PyOperator {
    object: Py<PyAny>,
    shape: [usize; 2],
    dtype: DType,
    /// The exception of a product, which the call raises in place of the iteration's error.
    raised: Mutex<Option<PyErr>>,
}

impl Operator {
    /// Returns the operator of the core of a matrix, or of an object with the methods of a linear operator and this dtype.
    fn of(object: &Bound<'_, PyAny>, dtype: &Bound<'_, PyAny>) -> PyResult<Operator> {
        if !object.hasattr("matmat")? {
            return Matrix::of(object).map(Operator::Matrix);
        }
        let shape = object.getattr("shape")?.extract()?;
        let (object, raised) = (object.clone().unbind(), Mutex::new(None));
        Ok(Operator::Python(PyOperator { object, shape, dtype: dtypes::of(dtype)?, raised }))
    }

    fn as_dyn(&self) -> &dyn LinearOperator {
        match self {
            Operator::Matrix(a) => a.as_dyn(),
            Operator::Python(a) => a,
        }
    }

    /// Raises the exception of a product.
    fn check(&self) -> PyResult<()> {
        let Operator::Python(a) = self else { return Ok(()) };
        a.raised.lock().unwrap_or_else(PoisonError::into_inner).take().map_or(Ok(()), Err)
    }
}

impl PyOperator {
    fn product(&self, method: &str, x: &Array) -> cuprum::Result<Array> {
        let call = |py: Python<'_>| -> PyResult<Array> {
            let product = self.object.bind(py).call_method1(method, (wrap(py, x.clone())?,))?;
            let product = py.import("cuprum")?.call_method1("asarray", (product,))?;
            Ok(array(&product)?.clone())
        };
        Python::attach(call).map_err(|e| {
            *self.raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(e);
            Error::new(ErrorKind::Value, "a product of the operator raised an exception")
        })
    }
}

impl LinearOperator for PyOperator {
    fn shape(&self) -> [usize; 2] {
        self.shape
    }

    fn dtype(&self) -> DType {
        self.dtype
    }

    fn matvec(&self, v: &Array) -> cuprum::Result<Array> {
        self.product("matvec", v)
    }

    fn rmatvec(&self, v: &Array) -> cuprum::Result<Array> {
        self.product("rmatvec", v)
    }

    fn matmat(&self, x: &Array) -> cuprum::Result<Array> {
        self.product("matmat", x)
    }

    fn rmatmat(&self, x: &Array) -> cuprum::Result<Array> {
        self.product("rmatmat", x)
    }
}

/// Runs an iteration without the GIL; exceptions of operators come first.
fn run<T: Send>(
    py: Python<'_>,
    operators: &[&Operator],
    compute: impl FnOnce() -> cuprum::Result<T> + Send,
) -> PyResult<T> {
    let result = py.detach(compute);
    operators.iter().try_for_each(|operator| operator.check())?;
    result.or_raise()
}

fn which_named(name: &str) -> PyResult<Which> {
    Ok(match name {
        "LM" => Which::LM,
        "SM" => Which::SM,
        "LA" => Which::LA,
        "SA" => Which::SA,
        "BE" => Which::BE,
        "LR" => Which::LR,
        "SR" => Which::SR,
        "LI" => Which::LI,
        "SI" => Which::SI,
        other => return type_error(format!("which: there is no {other:?}")),
    })
}

/// Arguments that all iterations share.
struct Arguments<'a> {
    a: Operator,
    which: Which,
    v0: Option<&'a Array>,
    ncv: Option<usize>,
    maxiter: Option<usize>,
}

impl<'a> Arguments<'a> {
    /// Reads an operator and its dtype, `which`, the first vector, and `limits`, which are `ncv` and `maxiter`.
    fn read(
        a: &Bound<'_, PyAny>,
        dtype: &Bound<'_, PyAny>,
        which: &str,
        v0: Option<&'a Bound<'_, PyAny>>,
        [ncv, maxiter]: [Option<usize>; 2],
    ) -> PyResult<Arguments<'a>> {
        let (a, v0) = (Operator::of(a, dtype)?, v0.map(array).transpose()?);
        Ok(Arguments { a, which: which_named(which)?, v0, ncv, maxiter })
    }
}

type Pairs<'py> = (Bound<'py, NdArray>, Bound<'py, NdArray>, i64);

/// Returns eigenvalues and eigenvectors that have converged, and 0 if all have: of a Hermitian operator, or of another
/// one for `general`. `limits` are `ncv` and `maxiter`.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "one call from Python")]
fn eigenpairs<'py>(
    py: Python<'py>,
    a: &Bound<'_, PyAny>,
    dtype: &Bound<'_, PyAny>,
    k: usize,
    which: &str,
    v0: Option<&Bound<'_, PyAny>>,
    limits: [Option<usize>; 2],
    tol: f64,
    general: bool,
) -> PyResult<Pairs<'py>> {
    let Arguments { a, which, v0, ncv, maxiter } = Arguments::read(a, dtype, which, v0, limits)?;
    let found = run(py, &[&a], || {
        if general {
            linalg::eigs(a.as_dyn(), k, EigsOptions { which, v0, ncv, maxiter, tol, ..Default::default() })
        } else {
            linalg::eigsh(a.as_dyn(), k, EigshOptions { which, v0, ncv, maxiter, tol, ..Default::default() })
        }
    })?;
    Ok((wrap(py, found.values)?, wrap(py, found.vectors)?, found.info))
}

type Triplets<'py> = (Bound<'py, NdArray>, Bound<'py, NdArray>, Bound<'py, NdArray>, i64);

/// Returns singular values and vectors that have converged, and 0 if all have.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "one call from Python")]
fn svds<'py>(
    py: Python<'py>,
    a: &Bound<'_, PyAny>,
    dtype: &Bound<'_, PyAny>,
    k: usize,
    which: &str,
    v0: Option<&Bound<'_, PyAny>>,
    limits: [Option<usize>; 2],
    tol: f64,
) -> PyResult<Triplets<'py>> {
    let Arguments { a, which, v0, ncv, maxiter } = Arguments::read(a, dtype, which, v0, limits)?;
    let found = run(py, &[&a], || linalg::svds(a.as_dyn(), k, SvdsOptions { which, v0, ncv, maxiter, tol }))?;
    Ok((wrap(py, found.u)?, wrap(py, found.s)?, wrap(py, found.vh)?, found.info))
}

type Block<'py> = (Bound<'py, NdArray>, Bound<'py, NdArray>, bool, Vec<Vec<f64>>, Vec<Vec<f64>>);

/// Returns the eigenvalues and vectors of the best iteration, true if they have converged, and the histories. The
/// operators are A, B and the preconditioner.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "one call from Python")]
fn lobpcg<'py>(
    py: Python<'py>,
    operators: (Bound<'_, PyAny>, Option<Bound<'_, PyAny>>, Option<Bound<'_, PyAny>>),
    dtype: &Bound<'_, PyAny>,
    x: &Bound<'_, PyAny>,
    y: Option<&Bound<'_, PyAny>>,
    tol: Option<f64>,
    maxiter: usize,
    largest: bool,
) -> PyResult<Block<'py>> {
    let of = |object: Option<Bound<'_, PyAny>>| object.map(|object| Operator::of(&object, dtype)).transpose();
    let (a, b, m) = (Operator::of(&operators.0, dtype)?, of(operators.1)?, of(operators.2)?);
    let (x, y) = (array(x)?, y.map(array).transpose()?);
    let every: Vec<&Operator> = [Some(&a), b.as_ref(), m.as_ref()].into_iter().flatten().collect();
    let found = run(py, &every, || {
        let (b, m) = (b.as_ref().map(Operator::as_dyn), m.as_ref().map(Operator::as_dyn));
        linalg::lobpcg(a.as_dyn(), x, LobpcgOptions { b, m, y, tol, maxiter, largest })
    })?;
    let (values, vectors) = (wrap(py, found.values)?, wrap(py, found.vectors)?);
    Ok((values, vectors, found.converged, found.lambdas, found.residual_norms))
}

/// Adds the submodule to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let eigen = PyModule::new(module.py(), "eigen")?;
    eigen.add_function(wrap_pyfunction!(eigenpairs, &eigen)?)?;
    eigen.add_function(wrap_pyfunction!(svds, &eigen)?)?;
    eigen.add_function(wrap_pyfunction!(lobpcg, &eigen)?)?;
    module.add_submodule(&eigen)
}
