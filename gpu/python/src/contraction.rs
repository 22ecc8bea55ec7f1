//! The order in which `einsum` contracts its operands: `einsum_path`.

use cuprum::{Array, EinsumPath};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::array::NdArray;
use crate::errors::{OrRaise, value_error};

/// Returns the contraction steps, and a description: `options` is a name, a boolean or the steps themselves.
#[pyfunction]
#[pyo3(signature = (subscripts, operands, options))]
fn einsum_path(
    subscripts: &str,
    operands: Vec<Bound<'_, NdArray>>,
    options: &Bound<'_, PyAny>,
) -> PyResult<(Vec<Vec<usize>>, String)> {
    let path = match options.cast::<PyString>() {
        Ok(name) => match name.to_str()? {
            "greedy" => EinsumPath::Greedy,
            "optimal" => EinsumPath::Optimal,
            other => return value_error(format!("einsum_path: there is no path called {other:?}")),
        },
        Err(_) => match options.extract::<Vec<Vec<usize>>>() {
            Ok(steps) => EinsumPath::Explicit(steps),
            Err(_) => EinsumPath::from(options.is_truthy()?),
        },
    };
    let operands: Vec<&Array> = operands.iter().map(|a| a.get().array()).collect();
    cuprum::einsum_path(subscripts, operands, path).or_raise()
}

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(einsum_path, module)?)
}
