//! Text of arrays with NumPy's print options, of which the library transfers the edges.

use cuprum::{Array2stringOptions, DType, FloatMode, PrintOptions, Sign, array_repr, array_str, array2string};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::array::NdArray;
use crate::convert;
use crate::errors::{OrRaise, type_error, value_error};

/// The forms of an array's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Repr,
    Str,
    Elements,
}

/// Converts NumPy's print options; `None` for those that the library does not have: functions, formats of older
/// versions, and numbers that are no integers.
fn print_options(options: &Bound<'_, PyDict>) -> PyResult<Option<PrintOptions>> {
    let get = |name: &str| options.get_item(name).map(|value| value.filter(|value| !value.is_none()));
    let is_set = |name: &str| get(name).map(|value| value.is_some_and(|value| value.is_truthy().unwrap_or(true)));
    if is_set("formatter")? || is_set("legacy")? || is_set("override_repr")? {
        return Ok(None);
    }
    let count = |name: &str| get(name).map(|value| value.and_then(|value| value.extract::<usize>().ok()));
    let text = |name: &str| get(name).map(|value| value.and_then(|value| value.extract::<String>().ok()));
    let found = (count("precision")?, count("threshold")?, count("edgeitems")?, count("linewidth")?);
    let names = (text("nanstr")?, text("infstr")?, text("sign")?, text("floatmode")?);
    let ((Some(precision), Some(threshold), Some(edges), Some(width)), (Some(nan), Some(inf), Some(sign), Some(mode))) =
        (found, names)
    else {
        return Ok(None);
    };
    let (sign, mode) = (sign.parse::<Sign>().or_raise()?, mode.parse::<FloatMode>().or_raise()?);
    let suppress = is_set("suppress")?;
    let options = PrintOptions::new().precision(precision).threshold(threshold).edgeitems(edges).linewidth(width);
    Ok(Some(options.suppress(suppress).nanstr(nan).infstr(inf).sign(sign).floatmode(mode)))
}

/// Returns NumPy's print options that are in force, with others in their place.
fn in_force<'py>(py: Python<'py>, own: Option<&Bound<'py, PyDict>>) -> PyResult<Bound<'py, PyDict>> {
    let options = py.import("numpy")?.call_method0("get_printoptions")?.cast_into::<PyDict>()?;
    for (name, value) in own.into_iter().flatten().filter(|(_, value)| !value.is_none()) {
        options.set_item(name, value)?;
    }
    Ok(options)
}

/// Returns an array's text; `None` if NumPy has to write it.
pub(crate) fn text<'py>(
    a: &Bound<'py, NdArray>,
    form: Form,
    own: Option<&Bound<'py, PyDict>>,
    around: [&str; 3],
) -> PyResult<Option<String>> {
    let py = a.py();
    let array = a.get().array();
    // NumPy writes elements of dtypes that are not its own one by one.
    if array.dtype() == DType::BF16 {
        return Ok(None);
    }
    let Some(options) = print_options(&in_force(py, own)?)? else { return Ok(None) };
    let found = py.detach(|| match form {
        Form::Repr => array_repr(array, options),
        Form::Str => array_str(array, options),
        Form::Elements => {
            let [separator, prefix, suffix] = around;
            let options = Array2stringOptions::from(options).separator(separator);
            array2string(array, options.prefix(prefix).suffix(suffix))
        }
    });
    found.or_raise().map(Some)
}

/// Returns the text of `repr` or `str`, with NumPy's own functions where the library has not the options.
pub(crate) fn with_numpy<'py>(a: &Bound<'py, NdArray>, form: Form) -> PyResult<Bound<'py, PyString>> {
    let py = a.py();
    if let Some(text) = text(a, form, None, ["", "", ""])? {
        return Ok(PyString::new(py, &text));
    }
    let host = py.import("cuprum._text")?.call_method1("edges", (a,))?;
    if form == Form::Repr { host.repr() } else { host.str() }
}

/// Returns an array's text with these options of NumPy's, or `None` if NumPy has to write it.
#[pyfunction]
#[pyo3(signature = (a, form, options, separator=" ", prefix="", suffix=""))]
fn array_text<'py>(
    a: &Bound<'py, NdArray>,
    form: &str,
    options: &Bound<'py, PyDict>,
    separator: &str,
    prefix: &str,
    suffix: &str,
) -> PyResult<Option<String>> {
    let form = match form {
        "repr" => Form::Repr,
        "str" => Form::Str,
        "elements" => Form::Elements,
        other => return value_error(format!("there is no form {other:?}")),
    };
    text(a, form, Some(options), [separator, prefix, suffix])
}

#[pymethods]
impl NdArray {
    fn __str__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyString>> {
        with_numpy(slf, Form::Str)
    }

    fn __repr__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyString>> {
        with_numpy(slf, Form::Repr)
    }

    fn __format__<'py>(slf: &Bound<'py, Self>, spec: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyAny>> {
        let array = slf.get().array();
        if array.ndim() > 0 {
            // A format applies to one element, as in NumPy.
            return match spec.is_empty()? {
                true => Ok(with_numpy(slf, Form::Str)?.into_any()),
                false => type_error("unsupported format string passed to cuprum.ndarray.__format__"),
            };
        }
        convert::to_numpy(slf.py(), array, false)?.call_method1("__format__", (spec,))
    }
}

/// Adds the function to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(array_text, module)?)
}
