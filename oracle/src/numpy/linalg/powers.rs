//! Functions based on products, solutions and singular values: `matrix_power`, `cond`, `multi_dot`, `tensorinv`,
//! `tensorsolve`.

use super::algorithms::{Lu, singular};
use super::matrix::{Matrix, Stack, epsilon, real};
use super::residual::LIMIT;
use crate::core::array::NdArray;
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::layout::Order;
use crate::core::value::Value;
use crate::numpy::linalg::matmul::matmul;
use crate::numpy::statistics::Bounded;
use crate::table::{Argument, Arguments, CallResult, counterparts, find};

/// Computes NumPy's `linalg.matrix_power`, and bounds the error of other orders of multiplication, for `n` factors of
/// `k` rows.
fn matrix_power(a: &NdArray, n: isize) -> CallResult<Bounded> {
    if a.ndim() < 2 || a.shape()[a.ndim() - 1] != a.shape()[a.ndim() - 2] {
        return Ok(fail(ErrorKind::LinAlg, "the last two axes must be square")?);
    }
    let rows = a.shape()[a.ndim() - 1];
    let unit = || -> Result<NdArray> {
        let values = (0..a.size()).map(|k| Value::Int(i128::from(k % (rows * rows) / rows.max(1) == k % rows.max(1))));
        NdArray::from_values(a.dtype(), a.shape(), values)
    };
    let mut result = unit()?;
    let base = if n < 0 { one("numpy.linalg.inv", a)? } else { a.copy(Order::C) };
    if n < 0 {
        result = result.astype(base.dtype(), Order::C);
    }
    for _ in 0..n.unsigned_abs() {
        result = matmul(&result, &base)?;
    }
    let work = result.dtype();
    let inexact = work.is_float() || work.is_complex();
    let sizes: Vec<f64> = Stack::of_any(&base).all.iter().map(Matrix::size).collect();
    let condition: Vec<f64> = Stack::of_any(a).all.iter().map(|a| if n < 0 { a.size() } else { 1.0 }).collect();
    let eps = match work {
        cuprum_kernels::DType::F16 => 2f64.powi(-10),
        cuprum_kernels::DType::BF16 => 2f64.powi(-7),
        other => epsilon(other),
    };
    let bound = |(size, condition): (&f64, &f64)| {
        let power = size.powi(n.unsigned_abs() as i32) * if n < 0 { size * condition } else { 1.0 };
        let one = if inexact { 4.0 * LIMIT * rows as f64 * n.unsigned_abs() as f64 * eps * power } else { 0.0 };
        vec![if one.is_nan() { f64::INFINITY } else { one }; rows * rows]
    };
    let bounds = sizes.iter().zip(&condition).flat_map(bound).collect();
    Ok(Bounded { result, bounds })
}

/// Calls another function of one array.
fn one(name: &str, a: &NdArray) -> CallResult<NdArray> {
    let args = Arguments::new(vec![("a".into(), Argument::Array(a.clone()))], crate::Gathering::DEVICE);
    let function = find(name).ok_or_else(|| crate::table::Fault::Misuse(format!("there is no {name}")))?;
    Ok(function.call(&args)?.remove(0))
}

/// Computes NumPy's `linalg.cond`, for the orders 2 and -2.
fn cond(x: &NdArray, p: Option<f64>) -> Result<Bounded> {
    let stack = Stack::of(x)?;
    if stack.rows == 0 || stack.columns == 0 {
        return fail(ErrorKind::LinAlg, "cond is not defined on empty arrays");
    }
    if !stack.all.iter().all(Matrix::is_finite) {
        return fail(ErrorKind::LinAlg, "SVD did not converge");
    }
    let (mut values, mut bounds) = (vec![], vec![]);
    for a in &stack.all {
        let s = singular(a).1;
        let (largest, least) = (s[0], s[s.len() - 1]);
        let off = LIMIT * stack.rows.max(stack.columns) as f64 * epsilon(stack.dtype) * a.size();
        let value = if p == Some(-2.0) { least / largest } else { largest / least };
        values.push(value);
        // A singular value that is practically zero may be any value as small.
        let share = off / least + off / largest;
        bounds.push(if p == Some(-2.0) {
            off / largest * 2.0
        } else if share < 0.1 {
            2.0 * share * value
        } else {
            f64::INFINITY
        });
    }
    Ok(Bounded { result: stack.numbers(stack.real(), &real(&values))?, bounds })
}

/// Computes NumPy's `linalg.multi_dot`: products from the first to the last, and bounds the error of another order.
fn multi_dot(arrays: &[&NdArray]) -> Result<Bounded> {
    let [first, rest @ ..] = arrays else { return fail(ErrorKind::Value, "expecting at least two arrays") };
    let Some(last) = rest.last() else { return fail(ErrorKind::Value, "expecting at least two arrays") };
    let middle = &rest[..rest.len() - 1];
    let is_end = |a: &NdArray| (1..=2).contains(&a.ndim());
    if !is_end(first) || !is_end(last) || middle.iter().any(|a| a.ndim() != 2) {
        return fail(ErrorKind::LinAlg, "the arrays must be two-dimensional");
    }
    let mut product = (*first).clone();
    let sizes = |a: &NdArray| a.values().iter().map(|v| v.complex().norm()).fold(0.0, f64::max);
    let (mut mass, mut terms) = (sizes(first), 1.0);
    for a in rest {
        let inner = product.shape().last().copied().unwrap_or(1) as f64;
        product = matmul(&product, a)?;
        mass *= sizes(a) * inner;
        terms += inner;
    }
    let eps = match product.dtype() {
        cuprum_kernels::DType::F16 => 2f64.powi(-10),
        cuprum_kernels::DType::BF16 => 2f64.powi(-7),
        d if d.is_float() || d.is_complex() => epsilon(d),
        _ => 0.0,
    };
    let bounds = vec![8.0 * terms * eps * mass; product.size()];
    Ok(Bounded { result: product, bounds })
}

