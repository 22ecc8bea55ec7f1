//! Bits.

use crate::ufunc::{binary, unary};

binary! {
    bitwise_and,
    bitwise_or,
    bitwise_xor,
    left_shift,
    bitwise_left_shift,
    right_shift,
    bitwise_right_shift,
}

unary! {
    invert,
    bitwise_not,
    bitwise_invert,
    bitwise_count,
}
