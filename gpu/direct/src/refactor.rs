//! Factorisation of a matrix of the same pattern with the same pivots.

use crate::{Failure, Lu, Matrix, Scalar};

/// A pivot is too small if its magnitude is less than this times the largest of its column.
const SMALLEST_PIVOT: f64 = 1e-3;

impl<T: Scalar> Lu<T> {
    /// Computes the factors of other values of the same pattern, with the same pivots and without a search.
    ///
    /// # Errors
    ///
    /// [`Failure::Unstable`] if a pivot is small compared with its column: the factors are undefined then.
    pub fn refactor(&mut self, a: Matrix<'_, T>) -> Result<(), Failure> {
        let mut x = vec![T::default(); self.size()];
        let (mut head, mut product) = (Vec::new(), Vec::new());
        for j in 0..self.size() {
            for k in a.column(self.column_order[j] as usize) {
                x[self.row_position[a.rows[k] as usize] as usize] = a.values[k];
            }
            let mut at = self.upper.value_starts[j];
            for k in self.upper.segment_starts[j]..self.upper.segment_starts[j + 1] {
                let segment = self.upper.segments[k];
                self.lower.update(segment, &mut x, &mut head, &mut product);
                self.upper.values[at..at + head.len()].copy_from_slice(&head);
                at += head.len();
                let first = self.lower.starts[segment.supernode as usize] as usize;
                x[first + segment.first as usize..first + segment.end as usize].fill(T::default());
            }
            let pivot = x[j];
            let s = self.lower.supernode[j] as usize;
            let local = j - self.lower.starts[s] as usize;
            let rows = self.lower.row_starts[s] + local + 1..self.lower.row_starts[s + 1];
            let start = self.lower.columns[j];
            let mut largest = 0.0_f64;
            for (k, &r) in self.lower.rows[rows].iter().enumerate() {
                let value = std::mem::take(&mut x[r as usize]);
                largest = largest.max(value.magnitude());
                self.lower.values[start + k] = value / pivot;
            }
            x[j] = T::default();
            self.upper.diagonal[j] = pivot;
            if pivot == T::default() || pivot.magnitude() < SMALLEST_PIVOT * largest {
                return Err(Failure::Unstable(j));
            }
        }
        Ok(())
    }
}
