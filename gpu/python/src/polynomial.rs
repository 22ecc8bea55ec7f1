//! Functions of series that take functions or other series: composition, which NumPy has in its classes alone, and
//! interpolation.

use cuprum::Array;
use cuprum::polynomial::Basis;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::array::NdArray;
use crate::convert;
use crate::errors::{OrRaise, stored, value_error, with_callbacks};

/// Returns the basis of a module of `cuprum.polynomial`.
fn basis(name: &str) -> PyResult<Basis> {
    Ok(match name {
        "polynomial" => Basis::Power,
        "chebyshev" => Basis::Chebyshev,
        "legendre" => Basis::Legendre,
        "laguerre" => Basis::Laguerre,
        "hermite" => Basis::Hermite,
        "hermite_e" => Basis::HermiteE,
        other => return value_error(format!("there is no basis {other:?}")),
    })
}

/// Substitutes a series in the basis `of` for the variable of a series; the result is in the basis `of`.
#[pyfunction]
fn compose_series<'py>(
    name: &str,
    c: &Bound<'py, PyAny>,
    of: &str,
    inner: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let (py, c, inner) = (c.py(), convert::as_array(c, None)?, convert::as_array(inner, None)?);
    let (basis, of) = (basis(name)?, basis(of)?);
    let composed = py.detach(|| basis.compose(&c, of, &inner)).or_raise()?;
    Ok(convert::wrap(py, composed)?.into_any())
}

/// Returns the Chebyshev series of a degree that interpolates a function at the Chebyshev points of the first kind.
#[pyfunction]
#[pyo3(signature = (func, deg, args=None))]
#[pyo3(text_signature = "(func, deg, args=())")]
fn chebinterpolate<'py>(
    func: &Bound<'py, PyAny>,
    deg: &Bound<'py, PyAny>,
    args: Option<&Bound<'py, PyTuple>>,
) -> PyResult<Bound<'py, NdArray>> {
    let (py, deg) = (func.py(), convert::index(deg)?);
    let values = |points: &Array| {
        let go = || {
            let mut all = vec![convert::wrap(py, points.clone())?.into_any()];
            all.extend(args.into_iter().flatten());
            convert::as_array(&func.call1(PyTuple::new(py, all)?)?, None)
        };
        go().map_err(stored)
    };
    convert::wrap(py, with_callbacks(|| cuprum::polynomial::chebyshev::chebinterpolate(values, deg))?)
}

/// Adds the functions to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let interpolation = wrap_pyfunction!(chebinterpolate, module)?;
    interpolation.setattr("__module__", "cuprum.polynomial.chebyshev")?;
    module.add_function(interpolation)?;
    module.add_function(wrap_pyfunction!(compose_series, module)?)
}
