//! Mathematical functions.

mod angle;
mod arithmetic;
mod bounds;
mod cross;
mod differences;
mod exponents;
mod floats;
mod gradient;
mod interpolation;
mod magnitudes;
mod rational;
mod rounding;
mod sums;
mod trigonometric;
mod unwrap;

pub use angle::*;
pub use arithmetic::*;
pub use bounds::*;
pub use cross::*;
pub use differences::*;
pub use exponents::*;
pub use floats::*;
pub use gradient::*;
pub use interpolation::*;
pub use magnitudes::*;
pub use rational::*;
pub use rounding::*;
pub use sums::*;
pub use trigonometric::*;
pub use unwrap::*;
