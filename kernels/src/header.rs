//! Headers of `include` as strings.

/// Returns a header of `include` as a string, by its name in parts. Repeating one in a source is harmless, since each
/// has an include guard, so that the sources of several engines can be joined.
macro_rules! header {
    ($($name:literal)+) => {
        concat!(
            "#ifndef HEADER_", $($name,)+ "\n#define HEADER_", $($name,)+ "\n",
            include_str!(concat!("../../include/", $($name,)+ ".cuh")),
            "#endif\n"
        )
    };
}
