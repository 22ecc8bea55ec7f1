//! The functions that ufuncs are to users, by name.

use super::{UfuncOptions, ufunc};
use crate::array::{Array, Operand};
use crate::error::Result;

/// Calls the ufunc of this name, which is told nothing else.
pub(crate) fn apply<const N: usize>(name: &str, operands: [Operand<'_>; N]) -> Result<Array> {
    ufunc(name)?.called(&operands, &UfuncOptions::default())
}

/// The same of a ufunc of two results.
pub(crate) fn apply_pair<const N: usize>(name: &str, operands: [Operand<'_>; N]) -> Result<(Array, Array)> {
    ufunc(name)?.called_pair(&operands, &UfuncOptions::default())
}

// The sentence of each operation, out of its record: `sentence!(add)`.
include!(concat!(env!("OUT_DIR"), "/sentences.rs"));
pub(crate) use sentence;

/// Functions of one operand and the methods of their names; the sentence is the registry's.
macro_rules! unary {
    ($($name:ident),+ $(,)?) => {
        $(
            #[doc = $crate::ufunc::sentence!($name)]
            ///
            #[doc = concat!("NumPy's `", stringify!($name), "`.")]
            ///
            /// # Errors
            ///
            /// As [`Ufunc::call`](crate::Ufunc::call).
            pub fn $name(a: impl $crate::array::AsOperand) -> $crate::error::Result<$crate::array::Array> {
                $crate::ufunc::apply(stringify!($name), [a.as_operand()])
            }
        )+

        impl $crate::array::Array {$(
            #[doc = $crate::ufunc::sentence!($name)]
            ///
            #[doc = concat!("[`", stringify!($name), "`](crate::", stringify!($name), "()) as a method.")]
            ///
            /// # Errors
            ///
            /// As [`Ufunc::call`](crate::Ufunc::call).
            pub fn $name(&self) -> $crate::error::Result<$crate::array::Array> {
                $crate::ufunc::apply(stringify!($name), [self.into()])
            }
        )+}
    };
}
pub(crate) use unary;

/// Functions of two operands and the methods of their names; the sentence is the registry's.
macro_rules! binary {
    ($($name:ident),+ $(,)?) => {
        $(
            #[doc = $crate::ufunc::sentence!($name)]
            ///
            #[doc = concat!("NumPy's `", stringify!($name), "`. Operands are broadcast; scalars are weak.")]
            ///
            /// # Errors
            ///
            /// As [`Ufunc::call`](crate::Ufunc::call).
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
            #[doc = concat!("[`", stringify!($name), "`](crate::", stringify!($name), "()) as a method, this array being the first operand.")]
            ///
            /// # Errors
            ///
            /// As [`Ufunc::call`](crate::Ufunc::call).
            pub fn $name(&self, other: impl $crate::array::AsOperand) -> $crate::error::Result<$crate::array::Array> {
                $crate::ufunc::apply(stringify!($name), [self.into(), other.as_operand()])
            }
        )+}
    };
}
pub(crate) use binary;

/// Functions of two results and the methods of their names; the sentence is the registry's.
macro_rules! pairs {
    ($($name:ident($a:ident $(, $b:ident)?)),+ $(,)?) => {
        $(
            #[doc = $crate::ufunc::sentence!($name)]
            ///
            #[doc = concat!("NumPy's `", stringify!($name), "`.")]
            ///
            /// # Errors
            ///
            /// As [`Ufunc::call`](crate::Ufunc::call).
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
            #[doc = concat!("[`", stringify!($name), "`](crate::", stringify!($name), "()) as a method, this array being the first operand.")]
            ///
            /// # Errors
            ///
            /// As [`Ufunc::call`](crate::Ufunc::call).
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
