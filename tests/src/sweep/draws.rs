//! Random operands of a recording: SplitMix64.
//!
//! A recording contains a GPU's results and only the seed of the operands, so that this generator is part of its
//! format: it must not depend on the harness's, which changes with the version of `rand`, or every recording would be
//! invalid.

use cuprum_conformance::random::hash;

pub(super) struct Draws(u64);

impl Draws {
    /// Creates a generator; the same seed and purpose give the same numbers.
    pub(super) fn new(seed: u64, purpose: &str) -> Draws {
        Draws(mix(seed) ^ hash(purpose))
    }

    /// Returns the next 64 random bits.
    pub(super) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// Returns an index below `n`, which must not be 0.
    pub(super) fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }
}

fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
