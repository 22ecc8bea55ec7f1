//! Statistics based on sums and extrema: `ptp`, `average`, `cov`, `corrcoef`, norms of vectors.
//!
//! NumPy's own steps, each correctly rounded. Each result has an error bound of plain arithmetic: twice the error of
//! one side, because the steps here are rounded too.

use cuprum_kernels::DType;
use num_complex::Complex64;

use super::{StatisticOptions, is_inexact, statistic};
use crate::core::array::{NdArray, Operand};
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::layout::{Order, axis_indices};
use crate::core::promote::promote_types;
use crate::core::value::{Flag, Value, ulp};
use crate::numpy::linalg::matmul::matmul;
use crate::ufunc::elementwise::UfuncOptions;
use crate::ufunc::methods::FoldOptions;
use crate::ufunc::reduce::{Gathering, ReduceOptions, groups, promised_depth, reduce};
use crate::ufunc::ufunc;

/// A result, and an error bound of plain arithmetic for each of its elements, in C order.
#[derive(Clone, Debug)]
pub struct Bounded {
    /// The result.
    pub result: NdArray,
    /// The bounds.
    pub bounds: Vec<f64>,
}

fn call(name: &str, operands: &[&NdArray]) -> Result<NdArray> {
    let operands: Vec<Operand<'_>> = operands.iter().map(|a| Operand::Array(a)).collect();
    ufunc(name, &operands, &UfuncOptions::default())
}

fn with_scalar(name: &str, a: &NdArray, v: f64) -> Result<NdArray> {
    ufunc(name, &[Operand::Array(a), Operand::Scalar(Value::Float(v))], &UfuncOptions::default())
}

/// Returns the unit roundoff of the accumulation dtype.
fn unit(dtype: DType) -> f64 {
    if dtype.real() == DType::F64 { f64::EPSILON / 2.0 } else { f32::EPSILON as f64 / 2.0 }
}

/// Returns the relative error of `steps` roundings.
fn rounding(steps: f64, unit: f64) -> f64 {
    if steps * unit < 0.5 { steps * unit / (1.0 - steps * unit) } else { f64::INFINITY }
}

fn sizes(a: &NdArray) -> Vec<f64> {
    a.values().into_iter().map(|v| v.complex().norm()).collect()
}

/// Computes NumPy's `ptp`: the largest element less the smallest.
///
/// # Errors
///
/// As `max`; `TypeError` for booleans.
pub fn ptp(a: &NdArray, reduction: &ReduceOptions, out: Option<&NdArray>) -> Result<NdArray> {
    // The largest element is stored in `out`, whose dtype the difference has.
    let call_options = FoldOptions { out: out.cloned(), ..FoldOptions::default() };
    let largest = statistic(
        "max",
        a,
        &StatisticOptions { options: reduction.clone(), fold: call_options, ..StatisticOptions::default() },
    )?;
    let options = UfuncOptions { out: out.cloned(), ..UfuncOptions::default() };
    ufunc("subtract", &[Operand::Array(&largest), Operand::Array(&reduce("min", a, reduction)?)], &options)
}

/// Computes NumPy's `average`: the weighted mean, and the sums of the weights.
///
/// # Errors
///
/// `TypeError` and `ValueError` for weights whose shape does not match, `ZeroDivisionError` where they sum to zero;
/// those of `mean`.
pub fn average(a: &NdArray, weights: Option<&NdArray>, reduction: &ReduceOptions) -> Result<[Bounded; 2]> {
    let Some(weights) = weights else {
        let o = StatisticOptions { options: reduction.clone(), ..StatisticOptions::default() };
        let result = statistic("mean", a, &o)?;
        let bounds = super::statistic_bound("mean", a, &o, Gathering::DEVICE)?;
        if result.size() == 0 {
            return fail(ErrorKind::ZeroDivision, "the number of elements is divided by that of results");
        }
        let count = a.size() as f64 / result.size() as f64;
        let zeros = call("multiply", &[&result, &result.astype(result.dtype(), Order::K)])?;
        let counts = zeros.with_elements(&vec![Some((Value::Float(count), Default::default())); result.size()]);
        let exact = vec![0.0; result.size()];
        return Ok([Bounded { result, bounds }, Bounded { result: counts, bounds: exact }]);
    };
    let weights = fitted(a, weights, reduction)?;
    let dtype = promote_types(a.dtype(), weights.dtype());
    let dtype = if is_inexact(a.dtype()) { dtype } else { promote_types(dtype, DType::F64) };
    let in_dtype = ReduceOptions { dtype: Some(dtype), ..reduction.clone() };
    let scale = reduce("sum", &weights, &in_dtype)?;
    if scale.values().iter().any(|v| !v.truth()) {
        return fail(ErrorKind::ZeroDivision, "the weights add up to zero");
    }
    let options = UfuncOptions { dtype: Some(dtype), ..UfuncOptions::default() };
    let weighed = ufunc("multiply", &[Operand::Array(a), Operand::Array(&weights)], &options)?;
    let average = call("true_divide", &[&reduce("sum", &weighed, reduction)?, &scale])?;
    let scale =
        if scale.shape() == average.shape() { scale } else { scale.broadcast_to(average.shape())?.copy(Order::C) };
    // The products are rounded to the dtype, then added, then both sums are rounded and divided.
    let masses = |x: &NdArray| -> Result<Vec<f64>> {
        Ok(groups(x, None, reduction)?.groups.iter().map(|g| g.iter().map(|v| v.complex().norm()).sum()).collect())
    };
    let whole = weights.broadcast_to(a.shape())?;
    let (of_products, of_weights) = (masses(&weighed)?, masses(&whole)?);
    let length = groups(a, None, reduction)?.length;
    let last = ulp(1.0, dtype);
    let g = rounding(promised_depth(length) + 1.0, unit(dtype)) + 2.0 * last;
    let (values, scales) = (sizes(&average), sizes(&scale));
    let bound =
        |i: usize| 2.0 * ((g * of_products[i] + values[i] * g * of_weights[i]) / scales[i] + 4.0 * last * values[i]);
    let bounds = (0..average.size()).map(bound).collect();
    let of_scale = (0..average.size()).map(|i| g * of_weights[i]).collect();
    Ok([Bounded { result: average, bounds }, Bounded { result: scale, bounds: of_scale }])
}

