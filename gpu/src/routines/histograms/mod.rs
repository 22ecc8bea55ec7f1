//! Histograms and counts.

mod bincount;
mod candidates;
mod edges;
mod estimators;
mod histogram;
mod histogramdd;
#[cfg(test)]
mod tests;

pub use bincount::*;
pub use estimators::Estimator;
pub use histogram::*;
pub use histogramdd::*;
