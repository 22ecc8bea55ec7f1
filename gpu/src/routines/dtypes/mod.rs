//! What dtypes are to each other, and what they hold.

mod common;
mod kinds;
mod limits;

pub use common::common_type;
pub use kinds::{DTypeClass, can_cast, isdtype, issubdtype, mintypecode, typename};
pub use limits::{FloatInfo, IntegerInfo, finfo, iinfo, min_scalar_type};
