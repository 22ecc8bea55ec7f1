//! Where elements are, and which of them a condition picks.

mod nonzero;
mod picking;
mod sorted;

pub use nonzero::*;
pub use picking::*;
pub use sorted::*;
