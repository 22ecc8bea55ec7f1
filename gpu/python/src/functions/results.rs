//! Conversion of a call's results: arrays, tuples and lists of them, booleans, dtypes.

use cuprum::table::Output;
use cuprum::{Array, Result};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyList, PyTuple};
use smallvec::SmallVec;

use super::Function;
use super::arguments::Slots;
use crate::array::NdArray;
use crate::convert::{array_of, unsupported, wrap, wrap_view};
use crate::dtypes;
use crate::errors::{OrRaise, exception, type_error, value_error};

/// Converts the results to objects.
pub(crate) fn results<'py>(
    py: Python<'py>,
    function: &Function,
    slots: &Slots<'py>,
    outputs: Result<Vec<Output>>,
) -> PyResult<Bound<'py, PyAny>> {
    let mut outputs = outputs.map_err(|e| exception(&e))?;
    // A result that was written to `out` is that array.
    if let Some((out, copied)) = function.parameters.out(slots)
        && let [Output::Array(a)] = &outputs[..]
    {
        if copied {
            if function.record.python().exact_out {
                check_exact(function, out, a)?;
            }
            copy_to(function, out, a)?;
        }
        if out.is_instance_of::<NdArray>() {
            return Ok(out.clone());
        }
    }
    match outputs.len() {
        0 => Ok(py.None().into_bound(py)),
        1 => match outputs.remove(0) {
            Output::Array(a) => array(py, function, slots, a),
            other => object(py, function, slots, other),
        },
        _ => {
            let all = outputs.into_iter().map(|output| object(py, function, slots, output));
            let all = PyTuple::new(py, all.collect::<PyResult<Vec<_>>>()?)?;
            match function.record.python().result_class {
                Some(class) => py.import("cuprum._results")?.getattr(class)?.call1(all),
                None => Ok(all.into_any()),
            }
        }
    }
}

/// Raises ValueError for an `out` that does not exactly match the result.
fn check_exact(function: &Function, out: &Bound<'_, PyAny>, a: &Array) -> PyResult<()> {
    let Some(out) = array_of(out) else { return Err(unsupported(out)) };
    if out.dtype() == a.dtype() && out.shape() == a.shape() && out.is_c_contiguous() {
        return Ok(());
    }
    let order = if out.is_c_contiguous() { "C-contiguous" } else { "not C-contiguous" };
    value_error(format!(
        "{}: out is {order}, of {} and of shape {:?}: it must be C-contiguous, of {} and of shape {:?}",
        function.record.name(),
        out.dtype(),
        out.shape(),
        a.dtype(),
        a.shape()
    ))
}

/// Copies a result to its `out`.
fn copy_to(function: &Function, out: &Bound<'_, PyAny>, a: &Array) -> PyResult<()> {
    let Some(out) = array_of(out) else { return Err(unsupported(out)) };
    if out.shape() != a.shape() {
        let said = format!(
            "{}: a result of shape {:?} does not fit in out of shape {:?}",
            function.record.name(),
            a.shape(),
            out.shape()
        );
        return value_error(said);
    }
    if !cuprum::can_cast(a.dtype(), out.dtype(), cuprum::Casting::SameKind) {
        let said =
            format!("{}: a result of {} cannot be cast to out of {}", function.record.name(), a.dtype(), out.dtype());
        return type_error(said);
    }
    out.assign(a).or_raise()
}

/// Converts an array result: a view of the argument if it shares its elements.
fn array<'py>(py: Python<'py>, function: &Function, slots: &Slots<'py>, a: Array) -> PyResult<Bound<'py, PyAny>> {
    let mut arrays: SmallVec<[Bound<'py, NdArray>; 4]> = SmallVec::new();
    slots.iter().flatten().for_each(|slot| given_arrays(slot, &mut arrays));
    arrays.retain(|of| a.shares_allocation(of.get().array()));
    if function.record.python().returns_same
        && let Some(same) = arrays.iter().find(|of| a.is_same_view(of.get().array()))
    {
        return Ok(same.clone().into_any());
    }
    let a = if function.record.python().read_only_views && arrays.len() == 1 { a.read_only() } else { a };
    match arrays.first() {
        Some(of) => Ok(wrap_view(of, a)?.into_any()),
        None => Ok(wrap(py, a)?.into_any()),
    }
}

/// Collects the arrays of an argument: itself, or those in a list.
fn given_arrays<'py>(argument: &Bound<'py, PyAny>, found: &mut SmallVec<[Bound<'py, NdArray>; 4]>) {
    if let Ok(a) = argument.cast::<NdArray>() {
        found.push(a.clone());
    } else if let Ok(tuple) = argument.cast::<PyTuple>() {
        tuple.iter().for_each(|one| given_arrays(&one, found));
    } else if let Ok(list) = argument.cast::<PyList>() {
        list.iter().for_each(|one| given_arrays(&one, found));
    }
}

fn object<'py>(
    py: Python<'py>,
    function: &Function,
    slots: &Slots<'py>,
    output: Output,
) -> PyResult<Bound<'py, PyAny>> {
    match output {
        Output::Array(a) => array(py, function, slots, a),
        // The gradient along one axis is no list of one.
        Output::List(mut all) if all.len() == 1 && function.record.name() == "gradient" => {
            array(py, function, slots, all.remove(0))
        }
        Output::List(all) => {
            let all = all.into_iter().map(|a| array(py, function, slots, a)).collect::<PyResult<Vec<_>>>()?;
            if function.record.python().returns_list {
                Ok(PyList::new(py, all)?.into_any())
            } else {
                Ok(PyTuple::new(py, all)?.into_any())
            }
        }
        Output::Bool(b) => Ok(PyBool::new(py, b).to_owned().into_any()),
        Output::Integer(i) => Ok(i.into_pyobject(py)?.into_any()),
        Output::Float(x) => Ok(x.into_pyobject(py)?.into_any()),
        Output::Text(text) => Ok(text.into_pyobject(py)?.into_any()),
        Output::DType(dtype) => Ok(dtypes::object(py, dtype)?.clone().into_any()),
        _ => crate::errors::type_error("a result of a kind that Python does not know"),
    }
}
