//! Series of series, which NumPy has in its classes alone.

use cuprum::polynomial::Basis;
use pyo3::prelude::*;

use crate::convert;
use crate::errors::{OrRaise, value_error};

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

/// Adds the function to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(compose_series, module)?)
}