/// Computes NumPy's `linalg.tensorinv`.
fn tensorinv(a: &NdArray, ind: isize) -> Result<NdArray> {
    if ind <= 0 {
        return fail(ErrorKind::Value, "Invalid ind argument.");
    }
    let (first, last) = a.shape().split_at((ind as usize).min(a.ndim()));
    let size = |shape: &[usize]| shape.iter().product::<usize>() as isize;
    let square = Stack::square(&a.reshape(&[size(first), size(last)], Order::C)?)?;
    let lu = Lu::of(&square.all[0]);
    if lu.singular.is_some() {
        return fail(ErrorKind::LinAlg, "Singular matrix");
    }
    let inverse =
        square.matrices(square.dtype, [square.rows, square.rows], &[lu.solve(&Matrix::identity(square.rows))])?;
    let shape: Vec<isize> = [last, first].concat().iter().map(|n| *n as isize).collect();
    inverse.reshape(&shape, Order::C)
}

fn tensorinv_residuals(t: &Arguments, results: &[NdArray]) -> CallResult<Vec<super::Residual>> {
    let (a, ind): (&NdArray, isize) = (t.get("a")?, t.or("ind", 2)?);
    let n: isize = a.shape()[..ind as usize].iter().product::<usize>() as isize;
    let (a, x) = (a.reshape(&[n, n], Order::C)?, results[0].reshape(&[n, n], Order::C)?);
    let (stack, x) = (Stack::of(&a)?, Stack::of_any(&x));
    let rest = stack.all[0].times(&x.all[0]).minus(&Matrix::identity(stack.rows)).size();
    let scale = stack.all[0].size() * x.all[0].size();
    Ok(vec![super::residual::residual("a x - 1", rest, scale, stack.rows, epsilon(stack.dtype))])
}

/// Returns the linear system of `linalg.tensorsolve`.
fn system(t: &Arguments) -> CallResult<(NdArray, NdArray, Vec<isize>)> {
    let (a, b): (&NdArray, &NdArray) = (t.get("a")?, t.get("b")?);
    let axes: Option<Vec<isize>> = t.get("axes")?;
    let mut a = a.clone();
    if let Some(axes) = axes {
        let ndim = a.ndim() as isize;
        let moved: Vec<isize> = axes.iter().map(|axis| axis.rem_euclid(ndim.max(1))).collect();
        let stay = (0..ndim).filter(|axis| !moved.contains(axis));
        let order: Vec<isize> = stay.chain(moved.iter().copied()).collect();
        a = a.transpose(Some(&order))?;
    }
    let rest: Vec<isize> = a.shape()[b.ndim().min(a.ndim())..].iter().map(|n| *n as isize).collect();
    let n: isize = rest.iter().product();
    if a.size() as isize != n * n {
        return Ok(fail(ErrorKind::LinAlg, "Input arrays must satisfy the requirement")?);
    }
    if b.size() as isize != n {
        return Ok(fail(ErrorKind::Value, "the right side has another size")?);
    }
    Ok((a.reshape(&[n, n], Order::C)?, b.reshape(&[n, 1], Order::C)?, rest))
}

fn tensorsolve(t: &Arguments) -> CallResult<NdArray> {
    let (a, b, rest) = system(t)?;
    let (a, b, _) = super::linear::systems(&a, &b)?;
    let lu = Lu::of(&a.all[0]);
    if lu.singular.is_some() {
        return Ok(fail(ErrorKind::LinAlg, "Singular matrix")?);
    }
    let x = a.matrices(a.dtype, [b.rows, 1], &[lu.solve(&b.all[0])])?;
    Ok(x.reshape(&rest, Order::C)?)
}

fn tensorsolve_residuals(t: &Arguments, results: &[NdArray]) -> CallResult<Vec<super::Residual>> {
    let (a, b, _) = system(t)?;
    let (a, b, _) = super::linear::systems(&a, &b)?;
    let x = results[0].reshape(&[results[0].size() as isize, 1], Order::C)?;
    Ok(super::linear::remainders(&a, &b, &Stack::of_any(&x).all))
}

counterparts! {
    "numpy.linalg.matrix_power" = |t| Ok(matrix_power(t.get("a")?, t.get("n")?)?);
    "numpy.linalg.cond" = |t| cond(t.get("x")?, t.get("p")?);
    "numpy.linalg.multi_dot" = |t| multi_dot(&t.get::<Vec<&NdArray>>("arrays")?);
    "numpy.linalg.tensorinv" = |t| tensorinv(t.get("a")?, t.or("ind", 2)?), judged tensorinv_residuals;
    "numpy.linalg.tensorsolve" = |t| Ok(tensorsolve(t)?), judged tensorsolve_residuals;
}
