//! Linear operators and the solver of symmetric systems; SciPy's `scipy.sparse.linalg`.

use cuprum_kernels::DType;

use super::Sparse;
use crate::array::Array;
use crate::cuda::graph;
use crate::dtype::promote_types;
use crate::engine::make;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Order, shape_text};
use crate::routines::linalg::{matmul, vdot};
use crate::ufunc::{UfuncOptions, apply, ufunc};

/// A linear map that is known by its products with vectors.
///
/// Products that only queue work are captured in a graph by [`cg`], which then repeats its iterations on the device.
pub trait LinearOperator: std::fmt::Debug {
    /// The numbers of rows and of columns.
    fn shape(&self) -> [usize; 2];

    /// The dtype of the products.
    fn dtype(&self) -> DType;

    /// Returns the product with a vector.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for a vector of another length.
    fn matvec(&self, v: &Array) -> Result<Array>;
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
}

impl LinearOperator for Array {
    fn shape(&self) -> [usize; 2] {
        [self.shape().first().copied().unwrap_or(1), self.shape().get(1).copied().unwrap_or(1)]
    }

    fn dtype(&self) -> DType {
        Array::dtype(self)
    }

    fn matvec(&self, v: &Array) -> Result<Array> {
        matmul(self, v)
    }
}

/// Options of [`cg`].
#[derive(Clone, Copy, Debug)]
pub struct SolverOptions<'a> {
    /// The solution is accepted where the norm of its residual is at most this times that of the right side: 1e-5 by default.
    pub rtol: f64,
    /// Or at most this: 0 by default.
    pub atol: f64,
    /// The most iterations, by default ten times the number of rows.
    pub maxiter: Option<usize>,
    /// The first guess, by default zero.
    pub x0: Option<&'a Array>,
    /// The preconditioner: an operator near the inverse of the matrix.
    pub m: Option<&'a dyn LinearOperator>,
}

impl Default for SolverOptions<'_> {
    fn default() -> Self {
        SolverOptions { rtol: 1e-5, atol: 0.0, maxiter: None, x0: None, m: None }
    }
}

/// Result of an iterative solver.
#[derive(Clone, Debug)]
pub struct Solution {
    /// The solution, or the last iterate.
    pub x: Array,
    /// 0 where the true residual is small enough, otherwise the number of iterations.
    pub info: usize,
}

/// Solves a system of equations with a Hermitian, positive definite matrix by the method of conjugate gradients; SciPy's `cg`.
///
/// The iterations are captured in a graph and repeated on the device until the residual of the recurrence is small; then the true
/// residual is computed, and the iterations go on from there unless it is small, too. An operator or a preconditioner that cannot be
/// captured is called step by step.
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
pub fn cg(a: &dyn LinearOperator, b: &Array, options: SolverOptions<'_>) -> Result<Solution> {
    solve(a, b, &options).map_err(|e| e.with_op("sparse.linalg.cg"))
}

fn norm(v: &Array) -> Result<f64> {
    Ok(squared(v)?.item::<f64>()?.sqrt())
}

/// The square of the norm of a vector, of float64.
fn squared(v: &Array) -> Result<Array> {
    vdot(v, v)?.real().cast(DType::F64, Order::C)
}

fn update(op: &str, a: &Array, b: &Array, out: &Array) -> Result<()> {
    ufunc(op)?.called(&[a.into(), b.into()], &UfuncOptions::new().out(out)).map(drop)
}

/// The vectors and scalars of an iteration, which it updates in place.
struct Iteration<'a> {
    a: &'a dyn LinearOperator,
    m: Option<&'a dyn LinearOperator>,
    x: Array,
    r: Array,
    p: Array,
    rho: Array,
    count: Array,
    going: Array,
    bound: f64,
    most: usize,
}

impl Iteration<'_> {
    fn preconditioned(&self) -> Result<Array> {
        match self.m {
            None => Ok(self.r.clone()),
            Some(m) => m.matvec(&self.r)?.astype(self.r.dtype()),
        }
    }

    /// Begins anew from the residual `r`.
    fn begin(&self) -> Result<()> {
        let z = self.preconditioned()?;
        self.p.assign(&z)?;
        self.rho.assign(&vdot(&self.r, &z)?)
    }

    fn step(&self) -> Result<()> {
        let q = self.a.matvec(&self.p)?.astype(self.r.dtype())?;
        let alpha = ratio(&self.rho, &vdot(&self.p, &q)?)?;
        update("add", &self.x, &apply("multiply", [(&self.p).into(), (&alpha).into()])?, &self.x)?;
        update("subtract", &self.r, &apply("multiply", [(&q).into(), (&alpha).into()])?, &self.r)?;
        let z = self.preconditioned()?;
        let rho = vdot(&self.r, &z)?;
        let beta = ratio(&rho, &self.rho)?;
        update("add", &z, &apply("multiply", [(&self.p).into(), (&beta).into()])?, &self.p)?;
        self.rho.assign(&rho)?;
        let size = if self.m.is_none() { rho.real().cast(DType::F64, Order::C)? } else { squared(&self.r)? };
        self.count.assign(&apply("add", [(&self.count).into(), 1.into()])?)?;
        let large = apply("greater", [(&size).into(), (self.bound * self.bound).into()])?;
        let more = apply("less", [(&self.count).into(), (self.most as i64).into()])?;
        update("logical_and", &large, &more, &self.going)
    }
}

