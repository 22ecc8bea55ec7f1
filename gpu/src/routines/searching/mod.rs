//! Searching routines: `argmax`, `nonzero`, `where` and `searchsorted`.

mod choice;
mod extremes;
mod nonzero;
mod sorted;

pub use choice::*;
pub use extremes::*;
pub use nonzero::*;
pub use sorted::*;
