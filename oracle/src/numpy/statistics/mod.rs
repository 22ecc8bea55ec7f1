//! Reductions with all options: `where`, `initial`, `out`; means, variances, and the functions that ignore NaN.

mod average;
pub(crate) mod bin_estimators;
mod correlation;
pub(crate) mod histogram;
mod named;
pub(crate) mod quantile;

pub use average::{Bounded, CovOptions, average, corrcoef, cov, ptp, vector_norm};
pub use correlation::{CorrelateMode, array_equal, array_equiv, convolve, correlate, isclose};

use cuprum_kernels::{DType, Kind};

use crate::core::array::{NdArray, Operand};
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::value::{Flag, Value, cast};
use crate::exact::big::Big;
use crate::ufunc::elementwise::UfuncOptions;
use crate::ufunc::methods::{self, FoldOptions, fold_reduce};
use crate::ufunc::reduce::{self, Gathering, Groups, REDUCTIONS, ReduceOptions, groups, one, reduce};
use crate::ufunc::ufunc;

/// Options of a reduction.
#[derive(Clone, Debug, Default)]
pub struct StatisticOptions {
    /// The axes, `keepdims` and the dtype.
    pub options: ReduceOptions,
    /// The output, the mask and the initial value.
    pub fold: FoldOptions,
    /// The delta degrees of freedom: subtracted from the number of elements in the divisor.
    pub ddof: f64,
    /// The mean, if it is known.
    pub mean: Option<KnownMean>,
}

/// A known mean: a number is weak.
#[derive(Clone, Debug)]
pub enum KnownMean {
    /// An array, broadcast to the operand.
    Array(NdArray),
    /// A scalar for all elements.
    Number(Value),
}

/// Names of the reductions in addition to [`REDUCTIONS`].
pub const STATISTICS: [&str; 11] =
    ["var", "std", "nansum", "nanprod", "nanmean", "nanvar", "nanstd", "nanmax", "nanmin", "nanargmax", "nanargmin"];

pub(crate) fn is_inexact(dtype: DType) -> bool {
    dtype.is_float() || dtype.is_complex()
}

/// Returns the binary ufunc whose `reduce` the reduction is.
fn folds(name: &str) -> Option<&'static str> {
    Some(match name {
        "sum" => "add",
        "prod" => "multiply",
        "max" => "maximum",
        "min" => "minimum",
        "any" => "logical_or",
        "all" => "logical_and",
        "nanmax" => "fmax",
        "nanmin" => "fmin",
        _ => return None,
    })
}

/// Reduces by NumPy's name of the reduction.
///
/// # Errors
///
/// As [`reduce`]; `TypeError` for an option that the function does not take, and for a mask that is not boolean;
/// `ValueError` for no elements without an identity, for shapes that do not match, and for `nanargmax` and `nanargmin`
/// of NaN only.
pub fn statistic(name: &str, a: &NdArray, o: &StatisticOptions) -> Result<NdArray> {
    if !REDUCTIONS.contains(&name) && !STATISTICS.contains(&name) {
        return fail(ErrorKind::Value, format!("there is no reduction {name:?}"));
    }
    let base = name.strip_prefix("nan").unwrap_or(name);
    let skips = base != name && is_inexact(a.dtype());
    if matches!(base, "argmax" | "argmin") {
        return position(base, skips, a, o);
    }
    if matches!(base, "mean" | "var" | "std") {
        return moment(base, skips, a, o);
    }
    let mut o = o.clone();
    if matches!(base, "any" | "all") {
        if o.fold.initial.is_some() {
            return fail(ErrorKind::Type, format!("{name} begins with nothing"));
        }
        if o.options.dtype.is_none() {
            o.options.dtype = Some(DType::Bool);
            return fold_reduce(folds(base).unwrap_or_default(), a, &o.options, &o.fold);
        }
    }
    if o.options.dtype.is_some() && !matches!(base, "sum" | "prod") {
        return fail(ErrorKind::Type, format!("{name} takes no dtype"));
    }
    let plain = o.fold.out.is_none() && o.fold.where_.is_none() && o.fold.initial.is_none();
    match base {
        "max" | "min" if skips => {
            let found = fold_reduce(folds(name).unwrap_or_default(), a, &o.options, &o.fold)?;
            // For complex NaNs only, the first is the result; with several axes the order of operations decides which
            // one is first.
            let one_axis = o.options.axis.as_ref().map_or(a.ndim() <= 1, |axes| axes.len() <= 1);
            let (mut flags, values) = (found.flags(), found.values());
            for (flag, value) in flags.iter_mut().zip(&values) {
                *flag = match value {
                    Value::Complex(_) if value.is_nan() && !one_axis => Flag::Any,
                    v if v.float() == 0.0 => Flag::AnySign,
                    _ => *flag,
                };
            }
            Ok(found.with_flags(flags))
        }
        "sum" | "prod" if skips => {
            // NumPy replaces NaN by the identity in a copy, whose memory order the result has.
            let a = &a.copy(crate::Order::K);
            let mask = valid(a, o.fold.where_.as_ref())?;
            fold_reduce(folds(base).unwrap_or_default(), a, &o.options, &FoldOptions { where_: Some(mask), ..o.fold })
        }
        _ if plain => reduce(base, a, &o.options),
        _ => fold_reduce(folds(base).unwrap_or_default(), a, &o.options, &o.fold),
    }
}

