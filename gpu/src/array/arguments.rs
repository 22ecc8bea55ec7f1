//! Traits of scalar arguments, and of arguments for which `()` is the default.
//!
//! They let a call be written as in NumPy: `arange(0, 5, ())`, `sum(&a, 1)`, `round(&a, ())`.

use cuprum_kernels::DType;
use half::{bf16, f16};

use super::{Array, Index};
use crate::dtype::Casting;
use crate::error::{Error, ErrorKind, Result};
use crate::scalar::Scalar;

/// An integer argument: a value of any of Rust's integer types.
///
/// All integer types of Rust implement it.
///
/// ```
/// let samples: usize = 4;
/// assert_eq!(cuprum::hanning(samples)?.shape(), [4]);
/// assert_eq!(cuprum::hanning(4i32)?.shape(), [4]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an integer argument",
    label = "not an integer",
    note = "an integer of any of Rust's types is one; of a 0-d array, `a.item::<i64>()?`"
)]
pub trait IntoInteger: Copy + private::Sealed {
    /// Returns the integer.
    fn into_integer(self) -> i128;
}

/// A real argument: a value of any of Rust's integer and floating-point types.
///
/// All real number types of Rust implement it.
///
/// ```
/// let samples = 1000usize;
/// assert_eq!(cuprum::fft::fftfreq(4, samples)?.to_vec::<f64>()?, [0.0, 0.00025, -0.0005, -0.00025]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a real argument",
    label = "neither an integer nor a float",
    note = "an integer or a float of any of Rust's types is one; of a 0-d array, `a.item::<f64>()?`"
)]
pub trait IntoReal: Copy + private::Sealed {
    /// Returns the number.
    fn into_real(self) -> f64;
}

/// An argument that has a default: a value, `()` for the default, or an `Option`.
///
/// `()` and `None` are the default; a value or `Some` of it sets the parameter.
///
/// ```
/// let a = cuprum::array([[1, 2], [3, 4]])?;
/// assert_eq!(a.tril(())?.to_vec::<i32>()?, [1, 0, 3, 4]);
/// assert_eq!(a.tril(-1)?.to_vec::<i32>()?, [0, 0, 3, 0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an argument of type `{T}`, nor `()` for its default",
    label = "expected `{T}` or `()`"
)]
pub trait IntoOptional<T> {
    /// Returns the value, or `None` for the default.
    fn into_optional(self) -> Option<T>;
}

/// An argument of type `T`, or a value that converts to it. The documentation of `T` lists the conversions.
///
/// Options are `()` for the defaults, a value of their type, or the value of the option that is used most.
///
/// ```compile_fail
/// cuprum::zeros(3, "f4")?; // a dtype is `DType::F32`
/// # Ok::<(), cuprum::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an argument of type `{T}`, nor does it convert to one",
    label = "no conversion to `{T}`",
    note = "the documentation of `{T}` lists what converts to it",
    note = "options are `()` for the defaults, or `new()` and a method for each option: `Reduce::axis(0).keepdims(true)`",
    note = "a name of NumPy's, such as `norm=\"ortho\"`, is a value of an enum: `Norm::Ortho`",
    note = "a dtype is `DType::F32`, or the result of `\"f4\".parse::<DType>()?`"
)]
pub trait IntoArgument<T>: Into<T> {}

#[diagnostic::do_not_recommend]
impl<T, A: Into<T>> IntoArgument<T> for A {}

/// Implements the conversions of option structs that do not derive them.
macro_rules! default_options {
    ($($options:ident $(<$life:lifetime>)?),+ $(,)?) => {$(
        /// Returns the defaults.
        impl $(<$life>)? From<()> for $options $(<$life>)? {
            fn from((): ()) -> Self {
                Self::default()
            }
        }

        impl $(<$life>)? From<&$options $(<$life>)?> for $options $(<$life>)? {
            fn from(options: &Self) -> Self {
                options.clone()
            }
        }
    )+};
}
pub(crate) use default_options;

/// An index: what the macro [`s!`](crate::s) returns, or any list of [`Index`].
///
/// ```compile_fail
/// let a = cuprum::arange(0, 3, 1)?;
/// a.index(0)?; // an index is `s![0]`
/// # Ok::<(), cuprum::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an index",
    label = "not an index",
    note = "the macro `s!` of `cuprum::prelude` makes one: `a.index(s![0])?`, `a.index(s![1..3, ..])?`, `a.index(s![&indices])?`"
)]
pub trait AsIndex: AsRef<[Index]> {}

