//! SciPy's triangular solves, and solves with stored factors.

use cuprum_kernels::DType;
use num_complex::Complex64;

use super::algorithms::Lu;
use super::linear::{remainders, systems};
use super::matrix::{Matrix, ONE, Stack, ZERO, epsilon};
use super::residual::{Residual, holds, residual};
use crate::core::array::NdArray;
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::layout::Order;
use crate::core::value::{Value, max_finite};
use crate::table::{Arguments, CallResult, counterparts};

/// Returns the matrix as it is, transposed, or conjugate-transposed.
fn transposed(a: &Matrix, trans: usize) -> Result<Matrix> {
    match trans {
        0 => Ok(a.clone()),
        1 => Ok(a.transposed()),
        2 => Ok(a.adjoint()),
        _ => fail(ErrorKind::Value, "trans must be 0, 1 or 2"),
    }
}

fn triangle(a: &Matrix, lower: bool, unit: bool) -> Matrix {
    Matrix::of(a.rows, a.columns, |i, j| match i.cmp(&j) {
        std::cmp::Ordering::Equal if unit => ONE,
        std::cmp::Ordering::Equal => a.at[i][i],
        order => {
            if (order == std::cmp::Ordering::Greater) == lower {
                a.at[i][j]
            } else {
                ZERO
            }
        }
    })
}

/// Reads the batches of systems, with `of` applied to the matrices.
fn problem(t: &Arguments, name: &str, of: impl Fn(&Matrix) -> Result<Matrix>) -> CallResult<(Stack, Stack, bool)> {
    let (a, b, vector) = systems(t.get(name)?, t.get("b")?)?;
    let all = a.all.iter().map(of).collect::<Result<Vec<_>>>()?;
    Ok((Stack { all, ..a }, b, vector))
}

fn solved(a: &Stack, b: &Stack, vector: bool) -> Result<NdArray> {
    if b.columns > 0 && a.all.iter().any(|a| Lu::of(a).singular.is_some()) {
        return fail(ErrorKind::LinAlg, "singular matrix");
    }
    divided(a, b, vector)
}

/// Solves the systems; singular matrices give NaN.
fn divided(a: &Stack, b: &Stack, vector: bool) -> Result<NdArray> {
    let all: Vec<Matrix> = a.all.iter().zip(&b.all).map(|(a, b)| Lu::of(a).solve(b)).collect();
    let x = a.matrices(a.dtype, [b.rows, b.columns], &all)?;
    let shape: Vec<isize> = x.shape().iter().map(|n| *n as isize).collect();
    if vector { x.reshape(&shape[..shape.len() - 1], Order::C) } else { Ok(x) }
}

fn rests(of: (Stack, Stack, bool), results: &[NdArray]) -> Result<Vec<Residual>> {
    let (a, b, vector) = of;
    let x = if vector { results[0].expand_dims(&[-1])? } else { results[0].clone() };
    Ok(remainders(&a, &b, &Stack::of_any(&x).all))
}

fn triangular(t: &Arguments) -> CallResult<(Stack, Stack, bool)> {
    let (trans, lower, unit) = (t.or("trans", 0)?, t.or("lower", false)?, t.or("unit_diagonal", false)?);
    problem(t, "a", |a| transposed(&triangle(a, lower, unit), trans))
}

fn triangular_solution(t: &Arguments) -> CallResult<NdArray> {
    let (a, b, vector) = triangular(t)?;
    // The diagonal determines it without rounding.
    if b.columns > 0 && a.all.iter().any(|a| (0..a.rows).any(|k| a.at[k][k] == ZERO)) {
        return Ok(fail(ErrorKind::LinAlg, "singular matrix")?);
    }
    Ok(divided(&a, &b, vector)?)
}

/// Computes residuals; where the solution, or an intermediate product, overflows, nothing is compared.
fn triangular_rests(t: &Arguments, results: &[NdArray]) -> CallResult<Vec<Residual>> {
    let problem = triangular(t)?;
    let (a, b, _) = &problem;
    let within = |(a, b): (&Matrix, &Matrix)| {
        let x = Lu::of(a).solve(b);
        let size = |i: usize, k: usize| (0..a.columns).map(|j| a.at[i][j].norm() * x.at[j][k].norm()).sum::<f64>();
        (0..a.rows).all(|i| (0..x.columns).all(|k| size(i, k) <= max_finite(results[0].dtype())))
    };
    if a.all.iter().zip(&b.all).all(within) { Ok(rests(problem, results)?) } else { Ok(vec![]) }
}

/// Returns the matrix of a Cholesky factor.
fn of_factor(t: &Arguments) -> CallResult<(Stack, Stack, bool)> {
    let lower = t.or("lower", false)?;
    problem(t, "c", |c| {
        let c = triangle(c, lower, false);
        Ok(if lower { c.times(&c.adjoint()) } else { c.adjoint().times(&c) })
    })
}

fn factor_solution(t: &Arguments) -> CallResult<NdArray> {
    let (a, b, vector) = of_factor(t)?;
    Ok(divided(&a, &b, vector)?)
}

