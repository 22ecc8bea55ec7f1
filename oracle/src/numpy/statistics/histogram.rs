//! Histograms: `bincount`, `histogram`, `histogram_bin_edges`, `histogramdd`.

use cuprum_kernels::{DType, Kind};

use crate::core::array::NdArray;
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::index::Index;
use crate::core::layout::Order;
use crate::core::value::{Flag, Value, cast, round, ulp};
use crate::exact::sum::exact_sum;
use crate::numpy::searching::{searchsorted, sort_order};
use crate::numpy::statistics::bin_estimators::rule_bins;
use crate::table::{Argument, Arguments, Fault, Read, counterparts};

/// The bins of a histogram.
#[derive(Clone, Debug)]
pub enum HistogramBins {
    /// A number of bins of equal widths.
    Count(usize),
    /// Bins between consecutive edges.
    Edges(NdArray),
    /// The number of bins by the rule of this name.
    Rule(String),
}

/// Options of a histogram.
#[derive(Clone, Debug)]
pub struct HistogramOptions {
    /// The bins.
    pub bins: HistogramBins,
    /// The outer edges of bins of equal widths.
    pub range: Option<(f64, f64)>,
    /// Normalises the result to an integral of 1.
    pub density: bool,
    /// The weight of each element.
    pub weights: Option<NdArray>,
}

impl Default for HistogramOptions {
    fn default() -> HistogramOptions {
        HistogramOptions { bins: HistogramBins::Count(10), range: None, density: false, weights: None }
    }
}

/// Computes NumPy's `bincount`; the sums of weights are exact and rounded once.
///
/// # Errors
///
/// `TypeError` for elements that are not integers and complex weights, `ValueError` for a number of axes other than
/// one, for a negative element and for another number of weights.
pub fn bincount(x: &NdArray, weights: Option<&NdArray>, minlength: usize) -> Result<NdArray> {
    if x.ndim() != 1 {
        return fail(ErrorKind::Value, "what is counted has one axis");
    }
    if x.dtype().is_float() || x.dtype().is_complex() {
        return fail(ErrorKind::Type, "what is counted are integers");
    }
    if x.size() == 0 {
        return NdArray::from_values(DType::I64, &[minlength], vec![Value::Int(0); minlength]);
    }
    if weights.is_some_and(|w| w.dtype().is_complex()) {
        return fail(ErrorKind::Type, "weights are real");
    }
    if weights.is_some_and(|w| w.shape() != x.shape()) {
        return fail(ErrorKind::Value, "there is a weight for each element");
    }
    // Integers beyond int64 wrap.
    let numbers: Vec<i128> = x.values().iter().map(|v| cast(*v, DType::I64).0.int()).collect();
    if numbers.iter().any(|i| *i < 0) {
        return fail(ErrorKind::Value, "nothing that is counted is negative");
    }
    let most = numbers.iter().max().map_or(0, |i| *i as usize + 1);
    let bins = numbers.iter().map(|i| Some(*i as usize)).collect::<Vec<_>>();
    let length = most.max(minlength);
    match weights {
        None => NdArray::from_values(DType::I64, &[length], counts(&bins, length)),
        Some(w) => NdArray::from_values(DType::F64, &[length], sums(&bins, length, &w.values(), DType::F64)),
    }
}

/// Bounds the error of the sums of weights of [`bincount`]: a rounding for each addition.
pub fn bincount_bounds(x: &NdArray, weights: &NdArray, minlength: usize) -> Vec<f64> {
    let bins: Vec<Option<usize>> = x.values().iter().map(|v| Some(v.int().max(0) as usize)).collect();
    let length = bins.iter().flatten().max().map_or(0, |i| i + 1).max(minlength);
    masses(&bins, length, weights, DType::F64)
}

fn counts(bins: &[Option<usize>], length: usize) -> Vec<Value> {
    let mut counts = vec![0; length];
    bins.iter().flatten().for_each(|i| counts[*i] += 1);
    counts.into_iter().map(Value::Int).collect()
}

/// Returns the weights of each bin.
fn members(bins: &[Option<usize>], length: usize, weights: &[Value]) -> Vec<Vec<Value>> {
    let mut members = vec![vec![]; length];
    for (bin, weight) in bins.iter().zip(weights) {
        if let Some(bin) = bin {
            members[*bin].push(*weight);
        }
    }
    members
}

