//! Random numbers: known answers, elements beside the oracle's, laws, and what a call hangs on.

mod calls;
mod laws;
mod mapped;
mod seeds;
