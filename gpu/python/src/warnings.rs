//! NumPy's warnings that dtypes and shapes determine: issued before a call, without a synchronisation.

use cuprum::table::{Record, Value};
use cuprum::{Array, DType, Operand, OperandType, Scalar, Ufunc};
use pyo3::exceptions::PyRuntimeWarning;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

/// Warns if a cast discards imaginary parts.
pub(crate) fn complex_to_real(py: Python<'_>, from: DType, to: DType) -> PyResult<()> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    if !from.is_complex() || to.is_complex() || to == DType::Bool {
        return Ok(());
    }
    let class = CLASS.import(py, "numpy.exceptions", "ComplexWarning")?;
    PyErr::warn(py, class, c"Casting complex values to real discards the imaginary part", 1)
}

/// Functions whose result is complex for complex operands before it is cast to the dtype of `out`.
const KEEP_DTYPE: [&str; 24] = [
    "sum",
    "prod",
    "mean",
    "median",
    "max",
    "min",
    "amax",
    "amin",
    "cumsum",
    "cumprod",
    "cumulative_sum",
    "cumulative_prod",
    "nansum",
    "nanprod",
    "nanmean",
    "nanmedian",
    "nanmax",
    "nanmin",
    "nancumsum",
    "nancumprod",
    "trace",
    "take",
    "choose",
    "compress",
];

/// Functions that concatenate or multiply arrays: they have the parameter `casting`, but are not ufuncs.
const OF_SEVERAL: [&str; 5] = ["concatenate", "concat", "stack", "einsum", "matmul"];

/// Functions that cast values to the dtype of their first argument, or to a real dtype if that is real, and the names
/// of the values.
const CAST_TO_FIRST: [(&str, &str); 7] = [
    ("put", "v"),
    ("fill_diagonal", "val"),
    ("put_along_axis", "values"),
    ("insert", "values"),
    ("gradient", "spacing"),
    ("pad", "constant_values"),
    ("pad", "end_values"),
];

/// Issues the warnings of a call of a function of the table with these arguments.
pub(crate) fn of_call(py: Python<'_>, record: &Record, values: &[Option<Value>]) -> PyResult<()> {
    let at = |name: &str| {
        let at = record.parameters().iter().position(|p| p.name == name)?;
        values.get(at)?.as_ref().filter(|value| !matches!(value, Value::None))
    };
    let from = values.iter().flatten().find_map(complex_of);
    let requested = match at("dtype") {
        Some(Value::DType(dtype)) => Some(*dtype),
        _ => None,
    };
    if from.is_some() || requested.is_some_and(DType::is_complex) {
        of_casts(py, record, values, from, requested, at)?;
    }
    of_statistics(py, record.name(), values.first().and_then(Option::as_ref), at)
}

/// Issues the warnings of casts to `dtype`, to the dtype of `out` and to that of an array that is written to; `from` is
/// the complex dtype of the operands, if any.
fn of_casts<'a>(
    py: Python<'_>,
    record: &Record,
    values: &[Option<Value>],
    from: Option<DType>,
    requested: Option<DType>,
    at: impl Fn(&str) -> Option<&'a Value>,
) -> PyResult<()> {
    // Other casting rules raise.
    let takes_casting = record.parameters().iter().any(|p| p.name == "casting");
    if takes_casting && !matches!(at("casting"), Some(Value::Text(casting)) if casting == "unsafe") {
        return Ok(());
    }
    let computed = from.and_then(|from| result_of(record.name(), values, from));
    if let (Some(from), Some(to)) = (from, requested)
        && computed != Some(to)
    {
        complex_to_real(py, from, to)?;
    }
    if let (Some(Value::Array(out)), Some(computed)) = (at("out"), requested.or(computed)) {
        complex_to_real(py, computed, out.dtype())?;
    }
    let written = CAST_TO_FIRST.iter().filter(|(function, _)| *function == record.name()).map(|(_, name)| *name);
    let written = written.chain((record.name() == "copyto").then_some("src"));
    // A Python number that is written to elements must fit, and raises otherwise.
    let raises =
        |value: &&Value| matches!(value, Value::Scalar(_)) && !matches!(record.name(), "copyto" | "gradient" | "pad");
    for from in written.filter_map(|name| at(name).filter(|value| !raises(value)).and_then(complex_of)) {
        if let Some(Some(Value::Array(to))) = values.first() {
            complex_to_real(py, from, to.dtype())?;
        }
    }
    Ok(())
}

