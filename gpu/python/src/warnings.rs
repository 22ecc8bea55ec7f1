//! NumPy's warnings that dtypes and shapes determine: issued before a call, without a synchronisation.

use cuprum::table::{Record, Value};
use cuprum::{DType, OperandType, Scalar};
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

/// Issues the warnings of a call of a function of the table with these arguments.
pub(crate) fn of_call(py: Python<'_>, record: &Record, values: &[Option<Value>]) -> PyResult<()> {
    let at = |name: &str| {
        let at = record.parameters().iter().position(|p| p.name == name)?;
        values.get(at)?.as_ref().filter(|value| !matches!(value, Value::None))
    };
    let operands = values.iter().flatten().filter_map(operand_type);
    if let Some(from) = operands.clone().find_map(|o| o.dtype().filter(|dtype| dtype.is_complex())) {
        let takes_casting = record.parameters().iter().any(|p| p.name == "casting");
        let allowed = !takes_casting || matches!(at("casting"), Some(Value::Text(casting)) if casting == "unsafe");
        if let (true, Some(Value::DType(to))) = (allowed, at("dtype")) {
            complex_to_real(py, from, *to)?;
        } else if let (true, true, Some(Value::Array(out))) = (allowed, takes_casting, at("out"))
            && let Ok(f) = cuprum::ufunc(record.name())
        {
            let types: Vec<OperandType> = operands.take(f.nin()).map(|o| o.0).collect();
            let result = f.resolve_dtypes(&types).ok().and_then(|dtypes| dtypes.get(f.nin()).copied());
            complex_to_real(py, result.unwrap_or(out.dtype()), out.dtype())?;
        } else if let (true, "copyto", Some(Value::Array(dst))) = (allowed, record.name(), at("dst"))
            && let Some(from) = at("src").and_then(operand_type).and_then(|src| src.dtype())
        {
            complex_to_real(py, from, dst.dtype())?;
        }
    }
    of_statistics(py, record.name(), values.first().and_then(Option::as_ref), at)
}

/// The operand type of an argument.
struct Typed(OperandType);

impl Typed {
    fn dtype(&self) -> Option<DType> {
        match self.0 {
            OperandType::Array(dtype) => Some(dtype),
            OperandType::Scalar(Scalar::Complex(_)) => Some(DType::C128),
            OperandType::Scalar(_) => None,
        }
    }
}

fn operand_type(value: &Value) -> Option<Typed> {
    match value {
        Value::Array(a) => Some(Typed(a.dtype().into())),
        Value::Scalar(s) => Some(Typed((*s).into())),
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
