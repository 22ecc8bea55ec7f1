//! Reductions `argmax` and `argmin`.
//!
//! The first of several equal elements counts, and a NaN counts as the extreme, as in NumPy.

use crate::reduction::reductions;

reductions! {
    argmax,
    argmin,
    nanargmax,
    nanargmin,
}
