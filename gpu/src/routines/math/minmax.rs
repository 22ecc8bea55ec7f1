//! Absolute values, signs, conjugates, maxima and minima.
//!
//! The largest and the smallest of two operands; those of all elements of an array are [`max`](crate::max()) and
//! [`min`](crate::min()).

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
