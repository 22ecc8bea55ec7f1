//! Dynamic arguments, and how counterparts read them.

use std::cell::RefCell;

use cuprum_kernels::DType;

use crate::core::array::{NdArray, Operand};
use crate::core::error::{ErrorKind, OracleError};
use crate::core::layout::Order;
use crate::core::promote::Casting;
use crate::core::value::Value;
use crate::numpy::statistics::CorrelateMode;
use crate::ufunc::reduce::Gathering;

/// An argument of a call.
#[derive(Clone, Debug)]
pub enum Argument {
    /// Python's `None`.
    None,
    /// A number, or a boolean.
    Scalar(Value),
    /// A dtype.
    DType(DType),
    /// A string.
    Text(String),
    /// Integers: axes, a shape, positions.
    Integers(Vec<isize>),
    /// An array.
    Array(NdArray),
    /// A list of arguments.
    List(Vec<Argument>),
}

impl Argument {
    /// Returns true if it is a negative integer, or contains one.
    fn is_negative(&self) -> bool {
        match self {
            Argument::Scalar(Value::Int(i)) => *i < 0,
            Argument::Integers(all) => all.iter().any(|i| *i < 0),
            _ => false,
        }
    }
}

/// The reason why there is no result.
#[derive(Clone, Debug)]
pub enum Fault {
    /// NumPy rejects the call as well.
    Rejection(OracleError),
    /// The function has no such parameter: an error of the caller, which implies nothing about NumPy.
    Misuse(String),
}

impl From<OracleError> for Fault {
    fn from(error: OracleError) -> Fault {
        Fault::Rejection(error)
    }
}

/// The arguments of a call, by NumPy's names of the parameters.
#[derive(Debug)]
pub struct Arguments {
    all: Vec<(String, Argument)>,
    /// The accumulation model of the side whose bounds are requested.
    pub by: Gathering,
    read: RefCell<Vec<String>>,
}

impl Arguments {
    /// Creates the arguments, with the accumulation model of the other side's error.
    pub fn new(all: Vec<(String, Argument)>, by: Gathering) -> Arguments {
        Arguments { all, by, read: RefCell::default() }
    }

    /// Returns the same arguments without `out`, for a result of this dtype.
    pub(super) fn for_new(&self, dtype: DType) -> Arguments {
        let others = self.all.iter().filter(|(name, _)| !["out", "dtype"].contains(&name.as_str())).cloned();
        Arguments::new(others.chain([("dtype".into(), Argument::DType(dtype))]).collect(), self.by)
    }

    fn find(&self, name: &str) -> Option<&Argument> {
        self.read.borrow_mut().push(name.into());
        self.all.iter().find(|(n, _)| n == name).map(|(_, argument)| argument)
    }

    /// Returns an argument that the function did not read.
    pub(super) fn unread(&self) -> Option<&str> {
        let read = self.read.borrow();
        self.all.iter().map(|(name, _)| name.as_str()).find(|name| !read.iter().any(|r| r == name))
    }

    /// Returns true if the argument is passed.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// Reads an argument; a type that accepts `None` is `None` if it is not passed.
    pub(crate) fn get<'a, T: Read<'a>>(&'a self, name: &str) -> Result<T, Fault> {
        let argument = self.find(name).unwrap_or(&Argument::None);
        if T::COUNTS && argument.is_negative() {
            return Err(Fault::Rejection(OracleError::new(ErrorKind::Value, format!("`{name}` is negative"))));
        }
        T::read(argument).ok_or_else(|| Fault::Misuse(format!("`{name}` cannot be {argument:?}")))
    }

    /// Reads an argument, or returns the default if it is not passed.
    pub(crate) fn or<'a, T: Read<'a>>(&'a self, name: &str, default: T) -> Result<T, Fault> {
        if self.has(name) { self.get(name) } else { Ok(default) }
    }

    /// Reads the operands of an elementwise function, under NumPy's names.
    pub(crate) fn operands(&self) -> Result<Vec<Operand<'_>>, Fault> {
        ["x", "x1", "x2", "x3"].iter().filter(|name| self.has(name)).map(|name| self.get(name)).collect()
    }
}

