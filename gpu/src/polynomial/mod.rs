//! NumPy's `numpy.polynomial`: series in a basis of polynomials by their coefficients, the lowest degree first.
//!
//! This is NumPy's newer interface: coefficients begin with the lowest degree. Functions of power series are in
//! [`polynomial`], those of the other bases in modules of their names; [`polyutils`]
//! trims and converts coefficients. The older interface, with the highest power first, is [`Poly1d`](crate::Poly1d) and
//! [`polyval`](crate::polyval()).

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
