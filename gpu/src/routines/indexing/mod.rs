//! Indexing routines: gathering and scattering by indices, masks and conditions.

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
