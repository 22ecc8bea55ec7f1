//! Sums and products.

use crate::reduction::reductions;

reductions! {
    sum: "The sum of the elements; narrow integers give 64-bit ones, float16 and bfloat16 are gathered in float32.",
    prod: "The product of the elements; narrow integers give 64-bit ones.",
    nansum: "The sum of the elements that are not NaN.",
    nanprod: "The product of the elements that are not NaN.",
}
