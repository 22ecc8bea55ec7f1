//! Operands of functions: arrays or host scalars.
//!
//! A scalar is weak: it takes the dtype of the arrays that it meets, unless it is of a higher kind.

use half::{bf16, f16};
use num_complex::{Complex32, Complex64};
use smallvec::SmallVec;

use super::{Array, Typed};
use crate::cuda::Device;
use crate::scalar::{OperandType, Scalar};

/// An operand of a function or an operator: an array, by value or by reference, or a host scalar.
///
/// Lists and slices are not operands, to avoid implicit uploads: create an array first.
///
/// ```
/// use cuprum::{array, add, sqrt};
/// let a = array([3.0, 4.0])?;
/// assert_eq!(add(&a, 1)?.to_vec::<f64>()?, [4.0, 5.0]);
/// // Arrays that are of no further use go by value.
/// assert_eq!(sqrt((&a * &a).sum(())?)?.item::<f64>()?, 5.0);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// ```compile_fail
/// let a = cuprum::array([1.0, 2.0])?;
/// cuprum::add(&a, [1.0, 2.0])?;
/// # Ok::<(), cuprum::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no operand: it takes an array (`a` or `&a`) or a number",
    label = "neither an array nor a number",
    note = "elements of the host become an array first: `array([1.0, 2.0])?`, `Array::from_slice(&elements, [n])?`",
    note = "a `Result` is opened with `?`"
)]
pub trait AsOperand: private::Sealed {
    /// Returns the operand.
    fn as_operand(&self) -> Operand<'_>;
}

/// An array, by value or by reference.
///
/// ```
/// let a = cuprum::array([[1, 2], [3, 4]])?;
/// assert_eq!(cuprum::sum(&a, 0)?.to_vec::<i64>()?, [4, 6]);
/// assert_eq!(cuprum::sum(&a * 2, 0)?.to_vec::<i64>()?, [8, 12]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// ```compile_fail
/// cuprum::sum(vec![1.0, 2.0], 0)?;
/// # Ok::<(), cuprum::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no array: it takes `a` or `&a`",
    label = "not a `cuprum::Array`",
    note = "elements of the host become an array first: `array([1.0, 2.0])?`, `Array::from_slice(&elements, [n])?`",
    note = "a `Result` is opened with `?`"
)]
pub trait AsArray: private::Sealed {
    /// Returns the array.
    fn as_array(&self) -> &Array;
}

mod private {
    /// Restricts the implementations to this crate.
    pub trait Sealed {}
}

impl private::Sealed for Array {}
impl<T> private::Sealed for Typed<'_, T> {}
impl<T: private::Sealed + ?Sized> private::Sealed for &T {}

impl AsArray for Array {
    fn as_array(&self) -> &Array {
        self
    }
}

impl<T> AsArray for Typed<'_, T> {
    fn as_array(&self) -> &Array {
        self
    }
}

impl<A: AsArray + ?Sized> AsArray for &A {
    fn as_array(&self) -> &Array {
        A::as_array(self)
    }
}

impl AsOperand for Array {
    fn as_operand(&self) -> Operand<'_> {
        Operand::Array(self)
    }
}

impl<T> AsOperand for Typed<'_, T> {
    fn as_operand(&self) -> Operand<'_> {
        Operand::Array(self)
    }
}

impl<T: AsOperand + ?Sized> AsOperand for &T {
    fn as_operand(&self) -> Operand<'_> {
        T::as_operand(self)
    }
}

impl private::Sealed for Operand<'_> {}
impl AsOperand for Operand<'_> {
    fn as_operand(&self) -> Operand<'_> {
        *self
    }
}

macro_rules! numbers {
    ($($number:ty),+) => {$(
        impl private::Sealed for $number {}
        impl AsOperand for $number {
            fn as_operand(&self) -> Operand<'_> {
                Operand::Scalar((*self).into())
            }
        }
    )+};
}
numbers!(Scalar, bool, i8, u8, i16, u16, i32, u32, i64, u64, isize, usize, f16, bf16, f32, f64, Complex32, Complex64);

/// An operand: an array, or a weak host scalar; the result of [`AsOperand`].
///
/// Arrays, references to arrays, and Rust numbers convert to it.
///
/// ```
/// use cuprum::{DType, add, array};
/// let a = array([1i8, 2])?;
/// // The scalar is weak: the result stays int8.
/// assert_eq!(add(&a, 1)?.dtype(), DType::I8);
/// // A 0-d array is not.
/// assert_eq!(add(&a, array(1i64)?)?.dtype(), DType::I64);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub enum Operand<'a> {
    /// An array.
    Array(&'a Array),
    /// A weak scalar.
    Scalar(Scalar),
}

/// An operand, or `()` for none.
///
/// Everything that is an operand implements it, and `()` for none.
pub trait AsOptionalOperand: private::Sealed {
    /// Returns the operand, if there is one.
    fn as_optional_operand(&self) -> Option<Operand<'_>>;
}

