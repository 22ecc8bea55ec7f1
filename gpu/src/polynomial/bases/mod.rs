//! Series in bases of orthogonal polynomials.
//!
//! A basis is described by its three-term recurrence, from which all functions follow: values by Clenshaw's recurrence
//! in one launch, products and quotients by recurrences on the host, roots as eigenvalues of a companion matrix.

mod algebra;
mod basis;
mod calculus;
mod fit;
mod functions;
mod quadrature;
#[cfg(test)]
mod tests;
mod values;

pub(super) use algebra::{converted, exponent, from_roots, power, product, product_with_x, quotient};
pub use basis::Basis;
pub(super) use calculus::{derived, integrated};
pub(super) use fit::fit;
pub use fit::{Degrees, SeriesFit, SeriesFitOptions};
pub use functions::{SeriesPowOptions, chebyshev, hermite, hermite_e, laguerre, legendre};
pub(super) use quadrature::{chebyshev_points, companion, gauss, roots, weight};
pub(super) use values::{value, vandermonde};
