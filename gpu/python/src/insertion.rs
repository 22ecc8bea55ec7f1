//! Insertion and deletion along an axis: the indices that NumPy accepts, and slices.

use cuprum::AlongOptions;
use numpy::PyUntypedArray;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyFloat, PyList, PySlice, PyTuple};

use crate::convert::{self, array_of, wrap};
use crate::errors::{OrRaise, value_error};
use crate::indexing;
use crate::special::{CachedFunction, array};

/// Returns indices as the library takes them: a host array and a list as a list, in which floats are rejected. A boolean
/// without axes is no mask of an axis.
fn indices<'py>(name: &str, obj: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = obj.py();
    let kind = |a: &Bound<'py, PyAny>| -> PyResult<String> { a.getattr("dtype")?.getattr("kind")?.extract() };
    let typed = obj.hasattr("dtype")?;
    if obj.is_instance_of::<PyBool>() || typed && kind(obj)? == "b" && obj.getattr("ndim")?.eq(0)? {
        return value_error(format!("{name}: obj is a boolean without axes: a mask has one axis"));
    }
    let listed = obj.is_instance_of::<PyList>() || obj.is_instance_of::<PyTuple>();
    let on_device = array_of(obj).is_some();
    if !(typed || listed || obj.is_instance_of::<PyFloat>()) {
        return Ok(obj.clone());
    }
    let a = if on_device { obj.clone() } else { py.import("numpy")?.call_method1("asarray", (obj,))? };
    // An empty list is one of indices, whatever its dtype.
    let empty = !on_device && a.getattr("size")?.eq(0)?;
    if !empty && !["b", "i", "u"].contains(&kind(&a)?.as_str()) {
        let said = format!("{name}: indices are integers or booleans, not {}", a.getattr("dtype")?);
        return Err(PyIndexError::new_err(said));
    }
    if on_device { Ok(a) } else { a.call_method0("tolist") }
}

/// Converts a slice to the list of its indices along an axis; returns anything else unchanged.
fn of_slice<'py>(
    arr: &Bound<'py, PyAny>,
    obj: &Bound<'py, PyAny>,
    axis: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let Ok(slice) = obj.cast::<PySlice>() else { return Ok(obj.clone()) };
    let of = array(arr)?;
    let a = of.get().array();
    let n = match axis.filter(|axis| !axis.is_none()) {
        None => a.size(),
        Some(axis) => {
            let axis = convert::index(axis)?;
            let at = if axis < 0 { axis + a.ndim() as isize } else { axis };
            // The function rejects other axes.
            usize::try_from(at).ok().and_then(|at| a.shape().get(at)).copied().unwrap_or(0)
        }
    };
    let range = slice.indices(n as isize)?;
    let step = range.step;
    let positions = (0..range.slicelength as isize).map(|i| range.start + i * step);
    Ok(PyList::new(arr.py(), positions.collect::<Vec<_>>())?.into_any())
}

/// Returns the array without some parts along an axis, or without some elements.
#[pyfunction]
#[pyo3(signature = (arr, obj, axis=None))]
pub(crate) fn delete<'py>(
    arr: &Bound<'py, PyAny>,
    obj: &Bound<'py, PyAny>,
    axis: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    static DELETE: CachedFunction = CachedFunction("numpy.delete", PyOnceLock::new());
    let py = arr.py();
    if obj.is_instance_of::<PySlice>() {
        let options = AlongOptions { axis: axis.filter(|axis| !axis.is_none()).map(convert::index).transpose()? };
        let left = cuprum::delete(array(arr)?.get().array(), indexing::slice(obj)?, options).or_raise()?;
        return Ok(wrap(py, left)?.into_any());
    }
    // Indices of several axes are those of their elements.
    let several = match obj.cast::<PyUntypedArray>() {
        Ok(_) => obj.getattr("ndim")?.gt(1)?,
        Err(_) => array_of(obj).is_some_and(|a| a.ndim() > 1),
    };
    let nested =
        obj.cast::<PyList>().is_ok_and(|list| list.get_item(0).is_ok_and(|one| one.is_instance_of::<PyList>()));
    let obj = match (several, nested) {
        (true, _) => obj.call_method0("ravel")?,
        (_, true) => py.import("numpy")?.call_method1("ravel", (obj,))?,
        _ => obj.clone(),
    };
    let axis = axis.map_or_else(|| py.None().into_bound(py), Bound::clone);
    DELETE.call(py, &[arr.clone(), indices("delete", &obj)?, axis])
}

/// Returns the array with values inserted before indices along an axis.
#[pyfunction]
#[pyo3(signature = (arr, obj, values, axis=None))]
pub(crate) fn insert<'py>(
    arr: &Bound<'py, PyAny>,
    obj: &Bound<'py, PyAny>,
    values: &Bound<'py, PyAny>,
    axis: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    static INSERT: CachedFunction = CachedFunction("numpy.insert", PyOnceLock::new());
    let (py, obj) = (arr.py(), of_slice(arr, &indices("insert", obj)?, axis)?);
    INSERT.call(py, &[arr.clone(), obj, values.clone(), axis.map_or_else(|| py.None().into_bound(py), Bound::clone)])
}
