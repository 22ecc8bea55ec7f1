//! Basic indexing: parts of an index, and the views that integers, slices, new axes and the ellipsis denote.
//!
//! The macro [`s!`](crate::s) writes an index as NumPy does: `s![0, .., 1..3, NewAxis]`. All arithmetic is on the host.

mod ranges;

pub use ranges::IntoSlice;

use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Dims, Layout, Strides, shape_text};

/// One part of an index; NumPy's `int`, `slice`, `newaxis`, `Ellipsis`, and arrays of integers or booleans.
///
/// The macro [`s!`](crate::s) converts integers, ranges, arrays and the markers [`NewAxis`](crate::NewAxis) and
/// [`Ellipsis`](crate::Ellipsis) to it.
///
/// ```
/// use cuprum::{array, s};
/// let a = array([[1, 2, 3], [4, 5, 6]])?;
/// // An integer, a slice, a new axis, a list.
/// assert_eq!(a.index(s![1, 1..])?.to_vec::<i32>()?, [5, 6]);
/// assert_eq!(a.index(s![cuprum::NewAxis, 0])?.shape(), [1, 3]);
/// assert_eq!(a.index(s![.., [2, 0]])?.to_vec::<i32>()?, [3, 1, 6, 4]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Debug)]
pub enum Index<A> {
    /// An element of the axis, which is removed; negative numbers count from the end.
    At(i64),
    /// A slice of the axis.
    Slice(Slice),
    /// A new axis of size 1.
    NewAxis,
    /// The remaining axes, unchanged.
    Ellipsis,
    /// A boolean: a new axis of size 1 for true, of size 0 for false.
    Truth(bool),
    /// An array: of integers, indices along an axis, or of booleans, a mask that covers as many axes as it has.
    Array(A),
    /// Indices along an axis.
    List(Vec<i64>),
}

impl<A> Index<A> {
    /// Returns whether the part is advanced indexing, which has no view.
    pub(crate) fn is_advanced(&self) -> bool {
        matches!(self, Index::Truth(_) | Index::Array(_) | Index::List(_))
    }
}

/// Slice of an axis: `start:stop:step`. Negative bounds count from the end; missing ones are the ends in the direction
/// of the step.
///
/// ```
/// use cuprum::Slice;
/// assert_eq!(Slice::from(1..5).step(2), Slice { start: Some(1), stop: Some(5), step: Some(2) });
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slice {
    /// The index of the first element.
    pub start: Option<i64>,
    /// The end, exclusive.
    pub stop: Option<i64>,
    /// The step, not 0.
    pub step: Option<i64>,
}

impl Slice {
    /// Returns the same bounds with a step.
    ///
    /// It is `a[start:stop:step]` of NumPy; `s![1..;2]` writes it more briefly.
    pub fn step(self, step: i64) -> Slice {
        Slice { step: Some(step), ..self }
    }

    /// Returns the first index, the number of elements and the step on an axis of `n` elements.
    pub(crate) fn resolve(self, n: usize) -> Result<(i64, usize, i64)> {
        let n = n as i64;
        let step = self.step.unwrap_or(1);
        if step == 0 {
            return Err(Error::new(ErrorKind::Value, "the step of a slice cannot be zero"));
        }
        // The bounds of a backward slice are one lower.
        let (low, high) = if step > 0 { (0, n) } else { (-1, n - 1) };
        let bound = |b: Option<i64>, default: i64| match b {
            None => default,
            Some(b) => (if b < 0 { b.saturating_add(n) } else { b }).clamp(low, high),
        };
        let (start, stop) = if step > 0 {
            (bound(self.start, 0), bound(self.stop, n))
        } else {
            (bound(self.start, n - 1), bound(self.stop, -1))
        };
        let distance = if step > 0 { stop - start } else { start - stop };
        let count = if distance <= 0 { 0 } else { (distance as u64 - 1) / step.unsigned_abs() + 1 };
        Ok((start, count as usize, step))
    }
}