/// Returns a mask of the elements that are not NaN, combined with the passed mask.
fn valid(a: &NdArray, mask: Option<&NdArray>) -> Result<NdArray> {
    let options = UfuncOptions { where_: mask.cloned(), ..UfuncOptions::default() };
    options.check()?;
    let nan = ufunc("isnan", &[Operand::Array(a)], &UfuncOptions::default())?;
    let valid = ufunc("logical_not", &[Operand::Array(&nan)], &UfuncOptions::default())?;
    match mask {
        Some(mask) => {
            let mask = mask.broadcast_to(a.shape())?;
            ufunc("logical_and", &[Operand::Array(&valid), Operand::Array(&mask)], &UfuncOptions::default())
        }
        None => Ok(valid),
    }
}

/// Writes results into `out` if it is passed.
fn into_out(result: NdArray, out: Option<&NdArray>) -> Result<NdArray> {
    let Some(out) = out else { return Ok(result) };
    if out.shape() != result.shape() {
        return fail(ErrorKind::Value, format!("out of shape {:?} is not {:?}", out.shape(), result.shape()));
    }
    out.check_writable()?;
    let elements: Vec<_> = result.values().into_iter().zip(result.flags()).map(Some).collect();
    Ok(out.with_elements(&elements))
}

fn position(base: &str, skips: bool, a: &NdArray, o: &StatisticOptions) -> Result<NdArray> {
    if o.fold.where_.is_some() || o.fold.initial.is_some() {
        return fail(ErrorKind::Type, "positions are found among all elements");
    }
    let given = |result: NdArray| {
        if let Some(out) = &o.fold.out {
            UfuncOptions { out: Some(out.clone()), ..UfuncOptions::default() }.check()?;
            // A wrong shape is reported before a wrong dtype.
            let fits = out.shape() == result.shape();
            if fits && !crate::can_cast(out.dtype(), DType::I64, crate::Casting::Safe) {
                return fail(ErrorKind::Type, format!("positions do not go into {}", out.dtype()));
            }
        }
        into_out(result, o.fold.out.as_ref())
    };
    if !skips {
        return given(reduce(base, a, &o.options)?);
    }
    // A NaN counts as the worst number.
    let worst = if base == "argmax" { f64::NEG_INFINITY } else { f64::INFINITY };
    let worst = NdArray::from_values(
        a.dtype(),
        &[],
        [match a.dtype().kind() {
            Kind::Complex => Value::Complex(num_complex::Complex64::new(worst, 0.0)),
            _ => Value::Float(worst),
        }],
    )?;
    let mask = valid(a, None)?;
    let operands = [Operand::Array(&mask), Operand::Array(a), Operand::Array(&worst)];
    let replaced = ufunc("where", &operands, &UfuncOptions::default())?;
    let result = reduce(base, &replaced, &o.options)?;
    let parts = groups(&mask, None, &o.options)?;
    if parts.groups.iter().any(|g| !g.iter().any(|v| v.truth())) {
        return fail(ErrorKind::Value, "a slice has no number");
    }
    given(result)
}

