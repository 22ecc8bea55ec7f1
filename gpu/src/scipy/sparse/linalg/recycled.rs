//! Krylov methods that keep vectors of earlier restarts.
//!
//! Both build a basis by the Arnoldi process between two restarts, whose steps the device repeats; the small
//! least-squares problems are solved on the host.

use cuprum_kernels::DType;
use cuprum_macros::{signature, unrecorded};
use num_complex::Complex64;

use super::super::CastTo;
use super::gmres::least_squares;
use super::krylov::{check_system, norm, solver_dtype};
use super::{Arnoldi, LinearOperator, Solution};
use crate::array::Array;
use crate::engine::arnoldi::Steps;
use crate::engine::make;
use crate::error::{Error, Result};
use crate::index::s;
use crate::layout::Order;
use crate::routines::linalg::{matmul, vdot};
use crate::routines::manipulation::concatenate;
use crate::ufunc::apply;

/// Options of [`lgmres`].
///
/// The names and defaults are SciPy's.
///
/// ```
/// use cuprum::{array, scipy::sparse::{Format, Sparse}};
/// use cuprum::scipy::sparse::linalg::{LgmresOptions, lgmres};
/// let a = Sparse::from_dense(&array([[4.0, 1.0], [0.0, 3.0]])?, Format::Csr)?;
/// let found = lgmres(&a, &array([5.0, 3.0])?, LgmresOptions { inner_m: 1, rtol: 1e-10, ..Default::default() })?;
/// assert!(found.info == 0 && cuprum::allclose(&found.x, &array([1.0, 1.0])?, ())?);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct LgmresOptions<'a> {
    /// The solution is accepted where the norm of its residual is at most this times that of the right side: 1e-5 by
    /// default.
    pub rtol: f64,
    /// Or at most this: 0 by default.
    pub atol: f64,
    /// The most restarts, 1000 by default.
    pub maxiter: usize,
    /// The number of iterations between two restarts, 30 by default.
    pub inner_m: usize,
    /// The number of earlier changes of the solution that each space has in addition, 3 by default.
    pub outer_k: usize,
    /// The first guess, by default zero.
    pub x0: Option<&'a Array>,
    /// The preconditioner: an operator near the inverse of the matrix.
    pub m: Option<&'a dyn LinearOperator>,
}

impl Default for LgmresOptions<'_> {
    fn default() -> Self {
        LgmresOptions { rtol: 1e-5, atol: 0.0, maxiter: 1000, inner_m: 30, outer_k: 3, x0: None, m: None }
    }
}

/// Options of [`gcrotmk`].
///
/// The defaults are SciPy's, and the names but for `steps`, its `m`.
///
/// ```
/// use cuprum::{array, scipy::sparse::{Format, Sparse}};
/// use cuprum::scipy::sparse::linalg::{GcrotmkOptions, gcrotmk};
/// let a = Sparse::from_dense(&array([[4.0, 1.0], [0.0, 3.0]])?, Format::Csr)?;
/// let found = gcrotmk(&a, &array([5.0, 3.0])?, GcrotmkOptions { steps: 1, rtol: 1e-10, ..Default::default() })?;
/// assert!(found.info == 0 && cuprum::allclose(&found.x, &array([1.0, 1.0])?, ())?);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct GcrotmkOptions<'a> {
    /// The solution is accepted where the norm of its residual is at most this times that of the right side: 1e-5 by
    /// default.
    pub rtol: f64,
    /// Or at most this: 0 by default.
    pub atol: f64,
    /// The most restarts, 1000 by default.
    pub maxiter: usize,
    /// The number of iterations between two restarts, 20 by default.
    pub steps: usize,
    /// The number of vectors of earlier restarts to which a space is orthogonal, by default `steps`.
    pub k: Option<usize>,
    /// The first guess, by default zero.
    pub x0: Option<&'a Array>,
    /// The preconditioner: an operator near the inverse of the matrix.
    pub m: Option<&'a dyn LinearOperator>,
}

crate::array::default_options!(LgmresOptions<'a>, GcrotmkOptions<'a>);

impl Default for GcrotmkOptions<'_> {
    fn default() -> Self {
        GcrotmkOptions { rtol: 1e-5, atol: 0.0, maxiter: 1000, steps: 20, k: None, x0: None, m: None }
    }
}