/// Returns the dtype of the result for operands of which one has the complex dtype `from`, if it is known.
fn result_of(name: &str, values: &[Option<Value>], from: DType) -> Option<DType> {
    let (function, method) = name.split_once('.').map_or((name, None), |(function, method)| (function, Some(method)));
    let Some(f) = Ufunc::named(function) else {
        return (KEEP_DTYPE.contains(&name) || OF_SEVERAL.contains(&name)).then_some(from);
    };
    let types: Vec<OperandType> = match method {
        None | Some("outer") => values.iter().flatten().filter_map(operand_type).take(f.nin()).collect(),
        Some(_) => vec![from.into(); f.nin()],
    };
    f.resolve_dtypes(&types).ok()?.get(f.nin()).copied()
}

/// Issues the warning of `ufunc.at`, whose result is cast to the dtype of the array.
pub(crate) fn of_at(py: Python<'_>, f: Ufunc, a: &Array, b: &Operand<'_>) -> PyResult<()> {
    let b = match b {
        Operand::Array(b) => b.dtype().into(),
        Operand::Scalar(s) => OperandType::from(*s),
    };
    match f.resolve_dtypes(&[a.dtype().into(), b]) {
        Ok(dtypes) => complex_to_real(py, dtypes[2], a.dtype()),
        // The call itself raises.
        Err(_) => Ok(()),
    }
}

/// Returns the complex dtype of an argument, or of one of several.
fn complex_of(value: &Value) -> Option<DType> {
    match value {
        Value::Array(a) => Some(a.dtype()).filter(|dtype| dtype.is_complex()),
        Value::Scalar(Scalar::Complex(_)) => Some(DType::C128),
        Value::List(values) => values.iter().find_map(complex_of),
        _ => None,
    }
}

fn operand_type(value: &Value) -> Option<OperandType> {
    match value {
        Value::Array(a) => Some(a.dtype().into()),
        Value::Scalar(s) => Some((*s).into()),
        _ => None,
    }
}

/// Issues the warnings of means and variances of too few elements. The number of elements of a mask is known only on
/// the device: with a mask there are none.
fn of_statistics<'a>(
    py: Python<'_>,
    name: &str,
    a: Option<&Value>,
    at: impl Fn(&str) -> Option<&'a Value>,
) -> PyResult<()> {
    if matches!(name, "cov" | "corrcoef") {
        return of_covariances(py, a, at);
    }
    let means = matches!(name, "mean" | "nanmean" | "median" | "nanmedian" | "average");
    let variances = matches!(name, "var" | "std" | "nanvar" | "nanstd");
    let Some(Value::Array(a)) = a.filter(|_| means || variances) else { return Ok(()) };
    if at("where").is_some() || at("weights").is_some() {
        return Ok(());
    }
    let axes: Vec<isize> = match at("axis") {
        None => (0..a.ndim() as isize).collect(),
        Some(Value::Integers(axes)) => axes.clone(),
        Some(Value::Scalar(Scalar::Int(axis))) => vec![*axis as isize],
        Some(_) => return Ok(()),
    };
    let length = |axis: &isize| {
        let axis = if *axis < 0 { axis + a.ndim() as isize } else { *axis };
        usize::try_from(axis).ok().and_then(|axis| a.shape().get(axis)).copied()
    };
    // An invalid axis raises later.
    let Some(n) = axes.iter().map(length).product::<Option<usize>>() else { return Ok(()) };
    let ddof = match at("ddof") {
        Some(Value::Scalar(Scalar::Int(ddof))) => *ddof as f64,
        Some(Value::Scalar(Scalar::Float(ddof))) => *ddof,
        _ => 0.0,
    };
    if means && n == 0 {
        return runtime(py, c"Mean of empty slice");
    }
    if variances && n as f64 <= ddof { runtime(py, c"Degrees of freedom <= 0 for slice") } else { Ok(()) }
}

/// Issues the warning of a covariance of too few observations; weights would have to be summed.
fn of_covariances<'a>(py: Python<'_>, m: Option<&Value>, at: impl Fn(&str) -> Option<&'a Value>) -> PyResult<()> {
    let Some(Value::Array(m)) = m else { return Ok(()) };
    if at("fweights").is_some() || at("aweights").is_some() || m.is_empty() && m.ndim() > 1 {
        return Ok(());
    }
    let is = |name: &str, default: bool| match at(name) {
        Some(Value::Scalar(Scalar::Bool(value))) => *value,
        _ => default,
    };
    let observations = match m.shape() {
        [] => 1,
        [n] => *n,
        [first, .., last] => {
            if is("rowvar", true) {
                *last
            } else {
                *first
            }
        }
    };
    let ddof = match at("ddof") {
        Some(Value::Scalar(Scalar::Int(ddof))) => *ddof,
        _ => i128::from(!is("bias", false)),
    };
    if observations as i128 <= ddof { runtime(py, c"Degrees of freedom <= 0 for slice") } else { Ok(()) }
}

fn runtime(py: Python<'_>, message: &std::ffi::CStr) -> PyResult<()> {
    PyErr::warn(py, py.get_type::<PyRuntimeWarning>().as_any(), message, 1)
}
