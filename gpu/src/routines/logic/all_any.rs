//! Reductions `any` and `all`.

use crate::reduction::reductions;

reductions! {
    any,
    all,
}
