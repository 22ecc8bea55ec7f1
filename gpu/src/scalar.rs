//! Host scalars: weak operands, which take the dtype of the arrays they are combined with.
//!
//! A scalar carries a Rust number without a dtype: a bool, an integer of up to 128 bits, a float64 or a complex128.

use std::cmp::Ordering;
use std::fmt;

use cuprum_kernels::{DType, Kind};
use half::{bf16, f16};
use num_complex::{Complex, Complex32, Complex64};

use crate::dtype::Casting;
use crate::error::{Error, ErrorKind, Result};

/// Host scalar. It is weak (NEP 50): combined with an array it takes the array's dtype, within its kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalar {
    /// A boolean.
    Bool(bool),
    /// An integer, which covers all of `i64` and `u64`.
    Int(i128),
    /// A real number.
    Float(f64),
    /// A complex number.
    Complex(Complex64),
}

/// Type of an operand in promotion: an array's dtype, or a weak scalar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OperandType {
    /// The dtype of an array.
    Array(DType),
    /// A weak scalar.
    Scalar(Scalar),
}

impl From<DType> for OperandType {
    fn from(dtype: DType) -> Self {
        OperandType::Array(dtype)
    }
}

impl<S: Into<Scalar>> From<S> for OperandType {
    fn from(s: S) -> Self {
        OperandType::Scalar(s.into())
    }
}

impl OperandType {
    /// Returns the dtype of an array.
    pub(crate) fn array(&self) -> Option<DType> {
        match self {
            OperandType::Array(dtype) => Some(*dtype),
            OperandType::Scalar(_) => None,
        }
    }
}

/// Converts integers to scalars through `i128`.
macro_rules! from_int {
    ($($t:ty),+) => {$(
        impl From<$t> for Scalar {
            fn from(x: $t) -> Scalar {
                Scalar::Int(x as i128)
            }
        }
    )+};
}
from_int!(i8, u8, i16, u16, i32, u32, i64, u64, isize, usize);

/// Converts floats to scalars through `f64`, which represents them exactly.
macro_rules! from_float {
    ($($t:ty),+) => {$(
        impl From<$t> for Scalar {
            fn from(x: $t) -> Scalar {
                Scalar::Float(x.into())
            }
        }
    )+};
}
from_float!(f16, bf16, f32, f64);

impl From<bool> for Scalar {
    fn from(x: bool) -> Scalar {
        Scalar::Bool(x)
    }
}

impl From<Complex64> for Scalar {
    fn from(x: Complex64) -> Scalar {
        Scalar::Complex(x)
    }
}

impl From<Complex32> for Scalar {
    fn from(x: Complex32) -> Scalar {
        Scalar::Complex(Complex { re: x.re.into(), im: x.im.into() })
    }
}

/// Formats the number as Rust does.
impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::Bool(b) => b.fmt(f),
            Scalar::Int(n) => n.fmt(f),
            Scalar::Float(x) => x.fmt(f),
            Scalar::Complex(z) => z.fmt(f),
        }
    }
}

/// Accessors return the value if it is of the requested kind or converts to it without loss of kind: an integer is also
/// a real number, but not a boolean.
///
/// ```
/// use cuprum::Scalar;
/// assert_eq!(Scalar::from(3).as_f64(), Some(3.0));
/// assert_eq!(Scalar::from(2.5).as_i64(), None);
/// assert_eq!(cuprum::array([2.5f32])?.to_scalar()?.as_f64(), Some(2.5));
/// # Ok::<(), cuprum::Error>(())
/// ```
impl Scalar {
    /// Returns the value of a boolean.
    ///
    /// ```
    /// use cuprum::Scalar;
    /// assert_eq!((Scalar::from(true).as_bool(), Scalar::from(1).as_bool()), (Some(true), None));
    /// ```
    pub fn as_bool(self) -> Option<bool> {
        if let Scalar::Bool(b) = self { Some(b) } else { None }
    }

    /// Returns the value of an integer that fits.
    ///
    /// It is `None` for an integer out of range of int64, and for a number that is not an integer.
    ///
    /// ```
    /// use cuprum::Scalar;
    /// assert_eq!((Scalar::from(7).as_i64(), Scalar::from(7.5).as_i64()), (Some(7), None));
    /// ```
    pub fn as_i64(self) -> Option<i64> {
        if let Scalar::Int(n) = self { n.try_into().ok() } else { None }
    }

