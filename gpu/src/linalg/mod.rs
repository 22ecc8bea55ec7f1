//! Linear algebra; NumPy's `linalg`.

mod norms;

pub use norms::{NormOrder, norm};
