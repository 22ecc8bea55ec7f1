//! Solution of a system of equations from the factors.

use crate::{Lu, Scalar};

impl<T: Scalar> Lu<T> {
    /// Solves for one right-hand side, which the solution replaces.
    ///
    /// # Panics
    ///
    /// If `b` does not have as many elements as the matrix has rows.
    pub fn solve(&self, b: &mut [T]) {
        assert_eq!(b.len(), self.size());
        let mut x = vec![T::default(); b.len()];
        for (&value, &at) in b.iter().zip(&self.row_position) {
            x[at as usize] = value;
        }
        self.solve_lower(&mut x);
        self.solve_upper(&mut x);
        for (value, &at) in b.iter_mut().zip(&self.column_position) {
            *value = x[at as usize];
        }
    }

    fn solve_lower(&self, x: &mut [T]) {
        let mut product = Vec::new();
        for s in 0..self.lower.starts.len() - 1 {
            let (first, end) = (self.lower.starts[s] as usize, self.lower.starts[s + 1] as usize);
            let (rows, panel) = (self.lower.rows_of(s), self.lower.panel(s));
            let below = &rows[end - first..];
            panel.solve(0, end - first, &mut x[first..end]);
            product.resize(below.len().max(product.len()), T::default());
            panel.multiply(0, end - first, &x[first..end], &mut product[..below.len()]);
            for (&r, &p) in below.iter().zip(&product) {
                x[r as usize] -= p;
            }
        }
    }

    fn solve_upper(&self, x: &mut [T]) {
        for j in (0..self.size()).rev() {
            let by = x[j] / self.upper.diagonal[j];
            x[j] = by;
            let mut at = self.upper.value_starts[j];
            for segment in &self.upper.segments[self.upper.segment_starts[j]..self.upper.segment_starts[j + 1]] {
                let first = self.lower.starts[segment.supernode as usize] as usize;
                let own = &mut x[first + segment.first as usize..first + segment.end as usize];
                for (x, &u) in own.iter_mut().zip(&self.upper.values[at..]) {
                    *x -= u * by;
                }
                at += own.len();
            }
        }
    }
}
