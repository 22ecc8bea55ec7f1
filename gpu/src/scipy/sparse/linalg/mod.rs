//! Linear operators, iterative and direct solvers of systems of equations; SciPy's `scipy.sparse.linalg`.
//!
//! | matrix | solver |
//! |---|---|
//! | Hermitian, positive definite | [`cg`], [`cholesky`] |
//! | Hermitian | [`minres`] |
//! | any square one | [`gmres`], [`bicgstab`], [`tfqmr`], [`cgs`], [`bicg`], [`qmr`], [`spsolve`], [`splu`] |
//! | triangular | [`spsolve_triangular`] |
//! | least squares | [`lsqr`], [`lsmr`] |
//!
//! | eigenvalues and singular values | solver |
//! |---|---|
//! | some of a Hermitian matrix | [`eigsh`], [`lobpcg`] |
//! | some of any square one | [`eigs`] |
//! | some singular values | [`svds`] |
//!
//! Preconditioners are incomplete factors: [`ilu0`] and [`ic0`] have no fill-in and are computed on the device,
//! [`spilu`] has a threshold and runs on the host.
//!
//! An iterative solver queues its iterations on the device: those of an operator that is
//! [capturable](LinearOperator::is_capturable) are a graph with a conditional node, whose condition is the
//! norm of the residual, so that the host waits once and not in each iteration. Results of one operator,
//! right-hand side and device are equal to the bit in each run.
//!
//! Lower bound of an iteration: the matrix is read once for each product, and each vector of the method
//! once for each group of updates.
//!
//! Complete factorisations run on a GPU with NVIDIA's cuDSS, if it is installed, and otherwise on the host, which
//! [`splu`] reports once for a GPU; their solutions run on the device.

mod arnoldi;
mod batch;
mod cholesky;
mod direct;
mod eigen;
mod filter;
mod gmres;
mod incomplete;
mod inertia;
mod krylov;
mod least_squares;
mod library;
mod options;
mod recycled;
mod super_lu;
mod triangular;

use cuprum_kernels::DType;
use cuprum_kernels::source::KrylovMethod;
use cuprum_macros::{signature, unrecorded};

pub use arnoldi::{Arnoldi, Gram, Preconditioned};
pub use batch::{BatchedLu, splu_batch};
pub use cholesky::{Cholesky, cholesky};
pub use direct::{inv, spilu, splu, spsolve};
pub use eigen::{
    Eigenpairs, EigsOptions, EigshOptions, Lobpcg, LobpcgOptions, SingularTriplets, SvdsOptions, Which, eigs, eigsh,
    lobpcg, svds,
};
pub use filter::ChebyshevFilter;
pub use gmres::{GmresOptions, gmres};
pub use incomplete::{IncompleteFactors, RowOrder, ic0, ilu0};
pub use inertia::inertia;
pub use least_squares::{LeastSquares, LeastSquaresOptions, lsmr, lsqr};
pub use options::{ColumnOrder, FactorOptions, IncompleteOptions, Trans};
pub use recycled::{GcrotmkOptions, LgmresOptions, gcrotmk, lgmres};
pub use super_lu::SuperLu;
pub use triangular::{TriangularOptions, spsolve_triangular};

use super::{Format, Sparse};
use crate::array::Array;
use crate::dtype::promote_types;
use crate::engine::make;
use crate::error::{Error, ErrorKind, Result};
use crate::index::s;
use crate::reduction::{Reduce, reduced};
use crate::scalar::Scalar;
use crate::ufunc::{FuseOptions, apply, fuse_with};

/// A linear map that is known by its products with vectors.
///
/// A solver captures the products of an operator whose [`is_capturable`](LinearOperator::is_capturable) is true in a
/// graph, and repeats its iterations on the device. Those of other operators are called step by step.
///
/// ```
/// use cuprum::scipy::sparse::linalg::{LinearOperator, SolverOptions, cg};
/// use cuprum::{Array, DType, Result, array};
///
/// /// Twice the identity.
/// #[derive(Debug)]
/// struct Twice;
///
/// impl LinearOperator for Twice {
///     fn shape(&self) -> [usize; 2] {
///         [2, 2]
///     }
///     fn dtype(&self) -> DType {
///         DType::F64
///     }
///     fn matvec(&self, v: &Array) -> Result<Array> {
///         cuprum::add(v, v)
///     }
/// }
///
/// let found = cg(&Twice, &array([2.0, 4.0])?, SolverOptions::default())?;
/// assert!(cuprum::allclose(&found.x, &array([1.0, 2.0])?, ())?);
/// # Ok::<(), cuprum::Error>(())
/// ```
pub trait LinearOperator: std::fmt::Debug {
    /// Returns the numbers of rows and of columns.
    fn shape(&self) -> [usize; 2];

