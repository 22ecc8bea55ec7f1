//! Prelude of common items: `use cuprum::prelude::*;`.
//!
//! Functions with names of Rust's standard library (`min`, `max`, `abs`) are not included: use methods of [`Array`], or
//! `cuprum::max`.
//!
//! It has the array, the traits of arguments, dtypes, errors, the macro [`s!`](crate::s), and functions whose names are
//! not ambiguous.
//!
//! ```
//! use cuprum::prelude::*;
//!
//! fn distances(points: &Array) -> Result<Array> {
//!     let d = points - points.mean(0)?;
//!     (&d * &d).sum(-1)?.sqrt()
//! }
//! let points = array([[0.0, 0.0], [6.0, 8.0]])?;
//! assert_eq!(distances(&points)?.to_vec::<f64>()?, [5.0, 5.0]);
//! # Ok::<(), cuprum::Error>(())
//! ```

pub use super::s;
pub use crate::array::Index;
pub use crate::array::{Array, AsArray, AsOperand, array};
pub use crate::cuda::Device;
pub use crate::error::{Error, ErrorKind, Result};
pub use crate::index::{Ellipsis, NewAxis};
pub use crate::layout::Order;
pub use crate::reduction::Reduce;
pub use crate::routines::creation::{arange, empty, full, ones, zeros, zeros_like};
pub use crate::routines::searching::where_;
pub use crate::scalar::Scalar;
pub use cuprum_kernels::DType;
