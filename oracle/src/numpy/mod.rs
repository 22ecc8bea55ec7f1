//! NumPy's functions, in a module for each chapter of its reference.

pub(crate) mod bits;
pub(crate) mod creation;
pub(crate) mod dtypes;
pub(crate) mod fft;
pub(crate) mod indexing;
pub(crate) mod linalg;
pub(crate) mod logic;
pub(crate) mod manipulation;
pub(crate) mod math;
pub(crate) mod polynomials;
pub mod random;
pub(crate) mod searching;
pub(crate) mod sets;
pub(crate) mod sorting;
pub(crate) mod statistics;