    /// Returns the dtype of the products.
    fn dtype(&self) -> DType;

    /// Returns the product with a vector.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for a vector of another length.
    fn matvec(&self, v: &Array) -> Result<Array>;

    /// Returns the product of the conjugate transpose with a vector.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotImplemented`] if the operator does not define it, which is the default.
    fn rmatvec(&self, _: &Array) -> Result<Array> {
        let message = "rmatvec is not defined: the operator has no product with its conjugate transpose";
        Err(Error::new(ErrorKind::NotImplemented, message))
    }

    /// Returns the product with a matrix. By default its columns are multiplied one after the other.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for a matrix of another number of rows.
    fn matmat(&self, x: &Array) -> Result<Array> {
        by_columns(x, self.shape()[0], self.dtype(), &|v| self.matvec(v))
    }

    /// Returns the product of the conjugate transpose with a matrix. By default its columns are multiplied one after the
    /// other.
    ///
    /// # Errors
    ///
    /// As [`rmatvec`](LinearOperator::rmatvec).
    fn rmatmat(&self, x: &Array) -> Result<Array> {
        by_columns(x, self.shape()[1], self.dtype(), &|v| self.rmatvec(v))
    }

    /// Returns the sparse matrix that the operator is, if it is one, whose structure a solver can use. By default none.
    fn as_sparse(&self) -> Option<&Sparse> {
        None
    }

    /// Returns the operator of the inverse of this one minus a multiple of the identity, by a factorisation.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotImplemented`] if the operator does not define it, which is the default; [`ErrorKind::LinAlg`] if the
    /// matrix is singular.
    fn shifted_inverse(&self, _: Scalar) -> Result<Box<dyn LinearOperator>> {
        let message = "sigma needs opinv, the operator of (A - sigma)^-1, for an operator that is no matrix";
        Err(Error::new(ErrorKind::NotImplemented, message))
    }

    /// Returns true if products queue kernels and copies on the device only, so that a conditional node of a graph may
    /// contain them: they read nothing back, and call no library. By default false.
    fn is_capturable(&self) -> bool {
        false
    }
}

/// The products of the columns of a matrix, as columns.
fn by_columns(x: &Array, rows: usize, dtype: DType, product: &dyn Fn(&Array) -> Result<Array>) -> Result<Array> {
    let out = make::zeros(x.device(), &[rows, x.shape()[1]], promote_types(dtype, x.dtype()))?;
    for k in 0..x.shape()[1] as i64 {
        let column = x.index(s![.., k])?.copy(crate::layout::Order::C)?;
        out.index(s![.., k])?.assign(&product(&column)?)?;
    }
    Ok(out)
}

impl LinearOperator for Sparse {
    fn shape(&self) -> [usize; 2] {
        self.matrix_shape()
    }

    fn dtype(&self) -> DType {
        Sparse::dtype(self)
    }

    fn matvec(&self, v: &Array) -> Result<Array> {
        self.matmul_dense(v)
    }

    fn rmatvec(&self, v: &Array) -> Result<Array> {
        let adjoint = |v: &Array| if v.dtype().is_complex() { apply("conjugate", [v.into()]) } else { Ok(v.clone()) };
        if !Sparse::dtype(self).is_complex() {
            return self.transpose(None)?.matmul_dense(v);
        }
        adjoint(&self.transpose(None)?.matmul_dense(&adjoint(v)?)?)
    }

    fn matmat(&self, x: &Array) -> Result<Array> {
        self.matmul_dense(x)
    }

    fn rmatmat(&self, x: &Array) -> Result<Array> {
        self.rmatvec(x)
    }

    fn as_sparse(&self) -> Option<&Sparse> {
        Some(self)
    }

    fn shifted_inverse(&self, sigma: Scalar) -> Result<Box<dyn LinearOperator>> {
        eigen::sparse_inverse(self, sigma)
    }

