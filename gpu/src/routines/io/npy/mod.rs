//! NumPy's npy files: one array each, behind a header.

mod header;
mod read;
mod write;

pub use read::{LoadOptions, MmapMode, load, load_from};
#[cfg(feature = "npz")]
pub(super) use read::from_stream;
pub use write::{save, save_to};
#[cfg(feature = "npz")]
pub(super) use write::to_stream;
