//! Least-squares fits: NumPy's results, and its warning where the fit is poorly conditioned.

use cuprum::table::Fit;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyList, PyTuple, PyType};

use super::Function;
use super::arguments::Slots;
use super::results::results;

/// Warns that a fit is poorly conditioned.
fn warn(py: Python<'_>, fit: Fit) -> PyResult<()> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let class = CLASS.import(py, "numpy.exceptions", "RankWarning")?;
    let message = match fit {
        Fit::Series => c"The fit may be poorly conditioned",
        Fit::Polynomial => c"Polyfit may be poorly conditioned",
    };
    PyErr::warn(py, class, message, 1)
}

impl Function {
    /// Calls a function of a fit: its record returns the coefficients, and with `full` also the residuals, the rank, the
    /// singular values and the cutoff.
    pub(super) fn fit<'py>(&self, py: Python<'py>, mut slots: Slots<'py>, fit: Fit) -> PyResult<Bound<'py, PyAny>> {
        let call = |slots: &Slots<'py>| {
            let arguments = self.parameters.arguments(self.record, slots)?;
            results(py, self, slots, py.detach(|| self.record.call(&arguments)))
        };
        let at = |name: &str| self.record.parameters().iter().position(|p| p.name == name);
        let (Some(full), Some(deg)) = (at("full"), at("deg")) else { return call(&slots) };
        let is_set = |slot: &Option<Bound<'py, PyAny>>| slot.as_ref().map_or(Ok(false), |value| value.is_truthy());
        let (is_full, cov) = (is_set(&slots[full])?, at("cov"));
        slots[full] = Some(PyBool::new(py, true).to_owned().into_any());
        let covariance = cov.and_then(|at| slots[at].take());
        let all = call(&slots)?.cast_into::<PyTuple>()?;
        if is_full {
            return Ok(match fit {
                Fit::Polynomial => all.into_any(),
                Fit::Series => {
                    let rest = [all.get_item(1)?, all.get_item(2)?, all.get_item(3)?];
                    let rest = PyList::new(py, rest)?;
                    rest.append(all.get_item(4)?.extract::<f64>()?)?;
                    PyTuple::new(py, [all.get_item(0)?, rest.into_any()])?.into_any()
                }
            });
        }
        let terms = match slots[deg].as_ref() {
            Some(deg) => match deg.len() {
                Ok(terms) => terms,
                Err(_) => deg.call_method0("__int__")?.extract::<usize>()? + 1,
            },
            None => 0,
        };
        if all.get_item(2)?.call_method0("__int__")?.extract::<usize>()? != terms {
            warn(py, fit)?;
        }
        if !is_set(&covariance)? {
            return all.get_item(0);
        }
        slots[full] = None;
        if let Some(at) = cov {
            slots[at] = covariance;
        }
        call(&slots)
    }
}
