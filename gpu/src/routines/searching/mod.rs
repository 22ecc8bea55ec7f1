//! Searching routines: `argmax`, `nonzero`, `where` and `searchsorted`.
//!
//! Positions are int64. The number of nonzero elements is not known before it is computed: functions that return
//! indices of them synchronise.

mod argminmax;
mod nonzero;
mod searchsorted;
mod where_;

pub use argminmax::*;
pub use nonzero::*;
pub use searchsorted::*;
pub use where_::*;
