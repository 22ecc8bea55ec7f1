//! Elements: values, storage, rounding and casts.

use cuprum_kernels::{DType, Kind};
use half::{bf16, f16};
use num_complex::Complex64;

use crate::core::error::{ErrorKind, Result, fail};
use crate::core::version::{self, Change};

/// The value of one element, whatever its dtype. Every element of every dtype is represented exactly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// A boolean.
    Bool(bool),
    /// An integer; `i128` holds all of `int64` and `uint64`.
    Int(i128),
    /// A float of any width.
    Float(f64),
    /// A complex number of any width.
    Complex(Complex64),
}

impl From<bool> for Value {
    fn from(v: bool) -> Value {
        Value::Bool(v)
    }
}

impl From<i128> for Value {
    fn from(v: i128) -> Value {
        Value::Int(v)
    }
}

impl From<f64> for Value {
    fn from(v: f64) -> Value {
        Value::Float(v)
    }
}

impl From<Complex64> for Value {
    fn from(v: Complex64) -> Value {
        Value::Complex(v)
    }
}

/// The extent to which NumPy's documentation determines an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Flag {
    /// The value is the only correct one (up to the rounding that the operation is allowed).
    #[default]
    Exact,
    /// The sign of a zero (or of a part that is zero) differs among NumPy's implementations of the same result; here
    /// there is one.
    OurSign,
    /// The sign of a zero (or of a part that is zero) depends on the order of operations.
    AnySign,
    /// NumPy itself differs from machine to machine; here there is one rule, and this is the value by it.
    Ours,
    /// NumPy itself differs from machine to machine: any value is correct.
    Any,
}

impl Flag {
    /// Combines the flags of elements of which a result is computed: only their values count, since the sign of its
    /// zeros is its own.
    pub(crate) fn carried(flags: impl IntoIterator<Item = Flag>) -> Flag {
        flags.into_iter().filter(|flag| *flag >= Flag::Ours).max().unwrap_or_default()
    }
}

impl Value {
    /// Returns the integer: for a bool 0 or 1. Floats and complex numbers are truncated; use it for values known
    /// to be exact.
    pub fn int(self) -> i128 {
        match self {
            Value::Bool(v) => v as i128,
            Value::Int(v) => v,
            Value::Float(v) => v as i128,
            Value::Complex(v) => v.re as i128,
        }
    }

    /// Returns the nearest `f64`; for a complex number, of its real part.
    pub fn float(self) -> f64 {
        match self {
            Value::Bool(v) => v as u8 as f64,
            Value::Int(v) => v as f64,
            Value::Float(v) => v,
            Value::Complex(v) => v.re,
        }
    }

    /// Returns the value as a complex number.
    pub fn complex(self) -> Complex64 {
        match self {
            Value::Complex(v) => v,
            other => Complex64::new(other.float(), 0.0),
        }
    }

    /// Converts to a boolean: true if it is not zero; NaN is not zero.
    pub fn truth(self) -> bool {
        match self {
            Value::Bool(v) => v,
            Value::Int(v) => v != 0,
            Value::Float(v) => v != 0.0,
            Value::Complex(v) => v.re != 0.0 || v.im != 0.0,
        }
    }

    /// Returns true if it, or a part of it, is NaN.
    pub fn is_nan(self) -> bool {
        match self {
            Value::Bool(_) | Value::Int(_) => false,
            Value::Float(v) => v.is_nan(),
            Value::Complex(v) => v.re.is_nan() || v.im.is_nan(),
        }
    }

    /// Returns the zero of a dtype.
    pub fn zero(dtype: DType) -> Value {
        cast(Value::Int(0), dtype).0
    }

    /// Decodes an element from the first `dtype.size()` bytes.
    pub fn decode(dtype: DType, b: &[u8]) -> Value {
        let word = |n: usize, at: usize| b[at..at + n].iter().rev().fold(0u64, |acc, x| acc << 8 | *x as u64);
        let f32_at = |at| f32::from_bits(word(4, at) as u32) as f64;
        let f64_at = |at| f64::from_bits(word(8, at));
        match dtype {
            DType::Bool => Value::Bool(b[0] != 0),
            DType::I8 => Value::Int(word(1, 0) as i8 as i128),
            DType::I16 => Value::Int(word(2, 0) as i16 as i128),
            DType::I32 => Value::Int(word(4, 0) as i32 as i128),
            DType::I64 => Value::Int(word(8, 0) as i64 as i128),
            DType::U8 | DType::U16 | DType::U32 | DType::U64 => Value::Int(word(dtype.size(), 0) as i128),
            DType::F16 => Value::Float(f16::from_bits(word(2, 0) as u16).to_f64()),
            DType::BF16 => Value::Float(bf16::from_bits(word(2, 0) as u16).to_f64()),
            DType::F32 => Value::Float(f32_at(0)),
            DType::F64 => Value::Float(f64_at(0)),
            DType::C64 => Value::Complex(Complex64::new(f32_at(0), f32_at(4))),
            DType::C128 => Value::Complex(Complex64::new(f64_at(0), f64_at(8))),
        }
    }

