//! Conversion of dynamic values to parameter types.
//!
//! A value of the wrong kind is an error that names the parameter, the value and what is expected.

use std::str::FromStr;

use cuprum_kernels::DType;

use super::{ParameterKind, Value};
use crate::array::{Array, Axes, Indices, IntoShape, Operand};
use crate::dtype::Casting;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::Order;
use crate::scalar::{OperandType, Scalar};

/// A type that a parameter can have.
pub(crate) trait Argument<'v>: Sized {
    /// The kind of the parameter.
    const KIND: ParameterKind;
    /// True if `None` is accepted, too.
    const OPTIONAL: bool = false;

    /// Reads a value.
    fn read(value: &'v Value) -> Result<Self>;

    /// Returns the dynamic value from which it would be read.
    fn value(&self) -> Value;
}

/// A type of which a parameter can have a list.
pub(crate) trait Element<'v>: Argument<'v> {
    /// The kind of a list.
    const LIST: ParameterKind;

    /// Reads a list.
    fn read_list(value: &'v Value) -> Result<Vec<Self>> {
        match value {
            Value::List(list) => list.iter().map(Self::read).collect(),
            other => Err(expected("a list", other)),
        }
    }
}

fn expected(what: &str, got: &Value) -> Error {
    Error::new(ErrorKind::Type, format!("{what} is expected, not {}", got.described()))
}

/// Returns the string of a named value.
pub(crate) fn text(value: &Value) -> Result<&str> {
    match value {
        Value::Text(text) => Ok(text),
        other => Err(expected("a name", other)),
    }
}

impl<'v> Argument<'v> for &'v str {
    const KIND: ParameterKind = ParameterKind::Text;

    fn read(value: &'v Value) -> Result<Self> {
        text(value)
    }

    fn value(&self) -> Value {
        Value::from(*self)
    }
}

/// Returns the error for an unknown name.
pub(crate) fn no_choice(what: &str, name: &str, names: &[&str]) -> Error {
    Error::new(ErrorKind::Value, format!("there is no {what} called {name:?}; there are {}", names.join(", ")))
}

impl<'v> Argument<'v> for &'v Array {
    const KIND: ParameterKind = ParameterKind::Array;

    fn read(value: &'v Value) -> Result<Self> {
        match value {
            Value::Array(a) => Ok(a),
            other => Err(expected("an array", other)),
        }
    }

    fn value(&self) -> Value {
        Value::Array((*self).clone())
    }
}

impl<'v> Element<'v> for &'v Array {
    const LIST: ParameterKind = ParameterKind::Arrays;
}

impl<'v> Argument<'v> for Operand<'v> {
    const KIND: ParameterKind = ParameterKind::Operand;

    fn read(value: &'v Value) -> Result<Self> {
        match value {
            Value::Array(a) => Ok(Operand::Array(a)),
            Value::Scalar(s) => Ok(Operand::Scalar(*s)),
            other => Err(expected("an array or a number", other)),
        }
    }

    fn value(&self) -> Value {
        match self {
            Operand::Array(a) => Value::Array((*a).clone()),
            Operand::Scalar(s) => Value::Scalar(*s),
        }
    }
}

impl<'v> Element<'v> for Operand<'v> {
    const LIST: ParameterKind = ParameterKind::Operands;
}

impl Argument<'_> for OperandType {
    const KIND: ParameterKind = ParameterKind::DTypes;

    fn read(value: &Value) -> Result<Self> {
        match value {
            Value::Array(a) => Ok(OperandType::Array(a.dtype())),
            Value::DType(dtype) => Ok(OperandType::Array(*dtype)),
            Value::Scalar(s) => Ok(OperandType::Scalar(*s)),
            other => Err(expected("an array, a dtype or a number", other)),
        }
    }

    fn value(&self) -> Value {
        match self {
            OperandType::Array(dtype) => Value::DType(*dtype),
            OperandType::Scalar(s) => Value::Scalar(*s),
        }
    }
}

impl Element<'_> for OperandType {
    const LIST: ParameterKind = ParameterKind::DTypes;
}

impl Argument<'_> for Scalar {
    const KIND: ParameterKind = ParameterKind::Scalar;

    fn read(value: &Value) -> Result<Self> {
        match value {
            Value::Scalar(s) => Ok(*s),
            other => Err(expected("a number", other)),
        }
    }

    fn value(&self) -> Value {
        Value::Scalar(*self)
    }
}

impl Element<'_> for Scalar {
    const LIST: ParameterKind = ParameterKind::Operands;
}

impl Argument<'_> for bool {
    const KIND: ParameterKind = ParameterKind::Bool;

    fn read(value: &Value) -> Result<Self> {
        match value {
            Value::Scalar(Scalar::Bool(b)) => Ok(*b),
            other => Err(expected("True or False", other)),
        }
    }

    fn value(&self) -> Value {
        Value::from(*self)
    }
}

impl Argument<'_> for f64 {
    const KIND: ParameterKind = ParameterKind::Float;

    fn read(value: &Value) -> Result<Self> {
        match value {
            Value::Scalar(Scalar::Float(x)) => Ok(*x),
            Value::Scalar(Scalar::Int(i)) => Ok(*i as f64),
            other => Err(expected("a real number", other)),
        }
    }

    fn value(&self) -> Value {
        Value::from(*self)
    }
}

impl Argument<'_> for String {
    const KIND: ParameterKind = ParameterKind::Text;

    fn read(value: &Value) -> Result<Self> {
        match value {
            Value::Text(text) => Ok(text.clone()),
            other => Err(expected("a text", other)),
        }
    }

    fn value(&self) -> Value {
        Value::Text(self.clone())
    }
}

