//! Tests of random numbers: known answers, elements compared with the oracle's, distributions, and the reproducibility
//! of calls.

mod battery;
mod calls;
mod distributions;
mod mapped;
mod orders;
mod seeds;
mod vectors;