/// Solves a system of equations by GMRES with restarts whose spaces also have the last changes of the solution; SciPy's
/// `lgmres`. The preconditioner is applied from the right. A. H. Baker, E. R. Jessup, T. Manteuffel, "A Technique for
/// Accelerating the Convergence of Restarted GMRES", 2005.
///
/// `info` is 0 where the norm of the true residual is small enough, and otherwise `maxiter`. SciPy's vectors of a call
/// before, `outer_v`, are not taken.
///
/// ```
/// use cuprum::array;
/// use cuprum::scipy::sparse::linalg::{LgmresOptions, lgmres};
/// let a = array([[4.0, 1.0], [-1.0, 3.0]])?;
/// let x = lgmres(&a, &array([5.0, 2.0])?, LgmresOptions { rtol: 1e-12, ..Default::default() })?.x.to_vec::<f64>()?;
/// assert!((x[0] - 1.0).abs() < 1e-10 && (x[1] - 1.0).abs() < 1e-10);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`](crate::ErrorKind::Value) for shapes that do not fit.
///
/// # Synchronization
///
/// Synchronises some times for each restart.
#[unrecorded("takes a linear operator: compared with SciPy's in `gpu/python/tests/test_sparse_krylov.py`")]
#[signature]
pub fn lgmres(a: &dyn LinearOperator, b: &Array, options: LgmresOptions<'_>) -> Result<Solution> {
    let go = || {
        check_system(a, b, options.x0, options.m)?;
        b.device().with(|| {
            let system = System::new(a, b, options.x0, options.m, (options.rtol, options.atol))?;
            system.by_lgmres(&options)
        })
    };
    go().map_err(|e: Error| e.with_op("sparse.linalg.lgmres"))
}

/// Solves a system of equations by the flexible GCROT(m, k) method: GMRES with restarts whose spaces are orthogonal to
/// vectors of earlier restarts, the oldest of which are dropped; SciPy's `gcrotmk`. The preconditioner is applied from
/// the right. J. E. Hicken, D. W. Zingg, "A Simplified and Flexible Variant of GCROT for Solving Nonsymmetric Linear
/// Systems", 2010.
///
/// `info` is 0 where the norm of the true residual is small enough, and otherwise `maxiter`. SciPy's vectors of a call
/// before, `CU`, are not taken.
///
/// ```
/// use cuprum::array;
/// use cuprum::scipy::sparse::linalg::{GcrotmkOptions, gcrotmk};
/// let a = array([[4.0, 1.0], [-1.0, 3.0]])?;
/// let x = gcrotmk(&a, &array([5.0, 2.0])?, GcrotmkOptions { rtol: 1e-12, ..Default::default() })?.x.to_vec::<f64>()?;
/// assert!((x[0] - 1.0).abs() < 1e-10 && (x[1] - 1.0).abs() < 1e-10);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`](crate::ErrorKind::Value) for shapes that do not fit.
///
/// # Synchronization
///
/// Synchronises some times for each restart.
#[unrecorded("takes a linear operator: compared with SciPy's in `gpu/python/tests/test_sparse_krylov.py`")]
#[signature]
pub fn gcrotmk(a: &dyn LinearOperator, b: &Array, options: GcrotmkOptions<'_>) -> Result<Solution> {
    let go = || {
        check_system(a, b, options.x0, options.m)?;
        b.device().with(|| {
            let system = System::new(a, b, options.x0, options.m, (options.rtol, options.atol))?;
            system.by_gcrot(&options)
        })
    };
    go().map_err(|e: Error| e.with_op("sparse.linalg.gcrotmk"))
}

/// A system of equations in the dtype in which it is solved.
struct System<'a> {
    a: &'a dyn LinearOperator,
    m: Option<&'a dyn LinearOperator>,
    b: Array,
    /// The first guess.
    x0: Array,
    dtype: DType,
    /// The norm of the right side.
    size: f64,
    /// The norm of a residual that is small enough.
    bound: f64,
}

