//! The largest and the smallest element.

use crate::reduction::reductions;

reductions! {
    max,
    min,
    amax,
    amin,
    nanmax,
    nanmin,
}
