//! Polynomials.

pub(crate) mod arithmetic;
pub(crate) mod basis;
pub(crate) mod power_bounds;
pub(crate) mod power_series;
pub(crate) mod quotient_bounds;
pub(crate) mod series;
