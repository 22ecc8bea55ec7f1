//! Eigenvalues of Hermitian operators: `eigsh`.

use cuprum_kernels::DType;
use cuprum_macros::{signature, unrecorded};
use num_complex::Complex64;

use super::super::LinearOperator;
use super::filtered::{Filterable, filtered, is_possible};
use super::krylov_schur::{Found, Krylov, Search};
use super::small::{columns, eigenpairs, hermitian_part, real, rounding, rows, wide};
use super::{DENSE_ROWS, Eigenpairs, Request, Sizes, Which, dense, prepared, sizes, start, working_dtype};
use crate::array::Array;
use crate::engine::make;
use crate::error::Result;
use crate::layout::Order;
use crate::routines::manipulation::concatenate;

/// Restarts of a Krylov iteration before a filtered subspace takes its place, where that is possible.
const FEW_RESTARTS: usize = 8;

/// Options of [`eigsh`].
///
/// The names and defaults are SciPy's.
///
/// ```
/// use cuprum::scipy::sparse::linalg::{EigshOptions, Which};
/// assert_eq!(EigshOptions::default().which, Which::LM);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct EigshOptions<'a> {
    /// The eigenvalues that are wanted: by default those of the largest magnitude. With `sigma` it ranks
    /// `1 / (w - sigma)`, so that the default wants those nearest to it.
    pub which: Which,
    /// A number near the wanted eigenvalues.
    pub sigma: Option<f64>,
    /// The operator of the inverse of the matrix minus `sigma` on its diagonal: by default a factorisation of a sparse or
    /// dense matrix.
    pub opinv: Option<&'a dyn LinearOperator>,
    /// The first vector of the iteration, by default random numbers that are the same in each call.
    pub v0: Option<&'a Array>,
    /// The number of vectors of the Krylov space: by default 4 k + 1, and 40 or more.
    pub ncv: Option<usize>,
    /// The most restarts: by default ten times the number of rows divided by `ncv`, and 100 or more.
    pub maxiter: Option<usize>,
    /// The bound of the errors relative to the eigenvalues: 0, the default, for the unit of rounding.
    pub tol: f64,
}

