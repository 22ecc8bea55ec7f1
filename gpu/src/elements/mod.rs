//! What an array does with its elements: to the device and back, copied, cast, set.

mod assignment;
mod copies;
mod indexing;
mod item;
#[cfg(feature = "serde")]
mod serde;
mod transfer;

pub(crate) use indexing::{Picked, Resolved, along};
pub use item::Item;
