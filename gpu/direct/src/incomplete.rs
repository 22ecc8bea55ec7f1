//! Incomplete factorisations: entries that are dropped.

use crate::factor::Factoring;
use crate::{Drop, Scalar};

impl<T: Scalar> Factoring<'_, T> {
    /// Drops small elements of the column, and the smallest ones that exceed the bound of entries. The pivot is the first row.
    pub(crate) fn drop_small(&mut self, drop: &Drop, pivot: f64, entries: usize) {
        let j = self.upper.diagonal.len();
        let range = self.upper.segment_starts[j]..self.upper.segments.len();
        let first = self.upper.value_starts[j];
        let upper = self.upper.values[first..].iter().map(|u| u.magnitude());
        let largest = upper.fold(pivot, f64::max);
        let spent = self.lower.values.len() + first + 2 * j;
        // Each column adds its entries to the bound, so that earlier columns never exhaust it.
        let share = ((drop.fill * entries as f64) as usize).saturating_sub(spent + 2);
        let mut sizes: Vec<f64> = self.upper.values[first..].iter().map(|u| u.magnitude()).collect();
        let below = self.rows[1..].iter().map(|&r| self.x[r as usize].magnitude());
        let tallest = below.clone().fold(pivot, f64::max);
        // Elements of U are compared with the largest one of the column of U, those of L with that of the column of L.
        let relative = |size: f64, largest: f64| if largest > 0.0 { size / largest } else { 0.0 };
        sizes.iter_mut().for_each(|size| *size = relative(*size, largest));
        sizes.extend(below.map(|size| relative(size, tallest)));
        let mut bound = drop.tolerance;
        if sizes.iter().filter(|&&s| s >= bound).count() > share {
            let mut sorted = sizes.clone();
            let (_, &mut nth, _) = sorted.select_nth_unstable_by(share, |a, b| b.total_cmp(a));
            bound = bound.max(nth.next_up());
        }
        let count = range.len();
        let (mut kept, segments) = (0, range.start);
        for k in 0..count {
            if sizes[k] >= bound || sizes[k].is_nan() {
                self.upper.segments[segments + kept] = self.upper.segments[segments + k];
                self.upper.values[first + kept] = self.upper.values[first + k];
                kept += 1;
            }
        }
        self.upper.segments.truncate(segments + kept);
        self.upper.values.truncate(first + kept);
        let mut kept = 1;
        for k in 1..self.rows.len() {
            let row = self.rows[k];
            let size = sizes[count + k - 1];
            if size >= bound || size.is_nan() {
                self.rows[kept] = row;
                kept += 1;
            } else {
                self.x[row as usize] = T::default();
            }
        }
        self.rows.truncate(kept);
    }
}
