//! Bit generators, whose state is kept on the host.
//!
//! Numbers are computed by the kernel that stores them: element `i` of an array is a function of the state and of `i`,
//! so that the host only advances a counter. The same seed gives the same numbers on every device and for every size of
//! the grid.

use std::cell::RefCell;
use std::sync::OnceLock;

use cuprum_kernels::source::Bits;
use rustc_hash::FxHashMap;

use super::seed::{Seed, SeedSequence};
use crate::array::{Array, IntoArgument};
use crate::cuda::Device;
use crate::engine::make;
use crate::error::{Error, ErrorKind, Result};

/// A bit generator: a sequence of 32-bit words, and a position in it.
///
/// It is a value of a few words, whose creation involves no device. The words are numbered in blocks of four; an
/// element of a call depends on the state and its index alone. Distributions that use rejection sampling take further
/// words of a block, for each attempt, from a distant part of the sequence.
///
/// ```
/// use cuprum::random::BitGenerator;
/// let mut bits = BitGenerator::philox4x3210(1)?;
/// let first = bits.random_raw(3)?.to_vec::<u32>()?;
/// let mut again = BitGenerator::from_state(&BitGenerator::philox4x3210(1)?.state())?;
/// again.advance(1);
/// assert_eq!(again.random_raw(2)?.to_vec::<u32>()?, first[1..]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BitGenerator {
    /// The generator's algorithm.
    pub(super) bits: Bits,
    /// Key of a counter-based generator, or the words of a recurrence.
    pub(super) state: [u32; 6],
    /// Number of the next block of 128 bits.
    pub(super) block: u64,
    /// Words of this block that earlier calls have used.
    pub(super) lane: u32,
    /// The sequence that it was seeded from.
    seeds: Option<SeedSequence>,
}

/// The state of a [`BitGenerator`], by value: a generator restored from it continues the sequence.
///
/// ```
/// use cuprum::random::BitGenerator;
/// let mut bits = BitGenerator::philox4x3210(1)?;
/// let state = bits.state();
/// let words = bits.random_raw(2)?.to_vec::<u32>()?;
/// assert_eq!(BitGenerator::from_state(&state)?.random_raw(2)?.to_vec::<u32>()?, words);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BitGeneratorState {
    /// The name: `Philox4x3210`, `MRG32k3a` or `XORWOW`.
    pub bit_generator: String,
    /// For Philox, the key and the number of jumps; for MRG32k3a, both recurrences, the oldest number first; for
    /// XORWOW, the five words of the shift register, the oldest first, and the counter.
    pub state: [u32; 6],
    /// The index of the next block of four words.
    pub block: u64,
    /// The number of words of it that have been used.
    pub lane: u32,
}

const M1: u64 = 4_294_967_087;
const M2: u64 = 4_294_944_443;
/// The number of matrices that skip 2^k words, up to those of a jump.
const POWERS: usize = 129;

type Square = [u32; 9];

fn times(a: &Square, b: &Square, m: u64) -> Square {
    std::array::from_fn(|at| {
        let (row, column) = (at / 3, at % 3);
        (0..3).fold(0, |sum, k| (sum + u64::from(a[3 * row + k]) * u64::from(b[3 * k + column]) % m) % m) as u32
    })
}

/// Returns the matrices of MRG32k3a to the powers 2^k.
fn mrg() -> &'static Vec<[Square; 2]> {
    static ALL: OnceLock<Vec<[Square; 2]>> = OnceLock::new();
    ALL.get_or_init(|| {
        let one = [0, 1, 0, 0, 0, 1, (M1 - 810_728) as u32, 1_403_580, 0];
        let two = [0, 1, 0, 0, 0, 1, (M2 - 1_370_589) as u32, 0, 527_612];
        let squared = |p: &[Square; 2]| Some([times(&p[0], &p[0], M1), times(&p[1], &p[1], M2)]);
        std::iter::successors(Some([one, two]), squared).take(POWERS).collect()
    })
}

type Register = [u32; 5];
/// A linear map: the images of the bits of a register.
type Linear = Vec<Register>;

fn shifted([x, y, z, w, v]: Register) -> Register {
    let t = x ^ (x >> 2);
    [y, z, w, v, (v ^ (v << 4)) ^ (t ^ (t << 1))]
}

fn applied(map: &Linear, s: Register) -> Register {
    let mut out = [0; 5];
    for bit in (0..160).filter(|bit| s[bit / 32] >> (bit % 32) & 1 == 1) {
        out.iter_mut().zip(map[bit]).for_each(|(to, from)| *to ^= from);
    }
    out
}

