//! Elements that indices, masks and conditions pick.

mod at;
mod picking;
mod taking;

pub use picking::*;
pub use taking::*;
