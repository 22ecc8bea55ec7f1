//! Trigonometric and hyperbolic functions, their inverses, conversions of degrees, and sinc.
//!
//! Angles are in radians. float32 and float64 use CUDA's functions, whose errors are at most 2 units in the last place,
//! or the library's own where NumPy's results are exact; float16 and bfloat16 are computed in float32. Complex
//! functions have the branch cuts of C.

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
