//! Eigenvalues of operators that need not be Hermitian: `eigs`.

use cuprum_kernels::DType;
use cuprum_macros::{signature, unrecorded};
use num_complex::Complex64;

use super::super::super::CastTo;
use super::super::LinearOperator;
use super::krylov_schur::{Found, Krylov, Search};
use super::small::{columns, host, rows};
use super::{DENSE_ROWS, Eigenpairs, Request, Sizes, Which, dense, prepared, sizes, start, working_dtype};
use crate::array::Array;
use crate::dtype::promote_types;
use crate::engine::make;
use crate::error::Result;
use crate::layout::Order;
use crate::linalg::eig;

/// Options of [`eigs`].
///
/// The names and defaults are SciPy's.
///
/// ```
/// use cuprum::scipy::sparse::linalg::EigsOptions;
/// assert!(EigsOptions::default().sigma.is_none());
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct EigsOptions<'a> {
    /// The eigenvalues that are wanted: by default those of the largest magnitude. With `sigma` it ranks
    /// `1 / (w - sigma)`, so that the default wants those nearest to it.
    pub which: Which,
    /// A number near the wanted eigenvalues.
    pub sigma: Option<Complex64>,
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

crate::array::default_options!(EigsOptions<'a>);

/// Returns `k` eigenvalues of a square operator, the most wanted first, and eigenvectors of norm 1 as columns; SciPy's
/// `eigs`. G. W. Stewart, "A Krylov-Schur Algorithm for Large Eigenproblems", 2001.
///
/// Both are of complex64 for operators of float32 and complex64, and otherwise of complex128. Operators of up to 100 rows
/// are decomposed as dense matrices. SciPy's `M` is that of the Python package: see [`eigsh`](super::eigsh()).
///
/// ```
/// use cuprum::scipy::sparse::{Format, Sparse, linalg::{EigsOptions, eigs}};
/// // A rotation by a quarter turn, and a stretch.
/// let a = Sparse::from_dense(&cuprum::array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 3.0]])?, Format::Csr)?;
/// let found = eigs(&a, 1, EigsOptions::default())?;
/// assert!((found.values.to_vec::<num_complex::Complex64>()?[0] - 3.0).norm() < 1e-12);
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
pub fn eigs(a: &dyn LinearOperator, k: usize, options: EigsOptions<'_>) -> Result<Eigenpairs> {
    // A shift without an imaginary part keeps a real matrix real.
    let shift = |sigma: Complex64| if sigma.im == 0.0 { sigma.re.into() } else { sigma.into() };
    let (sigma, allowed) = (options.sigma.map(shift), &Which::GENERAL[..]);
    let EigsOptions { which, opinv, v0, .. } = options;
    let request = Request { a, k, which, allowed, sigma, opinv, v0 };
    request.run(|searched| solve(searched, k, &options)).map_err(|e| e.with_op("sparse.linalg.eigs"))
}

fn solve(a: &dyn LinearOperator, k: usize, options: &EigsOptions<'_>) -> Result<Eigenpairs> {
    let dtype = promote_types(working_dtype(a.dtype()), DType::C64);
    let n = a.shape()[0];
    let Sizes { steps, maxiter } = sizes(n, k, options.ncv, options.maxiter, options.tol)?;
    let first = start(options.v0, n, dtype, 0)?;
    let found = if n <= DENSE_ROWS || k + 1 >= n {
        largest(a, options.which, k)?
    } else {
        let matrix = prepared(a, dtype)?;
        let searched: &dyn LinearOperator = match &matrix {
            Some(matrix) => matrix,
            None => a,
        };
        let search = Search { count: k, which: options.which, tol: options.tol, maxiter };
        Krylov::new(searched, dtype, false, steps, 0)?.run(&first, search, None)?
    };
    let done: Vec<usize> = (0..found.values.len()).filter(|&k| found.converged[k]).collect();
    let value = |&k: &usize| options.sigma.map_or(found.values[k], |sigma| sigma + 1.0 / found.values[k]);
    let values: Vec<Complex64> = done.iter().map(value).collect();
    let vectors = rows(&found.vectors, &done)?.to_dtype(dtype)?;
    Ok(Eigenpairs {
        info: if values.len() < k { maxiter as i64 } else { 0 },
        values: make::of(vectors.device(), &values, &[values.len()])?.to_dtype(dtype)?,
        vectors: vectors.t(),
    })
}

/// The most wanted of all eigenvalues of a matrix, their vectors as rows.
fn largest(a: &dyn LinearOperator, which: Which, k: usize) -> Result<Found> {
    let (values, vectors) = eig(&dense(a, DType::C128)?)?;
    let values = host(&values)?;
    let order = &which.rank(&values)[..k];
    let vectors = columns(&vectors, order)?.t().copy(Order::C)?;
    Ok(Found { values: order.iter().map(|&k| values[k]).collect(), vectors, converged: vec![true; k] })
}
