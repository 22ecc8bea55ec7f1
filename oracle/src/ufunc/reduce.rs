//! Reductions along axes.

use cuprum_kernels::{DType, Kind};
use num_complex::Complex64;

use crate::core::array::NdArray;
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::layout::{self, Order, axis_index};
use crate::core::value::{Flag, Value, cast, round, wrap};
use crate::exact::big::Big;
use crate::exact::complex;
use crate::exact::real;
use crate::exact::sum::exact_sum;

/// Options of a reduction.
#[derive(Clone, Debug, Default)]
pub struct ReduceOptions {
    /// The axes to reduce: `None` for all of them, an empty list for none.
    pub axis: Option<Vec<isize>>,
    /// Keeps reduced axes with length 1.
    pub keepdims: bool,
    /// The dtype to compute in and to return (`sum`, `prod` and `mean` only).
    pub dtype: Option<DType>,
}

/// Names of all reductions.
pub const REDUCTIONS: [&str; 10] =
    ["sum", "prod", "max", "min", "argmax", "argmin", "mean", "any", "all", "count_nonzero"];

/// The elements of each result, and the memory layout of the results.
pub(crate) struct Groups {
    pub(crate) groups: Vec<Vec<Value>>,
    pub(crate) shape: Vec<usize>,
    /// Axes of the result, outermost first in memory.
    pub(crate) axes: Vec<usize>,
    /// The number of elements in each group, known even where there is no group.
    pub(crate) length: usize,
}

/// Reduces by NumPy's name of the reduction.
///
/// # Errors
///
/// `AxisError` for an axis out of bounds, `ValueError` for a repeated one and for extrema of no elements, `TypeError`
/// for a dtype where none is accepted and for several axes in `argmax` and `argmin`.
pub fn reduce(name: &str, a: &NdArray, options: &ReduceOptions) -> Result<NdArray> {
    let positions = matches!(name, "argmax" | "argmin");
    if !REDUCTIONS.contains(&name) {
        return fail(ErrorKind::Value, format!("there is no reduction {name:?}"));
    }
    if options.dtype.is_some() && !matches!(name, "sum" | "prod" | "mean") {
        return fail(ErrorKind::Type, format!("{name} takes no dtype"));
    }
    if positions && options.axis.as_ref().is_some_and(|axes| axes.len() != 1) {
        return fail(ErrorKind::Type, format!("{name} takes one axis"));
    }
    if name == "mean" && a.ndim() == 0 && options.axis.as_ref().is_some_and(|axes| !axes.is_empty()) {
        return fail(ErrorKind::Axis, "a 0-d array has no axis to take the mean along");
    }
    let truths;
    let a = if name == "count_nonzero" && a.dtype() != DType::Bool {
        // NumPy sums a copy of the booleans, whose memory order the result has.
        truths = a.astype(DType::Bool, Order::K);
        &truths
    } else {
        a
    };
    let parts = groups(a, None, options)?;
    let empty = parts.length == 0;
    if empty && (positions || matches!(name, "max" | "min")) {
        return fail(ErrorKind::Value, format!("{name} of nothing has no value"));
    }
    let (work, out) = dtypes(name, a.dtype(), options.dtype);
    let (values, flags): (Vec<_>, Vec<_>) = parts
        .groups
        .iter()
        .map(|group| {
            let (cast_values, flags): (Vec<Value>, Vec<Flag>) = group.iter().map(|v| cast(*v, work)).unzip();
            let (value, flag) = match name {
                "sum" => one(name, &[&[cast(Value::Int(0), work).0], cast_values.as_slice()].concat(), work, out),
                _ => one(name, &cast_values, work, out),
            };
            (value, flag.max(Flag::carried(flags)))
        })
        .unzip();
    // Indices are C-contiguous; all else keeps the memory order of the operand.
    let axes = if positions { layout::c_order(parts.shape.len()) } else { parts.axes };
    Ok(NdArray::from_order(out, &parts.shape, &axes, &values).with_flags(flags))
}

