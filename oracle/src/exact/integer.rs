//! Integer functions on exact values; the caller wraps.

/// Divides, rounding down; 0 for a divisor of 0.
pub(crate) fn floor_divide(a: i128, b: i128) -> i128 {
    if b == 0 {
        return 0;
    }
    let quotient = a / b;
    if a % b != 0 && (a < 0) != (b < 0) { quotient - 1 } else { quotient }
}

/// Returns the remainder of the division that rounds down; 0 for a divisor of 0.
pub(crate) fn remainder(a: i128, b: i128) -> i128 {
    if b == 0 { 0 } else { a - floor_divide(a, b) * b }
}

/// Computes the power modulo 2^64, from which every integer dtype's wrapped power follows. The exponent is not
/// negative.
pub(crate) fn power(a: i128, b: i128) -> i128 {
    // By squaring: the standard library's exponents end at 32 bits.
    let (mut base, mut exponent, mut out) = (a as u64, b as u64, 1u64);
    while exponent > 0 {
        if exponent & 1 == 1 {
            out = out.wrapping_mul(base);
        }
        base = base.wrapping_mul(base);
        exponent >>= 1;
    }
    out as i128
}

/// Returns the remainder of the division that rounds towards 0; 0 for a divisor of 0.
pub(crate) fn fmod(a: i128, b: i128) -> i128 {
    if b == 0 { 0 } else { a % b }
}

/// Computes the greatest common divisor of the magnitudes.
pub(crate) fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}

/// Computes the least common multiple of the magnitudes, modulo 2^128; 0 where either is 0.
pub(crate) fn lcm(a: i128, b: i128) -> i128 {
    if a == 0 || b == 0 { 0 } else { (a.abs() / gcd(a, b)).wrapping_mul(b.abs()) }
}

/// Computes `a` times 2 to the power of `b`, for an integer of `width` bits; a count outside the width shifts every bit
/// out.
pub(crate) fn left_shift(a: i128, b: i128, width: u32) -> i128 {
    if (0..i128::from(width)).contains(&b) { a << b } else { 0 }
}

/// Divides `a` by 2 to the power of `b`, rounding down.
pub(crate) fn right_shift(a: i128, b: i128, width: u32) -> i128 {
    let count = if (0..i128::from(width)).contains(&b) { b as u32 } else { 127 };
    a >> count
}
