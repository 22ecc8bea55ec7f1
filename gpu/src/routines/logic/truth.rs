//! Logical ufuncs, and tests for finite, infinite and NaN elements.

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
