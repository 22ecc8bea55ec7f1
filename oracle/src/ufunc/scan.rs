//! Scans along an axis: `cumsum`, `cumprod` and related functions.

use cuprum_kernels::{DType, Kind};
use num_complex::Complex64;

use crate::core::array::NdArray;
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::index::Index;
use crate::core::layout::{self, Order, axis_index};
use crate::core::value::{Flag, Value, cast, round};
use crate::exact::big::Big;
use crate::exact::sum::ExactSum;
use crate::table::{Arguments, Fault, counterparts};
use crate::ufunc::methods::{self, Lines, fold_accumulate};
use crate::ufunc::reduce::{Gathering, bound, last_unit, magnitude, smallest};

/// Options of a scan.
#[derive(Clone, Debug, Default)]
pub struct ScanOptions {
    /// The axis; without one, all elements in C order.
    pub axis: Option<isize>,
    /// The accumulation dtype, and the dtype of a new result.
    pub dtype: Option<DType>,
    /// The output, with its current contents.
    pub out: Option<NdArray>,
    /// Includes the identity as the first element.
    pub include_initial: bool,
}

/// Returns the ufunc of a scan, and whether it replaces NaN by the identity.
fn of_name(name: &str) -> Result<(&'static str, bool)> {
    Ok(match name {
        "cumsum" | "cumulative_sum" => ("add", false),
        "cumprod" | "cumulative_prod" => ("multiply", false),
        "nancumsum" => ("add", true),
        "nancumprod" => ("multiply", true),
        other => return fail(ErrorKind::Value, format!("there is no scan {other:?}")),
    })
}

/// Returns the array with NaNs replaced, flattened if no axis is passed, and the axis.
fn prepared(name: &str, a: &NdArray, options: &ScanOptions) -> Result<(NdArray, usize)> {
    let (function, skips_nan) = of_name(name)?;
    if name.starts_with("cumulative") && options.axis.is_none() && a.ndim() > 1 {
        return fail(ErrorKind::Value, "of an array of several axes, one must be named");
    }
    let whole = options.axis.is_none() || a.ndim() == 0;
    let a = if whole { a.reshape(&[-1], Order::C)? } else { a.clone() };
    let axis = axis_index(options.axis.unwrap_or(0), a.ndim())?;
    if !skips_nan || !(a.dtype().is_float() || a.dtype().is_complex()) {
        return Ok((a, axis));
    }
    // NumPy replaces them in a copy, whose memory order the result has.
    let identity = Value::Int(i128::from(function == "multiply"));
    let copy = a.copy(Order::K);
    let elements: Vec<Option<(Value, Flag)>> =
        copy.values().into_iter().map(|v| v.is_nan().then_some((identity, Flag::Exact))).collect();
    Ok((copy.with_elements(&elements), axis))
}

/// Computes `cumsum`, `cumprod`, `nancumsum`, `nancumprod`, `cumulative_sum`, `cumulative_prod`, by name.
///
/// Float results are exact and rounded once; [`scan_bound`] bounds the error of plain arithmetic.
///
/// # Errors
///
/// `AxisError` for an axis out of bounds, `TypeError` for a dtype without a loop, `ValueError` for an `out` of another
/// shape and for no axis where `cumulative_*` needs one.
pub fn scan(name: &str, a: &NdArray, options: &ScanOptions) -> Result<NdArray> {
    let (function, _) = of_name(name)?;
    let (a, axis) = prepared(name, a, options)?;
    let along = axis as isize;
    if !options.include_initial {
        return fold_accumulate(function, &a, along, options.dtype, options.out.as_ref());
    }
    let identity = (Value::Int(i128::from(function == "multiply")), Flag::Exact);
    let mut shape = a.shape().to_vec();
    shape[axis] += 1;
    let target = match &options.out {
        Some(out) if out.shape() != shape => {
            return fail(ErrorKind::Value, format!("out of shape {:?} is not {shape:?}", out.shape()));
        }
        Some(out) => {
            out.check_writable()?;
            out.clone()
        }
        None => {
            let plain = fold_accumulate(function, &a, along, options.dtype, None)?;
            let axes = layout::walk_order(a.ndim(), &[plain.strides().to_vec()]);
            NdArray::from_order(plain.dtype(), &shape, &axes, &vec![identity.0; shape.iter().product()])
        }
    };
    let rest = |start, stop| {
        let mut index = vec![Index::Slice(None, None, None); axis];
        index.push(Index::Slice(start, stop, None));
        index
    };
    let results = fold_accumulate(function, &a, along, options.dtype, Some(&target.index(&rest(Some(1), None))?))?;
    // Both are views of the same bytes as the target.
    let (values, flags) = (results.values(), results.flags());
    let inner: usize = shape[axis + 1..].iter().product();
    let mut next = values.into_iter().zip(flags);
    let elements: Vec<Option<(Value, Flag)>> = (0..target.size())
        .map(|i| if (i / inner).is_multiple_of(shape[axis]) { Some(identity) } else { next.next() })
        .collect();
    // In C order the results of one axis follow each other like those of the longer one.
    Ok(target.with_elements(&elements))
}