impl<A, T: Into<Slice>> From<T> for Index<A> {
    fn from(slice: T) -> Index<A> {
        Index::Slice(slice.into())
    }
}

/// New axis of size 1 in [`s!`](crate::s).
#[derive(Clone, Copy, Debug)]
pub struct NewAxis;

/// Ellipsis in [`s!`](crate::s): the remaining axes, unchanged.
#[derive(Clone, Copy, Debug)]
pub struct Ellipsis;

impl<A> From<NewAxis> for Index<A> {
    fn from(_: NewAxis) -> Index<A> {
        Index::NewAxis
    }
}

impl<A> From<Ellipsis> for Index<A> {
    fn from(_: Ellipsis) -> Index<A> {
        Index::Ellipsis
    }
}

impl<A> From<bool> for Index<A> {
    fn from(truth: bool) -> Index<A> {
        Index::Truth(truth)
    }
}

/// Builds an index of several axes, as NumPy's brackets: integers, ranges, ranges with a step,
/// [`NewAxis`](crate::NewAxis), [`Ellipsis`](crate::Ellipsis), arrays of integers and masks (by value or by reference),
/// booleans, lists of integers.
///
/// | NumPy | here |
/// |---|---|
/// | `a[1, :, 2:5]` | `a.index(s![1, .., 2..5])` |
/// | `a[::-1, 1::2]` | `a.index(s![..;-1, 1..;2])` |
/// | `a[..., None, -1]` | `a.index(s![Ellipsis, NewAxis, -1])` |
/// | `a[i, :, [0, 2]]` | `a.index(s![&i, .., [0, 2]])` |
/// | `a[mask]` | `a.index(s![&mask])` |
///
/// Ranges have the meaning of Python's slices: bounds are clamped, and count from the end if negative; with a negative
/// step `5..2;-1` runs from 5 down to 3. (The macro of the crate ndarray reverses the part `5..2` instead.)
///
/// ```
/// use cuprum::{Index, s};
/// assert!(matches!(s![-1].as_slice(), [Index::At(-1)]));
/// assert_eq!(s![1, 2..5, ..;-1].len(), 3);
/// ```
#[macro_export]
macro_rules! s {
    (@parts [$($done:expr,)*]) => {{
        // With a negative step a range runs downwards.
        #[allow(clippy::reversed_empty_ranges)]
        let index = ::std::vec::Vec::<$crate::Index>::from([$($done),*]);
        index
    }};
    (@parts [$($done:expr,)*] $e:expr; $step:expr, $($rest:tt)*) => {
        $crate::s!(@parts [$($done,)* $crate::Index::Slice($crate::IntoSlice::into_slice($e, $crate::Slice::stepping($step))),] $($rest)*)
    };
    (@parts [$($done:expr,)*] $e:expr; $step:expr) => {
        $crate::s!(@parts [$($done,)* $crate::Index::Slice($crate::IntoSlice::into_slice($e, $crate::Slice::stepping($step))),])
    };
    (@parts [$($done:expr,)*] $e:expr, $($rest:tt)*) => {
        $crate::s!(@parts [$($done,)* $crate::Index::from($e),] $($rest)*)
    };
    (@parts [$($done:expr,)*] $e:expr) => { $crate::s!(@parts [$($done,)* $crate::Index::from($e),]) };
    ($($parts:tt)*) => { $crate::s!(@parts [] $($parts)*) };
}

