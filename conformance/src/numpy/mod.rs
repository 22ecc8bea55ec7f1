//! Real NumPy as a judge of the oracle: every case through both, compared aspect by aspect.
//!
//! NumPy runs in a Python of its own (`ci/oracle_numpy.py`), one process a thread; a case goes to it with the operands
//! that the oracle gets, in the same memory. What the two sides give is compared in [`compare`]; how far NumPy may be from
//! a correctly rounded value is in [`error`], and where it is known to differ otherwise, in [`known`].

pub mod compare;
pub mod error;
pub mod known;
pub mod proof;
pub mod replies;
mod worker;

pub use worker::{Answer, Worker};