/// Returns true if intermediate results are exact and rounded once: for sums and products of floats.
pub(crate) fn is_exact(name: &str, dtype: DType) -> bool {
    matches!(name, "add" | "multiply") && (dtype.is_float() || dtype.is_complex())
}

/// Computes the exact prefix sums (or products), rounded to their dtype.
pub(crate) fn prefixes(name: &str, elements: &[(Value, Flag)], dtype: DType) -> Vec<(Value, Flag)> {
    let mut worst = Flag::Exact;
    let mut state = Prefix::new(name, dtype.kind());
    let each = |(k, (v, flag)): (usize, &(Value, Flag))| {
        worst = worst.max(Flag::carried([*flag]));
        let value = state.with(*v, dtype);
        // Numbers that cancel give +0, and the sign of a product is that of its factors, whatever the order: except for
        // complex products, whose parts are sums of products.
        let zero = matches!(value, Value::Complex(z) if z.re == 0.0 || z.im == 0.0);
        let sign = if name == "multiply" && zero && k > 0 { Flag::AnySign } else { Flag::Exact };
        (value, worst.max(sign))
    };
    elements.iter().enumerate().map(each).collect()
}

/// A prefix sum or product.
enum Prefix {
    Sum(ExactSum, ExactSum),
    /// The exact product of finite nonzero factors, and the effect of zeros, infinities, NaNs and signs.
    Product(Big, f64, bool),
    /// The exact parts, and those of plain arithmetic, which determines non-finite results.
    ComplexProduct(Option<(Big, Big)>, Option<Complex64>),
}

impl Prefix {
    fn new(name: &str, kind: Kind) -> Prefix {
        match (name, kind) {
            ("add", _) => Prefix::Sum(ExactSum::default(), ExactSum::default()),
            (_, Kind::Complex) => Prefix::ComplexProduct(None, None),
            _ => Prefix::Product(Big::new(1.0), 1.0, true),
        }
    }

    fn with(&mut self, v: Value, dtype: DType) -> Value {
        match self {
            Prefix::Sum(re, im) if dtype.is_complex() => {
                let z = v.complex();
                re.add(z.re);
                im.add(z.im);
                Value::Complex(Complex64::new(re.rounded(dtype), im.rounded(dtype)))
            }
            Prefix::Sum(re, _) => {
                re.add(v.float());
                Value::Float(re.rounded(dtype))
            }
            Prefix::Product(exact, sign, ordinary) => {
                let x = v.float();
                if x.is_finite() && x != 0.0 {
                    *exact = &*exact * &Big::new(x);
                    *sign *= x.signum();
                } else {
                    (*sign, *ordinary) = (*sign * x, false);
                }
                Value::Float(if *ordinary { exact.round(dtype).copysign(*sign) } else { *sign })
            }
            Prefix::ComplexProduct(exact, plain) => {
                let z = v.complex();
                let r = |x| round(x, dtype);
                let next = match *plain {
                    None => z,
                    Some(p) => Complex64::new(r(r(p.re * z.re) - r(p.im * z.im)), r(r(p.re * z.im) + r(p.im * z.re))),
                };
                *plain = Some(next);
                if !(next.re.is_finite() && next.im.is_finite()) {
                    return Value::Complex(next);
                }
                let (zr, zi) = (Big::new(z.re), Big::new(z.im));
                let Some((re, im)) = exact.take() else {
                    *exact = Some((zr, zi));
                    return v;
                };
                let (re, im) = (&(&re * &zr) - &(&im * &zi), &(&re * &zi) + &(&im * &zr));
                let value = Complex64::new(re.round(dtype), im.round(dtype));
                *exact = Some((re, im));
                Value::Complex(value)
            }
        }
    }
}

