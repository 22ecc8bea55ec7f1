//! Greatest common divisors and least common multiples.

use crate::ufunc::binary;

binary! {
    gcd,
    lcm,
}