/// Computes residuals; a factor with a zero on its diagonal is divided by without a check, so nothing is compared.
fn factor_rests(t: &Arguments, results: &[NdArray]) -> CallResult<Vec<Residual>> {
    let problem = of_factor(t)?;
    let singular = problem.0.all.iter().any(|a| Lu::of(a).singular.is_some());
    if singular { Ok(vec![]) } else { Ok(rests(problem, results)?) }
}

/// Multiplies the two triangles in one array, with the row exchanges undone.
fn product_of(lu: &Matrix, exchanged: &[usize]) -> Matrix {
    let short = lu.rows.min(lu.columns);
    let lower = Matrix::of(lu.rows, short, |i, j| {
        if i == j {
            ONE
        } else if i > j {
            lu.at[i][j]
        } else {
            ZERO
        }
    });
    let upper = Matrix::of(short, lu.columns, |i, j| if i <= j { lu.at[i][j] } else { ZERO });
    let mut product = lower.times(&upper);
    for (k, other) in exchanged.iter().enumerate().rev() {
        product.at.swap(k, *other);
    }
    product
}

/// Computes SciPy's `linalg.lu_factor`.
fn lu_factor(a: &NdArray) -> Result<(NdArray, NdArray)> {
    let stack = Stack::of(a)?;
    let all: Vec<Lu> = stack.all.iter().map(Lu::of).collect();
    let lu: Vec<Matrix> = all.iter().map(|lu| lu.lu.clone()).collect();
    let pivots = all.iter().flat_map(|lu| lu.exchanged.iter().map(|k| Value::Int(*k as i128)));
    let shape = [&stack.shape[..], &[stack.rows.min(stack.columns)]].concat();
    Ok((
        stack.matrices(stack.dtype, [stack.rows, stack.columns], &lu)?,
        NdArray::from_values(DType::I32, &shape, pivots)?,
    ))
}

/// Returns the row exchanges of each matrix of a batch; none where they name rows that do not exist.
fn exchanges(piv: &NdArray, rows: usize) -> Vec<Option<Vec<usize>>> {
    let length = piv.shape().last().copied().unwrap_or(0).max(1);
    let all: Vec<i128> = piv.values().iter().map(|v| v.int()).collect();
    let one = |all: &[i128]| all.iter().map(|k| usize::try_from(*k).ok().filter(|k| *k < rows)).collect();
    all.chunks(length).map(one).collect()
}

fn lu_residuals(t: &Arguments, results: &[NdArray]) -> CallResult<Vec<Residual>> {
    let stack = Stack::of(t.get("a")?)?;
    let (lu, exchanged) = (Stack::of_any(&results[0]), exchanges(&results[1], stack.rows));
    let mut all = vec![];
    for ((a, lu), exchanged) in stack.all.iter().zip(&lu.all).zip(exchanged) {
        let Some(exchanged) = exchanged else {
            all.push(holds("exchanges name rows", false));
            continue;
        };
        let rest = product_of(lu, &exchanged).minus(a).size();
        all.push(residual("a - p l u", rest, a.size(), a.rows.max(a.columns), epsilon(stack.dtype)));
        let small = |z: Complex64| z.norm() <= 2f64.sqrt() + 1e-5;
        let bounded = (0..lu.rows).all(|i| (0..i.min(lu.columns)).all(|j| small(lu.at[i][j])));
        all.push(holds("pivots are the largest of their columns", bounded));
    }
    Ok(all)
}

fn read_factors(t: &Arguments) -> CallResult<(Stack, Stack, bool)> {
    let (lu, piv, trans): (&NdArray, &NdArray, usize) = (t.get("lu")?, t.get("piv")?, t.or("trans", 0)?);
    let rows = Stack::square(lu)?.rows;
    let exchanged = exchanges(piv, rows);
    if piv.shape().last() != Some(&rows) || exchanged.iter().any(Option::is_none) {
        return Ok(fail(ErrorKind::Value, "the exchanges do not fit the factors")?);
    }
    let (a, b, vector) = systems(lu, t.get("b")?)?;
    let one = |(k, lu): (usize, &Matrix)| {
        let own = exchanged[k % exchanged.len().max(1)].clone().unwrap_or_default();
        transposed(&product_of(lu, &own), trans)
    };
    let all = a.all.iter().enumerate().map(one).collect::<Result<Vec<_>>>()?;
    Ok((Stack { all, ..a }, b, vector))
}

fn kept_solution(t: &Arguments) -> CallResult<NdArray> {
    let (a, b, vector) = read_factors(t)?;
    Ok(solved(&a, &b, vector)?)
}

counterparts! {
    "scipy.linalg.solve_triangular" = |t| Ok(triangular_solution(t)?), judged triangular_rests;
    "scipy.linalg.cho_solve" = |t| Ok(factor_solution(t)?), judged factor_rests;
    "scipy.linalg.lu_factor" = |t| lu_factor(t.get("a")?), judged lu_residuals;
    "scipy.linalg.lu_solve" = |t| Ok(kept_solution(t)?), judged |t, r| Ok(rests(read_factors(t)?, r)?);
}