impl<'a> System<'a> {
    fn new(
        a: &'a dyn LinearOperator,
        b: &Array,
        x0: Option<&Array>,
        m: Option<&'a dyn LinearOperator>,
        (rtol, atol): (f64, f64),
    ) -> Result<System<'a>> {
        let dtype = solver_dtype(a, b);
        let b = b.to_dtype(dtype)?;
        let x0 = match x0 {
            Some(x0) => x0.cast(dtype, Order::C)?,
            None => make::zeros(b.device(), &[b.size()], dtype)?,
        };
        let size = norm(&b)?.item::<f64>()?;
        Ok(System { a, m, b, x0, dtype, size, bound: atol.max(rtol * size) })
    }

    fn multiplied(&self, v: &Array) -> Result<Array> {
        self.a.matvec(v)?.to_dtype(self.dtype)
    }

    fn preconditioned(&self, v: &Array) -> Result<Array> {
        self.m.map_or_else(|| Ok(v.clone()), |m| m.matvec(v)?.to_dtype(self.dtype))
    }

    fn residual(&self, x: &Array) -> Result<Array> {
        apply("subtract", [(&self.b).into(), (&self.multiplied(x)?).into()])
    }

    /// The result of an iteration: `info` is that of the true residual.
    fn finished(&self, x: Array, maxiter: usize) -> Result<Solution> {
        let is_small = norm(&self.residual(&x)?)?.item::<f64>()? <= self.bound;
        Ok(Solution { x, info: if is_small { 0 } else { maxiter.max(1) as i64 } })
    }

    /// Does the steps of a process from a vector of norm `size`, which is row `steps.first` of the basis; returns the
    /// number of steps done in all.
    fn extend(&self, process: &mut Arnoldi, r: &Array, size: f64, steps: Steps) -> Result<usize> {
        process.basis().index(s![steps.first as i64])?.assign(&scaled(r, 1.0 / size)?)?;
        let is_capturable = self.a.is_capturable() && self.m.is_none_or(|m| m.is_capturable());
        process.run(&|v| self.multiplied(&self.preconditioned(v)?), is_capturable, steps)
    }

    /// The sum of rows multiplied by coefficients.
    fn combined(&self, y: &[Complex64], rows: &Array) -> Result<Array> {
        let device = rows.device();
        let y = if self.dtype.is_complex() {
            make::of(device, y, &[y.len()])?
        } else {
            make::of(device, &y.iter().map(|y| y.re).collect::<Vec<_>>(), &[y.len()])?
        };
        matmul(y.cast(self.dtype, Order::C)?, rows)
    }

    /// The unit of rounding of the dtype.
    fn rounding(&self) -> f64 {
        if matches!(self.dtype, DType::F32 | DType::C64) { f64::from(f32::EPSILON) } else { f64::EPSILON }
    }

    fn no_vectors(&self) -> Result<Array> {
        make::zeros(self.b.device(), &[0, self.b.size()], self.dtype)
    }

    fn by_lgmres(&self, options: &LgmresOptions<'_>) -> Result<Solution> {
        let mut x = self.x0.clone();
        if self.size == 0.0 {
            return Ok(Solution { x: make::zeros(self.b.device(), &[self.b.size()], self.dtype)?, info: 0 });
        }
        let inner = options.inner_m.clamp(1, self.b.size());
        let mut process = Arnoldi::new(self.dtype, self.b.size(), inner + options.outer_k, 0)?;
        // Changes of the solution of norm 1, and their products.
        let (mut changes, mut products) = (self.no_vectors()?, self.no_vectors()?);
        for _ in 0..options.maxiter {
            let r = self.residual(&x)?;
            let size = norm(&r)?.item::<f64>()?;
            if size <= self.bound || !size.is_finite() {
                break;
            }
            // Rounding makes the residual somewhat larger than its estimate.
            let steps = Steps { first: 0, limit: inner, locked: 0, residual: (size, 0.9 * self.bound) };
            let krylov = self.extend(&mut process, &r, size, steps)?;
            let mut total = krylov;
            let kept = products.shape()[0];
            if krylov == inner && kept > 0 {
                process.begin(inner, inner + kept, 0)?;
                (0..kept).try_for_each(|k| process.push(&products.index(s![k as i64])?))?;
                total += kept;
            }
            let columns = process.host_columns(total)?;
            let columns = &columns[..independent(&columns, 0, self.rounding())];
            let y = least_squares(columns, size);
            if y.is_empty() {
                break;
            }
            let (of_krylov, of_changes) = y.split_at(y.len().min(krylov));
            let basis = process.basis();
            let mut dx = self.preconditioned(&self.combined(of_krylov, &first_rows(basis, of_krylov.len())?)?)?;
            if !of_changes.is_empty() {
                let kept = self.combined(of_changes, &first_rows(&changes, of_changes.len())?)?;
                dx = apply("add", [(&dx).into(), (&kept).into()])?;
            }
            let product = self.combined(&multiplied(columns, &y), &first_rows(basis, y.len() + 1)?)?;
            x = apply("add", [(&x).into(), (&dx).into()])?;
            let length = norm(&dx)?.item::<f64>()?;
            if options.outer_k > 0 && length > 0.0 && length.is_finite() {
                changes = appended(&changes, &scaled(&dx, 1.0 / length)?, options.outer_k)?;
                products = appended(&products, &scaled(&product, 1.0 / length)?, options.outer_k)?;
            }
        }
        self.finished(x, options.maxiter)
    }

    fn by_gcrot(&self, options: &GcrotmkOptions<'_>) -> Result<Solution> {
        let mut x = self.x0.clone();
        if self.size == 0.0 {
            return Ok(Solution { x: make::zeros(self.b.device(), &[self.b.size()], self.dtype)?, info: 0 });
        }
        let (k, inner) = (options.k.unwrap_or(options.steps), options.steps.clamp(1, self.b.size()));
        let mut process = Arnoldi::new(self.dtype, self.b.size(), inner + 2 * k, 0)?;
        // Orthonormal vectors, and those whose products with the matrix they are.
        let (mut c, mut u) = (self.no_vectors()?, self.no_vectors()?);
        let mut r = self.residual(&x)?;
        for _ in 0..options.maxiter {
            let mut size = norm(&r)?.item::<f64>()?;
            if size <= self.bound {
                r = self.residual(&x)?;
                size = norm(&r)?.item::<f64>()?;
            }
            if size <= self.bound || !size.is_finite() {
                break;
            }
            let fixed = c.shape()[0];
            if fixed > 0 {
                first_rows(process.basis(), fixed)?.assign(&c)?;
            }
            let limit = fixed + inner + k.saturating_sub(fixed);
            let steps = Steps { first: fixed, limit, locked: 0, residual: (1.0, 0.0) };
            let done = self.extend(&mut process, &r, size, steps)?;
            let columns = process.host_columns(done)?.split_off(fixed.min(done));
            let columns = &columns[..independent(&columns, fixed, self.rounding())];
            let own: Vec<Vec<Complex64>> = columns.iter().map(|column| column[fixed..].to_vec()).collect();
            let y = least_squares(&own, size);
            if y.is_empty() {
                break;
            }
            let rows = |count: usize| process.basis().index(s![fixed as i64..(fixed + count) as i64]);
            let mut along = self.preconditioned(&self.combined(&y, &rows(y.len())?)?)?;
            if fixed > 0 {
                let projected: Vec<Complex64> =
                    (0..fixed).map(|i| columns.iter().zip(&y).map(|(column, y)| column[i] * y).sum()).collect();
                along = apply("subtract", [(&along).into(), (&self.combined(&projected, &u)?).into()])?;
            }
            let product = self.combined(&multiplied(&own, &y), &rows(y.len() + 1)?)?;
            let length = norm(&product)?.item::<f64>()?;
            if length == 0.0 || !length.is_finite() {
                break;
            }
            let (product, along) = (scaled(&product, 1.0 / length)?, scaled(&along, 1.0 / length)?);
            let part = vdot(&product, &r)?;
            let times = |v: &Array| apply("multiply", [(&part).into(), v.into()]);
            r = apply("subtract", [(&r).into(), (&times(&product)?).into()])?;
            x = apply("add", [(&x).into(), (&times(&along)?).into()])?;
            if k > 0 {
                c = appended(&c, &product, k)?;
                u = appended(&u, &along, k)?;
            }
        }
        self.finished(x, options.maxiter)
    }
}

