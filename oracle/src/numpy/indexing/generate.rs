//! Index arrays of diagonals and triangles, and conversion of multi-indices to flat indices.

use cuprum_kernels::DType;

use crate::core::array::NdArray;
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::layout::{Order, broadcast_shapes, offsets, packed};
use crate::core::value::Value;
use crate::table::{Argument, Arguments, CallResult, counterparts};

fn line(values: impl IntoIterator<Item = usize>) -> Result<NdArray> {
    let values: Vec<Value> = values.into_iter().map(|i| Value::Int(i as i128)).collect();
    NdArray::from_values(DType::I64, &[values.len()], values)
}

/// Returns the rows and the columns at which a condition holds, row by row.
fn where_in(rows: usize, columns: usize, holds: impl Fn(isize, isize) -> bool) -> Result<Vec<NdArray>> {
    let all = (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j)));
    let (i, j): (Vec<usize>, Vec<usize>) = all.filter(|(i, j)| holds(*i as isize, *j as isize)).unzip();
    Ok(vec![line(i)?, line(j)?])
}

fn diagonal(n: usize, ndim: usize) -> Result<Vec<NdArray>> {
    Ok(vec![line(0..n)?; ndim])
}

fn matrix(a: &NdArray) -> Result<(usize, usize)> {
    match a.shape() {
        [rows, columns] => Ok((*rows, *columns)),
        _ => fail(ErrorKind::Value, "a matrix has two axes"),
    }
}

/// Reads `n`, `m` and `k`. A negative number of rows or columns counts as 0.
fn parse_options(t: &Arguments) -> CallResult<(usize, usize, isize)> {
    let n: isize = t.get("n")?;
    let m = t.get::<Option<isize>>("m")?.unwrap_or(n);
    Ok((n.max(0) as usize, m.max(0) as usize, t.or("k", 0)?))
}

fn crossed(args: &[&NdArray]) -> Result<Vec<NdArray>> {
    let one = |(axis, a): (usize, &&NdArray)| {
        if a.ndim() != 1 {
            return fail(ErrorKind::Value, "indices that cross have one axis");
        }
        let true_at = || line(a.values().iter().enumerate().filter(|(_, v)| v.truth()).map(|(i, _)| i));
        let positions = if a.dtype() == DType::Bool { true_at()? } else { (*a).clone() };
        let mut shape = vec![1; args.len()];
        shape[axis] = positions.size() as isize;
        positions.reshape(&shape, Order::C)
    };
    args.iter().enumerate().map(one).collect()
}

fn check_integers(a: &NdArray) -> Result<()> {
    if a.dtype().is_float() || a.dtype().is_complex() {
        return fail(ErrorKind::Type, "indices are integers");
    }
    Ok(())
}

/// Returns the strides, in elements, of each axis, and the number of elements.
fn steps(dims: &[usize], order: Order) -> Result<(Vec<i128>, i128)> {
    if !matches!(order, Order::C | Order::F) {
        return fail(ErrorKind::Value, "elements are counted in C or in Fortran order");
    }
    let size: i128 = dims.iter().map(|n| *n as i128).product();
    if size > i64::MAX as i128 {
        return fail(ErrorKind::Value, "a shape has more elements than can be counted");
    }
    let behind = |axis: usize| if order == Order::F { &dims[..axis] } else { &dims[axis + 1..] };
    Ok(((0..dims.len()).map(|axis| behind(axis).iter().map(|n| *n as i128).product()).collect(), size))
}

fn ravel(multi_index: &[&NdArray], dims: &[usize], modes: &[&str], order: Order) -> Result<NdArray> {
    if multi_index.len() != dims.len() || ![1, dims.len()].contains(&modes.len()) {
        return fail(ErrorKind::Value, "there is an index and a mode for each axis");
    }
    let (steps, size) = steps(dims, order)?;
    let shape = broadcast_shapes(&multi_index.iter().map(|a| a.shape()).collect::<Vec<_>>())?;
    let mut numbers = vec![0i128; shape.iter().product()];
    let mut broadcast = vec![];
    for (axis, index) in multi_index.iter().enumerate() {
        check_integers(index)?;
        let index = index.broadcast_to(&shape)?;
        let n = dims[axis] as i128;
        for (number, v) in numbers.iter_mut().zip(index.values()) {
            if size == 0 {
                return fail(ErrorKind::Value, "a shape without elements has none to count");
            }
            let i = match modes[axis % modes.len()] {
                "wrap" => v.int().rem_euclid(n),
                "clip" => v.int().clamp(0, n - 1),
                _ if v.int() < 0 || v.int() >= n => return fail(ErrorKind::Value, "an index is out of bounds"),
                _ => v.int(),
            };
            *number += i * steps[axis];
        }
        broadcast.push(index);
    }
    let still = |a: &NdArray| a.strides().iter().zip(&shape).map(|(s, n)| if *n == 1 { 0 } else { *s }).collect();
    let strides: Vec<Vec<isize>> = broadcast.iter().map(still).collect();
    let axes = crate::core::layout::walk_order(shape.len(), &strides);
    let values: Vec<Value> = numbers.into_iter().map(Value::Int).collect();
    Ok(NdArray::from_order(DType::I64, &shape, &axes, &values))
}