    /// Returns the value of an integer that fits.
    ///
    /// It is `None` for a negative integer, and for a number that is not an integer.
    ///
    /// ```
    /// use cuprum::Scalar;
    /// assert_eq!((Scalar::from(7).as_u64(), Scalar::from(-7).as_u64()), (Some(7), None));
    /// ```
    pub fn as_u64(self) -> Option<u64> {
        if let Scalar::Int(n) = self { n.try_into().ok() } else { None }
    }

    /// Returns the value of an integer or a real number as a real number.
    ///
    /// It is `None` for a complex number.
    ///
    /// ```
    /// use cuprum::Scalar;
    /// assert_eq!((Scalar::from(7).as_f64(), Scalar::from(2.5).as_f64()), (Some(7.0), Some(2.5)));
    /// ```
    pub fn as_f64(self) -> Option<f64> {
        match self {
            Scalar::Int(n) => Some(n as f64),
            Scalar::Float(x) => Some(x),
            Scalar::Bool(_) | Scalar::Complex(_) => None,
        }
    }

    /// Returns the value of any number as a complex number.
    ///
    /// ```
    /// use cuprum::Scalar;
    /// assert_eq!(Scalar::from(2.5).as_complex().map(|z| (z.re, z.im)), Some((2.5, 0.0)));
    /// ```
    pub fn as_complex(self) -> Option<Complex64> {
        match self {
            Scalar::Complex(z) => Some(z),
            other => other.as_f64().map(Complex64::from),
        }
    }
}

impl Scalar {
    /// Returns the value as a real number, or the real part of a complex one.
    pub(crate) fn real(self) -> f64 {
        match self {
            Scalar::Bool(b) => f64::from(u8::from(b)),
            Scalar::Int(n) => n as f64,
            Scalar::Float(x) => x,
            Scalar::Complex(z) => z.re,
        }
    }

    fn imag(self) -> f64 {
        if let Scalar::Complex(z) = self { z.im } else { 0.0 }
    }

    /// Returns whether the value is not zero.
    pub(crate) fn is_true(self) -> bool {
        match self {
            Scalar::Bool(b) => b,
            Scalar::Int(n) => n != 0,
            Scalar::Float(x) => x != 0.0,
            Scalar::Complex(z) => z.re != 0.0 || z.im != 0.0,
        }
    }

    /// Returns the value as an integer, truncated and saturated to 64 bits like a cast of an array.
    fn int(self) -> i128 {
        match self {
            Scalar::Bool(b) => b.into(),
            Scalar::Int(n) => n,
            other => {
                let x = other.real();
                if x >= 9_223_372_036_854_775_808.0 { u128::from(x as u64) as i128 } else { (x as i64).into() }
            }
        }
    }

    /// Returns the bytes of the value cast to `dtype`, at the front of sixteen.
    pub(crate) fn encode(self, dtype: DType) -> [u8; 16] {
        let mut out = [0; 16];
        macro_rules! put {
            ($bytes:expr) => {{
                let bytes = $bytes;
                out[..bytes.len()].copy_from_slice(&bytes);
            }};
        }
        match dtype {
            DType::Bool => put!([u8::from(self.is_true())]),
            DType::I8 => put!((self.int() as i8).to_le_bytes()),
            DType::U8 => put!((self.int() as u8).to_le_bytes()),
            DType::I16 => put!((self.int() as i16).to_le_bytes()),
            DType::U16 => put!((self.int() as u16).to_le_bytes()),
            DType::I32 => put!((self.int() as i32).to_le_bytes()),
            DType::U32 => put!((self.int() as u32).to_le_bytes()),
            DType::I64 => put!(self.int64().to_le_bytes()),
            DType::U64 => put!((self.int() as u64).to_le_bytes()),
            DType::F16 => put!(f16::from_f32(self.odd32()).to_le_bytes()),
            DType::BF16 => put!(bf16::from_f32(self.odd32()).to_le_bytes()),
            DType::F32 => put!(self.real32().to_le_bytes()),
            DType::F64 => put!(self.real().to_le_bytes()),
            DType::C64 => {
                put!(self.real32().to_le_bytes());
                out[4..8].copy_from_slice(&(self.imag() as f32).to_le_bytes());
            }
            DType::C128 => {
                put!(self.real().to_le_bytes());
                out[8..].copy_from_slice(&self.imag().to_le_bytes());
            }
        }
        out
    }

    /// Returns the value rounded once to float32: an integer is not rounded to float64 first.
    fn real32(self) -> f32 {
        if let Scalar::Int(n) = self { n as f32 } else { self.real() as f32 }
    }

    fn int64(self) -> i64 {
        match self {
            Scalar::Bool(_) | Scalar::Int(_) => self.int() as i64,
            other => other.real() as i64,
        }
    }

