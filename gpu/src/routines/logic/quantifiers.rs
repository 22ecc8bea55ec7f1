//! Whether some or all elements are true.

use crate::reduction::reductions;

reductions! {
    any: "Whether any element is non-zero.",
    all: "Whether every element is non-zero.",
}
