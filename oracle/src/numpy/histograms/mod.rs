//! Histograms.

pub(crate) mod estimators;
pub(crate) mod histogram;
