//! Least-squares solvers, whose iterations are repeated on the device.
//!
//! C. C. Paige, M. A. Saunders, "LSQR: an algorithm for sparse linear equations and sparse least squares", 1982; D.
//! C.-L. Fong, M. A. Saunders, "LSMR: an iterative algorithm for sparse least-squares problems", 2011.

use cuprum_kernels::source::{KrylovMethod, KrylovReal, KrylovStep as Step, LeastSquaresReal as Real};
use cuprum_macros::{signature, unrecorded};

use super::super::CastTo;
use super::LinearOperator;
use super::krylov::{norm, repeat, solver_dtype};
use crate::array::Array;
use crate::engine::krylov::Krylov;
use crate::engine::make;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Order, shape_text};
use crate::ufunc::apply;

/// Options of [`lsqr`] and [`lsmr`].
///
/// The names and defaults are SciPy's.
///
/// ```
/// use cuprum::{array, scipy::sparse::{Format, Sparse}};
/// use cuprum::scipy::sparse::linalg::{LeastSquaresOptions, lsqr};
/// let a = Sparse::from_dense(&array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])?, Format::Csr)?;
/// let found = lsqr(&a, &array([1.0, 2.0, 3.0])?, LeastSquaresOptions { atol: 1e-12, btol: 1e-12, ..Default::default() })?;
/// assert!(cuprum::allclose(&found.x, &array([1.0, 2.0])?, ())?);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct LeastSquaresOptions<'a> {
    /// The factor of x in the second term of the sum that is minimised: 0 by default.
    pub damp: f64,
    /// The relative error of the matrix, 1e-6 by default.
    pub atol: f64,
    /// The relative error of the right side, 1e-6 by default.
    pub btol: f64,
    /// The iterations end where the condition of the matrix reaches this: 1e8 by default, never for 0.
    pub conlim: f64,
    /// The most iterations: by default twice the number of columns for [`lsqr`], the smaller length of the matrix for
    /// [`lsmr`].
    pub maxiter: Option<usize>,
    /// The first guess, by default zero.
    pub x0: Option<&'a Array>,
    /// True for estimates of the variance of the solution, of [`lsqr`] alone. By default `false`.
    pub calc_var: bool,
}

crate::array::default_options!(LeastSquaresOptions<'a>);

impl Default for LeastSquaresOptions<'_> {
    fn default() -> Self {
        LeastSquaresOptions { damp: 0.0, atol: 1e-6, btol: 1e-6, conlim: 1e8, maxiter: None, x0: None, calc_var: false }
    }
}

/// Result of a least-squares solver: the solution, and the numbers of SciPy's `lsqr`.
///
/// SciPy returns the same numbers as a tuple.
#[derive(Clone, Debug)]
pub struct LeastSquares {
    /// The solution, or the last iterate.
    pub x: Array,
    /// The reason to stop: 0 for x = 0 or the first guess, 1 for a solution of the system, 2 for a least-squares
    /// solution, 3 for a condition of `conlim`, 4 to 6 for the same at the precision of float64, 7 for `maxiter`
    /// iterations.
    pub istop: i64,
    /// The number of iterations.
    pub itn: usize,
    /// The norm of the residual without the damping; of [`lsqr`] alone.
    pub r1norm: f64,
    /// The norm of the residual with the damping.
    pub r2norm: f64,
    /// An estimate of the Frobenius norm of the matrix with the damping.
    pub anorm: f64,
    /// An estimate of its condition.
    pub acond: f64,
    /// The norm of the product of its conjugate transpose with the residual.
    pub arnorm: f64,
    /// The norm of x.
    pub xnorm: f64,
    /// Estimates of the diagonal of the inverse of the normal matrix, zeros without `calc_var`.
    pub var: Array,
}

