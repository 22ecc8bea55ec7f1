//! Elements of arrays: transfers, copies, casts, indexing and assignment.

mod assignment;
mod copies;
mod indexing;
mod item;
#[cfg(feature = "serde")]
mod serde;
mod transfer;

pub(crate) use indexing::{Picked, Resolved, along};
pub use item::Item;