fn fitted(a: &NdArray, weights: &NdArray, options: &ReduceOptions) -> Result<NdArray> {
    if weights.shape() == a.shape() {
        return Ok(weights.clone());
    }
    let Some(axes) = &options.axis else { return fail(ErrorKind::Type, "weights of another shape need an axis") };
    let axes = axis_indices(axes, a.ndim(), "axis")?;
    if weights.ndim() != axes.len() || axes.iter().zip(weights.shape()).any(|(x, n)| a.shape()[*x] != *n) {
        return fail(ErrorKind::Value, format!("weights of shape {:?} do not fit", weights.shape()));
    }
    let mut order: Vec<isize> = (0..axes.len() as isize).collect();
    order.sort_by_key(|k| axes[*k as usize]);
    let shape: Vec<isize> = (0..a.ndim()).map(|x| if axes.contains(&x) { a.shape()[x] as isize } else { 1 }).collect();
    weights.transpose(Some(&order))?.reshape(&shape, Order::C)
}

/// Options of `cov`.
#[derive(Clone, Copy, Debug, Default)]
pub struct CovOptions<'a> {
    /// Additional variables.
    pub y: Option<&'a NdArray>,
    /// Variables are columns.
    pub columns: bool,
    /// Divides by the number of observations.
    pub bias: bool,
    /// The delta degrees of freedom, which overrides `bias`.
    pub ddof: Option<i64>,
    /// The frequency of each observation.
    pub fweights: Option<&'a NdArray>,
    /// The weight of each observation.
    pub aweights: Option<&'a NdArray>,
    /// The dtype of the result.
    pub dtype: Option<DType>,
}

/// Returns the variables as rows.
fn rows(m: &NdArray, columns: bool, dtype: DType) -> Result<NdArray> {
    let m = m.astype(dtype, Order::K);
    match m.ndim() {
        0 => m.reshape(&[1, 1], Order::C),
        1 => m.expand_dims(&[0]),
        2 if columns => m.transpose(None),
        2 => Ok(m),
        n => fail(ErrorKind::Value, format!("{n} axes are more than two")),
    }
}

