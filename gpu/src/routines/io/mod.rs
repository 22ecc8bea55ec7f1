//! Array input and output: binary, npy, npz and text files.
//!
//! The lower bound of `load` is one read of the file and one copy over the bus: several threads read the bytes into the
//! pinned memory from which the device copies, and `save` works in the opposite direction. The host never holds a copy
//! of a whole file.

mod binary;
mod files;
mod npy;
#[cfg(feature = "npz")]
mod npz;
mod text;

pub use binary::{FromfileOptions, TofileOptions, fromfile};
pub use npy::{LoadOptions, MmapMode, load, load_from, save, save_to};
#[cfg(feature = "npz")]
pub use npz::{NamedArray, NpzFile, load_npz, savez, savez_compressed};
pub use text::{
    Columns, Converter, GenfromtxtOptions, LoadtxtOptions, SavetxtOptions, genfromtxt, genfromtxt_from, loadtxt,
    loadtxt_from, savetxt, savetxt_to,
};