/// Returns the matrix of XORWOW to the powers 2^k.
fn xorwow() -> &'static Vec<Linear> {
    static ALL: OnceLock<Vec<Linear>> = OnceLock::new();
    ALL.get_or_init(|| {
        let unit = |bit: usize| std::array::from_fn(|k| if k == bit / 32 { 1 << (bit % 32) } else { 0 });
        let first: Linear = (0..160).map(|bit| shifted(unit(bit))).collect();
        let squared = |map: &Linear| Some(map.iter().map(|&image| applied(map, image)).collect());
        std::iter::successors(Some(first), squared).take(POWERS).collect()
    })
}

/// Returns the skip-ahead matrices that the kernels use: for blocks, then for attempts.
fn table(bits: Bits) -> Vec<u32> {
    let wanted = (2..66).chain(68..100);
    match bits {
        Bits::Philox => vec![],
        Bits::Mrg32k3a => wanted.flat_map(|k| mrg()[k].concat()).collect(),
        Bits::Xorwow => wanted.flat_map(|k| xorwow()[k].concat()).collect(),
    }
}

thread_local! {
    /// The tables by device and generator.
    static TABLES: RefCell<FxHashMap<(usize, Bits), Array>> = RefCell::default();
}

impl BitGenerator {
    /// Creates a Philox4x32-10 generator, the default: a block is a bijection of its index by a key of 64 bits (Salmon
    /// and others, 2011). A stream has 2^64 blocks, and a key has 2^32 streams by [`jumped`](Self::jumped). CuPy's
    /// `Philox4x3210`.
    ///
    /// ```
    /// use cuprum::random::{BitGenerator, Generator};
    /// let mut a = Generator::new(BitGenerator::philox4x3210(7)?);
    /// let mut b = Generator::new(BitGenerator::philox4x3210(7)?);
    /// assert_eq!(a.random([3])?.to_vec::<f64>()?, b.random([3])?.to_vec::<f64>()?);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Same as [`SeedSequence::new`].
    pub fn philox4x3210(seed: impl IntoArgument<Seed>) -> Result<BitGenerator> {
        BitGenerator::seeded(Bits::Philox, seed.into()).map_err(|e| e.with_op("Philox4x3210"))
    }

    /// Creates an MRG32k3a generator: two recurrences of order 3 (L'Ecuyer, 1999), of period 2^191. All its words
    /// are below 4294967087. CuPy's `MRG32k3a`.
    ///
    /// See [`philox4x3210`](Self::philox4x3210) for an example.
    ///
    /// ```
    /// use cuprum::random::BitGenerator;
    /// let mut bits = BitGenerator::mrg32k3a(1)?;
    /// assert!(bits.random_raw(8)?.to_vec::<u32>()?.iter().all(|word| *word < 4294967087));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Same as [`SeedSequence::new`].
    pub fn mrg32k3a(seed: impl IntoArgument<Seed>) -> Result<BitGenerator> {
        BitGenerator::seeded(Bits::Mrg32k3a, seed.into()).map_err(|e| e.with_op("MRG32k3a"))
    }

    /// Creates an XORWOW generator: a shift register of 160 bits and a counter (Marsaglia, 2003), of period 2^192 -
    /// 2^32. CuPy's `XORWOW`.
    ///
    /// See [`philox4x3210`](Self::philox4x3210) for an example.
    ///
    /// ```
    /// use cuprum::random::BitGenerator;
    /// let (mut a, mut b) = (BitGenerator::xorwow(1)?, BitGenerator::xorwow(1)?);
    /// assert_eq!(a.random_raw(4)?.to_vec::<u32>()?, b.random_raw(4)?.to_vec::<u32>()?);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Same as [`SeedSequence::new`].
    pub fn xorwow(seed: impl IntoArgument<Seed>) -> Result<BitGenerator> {
        BitGenerator::seeded(Bits::Xorwow, seed.into()).map_err(|e| e.with_op("XORWOW"))
    }

