//! Trigonometric and hyperbolic functions, their inverses, conversions of degrees, and sinc.

use crate::ufunc::{binary, unary};

unary! {
    sin,
    cos,
    tan,
    arcsin,
    asin,
    arccos,
    acos,
    arctan,
    atan,
    sinh,
    cosh,
    tanh,
    arcsinh,
    asinh,
    arccosh,
    acosh,
    arctanh,
    atanh,
    degrees,
    rad2deg,
    radians,
    deg2rad,
    sinc,
}

binary! {
    arctan2,
    atan2,
    hypot,
}
