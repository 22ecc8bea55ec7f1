//! Floating-point routines: components, neighbours and spacing of floats.

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