/// The elements that take part in each result.
struct Participants {
    parts: Groups,
    chosen: Vec<Vec<Value>>,
    /// The extent to which the casts of its elements leave each result undefined.
    open: Vec<Flag>,
    work: DType,
    out: DType,
}

fn chosen(base: &str, skips: bool, a: &NdArray, o: &StatisticOptions) -> Result<Participants> {
    // NumPy counts the elements of a mask by a sum, which accepts an axis of a 0-d array.
    let named = o.options.axis.as_ref().is_some_and(|axes| !axes.is_empty());
    if a.ndim() == 0 && !skips && o.fold.where_.is_none() && named {
        return fail(ErrorKind::Axis, format!("a 0-d array has no axis to take the {base} along"));
    }
    UfuncOptions { out: o.fold.out.clone(), where_: o.fold.where_.clone(), ..UfuncOptions::default() }.check()?;
    if o.fold.initial.is_some() {
        return fail(ErrorKind::Type, format!("the {base} begins with nothing"));
    }
    for dtype in [o.options.dtype, o.fold.out.as_ref().map(|out| out.dtype())].into_iter().flatten() {
        if skips && !is_inexact(dtype) {
            return fail(ErrorKind::Type, format!("of floats the {base} is a float, no {dtype}"));
        }
    }
    let mask = o.fold.where_.as_ref().map(|m| m.broadcast_to(a.shape())).transpose()?;
    let parts = groups(a, mask.as_ref(), &o.options)?;
    let masks = mask.map(|m| groups(&m, None, &o.options)).transpose()?;
    let work = o.options.dtype.unwrap_or(if is_inexact(a.dtype()) { a.dtype() } else { DType::F64 });
    let out = o.options.dtype.unwrap_or(if base == "mean" { work } else { work.real() });
    let chosen = parts.groups.iter().enumerate().map(|(i, group)| {
        let takes_part =
            |j: usize, v: &Value| masks.as_ref().is_none_or(|m| m.groups[i][j].truth()) && !(skips && v.is_nan());
        let taken = group.iter().enumerate().filter(|(j, v)| takes_part(*j, v));
        let (values, flags): (Vec<Value>, Vec<Flag>) = taken.map(|(_, v)| cast(*v, work)).unzip();
        (values, Flag::carried(flags))
    });
    let (chosen, open) = chosen.unzip();
    Ok(Participants { parts, chosen, open, work, out })
}

fn moment(base: &str, skips: bool, a: &NdArray, o: &StatisticOptions) -> Result<NdArray> {
    let copied;
    let a = if skips {
        copied = a.copy(crate::Order::K);
        &copied
    } else {
        a
    };
    let c = chosen(base, skips, a, o)?;
    let out_is_exact = o.fold.out.as_ref().is_some_and(|out| !is_inexact(out.dtype()));
    // A mean of float16 is computed in float32 when it is written to an array.
    if base == "mean" && a.dtype() == DType::F16 && o.options.dtype.is_none() && o.fold.out.is_some() {
        return steps(base, skips, a, o);
    }
    if base == "std" && out_is_exact {
        return fail(ErrorKind::Type, "a root does not go into integers");
    }
    // The sum of integers is stored in `out`, and divided there.
    let summed_there = o.fold.out.is_some() && o.options.dtype.is_some_and(|d| !is_inexact(d));
    let in_steps = o.mean.is_some()
        || out_is_exact
        || o.options.dtype.is_some_and(|d| !is_inexact(d) || d.is_complex() != a.dtype().is_complex());
    if in_steps && (base != "mean" || out_is_exact || summed_there) {
        return steps(base, skips, a, o);
    }
    let results = c.chosen.iter().zip(&c.open).map(|(group, open)| {
        let (value, flag) = match base {
            "mean" => one("mean", group, c.work, c.out),
            _ => variance(group, c.out, o.ddof, base == "std", skips),
        };
        (value, flag.max(*open))
    });
    let (values, flags): (Vec<_>, Vec<_>) = results.unzip();
    let result = NdArray::from_order(c.out, &c.parts.shape, &c.parts.axes, &values).with_flags(flags);
    into_out(result, o.fold.out.as_ref())
}

