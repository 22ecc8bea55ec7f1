//! Where elements are, and which of them a condition picks.

mod nonzero;
mod picking;

pub use nonzero::*;
pub use picking::*;
