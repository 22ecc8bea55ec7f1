//! How far what came of a problem is from solving it: the error of the problem that it solves exactly.
//!
//! Digits of a decomposition are not fixed: vectors have signs and phases, near ones turn into each other, and how far an
//! inverse may lie from the exact one hangs on the condition. What can be asked of every algorithm is that it solves a
//! problem nearby: the remainder, measured by the size of the operands, the number of rows and the dtype's epsilon. LAPACK's
//! own tests ask for less than 30 of it.

use crate::linalg::matrix::Matrix;

/// What LAPACK's tests allow.
pub const LIMIT: f64 = 30.0;

/// A remainder of a result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Residual {
    /// What it is the remainder of.
    pub what: &'static str,
    /// Measured by sizes, rows and epsilon: [`LIMIT`] is allowed.
    pub size: f64,
}

/// A remainder beside what it is measured by: sizes of operands, the number of rows, the epsilon.
pub(crate) fn residual(what: &'static str, rest: f64, scale: f64, n: usize, epsilon: f64) -> Residual {
    let size = if rest == 0.0 { 0.0 } else { rest / (scale * n.max(1) as f64 * epsilon) };
    // What is no number is no result.
    Residual { what, size: if size.is_nan() { f64::INFINITY } else { size } }
}

/// How far columns are from orthonormal ones.
pub(crate) fn orthonormal(what: &'static str, q: &Matrix, epsilon: f64) -> Residual {
    let rest = q.adjoint().times(q).minus(&Matrix::identity(q.columns)).size();
    residual(what, rest, 1.0, q.rows, epsilon)
}

/// Something that is so or not.
pub(crate) fn holds(what: &'static str, so: bool) -> Residual {
    Residual { what, size: if so { 0.0 } else { f64::INFINITY } }
}
