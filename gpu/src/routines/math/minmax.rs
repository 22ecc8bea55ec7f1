//! Absolute values, signs, conjugates, maxima and minima.

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
