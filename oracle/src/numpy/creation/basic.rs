//! Creation of arrays: `full`, `zeros`, `ones`, `arange`, `empty` and their `_like` variants.

use cuprum_kernels::{DType, Kind};
use num_complex::Complex64;

use crate::core::array::{NdArray, Operand};
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::index::Index;
use crate::core::layout::Order;
use crate::core::promote::result_type;
use crate::core::value::{Flag, Value, cast, round, scalar_as};
use crate::core::version::{self, Change};
use crate::table::counterparts;

/// Creates an array of one value; the dtype defaults to the value's own (`int64`, `float64`, `complex128`, `bool`).
///
/// # Errors
///
/// `OverflowError` for an integer that the dtype cannot hold.
pub fn full(shape: &[usize], value: Value, dtype: Option<DType>, order: Order) -> Result<NdArray> {
    let dtype = match dtype {
        Some(d) => d,
        None if matches!(value, Value::Int(i) if i > i64::MAX as i128) => DType::U64,
        None => result_type(&[Operand::Scalar(value)])?,
    };
    let flag = cast(value, dtype).1;
    let value = scalar_as(value, dtype)?;
    let count = shape.iter().product();
    let mut axes: Vec<usize> = (0..shape.len()).collect();
    if order == Order::F {
        axes.reverse();
    }
    Ok(NdArray::from_order(dtype, shape, &axes, &vec![value; count]).with_flags(vec![flag; count]))
}

/// Creates an array of zeros.
///
/// # Errors
///
/// None that a shape and a dtype can cause; the signature is that of the related functions.
pub fn zeros(shape: &[usize], dtype: DType, order: Order) -> Result<NdArray> {
    full(shape, Value::Int(0), Some(dtype), order)
}

/// Creates an array of ones.
///
/// # Errors
///
/// As [`zeros`].
pub fn ones(shape: &[usize], dtype: DType, order: Order) -> Result<NdArray> {
    full(shape, Value::Int(1), Some(dtype), order)
}

/// Creates the range `start`, `start + step`, … up to but without `stop`; the dtype defaults to the promoted dtype of
/// the numbers.
///
/// The distance is the difference of the second element, rounded to the dtype, and the first; float elements are `start
/// + i * distance` with both roundings, 16-bit ones over float32.
///
/// # Errors
///
/// `ZeroDivisionError` for a step of 0, `OverflowError` for a number that the dtype cannot hold, `ValueError` for a
/// length that is not finite, `TypeError` for more than two booleans.
pub fn arange(start: Value, stop: Value, step: Value, dtype: Option<DType>) -> Result<NdArray> {
    let dtype = match dtype {
        Some(d) => d,
        None => match result_type(&[Operand::Scalar(start), Operand::Scalar(stop), Operand::Scalar(step)])? {
            DType::Bool => DType::I64,
            other => other,
        },
    };
    let count = length(start, stop, step)?;
    let next = add(start, step);
    if dtype.kind() == Kind::Bool && count > 2 {
        let kind = if version::has(Change::BooleanRange) { ErrorKind::Type } else { ErrorKind::Value };
        return fail(kind, "a range of booleans has at most two elements");
    }
    let mut flags = Vec::with_capacity(count);
    let mut exact = |v| {
        flags.push(cast(v, dtype).1);
        scalar_as(v, dtype)
    };
    let mut values = Vec::with_capacity(count);
    if count > 0 {
        values.push(exact(start)?);
    }
    if count > 1 {
        values.push(exact(next)?);
    }
    for i in 2..count {
        values.push(element(values[0], values[1], i, dtype));
    }
    // Elements are undefined where the ends are, in NumPy.
    let flag = Flag::carried(flags);
    Ok(NdArray::from_values(dtype, &[count], values)?.with_flags(vec![flag; count]))
}

/// Returns the number of elements: the quotient rounded up.
fn length(start: Value, stop: Value, step: Value) -> Result<usize> {
    if !step.truth() {
        return fail(ErrorKind::ZeroDivision, "a range's step cannot be 0");
    }
    if let (Value::Int(_) | Value::Bool(_), Value::Int(_) | Value::Bool(_), Value::Int(_) | Value::Bool(_)) =
        (start, stop, step)
    {
        let (span, step) = (stop.int() - start.int(), step.int());
        let count = span / step + (span % step != 0 && (span > 0) == (step > 0)) as i128;
        return Ok(count.max(0) as usize);
    }
    let exact = |a: Complex64, b: Complex64, c: Complex64| (a - b) / c;
    let ends = [start, stop, step];
    let count = if ends.iter().any(|v| matches!(v, Value::Complex(_))) {
        // Each part has a length; the shorter one counts, so that a real range written as complex is empty.
        let quotient = exact(stop.complex(), start.complex(), step.complex());
        quotient.re.ceil().min(quotient.im.ceil())
    } else {
        ((stop.float() - start.float()) / step.float()).ceil()
    };
    if !count.is_finite() || count > isize::MAX as f64 {
        return fail(ErrorKind::Value, "the range has no finite length");
    }
    Ok(count.max(0.0) as usize)
}

