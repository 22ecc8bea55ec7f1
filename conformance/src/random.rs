//! Hashes and random numbers that give the same on every machine and with every version of every crate.
//!
//! Shards, samples, operands and digests stand on these: a result is found again by its id and its seed alone.

/// The 64-bit FNV-1a hash of a text, mixed once more so that every bit depends on every byte.
pub fn hash(bytes: impl AsRef<[u8]>) -> u64 {
    let fnv = |h: u64, b: &u8| (h ^ u64::from(*b)).wrapping_mul(0x0000_0100_0000_01b3);
    mix(bytes.as_ref().iter().fold(0xcbf2_9ce4_8422_2325, fnv))
}

fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// SplitMix64: small, fast, and good enough to pick operands and samples.
#[derive(Clone, Debug)]
pub struct Rng {
    state: u64,
    walked: u64,
}

impl Rng {
    /// A generator for one purpose: the same seed and purpose give the same numbers.
    pub fn new(seed: u64, purpose: &str) -> Rng {
        let state = mix(seed) ^ hash(purpose);
        Rng { state, walked: mix(state) }
    }

    /// The next 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.state)
    }

    /// The next of the numbers below `n`, one after the other from a random one on.
    pub fn walk(&mut self, n: u64) -> u64 {
        self.walked = self.walked.wrapping_add(1);
        self.walked % n.max(1)
    }

    /// An index below `n`; 0 for `n` = 0. The bias of the modulo is far below what a sample could show.
    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % (n.max(1) as u64)) as usize
    }

    /// A number in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// One of `items`, which must not be empty.
    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    /// Puts `items` in a random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
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

    #[test]
    fn shuffling_keeps_every_item() {
        let mut items: Vec<usize> = (0..100).collect();
        Rng::new(7, "shuffle").shuffle(&mut items);
        assert_ne!(items, (0..100).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..100).collect::<Vec<_>>());
    }
}
