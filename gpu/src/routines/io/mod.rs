//! Arrays in files and in text: NumPy's chapter "Input and output".
//!
//! The floor of `load` is one read of the file and one copy over the bus: the bytes are read into the pinned memory that the
//! device copies from, by several threads, and `save` goes the same way back. No copy of a whole file is on the host.

mod binary;
mod files;
mod npy;
#[cfg(feature = "npz")]
mod npz;
mod text;

pub use binary::{FromfileOptions, TofileOptions, fromfile};
pub use npy::{LoadOptions, MmapMode, load, load_from, save, save_to};
#[cfg(feature = "npz")]
pub use npz::{Named, NpzFile, load_npz, savez, savez_compressed};
pub use text::{
    Columns, Converter, GenfromtxtOptions, LoadtxtOptions, SavetxtOptions, genfromtxt, genfromtxt_from, loadtxt,
    loadtxt_from, savetxt, savetxt_to,
};
