//! Seed sequences, bit for bit those of NumPy.
//!
//! A sequence hashes its entropy and the key of its position in the tree of spawned sequences into a pool of words, so
//! that seeds that differ in a bit have unrelated streams.

use crate::array::IntoArgument;
use crate::error::{Error, ErrorKind, Result};

const POOL: usize = 4;
const INIT_A: u32 = 0x43b0_d7e5;
const MULT_A: u32 = 0x931e_8875;
const INIT_B: u32 = 0x8b51_f9dd;
const MULT_B: u32 = 0x58f3_8ded;
const MIX_L: u32 = 0xca01_f9dd;
const MIX_R: u32 = 0x4973_f715;

/// Seed sequence: spreads entropy over any number of words; NumPy's `SeedSequence`, with the same words.
///
/// Every bit of the entropy and of the spawn key counts. Spawned sequences are independent of their parent and of each
/// other.
///
/// ```
/// use cuprum::random::SeedSequence;
/// let mut seeds = SeedSequence::new(42)?;
/// assert_eq!(seeds.generate_state(2), [3444837047, 2669555309]);
/// let children = seeds.spawn(2);
/// assert_eq!(children[1].spawn_key(), [1]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeedSequence {
    /// Words of the entropy, the least significant first.
    entropy: Vec<u32>,
    /// Number of this child in each generation.
    spawn_key: Vec<u32>,
    /// Number of children so far.
    spawned: u32,
}

/// Seed of a generator: an integer, integers, a [`SeedSequence`], or `()` for entropy of the operating system.
///
/// Integers, lists of integers and sequences convert to it.
///
/// ```
/// use cuprum::random::{SeedSequence, default_rng};
/// let a = default_rng(7)?.random(2)?.to_vec::<f64>()?;
/// let b = default_rng(SeedSequence::new(7)?)?.random(2)?.to_vec::<f64>()?;
/// assert_eq!(a, b);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Debug)]
pub enum Seed {
    /// Entropy of the operating system.
    System,
    /// 32-bit words, least significant first.
    Words(Vec<u32>),
    /// A negative integer, which is not a valid seed.
    Negative(i64),
    /// A seed sequence.
    Sequence(SeedSequence),
}

impl From<()> for Seed {
    fn from((): ()) -> Seed {
        Seed::System
    }
}

impl From<SeedSequence> for Seed {
    fn from(sequence: SeedSequence) -> Seed {
        Seed::Sequence(sequence)
    }
}

impl From<u128> for Seed {
    fn from(x: u128) -> Seed {
        let words = (128 - x.leading_zeros() as usize).div_ceil(32).max(1);
        Seed::Words((0..words).map(|k| (x >> (32 * k)) as u32).collect())
    }
}

macro_rules! seeds {
    ($($of:ty),+) => {$(
        impl From<$of> for Seed {
            fn from(x: $of) -> Seed {
                match u128::try_from(x) {
                    Ok(x) => x.into(),
                    Err(_) => Seed::Negative(x as i64),
                }
            }
        }
        impl From<&[$of]> for Seed {
            fn from(all: &[$of]) -> Seed {
                let mut words = vec![];
                for &x in all {
                    match Seed::from(x) {
                        Seed::Words(more) => words.extend(more),
                        other => return other,
                    }
                }
                Seed::Words(words)
            }
        }
        impl<const N: usize> From<[$of; N]> for Seed {
            fn from(all: [$of; N]) -> Seed {
                Seed::from(&all[..])
            }
        }
        impl From<Vec<$of>> for Seed {
            fn from(all: Vec<$of>) -> Seed {
                Seed::from(&all[..])
            }
        }
    )+};
}
seeds!(i32, i64, u32, u64, usize);

impl Seed {
    /// Returns the sequence of the seed.
    pub(crate) fn sequence(self) -> Result<SeedSequence> {
        let entropy = match self {
            Seed::Sequence(sequence) => return Ok(sequence),
            Seed::Words(words) => words,
            Seed::Negative(x) => {
                return Err(Error::new(ErrorKind::Value, format!("a seed is {x}: it must be 0 or more")));
            }
            Seed::System => system_entropy()?.to_vec(),
        };
        Ok(SeedSequence { entropy, spawn_key: vec![], spawned: 0 })
    }
}

/// Reads 128 bits of entropy from the operating system.
fn system_entropy() -> Result<[u32; 4]> {
    use std::io::Read;
    let mut bytes = [0; 16];
    let read = std::fs::File::open("/dev/urandom").and_then(|mut f| f.read_exact(&mut bytes));
    read.map_err(|e| Error::new(ErrorKind::Io, format!("/dev/urandom gives no entropy: {e}: give a seed")))?;
    Ok(std::array::from_fn(|k| u32::from_le_bytes(std::array::from_fn(|i| bytes[4 * k + i]))))
}

