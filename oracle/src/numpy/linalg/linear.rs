//! Linear systems, inverses, determinants and the Cholesky factorisation.

use cuprum_kernels::DType;
use num_complex::Complex64;

use super::algorithms::{Lu, cholesky};
use super::matrix::{Matrix, Stack, ZERO, epsilon, norm};
use super::residual::{Residual, holds, residual};
use crate::core::array::NdArray;
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::layout::broadcast_shapes;
use crate::core::promote::promote_types;
use crate::numpy::statistics::Bounded;
use crate::table::{Arguments, CallResult, counterparts};

/// Returns the matrices and the right-hand sides of a call of `solve`, broadcast, and whether the latter are vectors.
pub(super) fn systems(a: &NdArray, b: &NdArray) -> Result<(Stack, Stack, bool)> {
    let own = Stack::square(a)?;
    let vector = b.ndim() == 1;
    let b = if vector { b.expand_dims(&[1])? } else { b.clone() };
    let other = Stack::of(&b)?;
    if own.rows != other.rows {
        return fail(ErrorKind::Value, "solve: the right sides have another number of rows");
    }
    let shape = broadcast_shapes(&[&own.shape, &other.shape])?;
    let dtype = promote_types(own.dtype, other.dtype);
    let full = |x: &NdArray, rows: usize, columns: usize| -> Result<Stack> {
        let x = x.broadcast_to(&[&shape[..], &[rows, columns]].concat())?;
        Ok(Stack { dtype, ..Stack::of_any(&x) })
    };
    Ok((full(a, own.rows, own.columns)?, full(&b, other.rows, other.columns)?, vector))
}

fn without_columns(x: NdArray, vector: bool) -> Result<NdArray> {
    let shape: Vec<isize> = x.shape().iter().map(|n| *n as isize).collect();
    if vector { x.reshape(&shape[..shape.len() - 1], crate::Order::C) } else { Ok(x) }
}

/// Computes NumPy's `linalg.solve`.
fn solve(a: &NdArray, b: &NdArray) -> Result<NdArray> {
    let (a, b, vector) = systems(a, b)?;
    let mut all = vec![];
    for (a, b) in a.all.iter().zip(&b.all) {
        let lu = Lu::of(a);
        if lu.singular.is_some() && b.columns > 0 {
            return fail(ErrorKind::LinAlg, "Singular matrix");
        }
        all.push(lu.solve(b));
    }
    without_columns(a.matrices(a.dtype, [b.rows, b.columns], &all)?, vector)
}

/// Computes the residuals of right-hand sides.
pub(super) fn remainders(a: &Stack, b: &Stack, x: &[Matrix]) -> Vec<Residual> {
    let systems = a.all.iter().zip(&b.all).zip(x).filter(|((a, b), _)| a.is_finite() && b.is_finite());
    let one = |((one, b), x): ((&Matrix, &Matrix), &Matrix)| {
        let rest = b.minus(&one.times(x));
        let column = |j: usize| {
            let scale = one.size() * norm(&x.column(j)) + norm(&b.column(j));
            residual("b - a x", norm(&rest.column(j)), scale, one.rows, epsilon(a.dtype))
        };
        (0..b.columns).map(column).collect::<Vec<_>>()
    };
    systems.flat_map(one).collect()
}

fn solve_residuals(t: &Arguments, results: &[NdArray]) -> CallResult<Vec<Residual>> {
    let (a, b, vector) = systems(t.get("a")?, t.get("b")?)?;
    let x = if vector { results[0].expand_dims(&[-1])? } else { results[0].clone() };
    Ok(remainders(&a, &b, &Stack::of_any(&x).all))
}

/// Computes the inverse of a matrix that is not singular.
pub(super) fn inverse(a: &Matrix) -> Option<Matrix> {
    let lu = Lu::of(a);
    if lu.singular.is_some() { None } else { Some(lu.solve(&Matrix::identity(a.rows))) }
}

/// Computes NumPy's `linalg.inv`.
fn inv(a: &NdArray) -> Result<NdArray> {
    let stack = Stack::square(a)?;
    let mut all = vec![];
    for a in &stack.all {
        let Some(x) = inverse(a) else { return fail(ErrorKind::LinAlg, "Singular matrix") };
        all.push(x);
    }
    stack.matrices(stack.dtype, [stack.rows, stack.columns], &all)
}

fn inv_residuals(t: &Arguments, results: &[NdArray]) -> CallResult<Vec<Residual>> {
    let stack = Stack::square(t.get("a")?)?;
    let pairs = stack.all.iter().zip(Stack::of_any(&results[0]).all);
    let one = |(a, x): (&Matrix, Matrix)| {
        // An inverse from factors has one small residual, left or right: which of them depends on the memory order of
        // the matrix.
        let one = Matrix::identity(a.rows);
        let rest = a.times(&x).minus(&one).size().min(x.times(a).minus(&one).size());
        residual("a x - 1 or x a - 1", rest, a.size() * x.size(), a.rows, epsilon(stack.dtype))
    };
    Ok(pairs.filter(|(a, _)| a.is_finite()).map(one).collect())
}

/// Bounds the error of a determinant: that of a nearby matrix. A change of an element counts by its cofactor, which is
/// no larger than the product of the norms of the other rows.
fn determinant_bound(a: &Matrix, dtype: DType) -> f64 {
    let rows: f64 = a.at.iter().map(norm).product();
    let n = a.rows as f64;
    10.0 * n * n * epsilon(dtype) * rows
}