/// Computes NumPy's `cov`.
///
/// # Errors
///
/// `ValueError` for more than two axes, numbers of observations that differ, and weights that are not a 1-D array of
/// non-negative numbers; `TypeError` for frequencies that are not integers and a dtype that is no float.
pub fn cov(m: &NdArray, o: &CovOptions<'_>) -> Result<Bounded> {
    let dtype = o.dtype.unwrap_or_else(|| {
        let dtype = promote_types(m.dtype(), DType::F64);
        o.y.map_or(dtype, |y| promote_types(dtype, y.dtype()))
    });
    let mut x = rows(m, o.columns, dtype)?;
    if x.shape()[0] == 0 {
        return Ok(Bounded { result: NdArray::from_values(DType::F64, &[0, 0], [])?, bounds: vec![] });
    }
    if !(dtype.is_float() || dtype.is_complex()) {
        return fail(
            ErrorKind::Type,
            format!("differences from a mean are floats, which do not cast to {}", dtype.name()),
        );
    }
    if let Some(y) = o.y {
        let y = rows(y, o.columns && !(y.ndim() == 2 && y.shape()[0] == 1), dtype)?;
        if x.shape()[1] != y.shape()[1] {
            return fail(ErrorKind::Value, "the numbers of observations differ");
        }
        let shape = [x.shape()[0] + y.shape()[0], x.shape()[1]];
        x = NdArray::from_values(dtype, &shape, x.values().into_iter().chain(y.values()))?;
    }
    let n = x.shape()[1];
    let w = weights(o, n)?;
    let [mean, scale] = average(&x, w.as_ref(), &ReduceOptions { axis: Some(vec![1]), ..ReduceOptions::default() })?;
    let ddof = o.ddof.unwrap_or(if o.bias { 0 } else { 1 }) as f64;
    let factor = match &w {
        None => n as f64 - ddof,
        Some(w) => {
            let total = scale.result.values()[0].float();
            let squared =
                |a: &NdArray| w.values().iter().zip(a.values()).map(|(w, a)| w.float() * a.float()).sum::<f64>();
            match o.aweights {
                _ if ddof == 0.0 => total,
                None => total - ddof,
                Some(a) => total - ddof * squared(a) / total,
            }
        }
    };
    let factor = factor.max(0.0);
    let apart = call("subtract", &[&x, &mean.result.expand_dims(&[1])?])?;
    let weighed = w.as_ref().map_or(Ok(apart.clone()), |w| call("multiply", &[&apart, w]))?;
    let other = call("conjugate", &[&weighed.transpose(None)?])?;
    let result = with_scalar("multiply", &matmul(&apart, &other)?, 1.0 / factor)?;
    // Each deviation errs as the mean does and by its own rounding; each product by the deviations and the sum.
    let g = rounding(n as f64 + 8.0, unit(dtype));
    let r = apart.shape()[0];
    let (d, sizes_of_x) = (sizes(&apart), sizes(&x));
    let weight: Vec<f64> = w.map_or(vec![1.0; n], |w| w.values().iter().map(|v| v.float()).collect());
    let most = |i: usize| sizes_of_x[i * n..(i + 1) * n].iter().copied().fold(0.0, f64::max);
    let e: Vec<f64> = (0..r).map(|i| g * most(i)).collect();
    let bound = |at: usize| {
        let (i, j) = (at / r, at % r);
        let terms = (0..n).map(|k| {
            let (p, q) = (d[i * n + k], d[j * n + k]);
            weight[k] * (p * e[j] + q * e[i] + e[i] * e[j] + 2.0 * g * p * q)
        });
        let error = 2.0 * terms.sum::<f64>() / factor;
        // Divided by 0 the quotient is not finite, and rounding decides its kind; so does an overflow.
        let mass: f64 = (0..n).map(|k| weight[k] * d[i * n + k] * d[j * n + k]).sum();
        if error.is_nan() || factor == 0.0 || mass > crate::max_finite(dtype) / 4.0 { f64::INFINITY } else { error }
    };
    let bounds = (0..r * r).map(bound).collect();
    Ok(Bounded { result: result.squeeze(None)?, bounds })
}

fn weights(o: &CovOptions<'_>, n: usize) -> Result<Option<NdArray>> {
    let mut all: Option<NdArray> = None;
    for (w, whole) in [(o.fweights, true), (o.aweights, false)] {
        let Some(w) = w else { continue };
        let w = w.astype(DType::F64, Order::K);
        if whole && w.values().iter().any(|v| v.float().fract() != 0.0) {
            return fail(ErrorKind::Type, "frequencies are whole");
        }
        if w.shape() != [n] || w.values().iter().any(|v| v.float() < 0.0) {
            return fail(ErrorKind::Value, format!("weights of shape {:?} are no {n} numbers from 0 up", w.shape()));
        }
        all = Some(all.map_or(Ok(w.clone()), |first| call("multiply", &[&first, &w]))?);
    }
    Ok(all)
}

