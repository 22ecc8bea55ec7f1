//! Matrices: their products and what is read off them.

mod einsum;
mod products;
mod trace;
mod vectors;

pub use einsum::{EinsumOptions, EinsumPath, einsum, einsum_path};
pub use products::{dot, matmul};
pub use trace::{TraceOptions, trace};
pub(crate) use vectors::work_dtype;
pub use vectors::{
    TensordotAxes, TensordotOptions, VecdotOptions, inner, kron, matvec, outer, tensordot, vdot, vecdot, vecmat,
};
