//! Residuals: backward errors of results, the perturbation of the problem that a result solves exactly.
//!
//! The digits of a decomposition are not determined: vectors have arbitrary signs and phases, vectors of close values
//! mix, and the error of an inverse depends on the condition number. Every algorithm, however, solves a nearby problem:
//! the residual is measured relative to the norms of the operands, the number of rows and the dtype's epsilon. LAPACK's
//! own tests require it to be less than 30.

use crate::numpy::linalg::matrix::Matrix;

/// The threshold of LAPACK's tests.
pub const LIMIT: f64 = 30.0;

/// A residual of a result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Residual {
    /// The property that it measures.
    pub what: &'static str,
    /// The residual relative to norms, rows and epsilon: at most [`LIMIT`] is allowed.
    pub size: f64,
}

/// Scales a residual by the norms of operands, the number of rows and epsilon.
pub(crate) fn residual(what: &'static str, rest: f64, scale: f64, n: usize, epsilon: f64) -> Residual {
    let size = if rest == 0.0 { 0.0 } else { rest / (scale * n.max(1) as f64 * epsilon) };
    // A NaN is treated as an infinite residual.
    Residual { what, size: if size.is_nan() { f64::INFINITY } else { size } }
}

/// Computes the residual of the orthonormality of columns.
pub(crate) fn orthonormal(what: &'static str, q: &Matrix, epsilon: f64) -> Residual {
    let rest = q.adjoint().times(q).minus(&Matrix::identity(q.columns)).size();
    residual(what, rest, 1.0, q.rows, epsilon)
}

/// Converts a condition to a residual: 0 or infinity.
pub(crate) fn holds(what: &'static str, so: bool) -> Residual {
    Residual { what, size: if so { 0.0 } else { f64::INFINITY } }
}
