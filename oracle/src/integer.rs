//! Integer functions, on exact values; the caller wraps.

/// The quotient rounded down; 0 by 0 divisors.
pub(crate) fn floor_divide(a: i128, b: i128) -> i128 {
    if b == 0 {
        return 0;
    }
    let quotient = a / b;
    if a % b != 0 && (a < 0) != (b < 0) { quotient - 1 } else { quotient }
}

/// What the quotient rounded down leaves; 0 for 0 divisors.
pub(crate) fn remainder(a: i128, b: i128) -> i128 {
    if b == 0 { 0 } else { a - floor_divide(a, b) * b }
}

/// The power modulo 2^64, which every integer dtype's wrapped power follows from. The exponent is not negative.
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
