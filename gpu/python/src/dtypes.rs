//! Conversion of dtypes: in Python they are NumPy's objects, bfloat16 that of `ml_dtypes`.

use cuprum::DType;
use numpy::{PyArrayDescr, PyArrayDescrMethods};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use crate::errors::{type_error, unsupported};

static OBJECTS: [PyOnceLock<Py<PyArrayDescr>>; 15] = [const { PyOnceLock::new() }; 15];

/// Returns NumPy's dtype object.
pub(crate) fn object(py: Python<'_>, dtype: DType) -> PyResult<&Bound<'_, PyArrayDescr>> {
    let make = || -> PyResult<Py<PyArrayDescr>> {
        if dtype != DType::BF16 {
            return Ok(PyArrayDescr::new(py, dtype.name())?.unbind());
        }
        match py.import("ml_dtypes") {
            Ok(module) => Ok(PyArrayDescr::new(py, module.getattr("bfloat16")?)?.unbind()),
            Err(_) => type_error("NumPy has no dtype bfloat16 of its own: install the package ml_dtypes"),
        }
    };
    OBJECTS[dtype as usize].get_or_try_init(py, make).map(|object| object.bind(py))
}

/// Returns the dtype of a NumPy object, if it is supported and in native byte order.
pub(crate) fn known(descr: &Bound<'_, PyArrayDescr>) -> Option<DType> {
    if descr.byteorder() == b'>' {
        return None;
    }
    Some(match descr.num() {
        0 => DType::Bool,
        1 => DType::I8,
        2 => DType::U8,
        3 => DType::I16,
        4 => DType::U16,
        5 => DType::I32,
        6 => DType::U32,
        7 | 9 => DType::I64,
        8 | 10 => DType::U64,
        11 => DType::F32,
        12 => DType::F64,
        14 => DType::C64,
        15 => DType::C128,
        23 => DType::F16,
        // Packages get type numbers from here on in order of registration.
        256.. => match descr.typeobj().name() {
            Ok(name) if name == "bfloat16" => DType::BF16,
            _ => return None,
        },
        _ => return None,
    })
}

/// Returns the dtype of a NumPy object.
pub(crate) fn of_descr(descr: &Bound<'_, PyArrayDescr>) -> PyResult<DType> {
    match known(descr) {
        Some(dtype) => Ok(dtype),
        None => Err(unsupported(descr.py(), format!("Unsupported dtype {descr}"))),
    }
}

/// Returns the dtype of an argument of `numpy.dtype`.
pub(crate) fn of(object: &Bound<'_, PyAny>) -> PyResult<DType> {
    match object.cast::<PyArrayDescr>() {
        Ok(descr) => of_descr(descr),
        // As `numpy.dtype(None)`.
        Err(_) if object.is_none() => Ok(DType::F64),
        Err(_) if object.is_instance_of::<pyo3::types::PyString>() && object.eq("bfloat16")? => Ok(DType::BF16),
        Err(_) => of_descr(&PyArrayDescr::new(object.py(), object)?),
    }
}

/// Returns the dtype of an argument, or `None`.
pub(crate) fn optional(object: Option<&Bound<'_, PyAny>>) -> PyResult<Option<DType>> {
    object.filter(|o| !o.is_none()).map(of).transpose()
}
