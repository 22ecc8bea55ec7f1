//! Divisors and multiples.

use crate::ufunc::binary;

binary! {
    gcd: "The greatest common divisor of the magnitudes.",
    lcm: "The least common multiple of the magnitudes.",
}
