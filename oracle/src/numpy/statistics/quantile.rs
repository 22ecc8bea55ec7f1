//! Medians and quantiles, by NumPy's formulas.

use cuprum_kernels::{DType, Kind};

use crate::core::array::{NdArray, Operand};
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::layout::{Order, axis_index, axis_indices, c_order};
use crate::core::promote::{Casting, can_cast};
use crate::core::value::{Flag, Value, round};
use crate::numpy::sorting::{lines, sorting_positions};
use crate::table::{Argument, Arguments, Fault, Read, counterparts};
use crate::ufunc::elementwise::UfuncOptions;
use crate::ufunc::reduce::one;
use crate::ufunc::ufunc;

/// Options of a median or a quantile.
#[derive(Clone, Debug, Default)]
pub struct QuantileOptions {
    /// The axes: `None` for all of them.
    pub axis: Option<Vec<isize>>,
    /// Keeps reduced axes with length 1.
    pub keepdims: bool,
    /// NumPy's name of the method; `linear`, where it is empty.
    pub method: String,
    /// The weight of each element.
    pub weights: Option<NdArray>,
    /// Ignores NaN.
    pub without_nan: bool,
}

/// The requested quantiles.
#[derive(Clone, Debug)]
pub struct Quantiles {
    /// The numbers.
    pub values: Vec<f64>,
    /// Their shape.
    pub shape: Vec<usize>,
    /// Their dtype.
    pub dtype: DType,
    /// True for a single Python scalar.
    pub weak: bool,
}

impl Quantiles {
    /// Converts percentages to fractions, divided in their dtype.
    pub fn of_percents(&self) -> Quantiles {
        let dtype = if self.dtype.is_float() { self.dtype } else { DType::F64 };
        let values = self.values.iter().map(|q| round(q / 100.0, dtype)).collect();
        Quantiles { values, dtype, ..self.clone() }
    }
}

/// An operand with the reduced axes merged into one axis `axis`.
struct Seated {
    array: NdArray,
    axis: usize,
    /// The axes of the operand that are reduced.
    gone: Vec<usize>,
}

fn seated(a: &NdArray, axes: &Option<Vec<isize>>) -> Result<Seated> {
    let Some(axes) = axes else {
        return Ok(Seated { array: a.reshape(&[-1], Order::C)?, axis: 0, gone: (0..a.ndim()).collect() });
    };
    let mut gone = axis_indices(axes, a.ndim(), "axis")?;
    gone.sort();
    if let [axis] = gone[..] {
        return Ok(Seated { array: a.clone(), axis, gone });
    }
    let stay: Vec<usize> = (0..a.ndim()).filter(|i| !gone.contains(i)).collect();
    let order: Vec<isize> = stay.iter().chain(&gone).map(|i| *i as isize).collect();
    if stay.iter().any(|i| a.shape()[*i] == 0) {
        return fail(ErrorKind::Value, "the length of no lines is not known");
    }
    let length: usize = gone.iter().map(|i| a.shape()[*i]).product();
    let shape: Vec<isize> = stay.iter().map(|i| a.shape()[*i] as isize).chain([length as isize]).collect();
    let array = a.transpose(Some(&order))?.reshape(&shape, Order::C)?;
    Ok(Seated { axis: stay.len(), array, gone })
}

impl Seated {
    /// Returns the 1-D slices, each sorted.
    fn sorted(&self) -> Result<Vec<Vec<Value>>> {
        let sort = |line: Vec<Value>| sorting_positions(&line).iter().map(|i| line[*i]).collect();
        Ok(lines(&self.array, self.axis)?.into_iter().map(sort).collect())
    }

    fn kept_axes(&self) -> Vec<usize> {
        let mut shape = self.array.shape().to_vec();
        shape.remove(self.axis);
        shape
    }

    /// Returns the shape of the operand's axes in the result.
    fn named(&self, ndim: usize, keepdims: bool) -> Vec<usize> {
        if !keepdims {
            return self.kept_axes();
        }
        let mut kept = self.kept_axes().into_iter();
        (0..ndim).map(|i| if self.gone.contains(&i) { 1 } else { kept.next().unwrap_or(1) }).collect()
    }
}

