//! NumPy's elementwise functions, thin over the engine; a file for each family.

mod exponents;
mod trigonometric;

pub use exponents::*;
pub use trigonometric::*;

/// Functions of two operands; the sentence is the registry's.
macro_rules! binary {
    ($($name:ident: $doc:literal),+ $(,)?) => {$(
        #[doc = $doc]
        ///
        #[doc = concat!("NumPy's `", stringify!($name), "`. Operands are broadcast; scalars are weak.")]
        ///
        /// # Errors
        ///
        /// As [`Ufunc::call`](crate::Ufunc::call).
        pub fn $name<'a>(
            a: impl Into<$crate::Operand<'a>>,
            b: impl Into<$crate::Operand<'a>>,
        ) -> $crate::Result<$crate::Array> {
            $crate::ufunc(stringify!($name))?.call(&[a.into(), b.into()], &$crate::UfuncOptions::default())
        }
    )+};
}

/// Functions of one operand; the sentence is the registry's.
macro_rules! unary {
    ($($name:ident: $doc:literal),+ $(,)?) => {$(
        #[doc = $doc]
        ///
        #[doc = concat!("NumPy's `", stringify!($name), "`.")]
        ///
        /// # Errors
        ///
        /// As [`Ufunc::call`](crate::Ufunc::call).
        pub fn $name<'a>(a: impl Into<$crate::Operand<'a>>) -> $crate::Result<$crate::Array> {
            $crate::ufunc(stringify!($name))?.call(&[a.into()], &$crate::UfuncOptions::default())
        }
    )+};
}

pub(crate) use {binary, unary};
