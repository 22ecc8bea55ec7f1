//! Matrix and vector products, `einsum` and the trace.
//!
//! Products of floats and complex numbers are calls of the device's BLAS library with the strides of the operands as
//! they are; decompositions, solvers and norms are in [`linalg`](crate::linalg).

mod contraction;
mod einsum;
mod generalised;
mod products;
mod trace;
mod vectors;

pub use einsum::{EinsumOptions, EinsumPath, einsum, einsum_path};
pub use generalised::{MatmulOptions, VecdotOptions, matmul_with, matvec, vecdot, vecmat};
pub use products::{dot, matmul};
pub use trace::{TraceOptions, trace};
pub(crate) use vectors::work_dtype;
pub use vectors::{OuterOptions, TensordotAxes, TensordotOptions, inner, kron, outer, tensordot, vdot};
