//! Norms of vectors and matrices of general orders, in float64.

use cuprum_kernels::DType;

use super::algorithms::singular;
use super::matrix::{Matrix, Stack, epsilon, work_dtype};
use crate::core::array::NdArray;
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::layout::Order;
use crate::core::value::Value;
use crate::numpy::statistics::Bounded;
use crate::ufunc::reduce::{ReduceOptions, reduce};

/// The order of a norm, with NumPy's names.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum NormOrder {
    Number(f64),
    Nuclear,
}

fn out_dtype(dtype: DType) -> DType {
    if dtype.is_float() || dtype.is_complex() { dtype.real() } else { DType::F64 }
}

fn unit(dtype: DType) -> f64 {
    match dtype {
        DType::F16 => 2f64.powi(-10),
        DType::BF16 => 2f64.powi(-7),
        other => epsilon(other),
    }
}

/// Computes the norm of the elements of a 1-D slice.
fn of_vector(sizes: &[f64], order: f64) -> f64 {
    match order {
        0.0 => sizes.iter().filter(|x| **x != 0.0).count() as f64,
        f64::NEG_INFINITY => sizes.iter().copied().fold(f64::INFINITY, |a, b| if b.is_nan() || b < a { b } else { a }),
        p => sizes.iter().map(|x| x.powf(p)).sum::<f64>().powf(1.0 / p),
    }
}

fn of_matrix(a: &Matrix, order: NormOrder) -> Result<f64> {
    let sum = |along: Vec<f64>, largest: bool| {
        along.into_iter().reduce(if largest { f64::max } else { f64::min }).unwrap_or(0.0)
    };
    // An empty sum is -0.0 in Rust.
    let rows = || a.at.iter().map(|row| row.iter().map(|z| z.norm()).sum::<f64>() + 0.0).collect::<Vec<f64>>();
    let columns =
        || (0..a.columns).map(|j| a.column(j).iter().map(|z| z.norm()).sum::<f64>() + 0.0).collect::<Vec<f64>>();
    match order {
        NormOrder::Number(1.0) => Ok(sum(columns(), true)),
        NormOrder::Number(-1.0) => Ok(sum(columns(), false)),
        NormOrder::Number(f64::INFINITY) => Ok(sum(rows(), true)),
        NormOrder::Number(f64::NEG_INFINITY) => Ok(sum(rows(), false)),
        NormOrder::Number(2.0) => Ok(singular(a).1.first().copied().unwrap_or(0.0)),
        NormOrder::Number(-2.0) => Ok(singular(a).1.last().copied().unwrap_or(0.0)),
        NormOrder::Nuclear => Ok(singular(a).1.iter().sum()),
        _ => fail(ErrorKind::Value, "Invalid norm order for matrices."),
    }
}

/// Computes norms over one axis or two; the result lacks these axes, or has them with length 1.
pub(crate) fn norm(a: &NdArray, order: NormOrder, axes: &[isize], keepdims: bool) -> Result<Bounded> {
    let ndim = a.ndim() as isize;
    let normal = |axis: &isize| if *axis < 0 { axis + ndim } else { *axis };
    let reduced: Vec<isize> = axes.iter().map(normal).collect();
    if reduced.iter().any(|axis| !(0..ndim).contains(axis)) {
        return fail(ErrorKind::Axis, "axis out of bounds");
    }
    if reduced.len() == 2 && reduced[0] == reduced[1] {
        return fail(ErrorKind::Value, "Duplicate axes given.");
    }
    let last: Vec<isize> = (0..reduced.len() as isize).map(|k| k - reduced.len() as isize).collect();
    let moved = a.moveaxis(&reduced, &last)?;
    let spectral = matches!(order, NormOrder::Nuclear | NormOrder::Number(2.0 | -2.0));
    if reduced.len() == 2 && spectral {
        work_dtype(a.dtype())?;
    }
    let out = out_dtype(a.dtype());
    let stack = Stack::of_any(&if reduced.len() == 1 { moved.expand_dims(&[-2])? } else { moved });
    let (mut values, mut bounds) = (vec![], vec![]);
    for one in &stack.all {
        let value = match (order, reduced.len()) {
            (NormOrder::Number(p), 1) => of_vector(&one.at[0].iter().map(|z| z.norm()).collect::<Vec<_>>(), p),
            _ => of_matrix(one, order)?,
        };
        let n = (one.rows * one.columns + 8) as f64;
        let scale = if reduced.len() == 1 { value } else { one.size() * n.sqrt() };
        bounds.push(if scale.is_finite() { 30.0 * n * unit(out) * scale } else { f64::INFINITY });
        values.push(Value::Float(value));
    }
    let mut result = NdArray::from_values(out, &stack.shape, values)?;
    if keepdims {
        let mut shape: Vec<isize> = a.shape().iter().map(|n| *n as isize).collect();
        reduced.iter().for_each(|axis| shape[*axis as usize] = 1);
        result = result.reshape(&shape, Order::C)?;
    }
    if reduced.len() == 1 {
        // Along one axis the result has the layout of a sum.
        let options = ReduceOptions { axis: Some(reduced), keepdims, dtype: None };
        let axes = reduce("sum", a, &options)?.order_axes(Order::K);
        result = NdArray::from_order(out, result.shape(), &axes, &result.values());
    }
    Ok(Bounded { result, bounds })
}
