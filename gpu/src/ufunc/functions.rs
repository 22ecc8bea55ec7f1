//! Public functions for ufuncs, by name.

use super::{UfuncOptions, ufunc};
use crate::array::{Array, Operand};
use crate::error::Result;

/// Calls the ufunc of a name without options.
pub(crate) fn apply<const N: usize>(name: &str, operands: [Operand<'_>; N]) -> Result<Array> {
    ufunc(name)?.called(&operands, &UfuncOptions::default())
}

/// Calls the ufunc of a name with two results, without options.
pub(crate) fn apply_pair<const N: usize>(name: &str, operands: [Operand<'_>; N]) -> Result<(Array, Array)> {
    ufunc(name)?.called_pair(&operands, &UfuncOptions::default())
}

// The sentence of each operation from its record, `sentence!(add)`, and its dtypes, special values and example,
// `details!(add)`.
include!(concat!(env!("OUT_DIR"), "/sentences.rs"));
pub(crate) use {details, sentence};

/// Defines functions of one operand and methods of the same names; the sentence is the registry's.
macro_rules! unary {
    ($($name:ident),+ $(,)?) => {
        $(
            #[doc = $crate::ufunc::sentence!($name)]
            ///
            #[doc = concat!("NumPy's `", stringify!($name), "`.")]
            ///
            #[doc = $crate::ufunc::details!($name)]
            ///
            /// # Errors
            ///
            /// [`ErrorKind::Type`](crate::ErrorKind::Type) for operands of a dtype without a loop.
            pub fn $name(a: impl $crate::array::AsOperand) -> $crate::error::Result<$crate::array::Array> {
                $crate::ufunc::apply(stringify!($name), [a.as_operand()])
            }
        )+

        impl $crate::array::Array {$(
            #[doc = $crate::ufunc::sentence!($name)]
            ///
            #[doc = concat!("[`", stringify!($name), "`](crate::", stringify!($name), "()) as a method; see there for dtypes and an example.")]
            ///
            /// # Errors
            ///
            /// Same as [`Ufunc::call`](crate::Ufunc::call).
            pub fn $name(&self) -> $crate::error::Result<$crate::array::Array> {
                $crate::ufunc::apply(stringify!($name), [self.into()])
            }
        )+}
    };
}
pub(crate) use unary;

/// Defines functions of two operands and methods of the same names; the sentence is the registry's.
macro_rules! binary {
    ($($name:ident),+ $(,)?) => {
        $(
            #[doc = $crate::ufunc::sentence!($name)]
            ///
            #[doc = concat!("NumPy's `", stringify!($name), "`. Operands are broadcast; scalars are weak.")]
            ///
            #[doc = $crate::ufunc::details!($name)]
            ///
            /// # Errors
            ///
            /// [`ErrorKind::Type`](crate::ErrorKind::Type) for operands of dtypes without a loop,
            /// [`ErrorKind::Value`](crate::ErrorKind::Value) for shapes that cannot be broadcast,
            /// [`ErrorKind::Overflow`](crate::ErrorKind::Overflow) for a scalar out of range of the arrays' dtype.
            pub fn $name(
                a: impl $crate::array::AsOperand,
                b: impl $crate::array::AsOperand,
            ) -> $crate::error::Result<$crate::array::Array> {
                $crate::ufunc::apply(stringify!($name), [a.as_operand(), b.as_operand()])
            }
        )+

        impl $crate::array::Array {$(
            #[doc = $crate::ufunc::sentence!($name)]
            ///
            #[doc = concat!("[`", stringify!($name), "`](crate::", stringify!($name), "()) as a method, with this array as the first operand; see there for dtypes and an example.")]
            ///
            /// # Errors
            ///
            /// Same as [`Ufunc::call`](crate::Ufunc::call).
            pub fn $name(&self, other: impl $crate::array::AsOperand) -> $crate::error::Result<$crate::array::Array> {
                $crate::ufunc::apply(stringify!($name), [self.into(), other.as_operand()])
            }
        )+}
    };
}
pub(crate) use binary;

/// Defines functions of two results and methods of the same names; the sentence is the registry's.
macro_rules! pairs {
    ($($name:ident($a:ident $(, $b:ident)?)),+ $(,)?) => {
        $(
            #[doc = $crate::ufunc::sentence!($name)]
            ///
            #[doc = concat!("NumPy's `", stringify!($name), "`.")]
            ///
            #[doc = $crate::ufunc::details!($name)]
            ///
            /// # Errors
            ///
            /// Same as [`Ufunc::call`](crate::Ufunc::call).
            pub fn $name(
                $a: impl $crate::array::AsOperand,
                $($b: impl $crate::array::AsOperand,)?
            ) -> $crate::error::Result<($crate::array::Array, $crate::array::Array)> {
                $crate::ufunc::apply_pair(stringify!($name), [$a.as_operand() $(, $b.as_operand())?])
            }
        )+

        impl $crate::array::Array {$(
            #[doc = $crate::ufunc::sentence!($name)]
            ///
            #[doc = concat!("[`", stringify!($name), "`](crate::", stringify!($name), "()) as a method, with this array as the first operand; see there for dtypes and an example.")]
            ///
            /// # Errors
            ///
            /// Same as [`Ufunc::call`](crate::Ufunc::call).
            pub fn $name(
                &self,
                $($b: impl $crate::array::AsOperand,)?
            ) -> $crate::error::Result<($crate::array::Array, $crate::array::Array)> {
                $crate::ufunc::apply_pair(stringify!($name), [self.into() $(, $b.as_operand())?])
            }
        )+}
    };
}
pub(crate) use pairs;