crate::array::default_options!(EigshOptions<'a>);

/// Returns `k` eigenvalues of a Hermitian operator in ascending order, and orthonormal eigenvectors as columns; SciPy's
/// `eigsh`.
///
/// The eigenvalues have the real dtype of the operator, float64 for integers. After convergence a second search,
/// orthogonal to the vectors found, looks for members of clusters that the first one has missed. Where a sparse matrix
/// has not converged after a few restarts, and `which` is not [`Which::SM`], a subspace of `max(2 * k, k + 10)` vectors is
/// filtered by Chebyshev polynomials, until the norms of the residuals are at most
/// `max(tol * abs(w), 16 * eps * norm(A))`. Operators of up to 100 rows are decomposed as dense matrices.
///
/// SciPy's `M` and `mode` are those of the Python package, which transforms a problem to one that has no `M`. Here `a` is
/// such an operator: `L^-1 A L^-H` of `A x = w M x` with `M = L L^H`, whose vectors `y` are those of `x = L^-H y`; with
/// `sigma` and `mode='normal'` its `opinv` is `L^H (A - sigma M)^-1 L`.
///
/// K. Wu, H. Simon, "Thick-Restart Lanczos Method for Large Symmetric Eigenvalue Problems", 2000; Y. Zhou and others,
/// Journal of Computational Physics 219, 2006.
///
/// ```
/// use cuprum::scipy::sparse::{Format, Sparse, linalg::{EigshOptions, Which, eigsh}};
/// let a = Sparse::from_dense(&cuprum::array([[2.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 2.0]])?, Format::Csr)?;
/// let found = eigsh(&a, 2, EigshOptions { which: Which::SA, ..Default::default() })?;
/// let expected = cuprum::array([2.0 - 2.0_f64.sqrt(), 2.0])?;
/// assert!(found.info == 0 && cuprum::allclose(&found.values, &expected, ())?);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`](crate::ErrorKind::Value) for an operator that is not square, `k` of 0 or not less than its number of rows, another
/// `which`, `ncv` that is not greater than `k`, and products that are not finite; [`ErrorKind::NotImplemented`](crate::ErrorKind::NotImplemented) for
/// `sigma` and an operator that is no matrix without `opinv`; [`ErrorKind::LinAlg`](crate::ErrorKind::LinAlg) for a `sigma` that is an eigenvalue.
///
/// # Synchronization
///
/// Synchronises at each restart.
#[unrecorded("takes a linear operator: compared with SciPy's in `gpu/python/tests/test_sparse_linalg.py`")]
#[signature]
pub fn eigsh(a: &dyn LinearOperator, k: usize, options: EigshOptions<'_>) -> Result<Eigenpairs> {
    let (sigma, allowed) = (options.sigma.map(Into::into), &Which::HERMITIAN[..]);
    let EigshOptions { which, opinv, v0, .. } = options;
    let request = Request { a, k, which, allowed, sigma, opinv, v0 };
    request.run(|searched| shifted(searched, k, &options)).map_err(|e| e.with_op("sparse.linalg.eigsh"))
}

fn shifted(a: &dyn LinearOperator, k: usize, options: &EigshOptions<'_>) -> Result<Eigenpairs> {
    let dtype = working_dtype(a.dtype());
    let matrix = prepared(a, dtype)?;
    let searched: &dyn LinearOperator = match &matrix {
        Some(matrix) => matrix,
        None => a,
    };
    let of = matrix.as_ref().map(|matrix| Filterable { matrix, outer: None });
    let Problem { found, maxiter } = Problem::solve(searched, of, dtype, k, options)?;
    let mut pairs: Vec<(f64, usize)> = (0..found.values.len())
        .filter(|&k| found.converged[k])
        .map(|k| (options.sigma.map_or(found.values[k].re, |sigma| sigma + 1.0 / found.values[k].re), k))
        .collect();
    pairs.sort_by(|x, y| x.0.total_cmp(&y.0));
    let (values, order): (Vec<f64>, Vec<usize>) = pairs.into_iter().unzip();
    let vectors = rows(&found.vectors, &order)?;
    Ok(Eigenpairs {
        info: if values.len() < k { maxiter as i64 } else { 0 },
        values: make::of(vectors.device(), &values, &[values.len()])?.cast(real(dtype), Order::C)?,
        vectors: vectors.t(),
    })
}

/// A solved eigenvalue problem of a Hermitian operator.
pub(super) struct Problem {
    /// The most wanted eigenvalues, their vectors as rows.
    pub(super) found: Found,
    /// The most restarts.
    pub(super) maxiter: usize,
}

impl Problem {
    /// Finds the `k` most wanted eigenvalues of a Hermitian operator; `of` is its matrix, if filters can repeat its
    /// products.
    pub(super) fn solve(
        a: &dyn LinearOperator,
        of: Option<Filterable<'_>>,
        dtype: DType,
        k: usize,
        options: &EigshOptions<'_>,
    ) -> Result<Problem> {
        let (n, which) = (a.shape()[0], options.which);
        let Sizes { steps, maxiter } = sizes(n, k, options.ncv, options.maxiter, options.tol)?;
        let first = start(options.v0, n, dtype, 0)?;
        if n <= DENSE_ROWS {
            let (values, vectors) = eigenpairs(&hermitian_part(&dense(a, wide(dtype))?)?)?;
            return Ok(Problem { found: chosen(&values, &vectors.cast(dtype, Order::C)?, which, k)?, maxiter });
        }
        let mut krylov = Krylov::new(a, dtype, true, steps, k)?;
        let search = Search { count: k, which, tol: options.tol, maxiter };
        let of = of.filter(|_| which != Which::SM && maxiter > FEW_RESTARTS && is_possible(n, k, steps));
        let few = Search { maxiter: FEW_RESTARTS, ..search };
        let mut found = krylov.run(&first, if of.is_some() { few } else { search }, None)?;
        if let (Some(of), false) = (of, found.all_converged()) {
            let products = (maxiter - FEW_RESTARTS) * steps;
            if let Some(found) = filtered(&krylov, &found.vectors, of, search, products)? {
                // The start is of random vectors, each of which has a part in all eigenvectors: no member of a cluster
                // is missed.
                return Ok(Problem { found, maxiter });
            }
            found = krylov.run(&first, search, None)?;
        }
        // An invariant subspace of the first vector may have fewer eigenvalues than wanted; a cluster may have more members
        // than found.
        for sweep in 1..k as u64 + 2 {
            if !found.all_converged() || found.values.len() >= n {
                break;
            }
            let which = if which == Which::BE { Which::LA } else { which };
            let one = Search { count: 1, which, ..search };
            let other = krylov.run(&start(None, n, dtype, sweep)?, one, Some(&found.vectors))?;
            if !other.all_converged() || other.values.is_empty() {
                break;
            }
            if !merge(&mut found, &other, search, rounding(dtype))? {
                break;
            }
        }
        Ok(Problem { found, maxiter })
    }
}

/// Adds the eigenvalue of a later search, if it is more wanted than the least wanted one found; returns false otherwise.
fn merge(found: &mut Found, other: &Found, search: Search, eps: f64) -> Result<bool> {
    let k = search.count;
    let values: Vec<Complex64> = found.values.iter().chain(&other.values[..1]).copied().collect();
    let order = search.which.rank(&values);
    let size = values.iter().map(|z| z.norm()).fold(1e-300, f64::max);
    let added = found.values.len();
    if added >= k {
        let least = found.values[search.which.rank(&found.values)[k - 1]];
        let border = (least - other.values[0]).norm() <= 1e3 * eps * size;
        if order[k..].contains(&added) || border {
            return Ok(false);
        }
    }
    let every = concatenate([&found.vectors, &other.vectors], 0)?;
    let kept = &order[..k.min(order.len())];
    *found = Found {
        values: kept.iter().map(|&k| values[k]).collect(),
        vectors: rows(&every, kept)?,
        converged: vec![true; kept.len()],
    };
    Ok(true)
}

/// The most wanted of all eigenvalues of a matrix, their vectors as rows.
fn chosen(values: &[f64], vectors: &Array, which: Which, k: usize) -> Result<Found> {
    let values: Vec<Complex64> = values.iter().map(|&w| w.into()).collect();
    let order = &which.rank(&values)[..k];
    let vectors = columns(vectors, order)?.t().copy(Order::C)?;
    Ok(Found { values: order.iter().map(|&k| values[k]).collect(), vectors, converged: vec![true; k] })
}
