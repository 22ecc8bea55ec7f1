//! Reductions `argmax` and `argmin`.

use crate::reduction::reductions;

reductions! {
    argmax,
    argmin,
    nanargmax,
    nanargmin,
}
