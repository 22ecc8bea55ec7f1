//! Logic routines: comparisons, closeness, quantifiers and type tests.

mod closeness;
mod comparison;
mod infinities;
mod kinds;
mod quantifiers;
mod truth;

pub use closeness::{CloseOptions, EqualOptions, allclose, array_equal, array_equiv, isclose};
pub use comparison::*;
pub use infinities::*;
pub use kinds::*;
pub use quantifiers::*;
pub use truth::*;
