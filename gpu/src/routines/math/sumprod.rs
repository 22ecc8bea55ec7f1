//! Sums, products and cumulative reductions.
//!
//! A reduction reads each element once. Blocks of threads combine parts in a fixed order, and the last block to finish
//! combines the parts: one launch, bitwise reproducible results.

use crate::reduction::reductions;

reductions! {
    sum,
    prod,
    nansum,
    nanprod,
}