    fn seeded(bits: Bits, seed: Seed) -> Result<BitGenerator> {
        let seeds = seed.sequence()?;
        let words = seeds.generate_state(6);
        let mut state: [u32; 6] = std::array::from_fn(|k| words[k]);
        match bits {
            Bits::Philox => state[2..].fill(0),
            Bits::Mrg32k3a => {
                for (k, word) in state.iter_mut().enumerate() {
                    *word = (u64::from(*word) % if k < 3 { M1 } else { M2 }) as u32;
                }
                // Three zeros would be a fixed point.
                state[0] |= u32::from(state[..3] == [0; 3]);
                state[3] |= u32::from(state[3..] == [0; 3]);
            }
            Bits::Xorwow => state[0] |= u32::from(state[..5] == [0; 5]),
        }
        Ok(BitGenerator { bits, state, block: 0, lane: 0, seeds: Some(seeds) })
    }

    /// Restores a generator from a state.
    ///
    /// ```
    /// use cuprum::random::BitGenerator;
    /// let mut bits = BitGenerator::philox4x3210(7)?;
    /// bits.advance(10);
    /// assert_eq!(BitGenerator::from_state(&bits.state())?.state(), bits.state());
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for an invalid state.
    pub fn from_state(state: &BitGeneratorState) -> Result<BitGenerator> {
        let BitGeneratorState { bit_generator, state, block, lane } = state.clone();
        let (one, two) = state.split_at(3);
        let below = |words: &[u32], m: u64| words.iter().all(|w| u64::from(*w) < m) && words != [0; 3];
        let (bits, right) = match bit_generator.as_str() {
            "Philox4x3210" => (Bits::Philox, state[3..] == [0; 3]),
            "MRG32k3a" => (Bits::Mrg32k3a, below(one, M1) && below(two, M2)),
            "XORWOW" => (Bits::Xorwow, state[..5] != [0; 5]),
            other => {
                let message =
                    format!("there is no bit generator {other:?}: they are Philox4x3210, MRG32k3a and XORWOW");
                return Err(Error::new(ErrorKind::Value, message).with_op("BitGenerator"));
            }
        };
        if !right || lane > 3 {
            let message = format!("{state:?} with the lane {lane} is no state of {bit_generator}");
            return Err(Error::new(ErrorKind::Value, message).with_op("BitGenerator"));
        }
        Ok(BitGenerator { bits, state, block, lane, seeds: None })
    }

    /// Returns the state, by value.
    ///
    /// NumPy's property `state`. [`BitGenerator::from_state`] restores it; see [`BitGenerator`] for an example.
    pub fn state(&self) -> BitGeneratorState {
        let BitGenerator { state, block, lane, .. } = *self;
        BitGeneratorState { bit_generator: self.name().into(), state, block, lane }
    }