/// Returns the elements of a sorted slice that are not NaN.
fn numbers(line: &[Value]) -> &[Value] {
    &line[..line.iter().position(|v| v.is_nan()).unwrap_or(line.len())]
}

/// Returns the flag of an element: the order of equal zeros is undefined, and so is their sign.
fn flag(v: &Value) -> Flag {
    if matches!(v, Value::Float(x) if *x == 0.0) { Flag::AnySign } else { Flag::Exact }
}

fn mean_of_nothing(a: &NdArray, options: &QuantileOptions) -> Result<NdArray> {
    let call_options = crate::ReduceOptions { axis: options.axis.clone(), keepdims: options.keepdims, dtype: None };
    crate::reduce("mean", a, &call_options)
}

/// Computes the mean of the one or the two elements in the middle: their sum, which may overflow and begins at 0, so
/// that it is never a negative zero, and half of it.
fn middle_mean(middle: &[Value], dtype: DType) -> (Value, Flag) {
    let sum = one("sum", middle, if dtype == DType::F16 { DType::F32 } else { dtype }, dtype).0;
    let n = middle.len() as f64;
    let half = |x: f64| round((x + 0.0) / n, dtype);
    let value = match sum {
        // A complex quotient, in which an infinity in one part makes the other NaN.
        Value::Complex(z) => {
            Value::Complex(num_complex::Complex64::new(half(z.re + 0.0 * z.im), half(z.im - 0.0 * z.re)))
        }
        v => Value::Float(half(v.float())),
    };
    (value, one("mean", middle, dtype, dtype).1)
}

/// Computes the median.
///
/// # Errors
///
/// `AxisError`; `ValueError` for a repeated axis.
pub fn median(a: &NdArray, options: &QuantileOptions) -> Result<NdArray> {
    if options.without_nan && a.size() == 0 {
        return mean_of_nothing(a, options);
    }
    let seated = seated(a, &options.axis)?;
    let inexact = matches!(a.dtype().kind(), Kind::Float | Kind::Complex);
    let out = if inexact { a.dtype() } else { DType::F64 };
    let mut results = vec![];
    for line in seated.sorted()? {
        let whole = line.as_slice();
        let line = if options.without_nan { numbers(whole) } else { whole };
        let n = line.len();
        results.push(match (line.last(), whole.last()) {
            // For slices of NaN only, and empty ones. The NaN of long slices is complex and that of short ones real, in
            // NumPy.
            (None, Some(nan)) => (*nan, if a.dtype().is_complex() { Flag::AnySign } else { Flag::Exact }),
            (None, None) => one("mean", &[], out, out),
            // Of complex NaNs whose other parts are zeros either may be the last.
            (Some(nan), _) if nan.is_nan() => (*nan, Flag::AnySign),
            _ => {
                let middle = if n % 2 == 1 { &line[n / 2..=n / 2] } else { &line[n / 2 - 1..=n / 2] };
                let (mean, flag) = middle_mean(middle, out);
                // NumPy divides complex numbers here; for an infinite one neither part is determined.
                let open = matches!(mean, Value::Complex(z) if !(z.re.is_finite() && z.im.is_finite()));
                (mean, if open { Flag::Any } else { flag })
            }
        });
    }
    let shape = seated.kept_axes();
    // In memory the axes have the order of a copy of the operand; for short slices whose NaNs are masked, the order of
    // an elementwise result; long ones are processed one by one.
    let mut strides = match (options.without_nan, seated.array.shape()[seated.axis]) {
        (false, _) => seated.array.copy(Order::K).strides().to_vec(),
        (true, 0..600) => seated.array.strides().to_vec(),
        (true, _) => seated.array.astype(DType::Bool, Order::C).strides().to_vec(),
    };
    strides.iter_mut().zip(seated.array.shape()).filter(|(_, n)| **n == 1).for_each(|(s, _)| *s = 0);
    // The reduced axis takes part in the order of the others.
    let walk = crate::core::layout::walk_order(strides.len(), &[strides]);
    let axes: Vec<usize> =
        walk.into_iter().filter(|x| *x != seated.axis).map(|x| if x > seated.axis { x - 1 } else { x }).collect();
    let (values, flags): (Vec<_>, Vec<_>) = results.into_iter().unzip();
    let result = NdArray::from_order(out, &shape, &axes, &values);
    let kept = if options.keepdims {
        result.expand_dims(&seated.gone.iter().map(|i| *i as isize).collect::<Vec<_>>())?
    } else {
        result
    };
    Ok(kept.with_flags(flags))
}

