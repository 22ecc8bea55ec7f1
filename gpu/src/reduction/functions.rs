//! Public functions for reductions, by name.

/// Defines reductions and methods of the same names; the sentence is the registry's.
macro_rules! reductions {
    ($($name:ident),+ $(,)?) => {
        $(
            #[doc = $crate::ufunc::sentence!($name)]
            ///
            #[doc = concat!("NumPy's `", stringify!($name), "`.")]
            ///
            #[doc = $crate::ufunc::details!($name)]
            ///
            /// # Errors
            ///
            /// [`ErrorKind::Axis`](crate::ErrorKind::Axis) for an axis that is out of bounds,
            /// [`ErrorKind::Value`](crate::ErrorKind::Value) for a repeated axis or an `out` of another shape,
            /// [`ErrorKind::Type`](crate::ErrorKind::Type) for an option that the function does not have, or a dtype
            /// that it does not take.
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
            #[doc = concat!("[`", stringify!($name), "`](crate::", stringify!($name), "()) as a method; see there for dtypes, options and an example.")]
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
