//! Mathematical functions beyond the basic ones, by family.

mod angle;
mod differences;
mod exponents;
mod gradient;
mod parts;
mod trigonometric;

pub use angle::*;
pub use differences::*;
pub use exponents::*;
pub use gradient::*;
pub use parts::*;
pub use trigonometric::*;
