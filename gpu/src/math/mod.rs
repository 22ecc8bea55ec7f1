//! Mathematical functions beyond the basic ones, by family.

mod angle;
mod exponents;
mod parts;
mod trigonometric;

pub use angle::*;
pub use exponents::*;
pub use parts::*;
pub use trigonometric::*;
