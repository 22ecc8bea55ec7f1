//! Bits.

use crate::ufunc::{binary, unary};

binary! {
    bitwise_and: "The bits set in both operands.",
    bitwise_or: "The bits set in either operand.",
    bitwise_xor: "The bits set in one operand only.",
    left_shift: "The first operand times 2 to the power of the second; 0 beyond its width.",
    bitwise_left_shift: "`left_shift` by another name.",
    right_shift: "The first operand by 2 to the power of the second, rounded down.",
    bitwise_right_shift: "`right_shift` by another name.",
}

unary! {
    invert: "Every bit flipped; of a boolean, logical not.",
    bitwise_not: "Every bit flipped: `invert` by another name.",
    bitwise_invert: "Every bit flipped: `invert` by another name.",
    bitwise_count: "The number of bits set in the magnitude.",
}
