//! Public functions for reductions, by name.

/// Defines reductions and methods of the same names; the sentence is the registry's.
macro_rules! reductions {
    ($($name:ident),+ $(,)?) => {
        $(
            #[doc = $crate::ufunc::sentence!($name)]
            ///
            #[doc = concat!("NumPy's `", stringify!($name), "`. The result is an array, also where it has no axes.")]
            ///
            /// # Errors
            ///
            /// Same as [`Reduction::call`](crate::Reduction::call).
            pub fn $name(
                a: impl $crate::array::AsArray,
                options: impl $crate::array::IntoArgument<$crate::reduction::Reduce>,
            ) -> $crate::error::Result<$crate::array::Array> {
                $crate::reduction::reduced(stringify!($name), a.as_array(), &options.into())
            }
        )+

        impl $crate::array::Array {$(
            #[doc = $crate::ufunc::sentence!($name)]
            ///
            #[doc = concat!("[`", stringify!($name), "`](crate::", stringify!($name), "()) as a method.")]
            ///
            /// # Errors
            ///
            /// Same as [`Reduction::call`](crate::Reduction::call).
            pub fn $name(
                &self,
                options: impl $crate::array::IntoArgument<$crate::reduction::Reduce>,
            ) -> $crate::error::Result<$crate::array::Array> {
                $crate::reduction::reduced(stringify!($name), self, &options.into())
            }
        )+}
    };
}
pub(crate) use reductions;