fn scaled(v: &Array, by: f64) -> Result<Array> {
    apply("multiply", [v.into(), by.into()])
}

fn first_rows(rows: &Array, count: usize) -> Result<Array> {
    rows.index(s![..count as i64])
}

/// Rows with another one after them; the first ones are dropped if there are more than `most`.
fn appended(rows: &Array, row: &Array, most: usize) -> Result<Array> {
    let dropped = (rows.shape()[0] + 1).saturating_sub(most);
    concatenate([&rows.index(s![dropped as i64..])?, &row.reshape([1, row.size()])?], ())
}

/// The number of columns up to the one whose product is in the space, of which the rest is rounding. Column j has
/// `first + j + 2` coefficients.
fn independent(columns: &[Vec<Complex64>], first: usize, rounding: f64) -> usize {
    for (j, column) in columns.iter().enumerate() {
        let size = column[..first + j + 2].iter().map(Complex64::norm_sqr).sum::<f64>().sqrt();
        if !size.is_finite() || size == 0.0 {
            return j;
        }
        if column[first + j + 1].norm() <= rounding * size {
            return j + 1;
        }
    }
    columns.len()
}

/// The product of the columns of a Hessenberg matrix with coefficients.
fn multiplied(columns: &[Vec<Complex64>], y: &[Complex64]) -> Vec<Complex64> {
    let element = |i: usize| {
        let columns = columns.iter().zip(y).enumerate().filter(|(j, _)| i <= j + 1);
        columns.map(|(_, (column, y))| column[i] * y).sum()
    };
    (0..=y.len()).map(element).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scipy::sparse::{Format, Sparse};

    /// Restarts after few iterations, of matrices of each dtype, with a preconditioner and a guess.
    #[test]
    fn solutions_have_small_true_residuals() -> Result<()> {
        let n = 60usize;
        let value = |k: usize| match (k / n, k % n) {
            (i, j) if i == j => 3.0 + (i % 4) as f64,
            (i, j) if i + 1 == j || j + 7 == i => -1.5,
            _ => 0.0,
        };
        let dense = Array::from_slice(&(0..n * n).map(value).collect::<Vec<_>>(), [n, n])?;
        let b = Array::from_slice(&(0..n).map(|i| (i as f64).sin()).collect::<Vec<_>>(), [n])?;
        for dtype in [DType::F32, DType::F64, DType::C128] {
            let a = Sparse::from_dense(&dense.astype(dtype)?, Format::Csr)?;
            let b = b.astype(dtype)?;
            let rtol = if dtype == DType::F32 { 1e-5 } else { 1e-10 };
            let near = Sparse::from_dense(&scaled(&crate::eye(n, ())?, 0.2)?.astype(dtype)?, Format::Csr)?;
            let guess = crate::ones([n], dtype)?;
            for m in [None, Some(&near as &dyn LinearOperator)] {
                let x0 = m.map(|_| &guess);
                let options = LgmresOptions { rtol, inner_m: 5, outer_k: 2, x0, m, ..Default::default() };
                let by_lgmres = lgmres(&a, &b, options)?;
                let options = GcrotmkOptions { rtol, steps: 4, k: Some(3), x0, m, ..Default::default() };
                for found in [by_lgmres, gcrotmk(&a, &b, options)?] {
                    let r = apply("subtract", [(&b).into(), (&a.matmul_dense(&found.x)?).into()])?;
                    let bound = rtol * norm(&b)?.item::<f64>()?;
                    assert!(found.info == 0 && norm(&r)?.item::<f64>()? <= bound, "{dtype} {}", m.is_some());
                }
            }
            let short = LgmresOptions { rtol: 1e-12, inner_m: 2, maxiter: 1, ..Default::default() };
            assert_eq!(lgmres(&a, &b, short)?.info, 1);
            let short = GcrotmkOptions { rtol: 1e-12, steps: 2, maxiter: 2, ..Default::default() };
            assert_eq!(gcrotmk(&a, &b, short)?.info, 2);
        }
        let zero = crate::zeros([2], DType::F64)?;
        let a = crate::eye(2, ())?;
        assert_eq!(gcrotmk(&a, &zero, GcrotmkOptions::default())?.x.to_vec::<f64>()?, [0.0, 0.0]);
        assert!(lgmres(&a, &crate::ones([3], ())?, LgmresOptions::default()).is_err());
        Ok(())
    }
}