/// Returns the dtype to which elements are cast first, and the dtype of the result.
pub(crate) fn dtypes(name: &str, input: DType, dtype: Option<DType>) -> (DType, DType) {
    let wide = match input.kind() {
        Kind::Bool | Kind::Signed => DType::I64,
        Kind::Unsigned => DType::U64,
        _ => input,
    };
    match name {
        "sum" | "prod" => (dtype.unwrap_or(wide), dtype.unwrap_or(wide)),
        "mean" => {
            let out = dtype.unwrap_or(if input.is_float() || input.is_complex() { input } else { DType::F64 });
            (out, out)
        }
        "argmax" | "argmin" => (input, DType::I64),
        "any" | "all" => (input, DType::Bool),
        "count_nonzero" => (input, DType::I64),
        _ => (input, input),
    }
}

/// Splits the elements into groups, each in C order, one for each result in C order. A mask of the same shape takes
/// part in the order of the result's axes.
pub(crate) fn groups(a: &NdArray, mask: Option<&NdArray>, options: &ReduceOptions) -> Result<Groups> {
    let ndim = a.ndim();
    let reduced: Vec<usize> = match &options.axis {
        None => (0..ndim).collect(),
        // A 0-d array accepts the axes of a 1-d one.
        Some(axes) if ndim == 0 => {
            if axes.len() > 1 {
                return fail(ErrorKind::Axis, "a 0-d array has not several axes");
            }
            axes.iter().map(|x| axis_index(*x, 1)).collect::<Result<Vec<_>>>()?;
            Vec::new()
        }
        Some(axes) => {
            let out = axes.iter().map(|x| axis_index(*x, ndim)).collect::<Result<Vec<_>>>()?;
            if (1..out.len()).any(|i| out[..i].contains(&out[i])) {
                return fail(ErrorKind::Value, "duplicate value in 'axis'");
            }
            out
        }
    };
    let kept: Vec<usize> = (0..ndim).filter(|i| !reduced.contains(i)).collect();
    let sizes = |axes: &[usize]| axes.iter().map(|i| a.shape[*i]).collect::<Vec<usize>>();
    let steps = |axes: &[usize]| axes.iter().map(|i| a.strides[*i]).collect::<Vec<isize>>();
    let mut inner = reduced.clone();
    inner.sort_unstable();
    let groups = layout::offsets(&sizes(&kept), &steps(&kept), a.offset)
        .into_iter()
        .map(|start| {
            let members = layout::offsets(&sizes(&inner), &steps(&inner), start);
            members.into_iter().map(|at| Value::decode(a.dtype, &a.data[at..])).collect()
        })
        .collect();
    // An empty array has no order.
    let unordered = |n: usize| n == 1 || a.shape.contains(&0);
    let strides =
        |a: &NdArray| a.shape.iter().zip(&a.strides).map(|(n, s)| if unordered(*n) { 0 } else { *s }).collect();
    let walk = layout::walk_order(ndim, &[a].into_iter().chain(mask).map(strides).collect::<Vec<_>>());
    let length = inner.iter().map(|i| a.shape[*i]).product();
    let (shape, axes) = if options.keepdims {
        ((0..ndim).map(|i| if inner.contains(&i) { 1 } else { a.shape[i] }).collect(), walk)
    } else {
        let axis_index = |i: usize| kept.iter().position(|k| *k == i);
        (sizes(&kept), walk.into_iter().filter_map(axis_index).collect())
    };
    Ok(Groups { groups, shape, axes, length })
}

/// Computes one result from its elements, which are already cast to `work`.
pub(crate) fn one(name: &str, group: &[Value], work: DType, out: DType) -> (Value, Flag) {
    let exact = |v| (v, Flag::Exact);
    // The sign of a zero of a complex product or an extremum depends on the order of operations.
    let signed = |v: Value| {
        let zero = match v {
            Value::Float(x) => x == 0.0,
            Value::Complex(z) => z.re == 0.0 || z.im == 0.0,
            _ => false,
        };
        (v, if zero { Flag::AnySign } else { Flag::Exact })
    };
    match name {
        "any" => exact(Value::Bool(group.iter().any(|v| v.truth()))),
        "count_nonzero" => exact(Value::Int(group.iter().filter(|v| v.truth()).count() as i128)),
        "all" => exact(Value::Bool(group.iter().all(|v| v.truth()))),
        "argmax" | "argmin" => exact(Value::Int(position(group, name == "argmax") as i128)),
        "max" | "min" => signed(group[position(group, name == "max")]),
        // Numbers that cancel give +0, and so does a sum that begins with one, whatever the order.
        "sum" => exact(total(group, work)),
        // The sign of a product of real numbers is the product of their signs.
        "prod" if !work.is_complex() => exact(product(group, work)),
        "prod" => signed(product(group, work)),
        _ => mean(group, work, out),
    }
}

