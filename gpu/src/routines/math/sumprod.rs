//! Sums, products and cumulative reductions.
//!
//! A reduction reads each element once, in one or two launches: few long rows are split over blocks, whose partial
//! results a second launch combines. The order depends on shapes and strides alone, so that results are bitwise
//! reproducible.

use crate::reduction::reductions;

reductions! {
    sum,
    prod,
    nansum,
    nanprod,
}
