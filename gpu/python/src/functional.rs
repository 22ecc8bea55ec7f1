//! Functions that call a function of Python's: `apply_along_axis`, `apply_over_axes`, `piecewise`, and `pad` with a
//! function as its mode.

use cuprum::{Array, Piece, Sides};
use numpy::{PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyDict, PyList, PyString, PyTuple};

use crate::array::NdArray;
use crate::convert::{self, array_of, as_array, is_sequence, wrap, wrap_view};
use crate::errors::{OrRaise, stored, value_error, with_callbacks};
use crate::functions::{sides, written};
use crate::special::{self, CachedFunction, array};

/// Calls a function with an array, which is a view of `of` or a copy, and the arguments that follow it.
fn call_with<'py>(
    function: &Bound<'py, PyAny>,
    first: Bound<'py, NdArray>,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let all: Vec<_> = std::iter::once(first.into_any()).chain(args.iter()).collect();
    function.call(PyTuple::new(function.py(), all)?, kwargs)
}

/// Applies a function to each 1-D slice along an axis, and stacks the results.
#[pyfunction]
#[pyo3(signature = (func1d, axis, arr, *args, **kwargs))]
fn apply_along_axis<'py>(
    func1d: &Bound<'py, PyAny>,
    axis: &Bound<'py, PyAny>,
    arr: &Bound<'py, PyAny>,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, NdArray>> {
    let (of, axis) = (array(arr)?, convert::index(axis)?);
    let of_slice = |slice: &Array| {
        let go = || as_array(&call_with(func1d, wrap_view(&of, slice.clone())?, args, kwargs)?, None);
        go().map_err(stored)
    };
    wrap(arr.py(), with_callbacks(|| cuprum::apply_along_axis(of_slice, axis, of.get().array()))?)
}

/// Calls a function with the array and each axis in turn; axes that it removes are inserted again.
#[pyfunction]
fn apply_over_axes<'py>(
    func: &Bound<'py, PyAny>,
    a: &Bound<'py, PyAny>,
    axes: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, NdArray>> {
    let (py, of) = (a.py(), array(a)?);
    let along = |value: &Array, axis: isize| {
        let go = || as_array(&func.call1((wrap(py, value.clone())?, axis))?, None);
        go().map_err(stored)
    };
    let axes = convert::integers(axes)?;
    wrap(py, with_callbacks(|| cuprum::apply_over_axes(along, of.get().array(), &axes[..]))?)
}

/// Returns the conditions of `piecewise` in the shape of `x`: booleans, or one array of its axes, are one condition.
fn conditions(condlist: &Bound<'_, PyAny>, x: &Array) -> PyResult<Vec<Array>> {
    let one = |condition: &Bound<'_, PyAny>| {
        let condition = as_array(condition, Some(cuprum::DType::Bool))?;
        condition.broadcast_to(x.shape()).or_raise()
    };
    let axes = |object: &Bound<'_, PyAny>| match object.cast::<PyUntypedArray>() {
        Ok(host) => Some(host.ndim()),
        Err(_) => array_of(object).map(Array::ndim),
    };
    let is_scalar = |object: &Bound<'_, PyAny>| -> PyResult<bool> {
        Ok(match axes(object) {
            Some(axes) => axes == 0,
            None => object.is_instance_of::<PyBool>() || convert::numpy_number(object)?.is_some(),
        })
    };
    // Booleans in a list are one condition, unless `x` has no axes.
    let listed = x.ndim() > 0 && is_sequence(condlist) && condlist.len()? > 0 && is_scalar(&condlist.get_item(0)?)?;
    if listed || is_scalar(condlist)? || axes(condlist) == Some(x.ndim()) {
        return Ok(vec![one(condlist)?]);
    }
    condlist.try_iter()?.map(|condition| one(&condition?)).collect()
}

/// Evaluates a piecewise function: for each element the value, or the function's result, of the last condition that is
/// true.
#[pyfunction]
#[pyo3(signature = (x, condlist, funclist, *args, **kw))]
fn piecewise<'py>(
    x: &Bound<'py, PyAny>,
    condlist: &Bound<'py, PyAny>,
    funclist: &Bound<'py, PyAny>,
    args: &Bound<'py, PyTuple>,
    kw: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, NdArray>> {
    let (py, of) = (x.py(), array(x)?);
    let x = of.get().array();
    let functions = funclist.try_iter()?.collect::<PyResult<Vec<_>>>()?;
    // The values are converted before the call, so that they live as long as it.
    let value = |piece: &Bound<'py, PyAny>| match piece.is_callable() {
        true => Ok(None),
        false => written(piece, x.dtype()).map(Some),
    };
    let values = functions.iter().map(value).collect::<PyResult<Vec<Option<Array>>>>()?;
    let pieces = functions.iter().zip(&values).map(|(function, value)| match value {
        Some(value) => Piece::value(value),
        None => Piece::function(move |selected: &Array| {
            let go = || as_array(&call_with(function, wrap(py, selected.clone())?, args, kw)?, None);
            go().map_err(stored)
        }),
    });
    let conditions = conditions(condlist, x)?;
    wrap(py, with_callbacks(|| cuprum::piecewise(x, conditions, pieces))?)
}

