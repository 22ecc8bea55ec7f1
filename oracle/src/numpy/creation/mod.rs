//! Creation of arrays.

pub(crate) mod basic;
pub(crate) mod grids;
pub(crate) mod matrices;
pub(crate) mod ranges;
pub(crate) mod windows;
