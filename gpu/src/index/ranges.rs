//! Conversion of Rust's ranges to slices.
//!
//! `a..b`, `a..`, `..b` and `..` have the meaning of NumPy's `a:b`, with negative bounds from the end; a step follows a
//! semicolon in [`s!`](crate::s).

use std::ops::{Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};

use super::{Index, Slice};

/// A range of any kind, before the `;` in [`s!`](crate::s), which converts to a slice with a step.
///
/// The last element of an inclusive range is included in either direction: `3..=0;-1` ends with element 0.
pub trait IntoSlice {
    /// Returns the slice of this range.
    fn into_slice(self, step: i64) -> Slice;
}

impl IntoSlice for Slice {
    fn into_slice(self, step: i64) -> Slice {
        self.step(step)
    }
}

impl IntoSlice for RangeFull {
    fn into_slice(self, step: i64) -> Slice {
        Slice::from(self).step(step)
    }
}

impl From<RangeFull> for Slice {
    fn from(_: RangeFull) -> Slice {
        Slice::default()
    }
}

impl Slice {
    /// Converts a step of any integer type, for [`s!`](crate::s).
    #[doc(hidden)]
    pub fn stepping(step: impl TryInto<i64>) -> i64 {
        clamp(step)
    }
}

/// Converts to `i64` with saturation: no axis is longer.
fn clamp(n: impl TryInto<i64>) -> i64 {
    n.try_into().unwrap_or(i64::MAX)
}

/// Returns the exclusive bound after the last element of an inclusive range; `None` if that is an end of the axis.
fn behind(last: i64, step: i64) -> Option<i64> {
    match last {
        -1 if step > 0 => None,
        0 if step < 0 => None,
        _ => Some(last.saturating_add(step.signum())),
    }
}

/// Implements the conversion of one kind of range of one integer type.
macro_rules! range {
    ($range:ty, |$r:ident, $step:ident| $start:expr, $stop:expr) => {
        impl IntoSlice for $range {
            fn into_slice(self, $step: i64) -> Slice {
                let $r = self;
                Slice { start: $start, stop: $stop, step: Some($step) }
            }
        }

        impl From<$range> for Slice {
            fn from(range: $range) -> Slice {
                Slice { step: None, ..range.into_slice(1) }
            }
        }
    };
}

macro_rules! ranges {
    ($($t:ty),+) => {$(
        range!(Range<$t>, |r, step| Some(clamp(r.start)), Some(clamp(r.end)));
        range!(RangeFrom<$t>, |r, step| Some(clamp(r.start)), None);
        range!(RangeTo<$t>, |r, step| None, Some(clamp(r.end)));
        range!(RangeInclusive<$t>, |r, step| Some(clamp(*r.start())), behind(clamp(*r.end()), step));
        range!(RangeToInclusive<$t>, |r, step| None, behind(clamp(r.end), step));

        impl<A> From<$t> for Index<A> {
            fn from(at: $t) -> Index<A> {
                Index::At(clamp(at))
            }
        }
    )+};
}
ranges!(i32, i64, isize, u32, u64, usize);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Index, s};

    fn same(found: &[Index], expected: &[Index]) {
        assert_eq!(format!("{found:?}"), format!("{expected:?}"));
    }

    #[test]
    fn every_range_of_every_integer_is_a_slice() {
        let slice = |start, stop, step| Index::Slice(Slice { start, stop, step });
        let n = 7usize;
        same(&s![0..n, 2..], &[slice(Some(0), Some(7), None), slice(Some(2), None, None)]);
        same(&s![..-1i64;2, ..;-1,], &[slice(None, Some(-1), Some(2)), slice(None, None, Some(-1))]);
        same(&s![n..;n], &[slice(Some(7), None, Some(7))]);
        same(&s![1..=3, ..=-1], &[slice(Some(1), Some(4), None), slice(None, None, None)]);
        same(&s![3..=0;-1, ..=2;-1], &[slice(Some(3), None, Some(-1)), slice(None, Some(1), Some(-1))]);
        same(&s![n, -2, u64::MAX], &[Index::At(7), Index::At(-2), Index::At(i64::MAX)]);
        same(&s![Slice { start: Some(1), ..Slice::default() };3], &[slice(Some(1), None, Some(3))]);
    }
}