    /// Returns CuPy's name: `Philox4x3210`, `MRG32k3a` or `XORWOW`.
    ///
    /// ```
    /// use cuprum::random::BitGenerator;
    /// assert_eq!(BitGenerator::xorwow(1)?.name(), "XORWOW");
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn name(&self) -> &'static str {
        match self.bits {
            Bits::Philox => "Philox4x3210",
            Bits::Mrg32k3a => "MRG32k3a",
            Bits::Xorwow => "XORWOW",
        }
    }

    /// Returns the seed sequence, if the generator was created from a seed.
    pub fn seed_seq(&self) -> Option<&SeedSequence> {
        self.seeds.as_ref()
    }

    /// Skips `words` 32-bit words.
    ///
    /// It takes constant time: no word is computed. A part of a block of four words counts.
    ///
    /// ```
    /// use cuprum::random::BitGenerator;
    /// let mut a = BitGenerator::philox4x3210(1)?;
    /// let words = a.random_raw(12)?.to_vec::<u32>()?;
    /// let mut b = BitGenerator::philox4x3210(1)?;
    /// b.advance(8);
    /// assert_eq!(b.random_raw(4)?.to_vec::<u32>()?, words[8..]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn advance(&mut self, words: u64) {
        let lanes = u64::from(self.lane) + words % 4;
        self.block = self.block.wrapping_add(words / 4).wrapping_add(lanes / 4);
        self.lane = (lanes % 4) as u32;
    }

    /// Returns a generator `jumps` streams ahead, which do not overlap with this one: 2^96 blocks of Philox, 2^127
    /// words of MRG32k3a, 2^128 of XORWOW each; NumPy's `jumped`.
    ///
    /// It takes constant time. Generators of consecutive jumps serve as independent streams of one seed.
    ///
    /// ```
    /// use cuprum::random::BitGenerator;
    /// let first = BitGenerator::philox4x3210(1)?;
    /// let mut streams = [first.jumped(1), first.jumped(2)];
    /// let [a, b] = &mut streams;
    /// assert_ne!(a.random_raw(4)?.to_vec::<u32>()?, b.random_raw(4)?.to_vec::<u32>()?);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn jumped(&self, jumps: u32) -> BitGenerator {
        let mut next = self.clone();
        match self.bits {
            Bits::Philox => next.state[2] = self.state[2].wrapping_add(jumps),
            Bits::Mrg32k3a => {
                for _ in 0..jumps {
                    let [one, two] = &mrg()[127];
                    let image = |a: &Square, s: &[u32], m: u64| -> [u32; 3] {
                        std::array::from_fn(|row| {
                            (0..3).fold(0, |sum, k| (sum + u64::from(a[3 * row + k]) * u64::from(s[k]) % m) % m) as u32
                        })
                    };
                    let (a, b) = (image(one, &next.state[..3], M1), image(two, &next.state[3..], M2));
                    next.state = [a[0], a[1], a[2], b[0], b[1], b[2]];
                }
            }
            Bits::Xorwow => {
                for _ in 0..jumps {
                    let register = applied(&xorwow()[128], std::array::from_fn(|k| next.state[k]));
                    next.state[..5].copy_from_slice(&register);
                }
            }
        }
        next
    }

    /// Spawns `children` generators of the same kind, independent of this one and of each other; NumPy's `spawn`.
    ///
    /// Each has a child of the seed sequence as its seed; a generator that was restored from a state has none and
    /// cannot spawn.
    ///
    /// ```
    /// use cuprum::random::BitGenerator;
    /// let children = BitGenerator::philox4x3210(1)?.spawn(2)?;
    /// assert_eq!(children[1].seed_seq().unwrap().spawn_key(), [1]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Type`] for a generator that was created from a state and has no seed.
    pub fn spawn(&mut self, children: u32) -> Result<Vec<BitGenerator>> {
        let bits = self.bits;
        let seeds = self.seeds.as_mut().ok_or_else(|| {
            let message = "a generator that was made of a state has no seed to spawn from: make it of a seed";
            Error::new(ErrorKind::Type, message).with_op("spawn")
        })?;
        seeds.spawn(children).into_iter().map(|s| BitGenerator::seeded(bits, Seed::Sequence(s))).collect()
    }

    /// Returns the skip-ahead table of the generator's kernels, on a device.
    pub(super) fn table(&self, device: Device) -> Result<Option<Array>> {
        if self.bits == Bits::Philox {
            return Ok(None);
        }
        let key = (device.address(), self.bits);
        if let Some(found) = TABLES.with_borrow(|all| all.get(&key).cloned()) {
            return Ok(Some(found));
        }
        let words = table(self.bits);
        let made = make::of(device, &words, &[words.len()])?;
        TABLES.with_borrow_mut(|all| all.insert(key, made.clone()));
        Ok(Some(made))
    }

    /// Returns the position of the next element, of which a block has `per_block`, and skips `elements` such elements:
    /// whole words, of which the last may be used in part.
    pub(super) fn take(&mut self, per_block: usize, elements: usize) -> (u64, u32) {
        let lane = self.lane.next_multiple_of(4usize.div_ceil(per_block) as u32);
        let first = (self.block.wrapping_add(u64::from(lane / 4)), lane % 4);
        (self.block, self.lane) = first;
        self.block = self.block.wrapping_add((elements / per_block) as u64);
        self.advance((elements % per_block * 4).div_ceil(per_block) as u64);
        first
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares with the matrices of P. L'Ecuyer and others, "An object-oriented random-number package with many long
    /// streams and substreams", 2002, which skip 2^127 numbers.
    #[test]
    fn jumps_of_mrg32k3a_are_the_published_ones() {
        let [one, two] = mrg()[127];
        assert_eq!(
            one,
            [2427906178, 3580155704, 949770784, 226153695, 1230515664, 3580155704, 1988835001, 986791581, 1230515664]
        );
        assert_eq!(
            two,
            [1464411153, 277697599, 1610723613, 32183930, 1464411153, 1022607788, 2824425944, 32183930, 2093834863]
        );
    }

    #[test]
    fn powers_of_xorwow_skip_as_steps_do() {
        let mut s = [123456789, 362436069, 521288629, 88675123, 5783321];
        let start = s;
        for _ in 0..(1 << 10) {
            s = shifted(s);
        }
        assert_eq!(applied(&xorwow()[10], start), s);
    }
}
