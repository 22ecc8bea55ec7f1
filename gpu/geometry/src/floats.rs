//! Parts of float64 numbers, and numbers in units of a power of two.

/// Bits of an integer coordinate: its differences have one more, and a sum of products of four of them fits 256 bits.
pub(crate) const FIXED_BITS: i32 = 60;

/// Returns the mantissa and the exponent of the lowest bit of a finite number other than 0.
pub(crate) fn parts(x: f64) -> (i64, i32) {
    let bits = x.to_bits();
    let (exponent, fraction) = ((bits >> 52 & 0x7ff) as i32, (bits & ((1 << 52) - 1)) as i64);
    let (mantissa, exponent) = if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) };
    let zeros = mantissa.trailing_zeros();
    let mantissa = mantissa >> zeros;
    (if x < 0.0 { -mantissa } else { mantissa }, exponent + zeros as i32)
}

/// Writes numbers as multiples of one power of two and returns the bits of the largest one, if these are at most [`FIXED_BITS`].
pub(crate) fn multiples(numbers: &[f64], write: &mut [i64]) -> Option<i32> {
    let (mut low, mut high) = (i32::MAX, i32::MIN);
    for &x in numbers.iter().filter(|x| **x != 0.0) {
        let (mantissa, exponent) = parts(x);
        low = low.min(exponent);
        high = high.max(exponent + 64 - mantissa.unsigned_abs().leading_zeros() as i32);
        if i64::from(high) - i64::from(low) > i64::from(FIXED_BITS) {
            return None;
        }
    }
    for (x, to) in numbers.iter().zip(write) {
        *to = if *x == 0.0 {
            0
        } else {
            let (mantissa, exponent) = parts(*x);
            mantissa << (exponent - low)
        };
    }
    Some(high.saturating_sub(low).max(0))
}

/// Returns two powers of two by which finite numbers are multiplied so that the largest one is at most 1, and the exponent of their product.
pub(crate) fn scale_to_one(numbers: &[f64]) -> ([f64; 2], i32) {
    let most = numbers.iter().fold(0.0f64, |most, x| most.max(x.abs()));
    if most == 0.0 {
        return ([1.0; 2], 0);
    }
    let exponent = (most.to_bits() >> 52) as i32 - 1022;
    // One factor of 2^1074 is infinite.
    let half = exponent / 2;
    ([f64::powi(2.0, -half), f64::powi(2.0, half - exponent)], -exponent)
}
