//! Searching routines: `argmax`, `nonzero`, `where` and `searchsorted`.

mod argminmax;
mod nonzero;
mod searchsorted;
mod where_;

pub use argminmax::*;
pub use nonzero::*;
pub use searchsorted::*;
pub use where_::*;