/// Minimises the norm of A x - b, or of (A x - b, damp x), for an operator of any shape; SciPy's `lsqr`. The operator
/// has products with its conjugate transpose. The iterations of an operator that is
/// [capturable](LinearOperator::is_capturable) are repeated on the device. C. C. Paige, M. A. Saunders, 1982.
///
/// ```
/// use cuprum::array;
/// use cuprum::scipy::sparse::linalg::lsqr;
/// let a = array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])?;
/// let found = lsqr(&a, &array([1.0, 3.0, 5.0])?, ())?;
/// let x = found.x.to_vec::<f64>()?;
/// assert!((x[0] - 1.0).abs() < 1e-6 && (x[1] - 2.0).abs() < 1e-6 && found.istop == 1);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for shapes that do not fit, [`ErrorKind::NotImplemented`] for an operator without `rmatvec`.
///
/// # Synchronization
///
/// Synchronises at the beginning, after each 1,024 iterations and at the end.
#[unrecorded("takes a linear operator: compared with SciPy's in `gpu/python/tests/test_sparse_linalg.py`")]
#[signature]
pub fn lsqr(a: &dyn LinearOperator, b: &Array, options: LeastSquaresOptions<'_>) -> Result<LeastSquares> {
    solve(KrylovMethod::Lsqr, a, b, &options).map_err(|e| e.with_op("sparse.linalg.lsqr"))
}

/// Minimises the norm of A x - b, or of (A x - b, damp x), for an operator of any shape; SciPy's `lsmr`. The norm of
/// the product of the conjugate transpose with the residual falls in each iteration. D. C.-L. Fong, M. A. Saunders,
/// 2011.
///
/// ```
/// use cuprum::array;
/// use cuprum::scipy::sparse::linalg::lsmr;
/// let a = array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])?;
/// let x = lsmr(&a, &array([1.0, 3.0, 5.0])?, ())?.x.to_vec::<f64>()?;
/// assert!((x[0] - 1.0).abs() < 1e-6 && (x[1] - 2.0).abs() < 1e-6);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for shapes that do not fit, [`ErrorKind::NotImplemented`] for an operator without `rmatvec`.
///
/// # Synchronization
///
/// Synchronises at the beginning, after each 1,024 iterations and at the end.
#[unrecorded("takes a linear operator: compared with SciPy's in `gpu/python/tests/test_sparse_linalg.py`")]
#[signature]
pub fn lsmr(a: &dyn LinearOperator, b: &Array, options: LeastSquaresOptions<'_>) -> Result<LeastSquares> {
    solve(KrylovMethod::Lsmr, a, b, &options).map_err(|e| e.with_op("sparse.linalg.lsmr"))
}

fn solve(
    method: KrylovMethod,
    a: &dyn LinearOperator,
    b: &Array,
    options: &LeastSquaresOptions<'_>,
) -> Result<LeastSquares> {
    let [rows, columns] = a.shape();
    if b.shape() != [rows] || options.x0.is_some_and(|x0| x0.shape() != [columns]) {
        let (b, x0) = (shape_text(b.shape()), options.x0.map_or("none".into(), |x| shape_text(x.shape())));
        let message = format!(
            "a matrix of shape ({rows},{columns}), b of shape {b} and x0 of shape {x0} do not fit: b has an element for each row, x0 for each column"
        );
        return Err(Error::new(ErrorKind::Value, message));
    }
    b.device().with(|| iterate(method, a, b, options))
}

fn scaled(v: &Array, factor: f64) -> Result<Array> {
    apply("multiply", [v.into(), factor.into()])
}

