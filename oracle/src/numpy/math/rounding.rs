//! NumPy's `round`, `nan_to_num` and `real_if_close`.

use cuprum_kernels::DType;
use num_complex::Complex64;

use crate::core::array::{NdArray, Operand};
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::layout::Order;
use crate::core::promote::{Casting, can_cast};
use crate::core::value::{Flag, Value, cast, max_finite, round, ulp};
use crate::numpy::math::angle::part;
use crate::numpy::math::difference::call;
use crate::table::counterparts;

/// Computes NumPy's `round`: multiplies by a power of ten, rounds to the nearest even integer, and divides; each step
/// is rounded to its dtype.
///
/// # Errors
///
/// `ValueError` for an `out` of another shape, `TypeError` for booleans with decimals and for an `out` to which the
/// results cannot be cast.
pub fn round_to(a: &NdArray, decimals: isize, out: Option<&NdArray>) -> Result<NdArray> {
    if let Some(out) = out {
        out.check_writable()?;
        if out.shape() != a.shape() {
            return fail(ErrorKind::Value, "out has another shape");
        }
        if a.dtype().is_complex() && !out.dtype().is_complex() {
            return fail(ErrorKind::Type, "an out of real numbers has no imaginary parts");
        }
    }
    let whole = a.dtype().is_integer();
    if decimals == 0 && out.is_none() && !whole && !a.dtype().is_complex() {
        return call("rint", &[a.into()]);
    }
    // The dtype of the first step, and of the others.
    let first = match a.dtype() {
        DType::Bool if decimals == 0 => DType::F16,
        d if whole && decimals >= 0 => d,
        d if d.is_float() || d.is_complex() => d,
        _ => DType::F64,
    };
    let kept = whole && decimals >= 0;
    let target = match out {
        Some(out) if !can_cast(first, out.dtype(), Casting::SameKind) => {
            return fail(ErrorKind::Type, "the results do not go into out");
        }
        Some(out) => out.dtype(),
        None if a.dtype() == DType::Bool && decimals != 0 => {
            return fail(ErrorKind::Type, "booleans have no decimals");
        }
        None => first,
    };
    let factor = 10f64.powf(decimals.unsigned_abs() as f64);
    let steps = |x: f64| -> f64 {
        let held = |x: f64| round(round(x, first), target);
        let (f, g) = (round(factor, first), round(factor, target));
        match decimals {
            0 => held(x.round_ties_even()),
            1.. => round(held(x * f).round_ties_even() / g, target),
            _ => round(held(x / f).round_ties_even() * g, target),
        }
    };
    let result = |v: Value| match v {
        v if kept => v,
        // As a complex number it is multiplied and divided by complex numbers, whose imaginary part is 0.
        Value::Float(x) if !x.is_finite() && decimals != 0 && target.is_complex() => {
            Value::Complex(Complex64::new(f64::NAN, f64::NAN))
        }
        Value::Complex(z) => Value::Complex(Complex64::new(steps(z.re), steps(z.im))),
        v => Value::Float(steps(v.float())),
    };
    let values: Vec<Value> = a.values().into_iter().map(result).collect();
    if let Some(out) = out {
        let elements: Vec<_> = values.into_iter().map(|v| Some((v, Flag::Exact))).collect();
        return Ok(out.with_elements(&elements));
    }
    let dtype = if whole { a.dtype() } else { first };
    let (values, flags): (Vec<Value>, Vec<Flag>) = values.into_iter().map(|v| cast(v, dtype)).unzip();
    let fortran = a.is_f_contiguous() && !a.is_c_contiguous();
    let order = match () {
        () if kept || decimals == 0 || dtype.is_complex() => Order::K,
        () if fortran => Order::F,
        () => Order::C,
    };
    Ok(NdArray::from_order(dtype, a.shape(), &a.order_axes(order), &values).with_flags(flags))
}