    /// Returns the value rounded to odd in float32: rounding it again to a 16-bit float is equal to rounding once.
    fn odd32(self) -> f32 {
        let near = self.real32();
        let order = match self {
            Scalar::Int(n) => (near as i128).unsigned_abs().cmp(&n.unsigned_abs()),
            other => f64::from(near).abs().partial_cmp(&other.real().abs()).unwrap_or(Ordering::Equal),
        };
        match order {
            Ordering::Equal => near,
            Ordering::Less => f32::from_bits(near.to_bits() | 1),
            // A step towards zero truncates; from infinity it leads to the largest number, which is odd.
            Ordering::Greater => f32::from_bits((near.to_bits() - 1) | 1),
        }
    }

    /// Decodes the bytes of an element.
    pub(crate) fn decode(bytes: &[u8], dtype: DType) -> Scalar {
        let word = |at: usize, n: usize| {
            let mut own = [0; 8];
            own[..n].copy_from_slice(&bytes[at..at + n]);
            u64::from_le_bytes(own)
        };
        let float = |at: usize, dtype: DType| match dtype {
            DType::F16 => f16::from_bits(word(at, 2) as u16).to_f64(),
            DType::BF16 => bf16::from_bits(word(at, 2) as u16).to_f64(),
            DType::F32 => f32::from_bits(word(at, 4) as u32).into(),
            _ => f64::from_bits(word(at, 8)),
        };
        let (size, kind) = (dtype.size(), dtype.kind());
        match kind {
            Kind::Bool => Scalar::Bool(bytes[0] != 0),
            Kind::Unsigned => Scalar::Int(word(0, size).into()),
            Kind::Signed => {
                let unused = 64 - 8 * size as u32;
                Scalar::Int((((word(0, size) << unused) as i64) >> unused).into())
            }
            Kind::Float => Scalar::Float(float(0, dtype)),
            Kind::Complex => {
                let part = dtype.real();
                Scalar::Complex(Complex::new(float(0, part), float(part.size(), part)))
            }
        }
    }

    /// Returns the dtype of the scalar where nothing else determines it.
    pub(crate) fn own_dtype(self) -> DType {
        match self {
            Scalar::Bool(_) => DType::Bool,
            Scalar::Int(_) => DType::I64,
            Scalar::Float(_) => DType::F64,
            Scalar::Complex(_) => DType::C128,
        }
    }

    /// Returns whether the rule allows a host scalar to become an element of the dtype. By its kind alone it is of any
    /// dtype of that kind and above, without a cast; a boolean is one of bool.
    pub(crate) fn casts_to(self, dtype: DType, casting: Casting) -> bool {
        let own = self.own_dtype();
        let level = |d: DType| match d.kind() {
            Kind::Bool => 0,
            Kind::Unsigned | Kind::Signed => 1,
            Kind::Float => 2,
            Kind::Complex => 3,
        };
        match casting {
            Casting::Unsafe => true,
            // NumPy compares the scalar's own dtype with the other one.
            Casting::Equiv => own == dtype,
            Casting::No if own == DType::Bool => dtype == DType::Bool,
            Casting::No | Casting::Safe | Casting::SameKind => level(own) <= level(dtype),
        }
    }

    /// Rejects an integer out of range of an integer dtype, as weak scalars must fit. For booleans the range is that of
    /// int64.
    pub(crate) fn check_fits(self, dtype: DType) -> Result<()> {
        let range = integer_range(if dtype == DType::Bool { DType::I64 } else { dtype });
        let (Scalar::Int(n), Some((low, high))) = (self, range) else { return Ok(()) };
        if n < low || n > high {
            return Err(Error::new(
                ErrorKind::Overflow,
                format!("integer {n} is out of bounds for {dtype}, which holds {low} to {high}"),
            ));
        }
        Ok(())
    }

    /// Rejects a value that cannot be assigned to an element of the dtype: in addition to [`Scalar::check_fits`], a
    /// float whose integer part is out of range, and a complex number for a real dtype.
    pub(crate) fn check_assigns(self, dtype: DType) -> Result<()> {
        match self {
            Scalar::Float(x) if dtype.is_integer() => {
                if x.is_nan() {
                    return Err(Error::new(
                        ErrorKind::Value,
                        format!("NaN cannot become {dtype}, which holds integers"),
                    ));
                }
                if x.is_infinite() {
                    return Err(Error::new(
                        ErrorKind::Overflow,
                        format!("{x} cannot become {dtype}, which holds integers"),
                    ));
                }
                // A value outside i128 saturates, and is still out of range.
                Scalar::Int(x as i128).check_fits(dtype)
            }
            // Every number converts to a boolean.
            Scalar::Int(_) if dtype == DType::Bool => Ok(()),
            Scalar::Complex(z) if !dtype.is_complex() && dtype != DType::Bool => Err(Error::new(
                ErrorKind::Type,
                format!("the complex number {z} cannot become {dtype}: take its real part"),
            )),
            _ => self.check_fits(dtype),
        }
    }
}