/// Returns the extent to which NumPy determines a sum: it adds integers as float64 and casts the sum. A sum beyond the
/// integers that float64 represents depends on the order, one beyond those of the dtype on the cast.
fn within_float64(weights: &[Value], dtype: DType) -> Flag {
    let whole = |v: &Value| if let Value::Int(i) = v { *i } else { 0 };
    let (mass, sum): (i128, i128) = (weights.iter().map(|v| whole(v).abs()).sum(), weights.iter().map(whole).sum());
    let held = !dtype.is_integer() || sum == crate::core::value::wrap(sum, dtype);
    if mass > 1 << 53 || !held { Flag::Any } else { Flag::Exact }
}

fn sums(bins: &[Option<usize>], length: usize, weights: &[Value], dtype: DType) -> Vec<Value> {
    let sum = |of: &Vec<Value>| -> Value {
        let part = |pick: &dyn Fn(&Value) -> f64| {
            let plain: f64 = of.iter().map(pick).sum();
            // The sum begins with a positive zero.
            if plain.is_finite() { exact_sum(of.iter().map(pick), dtype.real()) + 0.0 } else { plain }
        };
        match dtype.kind() {
            Kind::Complex => {
                Value::Complex(num_complex::Complex64::new(part(&|v| v.complex().re), part(&|v| v.complex().im)))
            }
            Kind::Float => Value::Float(part(&|v| v.float())),
            Kind::Bool => Value::Bool(of.iter().any(|v| v.truth())),
            _ => Value::Int(crate::core::value::wrap(of.iter().map(|v| v.int()).sum(), dtype)),
        }
    };
    members(bins, length, weights).iter().map(sum).collect()
}

fn masses(bins: &[Option<usize>], length: usize, weights: &NdArray, out: DType) -> Vec<f64> {
    let bound = |of: &Vec<Value>| -> f64 {
        let sizes = of.iter().map(|v| v.complex().re.abs().max(v.complex().im.abs()));
        let mass: f64 = sizes.filter(|x| x.is_finite()).sum();
        let unit = if out.is_float() || out.is_complex() { ulp(mass, out) } else { 0.0 };
        f64::EPSILON / 2.0 * of.len() as f64 * mass + if of.len() > 1 { unit } else { 0.0 }
    };
    members(bins, length, &weights.values()).iter().map(bound).collect()
}

/// Returns the dtype in which bins of equal widths are computed: the elements' own, where they are floats. bfloat16,
/// which NumPy does not have, is float32 here.
pub(crate) fn work_dtype(a: DType) -> DType {
    match a {
        DType::F16 | DType::F32 | DType::F64 => a,
        DType::BF16 => DType::F32,
        _ => DType::F64,
    }
}

/// The outer edges, and whether they are elements (or half a unit beyond float elements).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outer {
    pub(crate) first: Value,
    pub(crate) last: Value,
    pub(crate) own: bool,
}

pub(crate) fn extremes(a: &NdArray) -> (Value, Value) {
    let values = a.values();
    let nan = values.iter().find(|v| v.is_nan());
    let pick = |v: Option<&Value>| *nan.or(v).expect("there is an element");
    (pick(values.iter().min_by(|a, b| sort_order(a, b))), pick(values.iter().max_by(|a, b| sort_order(a, b))))
}

pub(crate) fn outer(a: &NdArray, range: Option<(f64, f64)>) -> Result<Outer> {
    let given = |first: f64, last: f64| Outer { first: Value::Float(first), last: Value::Float(last), own: false };
    if let Some((first, last)) = range {
        if first > last || !first.is_finite() || !last.is_finite() {
            return fail(ErrorKind::Value, "a range is finite and ends after its beginning");
        }
        return Ok(if first == last { given(first - 0.5, last + 0.5) } else { given(first, last) });
    }
    if a.size() == 0 {
        return Ok(given(0.0, 1.0));
    }
    let (first, last) = extremes(a);
    if !first.float().is_finite() || !last.float().is_finite() {
        return fail(ErrorKind::Value, "the range of the elements is not finite");
    }
    match (first, last) {
        (Value::Float(x), Value::Float(y)) if x == y => {
            let near = |x| Value::Float(round(x, work_dtype(a.dtype())));
            Ok(Outer { first: near(x - 0.5), last: near(y + 0.5), own: true })
        }
        (x, y) if x.int() == y.int() && !a.dtype().is_float() => Ok(given(x.float() - 0.5, y.float() + 0.5)),
        _ => Ok(Outer { first, last, own: true }),
    }
}