/// Computes the sum of squared deviations from the mean.
fn squares(group: &[Value]) -> Big {
    let n = Big::new(group.len() as f64);
    let part = |pick: fn(&Value) -> f64| {
        let all: Vec<Big> = group.iter().map(|v| Big::new(pick(v))).collect();
        let mean = &all.iter().fold(Big::new(0.0), |s, x| &s + x) / &n;
        all.iter().fold(Big::new(0.0), |s, x| {
            let d = x - &mean;
            &s + &(&d * &d)
        })
    };
    let re = part(|v| v.complex().re);
    if group.iter().all(|v| matches!(v, Value::Complex(_))) { &re + &part(|v| v.complex().im) } else { re }
}

fn is_finite(v: &Value) -> bool {
    v.complex().re.is_finite() && v.complex().im.is_finite()
}

/// Computes the variance or the standard deviation, rounded once.
fn variance(group: &[Value], out: DType, ddof: f64, root: bool, skips: bool) -> (Value, Flag) {
    let degrees = group.len() as f64 - ddof;
    let value = |v: f64| if out.is_complex() { Value::Complex(v.into()) } else { Value::Float(v) };
    if group.is_empty() || !group.iter().all(is_finite) || (skips && degrees <= 0.0) {
        return (value(f64::NAN), Flag::Exact);
    }
    let squares = squares(group);
    if degrees <= 0.0 {
        // Division by 0: rounding decides whether the squares of equal elements are exactly 0.
        return match squares.is_zero() {
            true if group.len() > 1 => (value(f64::NAN), Flag::Any),
            true => (value(f64::NAN), Flag::Exact),
            false => (value(f64::INFINITY), Flag::Exact),
        };
    }
    let v = &squares / &Big::new(degrees);
    let v = if root && !v.is_zero() { v.sqrt() } else { v };
    (value(v.round(out)), Flag::Exact)
}

