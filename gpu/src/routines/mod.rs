//! NumPy's functions, in a module for each chapter of its reference.

pub(crate) mod bits;
pub(crate) mod creation;
pub(crate) mod dtypes;
pub(crate) mod functional;
pub(crate) mod indexing;
pub(crate) mod io;
pub(crate) mod linalg;
pub(crate) mod logic;
pub(crate) mod manipulation;
pub(crate) mod math;
mod overloads;
pub(crate) mod polynomials;
pub(crate) mod searching;
pub(crate) mod sets;
pub(crate) mod sorting;
pub(crate) mod statistics;
mod text_overloads;
