//! Indexing routines: gathering and scattering by indices, masks and conditions.
//!
//! Indices are arrays on the device. An index out of bounds is found by the kernel that uses it and reported by the
//! next call of the thread that synchronises, so that gathering and scattering need no wait of the host; functions
//! whose result has as many elements as a condition holds for (`compress`, `extract`, masks) must read that number and
//! synchronise.

mod at;
mod bounds;
mod diagonal;
mod extract;
mod flat;
mod generate;
mod put;
mod scatter;
mod select;
mod take;

pub use at::AtOrder;
pub use diagonal::*;
pub use extract::*;
pub use flat::*;
pub use generate::*;
pub use put::*;
pub use scatter::*;
pub use select::*;
use take::check_out;
pub(in crate::routines) use take::parts_at;
pub use take::*;
