//! Direct solution of systems of equations.
//!
//! The matrix is ordered and factored on the host, and the triangular systems are solved on the device; or all of it by
//! a library of the device, for systems that are solved once.

use cuprum_direct::{Drop, LuOptions};
use cuprum_macros::{signature, unrecorded};

use super::super::{Format, Sparse};
use super::library::{self, LibrarySolver};
use super::options::{FactorOptions, IncompleteOptions, Trans};
use super::super_lu::{SuperLu, columns_of, read_bytes, read_pattern, report_host};
use super::triangular::{check_right_sides, factor_dtype, square};
use crate::array::Array;
use crate::driver::sparse_direct::{self, Method};
use crate::driver::sparse_library::{SparseOptions, Structure};
use crate::dtype::promote_types;
use crate::engine::make;
use crate::error::{Error, Result};
use crate::layout::Order;

/// LU factorisation of a square sparse matrix; SciPy's `splu`.
///
/// Returns the factors, in the smallest of float32, float64, complex64 and complex128 to which the matrix can be cast
/// safely. On a GPU with NVIDIA's cuDSS the matrix is factored there, unless `options` has an order or a threshold, cuDSS
/// replaces a pivot, or the backward error of a system with a known solution is large. Otherwise the factorisation runs
/// on the host. The order of the columns and the pivots differ from SciPy's: a Hermitian, positive definite matrix is
/// factored without pivots, and for another one with a nearly symmetric pattern the default is an order of the pattern of
/// A + A<sup>T</sup> with pivots from the diagonal. Where these are not stable for a system with a known solution, the
/// matrix is factored again with partial pivoting. J. R. Gilbert, T. Peierls, 1988; J. W.
/// Demmel and others, 1999.
///
/// ```
/// use cuprum::array;
/// use cuprum::scipy::sparse::{Format, Sparse, linalg};
/// let a = Sparse::from_dense(&array([[4.0, 1.0], [2.0, 3.0]])?, Format::Csc)?;
/// let lu = linalg::splu(&a, ())?;
/// assert_eq!(lu.solve(&array([5.0, 5.0])?, linalg::Trans::None)?.to_vec::<f64>()?, [1.0, 1.0]);
/// assert_eq!(lu.solve(&array([6.0, 4.0])?, linalg::Trans::Transposed)?.to_vec::<f64>()?, [1.0, 1.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`Value`](crate::ErrorKind::Value) for a matrix that is not square or of a 16-bit dtype,
/// [`LinAlg`](crate::ErrorKind::LinAlg) for a singular one, where SciPy raises RuntimeError.
///
/// # Synchronization
///
/// Synchronises to copy the matrix to the host.
#[unrecorded("takes a sparse array: compared with SciPy's in `gpu/python/tests/test_sparse_direct.py`")]
#[signature]
pub fn splu(a: &Sparse, options: FactorOptions) -> Result<SuperLu> {
    SuperLu::new(a, Method::Lu(options.lu_options()), options.deterministic)
        .map_err(|e| e.with_op("sparse.linalg.splu"))
}

/// Incomplete LU factorisation of a square sparse matrix with a threshold; SciPy's `spilu`.
///
/// As [`splu`], without small entries: the factors are those of a preconditioner. The rules by which entries are
/// dropped differ from SciPy's: an entry is compared with the largest one of its column of a factor, and the smallest
/// ones are dropped so that up to every column the factors have at most `fill_factor` times the entries of the matrix.
///
/// ```
/// use cuprum::array;
/// use cuprum::scipy::sparse::{Format, Sparse, linalg};
/// let a = Sparse::from_dense(&array([[4.0, 1.0], [2.0, 3.0]])?, Format::Csc)?;
/// let ilu = linalg::spilu(&a, ())?;
/// assert_eq!(ilu.solve(&array([5.0, 5.0])?, linalg::Trans::None)?.to_vec::<f64>()?, [1.0, 1.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// As [`splu`].
///
/// # Synchronization
///
/// As [`splu`].
#[unrecorded("takes a sparse array: compared with SciPy's in `gpu/python/tests/test_sparse_direct.py`")]
#[signature]
pub fn spilu(a: &Sparse, options: IncompleteOptions) -> Result<SuperLu> {
    let lu = LuOptions {
        ordering: options.permc_spec.ordering(),
        diagonal_threshold: options.diag_pivot_thresh,
        drop: Some(Drop { tolerance: options.drop_tol, fill: options.fill_factor }),
        ..LuOptions::default()
    };
    SuperLu::new(a, Method::Lu(lu), true).map_err(|e| e.with_op("sparse.linalg.spilu"))
}

/// Right-hand sides of [`spsolve`] that are solved on the host, at most: their number times the traffic of the factors
/// to the device is less than the time of that traffic.
const FEW_RIGHT_SIDES: usize = 4;