/// Returns the position of a quantile in a sorted slice: the ranks of its neighbours, and its distance from the lower
/// one.
fn between(method: &str, n: usize, q: f64, dtype: DType) -> Result<(usize, usize, f64)> {
    let r = |x: f64| round(x, dtype);
    let (count, last) = (r(n as f64), n as f64 - 1.0);
    let step = r(r(last) * q);
    // Hyndman and Fan's position, with plotting parameters alpha and beta.
    let position = |alpha: f64, beta: f64| r(r(r(count * q) + r(r(alpha) + r(q * r(1.0 - alpha - beta)))) - 1.0);
    let whole = |x: f64| {
        let rank = x.max(0.0).min(last) as usize;
        Ok((rank, rank, 0.0))
    };
    let at = match method {
        "lower" => return whole(step.floor()),
        "higher" => return whole(step.ceil()),
        "nearest" => return whole(step.round_ties_even()),
        "inverted_cdf" => {
            let at = r(r(count * q) - 1.0);
            return whole(if r(at - at.floor()) == 0.0 { at.floor() } else { r(at.floor() + 1.0) });
        }
        "closest_observation" => {
            let at = r(r(r(count * q) - 1.0) - 0.5);
            let stays = r(at - at.floor()) == 0.0 && at.floor().rem_euclid(2.0) == 1.0;
            return whole(if stays { at.floor() } else { r(at.floor() + 1.0) });
        }
        "averaged_inverted_cdf" => r(r(count * q) - 1.0),
        "interpolated_inverted_cdf" => position(0.0, 1.0),
        "hazen" => position(0.5, 0.5),
        "weibull" => position(0.0, 0.0),
        "" | "linear" => step,
        "median_unbiased" => position(1.0 / 3.0, 1.0 / 3.0),
        "normal_unbiased" => position(0.375, 0.375),
        "midpoint" => r(0.5 * r(step.floor() + step.ceil())),
        other => return fail(ErrorKind::Value, format!("{other:?} is no method")),
    };
    // At and beyond the upper end NumPy's lower neighbour is the position -1, which is the last element.
    let (lower, from) = if at >= last {
        (n - 1, -1.0)
    } else if at < 0.0 {
        (0, 0.0)
    } else {
        (at.floor() as usize, at.floor())
    };
    let upper = if at >= last || at < 0.0 { lower } else { lower + 1 };
    let part = r(at - from);
    let weight = match method {
        "averaged_inverted_cdf" if part == 0.0 => 0.5,
        "averaged_inverted_cdf" => 1.0,
        "midpoint" if at % 1.0 == 0.0 => 0.0,
        "midpoint" => 0.5,
        _ => part,
    };
    Ok((lower, upper, weight))
}

fn is_discrete(method: &str, q: &Quantiles) -> bool {
    matches!(method, "inverted_cdf" | "closest_observation" | "lower" | "higher" | "nearest")
        || (matches!(method, "" | "linear") && q.dtype.is_integer())
}

