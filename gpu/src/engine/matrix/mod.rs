//! Matrices: products, and decompositions without library support.
//!
//! Products of floats are the library's; what it lacks is here: products of integers and booleans, decompositions of
//! small matrices, each by one block with a batch in one launch, and the check of status codes.

mod band;
pub(in crate::engine) mod check_lapack_info;
pub(in crate::engine) mod gemm_int8_split;
pub(in crate::engine) mod matmul;
pub(in crate::engine) mod panel_decompositions;
pub(in crate::engine) mod singular_lu;
pub(in crate::engine) mod small_decompositions;
pub(in crate::engine) mod small_general;
pub(in crate::engine) mod tridiagonal;
