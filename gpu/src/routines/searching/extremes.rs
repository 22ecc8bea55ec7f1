//! Where the largest and the smallest element are.

use crate::reduction::reductions;

reductions! {
    argmax,
    argmin,
    nanargmax,
    nanargmin,
}
