//! Linear algebra; NumPy's `linalg`.

mod norms;

pub use norms::{NormOptions, NormOrder, norm};
