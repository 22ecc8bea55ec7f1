//! The reductions that are methods of NumPy's arrays.

use crate::array::Array;
use crate::error::Result;
use crate::reduction::Reduce;

macro_rules! methods {
    ($($name:ident),+ $(,)?) => {
        impl Array {$(
            #[doc = concat!("NumPy's `ndarray.", stringify!($name), "`: [`", stringify!($name), "`](crate::", stringify!($name), ") as a method.")]
            ///
            /// # Errors
            ///
            /// As [`Reduction::call`](crate::Reduction::call).
            pub fn $name(&self, how: impl Into<Reduce>) -> Result<Array> {
                crate::$name(self, how)
            }
        )+}
    };
}
methods! { sum, prod, mean, var, std, max, min, argmax, argmin, any, all }
