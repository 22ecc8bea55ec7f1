//! Booleans, and what kind of number a float is.

use crate::ufunc::{binary, unary};

binary! {
    logical_and,
    logical_or,
    logical_xor,
}

unary! {
    logical_not,
    isnan,
    isfinite,
    isinf,
}
