//! Array creation: `empty`, `zeros`, `full`, `arange` and their relatives.
//!
//! The functions of NumPy's chapter "Array creation routines". They return new arrays on the current device, on its
//! current stream, without synchronisation unless their own page says otherwise.

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