    /// Products of compressed formats only queue kernels; other formats are converted.
    fn is_capturable(&self) -> bool {
        matches!(self.format(), Format::Csr | Format::Csc)
    }
}

/// The product is a reduction of the rows, without a library.
impl LinearOperator for Array {
    fn shape(&self) -> [usize; 2] {
        [self.shape().first().copied().unwrap_or(1), self.shape().get(1).copied().unwrap_or(1)]
    }

    fn dtype(&self) -> DType {
        Array::dtype(self)
    }

    fn matvec(&self, v: &Array) -> Result<Array> {
        let options = FuseOptions::new().wait(true);
        fuse_with(options, || reduced("sum", &apply("multiply", [self.into(), v.into()])?, &Reduce::axis(1)))
    }

    fn rmatvec(&self, v: &Array) -> Result<Array> {
        let options = FuseOptions::new().wait(true);
        fuse_with(options, || {
            let rows = apply("conjugate", [(&self.t()).into()])?;
            reduced("sum", &apply("multiply", [(&rows).into(), v.into()])?, &Reduce::axis(1))
        })
    }

    fn matmat(&self, x: &Array) -> Result<Array> {
        self.matmul(x)
    }

    fn rmatmat(&self, x: &Array) -> Result<Array> {
        apply("conjugate", [(&self.t()).into()])?.matmul(x)
    }

    fn shifted_inverse(&self, sigma: Scalar) -> Result<Box<dyn LinearOperator>> {
        eigen::dense_inverse(self, sigma)
    }

    fn is_capturable(&self) -> bool {
        self.ndim() == 2
    }
}

/// Options of the solvers: [`cg`], [`bicg`], [`cgs`], [`bicgstab`], [`tfqmr`] and [`minres`].
///
/// The names and defaults are SciPy's; a tolerance is relative to the norm of the right-hand side.
///
/// ```
/// use cuprum::{array, scipy::sparse::{Format, Sparse}};
/// use cuprum::scipy::sparse::linalg::{SolverOptions, cg};
/// let a = Sparse::from_dense(&array([[4.0, 1.0], [1.0, 3.0]])?, Format::Csr)?;
/// let found = cg(&a, &array([5.0, 4.0])?, SolverOptions { rtol: 1e-10, ..Default::default() })?;
/// assert!(found.info == 0 && cuprum::allclose(&found.x, &array([1.0, 1.0])?, ())?);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct SolverOptions<'a> {
    /// The solution is accepted where the norm of its residual is at most this times that of the right side: 1e-5 by
    /// default.
    pub rtol: f64,
    /// Or at most this: 0 by default.
    pub atol: f64,
    /// The most iterations, by default ten times the number of rows; five times for [`minres`].
    pub maxiter: Option<usize>,
    /// The first guess, by default zero.
    pub x0: Option<&'a Array>,
    /// The preconditioner: an operator near the inverse of the matrix.
    pub m: Option<&'a dyn LinearOperator>,
    /// The multiple of the identity that [`minres`] subtracts from the matrix: 0 by default. The other solvers do not
    /// use it.
    pub shift: f64,
}

crate::array::default_options!(SolverOptions<'a>);

impl Default for SolverOptions<'_> {
    fn default() -> Self {
        SolverOptions { rtol: 1e-5, atol: 0.0, maxiter: None, x0: None, m: None, shift: 0.0 }
    }
}

/// Result of an iterative solver.
///
/// SciPy returns the solution and the number `info`.
#[derive(Clone, Debug)]
pub struct Solution {
    /// The solution, or the last iterate.
    pub x: Array,
    /// 0 where the norm of the true residual is small enough. Otherwise `maxiter`, or after a breakdown -10 or -11, as
    /// in SciPy.
    pub info: i64,
}

