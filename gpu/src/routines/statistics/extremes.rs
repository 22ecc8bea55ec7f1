//! The largest and the smallest element.

use crate::reduction::reductions;

reductions! {
    max: "The largest element; the first NaN if there is one.",
    min: "The smallest element; the first NaN if there is one.",
    amax: "The largest element: `max` by another name.",
    amin: "The smallest element: `min` by another name.",
    nanmax: "The largest element that is not NaN; NaN where all are.",
    nanmin: "The smallest element that is not NaN; NaN where all are.",
}
