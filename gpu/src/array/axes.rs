//! Axis arguments.
//!
//! `()` is NumPy's `None`, an integer one axis, a tuple, a list or a range several; negative axes count from the end.

use std::ops::{Range, RangeInclusive};

use smallvec::SmallVec;

use crate::layout::MAX_NDIM;

/// An axis index; negative ones count from the end.
///
/// All integer types of Rust implement it; negative numbers count from the end.
#[diagnostic::on_unimplemented(
    message = "`{Self}` names no axis",
    label = "not an integer",
    note = "an axis is an `i32`, an `i64`, an `isize` or a `usize`; several are an array, a slice, a vector, a tuple or a range of them"
)]
pub trait IntoAxis: Copy + private::Sealed {
    /// Returns the axis index.
    fn into_axis(self) -> isize;
}

mod private {
    /// Restricts the implementations to this crate.
    pub trait Sealed {}
}

/// Implements the trait for integers, with saturation: a number outside `isize` is out of bounds for any array.
macro_rules! into_axis {
    ($($integer:ty),+) => {$(
        impl private::Sealed for $integer {}
        impl IntoAxis for $integer {
            fn into_axis(self) -> isize {
                isize::try_from(self).unwrap_or(isize::MAX)
            }
        }
    )+};
}
into_axis!(i32, i64, isize, usize);

/// One axis, or none: NumPy's `axis=None`.
///
/// ```
/// use cuprum::{Axis, array};
/// let a = array([[3, 1], [2, 0]])?;
/// assert_eq!(cuprum::sort(&a, 0)?.to_vec::<i32>()?, [2, 0, 3, 1]);
/// assert_eq!(cuprum::sort(&a, None)?.to_vec::<i32>()?, [0, 1, 2, 3]);
/// assert_eq!(Axis::from(0), Axis(Some(0)));
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Axis(pub Option<isize>);

impl<A: IntoAxis> From<A> for Axis {
    fn from(axis: A) -> Axis {
        Axis(Some(axis.into_axis()))
    }
}

impl From<Option<isize>> for Axis {
    fn from(axis: Option<isize>) -> Axis {
        Axis(axis)
    }
}

/// Axes: an integer, an array, a slice, a vector, a tuple or a range of integers; `()` and `None` for NumPy's
/// `axis=None`.
///
/// ```
/// use cuprum::{DType, ones, sum};
/// let a = ones([2, 3, 4], DType::F32)?;
/// assert_eq!(sum(&a, 0)?.shape(), [3, 4]);
/// assert_eq!(sum(&a, (0, -1))?.shape(), [3]);
/// assert_eq!(sum(&a, [0, 1])?.shape(), [4]);
/// assert_eq!(sum(&a, 1..3)?.shape(), [2]);
/// assert_eq!(sum(&a, vec![0usize, 2])?.shape(), [3]);
/// assert_eq!(sum(&a, ())?.ndim(), 0);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Axes(pub(crate) Option<SmallVec<[isize; 4]>>);

impl Axes {
    /// Returns the axes, or `None` for NumPy's `axis=None`.
    ///
    /// ```
    /// use cuprum::Axes;
    /// assert_eq!(Axes::from((0, -1)).as_slice(), Some(&[0, -1][..]));
    /// assert_eq!(Axes::from(()).as_slice(), None);
    /// ```
    pub fn as_slice(&self) -> Option<&[isize]> {
        self.0.as_deref()
    }

    fn listed<A: IntoAxis>(axes: impl IntoIterator<Item = A>) -> Axes {
        // One more than the maximum number of axes is enough for the list to be rejected.
        Axes(Some(axes.into_iter().take(MAX_NDIM + 1).map(A::into_axis).collect()))
    }
}

impl From<()> for Axes {
    fn from((): ()) -> Axes {
        Axes(None)
    }
}

impl From<Option<isize>> for Axes {
    fn from(axis: Option<isize>) -> Axes {
        axis.map_or(Axes(None), Axes::from)
    }
}

impl<A: IntoAxis> From<A> for Axes {
    fn from(axis: A) -> Axes {
        Axes::listed([axis])
    }
}

impl<A: IntoAxis> From<&[A]> for Axes {
    fn from(axes: &[A]) -> Axes {
        Axes::listed(axes.iter().copied())
    }
}

impl From<&Axes> for Axes {
    fn from(axes: &Axes) -> Axes {
        axes.clone()
    }
}

/// Implements the conversion from lists of axes.
macro_rules! lists {
    ($([$($n:tt)*] $list:ty),+) => {$(
        impl<A: IntoAxis, $($n)*> From<$list> for Axes {
            fn from(axes: $list) -> Axes {
                Axes::from(axes.as_slice())
            }
        }
    )+};
}
lists!([const N: usize] [A; N], [const N: usize] &[A; N], [] Vec<A>, [] &Vec<A>);

macro_rules! ranges {
    ($($integer:ty),+) => {$(
        impl From<Range<$integer>> for Axes {
            fn from(axes: Range<$integer>) -> Axes {
                Axes::listed(axes)
            }
        }

        impl From<RangeInclusive<$integer>> for Axes {
            fn from(axes: RangeInclusive<$integer>) -> Axes {
                Axes::listed(axes)
            }
        }
    )+};
}
ranges!(i32, i64, isize, usize);

/// Implements the conversion from tuples.
macro_rules! tuples {
    ($($axis:ident)+) => {
        impl<$($axis: IntoAxis),+> From<($($axis,)+)> for Axes {
            #[allow(non_snake_case, reason = "the type parameters name the fields")]
            fn from(($($axis,)+): ($($axis,)+)) -> Axes {
                Axes::listed([$($axis.into_axis()),+])
            }
        }
    };
}
tuples!(A);
tuples!(A B);
tuples!(A B C);
tuples!(A B C D);
tuples!(A B C D E);
tuples!(A B C D E F);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_holds_integers_names_axes() {
        let named = |axes: Axes, want: &[isize]| assert_eq!(axes.as_slice(), Some(want));
        named(Axes::from(-1), &[-1]);
        named(Axes::from(2usize), &[2]);
        named(Axes::from([0, -1]), &[0, -1]);
        named(Axes::from(&[0i64, 3][..]), &[0, 3]);
        named(Axes::from(vec![1usize]), &[1]);
        named(Axes::from((0, 1usize, -1)), &[0, 1, -1]);
        named(Axes::from(1..=2), &[1, 2]);
        named(Axes::from(-2..0), &[-2, -1]);
        named(Axes::from(usize::MAX), &[isize::MAX]);
        assert_eq!(Axes::from(0..usize::MAX).as_slice().map(<[isize]>::len), Some(MAX_NDIM + 1));
        assert_eq!((Axes::from(()), Axes::from(None)), (Axes(None), Axes(None)));
    }
}
