//! Indexing: gather, scatter, selection and compaction.

pub(in crate::engine) mod at;
pub(in crate::engine) mod choose;
pub(in crate::engine) mod compaction;
pub(in crate::engine) mod gather;
