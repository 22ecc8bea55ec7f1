//! Indexing routines: gathering and scattering by indices, masks and conditions.

mod at;
mod bounds;
mod choosing;
mod diagonals;
mod flat;
mod picking;
mod places;
mod putting;
mod scatter;
mod taking;

pub use choosing::*;
pub use diagonals::*;
pub use flat::*;
pub use picking::*;
pub use places::*;
pub use putting::*;
pub use scatter::*;
use taking::check_out;
pub(in crate::routines) use taking::parts_at;
pub use taking::*;
