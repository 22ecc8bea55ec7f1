//! Comparisons and powers as methods: Rust's operators have no place for them.

use super::apply;
use crate::array::{Array, Operand};
use crate::error::Result;

/// Methods over the function of the same name.
macro_rules! methods {
    ($($method:ident: $function:ident, $doc:literal;)+) => {
        impl Array {$(
            #[doc = $doc]
            ///
            /// # Errors
            ///
            #[doc = concat!("As [`", stringify!($function), "`](crate::", stringify!($function), ").")]
            pub fn $method<'a>(&self, other: impl Into<Operand<'a>>) -> Result<Array> {
                apply(stringify!($function), [self.into(), other.into()])
            }
        )+}
    };
}
methods! {
    equal: equal, "Where the elements are equal; `a == b` in NumPy.";
    not_equal: not_equal, "Where the elements differ; `a != b` in NumPy.";
    less: less, "Where this array's elements are below the others; `a < b` in NumPy.";
    less_equal: less_equal, "Where this array's elements are not above the others; `a <= b` in NumPy.";
    greater: greater, "Where this array's elements are above the others; `a > b` in NumPy.";
    greater_equal: greater_equal, "Where this array's elements are not below the others; `a >= b` in NumPy.";
    pow: power, "This array's elements to the power of the others; `a ** b` in NumPy.";
    floor_divide: floor_divide, "The largest integers not above the quotients; `a // b` in NumPy.";
}
