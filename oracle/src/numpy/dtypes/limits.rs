//! Limits of dtypes: `finfo`, `iinfo`, `min_scalar_type`, `common_type`.

use cuprum_kernels::{DType, Kind};

use crate::core::array::{NdArray, Operand};
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::promote::promote_types;
use crate::core::value::{Value, int_range, max_finite, ulp};

/// Returns a property of a float dtype, or of the parts of a complex one, by its name in NumPy's `finfo`.
///
/// # Errors
///
/// `ValueError` for a dtype of another kind, and for an unknown name.
pub fn finfo(dtype: DType, name: &str) -> Result<Value> {
    let dtype = dtype.real();
    if !dtype.is_float() {
        return fail(ErrorKind::Value, format!("{dtype} is not inexact"));
    }
    // All properties follow from the spacing at 1 and at 0 and from the largest number.
    let (eps, smallest, max) = (ulp(1.0, dtype), ulp(0.0, dtype), max_finite(dtype));
    let fraction = -eps.log2() as i128;
    let top = max.log2().ceil() as i128;
    let exponent_bits = dtype.size() as i128 * 8 - 1 - fraction;
    let digits = (fraction as f64 * 2f64.log10()).floor();
    Ok(match name {
        "bits" => Value::Int(dtype.size() as i128 * 8),
        "nmant" => Value::Int(fraction),
        "machep" => Value::Int(-fraction),
        "negep" => Value::Int(-fraction - 1),
        "iexp" | "nexp" => Value::Int(exponent_bits),
        "maxexp" => Value::Int(top),
        "minexp" => Value::Int((smallest / eps).log2() as i128),
        "precision" => Value::Int(digits as i128),
        "resolution" => Value::Float(format!("1e-{digits}").parse().expect("a decimal number")),
        "eps" => Value::Float(eps),
        "epsneg" => Value::Float(eps / 2.0),
        "max" => Value::Float(max),
        "min" => Value::Float(-max),
        "tiny" | "smallest_normal" => Value::Float(smallest / eps),
        "smallest_subnormal" => Value::Float(smallest),
        _ => return fail(ErrorKind::Value, format!("finfo has no {name}")),
    })
}

/// Returns the smallest and the largest value of an integer dtype, as NumPy's `iinfo`.
///
/// # Errors
///
/// `ValueError` for a dtype of another kind.
pub fn iinfo(dtype: DType) -> Result<(i128, i128)> {
    if !dtype.is_integer() {
        return fail(ErrorKind::Value, format!("{dtype} is no integer dtype"));
    }
    Ok(int_range(dtype))
}

/// Returns the smallest dtype that holds a value, as NumPy's `min_scalar_type`: for floats by their range. An array
/// with axes keeps its own.
///
/// # Errors
///
/// `OverflowError` for an integer beyond 64 bits.
pub fn min_scalar_type(operand: &Operand<'_>) -> Result<DType> {
    let (value, own) = match operand {
        Operand::Array(a) if a.ndim() > 0 || a.dtype() == DType::BF16 => return Ok(a.dtype()),
        Operand::Array(a) => (a.get(&[]), Some(a.dtype())),
        Operand::Scalar(v) => (*v, None),
    };
    // A real number that is not finite fits anywhere; the bounds are NumPy's.
    let rung = |x: f64| (x.is_finite() as usize) * ((x.abs() >= 65000.0) as usize + (x.abs() >= 3.4e38) as usize);
    let found = match value {
        Value::Bool(_) => DType::Bool,
        Value::Float(x) => [DType::F16, DType::F32, DType::F64][rung(x)],
        Value::Complex(z) if z.re.abs() < 3.4e38 && z.im.abs() < 3.4e38 => DType::C64,
        Value::Complex(_) => DType::C128,
        Value::Int(i) => {
            let kind = if i < 0 { Kind::Signed } else { Kind::Unsigned };
            let holds = |d: &DType| d.kind() == kind && int_range(*d).0 <= i && i <= int_range(*d).1;
            match DType::ALL.into_iter().filter(holds).min_by_key(|d| d.size()) {
                Some(dtype) => dtype,
                None => return fail(ErrorKind::Overflow, format!("no dtype holds {i}")),
            }
        }
    };
    // The bounds are a little below the largest numbers, which need no more than their own dtype.
    Ok(own.filter(|own| own.size() < found.size()).unwrap_or(found))
}

/// Returns the common float dtype of arrays, as NumPy's `common_type`: integers count as float64, no arrays as float16.
///
/// # Errors
///
/// `TypeError` for booleans.
pub fn common_type(arrays: &[&NdArray]) -> Result<DType> {
    let mut common: Option<DType> = None;
    for array in arrays {
        let dtype = match array.dtype() {
            DType::Bool => return fail(ErrorKind::Type, "bool has no common type with anything"),
            d if d.is_integer() => DType::F64,
            d => d,
        };
        common = Some(common.map_or(dtype, |c| promote_types(c, dtype)));
    }
    Ok(common.unwrap_or(DType::F16))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_number_of_a_dtype_needs_no_wider_one() {
        let of = |dtype, value: f64| {
            let a = NdArray::from_values(dtype, &[], [Value::Float(value)]).expect("one value");
            min_scalar_type(&Operand::Array(&a))
        };
        assert_eq!(of(DType::F16, 65504.0), Ok(DType::F16));
        assert_eq!(of(DType::F32, f32::MAX.into()), Ok(DType::F32));
        assert_eq!(of(DType::C64, f32::MAX.into()), Ok(DType::C64));
        assert_eq!(of(DType::F64, 65504.0), Ok(DType::F32));
        assert_eq!(of(DType::F64, f32::MAX.into()), Ok(DType::F64));
    }
}
