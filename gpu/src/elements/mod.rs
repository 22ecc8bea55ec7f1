//! What an array does with its elements: to the device and back, copied, cast, set.

mod assignment;
mod copies;
mod item;
#[cfg(feature = "serde")]
mod serde;
mod transfer;

pub use item::Item;