impl Outer {
    /// Returns the length from end to end: exact for integers, in their own dtype for floats that are elements.
    pub(crate) fn length(&self, a: DType) -> f64 {
        match (self.first, self.last) {
            (Value::Float(x), Value::Float(y)) if self.own => round(y - x, work_dtype(a)),
            (Value::Float(x), Value::Float(y)) => y - x,
            (x, y) => (y.int() - x.int()) as f64,
        }
    }

    /// Computes NumPy's `linspace` in the dtype of the ends, rounded to the dtype of the edges.
    pub(crate) fn edges(&self, n: usize, a: DType) -> Vec<f64> {
        let out = work_dtype(a);
        let step_dtype = if self.own { out } else { DType::F64 };
        let r = |x: f64| round(x, step_dtype);
        let (first, last) = (self.first.float(), self.last.float());
        let length = r(last - first);
        let step = r(length / n as f64);
        let mut edges = vec![];
        for i in 0..n {
            let i = r(i as f64);
            let offset = if step == 0.0 { r(r(i / r(n as f64)) * length) } else { r(i * step) };
            edges.push(round(r(offset + first), out));
        }
        edges.push(round(last, out));
        edges
    }
}

fn check(a: &NdArray, options: &HistogramOptions) -> Result<()> {
    if options.weights.as_ref().is_some_and(|w| w.shape() != a.shape()) {
        return fail(ErrorKind::Value, "weights have the shape of the elements");
    }
    if a.dtype().is_complex() {
        return fail(ErrorKind::Type, "complex numbers fall into no bins");
    }
    Ok(())
}

/// Computes the edges, and the outer ones where all are evenly spaced.
fn edges(a: &NdArray, options: &HistogramOptions) -> Result<(NdArray, Option<Outer>)> {
    let n = match &options.bins {
        HistogramBins::Edges(edges) => {
            check_edges(edges)?;
            return Ok((edges.clone(), None));
        }
        HistogramBins::Count(0) => return fail(ErrorKind::Value, "there is a bin at the least"),
        HistogramBins::Count(n) => *n,
        HistogramBins::Rule(_) if options.weights.is_some() => {
            return fail(ErrorKind::Type, "rules do not know weights");
        }
        HistogramBins::Rule(name) => rule_bins(name, a, options.range)?,
    };
    let outer = outer(a, options.range)?;
    let edges = outer.edges(n, a.dtype());
    if edges.windows(2).any(|w| w[0] >= w[1]) {
        return fail(ErrorKind::Value, "there are more bins than numbers in the range");
    }
    let dtype = work_dtype(a.dtype());
    // Zeros of both signs compare equal, so either may be the least element, or the greatest.
    let flag = |x: &f64| if *x == 0.0 && outer.own { Flag::AnySign } else { Flag::Exact };
    let flags = edges.iter().map(flag).collect();
    let edges = NdArray::from_values(dtype, &[n + 1], edges.into_iter().map(Value::Float))?;
    Ok((edges.with_flags(flags), Some(outer)))
}

fn check_edges(edges: &NdArray) -> Result<()> {
    if edges.ndim() != 1 {
        return fail(ErrorKind::Value, "edges have one axis");
    }
    if edges.dtype().is_complex() {
        return fail(ErrorKind::Type, "edges are real");
    }
    let falls = |w: &[Value]| match w {
        [Value::Float(a), Value::Float(b)] => a > b,
        [a, b] => a.int() > b.int(),
        _ => false,
    };
    if edges.values().windows(2).any(falls) {
        return fail(ErrorKind::Value, "edges do not fall");
    }
    Ok(())
}

/// Returns the bin of each element; none outside of the range.
fn bins_of(a: &NdArray, edges: &NdArray, uniform: Option<Outer>) -> Vec<Option<usize>> {
    let n = edges.size().saturating_sub(1);
    let bounds: Vec<Value> = edges.values();
    let bin_of = |x: &Value| -> Option<usize> {
        match uniform {
            Some(outer) => uniform_bin(x, a.dtype(), &bounds, &outer),
            None if n == 0 => None,
            None => {
                let common = crate::core::promote::promote_types(
                    if a.dtype() == DType::Bool { DType::U8 } else { a.dtype() },
                    edges.dtype(),
                );
                let to = |v: &Value| cast(*v, common).0;
                let x = to(x);
                // The bin is that of the last edge that is not above the element; the last bin includes its upper edge.
                if sort_order(&to(&bounds[n]), &x).is_lt() {
                    return None;
                }
                let reached = bounds.iter().filter(|e| !sort_order(&x, &to(e)).is_lt()).count();
                (reached > 0).then(|| (reached - 1).min(n - 1))
            }
        }
    };
    a.values().iter().map(bin_of).collect()
}

