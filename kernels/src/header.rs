//! Headers of `include` as text.

/// A header of `include`, by its name in parts. A text may hold it more than once: it counts once, so that the texts of
/// several engines stand in one.
macro_rules! header {
    ($($name:literal)+) => {
        concat!(
            "#ifndef HEADER_", $($name,)+ "\n#define HEADER_", $($name,)+ "\n",
            include_str!(concat!("../../include/", $($name,)+ ".cuh")),
            "#endif\n"
        )
    };
}
