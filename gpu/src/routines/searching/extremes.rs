//! Where the largest and the smallest element are.

use crate::reduction::reductions;

reductions! {
    argmax: "The index of the first largest element; of the first NaN if there is one.",
    argmin: "The index of the first smallest element; of the first NaN if there is one.",
    nanargmax: "The index of the first largest element that is not NaN. The host waits: a slice of NaN alone is an error.",
    nanargmin: "The index of the first smallest element that is not NaN. The host waits: a slice of NaN alone is an error.",
}
