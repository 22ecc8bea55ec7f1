//! Exponentials and logarithms to several bases, roots, reciprocals, squares.

use super::{binary, unary};

unary! {
    expm1: "The exponential minus 1, exact to the last places near 0.",
    exp2: "2 to the power of the operand.",
    exp10: "10 to the power of the operand.",
    log2: "The logarithm to base 2.",
    log10: "The logarithm to base 10.",
    log1p: "The natural logarithm of 1 plus the operand, exact to the last places near 0.",
    cbrt: "The cube root, also of negative numbers.",
    rsqrt: "The reciprocal of the square root; CuPy's `cupyx.rsqrt`.",
    reciprocal: "1 divided by the operand; of integers rounded towards 0.",
    square: "The operand times itself. Integers wrap.",
    i0: "The modified Bessel function of the first kind and order 0.",
}

binary! {
    logaddexp: "The natural logarithm of the sum of the exponentials.",
    logaddexp2: "The logarithm to base 2 of the sum of the powers of 2.",
    float_power: "The first operand to the power of the second, in float64 or complex128.",
}