/// Solves systems of equations with a sparse matrix; SciPy's `spsolve`.
///
/// Returns the solution for `b`, a vector of n elements or a matrix of n rows, in its shape. Its dtype is that to which
/// those of both can be cast: float32, float64, complex64 or complex128. On a GPU with NVIDIA's cuDSS the matrix is
/// factored there as by [`splu`]; the backward error of the solution is computed, and the solution refined while it
/// falls. Otherwise the matrix is factored on the host: a few right-hand sides are solved there, with iterative
/// refinement until the backward error no longer falls; more of them on the device.
///
/// ```
/// use cuprum::array;
/// use cuprum::scipy::sparse::{Format, Sparse, linalg};
/// let a = Sparse::from_dense(&array([[4.0, 1.0], [2.0, 3.0]])?, Format::Csr)?;
/// let x = linalg::spsolve(&a, &array([5.0, 5.0])?, ())?;
/// assert_eq!(x.to_vec::<f64>()?, [1.0, 1.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// As [`splu`], and [`Value`](crate::ErrorKind::Value) for shapes that do not fit;
/// [`LinAlg`](crate::ErrorKind::LinAlg), too, for a matrix that is singular to working precision: the backward error
/// remains above 100 n eps.
///
/// # Synchronization
///
/// Synchronises to copy the matrix and the right-hand sides to the host, or to read the backward error.
#[unrecorded("takes a sparse array: compared with SciPy's in `gpu/python/tests/test_sparse_direct.py`")]
#[signature]
pub fn spsolve(a: &Sparse, b: &Array, options: FactorOptions) -> Result<Array> {
    solve(a, b, options).map_err(|e| e.with_op("sparse.linalg.spsolve"))
}

fn solve(a: &Sparse, b: &Array, options: FactorOptions) -> Result<Array> {
    let n = square(a)?;
    check_right_sides(n, b)?;
    let dtype = promote_types(factor_dtype(a.dtype())?, b.dtype());
    let (lu, b) = (options.lu_options(), b.astype(dtype)?);
    let for_library = SparseOptions { structure: Structure::General, batch: 1, deterministic: options.deterministic };
    if lu.is_default()
        && b.size() > 0
        && let Some(factors) = LibrarySolver::new(&a.astype(dtype)?, for_library)?
        && let Some(x) = factors.solve_refined(&b)?
    {
        return Ok(x);
    }
    let across = b.shape().get(1).copied().unwrap_or(1);
    if across > FEW_RIGHT_SIDES {
        return SuperLu::new(&a.astype(dtype)?, Method::Lu(lu), options.deterministic)?.solved(&b, Trans::None);
    }
    report_host(a.device());
    // Each right-hand side is contiguous.
    let sides = b.t().copy(Order::C)?;
    let columns = columns_of(a, dtype)?;
    let (pattern, values) = (read_pattern(&columns)?, read_bytes(&columns.data())?);
    let host = sparse_direct::factor(pattern, &values, dtype, Method::Lu(lu))?;
    let (x, error) = host.solve(&read_bytes(&sides)?);
    if error > 100.0 * n as f64 * library::epsilon(dtype) {
        return Err(library::singular(error));
    }
    let x = make::of_bytes(b.device(), &x, dtype)?.reshape(sides.shape())?;
    if b.ndim() == 1 { Ok(x) } else { x.t().copy(Order::C) }
}

/// The inverse of a sparse matrix; SciPy's `inv`.
///
/// Returns a matrix of [`Format::Csc`], as sparse as the inverse is. The matrix is factored on the host. The inverse is
/// rarely needed: [`splu`] solves systems without it.
///
/// ```
/// use cuprum::array;
/// use cuprum::scipy::sparse::{Format, Sparse, linalg};
/// let a = Sparse::from_dense(&array([[2.0, 0.0], [1.0, 1.0]])?, Format::Csc)?;
/// assert_eq!(linalg::inv(&a)?.to_dense(())?.to_vec::<f64>()?, [0.5, 0.0, -0.5, 1.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// As [`splu`].
///
/// # Synchronization
///
/// As [`splu`].
pub fn inv(a: &Sparse) -> Result<Sparse> {
    let go = || {
        let n = square(a)?;
        // A library solves for one column at a time.
        let columns = columns_of(a, factor_dtype(a.dtype())?)?;
        let lu = SuperLu::with(columns, Method::Lu(LuOptions::default()), 1, None)?;
        lu.solve_sparse(&Sparse::eye([n, n], 0, lu.dtype(), Format::Csc, a.device())?)
    };
    go().map_err(|e: Error| e.with_op("sparse.linalg.inv"))
}