/// Returns views, one for each axis, of an array whose last axis is the multi-index.
fn unravel(indices: &NdArray, shape: &[usize], order: Order) -> Result<Vec<NdArray>> {
    check_integers(indices)?;
    let (steps, size) = steps(shape, order)?;
    if shape.is_empty() && indices.ndim() > 0 {
        return fail(ErrorKind::Value, "several numbers do not count the element of an array without axes");
    }
    if indices.values().iter().any(|v| v.int() < 0 || v.int() >= size) {
        return fail(ErrorKind::Value, "a number is out of bounds");
    }
    let n = shape.len();
    let strides = packed(indices.shape(), 8 * n, &indices.order_axes(Order::K));
    let mut data = vec![0; 8 * n * indices.size()];
    for (v, at) in indices.values().iter().zip(offsets(indices.shape(), &strides, 0)) {
        for axis in 0..n {
            let i = (v.int() / steps[axis] % shape[axis] as i128) as i64;
            data[at + 8 * axis..][..8].copy_from_slice(&i.to_le_bytes());
        }
    }
    (0..n)
        .map(|axis| {
            let offset = if data.is_empty() { 0 } else { 8 * axis };
            NdArray::from_bytes(DType::I64, indices.shape(), &strides, offset, data.clone())
        })
        .collect()
}

fn modes(t: &Arguments) -> CallResult<Vec<&str>> {
    t.or("mode", "raise").map(|mode| vec![mode])
}

counterparts! {
    "numpy.diag_indices" = |t| diagonal(t.get::<isize>("n")?.max(0) as usize, t.or("ndim", 2isize)?.max(0) as usize);
    "numpy.diag_indices_from" = |t| {
        let shape = t.get::<&NdArray>("arr")?.shape();
        match shape {
            [n, _, ..] if shape.iter().all(|m| m == n) => diagonal(*n, shape.len()),
            _ => fail(ErrorKind::Value, "there is no diagonal"),
        }
    };
    "numpy.tril_indices" = |t| {
        let (n, m, k) = parse_options(t)?;
        where_in(n, m, |i, j| j - i <= k)
    };
    "numpy.triu_indices" = |t| {
        let (n, m, k) = parse_options(t)?;
        where_in(n, m, |i, j| j - i >= k)
    };
    "numpy.tril_indices_from" = |t| {
        let ((rows, columns), k) = (matrix(t.get("arr")?)?, t.or("k", 0)?);
        where_in(rows, columns, |i, j| j - i <= k)
    };
    "numpy.triu_indices_from" = |t| {
        let ((rows, columns), k) = (matrix(t.get("arr")?)?, t.or("k", 0)?);
        where_in(rows, columns, |i, j| j - i >= k)
    };
    "numpy.ix_" = |t| crossed(&t.get::<Vec<&NdArray>>("args")?);
    "numpy.ravel_multi_index" = |t| {
        let (index, dims) = (t.get::<Vec<&NdArray>>("multi_index")?, t.get::<Vec<usize>>("dims")?);
        match t.get("mode")? {
            Argument::List(all) => {
                let names: Vec<&str> =
                    all.iter().filter_map(|a| if let Argument::Text(name) = a { Some(&name[..]) } else { None }).collect();
                ravel(&index, &dims, &names, t.or("order", Order::C)?)
            }
            _ => ravel(&index, &dims, &modes(t)?, t.or("order", Order::C)?),
        }
    };
    "numpy.unravel_index" = |t| {
        unravel(t.get("indices")?, &t.get::<Vec<usize>>("shape")?, t.or("order", Order::C)?)
    };
}
