//! Polynomial objects, `poly1d`, as arguments and results.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyTuple, PyType};

use crate::array::NdArray;

/// Returns true if an object is a polynomial, `poly1d` of this package or of NumPy.
pub(crate) fn is_polynomial(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    static OWN: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    static NUMPY: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let py = object.py();
    Ok(!object.is_instance_of::<NdArray>()
        && (object.is_instance(OWN.import(py, "cuprum", "poly1d")?)?
            || object.is_instance(NUMPY.import(py, "numpy", "poly1d")?)?))
}

/// Returns true if one of these arguments is a polynomial.
pub(crate) fn is_among(arguments: &[Option<Bound<'_, PyAny>>]) -> PyResult<bool> {
    for argument in arguments.iter().flatten() {
        if is_polynomial(argument)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the polynomial of coefficients, or those of a tuple of them.
pub(crate) fn objects(coefficients: Bound<'_, PyAny>) -> PyResult<Bound<'_, PyAny>> {
    let py = coefficients.py();
    let class = py.import("cuprum")?.getattr("poly1d")?;
    match coefficients.cast::<PyTuple>() {
        Ok(all) => {
            let all = all.iter().map(|one| class.call1((one,))).collect::<PyResult<Vec<_>>>()?;
            Ok(PyTuple::new(py, all)?.into_any())
        }
        Err(_) => class.call1((coefficients,)),
    }
}
