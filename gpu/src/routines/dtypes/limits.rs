//! Limits of dtypes: `min_scalar_type`, `finfo` and `iinfo`.

use cuprum_kernels::DType;
use cuprum_macros::{routine, unrecorded};

use crate::array::Operand;
use crate::error::{Error, ErrorKind, Result};
use crate::scalar::{Scalar, integer_range};

/// Returns the smallest dtype that can hold a value, for floats by range alone; NumPy's `min_scalar_type`. For an array
/// with axes it is the array's dtype, for a 0-d array that of its element.
///
/// The result for an array with axes is its own dtype. A float is judged by its range, not by its precision.
///
/// # Errors
///
/// [`ErrorKind::Overflow`] for an integer out of range of every dtype.
///
/// # Synchronization
///
/// For a 0-d array, synchronises with the current stream.
///
/// ```
/// use cuprum::{DType, min_scalar_type};
/// assert_eq!(min_scalar_type(255)?, DType::U8);
/// assert_eq!(min_scalar_type(-129)?, DType::I16);
/// assert_eq!(min_scalar_type(1e5)?, DType::F32);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[routine(
    names = "a",
    python(positional_only = 1),
    no_cases = "compared as a whole with NumPy's table",
    no_programs = "compared as a whole with NumPy's table"
)]
pub fn min_scalar_type(value: Operand<'_>) -> Result<DType> {
    match value {
        Operand::Array(a) if a.ndim() == 0 && a.dtype() != DType::BF16 => {
            // The bounds are slightly below the largest numbers, which need no more than their own dtype.
            let found = smallest(a.to_scalar()?)?;
            Ok(if a.dtype().size() < found.size() { a.dtype() } else { found })
        }
        Operand::Array(a) => Ok(a.dtype()),
        Operand::Scalar(s) => smallest(s),
    }
}

fn smallest(value: Scalar) -> Result<DType> {
    use DType::*;
    // NumPy's bounds, slightly below the largest numbers.
    let float = |x: f64| match x.abs() {
        m if m < 65000.0 || !m.is_finite() => F16,
        m if m < 3.4e38 => F32,
        _ => F64,
    };
    match value {
        Scalar::Bool(_) => Ok(Bool),
        Scalar::Int(i) => {
            let candidates = if i < 0 { [I8, I16, I32, I64] } else { [U8, U16, U32, U64] };
            let found = candidates.into_iter().find(|d| value.check_fits(*d).is_ok());
            found.ok_or_else(|| {
                Error::new(ErrorKind::Overflow, format!("no dtype holds {i}")).with_op("min_scalar_type")
            })
        }
        Scalar::Float(x) => Ok(float(x)),
        // Infinity and NaN exceed the bound here.
        Scalar::Complex(z) => Ok(if z.re.abs() < 3.4e38 && z.im.abs() < 3.4e38 { C64 } else { C128 }),
    }
}

/// Limits of a floating-point dtype; NumPy's `finfo`.
///
/// Numbers are float64, in which those of every dtype are exact. bfloat16, which NumPy lacks, has its own limits: 8
/// bits of precision and the exponents of float32.
///
/// ```
/// let info = cuprum::finfo(cuprum::DType::F32)?;
/// assert_eq!((info.bits, info.nmant, info.eps), (32, 23, f64::from(f32::EPSILON)));
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct FloatInfo {
    /// The dtype, or the component dtype of a complex one.
    pub dtype: DType,
    /// The number of bits.
    pub bits: u32,
    /// The number of bits of the fraction, without the leading one.
    pub nmant: u32,
    /// The number of bits of the exponent.
    pub nexp: u32,
    /// The number of bits of the exponent, by NumPy's other name.
    pub iexp: u32,
    /// The exponent of [`FloatInfo::eps`].
    pub machep: i32,
    /// The exponent of [`FloatInfo::epsneg`].
    pub negep: i32,
    /// The smallest power of 2 that overflows.
    pub maxexp: i32,
    /// The exponent of [`FloatInfo::tiny`].
    pub minexp: i32,
    /// The difference of 1 and the next larger number.
    pub eps: f64,
    /// The difference of 1 and the next smaller number.
    pub epsneg: f64,
    /// The largest finite number.
    pub max: f64,
    /// The smallest finite number, which is `-max`.
    pub min: f64,
    /// The smallest positive number with full precision.
    pub tiny: f64,
    /// The smallest positive number with full precision, by NumPy's other name.
    pub smallest_normal: f64,
    /// The smallest positive number.
    pub smallest_subnormal: f64,
    /// The number of decimal digits that every number preserves.
    pub precision: u32,
    /// 10 to the power of `-precision`.
    pub resolution: f64,
}

