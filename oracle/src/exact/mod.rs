//! Functions of numbers, rounded once.

pub(crate) mod big;
pub(crate) mod complex;
pub(crate) mod complex_elementary;
pub(crate) mod decimal;
pub(crate) mod elementary;
pub(crate) mod floating;
pub(crate) mod integer;
pub(crate) mod real;
pub(crate) mod sum;