/// Computes the bin in NumPy's steps, each rounded in the same way: the difference to the first edge, its fraction of
/// the length, its bin; then a comparison with the edges themselves corrects it.
fn uniform_bin(x: &Value, a: DType, edges: &[Value], outer: &Outer) -> Option<usize> {
    let work = work_dtype(a);
    let n = edges.len() - 1;
    let r = |v: f64| round(v, work);
    let near = r(x.float());
    let integers = outer.own && !a.is_float();
    let (first, last) = (r(outer.first.float()), r(outer.last.float()));
    let outside = near.is_nan() || near < first || near > last;
    if !integers && outside {
        return None;
    }
    let length = outer.length(a);
    let at = if integers {
        (x.int() - outer.first.int()) as f64 / length * n as f64
    } else if outer.own {
        r(r(r(near - first) / length) * r(n as f64))
    } else {
        r(near - first) / length * n as f64
    };
    let mut i = (at as usize).min(n - 1);
    if near < edges[i].float() {
        i = i.saturating_sub(1);
    } else if near >= edges[i + 1].float() && i != n - 1 {
        i += 1;
    }
    Some(i)
}

/// Computes NumPy's `histogram`: the values, and the edges. Sums of weights are exact and rounded once.
///
/// # Errors
///
/// `ValueError` and `TypeError` as in NumPy; `TypeError` for complex elements, which NumPy counts in a different way.
pub fn histogram(a: &NdArray, options: &HistogramOptions) -> Result<(NdArray, NdArray)> {
    check(a, options)?;
    let (edges, uniform) = edges(a, options)?;
    let n = edges.size().saturating_sub(1);
    let bins = bins_of(a, &edges, uniform);
    let values = match &options.weights {
        None => NdArray::from_values(DType::I64, &[n], counts(&bins, n))?,
        Some(w) if uniform.is_none() && w.dtype() == DType::Bool => {
            return fail(ErrorKind::Type, "booleans are not added between given edges");
        }
        Some(w) => {
            let exact = sums(&bins, n, &w.values(), w.dtype());
            let flags = members(&bins, n, &w.values()).iter().map(|of| within_float64(of, w.dtype())).collect();
            NdArray::from_values(w.dtype(), &[n], exact)?.with_flags(flags)
        }
    };
    if !options.density {
        return Ok((values, edges));
    }
    let dense = density(&values, &edges)?;
    // All of them are divided by the sum, which is as undefined as the least certain value.
    let open = Flag::carried(values.flags());
    Ok((if open > Flag::Exact { dense.with_flags(vec![open; n]) } else { dense }, edges))
}

fn density(values: &NdArray, edges: &NdArray) -> Result<NdArray> {
    let total = crate::ufunc::reduce::reduce("sum", values, &Default::default())?;
    let bound = |v: &NdArray, part: [Option<isize>; 2]| v.index(&[Index::Slice(part[0], part[1], None)]);
    let (upper, lower) = (bound(edges, [Some(1), None])?, bound(edges, [None, Some(-1)])?);
    let call = |name: &str, a: &NdArray, b: &NdArray| crate::ufunc(name, &[a.into(), b.into()], &Default::default());
    let difference = if edges.dtype() == DType::Bool { "not_equal" } else { "subtract" };
    let widths = call(difference, &upper, &lower)?.astype(DType::F64, Order::K);
    call("true_divide", &call("true_divide", values, &widths)?, &total)
}

/// Computes NumPy's `histogram_bin_edges`.
///
/// # Errors
///
/// As [`histogram`].
pub fn histogram_bin_edges(a: &NdArray, options: &HistogramOptions) -> Result<NdArray> {
    check(a, options)?;
    Ok(edges(a, options)?.0)
}