/// Returns the smallest and the largest value of an integer dtype.
pub(crate) fn integer_range(dtype: DType) -> Option<(i128, i128)> {
    let bits = 8 * dtype.size() as u32;
    match dtype.kind() {
        Kind::Unsigned => Some((0, (1 << bits) - 1)),
        Kind::Signed => Some((-(1 << (bits - 1)), (1 << (bits - 1)) - 1)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_cast_as_arrays_are() {
        assert_eq!(Scalar::Float(-1.5).encode(DType::U8)[0], 255);
        assert_eq!(Scalar::Int(300).encode(DType::U8)[0], 44);
        assert_eq!(Scalar::Float(65520.0).encode(DType::F16)[..2], 0x7c00u16.to_le_bytes());
        assert_eq!(Scalar::Int((1 << 24) + 1).encode(DType::F32)[..4], 16_777_216f32.to_le_bytes());
        assert_eq!(Scalar::Complex(Complex { re: 0.0, im: 1.0 }).encode(DType::Bool)[0], 1);
    }

    #[test]
    fn integers_that_do_not_fit_are_rejected() {
        assert_eq!(Scalar::Int(300).check_fits(DType::U8).unwrap_err().kind(), ErrorKind::Overflow);
        assert_eq!(Scalar::Int(-1).check_fits(DType::U64).unwrap_err().kind(), ErrorKind::Overflow);
        assert!(Scalar::Int(255).check_fits(DType::U8).is_ok());
        assert!(Scalar::Int(1 << 70).check_fits(DType::F32).is_ok());
    }

    #[test]
    fn floats_of_16_bits_are_rounded_once() {
        // Slightly above a tie between two numbers, but a tie when rounded to float32 first.
        let f16_tie = 1.0 + 2f64.powi(-11);
        let above = f16_tie + 2f64.powi(-40);
        assert_eq!(Scalar::Float(f16_tie).encode(DType::F16)[..2], f16::from_f32(1.0).to_le_bytes());
        assert_eq!(Scalar::Float(above).encode(DType::F16)[..2], f16::from_bits(0x3c01).to_le_bytes());
        assert_eq!(Scalar::Float(-above).encode(DType::F16)[..2], f16::from_bits(0xbc01).to_le_bytes());
        let bf16_tie = 1.0 + 2f64.powi(-8);
        assert_eq!(Scalar::Float(bf16_tie + 2f64.powi(-40)).encode(DType::BF16)[..2], 0x3f81u16.to_le_bytes());
        assert_eq!(Scalar::Float(bf16_tie - 2f64.powi(-40)).encode(DType::BF16)[..2], 0x3f80u16.to_le_bytes());
        assert_eq!(Scalar::Int((1 << 62) + (1 << 54) + 1).encode(DType::BF16)[..2], 0x5e81u16.to_le_bytes());
        // At the ends: the largest number is kept, a value that rounds beyond it is infinite, the smallest does not
        // underflow.
        assert_eq!(Scalar::Float(65519.999).encode(DType::F16)[..2], 0x7bffu16.to_le_bytes());
        assert_eq!(Scalar::Float(1e300).encode(DType::BF16)[..2], 0x7f80u16.to_le_bytes());
        assert_eq!(Scalar::Float(2f64.powi(-25) * 1.0001).encode(DType::F16)[..2], 1u16.to_le_bytes());
        assert_eq!(Scalar::Float(1e-300).encode(DType::F16)[..2], 0u16.to_le_bytes());
    }

    #[test]
    fn bytes_decode_to_what_was_encoded() {
        for dtype in DType::ALL {
            let value = match dtype.kind() {
                Kind::Bool => Scalar::Bool(true),
                Kind::Unsigned => Scalar::Int(integer_range(dtype).unwrap().1),
                Kind::Signed => Scalar::Int(integer_range(dtype).unwrap().0),
                Kind::Float => Scalar::Float(-1.5),
                Kind::Complex => Scalar::Complex(Complex::new(-0.5, 2.25)),
            };
            assert_eq!(Scalar::decode(&value.encode(dtype), dtype), value);
        }
    }
}
