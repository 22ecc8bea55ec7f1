//! Indexing routines.

pub(crate) mod generate;
pub(crate) mod select;
pub(crate) mod take;
