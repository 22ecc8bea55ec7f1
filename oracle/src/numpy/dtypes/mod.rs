//! Properties of dtypes.

pub(crate) mod limits;
