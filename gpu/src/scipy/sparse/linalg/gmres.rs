//! The generalised minimal residual method.
//!
//! Y. Saad, M. H. Schultz, "GMRES: a generalized minimal residual algorithm for solving nonsymmetric linear systems",
//! 1986.

use cuprum_macros::{signature, unrecorded};
use num_complex::Complex64;

use super::super::CastTo;
use super::krylov::{check_system, norm, solver_dtype};
use super::{Arnoldi, LinearOperator, Solution};
use crate::array::Array;
use crate::engine::arnoldi::Steps;
use crate::engine::make;
use crate::error::Result;
use crate::index::s;
use crate::layout::Order;
use crate::routines::linalg::matmul;
use crate::ufunc::apply;

/// Options of [`gmres`].
///
/// The names and defaults are SciPy's.
///
/// ```
/// use cuprum::{array, scipy::sparse::{Format, Sparse}};
/// use cuprum::scipy::sparse::linalg::{GmresOptions, gmres};
/// let a = Sparse::from_dense(&array([[4.0, 1.0], [0.0, 3.0]])?, Format::Csr)?;
/// let found = gmres(&a, &array([5.0, 3.0])?, GmresOptions { restart: Some(2), rtol: 1e-10, ..Default::default() })?;
/// assert!(found.info == 0 && cuprum::allclose(&found.x, &array([1.0, 1.0])?, ())?);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct GmresOptions<'a> {
    /// The solution is accepted where the norm of its residual is at most this times that of the right side: 1e-5 by
    /// default.
    pub rtol: f64,
    /// Or at most this: 0 by default.
    pub atol: f64,
    /// The number of iterations between two restarts, 20 by default.
    pub restart: Option<usize>,
    /// The most restarts, by default ten times the number of rows.
    pub maxiter: Option<usize>,
    /// The first guess, by default zero.
    pub x0: Option<&'a Array>,
    /// The preconditioner: an operator near the inverse of the matrix.
    pub m: Option<&'a dyn LinearOperator>,
}

crate::array::default_options!(GmresOptions<'a>);

impl Default for GmresOptions<'_> {
    fn default() -> Self {
        GmresOptions { rtol: 1e-5, atol: 0.0, restart: None, maxiter: None, x0: None, m: None }
    }
}

/// Solves a system of equations by the generalised minimal residual method with restarts; SciPy's `gmres`. The
/// preconditioner is applied from the right. Y. Saad, M. H. Schultz, 1986.
///
/// The iterations up to a restart are captured in a graph and repeated on the device until the residual is small; the
/// small least-squares problem is solved on the host. `info` is 0 where the norm of the true residual is small enough,
/// and otherwise `maxiter`.
///
/// ```
/// use cuprum::array;
/// use cuprum::scipy::sparse::linalg::{GmresOptions, gmres};
/// let a = array([[4.0, 1.0], [-1.0, 3.0]])?;
/// let x = gmres(&a, &array([5.0, 2.0])?, GmresOptions { rtol: 1e-12, ..Default::default() })?.x.to_vec::<f64>()?;
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
/// Synchronises three times for each restart.
#[unrecorded("takes a linear operator: compared with SciPy's in `gpu/python/tests/test_sparse_linalg.py`")]
#[signature]
pub fn gmres(a: &dyn LinearOperator, b: &Array, options: GmresOptions<'_>) -> Result<Solution> {
    check_system(a, b, options.x0, options.m)
        .and_then(|()| b.device().with(|| iterate(a, b, &options)))
        .map_err(|e| e.with_op("sparse.linalg.gmres"))
}

