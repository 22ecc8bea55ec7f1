//! The parts of floats and their neighbours.

use crate::ufunc::{binary, pairs, unary};

unary! {
    signbit: "Whether the sign bit is set: that of -0 too.",
    spacing: "The distance to the next number away from zero, with the operand's sign.",
}

binary! {
    copysign: "The magnitude of the first operand with the sign of the second.",
    nextafter: "The neighbour of the first operand in the direction of the second.",
    ldexp: "The first operand times 2 to the power of the second.",
}

pairs! {
    frexp(a): "The fraction, of magnitude 0.5 to 1, and the exponent of 2 of which the operand is the product.",
    modf(a): "The fraction and the whole part, each with the operand's sign.",
}