/// A type as which an argument can be read.
pub(crate) trait Read<'a>: Sized {
    /// True for counts: NumPy rejects a negative number with `ValueError`.
    const COUNTS: bool = false;

    fn read(argument: &'a Argument) -> Option<Self>;
}

/// Implements [`Read`] for types of one variant of [`Argument`].
macro_rules! read {
    ($($of:ty: $form:pat => $value:expr),+ $(,)?) => {$(
        impl<'a> Read<'a> for $of {
            fn read(argument: &'a Argument) -> Option<Self> {
                match argument {
                    $form => Some($value),
                    _ => None,
                }
            }
        }
    )+};
}
read! {
    &'a NdArray: Argument::Array(a) => a,
    NdArray: Argument::Array(a) => a.clone(),
    Value: Argument::Scalar(v) => *v,
    bool: Argument::Scalar(Value::Bool(b)) => *b,
    &'a str: Argument::Text(text) => text,
    DType: Argument::DType(dtype) => *dtype,
}

impl Read<'_> for Argument {
    fn read(argument: &Argument) -> Option<Self> {
        Some(argument.clone())
    }
}

impl<'a> Read<'a> for Operand<'a> {
    fn read(argument: &'a Argument) -> Option<Self> {
        match argument {
            Argument::Array(a) => Some(Operand::Array(a)),
            Argument::Scalar(v) => Some(Operand::Scalar(*v)),
            _ => None,
        }
    }
}

impl Read<'_> for f64 {
    fn read(argument: &Argument) -> Option<Self> {
        match argument {
            Argument::Scalar(v @ (Value::Int(_) | Value::Float(_))) => Some(v.float()),
            _ => None,
        }
    }
}

macro_rules! integers {
    ($($of:ty: $counts:literal),+) => {$(
        impl Read<'_> for $of {
            const COUNTS: bool = $counts;

            fn read(argument: &Argument) -> Option<Self> {
                match argument {
                    Argument::Scalar(Value::Int(i)) => <$of>::try_from(*i).ok(),
                    _ => None,
                }
            }
        }

        impl Read<'_> for Vec<$of> {
            const COUNTS: bool = $counts;

            fn read(argument: &Argument) -> Option<Self> {
                match argument {
                    Argument::Integers(all) => all.iter().map(|i| <$of>::try_from(*i).ok()).collect(),
                    one => Some(vec![<$of>::read(one)?]),
                }
            }
        }
    )+};
}
integers!(isize: false, usize: true, i64: false);

/// Implements [`Read`] for lists of types.
macro_rules! lists {
    ($($of:ty),+) => {$(
        impl<'a> Read<'a> for Vec<$of> {
            fn read(argument: &'a Argument) -> Option<Self> {
                match argument {
                    Argument::List(all) => all.iter().map(<$of>::read).collect(),
                    _ => None,
                }
            }
        }
    )+};
}
lists!(&'a NdArray, Operand<'a>, f64, Argument);

impl Read<'_> for (f64, f64) {
    fn read(argument: &Argument) -> Option<Self> {
        match Vec::<f64>::read(argument)?.as_slice() {
            [first, last] => Some((*first, *last)),
            _ => None,
        }
    }
}

impl<'a, T: Read<'a>> Read<'a> for Option<T> {
    const COUNTS: bool = T::COUNTS;

    fn read(argument: &'a Argument) -> Option<Self> {
        match argument {
            Argument::None => Some(None),
            other => T::read(other).map(Some),
        }
    }
}

/// Implements [`Read`] for enums whose variants have names.
macro_rules! named {
    ($($of:ident { $($name:literal = $variant:ident),+ })+) => {$(
        impl Read<'_> for $of {
            fn read(argument: &Argument) -> Option<Self> {
                match <&str>::read(argument)? {
                    $($name => Some($of::$variant),)+
                    _ => None,
                }
            }
        }
    )+};
}
named! {
    Order { "C" = C, "F" = F, "A" = A, "K" = K }
    Casting { "no" = No, "equiv" = Equiv, "safe" = Safe, "same_kind" = SameKind, "unsafe" = Unsafe }
    CorrelateMode { "valid" = Valid, "same" = Same, "full" = Full }
}
