//! SciPy's LU and Cholesky factors (`lu`, `cho_factor`), and the matrix exponential.

use cuprum_kernels::DType;
use num_complex::Complex64;

use super::LIMIT;
use super::algorithms::{Lu, cholesky};
use super::linear::of_triangle;
use super::matrix::{Matrix, ONE, Stack, ZERO, epsilon};
use super::residual::{Residual, holds, residual};
use crate::core::array::NdArray;
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::layout::Order;
use crate::core::value::Value;
use crate::numpy::statistics::Bounded;
use crate::table::{Arguments, CallResult, counterparts};

/// Reads the options of `lu`: the lower factor with the permutation applied, the permutation as indices.
fn parse_options(t: &Arguments) -> CallResult<(&NdArray, bool, bool)> {
    Ok((t.get("a")?, t.or("permute_l", false)?, t.or("p_indices", false)?))
}

fn lu(a: &NdArray, permute_l: bool, p_indices: bool) -> Result<Vec<NdArray>> {
    let stack = Stack::of(a)?;
    let (m, n, short) = (stack.rows, stack.columns, stack.rows.min(stack.columns));
    let all: Vec<Lu> = stack.all.iter().map(Lu::of).collect();
    let order: Vec<Vec<usize>> = all.iter().map(Lu::order).collect();
    let lower = |(lu, order): (&Lu, &Vec<usize>)| {
        let l = Matrix::of(m, short, |i, j| match i.cmp(&j) {
            std::cmp::Ordering::Equal => ONE,
            std::cmp::Ordering::Greater => lu.lu.at[i][j],
            std::cmp::Ordering::Less => ZERO,
        });
        let mut back = l.clone();
        for (k, row) in order.iter().enumerate() {
            back.at[*row] = l.at[k].clone();
        }
        if permute_l { back } else { l }
    };
    let l: Vec<Matrix> = all.iter().zip(&order).map(lower).collect();
    let u: Vec<Matrix> =
        all.iter().map(|lu| Matrix::of(short, n, |i, j| if i <= j { lu.lu.at[i][j] } else { ZERO })).collect();
    let mut results = vec![];
    let rows = if short == 0 || stack.all.is_empty() { 0 } else { m };
    if !permute_l && p_indices {
        let rows_of_p = order.iter().flat_map(|order| {
            (0..rows).map(|i| Value::Int(order.iter().position(|row| *row == i).unwrap_or(0) as i128))
        });
        results.push(NdArray::from_values(DType::I32, &[&stack.shape[..], &[rows]].concat(), rows_of_p)?);
    } else if !permute_l {
        let p: Vec<Matrix> =
            order.iter().map(|order| Matrix::of(rows, rows, |i, j| if order[j] == i { ONE } else { ZERO })).collect();
        results.push(stack.matrices(stack.real(), [rows, rows], &p)?);
    }
    results.push(stack.matrices(stack.dtype, [m, short], &l)?);
    results.push(stack.matrices(stack.dtype, [short, n], &u)?);
    Ok(results)
}

fn lu_residuals(t: &Arguments, results: &[NdArray]) -> CallResult<Vec<Residual>> {
    let (a, permute_l, p_indices) = parse_options(t)?;
    let stack = Stack::of(a)?;
    let mut all = vec![];
    let [first @ .., l, u] = results else { return Ok(vec![holds("two factors", false)]) };
    let (l, u) = (Stack::of_any(l), Stack::of_any(u));
    let rows = stack.rows;
    if stack.rows.min(stack.columns) == 0 {
        return Ok(all);
    }
    for (k, a) in stack.all.iter().enumerate() {
        let (lower, upper) = (&l.all[k], &u.all[k]);
        // The rows of the product in their original order.
        let back: Vec<usize> = match first {
            [rows_of_p] if p_indices => {
                rows_of_p.values()[k * rows..(k + 1) * rows].iter().map(|v| v.int() as usize).collect()
            }
            [p] => {
                let p = &Stack::of_any(p).all[k];
                let ones = (0..rows).all(|i| p.at[i].iter().filter(|x| **x == ONE).count() == 1);
                all.push(holds("a permutation", ones && p.size() == (rows as f64).sqrt()));
                (0..rows).map(|i| p.at[i].iter().position(|x| *x == ONE).unwrap_or(0)).collect()
            }
            _ => (0..rows).collect(),
        };
        let in_place = Matrix::of(rows, lower.columns, |i, j| lower.at[back[i].min(rows - 1)][j]);
        let rest = in_place.times(upper).minus(a).size();
        all.push(residual("a - p l u", rest, a.size(), a.rows.max(a.columns), epsilon(stack.dtype)));
        let triangle = |x: &Matrix, below: bool| {
            (0..x.rows).all(|i| (0..x.columns).all(|j| if below { i <= j } else { i >= j } || x.at[i][j] == ZERO))
        };
        let unit = (0..lower.columns).all(|k| lower.at[k][k] == ONE);
        let lower_is_one = permute_l || unit && triangle(&lower.transposed(), true);
        all.push(holds("triangles", lower_is_one && triangle(&upper.transposed(), false)));
        // LAPACK measures complex numbers by the sum of the magnitudes of their parts.
        let small = lower.at.iter().flatten().all(|z: &Complex64| z.norm() <= 2f64.sqrt() + 1e-5);
        all.push(holds("pivots are the largest of their columns", small));
    }
    Ok(all)
}

