//! Whether some or all elements are true.

use crate::reduction::reductions;

reductions! {
    any,
    all,
}