/// Returns the index of the first of the largest (or smallest) elements; the first NaN takes precedence.
fn position(group: &[Value], largest: bool) -> usize {
    if let Some(nan) = group.iter().position(|v| v.is_nan()) {
        return nan;
    }
    let mut best = 0;
    for (i, v) in group.iter().enumerate() {
        let order = match (*v, group[best]) {
            (Value::Complex(a), Value::Complex(b)) => complex::compare(a, b),
            (Value::Float(a), Value::Float(b)) => a.partial_cmp(&b),
            (a, b) => Some(a.int().cmp(&b.int())),
        };
        if order.is_some_and(|o| if largest { o.is_gt() } else { o.is_lt() }) {
            best = i;
        }
    }
    best
}

fn total(group: &[Value], dtype: DType) -> Value {
    match dtype.kind() {
        Kind::Bool => Value::Bool(group.iter().any(|v| v.truth())),
        Kind::Signed | Kind::Unsigned => Value::Int(group.iter().fold(0, |s, v| wrap(s + v.int(), dtype))),
        Kind::Float if group.is_empty() => Value::Float(0.0),
        Kind::Float => Value::Float(exact_sum(group.iter().map(|v| v.float()), dtype)),
        Kind::Complex if group.is_empty() => Value::Complex(Complex64::default()),
        Kind::Complex => Value::Complex(Complex64::new(
            exact_sum(group.iter().map(|v| v.complex().re), dtype),
            exact_sum(group.iter().map(|v| v.complex().im), dtype),
        )),
    }
}

fn product(group: &[Value], dtype: DType) -> Value {
    match dtype.kind() {
        Kind::Bool => Value::Bool(group.iter().all(|v| v.truth())),
        Kind::Signed | Kind::Unsigned => Value::Int(group.iter().fold(1, |p, v| wrap(p.wrapping_mul(v.int()), dtype))),
        Kind::Float => {
            let plain = group.iter().fold(1.0, |p, v| p * v.float());
            let ordinary = group.iter().all(|v| v.float().is_finite() && v.float() != 0.0);
            if !ordinary {
                // A zero, an infinity or a NaN decides, in any order of operations: the magnitudes do not matter.
                let sign = group.iter().fold(1.0, |p, v| {
                    let x = v.float();
                    p * if x.is_finite() && x != 0.0 { x.signum() } else { x }
                });
                return Value::Float(sign);
            }
            if group.is_empty() {
                return Value::Float(plain);
            }
            let exact = group.iter().fold(Big::new(1.0), |p, v| &p * &Big::new(v.float()));
            let sign = if group.iter().filter(|v| v.float() < 0.0).count() % 2 == 1 { -1.0 } else { 1.0 };
            Value::Float(exact.round(dtype).copysign(sign))
        }
        Kind::Complex => {
            let naive = |p: Complex64, z: Complex64| {
                let r = |x| round(x, dtype);
                Complex64::new(r(r(p.re * z.re) - r(p.im * z.im)), r(r(p.re * z.im) + r(p.im * z.re)))
            };
            let plain = group.iter().fold(Complex64::new(1.0, 0.0), |p, v| naive(p, v.complex()));
            if !(plain.re.is_finite() && plain.im.is_finite()) {
                return Value::Complex(plain);
            }
            let (mut re, mut im) = (Big::new(1.0), Big::new(0.0));
            for v in group {
                let z = v.complex();
                let (zr, zi) = (Big::new(z.re), Big::new(z.im));
                (re, im) = (&(&re * &zr) - &(&im * &zi), &(&re * &zi) + &(&im * &zr));
            }
            Value::Complex(Complex64::new(re.round(dtype), im.round(dtype)))
        }
    }
}