/// Computes quantiles: their axes first, then those of the operand that remain.
///
/// # Errors
///
/// `TypeError` for complex numbers, and for interpolation of booleans; `ValueError` for a quantile that is not between
/// 0 and 1, for an unknown method, for weights that do not fit; `IndexError` where there are no elements; `AxisError`.
pub fn quantile(a: &NdArray, q: &Quantiles, options: &QuantileOptions) -> Result<NdArray> {
    if a.dtype().is_complex() {
        return fail(ErrorKind::Type, "complex numbers have no quantiles");
    }
    if !q.values.iter().all(|q| (0.0..=1.0).contains(q)) {
        return fail(ErrorKind::Value, "quantiles are between 0 and 1");
    }
    if options.weights.is_some() && options.method != "inverted_cdf" {
        return fail(ErrorKind::Value, "weights go with inverted_cdf alone");
    }
    let weights = options.weights.as_ref().map(|w| checked(a, w, options)).transpose()?;
    if options.without_nan && a.size() == 0 {
        return mean_of_nothing(a, options);
    }
    let seat = seated(a, &options.axis)?;
    let names = seat.named(a.ndim(), options.keepdims);
    let shape: Vec<usize> = q.shape.iter().chain(&names).copied().collect();
    let length = seat.array.shape()[seat.axis];
    if let Some(weights) = &weights {
        return weighted(a, q, weights, &seat, &shape, options);
    }
    between(&options.method, length.max(1), 0.0, q.dtype)?;
    // NumPy reads the last element, where that may be NaN, even if no quantile is requested.
    if length == 0 && (!q.values.is_empty() || a.dtype().is_float()) {
        return fail(ErrorKind::Index, "there are no elements");
    }
    let sorted = if q.values.is_empty() { vec![] } else { seat.sorted()? };
    let (mut lower, mut upper, mut weights) = (vec![], vec![], vec![]);
    for &q_ in &q.values {
        for line in &sorted {
            let n = if options.without_nan { numbers(line).len().max(1) } else { line.len() };
            let (low, high, weight) = between(&options.method, n, q_, q.dtype)?;
            lower.push(line[low]);
            upper.push(line[high]);
            weights.push(weight);
        }
    }
    let flat = [q.values.len(), sorted.len()];
    let of = |values: Vec<Value>| NdArray::from_values(a.dtype(), &flat, values);
    let (lower, upper) = (of(lower)?, of(upper)?);
    let result = if is_discrete(&options.method, q) {
        lower
    } else {
        interpolated(&lower, &upper, &weights, q, &options.method)?
    };
    let lasts: Vec<Value> = sorted.iter().filter_map(|line| line.last().copied()).collect();
    let values: Vec<Value> = result
        .values()
        .into_iter()
        .enumerate()
        .map(|(i, v)| match lasts[i % lasts.len()] {
            last if last.is_nan() && !options.without_nan => last,
            _ => v,
        })
        .collect();
    // In results that are computed slice by slice the quantiles are innermost in memory.
    let (inner, ndim) = (q.shape.len(), shape.len());
    let axes: Vec<usize> = if options.without_nan { (inner..ndim).chain(0..inner).collect() } else { c_order(ndim) };
    let flags = values.iter().map(flag).collect();
    Ok(NdArray::from_order(result.dtype(), &shape, &axes, &values).with_flags(flags))
}

/// Interpolates as NumPy does, each operation in its own dtype.
fn interpolated(lower: &NdArray, upper: &NdArray, weights: &[f64], q: &Quantiles, method: &str) -> Result<NdArray> {
    fn apply(name: &str, x: Operand<'_>, y: Operand<'_>) -> Result<NdArray> {
        ufunc(name, &[x, y], &UfuncOptions::default())
    }
    let distance = apply("subtract", upper.into(), lower.into())?;
    let shape = lower.shape();
    // Positions of integers are integers, and so are the steps between equal neighbours.
    let has_integers = matches!(method, "averaged_inverted_cdf" | "interpolated_inverted_cdf" | "weibull");
    if !q.weak && q.dtype.is_integer() && has_integers {
        let none = NdArray::from_values(q.dtype, shape, (0..lower.size()).map(|_| Value::Int(0)))?;
        let step = apply("multiply", (&distance).into(), (&none).into())?;
        return apply("add", lower.into(), (&step).into());
    }
    let array = |values: Vec<f64>, dtype| NdArray::from_values(dtype, shape, values.into_iter().map(Value::Float));
    // A scalar takes the dtype of the floats; with integers the result is float64.
    let dtype = match (q.weak, lower.dtype().is_float()) {
        (false, _) if q.dtype.is_float() => q.dtype,
        (false, _) => DType::F64,
        (true, true) => lower.dtype(),
        (true, false) => DType::F64,
    };
    let rest = |t: &f64| if q.weak { 1.0 - t } else { round(1.0 - t, dtype) };
    let (part, rest) = (array(weights.to_vec(), dtype)?, array(weights.iter().map(rest).collect(), dtype)?);
    let up = apply("multiply", (&distance).into(), (&part).into())?;
    let down = apply("multiply", (&distance).into(), (&rest).into())?;
    let (low, high) = (apply("add", lower.into(), (&up).into())?, apply("subtract", upper.into(), (&down).into())?);
    let chosen = low.values().into_iter().zip(high.values()).zip(weights);
    let chosen = chosen.map(|((low, high), t)| if *t >= 0.5 { high } else { low });
    NdArray::from_values(low.dtype(), shape, chosen)
}

