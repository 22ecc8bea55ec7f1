//! Polynomials as arrays of coefficients, the highest power first.
//!
//! This is NumPy's older interface. The newer one, with the lowest power first, is [`polynomial`](crate::polynomial).

mod arithmetic;
mod calculus;
mod from_roots;
mod poly1d;
mod values;

pub(crate) use arithmetic::{front_trimmed, reversed};
pub use arithmetic::{polyadd, polydiv, polymul, polysub};
pub use calculus::{PolyIntOptions, polyder, polyint};
pub use from_roots::poly;
pub use poly1d::Poly1d;
pub(crate) use values::horner_of;
pub use values::polyval;
