//! Array manipulation.

pub(crate) mod join;
pub(crate) mod pad;
pub(crate) mod split;
pub(crate) mod tile;
