//! The parts of floats and their neighbours.

use crate::ufunc::{binary, pairs, unary};

unary! {
    signbit,
    spacing,
}

binary! {
    copysign,
    nextafter,
    ldexp,
}

pairs! {
    frexp(a),
    modf(a),
}
