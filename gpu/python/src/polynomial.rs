//! Functions of polynomials with polynomial objects, and of series that take functions or other series: composition, which NumPy has in its classes alone, and
//! interpolation.

use cuprum::polynomial::Basis;
use cuprum::{Array, Poly1d};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple};

use crate::array::NdArray;
use crate::convert;
use crate::errors::{OrRaise, stored, type_error, value_error, with_callbacks};
use crate::poly1d::{is_polynomial, objects};
use crate::special::CachedFunction;

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

/// Evaluates a polynomial at points, or composes it with another polynomial.
#[pyfunction]
fn polyval<'py>(p: &Bound<'py, PyAny>, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    static POLYVAL: CachedFunction = CachedFunction("numpy.polyval", PyOnceLock::new());
    if !is_polynomial(x)? {
        return POLYVAL.call(p.py(), &[p.clone(), x.clone()]);
    }
    let (py, p, x) = (p.py(), convert::as_array(p, None)?, convert::as_array(x, None)?);
    let composed = py.detach(|| Poly1d::new(&p)?.compose(&Poly1d::new(&x)?)).or_raise()?;
    objects(convert::wrap(py, composed.coefficients().clone())?.into_any())
}

/// Returns the coefficients of the polynomial with these roots, or the characteristic polynomial of a square matrix.
#[pyfunction]
fn poly<'py>(seq_of_zeros: &Bound<'py, PyAny>) -> PyResult<Bound<'py, NdArray>> {
    let zeros = convert::as_array(seq_of_zeros, None)?;
    let py = seq_of_zeros.py();
    let made = py.detach(|| match zeros.shape() {
        [m, n] if m == n && *n > 0 => cuprum::linalg::eigvals(&zeros).and_then(cuprum::poly),
        _ => cuprum::poly(&zeros),
    });
    convert::wrap(py, made.or_raise()?)
}

/// Returns the roots of a polynomial.
#[pyfunction]
fn roots<'py>(p: &Bound<'py, PyAny>) -> PyResult<Bound<'py, NdArray>> {
    let coefficients = convert::as_array(p, None)?;
    if coefficients.ndim() == 0 {
        return type_error("roots: p has no axis: it must have one, of coefficients");
    }
    let py = p.py();
    convert::wrap(py, py.detach(|| cuprum::roots(&coefficients)).or_raise()?)
}

/// Adds the functions of the main namespace, by their names.
pub(crate) fn add_names(module: &Bound<'_, PyModule>, names: &Bound<'_, PyDict>) -> PyResult<()> {
    names.set_item("polyval", wrap_pyfunction!(polyval, module)?)?;
    names.set_item("poly", wrap_pyfunction!(poly, module)?)?;
    names.set_item("roots", wrap_pyfunction!(roots, module)?)
}

/// Adds the functions to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let interpolation = wrap_pyfunction!(chebinterpolate, module)?;
    interpolation.setattr("__module__", "cuprum.polynomial.chebyshev")?;
    module.add_function(interpolation)?;
    module.add_function(wrap_pyfunction!(compose_series, module)?)
}
