//! Operators on arrays.

use std::ops;

use half::{bf16, f16};
use num_complex::{Complex32, Complex64};

use crate::array::{Array, AsOperand, Operand};
use crate::error::Result;
use crate::ufunc::{UfuncOptions, ufunc};

/// The result, or a panic with the error's message at the operator's place.
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

/// One operator: arrays by value and by reference on the left, and in place; scalars on the left of an array.
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
            /// Where the function fails, with its error's message.
            #[track_caller]
            fn $assign_method(&mut self, other: R) {
                let options = UfuncOptions { out: Some(self), ..UfuncOptions::default() };
                must(ufunc($name).and_then(|f| f.called(&[(&*self).into(), other.as_operand()], &options)));
            }
        }
        operator!(@scalars $trait, $method, $name:
            bool, i8, u8, i16, u16, i32, u32, i64, u64, isize, usize, f16, bf16, f32, f64, Complex32, Complex64);
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
        /// Where the function fails, with its error's message.
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

/// An operator of one operand, by value and by reference.
macro_rules! unary_operator {
    ($trait:ident, $method:ident, $name:literal) => {
        impl ops::$trait for &Array {
            type Output = Array;
            #[doc = concat!("NumPy's `", $name, "`.")]
            ///
            /// # Panics
            ///
            /// Where the function fails, with its error's message.
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
            /// Where the function fails, with its error's message.
            #[track_caller]
            fn $method(self) -> Array {
                call($name, &[(&self).into()])
            }
        }
    };
}

unary_operator!(Neg, neg, "negative");
unary_operator!(Not, not, "invert");
