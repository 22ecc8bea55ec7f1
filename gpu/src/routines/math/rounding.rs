//! Whole numbers near the operand.

use crate::ufunc::unary;

unary! {
    rint: "The nearest whole number, the even one of two.",
    floor: "The largest whole number not above the operand, in its dtype.",
    ceil: "The smallest whole number not below the operand, in its dtype.",
    trunc: "The operand without its fraction, in its dtype.",
    fix: "The operand without its fraction: `trunc` by another name.",
}
