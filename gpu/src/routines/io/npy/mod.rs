//! NumPy's npy files: one array each, after a header.

mod header;
mod read;
mod write;

#[cfg(feature = "npz")]
pub(super) use read::from_stream;
pub(super) use read::streamed;
pub use read::{LoadOptions, MmapMode, load, load_from};
pub(super) use write::{elements_to, save_file, to_stream};
pub use write::{save, save_to};