    /// Appends the element's bytes, cast to `dtype` as [`cast`] does.
    pub fn encode(self, dtype: DType, out: &mut Vec<u8>) {
        let v = cast(self, dtype).0;
        match dtype {
            DType::Bool => out.push(v.truth() as u8),
            DType::F16 => out.extend(f16::from_f64(v.float()).to_le_bytes()),
            DType::BF16 => out.extend(bf16::from_f64(v.float()).to_le_bytes()),
            DType::F32 => out.extend((v.float() as f32).to_le_bytes()),
            DType::F64 => out.extend(v.float().to_le_bytes()),
            DType::C64 => {
                let c = v.complex();
                out.extend((c.re as f32).to_le_bytes());
                out.extend((c.im as f32).to_le_bytes());
            }
            DType::C128 => {
                let c = v.complex();
                out.extend(c.re.to_le_bytes());
                out.extend(c.im.to_le_bytes());
            }
            _ => out.extend(&v.int().to_le_bytes()[..dtype.size()]),
        }
    }
}

/// Returns the smallest and the largest value of an integer dtype; 0 and 1 for any other.
pub fn int_range(dtype: DType) -> (i128, i128) {
    let bits = dtype.size() as u32 * 8;
    match dtype.kind() {
        Kind::Signed => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        Kind::Unsigned => (0, (1 << bits) - 1),
        _ => (0, 1),
    }
}

/// Wraps the integer modulo 2 to the width of `dtype`.
pub(crate) fn wrap(v: i128, dtype: DType) -> i128 {
    let bits = dtype.size() as u32 * 8;
    let low = v & ((1 << bits) - 1);
    if low > int_range(dtype).1 { low - (1 << bits) } else { low }
}

/// Returns precision in bits and smallest normal exponent of a float dtype; of a complex one, of its parts.
fn format(dtype: DType) -> (i32, i32) {
    match dtype.real() {
        DType::F16 => (11, -14),
        DType::BF16 => (8, -126),
        DType::F32 => (24, -126),
        _ => (53, -1022),
    }
}

/// Returns the largest finite value of a float dtype; of a complex one, of its parts.
pub fn max_finite(dtype: DType) -> f64 {
    let (p, emin) = format(dtype);
    (2.0 - power_of_two(1 - p)) * power_of_two(1 - emin)
}

fn power_of_two(e: i32) -> f64 {
    if e < -1022 { f64::from_bits(1 << (e + 1074).max(0)) } else { f64::from_bits(((e + 1023) as u64) << 52) }
}

/// Returns the distance between neighbouring values of the float dtype at `v` (at its smallest for zero).
pub fn ulp(v: f64, dtype: DType) -> f64 {
    let (p, emin) = format(dtype);
    let bits = (v.abs().to_bits() >> 52) as i32;
    power_of_two((bits - 1023).max(emin).min(1 - emin) - (p - 1))
}

/// Rounds to the nearest value of a float dtype (of a complex one, of its parts), ties to even. Exact in one step.
pub fn round(v: f64, dtype: DType) -> f64 {
    match dtype.real() {
        DType::F64 => v,
        DType::F32 => v as f32 as f64,
        small => {
            if !v.is_finite() || v == 0.0 {
                return v;
            }
            let step = ulp(v, small);
            let rounded = (v / step).round_ties_even() * step;
            if rounded.abs() > max_finite(small) { f64::INFINITY.copysign(v) } else { rounded.copysign(v) }
        }
    }
}

/// Converts an integer to an `f64` that rounds to any narrower float as the integer itself does: inexact results are
/// odd.
fn int_to_odd(v: i128) -> f64 {
    let magnitude = v.unsigned_abs();
    let bits = 128 - magnitude.leading_zeros();
    if bits <= 53 {
        return v as f64;
    }
    let shift = bits - 53;
    let kept = magnitude >> shift;
    let sticky = (kept << shift != magnitude) as u128;
    let out = (kept | sticky) as f64 * power_of_two(shift as i32);
    if v < 0 { -out } else { out }
}

/// Casts an element to `dtype` as `astype` does, and returns the extent to which NumPy determines the result.
///
/// Integers wrap. A float outside the range of an integer dtype is [`Flag::Ours`]: NumPy's result depends on the
/// processor and even on the length of the array; the rule here goes through 64 bits.
pub fn cast(v: Value, dtype: DType) -> (Value, Flag) {
    let exact = |v| (v, Flag::Exact);
    match dtype.kind() {
        Kind::Bool => exact(Value::Bool(v.truth())),
        Kind::Unsigned | Kind::Signed => match v {
            Value::Bool(_) | Value::Int(_) => exact(Value::Int(wrap(v.int(), dtype))),
            Value::Float(_) | Value::Complex(_) => {
                let by_rule = through_64_bits(v.float(), dtype);
                let kept = !v.is_nan() && v.float() as i128 == by_rule;
                (Value::Int(by_rule), if kept { Flag::Exact } else { Flag::Ours })
            }
        },
        Kind::Float => exact(Value::Float(to_float(v, dtype))),
        Kind::Complex => match v {
            Value::Complex(c) => exact(Value::Complex(Complex64::new(round(c.re, dtype), round(c.im, dtype)))),
            _ => exact(Value::Complex(Complex64::new(to_float(v, dtype), 0.0))),
        },
    }
}

