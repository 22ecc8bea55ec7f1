//! Comparison ufuncs.
//!
//! Results are boolean. Integers of different dtypes are compared by value, int64 with uint64 as well, where a cast to
//! a common dtype would round.

use crate::ufunc::binary;

binary! {
    equal,
    not_equal,
    less,
    less_equal,
    greater,
    greater_equal,
}
