//! Mathematical functions beyond the basic ones, by family.

mod parts;

pub use parts::*;
