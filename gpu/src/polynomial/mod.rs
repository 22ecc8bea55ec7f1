//! NumPy's `numpy.polynomial`: series in a basis of polynomials by their coefficients, the lowest degree first.

mod bases;
mod calculus;
mod domains;
mod grids;
mod interpolation;
#[allow(clippy::module_inception, reason = "NumPy's name of the module of power series")]
pub mod polynomial;
pub mod polyutils;
mod powers;
mod roots;

pub use bases::{
    Basis, Degrees, SeriesFit, SeriesFitOptions, SeriesPowOptions, chebyshev, hermite, hermite_e, laguerre, legendre,
};
use calculus::{PolyDerOptions, SeriesIntOptions, antiderivative, derivative};
use polynomial::PolyvalOptions;
use powers::linear;
