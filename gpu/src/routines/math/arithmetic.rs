//! Sums, products, quotients and powers.

use crate::ufunc::{binary, pairs, unary};

binary! {
    add: "The sum; of booleans, logical or. Integers wrap.",
    subtract: "The difference. Integers wrap.",
    multiply: "The product; of booleans, logical and. Integers wrap.",
    true_divide: "The quotient; of integers, float64.",
    divide: "The quotient: `true_divide` by another name.",
    floor_divide: "The largest integer not above the quotient, in the operands' dtype.",
    remainder: "What `floor_divide` leaves, with the sign of the divisor.",
    fmod: "What the quotient without its fraction leaves, with the sign of the first operand.",
    power: "The first operand to the power of the second.",
    pow: "The first operand to the power of the second: `power` by another name.",
    float_power: "The first operand to the power of the second, in float64 or complex128.",
}

unary! {
    negative: "The operand with the other sign.",
    positive: "The operand as it is; booleans are refused.",
    reciprocal: "1 divided by the operand; of integers rounded towards 0.",
    square: "The operand times itself. Integers wrap.",
}

pairs! {
    divmod(a, b): "The results of `floor_divide` and of `remainder`.",
}
