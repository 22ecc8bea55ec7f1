//! Singular values of operators: `svds`.

use cuprum_macros::{signature, unrecorded};

use super::super::super::Sparse;
use super::super::{Gram, LinearOperator};
use super::filtered::Filterable;
use super::hermitian::Problem;
use super::small::{adjoint, real, rows, wide};
use super::{DENSE_ROWS, EigshOptions, Which, dense, device_of, prepared, working_dtype};
use crate::array::Array;
use crate::error::{Error, ErrorKind, Result};
use crate::index::s;
use crate::layout::Order;
use crate::linalg::{QrOptions, SvdOptions, qr, svd};
use crate::routines::linalg::matmul;

/// Options of [`svds`].
///
/// The names and defaults are SciPy's.
///
/// ```
/// use cuprum::scipy::sparse::linalg::SvdsOptions;
/// assert_eq!(SvdsOptions::default().tol, 0.0);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct SvdsOptions<'a> {
    /// The singular values that are wanted: the largest ones, [`Which::LM`], by default, or the smallest ones,
    /// [`Which::SM`].
    pub which: Which,
    /// The first vector of the iteration, of the shorter length: by default random numbers that are the same in each
    /// call.
    pub v0: Option<&'a Array>,
    /// The number of vectors of the Krylov space: by default 4 k + 1, and 40 or more.
    pub ncv: Option<usize>,
    /// The most restarts: by default ten times the shorter length divided by `ncv`, and 100 or more.
    pub maxiter: Option<usize>,
    /// The bound of the errors relative to the squares of the singular values: 0, the default, for the unit of rounding.
    pub tol: f64,
}

crate::array::default_options!(SvdsOptions<'a>);

/// Singular values of an operator and their vectors.
///
/// SciPy returns the three arrays.
#[derive(Clone, Debug)]
pub struct SingularTriplets {
    /// The left vectors as columns.
    pub u: Array,
    /// The singular values that have converged, in ascending order.
    pub s: Array,
    /// The conjugate right vectors as rows.
    pub vh: Array,
    /// 0 if all wanted values have converged, and otherwise the number of restarts that was not enough.
    pub info: i64,
}

/// Returns `k` singular values of an operator in ascending order, and orthonormal singular vectors; SciPy's `svds`.
///
/// All have the dtype of the operator, real for the values, and float64 for integers. The vectors are those of
/// [`eigsh`](super::eigsh) for the product of the operator and its conjugate transpose, from which the singular values are
/// computed by a dense decomposition of the operator times them: so small ones keep the precision of the operator.
/// Operators whose shorter length is up to 100, or near `k`, are decomposed as dense matrices.
///
/// ```
/// use cuprum::scipy::sparse::{Format, Sparse, linalg::svds};
/// let a = Sparse::from_dense(&cuprum::array([[0.0, 3.0], [4.0, 0.0], [0.0, 0.0]])?, Format::Csr)?;
/// let found = svds(&a, 1, ())?;
/// assert!((found.s.to_vec::<f64>()?[0] - 4.0).abs() < 1e-14);
/// assert_eq!((found.u.shape(), found.vh.shape()), (&[3, 1][..], &[1, 2][..]));
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for `k` of 0 or more than the shorter length, another `which`, `ncv` that is not greater than `k`,
/// and products that are not finite; [`ErrorKind::NotImplemented`] for an operator without `rmatvec`.
///
/// # Synchronization
///
/// Synchronises at each restart.
#[unrecorded("takes a linear operator: compared with SciPy's in `gpu/python/tests/test_sparse_linalg.py`")]
#[signature]
pub fn svds(a: &dyn LinearOperator, k: usize, options: SvdsOptions<'_>) -> Result<SingularTriplets> {
    let go = || {
        let small = a.shape().into_iter().min().unwrap_or(0);
        let wrong = |message: String| Err(Error::new(ErrorKind::Value, message));
        if k == 0 || k > small {
            return wrong(format!("k is {k}: it must be positive and at most the shorter length, {small}"));
        }
        if !matches!(options.which, Which::LM | Which::SM) {
            return wrong(format!("which is {:?}: it must be LM or SM", options.which));
        }
        device_of(a, options.v0)?.with(|| solve(a, k, small, &options))
    };
    go().map_err(|e: Error| e.with_op("sparse.linalg.svds"))
}

fn solve(a: &dyn LinearOperator, k: usize, small: usize, options: &SvdsOptions<'_>) -> Result<SingularTriplets> {
    let dtype = working_dtype(a.dtype());
    let (found, info) = if small <= DENSE_ROWS || k + 1 >= small {
        let (u, s, vh) = decomposed(&dense(a, wide(dtype))?)?;
        let first = if options.which == Which::LM { 0 } else { small - k } as i64;
        let chosen = first..first + k as i64;
        let part = |a: &Array| a.index(s![.., chosen.clone()]);
        ((part(&u)?, s.index(s![chosen.clone()])?, vh.index(s![chosen.clone()])?), 0)
    } else {
        iterated(a, k, options)?
    };
    let (u, s, vh) = found;
    Ok(SingularTriplets {
        u: u.index(s![.., ..;-1])?.cast(dtype, Order::C)?,
        s: s.index(s![..;-1])?.cast(real(dtype), Order::C)?,
        vh: vh.index(s![..;-1])?.cast(dtype, Order::C)?,
        info,
    })
}

type Svd = (Array, Array, Array);

fn decomposed(a: &Array) -> Result<Svd> {
    let (u, s, vh) = svd(a, SvdOptions::new().full_matrices(false))?;
    Ok((u.expect("vectors are computed"), s, vh.expect("vectors are computed")))
}

fn iterated(a: &dyn LinearOperator, k: usize, options: &SvdsOptions<'_>) -> Result<(Svd, i64)> {
    let dtype = working_dtype(a.dtype());
    let matrix: Option<Sparse> = prepared(a, dtype)?;
    let a: &dyn LinearOperator = match &matrix {
        Some(matrix) => matrix,
        None => a,
    };
    let [rows_of, columns_of] = a.shape();
    let is_tall = rows_of >= columns_of;
    let of = matrix.as_ref().map(|matrix| Filterable { matrix, outer: Some(!is_tall) });
    let hermitian = EigshOptions {
        which: if options.which == Which::LM { Which::LA } else { Which::SA },
        v0: options.v0,
        ncv: options.ncv,
        maxiter: options.maxiter,
        tol: options.tol,
        ..Default::default()
    };
    let Problem { found, maxiter } = Problem::solve(&Gram { a, outer: !is_tall }, of, dtype, k, &hermitian)?;
    let done: Vec<usize> = (0..found.values.len()).filter(|&k| found.converged[k]).collect();
    let info = if done.len() < k { maxiter as i64 } else { 0 };
    let (basis, _) = qr(&rows(&found.vectors, &done)?.t().copy(Order::C)?, QrOptions::default())?;
    let basis = basis.expect("the mode has orthonormal columns");
    let image = if is_tall { a.matmat(&basis)? } else { a.rmatmat(&basis)? };
    let (left, s, turn) = decomposed(&image.cast(dtype, Order::C)?)?;
    let other = matmul(&basis, adjoint(&turn)?)?;
    let triplets = if is_tall { (left, s, adjoint(&other)?) } else { (other, s, adjoint(&left)?) };
    Ok((triplets, info))
}
