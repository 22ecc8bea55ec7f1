//! Truth values, and what kind of number a float is.

use crate::ufunc::{binary, unary};

binary! {
    logical_and: "Whether both operands are non-zero.",
    logical_or: "Whether either operand is non-zero.",
    logical_xor: "Whether one operand only is non-zero.",
}

unary! {
    logical_not: "Whether the operand is zero.",
    isnan: "Whether the operand is NaN.",
    isfinite: "Whether the operand is neither infinite nor NaN.",
    isinf: "Whether the operand, or a part of it, is infinite.",
}
