//! Magnitudes, signs, conjugates, and the larger of two.

use crate::ufunc::{binary, unary};

unary! {
    absolute,
    abs,
    fabs,
    sign,
    conjugate,
    conj,
}

binary! {
    maximum,
    minimum,
    fmax,
    fmin,
    heaviside,
}
