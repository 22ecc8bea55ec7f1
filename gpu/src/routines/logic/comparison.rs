//! Comparison ufuncs.

use crate::ufunc::binary;

binary! {
    equal,
    not_equal,
    less,
    less_equal,
    greater,
    greater_equal,
}