/// Computes NumPy's `corrcoef`.
///
/// # Errors
///
/// As [`cov`].
pub fn corrcoef(m: &NdArray, o: &CovOptions<'_>) -> Result<Bounded> {
    let o = CovOptions { y: o.y, columns: o.columns, dtype: o.dtype, ..CovOptions::default() };
    let Bounded { result: c, bounds } = cov(m, &o)?;
    if c.ndim() == 0 {
        // A complex number divided by itself is 1 except for rounding, and an imaginary part that cancels has any sign.
        let own = if c.dtype().is_complex() { 8.0 * ulp(1.0, c.dtype()) } else { 0.0 };
        // A variance that does not exceed its error may be 0, and its quotient anything.
        let open = bounds[0] > 0.0 && bounds[0] >= c.values()[0].complex().norm();
        let result = call("true_divide", &[&c, &c])?;
        let result = if open { result.with_flags(vec![Flag::Any]) } else { result };
        return Ok(Bounded { result, bounds: vec![if bounds[0].is_finite() { own } else { f64::INFINITY }] });
    }
    let r = c.shape()[0];
    let values: Vec<Complex64> = c.values().iter().map(|v| v.complex()).collect();
    let variance: Vec<f64> = (0..r).map(|i| values[i * r + i].re).collect();
    let coefficient = |at: usize| {
        let z = values[at] / variance[at / r].sqrt() / variance[at % r].sqrt();
        Complex64::new(z.re.clamp(-1.0, 1.0), z.im.clamp(-1.0, 1.0))
    };
    let all: Vec<Complex64> = (0..r * r).map(coefficient).collect();
    let value = |z: &Complex64| if c.dtype().is_complex() { Value::Complex(*z) } else { Value::Float(z.re) };
    // A variance that does not exceed its error may be 0, and quotients by its root anything.
    let open = |i: usize| bounds[i * r + i] > 0.0 && bounds[i * r + i] >= variance[i];
    let flags = (0..r * r).map(|at| if open(at / r) || open(at % r) { Flag::Any } else { Flag::Exact }).collect();
    let result = NdArray::from_values(c.dtype(), &[r, r], all.iter().map(value))?.with_flags(flags);
    let bound = |at: usize| {
        let (i, j) = (at / r, at % r);
        let relative = |i: usize| {
            if bounds[i * r + i] < variance[i] / 4.0 { bounds[i * r + i] / variance[i] } else { f64::INFINITY }
        };
        let error =
            bounds[at] / (variance[i] * variance[j]).sqrt() + relative(i) + relative(j) + 8.0 * ulp(1.0, c.dtype());
        if error.is_nan() { f64::INFINITY } else { error }
    };
    Ok(Bounded { result, bounds: (0..r * r).map(bound).collect() })
}

/// Computes a norm of vectors: of order 1, 2 or infinity.
///
/// # Errors
///
/// Those of a sum; `AxisError` for an axis of a 0-d array.
pub fn vector_norm(a: &NdArray, order: f64, options: &ReduceOptions, by: Gathering) -> Result<Bounded> {
    if a.ndim() == 0 && options.axis.is_some() {
        return fail(ErrorKind::Axis, "a 0-d array has no axis to take a norm along");
    }
    let out = if is_inexact(a.dtype()) { a.dtype().real() } else { DType::F64 };
    let wide = a.astype(if a.dtype().is_complex() { DType::C128 } else { DType::F64 }, Order::K);
    let magnitudes = call("absolute", &[&wide])?;
    let (name, terms) = match order {
        1.0 => ("sum", magnitudes),
        // Part by part: a modulus is infinite where a part is, even if the other is NaN.
        2.0 if wide.dtype().is_complex() => {
            ("sum", call("add", &[&call("square", &[&wide.part(false)?])?, &call("square", &[&wide.part(true)?])?])?)
        }
        2.0 => ("sum", call("square", &[&magnitudes])?),
        _ => ("max", magnitudes),
    };
    let gathered = match name {
        // The largest magnitude of no elements is 0.
        "max" => {
            let o = StatisticOptions {
                options: options.clone(),
                fold: FoldOptions { initial: Some(Value::Float(0.0)), ..FoldOptions::default() },
                ..StatisticOptions::default()
            };
            statistic("max", &terms, &o)?
        }
        _ => reduce(name, &terms, options)?,
    };
    let result = if order == 2.0 { call("sqrt", &[&gathered])? } else { gathered.clone() };
    let result = result.astype(out, Order::K);
    let (u, largest, least) = match by.accumulator(out) {
        DType::F16 => (2f64.powi(-11), 65504.0, 2f64.powi(-24)),
        DType::F64 => (f64::EPSILON / 2.0, f64::MAX, f64::MIN_POSITIVE * f64::EPSILON),
        _ => (f32::EPSILON as f64 / 2.0, f32::MAX as f64, f32::from_bits(1) as f64),
    };
    let n = groups(a, None, options)?.length as f64;
    // A modulus errs by 2 units, a square by 3 roundings.
    let g = rounding((by.depth)(n as usize) + 5.0, u);
    let bounds = result.values().into_iter().zip(gathered.values()).map(|(r, s)| {
        let (r, s) = (r.float(), s.float());
        if !r.is_finite() && !s.is_finite() {
            0.0
        } else if s > largest / 2.0 {
            f64::INFINITY
        } else {
            let lost = if order == 2.0 { (n * least).sqrt() } else { 0.0 };
            let unit = if r.is_finite() { ulp(r, out) } else { 0.0 };
            2.0 * g * r.abs().min(f64::MAX) + lost + 2.0 * unit
        }
    });
    let bounds = bounds.collect();
    Ok(Bounded { result, bounds })
}
