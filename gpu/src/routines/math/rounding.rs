//! Whole numbers near the operand.

use crate::ufunc::unary;

unary! {
    rint,
    floor,
    ceil,
    trunc,
    fix,
}
