//! Maximum and minimum.

use crate::reduction::reductions;

reductions! {
    max,
    min,
    amax,
    amin,
    nanmax,
    nanmin,
}