fn add(a: Value, b: Value) -> Value {
    match (a, b) {
        (Value::Complex(_), _) | (_, Value::Complex(_)) => Value::Complex(a.complex() + b.complex()),
        (Value::Float(_), _) | (_, Value::Float(_)) => Value::Float(a.float() + b.float()),
        _ => Value::Int(a.int() + b.int()),
    }
}

/// Computes element `i` of a range from its first two.
fn element(first: Value, second: Value, i: usize, dtype: DType) -> Value {
    let work = match dtype.real() {
        DType::F64 => DType::F64,
        _ => DType::F32,
    };
    let float = |a: f64, b: f64| {
        let delta = round(b - a, work);
        a + round(i as f64 * delta, work)
    };
    match dtype.kind() {
        Kind::Bool | Kind::Unsigned | Kind::Signed => {
            Value::Int(first.int() + i as i128 * (second.int() - first.int()))
        }
        Kind::Float => Value::Float(round(round(float(first.float(), second.float()), work), dtype)),
        Kind::Complex => {
            let (a, b) = (first.complex(), second.complex());
            Value::Complex(Complex64::new(round(float(a.re, b.re), dtype), round(float(a.im, b.im), dtype)))
        }
    }
}

/// Creates an array of the shape and the layout of another; without a value its elements are uninitialised.
///
/// # Errors
///
/// As [`full`].
pub(crate) fn like(a: &NdArray, value: Option<Value>, dtype: DType) -> Result<NdArray> {
    // Every element is represented exactly as a boolean.
    let mut new = a.astype(DType::Bool, Order::K).astype(dtype, Order::K);
    match value {
        Some(value) => new.assign(&[Index::Ellipsis], &Operand::Array(&full(&[], value, Some(dtype), Order::C)?))?,
        None => {
            let n = new.size();
            new = new.with_flags(vec![Flag::Any; n]);
        }
    }
    Ok(new)
}

/// Returns the requested dtype, or the array's own.
fn requested_dtype(a: &NdArray, dtype: Option<DType>) -> DType {
    dtype.unwrap_or(a.dtype())
}

counterparts! {
    "numpy.empty_like" = |t| {
        let a: &NdArray = t.get("prototype")?;
        like(a, None, requested_dtype(a, t.get("dtype")?))
    };
    "numpy.zeros_like" = |t| {
        let a: &NdArray = t.get("a")?;
        like(a, Some(Value::Int(0)), requested_dtype(a, t.get("dtype")?))
    };
    "numpy.ones_like" = |t| {
        let a: &NdArray = t.get("a")?;
        like(a, Some(Value::Int(1)), requested_dtype(a, t.get("dtype")?))
    };
    "numpy.full_like" = |t| {
        let a: &NdArray = t.get("a")?;
        like(a, Some(t.get("fill_value")?), requested_dtype(a, t.get("dtype")?))
    };
    "numpy.arange" = |t| arange(t.get("start")?, t.get("stop")?, t.get("step")?, t.get("dtype")?);
    "numpy.zeros" = |t| zeros(&t.get::<Vec<usize>>("shape")?, t.or("dtype", DType::F64)?, t.or("order", Order::C)?);
    "numpy.ones" = |t| ones(&t.get::<Vec<usize>>("shape")?, t.or("dtype", DType::F64)?, t.or("order", Order::C)?);
    "numpy.full" = |t| {
        full(&t.get::<Vec<usize>>("shape")?, t.get("fill_value")?, t.get("dtype")?, t.or("order", Order::C)?)
    };
    "numpy.empty" = |t| {
        // Elements of uninitialised memory are undefined.
        let new = zeros(&t.get::<Vec<usize>>("shape")?, t.or("dtype", DType::F64)?, t.or("order", Order::C)?)?;
        let n = new.size();
        new.with_flags(vec![Flag::Any; n])
    };
}
