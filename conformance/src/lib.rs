//! The conformance suite: generates cases from `matrix.yaml`, runs them on a device and on the oracle, compares and
//! reports.
//!
//! A case is an operation with operands of given dtypes, shapes, layouts and values. Its id states all of that, and
//! serves to name, filter and reproduce it. [`sample`] determines the cases of a run, [`operand`] their values,
//! [`judge`] the comparison.

/// Embeds files of the workspace in the program, so that it runs anywhere: path and text of each.
macro_rules! embedded {
    ($($path:literal)*) => {
        &[$(($path, include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../", $path)))),*]
    };
}

pub mod call;
pub mod case;
pub mod changed;
pub mod cli;
pub mod coverage;
pub mod divergence;
pub mod extra;
pub mod failing;
pub mod generalised;
pub mod imports;
pub mod judge;
pub mod large;
pub mod matrix;
pub mod messages;
pub mod must_pass;
pub mod mutants;
pub mod numpy;
pub mod operand;
pub mod outcome;
pub mod pairwise;
pub mod program;
pub mod random;
pub mod reference;
pub mod report;
pub mod rerun;
pub mod run;
pub mod sample;
pub mod shard;
pub mod shrink;
pub mod side;
pub mod snippet;
pub mod sparse;
mod spatial;
pub mod subject;
pub mod text;
pub mod ulp;
pub mod workers;

pub use case::Case;
pub use matrix::Matrix;