fn iterate(
    method: KrylovMethod,
    a: &dyn LinearOperator,
    b: &Array,
    options: &LeastSquaresOptions<'_>,
) -> Result<LeastSquares> {
    let (device, [rows, columns]) = (b.device(), a.shape());
    let dtype = solver_dtype(a, b);
    let b = b.to_dtype(dtype)?;
    let is_lsqr = method == KrylovMethod::Lsqr;
    let most = options.maxiter.unwrap_or(if is_lsqr { 2 * columns } else { rows.min(columns) });
    let krylov = Krylov::new(device, (method, dtype), columns, most, options.damp, false)?;
    let size_b = norm(&b)?.item::<f64>()?;
    let (x, mut u) = match options.x0 {
        Some(x0) => {
            let x = x0.cast(dtype, Order::C)?;
            let u = apply("subtract", [(&b).into(), (&a.matvec(&x)?.to_dtype(dtype)?).into()])?;
            (x, u)
        }
        None => (make::zeros(device, &[columns], dtype)?, b.copy(Order::C)?),
    };
    let beta = norm(&u)?.item::<f64>()?;
    let (mut v, mut alpha) = (x.copy(Order::C)?, 0.0);
    if beta > 0.0 {
        u = scaled(&u, 1.0 / beta)?;
        v = a.rmatvec(&u)?.to_dtype(dtype)?;
        alpha = norm(&v)?.item::<f64>()?;
        if alpha > 0.0 {
            v = scaled(&v, 1.0 / alpha)?;
        }
    }
    let var = make::zeros(device, &[columns], dtype.real())?;
    let mut found = LeastSquares {
        x: x.clone(),
        istop: 0,
        itn: 0,
        r1norm: beta,
        r2norm: beta,
        anorm: if is_lsqr { 0.0 } else { alpha },
        acond: if is_lsqr { 0.0 } else { 1.0 },
        arnorm: alpha * beta,
        xnorm: 0.0,
        var: var.clone(),
    };
    if found.arnorm == 0.0 || most == 0 {
        return Ok(found);
    }
    if !is_lsqr && size_b == 0.0 {
        found.x = make::zeros(device, &[columns], dtype)?;
        return Ok(found);
    }
    let limit = if options.conlim > 0.0 { 1.0 / options.conlim } else { 0.0 };
    krylov.begin_least_squares(&[
        (Real::Most, most as f64),
        (Real::ATolerance, options.atol),
        (Real::BTolerance, options.btol),
        (Real::Limit, limit),
        (Real::SizeB, size_b),
        (Real::Alpha, alpha),
        (Real::Beta, beta),
        (Real::PhiBar, beta),
        // The cosine of LSQR is that of the rotations of the solution's norm.
        (Real::Cosine, -1.0),
        (Real::RhoBar, if is_lsqr { alpha } else { 1.0 }),
        (Real::Rho, 1.0),
        (Real::ZetaBar, alpha * beta),
        (Real::AlphaBar, alpha),
        (Real::CBar, 1.0),
        (Real::BetaDd, beta),
        (Real::RhoD, 1.0),
        (Real::Squares, alpha * alpha),
        (Real::RhoBarLeast, 1e100),
    ])?;
    let (w, w_bar) = (v.copy(Order::C)?, krylov.vector()?);
    let iteration = || {
        krylov.step(Step::Left, &[&u, &a.matvec(&v)?.to_dtype(dtype)?])?;
        krylov.step(Step::Unit, &[&u])?;
        krylov.step(Step::Right, &[&v, &a.rmatvec(&u)?.to_dtype(dtype)?])?;
        match (is_lsqr, options.calc_var) {
            (true, false) => krylov.step(Step::Direction, &[&x, &v, &w]),
            (true, true) => krylov.step_with(Step::Direction, &[&x, &v, &w], Some(&var)),
            (false, _) => krylov.step(Step::Direction, &[&x, &v, &w, &w_bar]),
        }
    };
    krylov.going.assign(true)?;
    repeat(&krylov, a.is_capturable(), &iteration, &mut None)?;
    let reals = krylov.all_reals()?;
    let of = |which: Real| reals[which as usize];
    found.istop = of(Real::Stop) as i64;
    found.itn = reals[KrylovReal::Count as usize] as usize;
    found.r2norm = of(Real::R2Norm);
    found.r1norm = if is_lsqr { of(Real::R1Norm) } else { found.r2norm };
    (found.anorm, found.acond) = (of(Real::ANorm), of(Real::ACondition));
    (found.arnorm, found.xnorm) = (of(Real::ArNorm), of(Real::XNorm));
    Ok(found)
}
