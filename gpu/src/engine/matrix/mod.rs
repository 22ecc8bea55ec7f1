//! Matrices: products, and decompositions without library support.

pub(in crate::engine) mod check_lapack_info;
pub(in crate::engine) mod gemm_int8_split;
pub(in crate::engine) mod matmul;
pub(in crate::engine) mod singular_lu;
pub(in crate::engine) mod small_decompositions;
