//! Property tests on random inputs: the algebra of views, promotion, text, bytes.
//!
//! The seed is fixed, so that a run is reproducible; `PROPTEST_RNG_SEED` sets another.

mod bytes;
mod promotion;
mod text;
mod views;

use proptest::test_runner::{Config, RngSeed};

/// Returns the configuration of `cases` reproducible cases.
fn config(cases: u32) -> Config {
    let seed = std::env::var("PROPTEST_RNG_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(20260);
    Config { cases, rng_seed: RngSeed::Fixed(seed), failure_persistence: None, ..Config::default() }
}
