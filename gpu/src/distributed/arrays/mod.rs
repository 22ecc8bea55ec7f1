//! Arrays over several devices of one process.

mod argument;
mod array;
mod elementwise;
mod halo;
mod maps;
mod matmul;
mod modes;
mod reductions;
mod region;
mod scans;
#[cfg(test)]
mod tests;
mod views;

pub use array::{Chunk, DistributedArray};
pub use elementwise::AlignedChunk;
pub use halo::{Halo, HaloChunk, HaloMode};
pub use maps::split_evenly;
pub use matmul::{grid_2d, matmul};
pub use modes::ChunkMode;
pub use region::Region;
