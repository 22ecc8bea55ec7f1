//! Distances between floats in units in the last place.

use cuprum_kernels::DType;

/// The format of a real float dtype.
struct Format {
    /// Stored bits of the significand.
    fraction: i32,
    /// The smallest exponent of a normal number.
    least: i32,
    max: f64,
}

fn format(dtype: DType) -> Format {
    match dtype.real() {
        DType::F16 => Format { fraction: 10, least: -14, max: 65504.0 },
        DType::BF16 => Format { fraction: 7, least: -126, max: half::bf16::MAX.to_f64() },
        DType::F32 => Format { fraction: 23, least: -126, max: f64::from(f32::MAX) },
        _ => Format { fraction: 52, least: -1022, max: f64::MAX },
    }
}

/// Returns the largest finite number of a dtype's parts.
pub fn max(dtype: DType) -> f64 {
    format(dtype).max
}

/// Returns the smallest normal number of a dtype's parts.
pub fn least(dtype: DType) -> f64 {
    2f64.powi(format(dtype).least)
}

/// Returns the unit in the last place of `x` in a dtype; infinite and NaN where `x` is.
pub fn unit(dtype: DType, x: f64) -> f64 {
    if !x.is_finite() {
        return x.abs();
    }
    let Format { fraction, least, .. } = format(dtype);
    let exponent = if x == 0.0 { least } else { (((x.to_bits() >> 52) & 0x7ff) as i32 - 1023).max(least) };
    // In two steps: the smallest unit of float64 is no normal number.
    2f64.powi(exponent) * 2f64.powi(-fraction)
}

/// Counts the floats of the dtype between two numbers, both zeros being one; `None` between a NaN and a number.
///
/// Infinity counts as the float after the largest one. `got` and `want` are values of the dtype.
pub fn distance(dtype: DType, got: f64, want: f64) -> Option<u64> {
    if got.is_nan() || want.is_nan() {
        return (got.is_nan() && want.is_nan()).then_some(0);
    }
    Some(rank(dtype, got).abs_diff(rank(dtype, want)))
}

/// Returns the rank of a float among all of its dtype; 0 for both zeros.
fn rank(dtype: DType, x: f64) -> i64 {
    let magnitude = match dtype.real() {
        DType::F16 => i64::from(half::f16::from_f64(x.abs()).to_bits()),
        DType::BF16 => i64::from(half::bf16::from_f64(x.abs()).to_bits()),
        DType::F32 => i64::from((x.abs() as f32).to_bits()),
        _ => x.abs().to_bits() as i64,
    };
    if x < 0.0 { -magnitude } else { magnitude }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_one_apart() {
        let next = f64::from(f32::from_bits(1.0f32.to_bits() + 1));
        assert_eq!(distance(DType::F32, 1.0, next), Some(1));
        assert_eq!(distance(DType::F64, 1.0, 1.0 + f64::EPSILON), Some(1));
        assert_eq!(distance(DType::F16, 65504.0, f64::INFINITY), Some(1));
        let smallest = f64::from_bits(1);
        assert_eq!(distance(DType::F64, smallest, -smallest), Some(2));
        assert_eq!(distance(DType::F32, 0.0, -0.0), Some(0));
        assert_eq!(distance(DType::F32, f64::NAN, 1.0), None);
        assert_eq!(distance(DType::F32, f64::NAN, f64::NAN), Some(0));
    }

    #[test]
    fn units_are_the_gaps_between_floats() {
        assert_eq!(unit(DType::F64, 1.0), f64::EPSILON);
        assert_eq!(unit(DType::F32, 1.5), f64::from(f32::EPSILON));
        assert_eq!(unit(DType::F32, -0.75), f64::from(f32::EPSILON) / 2.0);
        assert_eq!(unit(DType::F64, 0.0), f64::from_bits(1));
        assert_eq!(unit(DType::F64, 1e-310), f64::from_bits(1));
        assert_eq!(unit(DType::F16, 1e-6), 2f64.powi(-24));
    }
}
