//! Generalised ufuncs that are implemented by a Python function.

use cuprum::{Array, CoreAxes, DType, GeneralizedUfunc, GufuncOptions};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use crate::array::NdArray;
use crate::convert::{array_of, as_array, integers, wrap};
use crate::dtypes;
use crate::errors::{OrRaise, stored, type_error, with_callbacks};
use crate::shapes::casting_of;

/// A generalised ufunc, held by `cupyx.GeneralizedUFunc` and `vectorize`.
#[pyclass(name = "GufuncHandle", module = "cuprum._cuprum", frozen)]
pub(crate) struct GufuncHandle(GeneralizedUfunc);

/// Converts the results of a function: one array, or a tuple or a list with one for each result.
fn results_of(object: &Bound<'_, PyAny>, results: usize) -> PyResult<Vec<Array>> {
    let several = object.is_instance_of::<PyTuple>() || object.is_instance_of::<PyList>();
    if results == 1 && !(object.is_instance_of::<PyTuple>() && object.len()? == 1) || !several {
        return Ok(vec![as_array(object, None)?]);
    }
    object.try_iter()?.map(|a| as_array(&a?, None)).collect()
}

#[pymethods]
impl GufuncHandle {
    #[new]
    #[pyo3(signature = (function, signature, batched, name, results=None))]
    fn new(
        function: Py<PyAny>,
        signature: &str,
        batched: bool,
        name: &str,
        results: Option<Vec<Bound<'_, PyAny>>>,
    ) -> PyResult<GufuncHandle> {
        let count = GeneralizedUfunc::new(name, signature, |_| Ok(vec![])).or_raise()?.arity()[1];
        let call = move |operands: &[Array]| {
            Python::attach(|py| {
                let go = || {
                    let operands = operands.iter().map(|a| wrap(py, a.clone())).collect::<PyResult<Vec<_>>>()?;
                    results_of(&function.bind(py).call1(PyTuple::new(py, operands)?)?, count)
                };
                go().map_err(stored)
            })
        };
        let make = if batched {
            GeneralizedUfunc::batched(name, signature, call)
        } else {
            GeneralizedUfunc::new(name, signature, call)
        };
        let made = make.or_raise()?;
        let Some(results) = results else { return Ok(GufuncHandle(made)) };
        let dtypes = results.iter().map(|a| dtypes::of(a)).collect::<PyResult<Vec<DType>>>()?;
        Ok(GufuncHandle(made.with_results(dtypes).or_raise()?))
    }

    #[getter]
    fn arity(&self) -> (usize, usize) {
        let [ins, outs] = self.0.arity();
        (ins, outs)
    }

    #[pyo3(signature = (operands, out, axes, axis, keepdims, dtype, casting, order))]
    #[allow(clippy::too_many_arguments, reason = "they are what NumPy's call has")]
    fn call<'py>(
        &self,
        py: Python<'py>,
        operands: Vec<Bound<'py, PyAny>>,
        out: Vec<Option<Bound<'py, PyAny>>>,
        axes: Option<&Bound<'py, PyAny>>,
        axis: Option<isize>,
        keepdims: bool,
        dtype: Option<&Bound<'py, PyAny>>,
        casting: &str,
        order: Option<&str>,
    ) -> PyResult<Vec<Bound<'py, NdArray>>> {
        let arrays = operands.iter().map(|a| as_array(a, None)).collect::<PyResult<Vec<Array>>>()?;
        let outs = out
            .iter()
            .map(|a| match a {
                Some(a) => match array_of(a) {
                    Some(a) => Ok(Some(a)),
                    None => type_error(format!("{}: out is a cuprum.ndarray, not {}", self.0.name(), a.get_type())),
                },
                None => Ok(None),
            })
            .collect::<PyResult<Vec<Option<&Array>>>>()?;
        let options = GufuncOptions {
            out: outs,
            axes: axes.map(|all| core_axes(all, self.0.name())).transpose()?,
            axis,
            keepdims,
            dtype: dtypes::optional(dtype)?,
            casting: casting_of(Some(casting))?,
            order: order.map(|letter| crate::array::order(Some(letter), cuprum::Order::K)).transpose()?,
        };
        let made = with_callbacks(|| self.0.call_with(&arrays.iter().collect::<Vec<_>>(), &options))?;
        let given = out.iter().map(Some).chain(std::iter::repeat(None));
        made.into_iter()
            .zip(given)
            .map(|(a, out)| match out {
                Some(Some(out)) => Ok(out.cast::<NdArray>()?.clone()),
                _ => wrap(py, a),
            })
            .collect()
    }
}

/// Reads a list with an entry for each array: its axes, or its one axis.
fn core_axes(given: &Bound<'_, PyAny>, name: &str) -> PyResult<CoreAxes> {
    let Ok(list) = given.cast::<PyList>() else {
        return type_error(format!("{name}: axes are a list with an entry for each array, not {}", given.get_type()));
    };
    let entries = list.iter().map(|entry| Ok(integers(&entry)?.to_vec())).collect::<PyResult<Vec<Vec<isize>>>>()?;
    Ok(CoreAxes::listed(entries))
}

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<GufuncHandle>()
}