#[diagnostic::do_not_recommend]
impl<I: AsRef<[Index]>> AsIndex for I {}

mod private {
    /// Restricts the implementations to this crate.
    pub trait Sealed {}
}

impl<T> IntoOptional<T> for () {
    fn into_optional(self) -> Option<T> {
        None
    }
}

impl<T> IntoOptional<T> for Option<T> {
    fn into_optional(self) -> Option<T> {
        self
    }
}

/// Saturates to `isize`: a value outside its range is out of any bounds.
fn saturated(x: i128) -> isize {
    x.clamp(isize::MIN as i128, isize::MAX as i128) as isize
}

macro_rules! integers {
    ($($integer:ty),+) => {$(
        impl private::Sealed for $integer {}
        impl IntoInteger for $integer {
            fn into_integer(self) -> i128 {
                self as i128
            }
        }
        impl IntoReal for $integer {
            fn into_real(self) -> f64 {
                self as f64
            }
        }
        impl IntoOptional<isize> for $integer {
            fn into_optional(self) -> Option<isize> {
                Some(saturated(self.into_integer()))
            }
        }
        impl IntoOptional<i64> for $integer {
            fn into_optional(self) -> Option<i64> {
                Some(saturated(self.into_integer()) as i64)
            }
        }
        impl IntoOptional<f64> for $integer {
            fn into_optional(self) -> Option<f64> {
                Some(self.into_real())
            }
        }
    )+};
}
integers!(i8, u8, i16, u16, i32, u32, i64, u64, isize, usize);

macro_rules! floats {
    ($($float:ty),+) => {$(
        impl private::Sealed for $float {}
        impl IntoReal for $float {
            fn into_real(self) -> f64 {
                self.into()
            }
        }
        impl IntoOptional<f64> for $float {
            fn into_optional(self) -> Option<f64> {
                Some(self.into_real())
            }
        }
    )+};
}
floats!(f16, bf16, f32, f64);

/// Converts a pair of numbers to an interval.
impl<A: IntoReal, B: IntoReal> IntoOptional<(f64, f64)> for (A, B) {
    fn into_optional(self) -> Option<(f64, f64)> {
        Some((self.0.into_real(), self.1.into_real()))
    }
}

impl<S: Into<Scalar>> IntoOptional<Scalar> for S {
    fn into_optional(self) -> Option<Scalar> {
        Some(self.into())
    }
}

impl<'a> IntoOptional<&'a Array> for &'a Array {
    fn into_optional(self) -> Option<&'a Array> {
        Some(self)
    }
}

impl<'a> IntoOptional<&'a str> for &'a str {
    fn into_optional(self) -> Option<&'a str> {
        Some(self)
    }
}

/// Implements the conversions for types that accept only their own values.
macro_rules! plain {
    ($($of:ty),+) => {$(
        impl IntoOptional<$of> for $of {
            fn into_optional(self) -> Option<$of> {
                Some(self)
            }
        }
    )+};
}
plain!(bool, char, usize, DType, Casting);

/// Converts an integer argument to `isize`, with saturation.
pub(crate) fn integer(x: impl IntoInteger) -> isize {
    saturated(x.into_integer())
}

/// Converts the argument `name` to a count.
///
/// # Errors
///
/// [`ErrorKind::Value`] for a negative number.
pub(crate) fn count(name: &str, x: impl IntoInteger) -> Result<usize> {
    let x = x.into_integer();
    usize::try_from(x).map_err(|_| {
        Error::new(ErrorKind::Value, format!("{name} is {x}, but it is a number of elements: it must not be negative"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_of_every_type_are_arguments() {
        assert_eq!((integer(3u8), integer(-3i64), integer(u64::MAX)), (3, -3, isize::MAX));
        assert_eq!(count("n", 7i32).unwrap(), 7);
        let e = count("n", -1).unwrap_err();
        assert_eq!((e.kind(), e.message().starts_with("n is -1")), (ErrorKind::Value, true));
        assert_eq!(IntoOptional::<f64>::into_optional(2usize), Some(2.0));
        assert_eq!((0, 256usize).into_optional(), Some((0.0, 256.0)));
        assert_eq!(IntoOptional::<isize>::into_optional(()), None);
        assert_eq!(IntoOptional::<DType>::into_optional(DType::F32), Some(DType::F32));
    }
}
