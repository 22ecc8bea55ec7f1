//! Mathematical functions beyond the basic ones, by family.

mod exponents;
mod parts;
mod trigonometric;

pub use exponents::*;
pub use parts::*;
pub use trigonometric::*;
