//! Logical ufuncs, and tests for finite, infinite and NaN elements.
//!
//! Operands of the logical functions may be of any dtype, and need no common one: each element counts by whether it is
//! zero.

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