/// Bounds the error of the values of [`histogram`] with weights; the edges are exact.
///
/// # Errors
///
/// As [`histogram`].
pub fn histogram_bounds(a: &NdArray, options: &HistogramOptions) -> Result<Vec<f64>> {
    let (values, edges) = histogram(a, options)?;
    let none = vec![0.0; edges.size()];
    let Some(weights) = &options.weights else { return Ok([vec![0.0; values.size()], none].concat()) };
    let uniform = match options.bins {
        HistogramBins::Edges(_) => None,
        _ => Some(outer(a, options.range)?),
    };
    let masses = masses(&bins_of(a, &edges, uniform), values.size(), weights, weights.dtype());
    if !options.density {
        return Ok([masses, none].concat());
    }
    let plain = histogram(a, &HistogramOptions { density: false, ..options.clone() })?.0;
    if plain.flags().contains(&Flag::Any) {
        return Ok([vec![f64::INFINITY; values.size()], none].concat());
    }
    let total: f64 = plain.values().iter().map(|v| v.complex().re).sum();
    let off: f64 = masses.iter().sum();
    let bound = |((v, e), w): ((&Value, &f64), &[Value])| {
        let width = w[1].float() - w[0].float();
        let size = v.complex().re.abs().max(v.complex().im.abs());
        // A total that cancels leaves the quotient undefined.
        let relative = off / total.abs();
        if relative.is_nan() || relative > 1e-3 || v.complex().im != 0.0 {
            return f64::INFINITY;
        }
        2.0 * (e + size * relative) / (width * total.abs()) + 4.0 * f64::EPSILON * size / (width * total.abs())
    };
    let of_edges = edges.values();
    let bounds = plain.values().iter().zip(&masses).zip(of_edges.windows(2)).map(bound).collect();
    Ok([bounds, none].concat())
}

/// Options of a histogram of points: bins and ranges for each axis.
#[derive(Clone, Debug, Default)]
pub struct PointOptions {
    /// The bins: none for 10 along each axis, one for all.
    pub bins: Vec<HistogramBins>,
    /// The outer edges.
    pub range: Vec<Option<(f64, f64)>>,
    /// Normalises the result to an integral of 1.
    pub density: bool,
    /// The weight of each point.
    pub weights: Option<NdArray>,
}

/// Computes NumPy's `histogramdd`, with points as rows.
///
/// # Errors
///
/// As in NumPy; `TypeError` for complex points.
pub fn histogramdd(sample: &NdArray, options: &PointOptions) -> Result<(NdArray, Vec<NdArray>)> {
    let sample = match sample.ndim() {
        0 | 1 => sample.reshape(&[-1, 1], Order::C)?,
        2 => sample.clone(),
        _ => return fail(ErrorKind::Value, "a sample has two axes"),
    };
    let axes = sample.shape()[1];
    if axes == 0 {
        return fail(ErrorKind::Value, "points without coordinates fall into no bins");
    }
    if options.bins.len() > 1 && options.bins.len() != axes || !options.range.is_empty() && options.range.len() != axes
    {
        return fail(ErrorKind::Value, "bins and ranges are as many as coordinates");
    }
    if sample.dtype().is_complex() {
        return fail(ErrorKind::Type, "complex points fall into no bins");
    }
    let (mut all_edges, mut shape, mut flat_indices) = (vec![], vec![], vec![0i128; sample.shape()[0]]);
    for d in 0..axes {
        let column = sample.index(&[Index::Ellipsis, Index::At(d as isize)])?;
        let bins = options.bins.get(d).or(options.bins.first());
        let edges = match bins.unwrap_or(&HistogramBins::Count(10)) {
            HistogramBins::Edges(edges) => {
                check_edges(edges)?;
                edges.clone()
            }
            HistogramBins::Count(0) => return fail(ErrorKind::Value, "there is a bin at the least"),
            HistogramBins::Count(n) => {
                let outer = outer(&column, options.range.get(d).copied().flatten())?;
                // The ends alone determine the dtype.
                let dtype = if outer.own { work_dtype(column.dtype()) } else { DType::F64 };
                let edges = outer.edges(*n, dtype);
                // Between ends that are too far apart NumPy computes NaNs, and assigns all points to a single bin.
                if !edges.iter().all(|edge| edge.is_finite()) {
                    return fail(ErrorKind::Value, "the ends are farther apart than the largest number");
                }
                let edges = edges.into_iter().map(Value::Float);
                NdArray::from_values(dtype, &[n + 1], edges)?
            }
            HistogramBins::Rule(_) => return fail(ErrorKind::Type, "rules are for one axis"),
        };
        let at = searchsorted(&edges, &column, true, None)?;
        let common = crate::core::promote::promote_types(edges.dtype(), column.dtype());
        let last = edges.values().last().map(|e| cast(*e, common).0);
        for ((flat, at), x) in flat_indices.iter_mut().zip(at.values()).zip(column.values()) {
            let on_edge = last.is_some_and(|last| cast(x, common).0 == last);
            *flat = *flat * (edges.size() as i128 + 1) + at.int() - i128::from(on_edge);
        }
        shape.push(edges.size() + 1);
        all_edges.push(edges);
    }
    let flat_indices =
        NdArray::from_values(DType::I64, &[flat_indices.len()], flat_indices.into_iter().map(Value::Int))?;
    let counts =
        bincount(&flat_indices, options.weights.as_ref(), shape.iter().product())?.astype(DType::F64, Order::C);
    let signed: Vec<isize> = shape.iter().map(|n| *n as isize).collect();
    let inner: Vec<Index> = shape.iter().map(|_| Index::Slice(Some(1), Some(-1), None)).collect();
    let mut values = counts.reshape(&signed, Order::C)?.index(&inner)?;
    if options.density {
        let call =
            |name: &str, a: &NdArray, b: &NdArray| crate::ufunc(name, &[a.into(), b.into()], &Default::default());
        let total = crate::ufunc::reduce::reduce("sum", &values, &Default::default())?;
        for (d, edges) in all_edges.iter().enumerate() {
            let part = |from, to| edges.index(&[Index::Slice(from, to, None)]);
            let widths = call("subtract", &part(Some(1), None)?, &part(None, Some(-1))?)?;
            let mut along = vec![1; axes];
            along[d] = -1;
            values = call("true_divide", &values, &widths.reshape(&along, Order::C)?)?;
        }
        values = call("true_divide", &values, &total)?;
    }
    Ok((values, all_edges))
}

