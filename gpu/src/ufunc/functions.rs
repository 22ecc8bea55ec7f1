//! The functions that ufuncs are to users, by name.

use super::{UfuncOptions, ufunc};
use crate::array::{Array, Operand};
use crate::error::Result;

/// Calls the ufunc of this name, which is told nothing else.
pub(crate) fn apply<const N: usize>(name: &str, operands: [Operand<'_>; N]) -> Result<Array> {
    ufunc(name)?.call(&operands, &UfuncOptions::default())
}

/// The same of a ufunc of two results.
pub(crate) fn apply_pair<const N: usize>(name: &str, operands: [Operand<'_>; N]) -> Result<(Array, Array)> {
    ufunc(name)?.call_pair(&operands, &UfuncOptions::default())
}

// The sentence of each operation, out of its record: `sentence!(add)`.
include!(concat!(env!("OUT_DIR"), "/sentences.rs"));
pub(crate) use sentence;

/// Functions of one operand; the sentence is the registry's.
macro_rules! unary {
    ($($name:ident),+ $(,)?) => {$(
        #[doc = $crate::ufunc::sentence!($name)]
        ///
        #[doc = concat!("NumPy's `", stringify!($name), "`.")]
        ///
        /// # Errors
        ///
        /// As [`Ufunc::call`](crate::Ufunc::call).
        pub fn $name<'a>(a: impl Into<$crate::array::Operand<'a>>) -> $crate::error::Result<$crate::array::Array> {
            $crate::ufunc::apply(stringify!($name), [a.into()])
        }
    )+};
}
pub(crate) use unary;

/// Functions of two operands; the sentence is the registry's.
macro_rules! binary {
    ($($name:ident),+ $(,)?) => {$(
        #[doc = $crate::ufunc::sentence!($name)]
        ///
        #[doc = concat!("NumPy's `", stringify!($name), "`. Operands are broadcast; scalars are weak.")]
        ///
        /// # Errors
        ///
        /// As [`Ufunc::call`](crate::Ufunc::call).
        pub fn $name<'a>(
            a: impl Into<$crate::array::Operand<'a>>,
            b: impl Into<$crate::array::Operand<'a>>,
        ) -> $crate::error::Result<$crate::array::Array> {
            $crate::ufunc::apply(stringify!($name), [a.into(), b.into()])
        }
    )+};
}
pub(crate) use binary;

/// Functions of two results; the sentence is the registry's.
macro_rules! pairs {
    ($($name:ident($($operand:ident),+)),+ $(,)?) => {$(
        #[doc = $crate::ufunc::sentence!($name)]
        ///
        #[doc = concat!("NumPy's `", stringify!($name), "`.")]
        ///
        /// # Errors
        ///
        /// As [`Ufunc::call`](crate::Ufunc::call).
        pub fn $name<'a>(
            $($operand: impl Into<$crate::array::Operand<'a>>),+
        ) -> $crate::error::Result<($crate::array::Array, $crate::array::Array)> {
            $crate::ufunc::apply_pair(stringify!($name), [$($operand.into()),+])
        }
    )+};
}
pub(crate) use pairs;
