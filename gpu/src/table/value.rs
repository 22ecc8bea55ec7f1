//! Dynamic argument values of calls by name.
//!
//! Bindings and tests convert their own values to these.

use std::fmt;

use cuprum_kernels::DType;

use crate::array::Array;
use crate::scalar::Scalar;

/// An argument whose type is known at run time only.
///
/// Rust values convert to it with `into`.
///
/// ```
/// use cuprum::table::Value;
/// let a = cuprum::array([1, 2])?;
/// assert!(matches!(Value::from(&a), Value::Array(_)));
/// assert!(matches!(Value::from("stable"), Value::Text(_)));
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Value {
    /// Python's `None`.
    None,
    /// A host scalar.
    Scalar(Scalar),
    /// A dtype.
    DType(DType),
    /// A string: the name of a mode, of a method, of a rule.
    Text(String),
    /// Integers: axes, a shape, positions.
    Integers(Vec<isize>),
    /// An array.
    Array(Array),
    /// Several values: arrays, spacings, ranges.
    List(Vec<Value>),
}

/// Describes the value, for messages.
impl Value {
    pub(super) fn described(&self) -> String {
        match self {
            Value::Array(a) => format!("an array of shape {:?} and {}", a.shape(), a.dtype()),
            Value::List(list) => format!("a list of {}", list.len()),
            other => other.to_string(),
        }
    }
}

/// Formats the value in Python's syntax.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::None => f.write_str("None"),
            Value::Scalar(Scalar::Bool(true)) => f.write_str("True"),
            Value::Scalar(Scalar::Bool(false)) => f.write_str("False"),
            Value::Scalar(Scalar::Int(i)) => write!(f, "{i}"),
            Value::Scalar(Scalar::Float(x)) if x.is_finite() => write!(f, "{x:?}"),
            Value::Scalar(Scalar::Float(x)) => write!(f, "float('{x}')"),
            Value::Scalar(Scalar::Complex(z)) => write!(f, "complex({:?}, {:?})", z.re, z.im),
            Value::DType(dtype) => f.write_str(dtype.name()),
            Value::Text(text) => write!(f, "'{text}'"),
            Value::Integers(all) => tuple(f, all),
            Value::Array(_) => f.write_str("array"),
            Value::List(all) => tuple(f, all),
        }
    }
}

fn tuple<T: fmt::Display>(f: &mut fmt::Formatter<'_>, all: &[T]) -> fmt::Result {
    let all: Vec<String> = all.iter().map(T::to_string).collect();
    match &all[..] {
        [one] => write!(f, "({one},)"),
        many => write!(f, "({})", many.join(", ")),
    }
}

impl From<&Array> for Value {
    fn from(a: &Array) -> Value {
        Value::Array(a.clone())
    }
}

impl From<Array> for Value {
    fn from(a: Array) -> Value {
        Value::Array(a)
    }
}

impl<S: Into<Scalar>> From<S> for Value {
    fn from(s: S) -> Value {
        Value::Scalar(s.into())
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::Text(text.into())
    }
}

impl From<DType> for Value {
    fn from(dtype: DType) -> Value {
        Value::DType(dtype)
    }
}
