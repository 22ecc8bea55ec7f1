//! `linspace`, `logspace` and `geomspace` by NumPy's formulas, every step of which is rounded to the dtype.

use cuprum_kernels::DType;
use num_complex::Complex64;

use crate::core::array::{NdArray, Operand};
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::index::Index;
use crate::core::layout::{Order, axis_index, broadcast_shapes};
use crate::core::promote::result_type;
use crate::core::value::{Value, round, ulp};
use crate::numpy::creation::basic::arange;
use crate::numpy::math::difference::call;
use crate::numpy::polynomials::power_bounds::power_bound;
use crate::numpy::statistics::Bounded;
use crate::table::{Arguments, CallResult, Fault, counterparts};
use crate::ufunc::methods::strong;

/// Options: the number of samples, the endpoint, the dtype and the axis.
struct Spaced {
    num: usize,
    endpoint: bool,
    dtype: Option<DType>,
    axis: isize,
}

impl Spaced {
    fn parse_options(t: &Arguments) -> CallResult<Spaced> {
        let num: isize = t.or("num", 50)?;
        let Ok(num) = usize::try_from(num) else {
            return fail(ErrorKind::Value, format!("{num} numbers are none")).map_err(Fault::from);
        };
        Ok(Spaced { num, endpoint: t.or("endpoint", true)?, dtype: t.get("dtype")?, axis: t.or("axis", 0)? })
    }

    fn parts(&self) -> f64 {
        if self.endpoint { self.num as f64 - 1.0 } else { self.num as f64 }
    }

    /// Moves the first axis to its position, and casts to the requested dtype.
    fn finished(&self, y: &NdArray) -> Result<NdArray> {
        let y = if self.axis == 0 { y.clone() } else { y.moveaxis(&[0], &[self.axis])? };
        match self.dtype {
            Some(dtype) if dtype != y.dtype() => Ok(y.astype(dtype, Order::K)),
            _ => Ok(y),
        }
    }
}

fn float(x: f64) -> Operand<'static> {
    Operand::Scalar(Value::Float(x))
}

/// Divides a complex number by a real one as NumPy does: multiplies each part by the reciprocal.
fn shared(delta: &NdArray, parts: f64) -> Result<NdArray> {
    let dtype = delta.dtype();
    let share = round(1.0 / parts, dtype);
    let one = |v: Value| {
        let z = v.complex();
        Value::Complex(Complex64::new(round(z.re * share, dtype), round(z.im * share, dtype)))
    };
    let values: Vec<Value> = delta.values().into_iter().map(one).collect();
    Ok(NdArray::from_order(dtype, delta.shape(), &delta.order_axes(Order::K), &values))
}

/// Computes `linspace`: the samples, and their spacing.
fn linspace(start: &Operand<'_>, stop: &Operand<'_>, options: &Spaced) -> Result<(NdArray, NdArray)> {
    let found = result_type(&[start.clone(), stop.clone(), float(1.0)])?;
    if options.dtype.is_some_and(|d| d.is_integer()) && found.is_complex() {
        return fail(ErrorKind::Type, "complex numbers are not rounded down");
    }
    let (start, stop) = (strong(start)?.astype(found, Order::K), strong(stop)?.astype(found, Order::K));
    let delta = call("subtract", &[(&stop).into(), (&start).into()])?;
    let mut along = vec![1; delta.ndim() + 1];
    along[0] = options.num as isize;
    axis_index(options.axis, delta.ndim() + 1)?;
    let steps = arange(Value::Int(0), Value::Int(options.num as i128), Value::Int(1), Some(found))?;
    let steps = steps.reshape(&along, Order::C)?;
    let parts = float(options.parts());
    let (y, step) = if options.parts() > 0.0 {
        let step = if found.is_complex() {
            shared(&delta, options.parts())?
        } else {
            call("divide", &[(&delta).into(), parts.clone()])?
        };
        // A step that underflows to 0 is not used: then the whole distance is scaled.
        let y = if step.values().iter().any(|s| !s.truth()) {
            let shares = call("divide", &[(&steps).into(), parts])?;
            call("multiply", &[(&shares).into(), (&delta).into()])?
        } else {
            call("multiply", &[(&steps).into(), (&step).into()])?
        };
        (y, step)
    } else {
        (call("multiply", &[(&steps).into(), (&delta).into()])?, strong(&float(f64::NAN))?)
    };
    let mut y = call("add", &[(&y).into(), (&start).into()])?;
    if options.endpoint && options.num > 1 {
        y.assign(&[Index::At(-1)], &Operand::Array(&stop))?;
    }
    if options.dtype.is_some_and(|d| d.is_integer()) {
        y = call("floor", &[(&y).into()])?;
    }
    Ok((options.finished(&y)?, step))
}