/// Checks weights of the shape of the operand.
fn checked(a: &NdArray, weights: &NdArray, options: &QuantileOptions) -> Result<NdArray> {
    let weights = broadcast(a, weights, options)?;
    if weights.values().iter().any(|w| w.float() < 0.0) {
        return fail(ErrorKind::Value, "weights are not negative");
    }
    Ok(weights)
}

/// Broadcasts the weights to the array.
fn broadcast(a: &NdArray, weights: &NdArray, options: &QuantileOptions) -> Result<NdArray> {
    if weights.shape() == a.shape() {
        return Ok(weights.clone());
    }
    let Some(axes) = &options.axis else { return fail(ErrorKind::Type, "weights of another shape need an axis") };
    let axes: Vec<usize> = axes.iter().map(|x| axis_index(*x, a.ndim())).collect::<Result<_>>()?;
    if weights.ndim() != axes.len() || axes.iter().zip(weights.shape()).any(|(x, n)| a.shape()[*x] != *n) {
        return fail(ErrorKind::Value, "the weights have another shape than the axes");
    }
    let mut order: Vec<usize> = (0..axes.len()).collect();
    order.sort_by_key(|i| axes[*i]);
    let order: Vec<isize> = order.into_iter().map(|i| i as isize).collect();
    let shape: Vec<isize> = (0..a.ndim()).map(|i| if axes.contains(&i) { a.shape()[i] as isize } else { 1 }).collect();
    weights.transpose(Some(&order))?.reshape(&shape, Order::C)?.broadcast_to(a.shape())
}

fn weighted(
    a: &NdArray,
    q: &Quantiles,
    weights: &NdArray,
    seat: &Seated,
    shape: &[usize],
    options: &QuantileOptions,
) -> Result<NdArray> {
    let weights = seated(weights, &options.axis)?;
    let dtype = if q.dtype.is_float() { q.dtype } else { DType::F64 };
    let mut rows = vec![];
    for (line, weights) in lines(&seat.array, seat.axis)?.into_iter().zip(lines(&weights.array, weights.axis)?) {
        let counts = |i: &usize| !(options.without_nan && line[*i].is_nan());
        let order: Vec<usize> = sorting_positions(&line).into_iter().filter(counts).collect();
        if line.is_empty() {
            return fail(ErrorKind::Index, "there are no elements");
        }
        let Some(&last) = order.last() else {
            rows.push(vec![line[0]; q.values.len()]);
            continue;
        };
        let mut sum = 0.0;
        let sums: Vec<f64> = order
            .iter()
            .map(|i| {
                sum += weights[*i].float();
                sum
            })
            .collect();
        if sum == 0.0 || !sum.is_finite() {
            return fail(ErrorKind::Value, "the weights are all 0, or not finite");
        }
        let shares: Vec<f64> =
            sums.iter().map(|s| round(s / sum, dtype)).map(|s| if s == 0.0 { -1.0 } else { s }).collect();
        let of = |q: &f64| {
            let at = shares.iter().filter(|s| **s < *q).count().min(order.len() - 1);
            if line[last].is_nan() { line[last] } else { line[order[at]] }
        };
        rows.push(q.values.iter().map(of).collect());
    }
    let values: Vec<Value> = (0..q.values.len()).flat_map(|k| rows.iter().map(move |row| row[k])).collect();
    let flags = values.iter().map(flag).collect();
    Ok(NdArray::from_values(a.dtype(), shape, values)?.with_flags(flags))
}