impl Element<'_> for String {
    const LIST: ParameterKind = ParameterKind::Texts;
}

macro_rules! integers {
    ($($of:ty),+) => {$(
        impl Argument<'_> for $of {
            const KIND: ParameterKind = ParameterKind::Int;

            fn read(value: &Value) -> Result<Self> {
                match value {
                    Value::Scalar(Scalar::Int(i)) => fitting(*i),
                    other => Err(expected("an integer", other)),
                }
            }

            fn value(&self) -> Value {
                Value::Scalar(Scalar::Int(*self as i128))
            }
        }

        impl Element<'_> for $of {
            const LIST: ParameterKind = ParameterKind::Integers;

            fn read_list(value: &Value) -> Result<Vec<Self>> {
                match value {
                    Value::Integers(all) => all.iter().map(|i| fitting(*i as i128)).collect(),
                    other => Err(expected("an integer or a sequence of integers", other)),
                }
            }
        }
    )+};
}
integers!(isize, usize, i64);

fn fitting<T: TryFrom<i128>>(i: i128) -> Result<T> {
    T::try_from(i).map_err(|_| Error::new(ErrorKind::Value, format!("{i} is out of the range that it can have")))
}

impl Argument<'_> for Indices {
    const KIND: ParameterKind = ParameterKind::Integers;

    fn read(value: &Value) -> Result<Self> {
        isize::read_list(value).map(Indices::Host)
    }

    fn value(&self) -> Value {
        match self {
            Indices::Host(all) => Value::Integers(all.clone()),
            Indices::Device(a) => Value::Array(a.clone()),
        }
    }
}

/// A shape as it was passed: -1 means the remaining size.
#[derive(Clone, Debug)]
pub(crate) struct Shape(Vec<i64>);

impl IntoShape for Shape {
    fn into_shape(self) -> Vec<i64> {
        self.0
    }
}

impl Argument<'_> for Shape {
    const KIND: ParameterKind = ParameterKind::Shape;

    fn read(value: &Value) -> Result<Self> {
        i64::read_list(value).map(Shape)
    }

    fn value(&self) -> Value {
        Value::Integers(self.0.iter().map(|n| *n as isize).collect())
    }
}

impl<'v, T: Element<'v>> Argument<'v> for Vec<T> {
    const KIND: ParameterKind = T::LIST;

    fn read(value: &'v Value) -> Result<Self> {
        T::read_list(value)
    }

    fn value(&self) -> Value {
        Value::List(self.iter().map(T::value).collect())
    }
}

impl<'v> Argument<'v> for &'v [isize] {
    const KIND: ParameterKind = ParameterKind::Integers;

    fn read(value: &'v Value) -> Result<Self> {
        match value {
            Value::Integers(all) => Ok(all),
            other => Err(expected("integers", other)),
        }
    }

    fn value(&self) -> Value {
        Value::Integers(self.to_vec())
    }
}

/// Reads axes, all of them for `None`.
impl Argument<'_> for Axes {
    const KIND: ParameterKind = ParameterKind::Axes;
    const OPTIONAL: bool = true;

    fn read(value: &Value) -> Result<Self> {
        Ok(Option::<&[isize]>::read(value)?.map_or(Axes::from(()), Axes::from))
    }

    fn value(&self) -> Value {
        self.as_slice().map_or(Value::None, |axes| Value::Integers(axes.to_vec()))
    }
}

impl Argument<'_> for (f64, f64) {
    const KIND: ParameterKind = ParameterKind::Range;

    fn read(value: &Value) -> Result<Self> {
        match value {
            Value::List(ends) if ends.len() == 2 => Ok((f64::read(&ends[0])?, f64::read(&ends[1])?)),
            other => Err(expected("two numbers", other)),
        }
    }

    fn value(&self) -> Value {
        Value::List(vec![self.0.into(), self.1.into()])
    }
}

impl<'v, T: Argument<'v>> Argument<'v> for Option<T> {
    const KIND: ParameterKind = T::KIND;
    const OPTIONAL: bool = true;

    fn read(value: &'v Value) -> Result<Self> {
        match value {
            Value::None => Ok(None),
            other => T::read(other).map(Some),
        }
    }

    fn value(&self) -> Value {
        self.as_ref().map_or(Value::None, T::value)
    }
}

impl Element<'_> for Option<(f64, f64)> {
    const LIST: ParameterKind = ParameterKind::Ranges;
}

impl Argument<'_> for DType {
    const KIND: ParameterKind = ParameterKind::DType;

    fn read(value: &Value) -> Result<Self> {
        match value {
            Value::DType(dtype) => Ok(*dtype),
            Value::Text(name) => DType::from_str(name)
                .map_err(|_| Error::new(ErrorKind::Type, format!("there is no dtype called {name:?}"))),
            other => Err(expected("a dtype", other)),
        }
    }

    fn value(&self) -> Value {
        Value::DType(*self)
    }
}

/// Implements the trait for enums in modules that cannot use the derive.
macro_rules! choice {
    ($of:ident: $($name:literal = $variant:ident),+) => {
        impl Argument<'_> for $of {
            const KIND: ParameterKind = ParameterKind::Choice(&[$($name),+]);

            fn read(value: &Value) -> Result<Self> {
                match text(value)? {
                    $($name => Ok($of::$variant),)+
                    other => Err(no_choice(stringify!($of), other, &[$($name),+])),
                }
            }

            fn value(&self) -> Value {
                Value::from(match self { $($of::$variant => $name),+ })
            }
        }
    };
}
choice!(Order: "C" = C, "F" = F, "A" = A, "K" = K);
choice!(Casting: "no" = No, "equiv" = Equiv, "safe" = Safe, "same_kind" = SameKind, "unsafe" = Unsafe);
