//! Comparison of the oracle with NumPy: every case on both, compared aspect by aspect.
//!
//! NumPy runs in a separate Python process (`ci/oracle_numpy.py`), one for each thread; it receives a case with the
//! oracle's operands, in the same memory layout. The results are compared in [`compare`]; NumPy's error budgets are in
//! [`error`], and known differences in [`known`].

pub mod compare;
pub mod error;
pub mod known;
pub mod proof;
pub mod recorded;
pub mod replies;
mod worker;

pub use worker::{Answer, Worker};