/// Computes in NumPy's steps, where each rounds to a requested dtype.
fn steps(base: &str, skips: bool, a: &NdArray, o: &StatisticOptions) -> Result<NdArray> {
    let call = |name: &str, x: &NdArray, y: &NdArray| {
        ufunc(name, &[Operand::Array(x), Operand::Array(y)], &UfuncOptions::default())
    };
    let mask = if skips { Some(valid(a, o.fold.where_.as_ref())?) } else { o.fold.where_.clone() };
    let call_options = FoldOptions { where_: mask.clone(), ..FoldOptions::default() };
    // Without a mask the number of elements is the same for all results.
    let counts = |keepdims| match &mask {
        Some(mask) => {
            let mask = mask.broadcast_to(a.shape())?;
            reduce("sum", &mask, &ReduceOptions { keepdims, dtype: None, ..o.options.clone() })
        }
        None => NdArray::from_values(DType::I64, &[], [Value::Int(groups(a, None, &o.options)?.length as i128)]),
    };
    let dtype = o.options.dtype.or((!is_inexact(a.dtype())).then_some(DType::F64));
    let sum = |x: &NdArray, keepdims| {
        fold_reduce("add", x, &ReduceOptions { keepdims, dtype, axis: o.options.axis.clone() }, &call_options)
    };
    let divided = |x: &NdArray, by: &NdArray| Ok(call("true_divide", x, by)?.astype(x.dtype(), crate::Order::K));
    if base == "mean" {
        let dtype = o.options.dtype.or(if a.dtype() == DType::F16 && !skips { Some(DType::F32) } else { dtype });
        let call_options = FoldOptions { out: o.fold.out.clone(), ..call_options };
        let total = fold_reduce("add", a, &ReduceOptions { dtype, ..o.options.clone() }, &call_options)?;
        let mean = undefined_where(call("true_divide", &total, &counts(o.options.keepdims)?)?, &[&total]);
        return into_out(mean, o.fold.out.as_ref());
    }
    let found;
    let mean = match &o.mean {
        Some(KnownMean::Array(mean)) => Operand::Array(mean),
        Some(KnownMean::Number(mean)) => Operand::Scalar(*mean),
        None => {
            found = divided(&sum(a, true)?, &counts(true)?)?;
            Operand::Array(&found)
        }
    };
    let apart = ufunc("subtract", &[Operand::Array(a), mean.clone()], &UfuncOptions::default())?;
    let squared = match apart.dtype().is_complex() {
        true => {
            let conjugate = ufunc("conjugate", &[Operand::Array(&apart)], &UfuncOptions::default())?;
            call("multiply", &apart, &conjugate)?.astype(apart.dtype().real(), crate::Order::K)
        }
        false => ufunc("square", &[Operand::Array(&apart)], &UfuncOptions::default())?,
    };
    let total = sum(&squared, o.options.keepdims)?;
    let into = o.fold.out.as_ref().map(NdArray::dtype).filter(|out| is_inexact(*out) && !is_inexact(total.dtype()));
    let total = into.map_or_else(|| total.clone(), |out| total.astype(out, crate::Order::K));
    let less = NdArray::from_values(DType::F64, &[], [Value::Float(o.ddof)])?;
    let zero = NdArray::from_values(DType::F64, &[], [Value::Float(0.0)])?;
    let degrees = call("maximum", &call("subtract", &counts(o.options.keepdims)?, &less)?, &zero)?;
    let result = divided(
        &total,
        &degrees.astype(if is_inexact(total.dtype()) { total.dtype() } else { DType::F64 }, crate::Order::K),
    )?;
    let result = match base {
        "std" if !is_inexact(result.dtype()) && result.ndim() > 0 => {
            return fail(ErrorKind::Type, "the root of an integer is none");
        }
        "std" => {
            let root = ufunc("sqrt", &[Operand::Array(&result)], &UfuncOptions::default())?;
            root.astype(result.dtype(), crate::Order::K)
        }
        _ => result,
    };
    let mean = if let Operand::Array(mean) = mean { Some(mean) } else { None };
    let of: Vec<&NdArray> = [&total].into_iter().chain(mean).collect();
    into_out(undefined_where(result, &of), o.fold.out.as_ref())
}

/// Marks a result as undefined where its operands are.
fn undefined_where(result: NdArray, of: &[&NdArray]) -> NdArray {
    let (n, mut flags) = (result.size(), result.flags());
    for a in of.iter().filter(|a| a.size() == n) {
        a.flags().into_iter().zip(&mut flags).for_each(|(before, flag)| *flag = Flag::carried([before]).max(*flag));
    }
    result.with_flags(flags)
}

