//! Operators on arrays.
//!
//! The left operand may be a scalar of one integer type and one real type of Rust's primitive types, `i64` and `f64`.
//! With a second type of either, `2.0 * &a` would have two candidate implementations, so that the compiler would
//! determine the type of the result only after it has checked the whole expression, and reject a method call on it
//! (`(2.0 * &a).sqrt()`, E0282).

use std::ops;

use half::{bf16, f16};
use num_complex::{Complex32, Complex64};

use crate::array::{Array, AsOperand, Operand};
use crate::dtype::{Casting, can_cast};
use crate::error::{Error, ErrorKind, Result};
use crate::scalar::Scalar;
use crate::ufunc::{UfuncOptions, ufunc};

/// Unwraps the result, or panics with the error's message at the operator's location.
#[track_caller]
fn must(result: Result<Array>) -> Array {
    match result {
        Ok(a) => a,
        Err(e) => panic!("{e}"),
    }
}

#[track_caller]
fn call(name: &str, operands: &[Operand<'_>]) -> Array {
    must(ufunc(name).and_then(|f| f.called(operands, &UfuncOptions::default())))
}

/// Stores the result in the left operand.
fn in_place(name: &str, a: &Array, other: Operand<'_>) -> Result<Array> {
    let f = ufunc(name)?;
    let options = UfuncOptions { out: Some(a), ..UfuncOptions::default() };
    f.called(&[a.into(), other], &options).map_err(|e| {
        // Operators have no `casting`, which the function's own message suggests.
        let dtypes = f.resolve_dtypes(&[a.into(), (&other).into()]);
        match dtypes.ok().and_then(|dtypes| dtypes.last().copied()) {
            Some(result) if e.kind() == ErrorKind::Type && !can_cast(result, a.dtype(), Casting::SameKind) => {
                let message = format!(
                    "the result is {result}, which an array of {} cannot hold: use the operator that returns a new \
                     array, or cast the right operand with astype",
                    a.dtype()
                );
                Error::new(ErrorKind::Type, message).with_op(name)
            }
            _ => e,
        }
    })
}

/// Implements an operator: arrays by value and by reference on the left, and in place; scalars on the left of an array.
macro_rules! operator {
    ($trait:ident, $method:ident, $assign:ident, $assign_method:ident, $name:literal) => {
        impl<R: AsOperand> ops::$trait<R> for Array {
            operator!(@method $method, $name, self, R, (&self).into(), |other| other.as_operand());
        }
        impl<R: AsOperand> ops::$trait<R> for &Array {
            operator!(@method $method, $name, self, R, self.into(), |other| other.as_operand());
        }
        impl<R: AsOperand> ops::$assign<R> for Array {
            #[doc = concat!("In place: NumPy's `", $name, "` with this array as `out`.")]
            ///
            /// # Panics
            ///
            /// If the function returns an error, with its message.
            #[track_caller]
            fn $assign_method(&mut self, other: R) {
                must(in_place($name, self, other.as_operand()));
            }
        }
        operator!(@scalars $trait, $method, $name:
            bool, i64, f64, f16, bf16, Complex32, Complex64, Scalar);
    };
    (@scalars $trait:ident, $method:ident, $name:literal: $($s:ty),+) => {$(
        impl ops::$trait<Array> for $s {
            operator!(@method $method, $name, self, Array, self.into(), |other| (&other).into());
        }
        impl ops::$trait<&Array> for $s {
            operator!(@method $method, $name, self, &Array, self.into(), |other| other.into());
        }
    )+};
    (@method $method:ident, $name:literal, $self:ident, $right:ty, $left:expr, |$other:ident| $operand:expr) => {
        type Output = Array;
        #[doc = concat!("NumPy's `", $name, "`.")]
        ///
        /// # Panics
        ///
        /// If the function returns an error, with its message.
        #[track_caller]
        fn $method($self, $other: $right) -> Array {
            call($name, &[$left, $operand])
        }
    };
}

operator!(Add, add, AddAssign, add_assign, "add");
operator!(Sub, sub, SubAssign, sub_assign, "subtract");
operator!(Mul, mul, MulAssign, mul_assign, "multiply");
operator!(Div, div, DivAssign, div_assign, "true_divide");
operator!(Rem, rem, RemAssign, rem_assign, "remainder");
operator!(BitAnd, bitand, BitAndAssign, bitand_assign, "bitwise_and");
operator!(BitOr, bitor, BitOrAssign, bitor_assign, "bitwise_or");
operator!(BitXor, bitxor, BitXorAssign, bitxor_assign, "bitwise_xor");
operator!(Shl, shl, ShlAssign, shl_assign, "left_shift");
operator!(Shr, shr, ShrAssign, shr_assign, "right_shift");

/// Implements a unary operator, by value and by reference.
macro_rules! unary_operator {
    ($trait:ident, $method:ident, $name:literal) => {
        impl ops::$trait for &Array {
            type Output = Array;
            #[doc = concat!("NumPy's `", $name, "`.")]
            ///
            /// # Panics
            ///
            /// If the function returns an error, with its message.
            #[track_caller]
            fn $method(self) -> Array {
                call($name, &[self.into()])
            }
        }
        impl ops::$trait for Array {
            type Output = Array;
            #[doc = concat!("NumPy's `", $name, "`.")]
            ///
            /// # Panics
            ///
            /// If the function returns an error, with its message.
            #[track_caller]
            fn $method(self) -> Array {
                call($name, &[(&self).into()])
            }
        }
    };
}

unary_operator!(Neg, neg, "negative");
unary_operator!(Not, not, "invert");