impl Layout {
    /// Returns the layout of the elements that an index selects.
    pub(crate) fn index<A>(&self, index: &[Index<A>]) -> Result<Layout> {
        let used = index.iter().filter(|i| matches!(i, Index::At(_) | Index::Slice(_))).count();
        let ellipses = index.iter().filter(|i| matches!(i, Index::Ellipsis)).count();
        if ellipses > 1 {
            return Err(Error::new(ErrorKind::Index, "an index can have only one ellipsis"));
        }
        let Some(left) = self.shape.len().checked_sub(used) else {
            return Err(Error::new(
                ErrorKind::Index,
                format!(
                    "too many indices: an array of shape {} has {} axes, {used} were indexed",
                    shape_text(&self.shape),
                    self.shape.len()
                ),
            ));
        };
        let (mut shape, mut strides, mut offset) = (Dims::new(), Strides::new(), self.offset as i64);
        let mut axis = 0;
        let missing_ellipsis = if ellipses == 0 { Some(&Index::Ellipsis) } else { None };
        for part in index.iter().chain(missing_ellipsis) {
            match part {
                Index::At(i) => {
                    let n = self.shape[axis] as i64;
                    let at = if *i < 0 { i + n } else { *i };
                    if at < 0 || at >= n {
                        return Err(Error::new(
                            ErrorKind::Index,
                            format!("{i} is out of bounds for axis {axis} with size {n}"),
                        ));
                    }
                    offset += at * self.strides[axis];
                    axis += 1;
                }
                Index::Slice(slice) => {
                    let (start, count, step) = slice.resolve(self.shape[axis])?;
                    if count > 0 {
                        offset += start * self.strides[axis];
                    }
                    shape.push(count);
                    strides.push(self.strides[axis].wrapping_mul(step));
                    axis += 1;
                }
                Index::NewAxis => {
                    shape.push(1);
                    strides.push(0);
                }
                Index::Ellipsis => {
                    shape.extend_from_slice(&self.shape[axis..axis + left]);
                    strides.extend_from_slice(&self.strides[axis..axis + left]);
                    axis += left;
                }
                Index::Truth(_) | Index::Array(_) | Index::List(_) => unreachable!("what picks elements has no view"),
            }
        }
        crate::layout::checked_bytes(&shape, 1)?;
        Ok(Layout { shape, strides, offset: offset as usize })
    }
}

pub(crate) use s;

#[cfg(test)]
mod tests {
    use super::*;

    fn slice(start: Option<i64>, stop: Option<i64>, step: i64, n: usize) -> (i64, usize) {
        let (first, count, _) = Slice { start, stop, step: Some(step) }.resolve(n).unwrap();
        (first, count)
    }

    #[test]
    fn slices_clamp_as_in_python() {
        assert_eq!(slice(None, None, 1, 5), (0, 5));
        assert_eq!(slice(Some(1), Some(100), 2, 5), (1, 2));
        assert_eq!(slice(None, None, -1, 5), (4, 5));
        assert_eq!(slice(Some(-2), None, 1, 5), (3, 2));
        assert_eq!(slice(Some(-100), Some(-100), 1, 5).1, 0);
        assert_eq!(slice(Some(3), Some(0), -2, 5), (3, 2));
        assert_eq!(slice(None, None, -1, 0).1, 0);
        assert_eq!(slice(Some(2), None, i64::MIN, 5), (2, 1));
        assert_eq!(Slice::default().step(0).resolve(3).unwrap_err().kind(), ErrorKind::Value);
    }

    #[test]
    fn parts_of_an_index_take_axes_in_turn() {
        let a = Layout::c_order(&[2, 3, 4], 8);
        let b = a.index(&s![1, Ellipsis, ..;-1, NewAxis]).unwrap();
        assert_eq!((b.shape.as_slice(), b.strides.as_slice()), ([3, 4, 1].as_slice(), [32, -8, 0].as_slice()));
        assert_eq!(b.offset, 96 + 24);
        assert_eq!(a.index(&s![]).unwrap(), a);
    }

    #[test]
    fn bad_indices_say_what_is_wrong() {
        let a = Layout::c_order(&[2, 3], 8);
        let e = a.index(&s![0, 3]).unwrap_err();
        assert_eq!((e.kind(), e.message()), (ErrorKind::Index, "3 is out of bounds for axis 1 with size 3"));
        assert!(a.index(&s![0, 0, 0]).unwrap_err().message().contains("too many indices"));
        assert_eq!(a.index(&s![Ellipsis, Ellipsis]).unwrap_err().kind(), ErrorKind::Index);
    }
}
