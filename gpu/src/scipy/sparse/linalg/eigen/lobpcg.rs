//! Locally optimal block preconditioned conjugate gradients: `lobpcg`.
//!
//! Source: A. V. Knyazev, "Toward the Optimal Preconditioned Eigensolver: Locally Optimal Block Preconditioned Conjugate
//! Gradient Method", 2001.

use cuprum_kernels::DType;
use cuprum_macros::{signature, unrecorded};

use super::super::super::CastTo;
use super::super::LinearOperator;
use super::small::{adjoint, column_norms, columns, eigenpairs, gram, hermitian_part, orthonormalizer, real, rounding};
use super::working_dtype;
use crate::array::Array;
use crate::dtype::promote_types;
use crate::engine::make;
use crate::error::{Error, ErrorKind, Result};
use crate::index::s;
use crate::layout::{Order, shape_text};
use crate::routines::linalg::matmul;
use crate::routines::manipulation::concatenate;
use crate::ufunc::apply;

/// Options of [`lobpcg`].
///
/// The names and defaults are SciPy's.
///
/// ```
/// use cuprum::scipy::sparse::linalg::LobpcgOptions;
/// assert!(LobpcgOptions::default().largest);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct LobpcgOptions<'a> {
    /// The operator B of the problem `A x = w B x`, positive definite: by default the identity.
    pub b: Option<&'a dyn LinearOperator>,
    /// The preconditioner: an operator near the inverse of the matrix.
    pub m: Option<&'a dyn LinearOperator>,
    /// Vectors, as columns, that the eigenvectors are orthogonal to.
    pub y: Option<&'a Array>,
    /// The bound of the norms of residuals: by default, and for 0, the square root of the unit of rounding times the
    /// number of rows.
    pub tol: Option<f64>,
    /// The most iterations: 20 by default.
    pub maxiter: usize,
    /// True for the largest eigenvalues, the default, false for the smallest ones.
    pub largest: bool,
}

crate::array::default_options!(LobpcgOptions<'a>);

impl Default for LobpcgOptions<'_> {
    fn default() -> Self {
        LobpcgOptions { b: None, m: None, y: None, tol: None, maxiter: 20, largest: true }
    }
}

/// Result of [`lobpcg`].
///
/// SciPy returns the first two arrays and, if they are requested, the histories.
#[derive(Clone, Debug)]
pub struct Lobpcg {
    /// The eigenvalues, the most wanted first.
    pub values: Array,
    /// The eigenvectors as columns, orthonormal with regard to B.
    pub vectors: Array,
    /// True if the norms of all residuals are at most the tolerance.
    pub converged: bool,
    /// The eigenvalues at each iteration.
    pub lambdas: Vec<Vec<f64>>,
    /// The norms of the residuals at each iteration.
    pub residual_norms: Vec<Vec<f64>>,
}

/// Returns the largest or smallest eigenvalues of a Hermitian operator A, or of `A x = w B x`, from guesses of the
/// vectors as the columns of `x`; SciPy's `lobpcg`.
///
/// The result is that of the iteration with the smallest residuals. Where the tolerance is not reached,
/// [`Lobpcg::converged`] is false; SciPy issues a warning.
///
/// ```
/// use cuprum::{array, scipy::sparse::linalg::{LobpcgOptions, lobpcg}};
/// let a = array([[3.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 1.0]])?;
/// let guess = array([[1.0], [0.5], [0.2]])?;
/// let found = lobpcg(&a, &guess, LobpcgOptions { tol: Some(1e-8), ..Default::default() })?;
/// assert!(found.converged && (found.values.to_vec::<f64>()?[0] - 3.0).abs() < 1e-12);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for shapes that do not fit, columns of `x` that are linearly dependent, and more of them than
/// dimensions that `y` leaves.
///
/// # Synchronization
///
/// Synchronises some times in each iteration.
#[unrecorded("takes a linear operator: compared with SciPy's in `gpu/python/tests/test_sparse_linalg.py`")]
#[signature]
pub fn lobpcg(a: &dyn LinearOperator, x: &Array, options: LobpcgOptions<'_>) -> Result<Lobpcg> {
    let go = || x.device().with(|| Block::new(a, x, options)?.iterate(x));
    go().map_err(|e: Error| e.with_op("sparse.linalg.lobpcg"))
}

/// The operators of an iteration.
struct Block<'a> {
    a: &'a dyn LinearOperator,
    options: LobpcgOptions<'a>,
    dtype: DType,
    tol: f64,
    /// The constraints, orthonormal with regard to B, and their products with B.
    constraints: Option<[Array; 2]>,
}

