//! Rows and timers of the side-by-side benchmark.
//!
//! The rows have the names, sizes and values of those in `benches/peers.py`, which times CuPy and PyTorch; a change of
//! a row must be made in both.

mod creation_rows;
pub mod data;
pub mod device_rows;
mod fft_rows;
mod fused_rows;
pub mod host_rows;
mod indexing_rows;
mod linalg_rows;
mod manipulation_rows;
mod math_rows;
pub mod memory_traces;
mod random_rows;
pub mod searching_rows;
pub mod size_ladder;
mod sorting_rows;
pub mod timing;