/// Converts a float to an integer: truncated to 64 bits, where it saturates and NaN is the number with only the highest
/// bit set, and then wrapped to the dtype. A non-negative value is unsigned on the way to `uint64`.
fn through_64_bits(x: f64, dtype: DType) -> i128 {
    let unsigned = dtype == DType::U64 && (x.is_nan() || x >= 0.0);
    let (low, high) = int_range(if unsigned { DType::U64 } else { DType::I64 });
    let long = if x.is_nan() { 1 << 63 } else { (x as i128).clamp(low, high) };
    wrap(long, dtype)
}

fn to_float(v: Value, dtype: DType) -> f64 {
    match v {
        Value::Int(i) if dtype.real() != DType::F64 => round(int_to_odd(i), dtype),
        _ => round(v.float(), dtype),
    }
}

/// Converts a weak scalar to an element of `dtype`.
///
/// # Errors
///
/// `OverflowError` for an integer outside the range of an integer dtype, or, for bool, of `int64`.
pub(crate) fn scalar_as(v: Value, dtype: DType) -> Result<Value> {
    if let Value::Int(i) = v
        && version::has(Change::Promotion)
        && matches!(dtype.kind(), Kind::Bool | Kind::Unsigned | Kind::Signed)
    {
        let (low, high) = int_range(if dtype == DType::Bool { DType::I64 } else { dtype });
        if i < low || i > high {
            return fail(ErrorKind::Overflow, format!("the integer {i} is out of bounds for {dtype}"));
        }
    }
    Ok(cast(v, dtype).0)
}

/// Rejects values that an array of a dtype cannot hold, whatever their size.
///
/// # Errors
///
/// `TypeError` for a complex number among real ones, `ValueError` for NaN and `OverflowError` for an infinity among integers.
fn check_kind(v: Value, dtype: DType) -> Result<()> {
    match v {
        Value::Complex(_) if !dtype.is_complex() && dtype != DType::Bool => {
            fail(ErrorKind::Type, "a complex number does not fit into a real array")
        }
        Value::Float(f) if f.is_nan() && dtype.is_integer() => {
            fail(ErrorKind::Value, "cannot convert float NaN to integer")
        }
        Value::Float(f) if f.is_infinite() && dtype.is_integer() => {
            fail(ErrorKind::Overflow, "cannot convert float infinity to integer")
        }
        _ => Ok(()),
    }
}

/// Converts a number that is assigned to an element of a dtype: floats are truncated to integers, within their range.
///
/// # Errors
///
/// `TypeError` for a complex number among real ones, `ValueError` for NaN and `OverflowError` for an infinity among
/// integers, and for a value out of their range.
pub(crate) fn assigned_as(v: Value, dtype: DType) -> Result<Value> {
    check_kind(v, dtype)?;
    match v {
        Value::Float(f) if dtype.is_integer() => scalar_as(Value::Int(f.trunc() as i128), dtype),
        // Every number can be converted to a boolean.
        Value::Int(i) if dtype == DType::Bool => Ok(Value::Bool(i != 0)),
        v => scalar_as(v, dtype),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Through 64 bits, where a float saturates, and from there by wrapping.
    #[test]
    fn floats_beyond_an_integer_go_through_64_bits() {
        let of = |x: f64, dtype| cast(Value::Float(x), dtype);
        let ours = |v: i128| (Value::Int(v), Flag::Ours);
        assert_eq!(of(-7.9, DType::I8), (Value::Int(-7), Flag::Exact));
        assert_eq!(of(300.0, DType::U8), ours(44));
        assert_eq!(of(-1.0, DType::U32), ours(4_294_967_295));
        assert_eq!(of(5e9, DType::I32), ours(705_032_704));
        assert_eq!(of(f64::INFINITY, DType::I32), ours(-1));
        assert_eq!(of(f64::NEG_INFINITY, DType::I16), ours(0));
        assert_eq!(of(f64::NAN, DType::I32), ours(0));
        assert_eq!(of(f64::NAN, DType::I64), ours(i128::from(i64::MIN)));
        assert_eq!(of(f64::NAN, DType::U64), ours(1 << 63));
        assert_eq!(of(-1.0, DType::U64), ours((1 << 64) - 1));
        assert_eq!(of(1e19, DType::U64), (Value::Int(10_000_000_000_000_000_000), Flag::Exact));
        assert_eq!(of(2f64.powi(64), DType::U64), ours((1 << 64) - 1));
        assert_eq!(Flag::carried([Flag::AnySign, Flag::Exact]), Flag::Exact);
        assert_eq!(Flag::carried([Flag::Ours, Flag::Any]), Flag::Any);
    }
}