impl<'a> Block<'a> {
    fn new(a: &'a dyn LinearOperator, x: &Array, options: LobpcgOptions<'a>) -> Result<Block<'a>> {
        let wrong = |message: String| Err(Error::new(ErrorKind::Value, message));
        let &[n, k] = x.shape() else {
            return wrong(format!("x has the shape {}: it must have two axes", shape_text(x.shape())));
        };
        for operator in [Some(a), options.b, options.m].into_iter().flatten() {
            if operator.shape() != [n, n] {
                let [rows, columns] = operator.shape();
                return wrong(format!("an operator of shape ({rows},{columns}) does not fit x of {n} rows"));
            }
        }
        let dtypes = [Some(a.dtype()), options.b.map(|b| b.dtype())];
        let dtype = working_dtype(dtypes.into_iter().flatten().fold(x.dtype(), promote_types));
        let tol = options.tol.filter(|&tol| tol > 0.0).unwrap_or(rounding(dtype).sqrt() * n as f64);
        let mut block = Block { a, options, dtype, tol, constraints: None };
        let mut free = n;
        if let Some(y) = options.y {
            if y.ndim() != 2 || y.shape()[0] != n {
                return wrong(format!("y of shape {} does not fit x of {n} rows", shape_text(y.shape())));
            }
            free = n.saturating_sub(y.shape()[1]);
            let y = y.cast(dtype, Order::C)?;
            let y = block.combined(&y, &orthonormalizer(&y, &block.times_b(&y)?)?)?;
            let by = block.times_b(&y)?;
            block.constraints = Some([y, by]);
        }
        if k == 0 || k > free {
            return wrong(format!(
                "x has {k} columns: they must be at least one, and at most the {free} that y leaves"
            ));
        }
        Ok(block)
    }

    fn times_b(&self, s: &Array) -> Result<Array> {
        self.options.b.map_or_else(|| Ok(s.clone()), |b| b.matmat(s)?.to_dtype(self.dtype))
    }

    /// The product of vectors with coefficients in double precision.
    fn combined(&self, s: &Array, coefficients: &Array) -> Result<Array> {
        matmul(s, coefficients.cast(self.dtype, Order::C)?)
    }

    /// The part of vectors that is orthogonal to `q` with regard to B, where `bq` is the product of B and `q`.
    fn without(&self, s: &Array, q: &Array, bq: &Array) -> Result<Array> {
        let along = matmul(q, matmul(adjoint(bq)?, s)?)?;
        apply("subtract", [s.into(), (&along).into()])
    }

    fn constrained(&self, s: Array) -> Result<Array> {
        self.constraints.as_ref().map_or_else(|| Ok(s.clone()), |[y, by]| self.without(&s, y, by))
    }

    /// The wanted Ritz values of a basis, and the coefficients of the Ritz vectors as columns.
    fn ritz(&self, basis: &Array, image: &Array, k: usize) -> Result<(Vec<f64>, Array)> {
        let (values, vectors) = eigenpairs(&hermitian_part(&gram(basis, image)?)?)?;
        let mut order: Vec<usize> = (0..values.len()).collect();
        if self.options.largest {
            order.sort_by(|&i, &j| values[j].total_cmp(&values[i]));
        }
        order.truncate(k);
        Ok((order.iter().map(|&k| values[k]).collect(), columns(&vectors, &order)?))
    }

    fn residual(&self, x: &Array, ax: &Array, w: &Array) -> Result<Array> {
        let scaled = apply("multiply", [(&self.times_b(x)?).into(), w.into()])?;
        apply("subtract", [ax.into(), (&scaled).into()])
    }

    fn device_values(&self, w: &[f64], like: &Array) -> Result<Array> {
        make::of(like.device(), w, &[w.len()])?.cast(real(self.dtype), Order::C)
    }

    fn iterate(&self, x: &Array) -> Result<Lobpcg> {
        let k = x.shape()[1];
        let x = self.constrained(x.cast(self.dtype, Order::C)?)?;
        let z = orthonormalizer(&x, &self.times_b(&x)?)?;
        if z.shape()[1] < k {
            return Err(Error::new(ErrorKind::Value, "the columns of x are linearly dependent"));
        }
        let x = self.combined(&x, &z)?;
        let ax = self.a.matmat(&x)?.to_dtype(self.dtype)?;
        let (mut w, q) = self.ritz(&x, &ax, k)?;
        let (mut x, mut ax) = (self.combined(&x, &q)?, self.combined(&ax, &q)?);
        let mut directions: Option<Array> = None;
        let (mut lambdas, mut residual_norms) = (vec![], vec![]);
        let mut best: Option<(f64, Vec<f64>, Array)> = None;
        for iteration in 0..=self.options.maxiter {
            let r = self.residual(&x, &ax, &self.device_values(&w, &x)?)?;
            let norms = column_norms(&r)?;
            // NaN is larger than any norm.
            let size =
                norms.iter().copied().fold(0.0, |a: f64, b| if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) });
            lambdas.push(w.clone());
            residual_norms.push(norms.clone());
            if best.as_ref().is_none_or(|best| size < best.0) {
                best = Some((size, w.clone(), x.clone()));
            }
            if size <= self.tol || iteration == self.options.maxiter || !size.is_finite() {
                break;
            }
            let active: Vec<usize> = (0..k).filter(|&j| norms[j] > self.tol).collect();
            let mut search = columns(&r, &active)?;
            if let Some(m) = self.options.m {
                search = m.matmat(&search)?.to_dtype(self.dtype)?;
            }
            search = self.constrained(search)?;
            let bx = self.times_b(&x)?;
            // Twice, so that what is left of x is of the size of rounding errors.
            for _ in 0..2 {
                search = self.without(&search, &x, &bx)?;
            }
            let parts: Vec<&Array> = [&x, &search].into_iter().chain(&directions).collect();
            let all = concatenate(parts, 1)?;
            let z = orthonormalizer(&all, &self.times_b(&all)?)?;
            let basis = self.combined(&all, &z)?;
            // A second time: the columns may be nearly dependent.
            let again = orthonormalizer(&basis, &self.times_b(&basis)?)?;
            let (basis, z) = (self.combined(&basis, &again)?, matmul(&z, &again)?);
            let image = self.a.matmat(&basis)?.to_dtype(self.dtype)?;
            let (values, q) = self.ritz(&basis, &image, k)?;
            w = values;
            let coefficients = matmul(&z, &q)?;
            let first = k as i64;
            directions = Some(self.combined(&all.index(s![.., first..])?, &coefficients.index(s![first..])?)?);
            (x, ax) = (self.combined(&basis, &q)?, self.combined(&image, &q)?);
        }
        let (size, w, vectors) = best.expect("there is at least one iteration");
        let values = self.device_values(&w, &vectors)?;
        Ok(Lobpcg { values, vectors, converged: size <= self.tol, lambdas, residual_norms })
    }
}
