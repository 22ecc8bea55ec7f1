//! Matrices: their products and what is read off them.

mod products;
mod trace;

pub use products::{dot, matmul};
pub use trace::{TraceOptions, trace};
