//! Dtype routines: promotion, type tests and limits.
//!
//! They compute on the host from dtypes alone and never read elements, except for a scalar's value.

mod common;
mod kinds;
mod limits;

pub use common::common_type;
pub use kinds::{DTypeClass, can_cast, isdtype, issubdtype, mintypecode, typename};
pub use limits::{FloatInfo, IntegerInfo, finfo, iinfo, min_scalar_type};