/// Returns a / b on the device, zero where b is zero.
fn ratio(a: &Array, b: &Array) -> Result<Array> {
    let zero = apply("equal", [b.into(), 0.into()])?;
    let quotient = apply("true_divide", [a.into(), (&apply("add", [b.into(), (&zero).into()])?).into()])?;
    apply("multiply", [(&quotient).into(), (&apply("logical_not", [(&zero).into()])?).into()])
}

fn solve(a: &dyn LinearOperator, b: &Array, options: &SolverOptions<'_>) -> Result<Solution> {
    let [rows, columns] = a.shape();
    let fits = |v: &Array| v.shape() == [rows];
    if rows != columns || !fits(b) || !options.x0.is_none_or(fits) || options.m.is_some_and(|m| m.shape() != a.shape())
    {
        let (b, x0) = (shape_text(b.shape()), options.x0.map_or("none".into(), |x| shape_text(x.shape())));
        let message = format!(
            "a matrix of shape ({rows},{columns}), b of shape {b} and x0 of shape {x0} do not fit: the matrix and the preconditioner are square, the vectors have its length"
        );
        return Err(Error::new(ErrorKind::Value, message));
    }
    let dtype = match promote_types(a.dtype(), b.dtype()) {
        d @ (DType::F32 | DType::F64 | DType::C64 | DType::C128) => d,
        DType::F16 | DType::BF16 => DType::F32,
        _ => DType::F64,
    };
    let device = b.device();
    let b = b.astype(dtype)?;
    let scalar = || make::zeros(device, &[], dtype);
    let x = match options.x0 {
        Some(x0) => x0.cast(dtype, Order::C)?,
        None => make::zeros(device, &[rows], dtype)?,
    };
    let size_b = norm(&b)?;
    if size_b == 0.0 {
        return Ok(Solution { x: make::zeros(device, &[rows], dtype)?, info: 0 });
    }
    let state = Iteration {
        a,
        m: options.m,
        x,
        r: make::zeros(device, &[rows], dtype)?,
        p: make::zeros(device, &[rows], dtype)?,
        rho: scalar()?,
        count: make::zeros(device, &[], DType::I64)?,
        going: make::full(device, &[], true, DType::Bool)?,
        bound: options.atol.max(options.rtol * size_b),
        most: options.maxiter.unwrap_or(10 * rows),
    };
    let mut captured = None;
    let (mut best, mut stalled) = (f64::INFINITY, 0);
    loop {
        update("subtract", &b, &a.matvec(&state.x)?.astype(dtype)?, &state.r)?;
        let (size, done) = (norm(&state.r)?, state.count.item::<i64>()? as usize);
        if size <= state.bound {
            return Ok(Solution { x: state.x, info: 0 });
        }
        stalled = if size < best / 2.0 { 0 } else { stalled + 1 };
        best = best.min(size);
        if !size.is_finite() || done >= state.most || stalled > 3 {
            return Ok(Solution { x: state.x, info: done.max(1) });
        }
        state.begin()?;
        state.going.assign(true)?;
        // The first iteration compiles what it needs and remembers what the matrix needs for products.
        state.step()?;
        if captured.is_none() {
            captured = Some(graph::capture(|| graph::repeat_while(&state.going, || state.step())).ok());
        }
        match &captured {
            Some(Some((iterations, ()))) => iterations.launch()?,
            _ => {
                for k in 0_usize.. {
                    if (k < 8 || k % 8 == 0) && !state.going.item::<bool>()? {
                        break;
                    }
                    state.step()?;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scipy::sparse::Format;

    /// Solutions have small true residuals, iterations are counted, and a right side that is not finite is no success.
    #[test]
    fn conjugate_gradients_tell_the_truth() -> Result<()> {
        let n = 50_usize;
        let dense: Vec<f64> = (0..n * n)
            .map(|i| match (i / n).abs_diff(i % n) {
                0 => 2.1,
                1 => -1.0,
                _ => 0.0,
            })
            .collect();
        let a = Sparse::from_dense(&Array::from_slice(&dense, [n, n])?, Format::Csr)?;
        let b = Array::from_slice(&(0..n).map(|i| (i as f64).sin()).collect::<Vec<_>>(), [n])?;
        for dtype in [DType::F32, DType::F64, DType::C128] {
            let rtol = if dtype == DType::F32 { 1e-4 } else { 1e-10 };
            let (a, b) = (a.astype(dtype)?, b.astype(dtype)?);
            let solution = cg(&a, &b, SolverOptions { rtol, ..SolverOptions::default() })?;
            let residual = apply("subtract", [(&b).into(), (&a.matmul_dense(&solution.x)?).into()])?;
            assert!(solution.info == 0 && norm(&residual)? <= rtol * norm(&b)?, "{dtype}");
            let short = cg(&a, &b, SolverOptions { rtol: 1e-6, maxiter: Some(3), ..SolverOptions::default() })?;
            assert_eq!(short.info, 3);
        }
        let nan = apply("multiply", [(&b).into(), f64::NAN.into()])?;
        assert!(cg(&a, &nan, SolverOptions::default())?.info > 0);
        Ok(())
    }
}
