//! Trigonometric and hyperbolic functions and their inverses, angles in degrees, sinc.

use crate::ufunc::{binary, unary};

unary! {
    sin: "The sine of an angle in radians.",
    cos: "The cosine of an angle in radians.",
    tan: "The tangent of an angle in radians.",
    arcsin: "The angle whose sine is the operand.",
    asin: "The angle whose sine is the operand.",
    arccos: "The angle whose cosine is the operand.",
    acos: "The angle whose cosine is the operand.",
    arctan: "The angle whose tangent is the operand.",
    atan: "The angle whose tangent is the operand.",
    sinh: "The hyperbolic sine.",
    cosh: "The hyperbolic cosine.",
    tanh: "The hyperbolic tangent.",
    arcsinh: "The inverse of the hyperbolic sine.",
    asinh: "The inverse of the hyperbolic sine.",
    arccosh: "The inverse of the hyperbolic cosine.",
    acosh: "The inverse of the hyperbolic cosine.",
    arctanh: "The inverse of the hyperbolic tangent.",
    atanh: "The inverse of the hyperbolic tangent.",
    degrees: "An angle in radians, in degrees.",
    rad2deg: "An angle in radians, in degrees.",
    radians: "An angle in degrees, in radians.",
    deg2rad: "An angle in degrees, in radians.",
    sinc: "The sine of π times the operand, divided by π times the operand; 1 of zero, 0 of any other integer.",
}

binary! {
    arctan2: "The angle of the point whose height is the first operand and whose distance to the right is the second.",
    atan2: "The angle of the point whose height is the first operand and whose distance to the right is the second.",
    hypot: "The length of the hypotenuse; infinite beside an infinity, even one beside a NaN.",
}
