//! NumPy's `numpy.polynomial`: polynomials by their coefficients, the lowest power first.

mod domains;
mod grids;
#[allow(clippy::module_inception, reason = "NumPy's name of the module of power series")]
pub mod polynomial;
pub mod polyutils;
mod powers;
mod roots;
