//! Greatest common divisors and least common multiples.
//!
//! Both are Euclid's algorithm on the magnitudes, one thread for each element; floats are rejected.

use crate::ufunc::binary;

binary! {
    gcd,
    lcm,
}
