//! Reductions `any` and `all`.
//!
//! The result is an array of booleans, of no axes for all elements; [`Array::item`](crate::Array::item) reads it.

use crate::reduction::reductions;

reductions! {
    any,
    all,
}