/// Solves a system of equations with a Hermitian, positive definite matrix by the method of conjugate gradients;
/// SciPy's `cg`.
///
/// The iterations are captured in a graph and repeated on the device until the residual of the recurrence is small;
/// then the true residual is computed, and the iterations go on from there unless it is small, too. An operator or a
/// preconditioner that is not [capturable](LinearOperator::is_capturable) is called step by step.
///
/// ```
/// use cuprum::array;
/// use cuprum::scipy::sparse::{Format, Sparse, linalg};
/// let a = Sparse::from_dense(&array([[4.0, 1.0], [1.0, 3.0]])?, Format::Csr)?;
/// let solution = linalg::cg(&a, &array([1.0, 2.0])?, linalg::SolverOptions { rtol: 1e-12, ..Default::default() })?;
/// let x = solution.x.to_vec::<f64>()?;
/// assert!(solution.info == 0 && (x[0] - 1.0 / 11.0).abs() < 1e-12 && (x[1] - 7.0 / 11.0).abs() < 1e-12);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for shapes that do not fit.
///
/// # Synchronization
///
/// Synchronises once for each time that the residual seems to be small.
#[unrecorded("takes a linear operator: compared with SciPy's in `gpu/python/tests/test_sparse_linalg.py`")]
#[signature]
pub fn cg(a: &dyn LinearOperator, b: &Array, options: SolverOptions<'_>) -> Result<Solution> {
    krylov::solve(KrylovMethod::Cg, a, b, &options).map_err(|e| e.with_op("sparse.linalg.cg"))
}

/// Solves a system of equations by the method of biconjugate gradients; SciPy's `bicg`. The operator and the
/// preconditioner have products with their conjugate transposes: [`LinearOperator::rmatvec`].
///
/// ```
/// use cuprum::array;
/// use cuprum::scipy::sparse::linalg::{SolverOptions, bicg};
/// let a = array([[4.0, 1.0], [-1.0, 3.0]])?;
/// let x = bicg(&a, &array([5.0, 2.0])?, SolverOptions { rtol: 1e-12, ..Default::default() })?.x.to_vec::<f64>()?;
/// assert!((x[0] - 1.0).abs() < 1e-10 && (x[1] - 1.0).abs() < 1e-10);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// As [`cg`], and [`ErrorKind::NotImplemented`] for an operator without `rmatvec`.
///
/// # Synchronization
///
/// As [`cg`].
#[unrecorded("takes a linear operator: compared with SciPy's in `gpu/python/tests/test_sparse_linalg.py`")]
#[signature]
pub fn bicg(a: &dyn LinearOperator, b: &Array, options: SolverOptions<'_>) -> Result<Solution> {
    krylov::solve(KrylovMethod::Bicg, a, b, &options).map_err(|e| e.with_op("sparse.linalg.bicg"))
}

/// Solves a system of equations by the method of conjugate gradients squared; SciPy's `cgs`. P. Sonneveld, 1989.
///
/// ```
/// use cuprum::array;
/// use cuprum::scipy::sparse::linalg::{SolverOptions, cgs};
/// let a = array([[4.0, 1.0], [-1.0, 3.0]])?;
/// let x = cgs(&a, &array([5.0, 2.0])?, SolverOptions { rtol: 1e-12, ..Default::default() })?.x.to_vec::<f64>()?;
/// assert!((x[0] - 1.0).abs() < 1e-10 && (x[1] - 1.0).abs() < 1e-10);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// As [`cg`].
///
/// # Synchronization
///
/// As [`cg`].
#[unrecorded("takes a linear operator: compared with SciPy's in `gpu/python/tests/test_sparse_linalg.py`")]
#[signature]
pub fn cgs(a: &dyn LinearOperator, b: &Array, options: SolverOptions<'_>) -> Result<Solution> {
    krylov::solve(KrylovMethod::Cgs, a, b, &options).map_err(|e| e.with_op("sparse.linalg.cgs"))
}

/// Solves a system of equations by the stabilised method of biconjugate gradients; SciPy's `bicgstab`. H. A. van der
/// Vorst, 1992.
///
/// ```
/// use cuprum::array;
/// use cuprum::scipy::sparse::linalg::{SolverOptions, bicgstab};
/// let a = array([[4.0, 1.0], [-1.0, 3.0]])?;
/// let x = bicgstab(&a, &array([5.0, 2.0])?, SolverOptions { rtol: 1e-12, ..Default::default() })?.x.to_vec::<f64>()?;
/// assert!((x[0] - 1.0).abs() < 1e-10 && (x[1] - 1.0).abs() < 1e-10);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// As [`cg`].
///
/// # Synchronization
///
/// As [`cg`].
#[unrecorded("takes a linear operator: compared with SciPy's in `gpu/python/tests/test_sparse_linalg.py`")]
#[signature]
pub fn bicgstab(a: &dyn LinearOperator, b: &Array, options: SolverOptions<'_>) -> Result<Solution> {
    krylov::solve(KrylovMethod::Bicgstab, a, b, &options).map_err(|e| e.with_op("sparse.linalg.bicgstab"))
}

