//! Maximum and minimum.
//!
//! NaN propagates: the extreme of elements with a NaN among them is NaN. The functions that begin with `nan` ignore it.

use crate::reduction::reductions;

reductions! {
    max,
    min,
    amax,
    amin,
    nanmax,
    nanmin,
}
