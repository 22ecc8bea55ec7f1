//! Mathematical functions.

mod angle;
mod arithmetic;
mod clip;
mod cross;
mod difference;
mod explog;
mod floating;
mod gradient;
mod interp;
mod minmax;
mod rational;
mod rounding;
mod sumprod;
mod trig;
mod unwrap;

pub use angle::*;
pub use arithmetic::*;
pub use clip::*;
pub use cross::*;
pub use difference::*;
pub use explog::*;
pub use floating::*;
pub use gradient::*;
pub use interp::*;
pub use minmax::*;
pub use rational::*;
pub use rounding::*;
pub use sumprod::*;
pub use trig::*;
pub use unwrap::*;
