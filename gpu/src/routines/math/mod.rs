//! Mathematical functions.

mod angle;
mod arithmetic;
mod differences;
mod exponents;
mod floats;
mod gradient;
mod magnitudes;
mod rational;
mod rounding;
mod sums;
mod trigonometric;

pub use angle::*;
pub use arithmetic::*;
pub use differences::*;
pub use exponents::*;
pub use floats::*;
pub use gradient::*;
pub use magnitudes::*;
pub use rational::*;
pub use rounding::*;
pub use sums::*;
pub use trigonometric::*;