/// A running hash of words.
struct Hash(u32);

impl Hash {
    fn of(&mut self, word: u32) -> u32 {
        let mixed = word ^ self.0;
        self.0 = self.0.wrapping_mul(MULT_A);
        let mixed = mixed.wrapping_mul(self.0);
        mixed ^ (mixed >> 16)
    }
}

fn mixed(x: u32, y: u32) -> u32 {
    let both = MIX_L.wrapping_mul(x).wrapping_sub(MIX_R.wrapping_mul(y));
    both ^ (both >> 16)
}

impl SeedSequence {
    /// Creates a sequence from entropy, or from the operating system's for `()`.
    ///
    /// ```
    /// use cuprum::random::SeedSequence;
    /// let sequence = SeedSequence::new(42)?;
    /// assert_eq!(sequence.generate_state(2).len(), 2);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for a negative integer, [`ErrorKind::Io`] where the system has no entropy.
    pub fn new(entropy: impl IntoArgument<Seed>) -> Result<SeedSequence> {
        entropy.into().sequence().map_err(|e| e.with_op("SeedSequence"))
    }

    /// Replaces the spawn key.
    ///
    /// ```
    /// use cuprum::random::SeedSequence;
    /// let child = SeedSequence::new(42)?.spawn(1).remove(0);
    /// let same = SeedSequence::new(42)?.with_spawn_key(&[0]);
    /// assert_eq!(same.generate_state(2), child.generate_state(2));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn with_spawn_key(self, spawn_key: &[u32]) -> SeedSequence {
        SeedSequence { spawn_key: spawn_key.to_vec(), spawned: 0, ..self }
    }

    /// Returns the words of the entropy, least significant first.
    ///
    /// ```
    /// use cuprum::random::SeedSequence;
    /// assert_eq!(SeedSequence::new(42)?.entropy(), [42]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn entropy(&self) -> &[u32] {
        &self.entropy
    }

    /// Returns the spawn key: one number for each generation.
    pub fn spawn_key(&self) -> &[u32] {
        &self.spawn_key
    }

    /// Returns the number of sequences that have been spawned.
    pub fn children_spawned(&self) -> u32 {
        self.spawned
    }

    /// Mixes the entropy and the key.
    fn pool(&self) -> [u32; POOL] {
        let mut entropy = self.entropy.clone();
        // Padding, so that an entropy with a key differs from a longer entropy.
        if !self.spawn_key.is_empty() && entropy.len() < POOL {
            entropy.resize(POOL, 0);
        }
        entropy.extend(&self.spawn_key);
        let mut hash = Hash(INIT_A);
        let mut pool = std::array::from_fn(|k| hash.of(entropy.get(k).copied().unwrap_or(0)));
        for from in 0..POOL {
            for to in (0..POOL).filter(|to| *to != from) {
                pool[to] = mixed(pool[to], hash.of(pool[from]));
            }
        }
        for &word in entropy.iter().skip(POOL) {
            for to in &mut pool {
                *to = mixed(*to, hash.of(word));
            }
        }
        pool
    }

    /// Returns `words` words for the state of a generator; NumPy's `generate_state`.
    ///
    /// The words are those of NumPy for the same entropy and spawn key.
    ///
    /// See [`SeedSequence`] for an example. The hash is that of M. E. O'Neill's `seed_seq_fe`, as NumPy has it.
    pub fn generate_state(&self, words: usize) -> Vec<u32> {
        let (pool, mut constant) = (self.pool(), INIT_B);
        let one = |k: usize| {
            let word = pool[k % POOL] ^ constant;
            constant = constant.wrapping_mul(MULT_B);
            let word = word.wrapping_mul(constant);
            word ^ (word >> 16)
        };
        (0..words).map(one).collect()
    }

    /// Spawns `children` sequences that are independent of this one and of each other; NumPy's `spawn`.
    ///
    /// Child `i` has the spawn key of this sequence with `i` appended, where `i` counts all children so far.
    ///
    /// ```
    /// use cuprum::random::SeedSequence;
    /// let mut seeds = SeedSequence::new(42)?;
    /// let keys: Vec<_> = seeds.spawn(2).iter().map(|child| child.spawn_key().to_vec()).collect();
    /// assert_eq!((keys, seeds.children_spawned()), (vec![vec![0], vec![1]], 2));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn spawn(&mut self, children: u32) -> Vec<SeedSequence> {
        let key = |k: u32| [&self.spawn_key[..], &[k]].concat();
        let numbers = self.spawned..self.spawned + children;
        let all = numbers.map(|k| SeedSequence { entropy: self.entropy.clone(), spawn_key: key(k), spawned: 0 });
        let all = all.collect();
        self.spawned += children;
        all
    }
}