/// Computes the mean; with an integer dtype the wrapped sum's quotient, towards zero.
fn mean(group: &[Value], work: DType, out: DType) -> (Value, Flag) {
    let n = group.len() as f64;
    let part = |pick: &dyn Fn(&Value) -> f64| {
        let sum = exact_sum(group.iter().map(pick), DType::F64);
        round(if group.is_empty() { f64::NAN } else { (sum + 0.0) / n }, out)
    };
    match work.kind() {
        Kind::Float => (Value::Float(part(&|v| v.float())), Flag::Exact),
        Kind::Complex => {
            let (re, im) = (part(&|v| v.complex().re), part(&|v| v.complex().im));
            // The sum is divided by n + 0i: the product of 0 and an infinite part is NaN, in the other part.
            let beside = |x: f64, other: f64| if other.is_finite() { x } else { f64::NAN };
            (Value::Complex(Complex64::new(beside(re, im), beside(im, re))), Flag::Exact)
        }
        // The mean of no elements is NaN, which is no integer.
        _ => cast(Value::Float(total(group, work).float() / n), out),
    }
}

/// Model of an accumulation, for error bounds.
#[derive(Clone, Copy, Debug)]
pub struct Gathering {
    /// The maximum number of combinations of an element, as a function of the number of elements.
    pub depth: fn(usize) -> f64,
    /// The dtype in which float16 is accumulated.
    pub half: DType,
}

impl Gathering {
    /// The device's guarantee: trees, and float16 in float32.
    pub const DEVICE: Gathering = Gathering { depth: promised_depth, half: DType::F32 };
    /// NumPy's worst case: one element after the other, and float16 rounded at every step.
    pub const NUMPY: Gathering = Gathering { depth: |n| n as f64, half: DType::F16 };

    /// Returns true if elements are combined one after the other.
    pub(crate) fn is_sequential(self) -> bool {
        (self.depth)(1 << 10) >= 1024.0
    }

    /// Returns the dtype in which elements of a dtype are accumulated.
    pub(crate) fn accumulator(self, dtype: DType) -> DType {
        match dtype {
            DType::F16 => self.half,
            DType::BF16 => DType::F32,
            other => other,
        }
    }
}

/// Returns the maximum number of combinations of an element that the device guarantees.
///
/// A thread accumulates at most 256 elements (up to 2^28 for one result; 16 more where the end is ragged), at least
/// four at a time; then trees over the batch, the block and the splits.
pub fn promised_depth(n: usize) -> f64 {
    let trees = (n.max(1) as f64).log2();
    (n.saturating_sub(1) as f64).min(96.0 + trees)
}

/// Bounds the error of plain arithmetic relative to [`reduce`], for each result in C order (for a complex one, each of
/// its parts).
///
/// Floats are assumed to be added (or multiplied) in any order in the accumulation dtype, and rounded to the result's
/// dtype at the end: n-1 roundings of half a unit each on sums no larger than the sum of the magnitudes, and one unit
/// of the result. 0 where the result is exact, infinity where the sum of the magnitudes (the product of the magnitudes
/// above or below 1) leaves the range of the dtype, so that the order of operations decides.
///
/// # Errors
///
/// As [`reduce`].
pub fn reduction_bound(name: &str, a: &NdArray, options: &ReduceOptions, by: Gathering) -> Result<Vec<f64>> {
    let result = reduce(name, a, options)?;
    let (work, out) = dtypes(name, a.dtype(), options.dtype);
    // NumPy accumulates a mean of float16 in float32 as well.
    let accumulator = if name == "mean" { Gathering::DEVICE } else { by }.accumulator(work);
    let inexact = work.is_float() || work.is_complex();
    if !inexact || !matches!(name, "sum" | "prod" | "mean") {
        return Ok(vec![0.0; result.size()]);
    }
    let parts = groups(a, None, options)?;
    let bounds = parts.groups.iter().zip(result.values()).map(|(group, value)| {
        let group: Vec<Value> = group.iter().map(|v| cast(*v, work).0).collect();
        group_bound(name, &group, value, accumulator, out, group.len().saturating_sub(1) as f64)
    });
    Ok(bounds.collect())
}

