//! Operators on arrays.

use std::ops;

use num_complex::{Complex32, Complex64};

use crate::array::Array;
use crate::error::Result;
use crate::scalar::Operand;
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
    must(ufunc(name).and_then(|f| f.call(operands, &UfuncOptions::default())))
}

/// One operator: arrays by value and by reference, a scalar on the right, and in place.
macro_rules! operator {
    ($trait:ident, $method:ident, $assign:ident, $assign_method:ident, $name:literal) => {
        operator!(@pair $trait, $method, $name, Array, Array, |a, b| &a, &b);
        operator!(@pair $trait, $method, $name, Array, &Array, |a, b| &a, b);
        operator!(@pair $trait, $method, $name, &Array, Array, |a, b| a, &b);
        operator!(@pair $trait, $method, $name, &Array, &Array, |a, b| a, b);
        impl ops::$assign<&Array> for Array {
            #[doc = concat!("In place: NumPy's `", $name, "` with this array as `out`.")]
            ///
            /// # Panics
            ///
            /// Where the function fails, with its error's message.
            #[track_caller]
            fn $assign_method(&mut self, other: &Array) {
                let options = UfuncOptions { out: Some(self), ..UfuncOptions::default() };
                must(ufunc($name).and_then(|f| f.call(&[(&*self).into(), other.into()], &options)));
            }
        }
        operator!(@scalars $trait, $method, $assign, $assign_method, $name:
            bool, i8, u8, i16, u16, i32, u32, i64, u64, f32, f64, Complex32, Complex64);
    };
    (@pair $trait:ident, $method:ident, $name:literal, $left:ty, $right:ty, |$a:ident, $b:ident| $x:expr, $y:expr) => {
        impl ops::$trait<$right> for $left {
            type Output = Array;
            #[doc = concat!("NumPy's `", $name, "`.")]
            ///
            /// # Panics
            ///
            /// Where the function fails, with its error's message.
            #[track_caller]
            fn $method(self, other: $right) -> Array {
                let ($a, $b) = (self, other);
                call($name, &[($x).into(), ($y).into()])
            }
        }
    };
    (@scalars $trait:ident, $method:ident, $assign:ident, $assign_method:ident, $name:literal: $($s:ty),+) => {$(
        operator!(@scalar $trait, $method, $name, Array, $s, |a, b| &a, b);
        operator!(@scalar $trait, $method, $name, &Array, $s, |a, b| a, b);
        operator!(@scalar $trait, $method, $name, $s, Array, |a, b| a, &b);
        operator!(@scalar $trait, $method, $name, $s, &Array, |a, b| a, b);
        impl ops::$assign<$s> for Array {
            #[doc = concat!("In place: NumPy's `", $name, "` with this array as `out`.")]
            ///
            /// # Panics
            ///
            /// Where the function fails, with its error's message.
            #[track_caller]
            fn $assign_method(&mut self, other: $s) {
                let options = UfuncOptions { out: Some(self), ..UfuncOptions::default() };
                must(ufunc($name).and_then(|f| f.call(&[(&*self).into(), other.into()], &options)));
            }
        }
    )+};
    (@scalar $trait:ident, $method:ident, $name:literal, $left:ty, $right:ty, |$a:ident, $b:ident| $x:expr, $y:expr) => {
        operator!(@pair $trait, $method, $name, $left, $right, |$a, $b| $x, $y);
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
