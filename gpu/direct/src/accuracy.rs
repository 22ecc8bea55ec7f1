//! The backward error of a solution, and its refinement.

use crate::{Cholesky, Lu, Matrix, Scalar};

/// The accuracy of a solution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Refined {
    /// The backward error before the refinement.
    pub before: f64,
    /// The backward error of the result.
    pub after: f64,
}

/// Factors that solve a system of equations.
pub trait Solver<T> {
    /// Solves for one right-hand side, which the solution replaces.
    fn solve_one(&self, b: &mut [T]);
}

impl<T: Scalar> Solver<T> for Lu<T> {
    fn solve_one(&self, b: &mut [T]) {
        self.solve(b);
    }
}

impl<T: Scalar> Solver<T> for Cholesky<T> {
    fn solve_one(&self, b: &mut [T]) {
        self.solve(b);
    }
}

/// Writes `b - A x` to `r`.
fn residual<T: Scalar>(a: &Matrix<'_, T>, x: &[T], b: &[T], r: &mut Vec<T>) {
    r.clear();
    r.extend_from_slice(b);
    for (j, &by) in x.iter().enumerate() {
        for k in a.column(j) {
            r[a.rows[k] as usize] -= a.values[k] * by;
        }
    }
}

/// Returns the largest magnitude; NaN if an element is.
fn largest<T: Scalar>(x: &[T]) -> f64 {
    x.iter().map(|x| x.magnitude()).fold(0.0, |a, b| if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) })
}

/// Returns the largest sum of the magnitudes of a row.
fn norm<T: Scalar>(a: &Matrix<'_, T>) -> f64 {
    let mut sums = vec![0.0; a.size()];
    for (&row, value) in a.rows.iter().zip(a.values) {
        sums[row as usize] += value.magnitude();
    }
    sums.into_iter().fold(0.0, f64::max)
}

/// Returns the normwise backward error of a solution: the largest residual over `|A| |x| + |b|`.
pub fn backward_error<T: Scalar>(a: Matrix<'_, T>, x: &[T], b: &[T]) -> f64 {
    let mut r = Vec::new();
    residual(&a, x, b, &mut r);
    relative(&a, norm(&a), x, b, &r)
}

fn relative<T: Scalar>(a: &Matrix<'_, T>, norm: f64, x: &[T], b: &[T], r: &[T]) -> f64 {
    debug_assert_eq!(a.size(), x.len());
    let (above, below) = (largest(r), norm * largest(x) + largest(b));
    if above == 0.0 { 0.0 } else { above / below }
}

/// Refines the solution `x` of `A x = b` by steps of iterative refinement, as long as one halves the backward error: at least one.
pub fn refine<T: Scalar>(lu: &impl Solver<T>, a: Matrix<'_, T>, x: &mut [T], b: &[T]) -> Refined {
    let norm = norm(&a);
    let (mut r, mut next) = (Vec::new(), x.to_vec());
    residual(&a, x, b, &mut r);
    let before = relative(&a, norm, x, b, &r);
    let mut after = before;
    for _ in 0..5 {
        if after == 0.0 || !after.is_finite() {
            break;
        }
        lu.solve_one(&mut r);
        for (next, (&x, &r)) in next.iter_mut().zip(x.iter().zip(&r)) {
            *next = x + r;
        }
        residual(&a, &next, b, &mut r);
        let error = relative(&a, norm, &next, b, &r);
        let halved = error <= after / 2.0;
        if error < after {
            x.copy_from_slice(&next);
            after = error;
        }
        if !halved || after <= T::EPSILON {
            break;
        }
    }
    Refined { before, after }
}