type Parsed<T> = std::result::Result<T, Fault>;

/// Reads a scalar, a list, or an array of quantiles.
fn read_quantiles(q: Argument) -> Parsed<Quantiles> {
    Ok(match q {
        Argument::Scalar(Value::Int(q)) => {
            Quantiles { values: vec![q as f64], shape: vec![], dtype: DType::I64, weak: true }
        }
        Argument::Scalar(Value::Float(q)) => {
            Quantiles { values: vec![q], shape: vec![], dtype: DType::F64, weak: true }
        }
        Argument::Array(q) => {
            let dtype = if q.dtype() == DType::Bool { DType::I64 } else { q.dtype() };
            let values = q.values().into_iter().map(Value::float).collect();
            Quantiles { values, shape: q.shape().to_vec(), dtype, weak: false }
        }
        other => match Vec::<f64>::read(&other) {
            Some(values) => Quantiles { shape: vec![values.len()], values, dtype: DType::F64, weak: false },
            None => return Err(Fault::Misuse(format!("{other:?} are no quantiles"))),
        },
    })
}

fn parse_options(t: &Arguments, without_nan: bool) -> Parsed<QuantileOptions> {
    // Permits reuse of the operand's memory, which is ignored here.
    t.or("overwrite_input", false)?;
    Ok(QuantileOptions {
        axis: t.get("axis")?,
        keepdims: t.or("keepdims", false)?,
        method: t.or("method", "")?.into(),
        weights: t.get("weights")?,
        without_nan,
    })
}

/// Writes the result into `out`: a mean must have its shape, other results are broadcast to it. A median is cast
/// regardless of the loss.
fn placed(t: &Arguments, result: NdArray, casting: Casting, is_mean: bool) -> Parsed<NdArray> {
    let Some(out) = t.get::<Option<&NdArray>>("out")? else { return Ok(result) };
    UfuncOptions { out: Some(out.clone()), ..UfuncOptions::default() }.check()?;
    if is_mean && out.shape() != result.shape() {
        let message = format!("out of shape {:?} is not {:?}", out.shape(), result.shape());
        return fail(ErrorKind::Value, message).map_err(Fault::from);
    }
    if !can_cast(result.dtype(), out.dtype(), casting) {
        return fail(ErrorKind::Type, "the result is not cast to that").map_err(Fault::from);
    }
    Ok(result.astype(out.dtype(), Order::C).broadcast_to(out.shape())?)
}

/// Returns true if the result comes from a mean: for all medians, and for no elements without NaN.
fn by_mean(t: &Arguments, median: bool, without_nan: bool) -> Parsed<bool> {
    Ok(if without_nan { t.get::<&NdArray>("a")?.size() == 0 } else { median })
}

fn quantile_call(t: &Arguments, of: fn(&Quantiles) -> Quantiles, without_nan: bool) -> Parsed<NdArray> {
    let q = of(&read_quantiles(t.get("q")?)?);
    let result = quantile(t.get("a")?, &q, &parse_options(t, without_nan)?)?;
    placed(t, result, Casting::SameKind, by_mean(t, false, without_nan)?)
}

fn median_call(t: &Arguments, without_nan: bool) -> Parsed<NdArray> {
    let result = median(t.get("a")?, &parse_options(t, without_nan)?)?;
    placed(t, result, Casting::Unsafe, by_mean(t, true, without_nan)?)
}

counterparts! {
    "numpy.median" = |t| median_call(t, false)?;
    "numpy.nanmedian" = |t| median_call(t, true)?;
    "numpy.quantile" = |t| quantile_call(t, Quantiles::clone, false)?;
    "numpy.percentile" = |t| quantile_call(t, Quantiles::of_percents, false)?;
    "numpy.nanquantile" = |t| quantile_call(t, Quantiles::clone, true)?;
    "numpy.nanpercentile" = |t| quantile_call(t, Quantiles::of_percents, true)?;
}
