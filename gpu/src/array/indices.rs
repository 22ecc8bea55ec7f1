//! Index arguments along one axis.
//!
//! Indices on the host are numbers; those in an array are read back where the function needs them on the host.

use std::ops::{Range, RangeInclusive};

use super::Array;
use super::arguments::{IntoInteger, integer};

/// Indices along one axis: an integer, an array, a slice, a vector or a range of integers, or a device array of
/// integers.
///
/// ```
/// use cuprum::{arange, array, ufunc};
/// let (a, add) = (arange(0, 8, 1)?, ufunc("add")?);
/// assert_eq!(add.reduceat(&a, [0, 4], 0, ())?.to_vec::<i64>()?, [6, 22]);
/// assert_eq!(add.reduceat(&a, vec![0usize, 4], 0, ())?.to_vec::<i64>()?, [6, 22]);
/// assert_eq!(add.reduceat(&a, array([0, 4])?, 0, ())?.to_vec::<i64>()?, [6, 22]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Debug)]
pub enum Indices {
    /// Integers on the host.
    Host(Vec<isize>),
    /// An array of integers; the function that takes it synchronises to read it.
    Device(Array),
}

impl Indices {
    fn listed<T: IntoInteger>(all: impl IntoIterator<Item = T>) -> Indices {
        Indices::Host(all.into_iter().map(integer).collect())
    }
}

impl<T: IntoInteger> From<T> for Indices {
    fn from(one: T) -> Indices {
        Indices::listed([one])
    }
}

impl<T: IntoInteger> From<&[T]> for Indices {
    fn from(all: &[T]) -> Indices {
        Indices::listed(all.iter().copied())
    }
}

macro_rules! lists {
    ($([$($n:tt)*] $list:ty),+) => {$(
        impl<T: IntoInteger, $($n)*> From<$list> for Indices {
            fn from(all: $list) -> Indices {
                Indices::from(all.as_slice())
            }
        }
    )+};
}
lists!([const N: usize] [T; N], [const N: usize] &[T; N], [] Vec<T>, [] &Vec<T>);

macro_rules! ranges {
    ($($integer:ty),+) => {$(
        impl From<Range<$integer>> for Indices {
            fn from(all: Range<$integer>) -> Indices {
                Indices::listed(all)
            }
        }
        impl From<RangeInclusive<$integer>> for Indices {
            fn from(all: RangeInclusive<$integer>) -> Indices {
                Indices::listed(all)
            }
        }
    )+};
}
ranges!(i32, i64, isize, usize);

impl From<&Array> for Indices {
    fn from(a: &Array) -> Indices {
        Indices::Device(a.clone())
    }
}

impl From<Array> for Indices {
    fn from(a: Array) -> Indices {
        Indices::Device(a)
    }
}
