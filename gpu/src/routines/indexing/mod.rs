//! Elements that indices, masks and conditions pick.

mod at;
mod bounds;
mod choosing;
mod diagonals;
mod flat;
mod places;
mod picking;
mod taking;

pub use choosing::*;
pub use diagonals::*;
pub use flat::*;
pub use picking::*;
pub use places::*;
pub use taking::*;