/// Returns the limits of a float dtype, or of the components of a complex one; NumPy's `finfo`.
///
/// # Errors
///
/// [`ErrorKind::Value`] for any other dtype.
///
/// ```
/// use cuprum::{DType, finfo};
/// assert_eq!(finfo(DType::F32)?.eps, f64::from(f32::EPSILON));
/// # Ok::<(), cuprum::Error>(())
/// ```
#[unrecorded("returns a host struct")]
pub fn finfo(dtype: DType) -> Result<FloatInfo> {
    let dtype = dtype.real();
    let (nmant, nexp) = match dtype {
        DType::F16 => (10, 5),
        DType::BF16 => (7, 8),
        DType::F32 => (23, 8),
        DType::F64 => (52, 11),
        _ => return Err(Error::new(ErrorKind::Value, format!("{dtype} is no floating-point dtype")).with_op("finfo")),
    };
    let maxexp = 1 << (nexp - 1);
    let (machep, minexp) = (-(nmant as i32), 2 - maxexp);
    let eps = 2f64.powi(machep);
    let tiny = 2f64.powi(minexp);
    let max = (2.0 - eps) * 2f64.powi(maxexp - 1);
    let precision = (f64::from(nmant) * std::f64::consts::LOG10_2) as u32;
    Ok(FloatInfo {
        dtype,
        bits: 1 + nexp + nmant,
        nmant,
        nexp,
        iexp: nexp,
        machep,
        negep: machep - 1,
        maxexp,
        minexp,
        eps,
        epsneg: eps / 2.0,
        max,
        min: -max,
        tiny,
        smallest_normal: tiny,
        smallest_subnormal: tiny * eps,
        precision,
        resolution: 1.0 / 10f64.powi(precision as i32),
    })
}

/// Limits of an integer dtype; NumPy's `iinfo`.
///
/// Limits are `i128`, which holds those of every integer dtype.
///
/// ```
/// let info = cuprum::iinfo(cuprum::DType::I16)?;
/// assert_eq!((info.bits, info.min, info.max), (16, -32768, 32767));
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct IntegerInfo {
    /// The dtype.
    pub dtype: DType,
    /// The number of bits.
    pub bits: u32,
    /// The smallest number.
    pub min: i128,
    /// The largest number.
    pub max: i128,
}

/// Returns the limits of an integer dtype; NumPy's `iinfo`.
///
/// # Errors
///
/// [`ErrorKind::Value`] for any other dtype.
///
/// ```
/// use cuprum::{DType, iinfo};
/// assert_eq!((iinfo(DType::I8)?.min, iinfo(DType::I8)?.max), (-128, 127));
/// # Ok::<(), cuprum::Error>(())
/// ```
#[unrecorded("returns a host struct")]
pub fn iinfo(dtype: DType) -> Result<IntegerInfo> {
    match integer_range(dtype) {
        Some((min, max)) => Ok(IntegerInfo { dtype, bits: 8 * dtype.size() as u32, min, max }),
        None => Err(Error::new(ErrorKind::Value, format!("{dtype} is no integer dtype")).with_op("iinfo")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use DType::*;
    use num_complex::Complex64;

    #[test]
    fn the_smallest_dtypes_are_numpys() {
        let found = |value: Scalar| min_scalar_type(value).unwrap();
        for (value, dtype) in [
            (255, U8),
            (256, U16),
            (65536, U32),
            (1 << 32, U64),
            (i128::from(u64::MAX), U64),
            (-1, I8),
            (-129, I16),
            (-32769, I32),
            (i128::from(i64::MIN), I64),
        ] {
            assert_eq!(found(Scalar::Int(value)), dtype, "{value}");
        }
        for (value, dtype) in [
            (1.0, F16),
            (64999.0, F16),
            (-65000.0, F32),
            (3.3999e38, F32),
            (3.4e38, F64),
            (f64::INFINITY, F16),
            (f64::NAN, F16),
            (1e-300, F16),
        ] {
            assert_eq!(found(Scalar::Float(value)), dtype, "{value}");
        }
        assert_eq!(found(Complex64::new(0.0, 1.0).into()), C64);
        assert_eq!(found(Complex64::new(0.0, 1e300).into()), C128);
        assert_eq!(found(true.into()), Bool);
        assert_eq!(min_scalar_type(Scalar::Int(1 << 64)).unwrap_err().kind(), ErrorKind::Overflow);
    }

    #[test]
    fn limits_are_those_of_the_types() {
        let f = |d| finfo(d).unwrap();
        assert_eq!((f(F64).max, f(F64).tiny, f(F64).eps), (f64::MAX, f64::MIN_POSITIVE, f64::EPSILON));
        assert_eq!((f(C64).max, f(C64).tiny), (f32::MAX.into(), f32::MIN_POSITIVE.into()));
        assert_eq!((f(F16).max, f(F16).smallest_subnormal), (65504.0, 2f64.powi(-24)));
        assert_eq!(f(BF16).max, half::bf16::MAX.to_f64());
        // NumPy's values.
        assert_eq!([F16, F32, F64].map(|d| f(d).precision), [3, 6, 15]);
        assert_eq!((iinfo(I64).unwrap().min, iinfo(I64).unwrap().max), (i64::MIN.into(), i64::MAX.into()));
        assert_eq!(finfo(I8).unwrap_err().kind(), ErrorKind::Value);
        assert_eq!(iinfo(Bool).unwrap_err().kind(), ErrorKind::Value);
    }
}