fn iterate(a: &dyn LinearOperator, b: &Array, options: &GmresOptions<'_>) -> Result<Solution> {
    let (device, rows) = (b.device(), b.size());
    let dtype = solver_dtype(a, b);
    let b = b.to_dtype(dtype)?;
    let mut x = match options.x0 {
        Some(x0) => x0.cast(dtype, Order::C)?,
        None => make::zeros(device, &[rows], dtype)?,
    };
    let size_b = norm(&b)?.item::<f64>()?;
    if size_b == 0.0 {
        return Ok(Solution { x: make::zeros(device, &[rows], dtype)?, info: 0 });
    }
    let bound = options.atol.max(options.rtol * size_b);
    let most = options.maxiter.unwrap_or(10 * rows);
    let restart = options.restart.unwrap_or(20).clamp(1, rows);
    let is_capturable = a.is_capturable() && options.m.is_none_or(|m| m.is_capturable());
    let preconditioned = |v: &Array| options.m.map_or_else(|| Ok(v.clone()), |m| m.matvec(v)?.to_dtype(dtype));
    let product = |v: &Array| a.matvec(&preconditioned(v)?)?.to_dtype(dtype);
    let mut process = Arnoldi::new(dtype, rows, restart, 0)?;
    let (mut best, mut stalled, mut cycles) = (f64::INFINITY, 0, 0);
    loop {
        let r = apply("subtract", [(&b).into(), (&a.matvec(&x)?.to_dtype(dtype)?).into()])?;
        let size = norm(&r)?.item::<f64>()?;
        if size <= bound {
            return Ok(Solution { x, info: 0 });
        }
        stalled = if size < best * 0.999 { 0 } else { stalled + 1 };
        best = best.min(size);
        if !size.is_finite() || cycles >= most || stalled > 3 {
            return Ok(Solution { x, info: if size.is_finite() { most.max(1) as i64 } else { 1 } });
        }
        cycles += 1;
        process.basis().index(s![0])?.assign(&apply("multiply", [(&r).into(), (1.0 / size).into()])?)?;
        // Rounding makes the residual somewhat larger than its estimate.
        let steps = Steps { first: 0, limit: restart, locked: 0, residual: (size, 0.9 * bound) };
        let done = process.run(&product, is_capturable, steps)?;
        let y = least_squares(&process.host_columns(done)?, size);
        let used = y.len();
        let y = if dtype.is_complex() {
            make::of(device, &y, &[used])?
        } else {
            make::of(device, &y.iter().map(|y| y.re).collect::<Vec<_>>(), &[used])?
        };
        let basis = process.basis().index(s![..used as i64])?;
        let correction = matmul(y.cast(dtype, Order::C)?, &basis)?;
        x = apply("add", [(&x).into(), (&preconditioned(&correction)?).into()])?;
    }
}

/// Minimises the norm of `size e_1 - H y` for the columns of a Hessenberg matrix, by Givens rotations. Columns after
/// one that is zero are left out.
pub(super) fn least_squares(columns: &[Vec<Complex64>], size: f64) -> Vec<Complex64> {
    let mut triangle: Vec<Vec<Complex64>> = vec![];
    let (mut rotations, mut right): (Vec<(f64, Complex64)>, _) = (vec![], vec![Complex64::from(size)]);
    for (j, column) in columns.iter().enumerate() {
        let mut column = column[..j + 2].to_vec();
        for (i, &(c, s)) in rotations.iter().enumerate() {
            let (upper, lower) = (column[i], column[i + 1]);
            column[i] = upper * c + lower * s;
            column[i + 1] = lower * c - upper * s.conj();
        }
        let (upper, lower) = (column[j], column[j + 1].re);
        let length = upper.norm().hypot(lower);
        if length == 0.0 || !length.is_finite() {
            break;
        }
        let phase = if upper.norm() > 0.0 { upper / upper.norm() } else { Complex64::ONE };
        let (c, s) = (upper.norm() / length, phase * lower / length);
        rotations.push((c, s));
        column[j] = phase * length;
        column.truncate(j + 1);
        triangle.push(column);
        let above = right[j];
        right[j] = above * c;
        right.push(-above * s.conj());
    }
    let n = triangle.len();
    let mut y = right[..n].to_vec();
    for j in (0..n).rev() {
        y[j] /= triangle[j][j];
        let last = y[j];
        for (i, element) in triangle[j][..j].iter().enumerate() {
            y[i] -= element * last;
        }
    }
    y
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The minimiser makes the residual orthogonal to all columns.
    #[test]
    fn small_problems_have_orthogonal_residuals() {
        let value = |k: usize| Complex64::new(((k * 7 + 3) % 11) as f64 - 5.0, ((k * 5 + 1) % 7) as f64 - 3.0);
        let columns: Vec<Vec<Complex64>> = (0..5)
            .map(|j| {
                (0..7).map(|i| if i == j + 1 { Complex64::from(2.0 + j as f64) } else { value(9 * j + i) }).collect()
            })
            .collect();
        let y = least_squares(&columns, 3.0);
        let mut residual = [Complex64::ZERO; 6];
        residual[0] = Complex64::from(3.0);
        for (j, y) in y.iter().enumerate() {
            (0..j + 2).for_each(|i| residual[i] -= columns[j][i] * y);
        }
        for (j, column) in columns.iter().enumerate() {
            let product: Complex64 = (0..j + 2).map(|i| column[i].conj() * residual[i]).sum();
            assert!(product.norm() < 1e-12, "{j}: {product}");
        }
        assert!(least_squares(&[vec![Complex64::ZERO; 2]], 1.0).is_empty());
    }
}
