//! Elements of arrays: transfers, copies, casts, indexing and assignment.
//!
//! [`Array::index`](crate::Array::index) reads, [`Array::set`](crate::Array::set) and
//! [`Array::assign`](crate::Array::assign) write, [`Array::to_vec`](crate::Array::to_vec) copies to the host.

mod assignment;
mod copies;
mod indexing;
mod item;
#[cfg(feature = "serde")]
mod serde;
mod transfer;

pub(crate) use indexing::{Picked, Resolved, along};
pub use item::Item;
pub(crate) use transfer::copy_across;
