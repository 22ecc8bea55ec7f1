//! The random numbers of a recording's operands: SplitMix64.
//!
//! A recording holds a GPU's answers and only the seed of the operands. So these draws are part of its format: they may
//! not follow the harness's, which would change with a version of `rand`, or every recording had to be made anew.

use cuprum_conformance::random::hash;

pub(super) struct Draws(u64);

impl Draws {
    /// The same seed and purpose give the same numbers.
    pub(super) fn new(seed: u64, purpose: &str) -> Draws {
        Draws(mix(seed) ^ hash(purpose))
    }

    /// The next 64 random bits.
    pub(super) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// An index below `n`, which is not 0.
    pub(super) fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }
}

fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
