//! NumPy's npy files: one array each, after a header.
//!
//! The format is that of `numpy.lib.format`: a magic string, a version, a header and the elements. Files of
//! both byte orders are read; files are written little-endian.

mod header;
mod read;
mod write;

#[cfg(feature = "npz")]
pub(super) use read::from_stream;
pub(super) use read::streamed;
pub use read::{LoadOptions, MmapMode, load, load_from};
pub(super) use write::{elements_to, save_file, to_stream};
pub use write::{save, save_to};