type Parsed<T> = std::result::Result<T, Fault>;

/// Reads a number of bins, edges, or the name of a rule.
fn bins(argument: Argument) -> Parsed<HistogramBins> {
    Ok(match argument {
        Argument::Array(edges) => HistogramBins::Edges(edges),
        Argument::Text(rule) => HistogramBins::Rule(rule),
        Argument::Scalar(Value::Int(n)) if n >= 0 => HistogramBins::Count(n as usize),
        other => return Err(Fault::Misuse(format!("{other:?} are no bins"))),
    })
}

fn parse_options(t: &Arguments) -> Parsed<HistogramOptions> {
    Ok(HistogramOptions {
        bins: if t.has("bins") { bins(t.get("bins")?)? } else { HistogramBins::Count(10) },
        range: t.get("range")?,
        density: t.or("density", false)?,
        weights: t.get("weights")?,
    })
}

fn point_options(t: &Arguments) -> Parsed<PointOptions> {
    let of_axes = match t.get("bins")? {
        Argument::None => vec![],
        Argument::List(all) => all,
        one => vec![one],
    };
    let range = |range: Argument| match range {
        Argument::None => Ok(None),
        other => <(f64, f64)>::read(&other).map(Some).ok_or_else(|| Fault::Misuse(format!("{other:?} is no range"))),
    };
    Ok(PointOptions {
        bins: of_axes.into_iter().map(bins).collect::<Parsed<_>>()?,
        range: t.or("range", vec![])?.into_iter().map(range).collect::<Parsed<_>>()?,
        density: t.or("density", false)?,
        weights: t.get("weights")?,
    })
}

/// Stacks two coordinates as the columns of one array.
fn columns(x: &NdArray, y: &NdArray) -> Result<NdArray> {
    if x.ndim() != 1 || x.shape() != y.shape() {
        return fail(ErrorKind::Value, "there are as many of one coordinate as of the other");
    }
    let rows = x.values().into_iter().zip(y.values()).flat_map(|(x, y)| [x, y]);
    NdArray::from_values(crate::core::promote::promote_types(x.dtype(), y.dtype()), &[x.size(), 2], rows)
}

counterparts! {
    "numpy.bincount" = |t| bincount(t.get("x")?, t.get("weights")?, t.or("minlength", 0)?), bounds |t| {
        let (x, weights): (&NdArray, Option<&NdArray>) = (t.get("x")?, t.get("weights")?);
        let minlength = t.or("minlength", 0)?;
        weights.filter(|w| w.shape() == x.shape()).map(|w| bincount_bounds(x, w, minlength))
    };
    "numpy.histogram" = |t| histogram(t.get("a")?, &parse_options(t)?), bounds |t| {
        let options = parse_options(t)?;
        if options.weights.is_some() { Some(histogram_bounds(t.get("a")?, &options)?) } else { None }
    };
    "numpy.histogram_bin_edges" = |t| histogram_bin_edges(t.get("a")?, &parse_options(t)?);
    "numpy.histogramdd" = |t| histogramdd(t.get("sample")?, &point_options(t)?);
    "numpy.histogram2d" = |t| histogramdd(&columns(t.get("x")?, t.get("y")?)?, &point_options(t)?);
}
