//! What holds for every input, held against random ones: the algebra of views, promotion, text, bytes.
//!
//! The seed is fixed, so that a run is the same every time; `PROPTEST_RNG_SEED` gives another.

mod bytes;
mod promotion;
mod text;
mod views;

use proptest::test_runner::{Config, RngSeed};

/// So many cases, the same ones every time.
fn config(cases: u32) -> Config {
    let seed = std::env::var("PROPTEST_RNG_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(20260);
    Config { cases, rng_seed: RngSeed::Fixed(seed), failure_persistence: None, ..Config::default() }
}
