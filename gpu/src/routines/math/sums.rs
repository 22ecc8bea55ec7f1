//! Sums and products.

use crate::reduction::reductions;

reductions! {
    sum,
    prod,
    nansum,
    nanprod,
}