/// Returns the widths of each axis from a dictionary by axes.
fn widths_by_axes<'py>(by_axis: &Bound<'py, PyDict>, ndim: usize) -> PyResult<Bound<'py, PyAny>> {
    let py = by_axis.py();
    let mut all = vec![PyTuple::new(py, [0, 0])?.into_any(); ndim];
    for (axis, width) in by_axis {
        let axis = convert::index(&axis)?;
        let at = usize::try_from(if axis < 0 { axis + ndim as isize } else { axis });
        let Some(slot) = at.ok().and_then(|at| all.get_mut(at)) else {
            return Err(PyIndexError::new_err(format!(
                "pad: pad_width has the axis {axis} of an array of {ndim} axes"
            )));
        };
        *slot = if is_sequence(&width) { width } else { PyTuple::new(py, [&width, &width])?.into_any() };
    }
    Ok(PyList::new(py, all)?.into_any())
}

/// The mode of `pad`.
enum Mode<'py> {
    Constant,
    Name(Bound<'py, PyString>),
    Function(Bound<'py, PyAny>),
}

impl<'py> FromPyObject<'_, 'py> for Mode<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Mode<'py>> {
        if object.is_callable() {
            return Ok(Mode::Function(object.to_owned()));
        }
        match object.cast::<PyString>() {
            Ok(name) => Ok(Mode::Name(name.to_owned())),
            Err(_) => value_error(format!("pad: mode is {}: it is a function or the name of a mode", *object)),
        }
    }
}

/// Pads the array: `pad_width` elements before and after along each axis.
#[pyfunction]
#[pyo3(signature = (array, pad_width, mode=Mode::Constant, **kwargs))]
#[pyo3(text_signature = "(array, pad_width, mode='constant', **kwargs)")]
fn pad<'py>(
    array: &Bound<'py, PyAny>,
    pad_width: &Bound<'py, PyAny>,
    mode: Mode<'py>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    static PAD: CachedFunction = CachedFunction("numpy.pad", PyOnceLock::new());
    const OPTIONS: [&str; 4] = ["stat_length", "constant_values", "end_values", "reflect_type"];
    let (py, of) = (array.py(), special::array(array)?);
    let widths = match pad_width.cast::<PyDict>() {
        Ok(by_axis) => widths_by_axes(by_axis, of.get().array().ndim())?,
        Err(_) => pad_width.clone(),
    };
    if let Mode::Function(function) = &mode {
        let options = kwargs.cloned().unwrap_or_else(|| PyDict::new(py));
        let widths = Sides::try_from(&sides(&widths, true)?).or_raise()?;
        let write = |slice: &Array, width: (usize, usize), axis: usize| {
            let go = || function.call1((wrap(py, slice.clone())?, width, axis, &options)).map(drop);
            go().map_err(stored)
        };
        return Ok(wrap(py, with_callbacks(|| cuprum::pad_with(of.get().array(), widths, write))?)?.into_any());
    }
    let mode = match mode {
        Mode::Name(name) => name,
        _ => PyString::new(py, "constant"),
    };
    let mut options = vec![];
    for (name, value) in kwargs.into_iter().flatten() {
        let name = name.cast_into::<PyString>()?;
        if !OPTIONS.contains(&name.to_str()?) {
            return value_error(format!("pad: the mode '{mode}' has no parameter '{name}'"));
        }
        options.push((name, value));
    }
    PAD.call_with(py, &[of.into_any(), widths, mode.into_any()], &options)
}

/// Adds the functions of this file, by their names.
pub(crate) fn add(module: &Bound<'_, PyModule>, names: &Bound<'_, PyDict>) -> PyResult<()> {
    let functions = [
        wrap_pyfunction!(apply_along_axis, module)?,
        wrap_pyfunction!(apply_over_axes, module)?,
        wrap_pyfunction!(piecewise, module)?,
        wrap_pyfunction!(pad, module)?,
    ];
    for function in functions {
        names.set_item(function.getattr("__name__")?, &function)?;
    }
    Ok(())
}
