//! Tables of numbers in text files.

mod fields;
mod loadtxt;
pub(super) mod numbers;
pub(super) mod percent;
mod savetxt;
mod table;

pub use fields::Converter;
pub use loadtxt::{LoadtxtOptions, loadtxt, loadtxt_from};
pub use savetxt::{SavetxtOptions, savetxt, savetxt_to};
pub use table::{Columns, GenfromtxtOptions, genfromtxt, genfromtxt_from};