fn logspace(start: &Operand<'_>, stop: &Operand<'_>, base: &Operand<'_>, options: &Spaced) -> Result<Bounded> {
    let spaced = Spaced { dtype: None, ..*options };
    let exponents = |start, stop| linspace(start, stop, &spaced).map(|(y, _)| y);
    let (powers, base, y) = match base {
        Operand::Array(base) if base.ndim() > 0 => {
            let (start, stop) = (strong(start)?, strong(stop)?);
            let ndim = broadcast_shapes(&[start.shape(), stop.shape(), base.shape()])?.len();
            let front = |a: &NdArray| {
                let shape = [vec![1; ndim - a.ndim()], a.shape().iter().map(|n| *n as isize).collect()].concat();
                a.reshape(&shape, Order::C)
            };
            let y = exponents(&Operand::Array(&front(&start)?), &Operand::Array(&front(&stop)?))?;
            let base = front(base)?.expand_dims(&[options.axis])?;
            (call("power", &[(&base).into(), (&y).into()])?, base, y)
        }
        base => {
            let y = exponents(start, stop)?;
            (call("power", &[base.clone(), (&y).into()])?, strong(base)?, y)
        }
    };
    let result = Spaced { axis: 0, ..*options }.finished(&powers)?;
    let bounds = if powers.dtype().is_complex() {
        let (base, y) = (base.broadcast_to(powers.shape())?.values(), y.broadcast_to(powers.shape())?.values());
        let dtype = if result.dtype().is_complex() { result.dtype() } else { powers.dtype() };
        // The exponents, a product and a sum each, are off by two units of the largest of them.
        let largest = y.iter().map(|y| y.complex().norm()).filter(|size| size.is_finite()).fold(0.0, f64::max);
        let off = 2.0 * ulp(largest, powers.dtype());
        let of = |((w, base), exponent): ((Value, Value), Value)| {
            let (w, base, exponent) = (w.complex(), base.complex(), exponent.complex());
            let angle_error = w.norm() * base.ln().norm() * off;
            power_bound(w, base, exponent, dtype) + if angle_error.is_nan() { 0.0 } else { angle_error }
        };
        powers.values().into_iter().zip(base).zip(y).map(of).collect()
    } else {
        power_bounds(&result, 0.0)
    };
    Ok(Bounded { result, bounds })
}

fn geomspace(start: &Operand<'_>, stop: &Operand<'_>, options: &Spaced) -> Result<NdArray> {
    let (start, stop) = (strong(start)?, strong(stop)?);
    if start.values().iter().chain(&stop.values()).any(|v| !v.truth()) {
        return fail(ErrorKind::Value, "no ratio leads to 0");
    }
    let dtype_of_result = NdArray::from_values(options.dtype.unwrap_or(DType::F64), &[0], [])?;
    let found = result_type(&[(&start).into(), (&stop).into(), float(1.0), (&dtype_of_result).into()])?;
    let (start, stop) = (start.astype(found, Order::K), stop.astype(found, Order::K));
    let sign = call("sign", &[(&start).into()])?;
    let first = call("divide", &[(&start).into(), (&sign).into()])?;
    let last = call("divide", &[(&stop).into(), (&sign).into()])?;
    let (log_first, log_last) = (call("log10", &[(&first).into()])?, call("log10", &[(&last).into()])?);
    let logs = Spaced { dtype: Some(found), axis: 0, ..*options };
    let mut y = logspace(&(&log_first).into(), &(&log_last).into(), &float(10.0), &logs)?.result;
    if options.num > 0 {
        y.assign(&[Index::At(0)], &Operand::Array(&first))?;
        if options.num > 1 && options.endpoint {
            y.assign(&[Index::At(-1)], &Operand::Array(&last))?;
        }
    }
    let y = call("multiply", &[(&y).into(), (&sign).into()])?;
    options.finished(&y)
}

/// Bounds the error of powers whose exponent is off by `shares` units of itself: as many units of the power as the
/// exponent of e, and a few of its own. A unit of the exponent is up to two of the power's. Contributions are two
/// logarithms, each one and a half units from the other side's, their difference, the step, its product and the sum.
fn power_bounds(y: &NdArray, shares: f64) -> Vec<f64> {
    let dtype = if y.dtype().is_float() || y.dtype().is_complex() { y.dtype() } else { DType::F64 };
    let sizes: Vec<f64> = y.values().iter().map(|v| v.complex().norm()).collect();
    let steep = sizes.iter().filter(|s| s.is_finite() && **s > 0.0).map(|s| s.ln().abs()).fold(0.0, f64::max);
    let bound = |size: &f64| if size.is_finite() { (4.0 + shares * (4.0 + steep)) * ulp(*size, dtype) } else { 0.0 };
    sizes.iter().map(bound).collect()
}

/// Bounds the error of `linspace`. Real numbers are NumPy's to the bit. For complex ones a product of the largest of
/// them is rounded, and a sum.
fn spaced_bounds(y: &NdArray) -> Vec<f64> {
    let sizes = || y.values().into_iter().map(|v| v.complex().norm()).filter(|size| size.is_finite());
    let bound = if y.dtype().is_complex() { 2.0 * ulp(sizes().fold(0.0, f64::max), y.dtype()) } else { 0.0 };
    vec![bound; y.size()]
}

counterparts! {
    "numpy.linspace" = |t| {
        let (y, step) = linspace(&t.get("start")?, &t.get("stop")?, &Spaced::parse_options(t)?)?;
        if t.or("retstep", false)? { vec![y, step] } else { vec![y] }
    }, bounds |t| {
        let (y, step) = linspace(&t.get("start")?, &t.get("stop")?, &Spaced::parse_options(t)?)?;
        Some([spaced_bounds(&y), spaced_bounds(&step)].concat())
    };
    "numpy.logspace" = |t| logspace(&t.get("start")?, &t.get("stop")?, &t.or("base", float(10.0))?, &Spaced::parse_options(t)?);
    "numpy.geomspace" = |t| geomspace(&t.get("start")?, &t.get("stop")?, &Spaced::parse_options(t)?),
        bounds |t| Some(power_bounds(&geomspace(&t.get("start")?, &t.get("stop")?, &Spaced::parse_options(t)?)?, 7.0));
}
