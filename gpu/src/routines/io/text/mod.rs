//! Tables of numbers in text files: `loadtxt`, `genfromtxt` and `savetxt`.
//!
//! Files whose names end in `.gz` are decompressed as they are read.

mod fields;
mod genfromtxt;
mod loadtxt;
pub(super) mod numbers;
pub(super) mod percent;
mod savetxt;

pub use fields::Converter;
pub use genfromtxt::{Columns, GenfromtxtOptions, genfromtxt, genfromtxt_from};
pub use loadtxt::{LoadtxtOptions, loadtxt, loadtxt_from};
pub use savetxt::{SavetxtOptions, savetxt, savetxt_to};
