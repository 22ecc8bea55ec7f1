//! Tests of the workspace as a whole: conformance, golden data, properties.
//!
//! The examples of the README and the guide are compiled and run here.

pub mod battery;
pub mod golden;
pub mod sweep;

/// Creates documentation tests from the code of a page.
macro_rules! page {
    ($name:ident, $path:literal) => {
        #[cfg(doctest)]
        #[doc = include_str!(concat!("../../", $path))]
        mod $name {}
    };
}

page!(readme, "README.md");
page!(index, "docs/src/index.md");
page!(arrays, "docs/src/arrays.md");
page!(devices, "docs/src/devices.md");
page!(dtypes, "docs/src/dtypes.md");
page!(fft, "docs/src/fft.md");
page!(images, "docs/src/images.md");
page!(signals, "docs/src/signals.md");
page!(interpolation, "docs/src/interpolation.md");
page!(sparse_systems, "docs/src/sparse-systems.md");
page!(spatial, "docs/src/spatial.md");
page!(getting_started, "docs/src/getting-started.md");
page!(indexing, "docs/src/indexing.md");
page!(searching, "docs/src/searching.md");
page!(input_output, "docs/src/input-output.md");
page!(kernels, "docs/src/kernels.md");
page!(late_errors, "docs/src/late-errors.md");
page!(linear_algebra, "docs/src/linear-algebra.md");
page!(memory, "docs/src/memory.md");
page!(performance, "docs/src/performance.md");
page!(polynomials, "docs/src/polynomials.md");
page!(random, "docs/src/random.md");
page!(reductions, "docs/src/reductions.md");
page!(sorting, "docs/src/sorting.md");
page!(fusion, "docs/src/fusion.md");
page!(ufuncs, "docs/src/ufuncs.md");
