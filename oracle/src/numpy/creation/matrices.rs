//! Matrices from a diagonal, a triangle or powers: `eye`, `tri`, `tril`, `triu`, `vander`.

use cuprum_kernels::DType;

use crate::core::array::NdArray;
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::layout::{Order, walk_order};
use crate::core::promote::promote_types;
use crate::core::value::{Value, cast};
use crate::table::{Arguments, CallResult, counterparts};
use crate::ufunc::methods::fold_accumulate;

/// Creates a matrix whose elements are a function of row and column.
fn matrix(rows: usize, columns: usize, dtype: DType, order: Order, of: impl Fn(i128, i128) -> Value) -> NdArray {
    let positions = (0..rows).flat_map(|i| (0..columns).map(move |j| (i as i128, j as i128)));
    let values: Vec<Value> = positions.map(|(i, j)| cast(of(i, j), dtype).0).collect();
    let axes = if order == Order::F { [1, 0] } else { [0, 1] };
    NdArray::from_order(dtype, &[rows, columns], &axes, &values)
}

fn one_or_zero(is: bool) -> Value {
    Value::Int(is.into())
}

/// Reads `N`, `M`, `k`, `dtype` and `order`.
fn parse_options(t: &Arguments) -> CallResult<(usize, usize, i128, DType, Order)> {
    let rows = t.get("N")?;
    let columns: Option<usize> = t.get("M")?;
    let k: isize = t.or("k", 0)?;
    Ok((rows, columns.unwrap_or(rows), k as i128, t.or("dtype", DType::F64)?, t.or("order", Order::C)?))
}

/// Computes `tril` and `triu`: each matrix of the last two axes, with zeros where `keeps` is false for row and column.
/// The result has the layout of a selection by a mask in C order.
fn triangle(m: &NdArray, keeps: impl Fn(i128, i128) -> bool) -> Result<NdArray> {
    let m = match m.shape() {
        [] => return fail(ErrorKind::Type, "an array without axes is no matrix"),
        [n] => m.broadcast_to(&[*n; 2])?,
        _ => m.clone(),
    };
    let (n, shape) = (m.ndim(), m.shape());
    let columns = shape[n - 1];
    let per_matrix = shape[n - 2] * columns;
    let kept = |(at, v): (usize, Value)| {
        let at = at % per_matrix;
        if keeps((at / columns) as i128, (at % columns) as i128) { v } else { Value::zero(m.dtype()) }
    };
    let values: Vec<Value> = m.values().into_iter().enumerate().map(kept).collect();
    let mut mask = vec![0; n];
    (mask[n - 2], mask[n - 1]) = (columns as isize, 1);
    let still = |strides: &[isize]| strides.iter().zip(shape).map(|(s, n)| if *n == 1 { 0 } else { *s }).collect();
    let axes = walk_order(n, &[still(&mask), still(m.strides())]);
    Ok(NdArray::from_order(m.dtype(), shape, &axes, &values))
}

fn on_diagonal(v: &NdArray, k: isize) -> NdArray {
    let (elements, k) = (v.values(), k as i128);
    let n = elements.len() + k.unsigned_abs() as usize;
    let zero = Value::zero(v.dtype());
    matrix(n, n, v.dtype(), Order::C, |i, j| if j - i == k { elements[i.min(j) as usize] } else { zero })
}

fn diag(v: &NdArray, k: isize) -> Result<NdArray> {
    match v.ndim() {
        1 => Ok(on_diagonal(v, k)),
        2 => v.diagonal(k, 0, 1),
        _ => fail(ErrorKind::Value, "a diagonal has one axis, a matrix two"),
    }
}

/// Computes the columns' exponents and powers; each power is the previous one times the number.
fn vander(x: &NdArray, columns: Option<usize>, increasing: bool) -> Result<NdArray> {
    if x.ndim() != 1 {
        return fail(ErrorKind::Value, "the numbers have one axis");
    }
    let dtype = promote_types(x.dtype(), DType::I64);
    let (x, columns) = (x.astype(dtype, Order::C), columns.unwrap_or(x.size()));
    let mut values = vec![];
    for v in x.values() {
        let mut powers = vec![cast(Value::Int(1), dtype).0; columns.min(1)];
        if columns > 1 {
            let each = NdArray::from_values(dtype, &[columns - 1], vec![v; columns - 1])?;
            powers.extend(fold_accumulate("multiply", &each, 0, None, None)?.values());
        }
        if !increasing {
            powers.reverse();
        }
        values.extend(powers);
    }
    NdArray::from_values(dtype, &[x.size(), columns], values)
}

/// Bounds the error of a product of `n` factors, in any order: `n` roundings, three for complex numbers.
fn vander_bounds(t: &Arguments) -> CallResult<Vec<f64>> {
    let result = vander(t.get("x")?, t.get("N")?, t.or("increasing", false)?)?;
    let columns = result.shape()[1] as f64;
    let dtype = result.dtype();
    let rounds = dtype.is_float() || dtype.is_complex();
    let bound = |v: &Value| {
        let size = v.complex().norm();
        let unit = if rounds && size.is_finite() { crate::core::value::ulp(size, dtype) } else { 0.0 };
        unit * columns * if dtype.is_complex() { 3.0 } else { 1.0 }
    };
    Ok(result.values().iter().map(bound).collect())
}

counterparts! {
    "numpy.eye" = |t| {
        let (n, m, k, dtype, order) = parse_options(t)?;
        matrix(n, m, dtype, order, |i, j| one_or_zero(j - i == k))
    };
    "numpy.identity" = |t| {
        let n = t.get("n")?;
        let dtype: Option<DType> = t.get("dtype")?;
        matrix(n, n, dtype.unwrap_or(DType::F64), Order::C, |i, j| one_or_zero(i == j))
    };
    "numpy.tri" = |t| {
        // A negative number of rows or columns counts as 0.
        let rows: isize = t.get("N")?;
        let columns = t.get::<Option<isize>>("M")?.unwrap_or(rows);
        let (n, m) = (rows.max(0) as usize, columns.max(0) as usize);
        let (k, dtype, order) = (t.or::<isize>("k", 0)? as i128, t.or("dtype", DType::F64)?, t.or("order", Order::C)?);
        matrix(n, m, dtype, order, |i, j| one_or_zero(j - i <= k))
    };
    "numpy.tril" = |t| {
        let k: isize = t.or("k", 0)?;
        triangle(t.get("m")?, |i, j| j - i <= k as i128)
    };
    "numpy.triu" = |t| {
        let k: isize = t.or("k", 0)?;
        triangle(t.get("m")?, |i, j| j - i >= k as i128)
    };
    "numpy.diag" = |t| diag(t.get("v")?, t.or("k", 0)?);
    "numpy.diagflat" = |t| {
        let k: isize = t.or("k", 0)?;
        on_diagonal(t.get("v")?, k)
    };
    "numpy.vander" = |t| vander(t.get("x")?, t.get("N")?, t.or("increasing", false)?), bounds |t| Some(vander_bounds(t)?);
}
