//! Piecewise linear interpolation: NumPy's `interp`.

use cuprum_kernels::DType;
use num_complex::Complex64;

use crate::core::array::{NdArray, Operand};
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::value::{Flag, Value, cast};
use crate::numpy::math::difference::{call, float};
use crate::numpy::searching::sorting_indices;
use crate::table::counterparts;
use crate::ufunc::methods::strong;

/// Options of [`interp`] for values beyond the sample points.
#[derive(Clone, Copy, Debug, Default)]
pub struct InterpOptions {
    /// The value before the first one.
    pub left: Option<Value>,
    /// The value after the last one.
    pub right: Option<Value>,
    /// The period of the coordinates.
    pub period: Option<f64>,
}

/// Computes one part of the value on the line from one sample point to the next, with known slope.
fn on_line(slope: f64, x: f64, from: (f64, f64), to: (f64, f64)) -> f64 {
    let y = slope * (x - from.0) + from.1;
    if !y.is_nan() {
        return y;
    }
    let y = slope * (x - to.0) + to.1;
    if y.is_nan() && from.1 == to.1 { from.1 } else { y }
}

/// Computes NumPy's `interp`, in float64 or complex128.
///
/// # Errors
///
/// `ValueError` for sample points that are not 1-D, are none or differ in number from their values, and for a period of
/// 0; `TypeError` for complex coordinates, and complex ends of real values.
pub fn interp(x: &Operand<'_>, xp: &NdArray, fp: &NdArray, options: &InterpOptions) -> Result<NdArray> {
    let mut x = strong(x)?;
    let complex = fp.dtype().is_complex();
    if x.dtype().is_complex() || xp.dtype().is_complex() {
        return fail(ErrorKind::Type, "x and xp are no complex numbers");
    }
    if xp.ndim() != 1 || fp.ndim() != 1 || xp.size() != fp.size() || xp.size() == 0 {
        return fail(ErrorKind::Value, "knots and values are lines of one length");
    }
    let (mut left, mut right) = (options.left, options.right);
    if !complex && [left, right].iter().flatten().any(|v| matches!(v, Value::Complex(_))) {
        return fail(ErrorKind::Type, "an end is complex, the values are not");
    }
    let mut xs: Vec<f64> = xp.values().into_iter().map(|v| cast(v, DType::F64).0.float()).collect();
    let mut ys: Vec<Complex64> = fp.values().into_iter().map(|v| cast(v, DType::C128).0.complex()).collect();
    if let Some(period) = options.period {
        if period == 0.0 {
            return fail(ErrorKind::Value, "a period of 0");
        }
        (left, right) = (None, None);
        let period = period.abs();
        let modulo = |a: &NdArray| call("remainder", &[a.into(), float(period)]);
        x = modulo(&x.astype(DType::F64, crate::Order::K))?;
        let knots = modulo(&xp.astype(DType::F64, crate::Order::K))?;
        let order = sorting_indices(&knots);
        let all = knots.values();
        let sorted: Vec<f64> = order.iter().map(|i| all[*i].float()).collect();
        let values: Vec<Complex64> = order.iter().map(|i| ys[*i]).collect();
        let n = sorted.len();
        xs = [&[sorted[n - 1] - period], &sorted[..], &[sorted[0] + period]].concat();
        ys = [&values[n - 1..], &values[..], &values[..1]].concat();
    }
    let n = xs.len();
    let [left, right] = [(left, ys[0]), (right, ys[n - 1])].map(|(end, own)| end.map_or(own, Value::complex));
    let value = |x: f64| -> Complex64 {
        if x.is_nan() {
            return if n == 1 { ys[0] } else { Complex64::from(x) };
        }
        if x > xs[n - 1] {
            return right;
        }
        if x < xs[0] {
            return left;
        }
        let j = xs.partition_point(|knot| *knot <= x).max(1) - 1;
        if j == n - 1 || xs[j] == x {
            return ys[j];
        }
        let (from, to, width) = (ys[j], ys[j + 1], xs[j + 1] - xs[j]);
        let slope = |from: f64, to: f64| if complex { (to - from) * (1.0 / width) } else { (to - from) / width };
        let part = |from: f64, to: f64| on_line(slope(from, to), x, (xs[j], from), (xs[j + 1], to));
        Complex64::new(part(from.re, to.re), part(from.im, to.im))
    };
    let values = x.values().into_iter().map(|v| value(cast(v, DType::F64).0.float()));
    let result = if complex {
        NdArray::from_values(DType::C128, x.shape(), values.map(Value::Complex))?
    } else {
        NdArray::from_values(DType::F64, x.shape(), values.map(|z| Value::Float(z.re)))?
    };
    // Between sample points that do not increase there is no line.
    let increasing = xs.windows(2).all(|pair| pair[0] < pair[1]);
    Ok(if increasing { result } else { result.with_flags(vec![Flag::Any; x.size()]) })
}

counterparts! {
    "numpy.interp" = |t| {
        let options = InterpOptions { left: t.get("left")?, right: t.get("right")?, period: t.get("period")? };
        interp(&t.get("x")?, t.get("xp")?, t.get("fp")?, &options)
    };
}
