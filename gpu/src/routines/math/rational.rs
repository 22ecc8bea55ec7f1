//! Divisors and multiples.

use crate::ufunc::binary;

binary! {
    gcd,
    lcm,
}
