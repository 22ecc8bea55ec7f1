//! Random numbers: known answers, elements beside the oracle's, distributions, and what a call hangs on.

mod battery;
mod calls;
mod distributions;
mod mapped;
mod orders;
mod seeds;
mod vectors;
