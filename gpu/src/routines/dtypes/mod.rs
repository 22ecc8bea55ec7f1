//! Dtype routines: promotion, type tests and limits.

mod common;
mod kinds;
mod limits;

pub use common::common_type;
pub use kinds::{DTypeClass, can_cast, isdtype, issubdtype, mintypecode, typename};
pub use limits::{FloatInfo, IntegerInfo, finfo, iinfo, min_scalar_type};
