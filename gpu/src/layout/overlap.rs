//! Overlap of the elements of a view: such a view can be read, but not written to.
//!
//! Two indices with the same address make a write ambiguous. The test is exact for the layouts that views have, and
//! errs on the side of rejection for those of `as_strided`.

use smallvec::SmallVec;

use super::Layout;

/// The number of nodes after which the search gives up: a case that is not settled in a few hundred microseconds counts
/// as overlapping, so that it is not written to.
const MAX_VISITED: usize = 100_000;

impl Layout {
    /// Returns whether two elements of `itemsize` bytes overlap.
    ///
    /// For views by slicing, transposing and reshaping, comparing the strides is sufficient. The answer is exact,
    /// except for views of [`Array::as_strided`](crate::Array::as_strided) with several long axes with interleaved
    /// strides, for which it may be true although no byte is shared.
    pub(crate) fn overlaps_itself(&self, itemsize: usize) -> bool {
        if self.shape.contains(&0) {
            return false;
        }
        let axes = || self.shape.iter().zip(&self.strides).filter(|&(&n, _)| n > 1);
        let axes = || axes().map(|(&n, &s)| Axis { last: n as i128 - 1, stride: i128::from(s.unsigned_abs()) });
        // From the fastest axis to the slowest: usually the last axis is the fastest, otherwise the first.
        if nested(axes().rev(), itemsize) || nested(axes(), itemsize) {
            return false;
        }
        let mut sorted: SmallVec<[Axis; 8]> = axes().collect();
        sorted.sort_by_key(|axis| std::cmp::Reverse(axis.stride));
        if nested(sorted.iter().rev().copied(), itemsize) {
            return false;
        }
        Search::new(&sorted, itemsize as i128).finds(0, 0, true)
    }
}

impl Layout {
    /// Returns whether elements of two views of the same buffer overlap. Exact within the limits of
    /// [`Layout::overlaps_itself`].
    pub(crate) fn meets(&self, itemsize: usize, other: &Layout, other_itemsize: usize) -> bool {
        if self.shape.contains(&0) || other.shape.contains(&0) {
            return false;
        }
        // One view starts at its lowest element, the other at its highest and runs downwards: every step brings both
        // closer. The bytes of an element are steps, too.
        let axes = |of: &Layout, itemsize: usize| {
            let steps = of.shape.iter().zip(&of.strides).filter(|&(&n, _)| n > 1);
            let steps = steps.map(|(&n, &s)| Axis { last: n as i128 - 1, stride: i128::from(s.unsigned_abs()) });
            steps.chain([Axis { last: itemsize as i128 - 1, stride: 1 }]).collect::<SmallVec<[Axis; 8]>>()
        };
        let (low, high) = (self.extent(itemsize).0, other.extent(other_itemsize).1 - 1);
        let mut all = axes(self, itemsize);
        all.extend(axes(other, other_itemsize));
        all.retain(|axis| axis.last > 0 && axis.stride > 0);
        all.sort_by_key(|axis| std::cmp::Reverse(axis.stride));
        let mut visited = 0;
        adds_up(&all, i128::from(high) - i128::from(low), &mut visited)
    }
}

/// Returns whether steps along axes, ordered from the longest stride, can sum to a distance.
fn adds_up(axes: &[Axis], distance: i128, visited: &mut usize) -> bool {
    *visited += 1;
    if *visited > MAX_VISITED {
        return true;
    }
    let [Axis { last, stride }, rest @ ..] = axes else { return distance == 0 };
    let reach: i128 = rest.iter().map(|axis| axis.last * axis.stride).sum();
    let common = rest.iter().fold(*stride, |common, axis| divisor(common, axis.stride));
    if distance < 0 || distance > reach + last * stride || distance % common != 0 {
        return false;
    }
    // The distance that the other axes cannot cover.
    let low = (distance - reach + stride - 1).div_euclid(*stride).max(0);
    let high = (distance / stride).min(*last);
    (low..=high).any(|steps| adds_up(rest, distance - steps * stride, visited))
}

/// An axis: its last index, and the absolute stride in bytes.
#[derive(Clone, Copy)]
struct Axis {
    last: i128,
    stride: i128,
}

/// Returns whether the stride of each axis is larger than the extent of the axes before it: then no two elements
/// overlap.
fn nested(axes: impl Iterator<Item = Axis>, itemsize: usize) -> bool {
    let mut bytes = itemsize as i128;
    for axis in axes {
        if axis.stride < bytes {
            return false;
        }
        bytes += axis.last * axis.stride;
    }
    true
}

/// Search for two elements closer than the item size: for steps along the axes, not all zero, that sum to such a
/// distance.
struct Search<'a> {
    /// The axes from the longest stride to the shortest.
    axes: &'a [Axis],
    /// The maximum distance that an axis and those after it can cover.
    reach: SmallVec<[i128; 8]>,
    /// The greatest common divisor of the strides of an axis and of those after it.
    common: SmallVec<[i128; 8]>,
    itemsize: i128,
    visited: usize,
}

