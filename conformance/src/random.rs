//! Hashes and random numbers that are the same on every machine.
//!
//! Shards, samples, operands and digests depend on these: a result is reproduced by its id and its seed alone. The hash
//! is defined here. The numbers are `rand`'s, from a generator whose algorithm and seeding its crate guarantees to
//! keep; how a range or a permutation is sampled may change with a minor version of `rand`, so the version is pinned,
//! and a test checks the samples.

use rand::rngs::Xoshiro256PlusPlus;
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{Rng as _, RngExt, SeedableRng};

/// Returns the 64-bit FNV-1a hash of a text, mixed once more so that every bit depends on every byte.
pub fn hash(bytes: impl AsRef<[u8]>) -> u64 {
    let fnv = |h: u64, b: &u8| (h ^ u64::from(*b)).wrapping_mul(0x0000_0100_0000_01b3);
    mix(bytes.as_ref().iter().fold(0xcbf2_9ce4_8422_2325, fnv))
}

fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A generator for one purpose.
#[derive(Clone, Debug)]
pub struct Rng {
    source: Xoshiro256PlusPlus,
    walked: u64,
}

impl Rng {
    /// Creates a generator for one purpose: the same seed and purpose give the same numbers.
    pub fn new(seed: u64, purpose: &str) -> Rng {
        let mut source = Xoshiro256PlusPlus::seed_from_u64(mix(seed) ^ hash(purpose));
        Rng { walked: source.next_u64(), source }
    }

    /// Returns the next 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.source.next_u64()
    }

    /// Returns consecutive numbers modulo `n`, starting at a random one.
    pub fn walk(&mut self, n: u64) -> u64 {
        self.walked = self.walked.wrapping_add(1);
        self.walked % n.max(1)
    }

    /// Returns an index below `n`; 0 for `n` = 0.
    pub fn below(&mut self, n: usize) -> usize {
        self.source.random_range(0..n.max(1))
    }

    /// Returns a number in [0, 1).
    pub fn unit(&mut self) -> f64 {
        self.source.random()
    }

    /// Returns one of `items`, which must not be empty.
    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        *items.choose(&mut self.source).expect("there is an item to pick")
    }

    /// Shuffles `items`.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        items.shuffle(&mut self.source);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn purposes_are_independent_and_repeatable() {
        let draw = |seed, purpose: &str| Rng::new(seed, purpose).bits();
        assert_eq!(draw(1, "a"), draw(1, "a"));
        assert_ne!(draw(1, "a"), draw(1, "b"));
        assert_ne!(draw(1, "a"), draw(2, "a"));
    }

    /// The values are from the definitions of FNV-1a, SplitMix64 and xoshiro256++ and of `rand`'s sampling of a range,
    /// a float and a permutation, implemented in Python. Other values would change every sample and every operand.
    #[test]
    fn the_draws_stay_the_same() {
        let mut rng = Rng::new(20260, "draws");
        assert_eq!(
            [rng.bits(), rng.bits(), rng.bits()],
            [0x3271_ab9a_f3ff_ddd3, 0xdc9f_4707_1dac_02be, 0xa07b_74e4_a006_50f1]
        );
        assert_eq!([(); 4].map(|()| rng.below(1000)), [939, 874, 321, 130]);
        assert_eq!(rng.unit(), 0.091_666_840_099_687_73);
        assert_eq!([(); 4].map(|()| rng.pick(&[10, 20, 30])), [30, 30, 30, 20]);
        let mut items: Vec<usize> = (0..10).collect();
        rng.shuffle(&mut items);
        assert_eq!(items, [6, 4, 2, 9, 1, 3, 0, 5, 7, 8]);
        assert_eq!([(); 3].map(|()| rng.walk(7)), [4, 5, 6]);
    }

    #[test]
    fn shuffling_keeps_every_item() {
        let mut items: Vec<usize> = (0..100).collect();
        Rng::new(7, "shuffle").shuffle(&mut items);
        assert_ne!(items, (0..100).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..100).collect::<Vec<_>>());
    }
}