/// Replacements of [`nan_to_num`] for NaN and the infinities.
#[derive(Clone, Debug)]
pub struct NanToNumOptions<'a> {
    /// For NaN.
    pub nan: Operand<'a>,
    /// For the positive infinity; the largest number by default.
    pub posinf: Option<Operand<'a>>,
    /// For the negative infinity; the smallest number by default.
    pub neginf: Option<Operand<'a>>,
}

/// Computes NumPy's `nan_to_num`, into a new array or in place.
///
/// # Errors
///
/// `TypeError` for complex replacements, `ValueError` for those that do not broadcast to the elements.
pub fn nan_to_num(x: &NdArray, copy: bool, options: &NanToNumOptions<'_>) -> Result<NdArray> {
    let dtype = x.dtype();
    if !dtype.is_float() && !dtype.is_complex() {
        return Ok(if copy { x.copy(Order::K) } else { x.clone() });
    }
    if !copy {
        x.check_writable()?;
    }
    let most = max_finite(dtype);
    let replacement = |given: Option<&Operand<'_>>, default: f64| -> Result<Vec<f64>> {
        let values = match given {
            None => return Ok(vec![default; x.size()]),
            Some(Operand::Scalar(v)) => {
                if matches!(v, Value::Complex(_)) {
                    return fail(ErrorKind::Type, "a complex number does not replace a part");
                }
                vec![*v; x.size()]
            }
            Some(Operand::Array(a)) if a.dtype().is_complex() => {
                return fail(ErrorKind::Type, "complex numbers do not replace parts");
            }
            Some(Operand::Array(a)) => a.broadcast_to(x.shape())?.values(),
        };
        Ok(values.into_iter().map(|v| cast(v, dtype.real()).0.float()).collect())
    };
    let nan = replacement(Some(&options.nan), 0.0)?;
    let high = replacement(options.posinf.as_ref(), most)?;
    let low = replacement(options.neginf.as_ref(), -most)?;
    let finite = |x: f64, i: usize| match x {
        x if x.is_nan() => nan[i],
        f64::INFINITY => high[i],
        f64::NEG_INFINITY => low[i],
        x => x,
    };
    let replaced = x.values().into_iter().enumerate().map(|(i, v)| match v {
        Value::Complex(z) => Value::Complex(Complex64::new(finite(z.re, i), finite(z.im, i))),
        v => Value::Float(finite(v.float(), i)),
    });
    if !copy {
        return Ok(x.with_elements(&replaced.map(|v| Some((v, Flag::Exact))).collect::<Vec<_>>()));
    }
    Ok(NdArray::from_order(dtype, x.shape(), &x.order_axes(Order::K), &replaced.collect::<Vec<_>>()))
}

/// Computes NumPy's `real_if_close`.
///
/// # Errors
///
/// None.
pub fn real_if_close(a: &NdArray, tol: f64) -> Result<NdArray> {
    if !a.dtype().is_complex() {
        return Ok(a.clone());
    }
    let dtype = a.dtype().real();
    let tol = round(if tol > 1.0 { tol * ulp(1.0, dtype) } else { tol }, dtype);
    let near = call("absolute", &[(&part(a, 1)).into()])?.values().iter().all(|v| v.float() < tol);
    Ok(if near { part(a, 0) } else { a.clone() })
}

counterparts! {
    "numpy.round" = |t| round_to(t.get("a")?, t.or("decimals", 0)?, t.get("out")?);
    "numpy.around" = |t| round_to(t.get("a")?, t.or("decimals", 0)?, t.get("out")?);
    "numpy.round_" = |t| round_to(t.get("a")?, t.or("decimals", 0)?, t.get("out")?);
    "numpy.nan_to_num" = |t| {
        let nan = t.or("nan", Operand::Scalar(Value::Float(0.0)))?;
        nan_to_num(t.get("x")?, t.or("copy", true)?, &NanToNumOptions { nan, posinf: t.get("posinf")?, neginf: t.get("neginf")? })
    };
    "numpy.real_if_close" = |t| real_if_close(t.get("a")?, t.or("tol", 100.0)?);
}