/// Computes NumPy's `linalg.det`.
fn det(a: &NdArray) -> Result<Bounded> {
    let stack = Stack::square(a)?;
    let values: Vec<Complex64> = stack.all.iter().map(|a| Lu::of(a).determinant()).collect();
    let bounds = stack.all.iter().map(|a| determinant_bound(a, stack.dtype)).collect();
    Ok(Bounded { result: stack.numbers(stack.dtype, &values)?, bounds })
}

/// Computes NumPy's `linalg.slogdet`.
fn slogdet(a: &NdArray) -> Result<(Bounded, Bounded)> {
    let stack = Stack::square(a)?;
    let (mut signs, mut logs, mut sign_bounds, mut log_bounds) = (vec![], vec![], vec![], vec![]);
    for a in &stack.all {
        let (lu, n) = (Lu::of(a), a.rows);
        let zero = lu.singular.is_some();
        let diagonal: Vec<Complex64> = (0..n).map(|k| lu.lu.at[k][k]).collect();
        // A real number has a sign where it is infinite or NaN, too: that of NaN is 1.
        let sign = |z: Complex64| match stack.dtype.is_complex() {
            true => z / z.norm(),
            false => Complex64::new(if z.re < 0.0 { -1.0 } else { 1.0 }, 0.0),
        };
        let unit = Lu { lu: Matrix::of(n, n, |i, j| if i == j && !zero { sign(diagonal[i]) } else { ZERO }), ..lu };
        signs.push(if n == 0 {
            super::matrix::ONE
        } else if zero {
            ZERO
        } else {
            unit.determinant()
        });
        let log: f64 = if zero { f64::NEG_INFINITY } else { diagonal.iter().fold(0.0, |sum, z| sum + z.norm().ln()) };
        logs.push(Complex64::new(log, 0.0));
        // The relative error of the determinant.
        let rows: f64 = a.at.iter().map(|row| norm(row).ln()).sum();
        let share = 10.0 * (n * n) as f64 * epsilon(stack.dtype) * (rows - log).exp();
        let open = share.is_nan() || share > 0.1;
        let complex = stack.dtype.is_complex();
        sign_bounds.push(if zero {
            0.0
        } else if open {
            f64::INFINITY
        } else if complex {
            2.0 * share
        } else {
            0.0
        });
        let size = log.abs() * 2.0 * epsilon(stack.dtype);
        log_bounds.push(if zero {
            0.0
        } else if open {
            f64::INFINITY
        } else {
            2.0 * share + size
        });
    }
    let sign = Bounded { result: stack.numbers(stack.dtype, &signs)?, bounds: sign_bounds };
    Ok((sign, Bounded { result: stack.numbers(stack.real(), &logs)?, bounds: log_bounds }))
}

/// Computes NumPy's `linalg.cholesky`.
fn factor(a: &NdArray, upper: bool) -> Result<NdArray> {
    let stack = Stack::square(a)?;
    let mut all = vec![];
    for a in &stack.all {
        if of_triangle(a, upper).has_nan() {
            let nan = Complex64::new(f64::NAN, 0.0);
            all.push(Matrix::of(a.rows, a.rows, |i, j| if i == j || (i < j) == upper { nan } else { ZERO }));
            continue;
        }
        // The adjoint of the upper triangle is the lower one.
        let lower = if upper { cholesky(&a.adjoint()) } else { cholesky(a) };
        match lower {
            Some(l) => all.push(if upper { l.adjoint() } else { l }),
            None => return fail(ErrorKind::LinAlg, "Matrix is not positive definite"),
        }
    }
    stack.matrices(stack.dtype, [stack.rows, stack.columns], &all)
}

/// Returns the Hermitian matrix of which one triangle is passed.
pub(super) fn of_triangle(a: &Matrix, upper: bool) -> Matrix {
    Matrix::of(a.rows, a.rows, |i, j| match (i == j, (i < j) == upper) {
        (true, _) => Complex64::new(a.at[i][i].re, 0.0),
        (_, true) => a.at[i][j],
        _ => a.at[j][i].conj(),
    })
}

fn factor_residuals(t: &Arguments, results: &[NdArray]) -> CallResult<Vec<Residual>> {
    let (stack, upper) = (Stack::square(t.get("a")?)?, t.or("upper", false)?);
    let one = |(a, l): (&Matrix, Matrix)| {
        let l = if upper { l.adjoint() } else { l };
        let whole = of_triangle(a, upper);
        if whole.has_nan() {
            let nan = (0..l.rows).all(|i| (0..=i).all(|j| l.at[i][j].is_nan()));
            return vec![holds("the triangle of a matrix with NaN is NaN", nan)];
        }
        let zeros = (0..l.rows).all(|i| (i + 1..l.rows).all(|j| l.at[i][j] == ZERO) && l.at[i][i].re > 0.0);
        let rest = l.times(&l.adjoint()).minus(&whole).size();
        vec![
            residual("a - l lᴴ", rest, whole.size(), l.rows, epsilon(stack.dtype)),
            holds("a triangle with a positive diagonal", zeros),
        ]
    };
    Ok(stack.all.iter().zip(Stack::of_any(&results[0]).all).flat_map(one).collect())
}

counterparts! {
    "numpy.linalg.solve" = |t| solve(t.get("a")?, t.get("b")?), judged solve_residuals;
    "numpy.linalg.inv" = |t| inv(t.get("a")?), judged inv_residuals;
    "numpy.linalg.det" = |t| det(t.get("a")?);
    "numpy.linalg.slogdet" = |t| slogdet(t.get("a")?);
    "numpy.linalg.cholesky" = |t| factor(t.get("a")?, t.or("upper", false)?), judged factor_residuals;
}
