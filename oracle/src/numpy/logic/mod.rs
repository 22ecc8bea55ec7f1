//! Logic functions.

pub(crate) mod types;