impl<'a> Search<'a> {
    fn new(axes: &'a [Axis], itemsize: i128) -> Search<'a> {
        let mut reach: SmallVec<[i128; 8]> = smallvec::smallvec![0; axes.len() + 1];
        let mut common = reach.clone();
        for (k, axis) in axes.iter().enumerate().rev() {
            reach[k] = reach[k + 1] + axis.last * axis.stride;
            common[k] = divisor(common[k + 1], axis.stride);
        }
        Search { axes, reach, common, itemsize, visited: 0 }
    }

    /// Returns whether steps along axis `k` and those after it lead to less than an element away, starting from
    /// `distance`; `resting` if all steps so far are zero.
    fn finds(&mut self, k: usize, distance: i128, resting: bool) -> bool {
        self.visited += 1;
        if self.visited > MAX_VISITED {
            return true;
        }
        let Some(&Axis { last, stride }) = self.axes.get(k) else { return !resting };
        let common = self.common[k];
        if common > 0 {
            // The remaining steps change the distance by multiples of the divisor only.
            let over = distance.rem_euclid(common);
            if over.min(common - over) >= self.itemsize {
                return false;
            }
        }
        if stride == 0 {
            return true;
        }
        // The maximum distance that the remaining axes can compensate. Of steps and their reverse only one is checked.
        let most = self.reach[k + 1] + self.itemsize - 1;
        let low = if resting { 0 } else { -(most + distance).div_euclid(stride) };
        let high = (most - distance).div_euclid(stride).min(last);
        (low.max(-last)..=high).any(|steps| self.finds(k + 1, distance + steps * stride, resting && steps == 0))
    }
}

/// Returns the greatest common divisor.
pub(crate) fn divisor(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::layout::Order;

    /// Enumerates every byte of every element.
    fn brute_force(layout: &Layout, itemsize: usize) -> bool {
        let mut seen = std::collections::HashSet::new();
        let mut overlaps = false;
        for number in 0..layout.size() {
            let (mut rest, mut at) = (number as i64, 0);
            for (&n, &s) in layout.shape.iter().zip(&layout.strides).rev() {
                at += rest % n as i64 * s;
                rest /= n as i64;
            }
            overlaps |= (at..at + itemsize as i64).any(|byte| !seen.insert(byte));
        }
        overlaps
    }

    fn view(shape: &[usize], strides: &[i64]) -> Layout {
        Layout { shape: shape.into(), strides: strides.into(), offset: 0 }
    }

    proptest! {
        #[test]
        fn the_search_finds_what_brute_force_finds(
            axes in prop::collection::vec((0usize..6, -24i64..24), 0..5),
            itemsize in prop::sample::select(vec![1usize, 2, 4, 8, 16]),
        ) {
            let (shape, strides): (Vec<usize>, Vec<i64>) = axes.into_iter().unzip();
            let layout = view(&shape, &strides);
            prop_assert_eq!(layout.overlaps_itself(itemsize), brute_force(&layout, itemsize), "{:?}", layout);
        }

        #[test]
        fn interleaved_strides_are_distinguished(
            (m, n, s, t) in (2usize..40, 2usize..40, 1i64..40, 1i64..40),
        ) {
            let layout = view(&[m, n], &[8 * s, -8 * t]);
            prop_assert_eq!(layout.overlaps_itself(8), brute_force(&layout, 8), "{:?}", layout);
        }
    }

    #[test]
    fn what_indexing_makes_does_not_overlap() {
        let dense = Layout::c_order(&[3, 4, 5], 8);
        for strides in [[160, 40, 8], [8, 24, 96], [-320, 80, -8], [40, 8, 160], [320, 40, 16]] {
            assert!(!view(&[3, 4, 5], &strides).overlaps_itself(8), "{strides:?}");
        }
        assert!(!dense.in_order(8, Order::F).overlaps_itself(8));
        // Long axes are no problem if comparing the strides is sufficient.
        assert!(!view(&[1 << 30, 1 << 20], &[8 << 20, 8]).overlaps_itself(8));
        assert!(!view(&[2, 0, 3], &[0, 0, 0]).overlaps_itself(8));
        assert!(!view(&[1, 1], &[0, 3]).overlaps_itself(8));
    }

    #[test]
    fn windows_and_broadcast_axes_overlap() {
        assert!(view(&[4, 3], &[8, 8]).overlaps_itself(8));
        assert!(view(&[4, 3], &[0, 8]).overlaps_itself(8));
        assert!(view(&[1 << 30, 1 << 20], &[8, 8]).overlaps_itself(8));
        // Complex elements one component apart.
        assert!(view(&[3], &[8]).overlaps_itself(16));
        // Interleaved rows of two elements, and a third element that is one too many.
        assert!(!view(&[2, 2], &[24, 16]).overlaps_itself(8));
        assert!(view(&[3, 4], &[24, 16]).overlaps_itself(8));
    }
}
