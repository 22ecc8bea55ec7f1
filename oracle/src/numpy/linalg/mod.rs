//! NumPy's linear algebra by textbook algorithms, and residuals by which results of any algorithm are checked.

mod algorithms;
pub(crate) mod dot;
pub(crate) mod eigen;
pub(crate) mod einsum;
pub(crate) mod factored;
pub(crate) mod generalised;
pub(crate) mod linear;
pub(crate) mod matmul;
mod matrix;
pub(crate) mod norms;
pub(crate) mod orthogonal;
pub(crate) mod polynomials;
pub(crate) mod powers;
pub(crate) mod products;
mod residual;
pub(crate) mod singular;
pub(crate) mod special_matrices;
pub(crate) mod triangular;

pub use eigen::hermitian_eigenvalues;
pub(crate) use matrix::{norm, of_dtype};
pub(crate) use residual::residual;
pub use residual::{LIMIT, Residual};
