//! Shape arguments.
//!
//! Integers, lists, tuples and vectors of any integer type are shapes; -1 is inferred where a function allows it.

use crate::error::{Error, ErrorKind, Result};

/// A shape argument: a number, an array, a slice, a vector or a tuple of numbers; `()` is the shape of a 0-d array. -1
/// is for [`Array::reshape`](crate::Array::reshape).
///
/// ```
/// use cuprum::{DType, empty};
/// assert_eq!(empty((2, 3), DType::F32)?.shape(), empty([2, 3], DType::F32)?.shape());
/// assert!(empty((), DType::F32)?.shape().is_empty());
/// # Ok::<(), cuprum::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no shape",
    label = "not a number of elements, nor several",
    note = "a shape is an integer, an array, a slice, a vector or a tuple of integers; `()` is that of an array without axes"
)]
pub trait IntoShape {
    /// Returns the sizes of the axes.
    fn into_shape(self) -> Vec<i64>;
}

/// Implements the trait for integers; a size that does not fit `i64` is rejected as too large later on.
macro_rules! into_shape {
    ($($t:ty),+) => {$(
        impl IntoShape for $t {
            fn into_shape(self) -> Vec<i64> {
                vec![i64::try_from(self).unwrap_or(i64::MAX)]
            }
        }
    )+};
}
into_shape!(usize, isize, i32, u32, i64, u64);

impl IntoShape for () {
    fn into_shape(self) -> Vec<i64> {
        Vec::new()
    }
}

impl<T: IntoShape + Copy> IntoShape for &[T] {
    fn into_shape(self) -> Vec<i64> {
        self.iter().flat_map(|n| n.into_shape()).collect()
    }
}

/// Implements the trait for lists of sizes.
macro_rules! into_shape_list {
    ($([$($n:tt)*] $t:ty),+) => {$(
        impl<T: IntoShape + Copy, $($n)*> IntoShape for $t {
            fn into_shape(self) -> Vec<i64> {
                self.as_slice().into_shape()
            }
        }
    )+};
}
into_shape_list!([const N: usize] [T; N], [const N: usize] &[T; N], [] Vec<T>, [] &Vec<T>);

/// Implements the trait for tuples.
macro_rules! into_shape_tuple {
    ($($t:ident)+) => {
        impl<$($t: IntoShape),+> IntoShape for ($($t,)+) {
            #[allow(non_snake_case, reason = "the type parameters name the fields")]
            fn into_shape(self) -> Vec<i64> {
                let ($($t,)+) = self;
                [$($t.into_shape()),+].concat()
            }
        }
    };
}
into_shape_tuple!(A);
into_shape_tuple!(A B);
into_shape_tuple!(A B C);
into_shape_tuple!(A B C D);
into_shape_tuple!(A B C D E);
into_shape_tuple!(A B C D E F);

/// Formats a requested shape, which may have negative sizes.
pub(crate) fn signed_shape_text(requested: &[i64]) -> String {
    match requested {
        [one] => format!("({one},)"),
        several => format!("({})", several.iter().map(i64::to_string).collect::<Vec<_>>().join(", ")),
    }
}

/// Converts a shape, rejecting negative sizes.
pub(crate) fn checked_shape(requested: &[i64]) -> Result<Vec<usize>> {
    requested
        .iter()
        .map(|&n| {
            usize::try_from(n).map_err(|_| {
                Error::new(
                    ErrorKind::Value,
                    format!("negative dimensions are not allowed: {n} in shape {}", signed_shape_text(requested)),
                )
            })
        })
        .collect()
}