/// Bounds the error of one sum, product or mean in the accumulation dtype, each of whose elements goes through `depth`
/// steps.
pub(crate) fn group_bound(
    name: &str,
    group: &[Value],
    value: Value,
    accumulator: DType,
    out: DType,
    depth: f64,
) -> f64 {
    let complex = group.iter().any(|v| matches!(v, Value::Complex(_)));
    let sizes: Vec<f64> = group.iter().map(|v| magnitude(*v)).collect();
    let is_finite = |v: &Value| v.complex().re.is_finite() && v.complex().im.is_finite();
    if name == "prod" && complex && !out.is_complex() && !group.iter().all(is_finite) {
        // The real part of a non-finite number depends on the order of operations.
        return f64::INFINITY;
    }
    let scale = if name == "mean" { 1.0 / group.len().max(1) as f64 } else { 1.0 };
    let (mass, steps) = match name {
        // Each element of a product multiplies by a rounding, whatever the order. A complex product has four roundings
        // in each part, and both parts enter the next. The result may be only a part of it.
        "prod" if complex => (sizes.iter().product(), 8.0 * group.len().saturating_sub(1) as f64),
        "prod" => (magnitude(value), group.len().saturating_sub(1) as f64),
        _ => (sizes.iter().sum::<f64>(), depth),
    };
    // Zeros only: even their sign is certain.
    if name != "prod" && mass == 0.0 {
        return 0.0;
    }
    let reach = match name {
        "prod" => {
            let above: f64 = sizes.iter().filter(|x| **x > 1.0).product();
            let below: f64 = sizes.iter().filter(|x| **x < 1.0 && **x != 0.0).product();
            if below < smallest(accumulator) { f64::INFINITY } else { above }
        }
        _ => mass,
    };
    let bound = bound(steps, mass, reach, accumulator, name == "mean") * scale
        + last_unit(value, group.len(), out, name == "mean");
    // An overflow of one part makes the other NaN, in some orders, where a mean is divided.
    if name == "mean" && complex && !out.is_complex() && bound.is_infinite() { f64::NAN } else { bound }
}

/// Returns the modulus; a part that is not finite is ignored, because it is not subject to rounding: the other one is.
pub(crate) fn magnitude(v: Value) -> f64 {
    let finite = |x: f64| if x.is_finite() { x.abs() } else { 0.0 };
    match v {
        // The modulus of finite parts may still be beyond the largest number.
        Value::Complex(z) => real::hypot(finite(z.re), finite(z.im), DType::F64).min(f64::MAX),
        v => finite(v.float()),
    }
}

/// Returns the smallest normal number of the dtype in which products are computed.
pub(crate) fn smallest(accumulator: DType) -> f64 {
    match accumulator.real() {
        DType::F64 => f64::MIN_POSITIVE,
        DType::F16 => 2f64.powi(-14),
        _ => f32::MIN_POSITIVE as f64,
    }
}

/// Bounds the error of `steps` roundings of intermediate results of at most `mass`, in the accumulator (never
/// bfloat16).
pub(crate) fn bound(steps: f64, mass: f64, reach: f64, accumulator: DType, mean: bool) -> f64 {
    if accumulator == DType::Bool || accumulator.is_integer() {
        return 0.0;
    }
    let (unit, largest) = match accumulator.real() {
        DType::F64 => (f64::EPSILON / 2.0, f64::MAX),
        DType::F16 => (2f64.powi(-11), 65504.0),
        _ => (f32::EPSILON as f64 / 2.0, f32::MAX as f64),
    };
    if reach > largest / 2.0 {
        return f64::INFINITY;
    }
    let relative = unit * if mean { steps + 1.0 } else { steps };
    // From here on the roundings may add up to the whole.
    if relative < 1.0 { relative / (1.0 - relative) * mass } else { f64::INFINITY }
}

/// Returns one unit in the last place of a result that was rounded at all.
pub(crate) fn last_unit(value: Value, count: usize, out: DType, mean: bool) -> f64 {
    if count < 2 && !mean {
        return 0.0;
    }
    let unit = |x: f64| if x.is_finite() { crate::core::value::ulp(x, out) } else { 0.0 };
    match value {
        Value::Complex(z) => unit(z.re).max(unit(z.im)),
        v => unit(v.float()),
    }
}
