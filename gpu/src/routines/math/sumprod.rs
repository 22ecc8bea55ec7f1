//! Sums, products and cumulative reductions.

use crate::reduction::reductions;

reductions! {
    sum,
    prod,
    nansum,
    nanprod,
}