impl private::Sealed for () {}
impl AsOptionalOperand for () {
    fn as_optional_operand(&self) -> Option<Operand<'_>> {
        None
    }
}

impl<O: AsOperand> private::Sealed for Option<O> {}
impl<O: AsOperand> AsOptionalOperand for Option<O> {
    fn as_optional_operand(&self) -> Option<Operand<'_>> {
        self.as_ref().map(O::as_operand)
    }
}

impl<O: AsOperand> AsOptionalOperand for O {
    fn as_optional_operand(&self) -> Option<Operand<'_>> {
        Some(self.as_operand())
    }
}

/// The operands of a call: a tuple, an array or a slice.
///
/// Tuples, arrays and vectors of operands implement it, and a single operand.
#[diagnostic::on_unimplemented(
    message = "`{Self}` are no operands: they are a tuple of arrays and numbers",
    label = "no tuple, array or slice of operands",
    note = "of one operand it is `(&a,)`, of two `(&a, 2.5)`"
)]
pub trait Operands: operands::Sealed {
    /// Returns the operands, in order.
    fn as_operands(&self) -> SmallVec<[Operand<'_>; 3]>;
}

mod operands {
    /// Restricts the implementations to this crate.
    pub trait Sealed {}
}

macro_rules! tuples {
    ($($operand:ident),+) => {
        impl<$($operand: AsOperand),+> operands::Sealed for ($($operand,)+) {}
        impl<$($operand: AsOperand),+> Operands for ($($operand,)+) {
            #[allow(non_snake_case, reason = "the type parameters name the fields")]
            fn as_operands(&self) -> SmallVec<[Operand<'_>; 3]> {
                let ($($operand,)+) = self;
                [$($operand.as_operand()),+].into_iter().collect()
            }
        }
    };
}
tuples!(A);
tuples!(A, B);
tuples!(A, B, C);

macro_rules! operand_lists {
    ($([$($n:tt)*] $list:ty),+) => {$(
        impl<A: AsOperand, $($n)*> operands::Sealed for $list {}
        impl<A: AsOperand, $($n)*> Operands for $list {
            fn as_operands(&self) -> SmallVec<[Operand<'_>; 3]> {
                self.iter().map(A::as_operand).collect()
            }
        }
    )+};
}
operand_lists!([const N: usize] [A; N], [const N: usize] &[A; N], [] &[A], [] Vec<A>, [] &Vec<A>);

/// Arrays of a function that takes several: an array, a slice, a vector or an iterator of arrays or of references to
/// them.
///
/// ```
/// use cuprum::{array, concatenate};
/// let a = array([1, 2])?;
/// assert_eq!(concatenate([&a, &a], ())?.to_vec::<i32>()?, [1, 2, 1, 2]);
/// assert_eq!(concatenate((0..2).map(|k| &a * k), ())?.to_vec::<i32>()?, [0, 0, 1, 2]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// ```compile_fail
/// let a = cuprum::array([1, 2])?;
/// cuprum::concatenate((&a, &a), ())?; // several arrays are `[&a, &a]`
/// # Ok::<(), cuprum::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no list of arrays",
    label = "not a list of arrays",
    note = "arrays are passed as an array, a slice, a vector or an iterator: two as `[&a, &b]`, one as `[&a]`"
)]
pub trait IntoArrays: IntoIterator<Item: AsArray> {}

#[diagnostic::do_not_recommend]
impl<I: IntoIterator<Item: AsArray>> IntoArrays for I {}

/// Collects arrays, each by value or by reference.
pub(crate) fn listed<I: IntoArrays>(arrays: I) -> Vec<I::Item> {
    arrays.into_iter().collect()
}

/// Returns references to the arrays.
pub(crate) fn referred<A: AsArray>(arrays: &[A]) -> Vec<&Array> {
    arrays.iter().map(A::as_array).collect()
}

impl Operand<'_> {
    /// Returns the device of an array operand.
    pub(crate) fn device(&self) -> Option<Device> {
        match self {
            Operand::Array(a) => Some(a.device()),
            Operand::Scalar(_) => None,
        }
    }
}

impl<'a> From<&'a Array> for Operand<'a> {
    fn from(a: &'a Array) -> Self {
        Operand::Array(a)
    }
}

impl<S: Into<Scalar>> From<S> for Operand<'_> {
    fn from(s: S) -> Self {
        Operand::Scalar(s.into())
    }
}

impl From<&Array> for OperandType {
    fn from(a: &Array) -> Self {
        OperandType::Array(a.dtype())
    }
}

impl From<&Operand<'_>> for OperandType {
    fn from(o: &Operand<'_>) -> Self {
        match o {
            Operand::Array(a) => OperandType::Array(a.dtype()),
            Operand::Scalar(s) => OperandType::Scalar(*s),
        }
    }
}
