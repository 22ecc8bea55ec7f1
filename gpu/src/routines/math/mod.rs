//! Mathematical functions.
//!
//! Most of them are ufuncs: elementwise functions with loops for each tuple of dtypes, which broadcast their operands.
//! Each has a method of the same name of [`Array`](crate::Array), and [`ufunc`](fn@crate::ufunc) returns its handle,
//! which takes `out`, `where`, `dtype` and `casting`. The dtypes that a function returns are in the table of its page.

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