/// Computes the factor in one triangle, and the contents of the other.
fn cho_factor(a: &NdArray, lower: bool) -> Result<(NdArray, bool)> {
    let stack = Stack::square(a)?;
    let mut all = vec![];
    for a in &stack.all {
        let l = if lower { cholesky(a) } else { cholesky(&a.adjoint()) };
        let Some(l) = l else { return fail(ErrorKind::LinAlg, "the array is not positive definite") };
        let c = if lower { l } else { l.adjoint() };
        all.push(Matrix::of(a.rows, a.rows, |i, j| if i == j || (i > j) == lower { c.at[i][j] } else { a.at[i][j] }));
    }
    Ok((stack.matrices(stack.dtype, [stack.rows, stack.columns], &all)?, lower))
}

fn cho_factor_residuals(t: &Arguments, results: &[NdArray]) -> CallResult<Vec<Residual>> {
    let (stack, lower) = (Stack::square(t.get("a")?)?, t.or("lower", false)?);
    let one = |(a, c): (&Matrix, Matrix)| {
        let c = Matrix::of(c.rows, c.rows, |i, j| if i == j || (i > j) == lower { c.at[i][j] } else { ZERO });
        let l = if lower { c } else { c.adjoint() };
        let whole = of_triangle(a, !lower);
        residual("a - l lᴴ", l.times(&l.adjoint()).minus(&whole).size(), whole.size(), l.rows, epsilon(stack.dtype))
    };
    Ok(stack.all.iter().zip(Stack::of_any(&results[0]).all).map(one).collect())
}

fn scaled(a: &Matrix, by: f64) -> Matrix {
    Matrix::of(a.rows, a.columns, |i, j| a.at[i][j] * by)
}

fn plus(a: &Matrix, b: &Matrix) -> Matrix {
    Matrix::of(a.rows, a.columns, |i, j| a.at[i][j] + b.at[i][j])
}

/// Computes the exponential by its series, after the matrix is halved until it is small.
fn exponential(a: &Matrix) -> Matrix {
    let halvings = if a.is_finite() { a.size().log2().ceil().max(-2.0) as i32 + 3 } else { 0 };
    let small = scaled(a, 0.5f64.powi(halvings));
    let (mut sum, mut term) = (Matrix::identity(a.rows), Matrix::identity(a.rows));
    for k in 1..24 {
        term = scaled(&term.times(&small), 1.0 / f64::from(k));
        sum = plus(&sum, &term);
    }
    (0..halvings).fold(sum, |x, _| x.times(&x))
}

/// Bounds the error of an exponential: the effect of a perturbation of the matrix, which grows like the product of the
/// exponentials of its two parts.
fn exponential_bound(a: &Matrix, x: &Matrix, dtype: DType) -> f64 {
    let share = |k: i32| f64::from(k) / 4.0;
    let sizes = |k: i32| exponential(&scaled(a, share(k))).size() * exponential(&scaled(a, 1.0 - share(k))).size();
    let steepest = (0..3).map(sizes).fold(0.0, f64::max);
    LIMIT * a.rows as f64 * epsilon(dtype) * (a.size() * steepest + x.size())
}

/// Computes SciPy's `linalg.expm`.
fn expm(a: &NdArray) -> Result<Bounded> {
    let a = match a.dtype() {
        DType::F16 | DType::BF16 => a.astype(DType::F32, Order::C),
        _ => a.clone(),
    };
    let stack = Stack::square(&a)?;
    let all: Vec<Matrix> = stack.all.iter().map(exponential).collect();
    let bound = |(a, x): (&Matrix, &Matrix)| vec![exponential_bound(a, x, stack.dtype); a.rows * a.rows];
    let bounds = stack.all.iter().zip(&all).flat_map(bound).collect();
    Ok(Bounded { result: stack.matrices(stack.dtype, [stack.rows, stack.columns], &all)?, bounds })
}

counterparts! {
    "scipy.linalg.lu" = |t| {
        let (a, permute_l, p_indices) = parse_options(t)?;
        lu(a, permute_l, p_indices)
    }, judged lu_residuals;
    "scipy.linalg.cho_factor" = |t| cho_factor(t.get("a")?, t.or("lower", false)?), judged cho_factor_residuals;
    "scipy.linalg.expm" = |t| expm(t.get("A")?);
}
