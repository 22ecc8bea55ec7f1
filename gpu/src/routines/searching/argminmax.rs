//! Reductions `argmax` and `argmin`.
//!
//! Of several equal elements the first one counts, and a NaN counts as the extreme, as in NumPy.

use crate::reduction::reductions;

reductions! {
    argmax,
    argmin,
    nanargmax,
    nanargmin,
}
