//! Elements that indices, masks and conditions pick.

mod at;
mod picking;
mod putting;
mod taking;

pub use picking::*;
pub use putting::*;
pub(in crate::routines) use taking::parts_at;
pub use taking::*;
