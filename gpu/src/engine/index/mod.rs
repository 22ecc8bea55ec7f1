//! Indexing: gather, scatter, selection and compaction.
//!
//! Lower bound of a gather: the indices once, each named element once, and the result once. Elements at random
//! positions cost a sector of 32 bytes each, whatever their size.

pub(in crate::engine) mod at;
pub(in crate::engine) mod choose;
pub(in crate::engine) mod compaction;
pub(in crate::engine) mod gather;
