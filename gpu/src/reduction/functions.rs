//! The functions that reductions are to users, by name.

/// Reductions; the sentence is the registry's.
macro_rules! reductions {
    ($($name:ident),+ $(,)?) => {$(
        #[doc = $crate::ufunc::sentence!($name)]
        ///
        #[doc = concat!("NumPy's `", stringify!($name), "`. The result is an array, also where it has no axes.")]
        ///
        /// # Errors
        ///
        /// As [`Reduction::call`](crate::Reduction::call).
        pub fn $name(
            a: &$crate::array::Array,
            how: impl Into<$crate::reduction::Reduce>,
        ) -> $crate::error::Result<$crate::array::Array> {
            $crate::reduction::reduction(stringify!($name))?.call(a, &how.into())
        }
    )+};
}
pub(crate) use reductions;
