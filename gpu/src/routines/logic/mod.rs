//! Logic routines: comparisons, closeness, quantifiers and type tests.
//!
//! Elementwise functions return arrays of booleans; tests of whole arrays (`allclose`, `array_equal`) return a Rust
//! `bool` and therefore synchronise.

mod all_any;
mod allclose;
mod comparison;
mod infinities;
mod truth;
mod types;

pub use all_any::*;
pub use allclose::{CloseOptions, EqualOptions, allclose, array_equal, array_equiv, isclose};
pub use comparison::*;
pub use infinities::*;
pub use truth::*;
pub use types::*;