/// Bounds the error of plain arithmetic relative to [`statistic`], for each result in C order; 0 where it is exact.
///
/// Sums err as in [`reduction_bound`](crate::reduction_bound). A mean m of elements of at most x in magnitude errs by e
/// = g x, g being the relative error of that many roundings. The squares about a mean that is e off are M + n e^2 and,
/// where squares of groups are merged, each with a difference of means that errs by 2 e, at most g M + 4 e sqrt(n M) +
/// 4 n e^2 away from M: by the Cauchy-Schwarz inequality, as the weighted squares of the differences add up to at most
/// M.
///
/// # Errors
///
/// As [`statistic`].
pub fn statistic_bound(name: &str, a: &NdArray, o: &StatisticOptions, by: Gathering) -> Result<Vec<f64>> {
    let result = statistic(name, a, o)?;
    let base = name.strip_prefix("nan").unwrap_or(name);
    let skips = base != name && is_inexact(a.dtype());
    if !matches!(base, "sum" | "prod" | "mean" | "var" | "std") || !is_inexact(result.dtype()) {
        return Ok(vec![0.0; result.size()]);
    }
    let in_steps = o.mean.is_some() || o.options.dtype.is_some_and(|d| d.is_complex() != a.dtype().is_complex());
    if in_steps && matches!(base, "var" | "std") {
        // Each step is rounded on its own: the elements, the squares and their sum.
        let sizes = result.values().into_iter().map(|v| v.complex().norm());
        let unit = crate::ulp(1.0, result.dtype());
        return Ok(sizes.map(|v| (a.size() as f64 + 8.0) * 2.0 * unit * v).collect());
    }
    let out = o.fold.out.as_ref().map(NdArray::dtype);
    let call_options = StatisticOptions {
        fold: FoldOptions { initial: None, ..o.fold.clone() },
        options: ReduceOptions {
            dtype: match folds(base) {
                Some(name @ ("add" | "multiply")) => Some(methods::gathered_in(name, a.dtype(), out, o.options.dtype)?),
                _ => o.options.dtype,
            },
            ..o.options.clone()
        },
        ..o.clone()
    };
    let c = chosen("mean", skips, a, &call_options)?;
    // NumPy accumulates a mean of float16 in float32 as well, but not where it ignores NaN.
    let accumulator = if base == "mean" && !skips { Gathering::DEVICE } else { by }.accumulator(c.work);
    let depth = by.depth;
    let bounds = c.chosen.iter().zip(result.values()).map(|(group, value)| {
        let mut group = group.clone();
        group.extend(o.fold.initial.map(|v| cast(v, c.work).0));
        match base {
            "sum" | "prod" | "mean" => {
                reduce::group_bound(base, &group, value, accumulator, result.dtype(), depth(group.len()))
            }
            _ => {
                // The value is rounded to the computation's dtype before it is stored in an array of another one.
                let v = value.complex().re;
                let last = crate::ulp(v, result.dtype()).max(crate::ulp(v, c.work.real()));
                variance_bound(&group, v, accumulator, last, o.ddof, base == "std", depth(group.len()))
            }
        }
    });
    Ok(bounds.collect())
}

fn variance_bound(group: &[Value], v: f64, accumulator: DType, last: f64, ddof: f64, root: bool, depth: f64) -> f64 {
    let degrees = group.len() as f64 - ddof;
    if degrees <= 0.0 || !v.is_finite() || !group.iter().all(is_finite) {
        return if group.iter().all(is_finite) && v.is_infinite() && degrees > 0.0 { f64::INFINITY } else { 0.0 };
    }
    /// Roundings of one merge of two groups, in the mean and in the squares.
    const MERGE: f64 = 6.0;
    let (unit, largest, least) = match accumulator.real() {
        DType::F64 => (f64::EPSILON / 2.0, f64::MAX, f64::MIN_POSITIVE * f64::EPSILON),
        DType::F16 => (2f64.powi(-11), 65504.0, 2f64.powi(-24)),
        _ => (f32::EPSILON as f64 / 2.0, f32::MAX as f64, f32::from_bits(1) as f64),
    };
    let n = group.len() as f64;
    let most = group.iter().map(|v| v.complex().norm()).fold(0.0, f64::max);
    let relative = MERGE * (depth + 2.0) * unit;
    if n * most > largest / 2.0 || n * most * most > largest / 4.0 || relative >= 0.5 {
        return f64::INFINITY;
    }
    let g = relative / (1.0 - relative);
    let (m, e) = (squares(group).round(DType::F64), g * most);
    let error = (g * m + 4.0 * e * (n * m).sqrt() + 4.0 * n * e * e + 4.0 * n * least) / degrees;
    if root {
        let root_error = if v > 0.0 { (error / v).min(error.sqrt()) } else { error.sqrt() };
        root_error + last
    } else {
        error + last
    }
}
