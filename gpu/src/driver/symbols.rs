//! Function tables of libraries that are loaded at run time.
//!
//! A table holds a pointer or an error for each function, so that a program that never calls a missing function never
//! sees the error.

use std::ffi::c_void;

use crate::error::{Error, Result};

/// A function, or the error that names the missing one.
pub(super) type Symbol<F> = Result<F>;

/// Returns the address of the function with the first of these names that the library has.
pub(super) fn address(
    library: &libloading::Library,
    names: &[&str],
    absent: &dyn Fn(&str) -> Error,
) -> Result<*const c_void> {
    // SAFETY: any symbol has an address, and only that is requested.
    let found = names.iter().find_map(|name| unsafe { library.get::<*const c_void>(name.as_bytes()) }.ok());
    found.map(|symbol| *symbol).ok_or_else(|| absent(names[0]))
}

/// Declares a table of functions that return a code, 0 for success, and a method for each that returns a [`Result`].
///
/// A function has the name of its method, and the names that it may have in the library, in order of preference. If the
/// library lacks it, the call that needs it returns the error. `error` creates the error of another code. Codes are
/// plain integers: a newer library may return new ones.
macro_rules! symbols {
    (
        $(#[$meta:meta])*
        $table:ident, $error:ident
        $(fn $method:ident($($arg:ident: $type:ty),* $(,)?) = $($symbol:literal)|+;)*
    ) => {
        $(#[$meta])*
        #[derive(Debug)]
        pub(super) struct $table {
            $(pub(super) $method: $crate::driver::symbols::Symbol<unsafe extern "C" fn($($type),*) -> std::ffi::c_int>,)*
        }

        // A function whose other codes have a meaning is called through its field.
        #[allow(clippy::too_many_arguments, dead_code)]
        impl $table {
            /// Looks every function up. `absent` creates the error of a missing one.
            fn resolve(library: &libloading::Library, absent: impl Fn(&str) -> $crate::error::Error) -> $table {
                $table {
                    $($method: $crate::driver::symbols::address(library, &[$($symbol),+], &absent)
                        // SAFETY: the declaration is the one of the library's header.
                        .map(|found| unsafe { std::mem::transmute::<
                            *const std::ffi::c_void,
                            unsafe extern "C" fn($($type),*) -> std::ffi::c_int,
                        >(found) }),)*
                }
            }

            /// Returns a table without functions, to be filled by a test.
            #[cfg(test)]
            pub(super) fn absent() -> $table {
                let absent = |name: &str| {
                    $crate::error::Error::new($crate::error::ErrorKind::Library, format!("there is no {name}"))
                };
                $table { $($method: Err(absent([$($symbol),+][0])),)* }
            }

            $(
                /// Calls the function of the library.
                ///
                /// # Safety
                ///
                /// As in the library's manual for the function.
                pub(super) unsafe fn $method(&self, $($arg: $type),*) -> $crate::error::Result<()> {
                    let function = self.$method.as_ref().map_err(Clone::clone)?;
                    // SAFETY: the caller guarantees the arguments.
                    match unsafe { function($($arg),*) } {
                        0 => Ok(()),
                        code => Err(self.$error([$($symbol),+][0], code)),
                    }
                }
            )*
        }
    };
}

pub(super) use symbols;

#[cfg(test)]
mod tests {
    use std::ffi::c_int;

    use crate::error::{Error, ErrorKind};

    symbols! {
        /// Functions of the C library, which return their argument if it is positive.
        Absolute, error
        fn newer(x: c_int) = "abs_v2" | "abs";
        fn newest(x: c_int) = "abs_v3" | "abs_v2";
    }

    impl Absolute {
        fn error(&self, call: &str, code: c_int) -> Error {
            Error::new(ErrorKind::Driver, format!("{call} gave {code}"))
        }
    }

    #[test]
    fn an_older_function_serves_where_the_newer_is_missing() {
        // SAFETY: loading the C library, which is loaded already, does nothing.
        let library = unsafe { libloading::Library::new("libc.so.6") }.unwrap();
        let table = Absolute::resolve(&library, |name| Error::new(ErrorKind::Library, format!("no {name} here")));
        // SAFETY: the function takes any number.
        unsafe { table.newer(0) }.unwrap();
        // SAFETY: as above.
        assert!(unsafe { table.newer(3) }.unwrap_err().message().ends_with("gave 3"));
        // SAFETY: there is no such function, so nothing is called.
        assert_eq!(unsafe { table.newest(0) }.unwrap_err().message(), "no abs_v3 here");
    }
}
