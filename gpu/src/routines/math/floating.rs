//! Floating-point routines: components, neighbours and spacing of floats.
//!
//! They work on the bits of the elements: sign, exponent and significand, of subnormal numbers as well.

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