/// Solves a system of equations with a Hermitian matrix, which need not be definite, by the minimal residual method;
/// SciPy's `minres`. The preconditioner is positive definite. C. C. Paige, M. A. Saunders, 1975.
///
/// ```
/// use cuprum::array;
/// use cuprum::scipy::sparse::linalg::{SolverOptions, minres};
/// let a = array([[4.0, 1.0], [1.0, -3.0]])?;
/// let x = minres(&a, &array([5.0, -2.0])?, SolverOptions { rtol: 1e-12, ..Default::default() })?.x.to_vec::<f64>()?;
/// assert!((x[0] - 1.0).abs() < 1e-10 && (x[1] - 1.0).abs() < 1e-10);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// As [`cg`], and [`ErrorKind::Value`] for a preconditioner that is not positive definite.
///
/// # Synchronization
///
/// As [`cg`].
#[unrecorded("takes a linear operator: compared with SciPy's in `gpu/python/tests/test_sparse_linalg.py`")]
#[signature]
pub fn minres(a: &dyn LinearOperator, b: &Array, options: SolverOptions<'_>) -> Result<Solution> {
    krylov::solve(KrylovMethod::Minres, a, b, &options).map_err(|e| e.with_op("sparse.linalg.minres"))
}

/// Solves a system of equations by the quasi-minimal residual method, which needs products with the conjugate
/// transpose; SciPy's `qmr`. The preconditioner is applied from the right, and has products with its conjugate transpose:
/// [`LinearOperator::rmatvec`]. R. W. Freund, N. M. Nachtigal, 1991.
///
/// ```
/// use cuprum::array;
/// use cuprum::scipy::sparse::linalg::{SolverOptions, qmr};
/// let a = array([[4.0, 1.0], [-1.0, 3.0]])?;
/// let x = qmr(&a, &array([5.0, 2.0])?, SolverOptions { rtol: 1e-12, ..Default::default() })?.x.to_vec::<f64>()?;
/// assert!((x[0] - 1.0).abs() < 1e-10 && (x[1] - 1.0).abs() < 1e-10);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// As [`bicg`].
///
/// # Synchronization
///
/// As [`cg`].
#[unrecorded("takes a linear operator: compared with SciPy's in `gpu/python/tests/test_sparse_linalg.py`")]
#[signature]
pub fn qmr(a: &dyn LinearOperator, b: &Array, options: SolverOptions<'_>) -> Result<Solution> {
    krylov::solve(KrylovMethod::Qmr, a, b, &options).map_err(|e| e.with_op("sparse.linalg.qmr"))
}

/// Solves a system of equations by the quasi-minimal residual method without transposes; SciPy's `tfqmr`. The
/// preconditioner is applied from the right. R. W. Freund, 1993.
///
/// An iteration has two products with the matrix, which SciPy counts as two iterations.
///
/// ```
/// use cuprum::array;
/// use cuprum::scipy::sparse::linalg::{SolverOptions, tfqmr};
/// let a = array([[4.0, 1.0], [-1.0, 3.0]])?;
/// let x = tfqmr(&a, &array([5.0, 2.0])?, SolverOptions { rtol: 1e-12, ..Default::default() })?.x.to_vec::<f64>()?;
/// assert!((x[0] - 1.0).abs() < 1e-10 && (x[1] - 1.0).abs() < 1e-10);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// As [`cg`].
///
/// # Synchronization
///
/// As [`cg`].
#[unrecorded("takes a linear operator: compared with SciPy's in `gpu/python/tests/test_sparse_linalg.py`")]
#[signature]
pub fn tfqmr(a: &dyn LinearOperator, b: &Array, options: SolverOptions<'_>) -> Result<Solution> {
    krylov::solve(KrylovMethod::Tfqmr, a, b, &options).map_err(|e| e.with_op("sparse.linalg.tfqmr"))
}

#[cfg(test)]
mod tests;
