//! Arithmetic ufuncs.

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
