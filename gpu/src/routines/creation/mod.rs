//! Array creation: `empty`, `zeros`, `full`, `arange` and their relatives.

mod arange;
mod basic;
mod from_data;
mod grids;
mod matrices;
mod ranges;
mod windows;

pub use arange::*;
pub use basic::*;
pub use from_data::*;
pub use grids::*;
pub use matrices::*;
pub use ranges::*;
pub use windows::*;