/// Bounds the error of plain arithmetic relative to [`scan`], for each result in C order (for a complex one, each of
/// its parts): the elements up to it, combined in any order in the accumulation dtype, and rounded to the result's
/// dtype at the end. For k elements that is k-1 roundings of half a unit each on sums no larger than the sum of the
/// magnitudes, and one unit of the result; infinity where that sum (for factors, a product of some of them) leaves the
/// range of the dtype, so that the order decides.
///
/// # Errors
///
/// As [`scan`].
pub fn scan_bound(name: &str, a: &NdArray, options: &ScanOptions, by: Gathering) -> Result<Vec<f64>> {
    let result = scan(name, a, options)?;
    let (function, _) = of_name(name)?;
    let (a, axis) = prepared(name, a, options)?;
    let out = options.out.as_ref().map(|o| o.dtype());
    let rows = accumulate_bounds(function, &a, axis as isize, (out, options.dtype), by)?;
    if !options.include_initial {
        return Ok(rows);
    }
    let (length, inner) = (result.shape()[axis], result.shape()[axis + 1..].iter().product::<usize>());
    let mut next = rows.into_iter();
    let each = |i: usize| if (i / inner).is_multiple_of(length) { 0.0 } else { next.next().unwrap_or(0.0) };
    Ok((0..result.size()).map(each).collect())
}

/// Bounds the error of a ufunc's `accumulate`, as [`scan_bound`]. `out` is the dtype of the output, in addition to the
/// requested dtype.
///
/// # Errors
///
/// As [`fold_accumulate`].
pub fn accumulate_bounds(
    name: &str,
    a: &NdArray,
    axis: isize,
    (out, dtype): (Option<DType>, Option<DType>),
    by: Gathering,
) -> Result<Vec<f64>> {
    let work = methods::gathered_in(name, a.dtype(), out, dtype)?;
    let stored = out.unwrap_or(work);
    let lines = Lines::of(name, a, axis)?;
    let accumulator = by.accumulator(work);
    lines.results(lines.length, 0.0, |line| {
        if !is_exact(name, work) {
            return Ok(vec![0.0; line.len()]);
        }
        let elements: Vec<(Value, Flag)> = line.iter().map(|v| cast(*v, work)).collect();
        let (mut mass, mut above, mut below) = (0.0, 1.0, 1.0);
        let each = |(k, (value, _)): (usize, (Value, Flag))| {
            let size = magnitude(elements[k].0);
            mass += size;
            above *= size.max(1.0);
            below *= if size > 0.0 { size.min(1.0) } else { 1.0 };
            let rounded = last_unit(cast(value, stored).0, k + 1, stored, false);
            let product = |steps: f64| {
                let reach = if below < smallest(accumulator) { f64::INFINITY } else { above };
                bound(steps * k as f64, magnitude(value), reach, accumulator, false)
            };
            let order = match (name, work.is_complex()) {
                ("add", _) => bound(k as f64, mass, mass, accumulator, false),
                // A complex product has four roundings in each part, and both parts enter the next.
                (_, true) => product(8.0),
                _ => product(1.0),
            };
            // A value that is truncated to an integer may fall to the next one.
            if order > 0.0 && stored.is_integer() { order + 1.0 } else { order + rounded }
        };
        Ok(prefixes(name, &elements, work).into_iter().enumerate().map(each).collect())
    })
}

fn parse_options(t: &Arguments) -> std::result::Result<ScanOptions, Fault> {
    let include_initial = t.or("include_initial", false)?;
    Ok(ScanOptions { axis: t.get("axis")?, dtype: t.get("dtype")?, out: t.get("out")?, include_initial })
}

