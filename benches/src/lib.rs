//! Rows and timing of the benchmark that compares Cuprum with other libraries.
//!
//! The rows have the names, the sizes and the values of those in `benches/peers.py`, which times CuPy and PyTorch; a
//! row that is changed here is changed there.

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
