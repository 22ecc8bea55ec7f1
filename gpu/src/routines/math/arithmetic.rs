//! Arithmetic ufuncs.
//!
//! Integers wrap without a warning and never trap: a division by the integer 0 is 0, and floats follow IEEE 754
//! (infinities and NaN). Sums, differences, products and quotients of floats are correctly rounded; nothing is
//! contracted to a fused multiply-add, so that results are those of NumPy to the bit.

use crate::ufunc::{binary, pairs, unary};

binary! {
    add,
    subtract,
    multiply,
    true_divide,
    divide,
    floor_divide,
    remainder,
    fmod,
    power,
    pow,
    float_power,
}

unary! {
    negative,
    positive,
    reciprocal,
    square,
}

pairs! {
    divmod(a, b),
}