counterparts! {
    "numpy.cumsum" = |t| scan("cumsum", t.get("a")?, &parse_options(t)?),
        bounds |t| Some(scan_bound("cumsum", t.get("a")?, &parse_options(t)?, t.by)?);
    "numpy.cumprod" = |t| scan("cumprod", t.get("a")?, &parse_options(t)?),
        bounds |t| Some(scan_bound("cumprod", t.get("a")?, &parse_options(t)?, t.by)?);
    "numpy.nancumsum" = |t| scan("nancumsum", t.get("a")?, &parse_options(t)?),
        bounds |t| Some(scan_bound("nancumsum", t.get("a")?, &parse_options(t)?, t.by)?);
    "numpy.nancumprod" = |t| scan("nancumprod", t.get("a")?, &parse_options(t)?),
        bounds |t| Some(scan_bound("nancumprod", t.get("a")?, &parse_options(t)?, t.by)?);
    "numpy.cumulative_sum" = |t| scan("cumulative_sum", t.get("x")?, &parse_options(t)?),
        bounds |t| Some(scan_bound("cumulative_sum", t.get("x")?, &parse_options(t)?, t.by)?);
    "numpy.cumulative_prod" = |t| scan("cumulative_prod", t.get("x")?, &parse_options(t)?),
        bounds |t| Some(scan_bound("cumulative_prod", t.get("x")?, &parse_options(t)?, t.by)?);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floats(values: &[f64]) -> NdArray {
        NdArray::from_values(DType::F32, &[values.len()], values.iter().map(|v| Value::Float(*v))).unwrap()
    }

    fn of(name: &str, values: &[f64]) -> Vec<f64> {
        scan(name, &floats(values), &ScanOptions::default()).unwrap().values().iter().map(|v| v.float()).collect()
    }

    #[test]
    fn every_result_is_rounded_once() {
        // One after the other in float32, the small ones would be lost: 2^24 + 1 + 1.
        assert_eq!(of("cumsum", &[16777216.0, 1.0, 1.0, -16777216.0]), [16777216.0, 16777216.0, 16777218.0, 2.0]);
        assert_eq!(of("cumprod", &[3.0, 0.1, 10.0])[2], (3.0 * f64::from(0.1f32) * 10.0) as f32 as f64);
    }

    #[test]
    fn what_is_not_finite_goes_on_and_not_back() {
        let sums = of("cumsum", &[1.0, f64::INFINITY, 2.0, f64::NEG_INFINITY, 1.0]);
        assert_eq!(sums[..3], [1.0, f64::INFINITY, f64::INFINITY]);
        assert!(sums[3].is_nan() && sums[4].is_nan());
        assert_eq!(of("nancumsum", &[1.0, f64::NAN, 2.0]), [1.0, 1.0, 3.0]);
        assert_eq!(of("nancumprod", &[f64::NAN, 2.0]), [1.0, 2.0]);
        assert!(of("cumprod", &[2.0, 0.0, f64::INFINITY])[2].is_nan());
    }

    #[test]
    fn the_identity_is_first_where_it_is_requested() {
        let a = NdArray::from_values(DType::I8, &[2, 2], (1..5).map(Value::Int)).unwrap();
        let options = ScanOptions { axis: Some(-1), include_initial: true, ..ScanOptions::default() };
        let result = scan("cumulative_prod", &a, &options).unwrap();
        assert_eq!((result.dtype(), result.shape()), (DType::I64, &[2, 3][..]));
        assert_eq!(result.values(), [1, 1, 2, 1, 3, 12].map(Value::Int));
    }

    #[test]
    fn bounds_grow_with_the_number_of_elements_and_their_magnitudes() {
        let bounds =
            scan_bound("cumsum", &floats(&[1.0, -1.0, 1.0]), &ScanOptions::default(), Gathering::DEVICE).unwrap();
        assert!(bounds[0] == 0.0 && bounds[1] > 0.0 && bounds[2] > bounds[1], "{bounds:?}");
    }
}
