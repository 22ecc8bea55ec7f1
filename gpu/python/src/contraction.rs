//! Einstein's sums, `einsum`, with operands as NumPy passes them, and the order of contraction, `einsum_path`.

use cuprum::{Array, EinsumPath};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyDict, PyEllipsis, PyList, PyString, PyTuple};

use crate::array::NdArray;
use crate::errors::{OrRaise, value_error};
use crate::special::{CachedFunction, array};

/// Returns the labels of an array's axes: from a list of numbers and ellipses.
fn labels(axes: &Bound<'_, PyAny>) -> PyResult<String> {
    const LETTERS: &[u8; 52] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let mut text = String::new();
    for axis in axes.try_iter()? {
        let axis = axis?;
        if axis.is_instance_of::<PyEllipsis>() {
            text.push_str("...");
            continue;
        }
        match usize::try_from(crate::convert::index(&axis)?).ok().and_then(|at| LETTERS.get(at)) {
            Some(letter) => text.push(char::from(*letter)),
            None => return value_error("einsum: an axis is an Ellipsis or a number from 0 to 51"),
        }
    }
    Ok(text)
}

/// Returns the subscripts and the arrays: from a string and arrays, or from arrays each with a list of numbers, which
/// the list of the result may follow.
fn subscripts<'py>(operands: &Bound<'py, PyTuple>) -> PyResult<(String, Vec<Bound<'py, NdArray>>)> {
    if operands.is_empty() {
        return value_error("einsum: there is no operand");
    }
    if let Ok(text) = operands.get_item(0)?.extract::<String>() {
        let arrays = operands.iter().skip(1).map(|a| array(&a)).collect::<PyResult<_>>()?;
        return Ok((text, arrays));
    }
    let all: Vec<_> = operands.iter().collect();
    let pairs = all.chunks_exact(2);
    let result = pairs.remainder().first().map(labels).transpose()?;
    let (mut texts, mut arrays) = (vec![], vec![]);
    for pair in pairs {
        arrays.push(array(&pair[0])?);
        texts.push(labels(&pair[1])?);
    }
    let named = texts.join(",");
    Ok((result.map_or(named.clone(), |result| format!("{named}->{result}")), arrays))
}

/// Computes sums of products over labelled axes: `einsum('ij,jk->ik', a, b)`, or `einsum(a, [0, 1], b, [1, 2], [0, 2])`.
#[pyfunction]
#[pyo3(signature = (*operands, out=None, dtype=None, casting="safe", order="K", optimize=None))]
#[pyo3(text_signature = "(*operands, out=None, dtype=None, casting='safe', order='K', optimize=False)")]
fn einsum<'py>(
    operands: &Bound<'py, PyTuple>,
    out: Option<Bound<'py, PyAny>>,
    dtype: Option<Bound<'py, PyAny>>,
    casting: &str,
    order: &str,
    optimize: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    static EINSUM: CachedFunction = CachedFunction("numpy.einsum", PyOnceLock::new());
    let (py, order) = (operands.py(), order.to_uppercase());
    if !["K", "A", "C", "F"].contains(&order.as_str()) {
        return value_error(format!("einsum: order is '{order}': it must be one of 'K', 'A', 'C' and 'F'"));
    }
    let (subscripts, arrays) = subscripts(operands)?;
    let is_f = |a: &Bound<'py, NdArray>| a.get().array().is_f_contiguous();
    let order = match order.as_str() {
        "A" if arrays.iter().all(is_f) => "F",
        "A" => "C",
        other => other,
    };
    let none = || py.None().into_bound(py);
    let writes = out.is_some();
    let result = EINSUM.call(
        py,
        &[
            PyString::new(py, &subscripts).into_any(),
            PyList::new(py, arrays)?.into_any(),
            out.unwrap_or_else(none),
            dtype.unwrap_or_else(none),
            PyString::new(py, casting).into_any(),
            optimize.unwrap_or_else(|| PyBool::new(py, false).to_owned().into_any()),
        ],
    )?;
    // `order` does not apply to a view.
    if order == "K" || writes || result.cast::<NdArray>().is_ok_and(|a| a.get().base().is_some()) {
        return Ok(result);
    }
    Ok(crate::creation::asarray(&result, None, Some(order), None, None, false)?.into_any())
}

/// Returns the order in which `einsum` contracts its operands, a list that begins with `'einsum_path'`, and a
/// description.
#[pyfunction]
#[pyo3(signature = (*operands, optimize=Contraction(Some(EinsumPath::Greedy)), einsum_call=false))]
#[pyo3(text_signature = "(*operands, optimize='greedy', einsum_call=False)")]
fn einsum_path<'py>(
    operands: &Bound<'py, PyTuple>,
    optimize: Contraction,
    einsum_call: bool,
) -> PyResult<(Bound<'py, PyList>, String)> {
    let (py, _) = (operands.py(), einsum_call);
    let (subscripts, arrays) = subscripts(operands)?;
    let (steps, description) = match optimize.0 {
        None => {
            let all = vec![(0..arrays.len()).collect()];
            (all, format!("contraction: {subscripts}\nall operands at once\n"))
        }
        Some(path) => {
            let arrays: Vec<&Array> = arrays.iter().map(|a| a.get().array()).collect();
            cuprum::einsum_path(&subscripts, &arrays, path).or_raise()?
        }
    };
    let list = PyList::new(py, ["einsum_path"])?;
    for step in steps {
        list.append(PyTuple::new(py, step)?)?;
    }
    Ok((list, description))
}

/// The requested order of contraction; without one, all operands are contracted at once.
struct Contraction(Option<EinsumPath>);

impl<'py> FromPyObject<'_, 'py> for Contraction {
    type Error = PyErr;

    /// Reads a name, which a memory limit may follow, a boolean, or the steps themselves.
    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Contraction> {
        let optimize = object.to_owned();
        let first = optimize.cast::<PyTuple>().ok().and_then(|all| all.get_item(0).ok());
        // A memory limit after the name does not affect pairwise contractions.
        let name = first.filter(|one| one.extract::<&str>().is_ok_and(|name| name != "einsum_path"));
        let optimize = name.unwrap_or(optimize);
        if let Ok(name) = optimize.cast::<PyString>() {
            return match name.to_str()? {
                "greedy" => Ok(Contraction(Some(EinsumPath::Greedy))),
                "optimal" => Ok(Contraction(Some(EinsumPath::Optimal))),
                other => value_error(format!("einsum_path: there is no path called {other:?}")),
            };
        }
        if optimize.is_none() || optimize.is_instance_of::<PyBool>() {
            return Ok(Contraction(optimize.is_truthy()?.then(|| EinsumPath::from(true))));
        }
        let mut steps = vec![];
        for step in optimize.try_iter()? {
            let step = step?;
            if !step.is_instance_of::<PyString>() {
                steps.push(step.try_iter()?.map(|at| at?.extract()).collect::<PyResult<Vec<usize>>>()?);
            }
        }
        Ok(Contraction(Some(EinsumPath::Explicit(steps))))
    }
}

/// Adds the functions of this file, by their names.
pub(crate) fn add(module: &Bound<'_, PyModule>, names: &Bound<'_, PyDict>) -> PyResult<()> {
    names.set_item("einsum", wrap_pyfunction!(einsum, module)?)?;
    names.set_item("einsum_path", wrap_pyfunction!(einsum_path, module)?)
}
