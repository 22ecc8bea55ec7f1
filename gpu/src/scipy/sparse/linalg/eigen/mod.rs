//! Eigenvalues and singular values of operators: `eigsh`, `eigs`, `svds` and `lobpcg`.
//!
//! A restarted Krylov iteration, whose steps the device repeats, finds the wanted eigenvalues; where that converges
//! slowly for a sparse Hermitian matrix, a subspace is filtered by Chebyshev polynomials. After convergence a search that
//! is orthogonal to the vectors found looks for members of clusters that the first one has missed.

mod filtered;
mod general;
mod hermitian;
mod inverse;
mod krylov_schur;
mod lobpcg;
mod singular;
mod small;
mod which;

use cuprum_kernels::DType;

pub use general::{EigsOptions, eigs};
pub use hermitian::{EigshOptions, eigsh};
pub(super) use inverse::{dense_inverse, sparse_inverse};
pub use lobpcg::{Lobpcg, LobpcgOptions, lobpcg};
pub use singular::{SingularTriplets, SvdsOptions, svds};
pub use which::Which;

use super::super::{CastTo, Format, Sparse};
use super::LinearOperator;
use crate::array::Array;
use crate::cuda::Device;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Order, shape_text};
use crate::random::default_rng;
use crate::routines::creation::eye;
use crate::scalar::Scalar;
use small::real;

/// Operators of up to this number of rows are decomposed as dense matrices.
const DENSE_ROWS: usize = 100;

/// Eigenvalues of an operator and their eigenvectors.
///
/// SciPy returns the two arrays, and raises `ArpackNoConvergence` where `info` is not 0.
#[derive(Clone, Debug)]
pub struct Eigenpairs {
    /// The eigenvalues that have converged.
    pub values: Array,
    /// Their eigenvectors of norm 1, as columns.
    pub vectors: Array,
    /// 0 if all wanted eigenvalues have converged, and otherwise the number of restarts that was not enough.
    pub info: i64,
}

/// The dtype in which eigenvalues of an operator of a dtype are computed.
fn working_dtype(dtype: DType) -> DType {
    match dtype {
        DType::F32 | DType::F64 | DType::C64 | DType::C128 => dtype,
        DType::F16 | DType::BF16 => DType::F32,
        _ => DType::F64,
    }
}

/// Size of a square operator.
fn square(a: &dyn LinearOperator) -> Result<usize> {
    match a.shape() {
        [rows, columns] if rows == columns => Ok(rows),
        [rows, columns] => {
            let message = format!("the operator has the shape ({rows},{columns}): it must be square");
            Err(Error::new(ErrorKind::Value, message))
        }
    }
}

/// Sizes of an iteration that options determine.
struct Sizes {
    /// Vectors of the Krylov space.
    steps: usize,
    /// The most restarts.
    maxiter: usize,
}

/// Checks the options that all iterations share.
fn sizes(n: usize, k: usize, ncv: Option<usize>, maxiter: Option<usize>, tol: f64) -> Result<Sizes> {
    let wrong = |message: String| Err(Error::new(ErrorKind::Value, message));
    if let Some(ncv) = ncv.filter(|&ncv| ncv <= k || ncv > n) {
        return wrong(format!("ncv is {ncv}: it must be greater than k, {k}, and at most the number of rows, {n}"));
    }
    if maxiter == Some(0) {
        return wrong("maxiter is 0: it must be positive".into());
    }
    if tol.is_nan() || tol < 0.0 {
        return wrong(format!("tol is {tol}: it must be at least 0"));
    }
    let steps = ncv.map_or((4 * k + 1).max(40), |ncv| ncv.max(k + 2)).min(n);
    Ok(Sizes { steps, maxiter: maxiter.unwrap_or((10 * n / steps.max(1)).max(100)) })
}

/// The device of an iteration: that of the matrix or of the first vector, or the current one.
fn device_of(a: &dyn LinearOperator, v0: Option<&Array>) -> Result<Device> {
    match (v0, a.as_sparse()) {
        (Some(v0), _) => Ok(v0.device()),
        (None, Some(matrix)) => Ok(matrix.device()),
        (None, None) => Device::current(),
    }
}

/// Arguments that `eigs` and `eigsh` share.
struct Request<'a> {
    a: &'a dyn LinearOperator,
    k: usize,
    which: Which,
    /// The values of `which` that the function has.
    allowed: &'static [Which],
    sigma: Option<Scalar>,
    opinv: Option<&'a dyn LinearOperator>,
    v0: Option<&'a Array>,
}

impl Request<'_> {
    /// Checks the arguments, and passes `solve` the operator of the iteration: that of the shifted inverse for `sigma`.
    fn run(self, solve: impl FnOnce(&dyn LinearOperator) -> Result<Eigenpairs>) -> Result<Eigenpairs> {
        let Request { a, k, which, allowed, .. } = self;
        let n = square(a)?;
        let wrong = |message: String| Err(Error::new(ErrorKind::Value, message));
        if k == 0 || k >= n {
            return wrong(format!("k is {k}: it must be positive and less than the number of rows, {n}"));
        }
        if !allowed.contains(&which) {
            return wrong(format!("which is {which:?}: it must be one of {allowed:?}"));
        }
        let factorised = match (self.sigma, self.opinv) {
            (Some(sigma), None) => Some(a.shifted_inverse(sigma)?),
            _ => None,
        };
        let searched = match self.sigma {
            None => a,
            Some(_) => factorised.as_deref().or(self.opinv).unwrap_or(a),
        };
        if searched.shape() != a.shape() {
            return wrong("opinv has not the shape of the operator".into());
        }
        device_of(a, self.v0)?.with(|| solve(searched))
    }
}

/// The matrix in the format and the dtype of the iteration, if the operator is a sparse matrix.
fn prepared(a: &dyn LinearOperator, dtype: DType) -> Result<Option<Sparse>> {
    let Some(matrix) = a.as_sparse() else { return Ok(None) };
    let format = if matrix.format() == Format::Csc { Format::Csc } else { Format::Csr };
    matrix.to_format(format)?.astype(dtype).map(Some)
}

/// The first vector of an iteration: `v0`, or random numbers that are the same for a seed.
fn start(v0: Option<&Array>, n: usize, dtype: DType, seed: u64) -> Result<Array> {
    let Some(v0) = v0 else {
        return default_rng(seed)?.uniform(-1.0, 1.0, n)?.to_dtype(dtype);
    };
    if v0.shape() != [n] {
        let message = format!("v0 has the shape {}: the operator needs ({n},)", shape_text(v0.shape()));
        return Err(Error::new(ErrorKind::Value, message));
    }
    v0.cast(dtype, Order::C)
}

/// The matrix of an operator, in a dtype.
fn dense(a: &dyn LinearOperator, dtype: DType) -> Result<Array> {
    if let Some(matrix) = a.as_sparse() {
        return matrix.to_dense(())?.to_dtype(dtype);
    }
    let identity = eye(a.shape()[1], ())?.to_dtype(real(dtype))?;
    let identity = if a.dtype().is_complex() { identity.to_dtype(dtype)? } else { identity };
    a.matmat(&identity)?.to_dtype(dtype)
}

#[cfg(test)]
mod tests;
