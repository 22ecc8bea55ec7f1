//! NumPy's legacy interface: `RandomState`, and functions of a global state.
//!
//! The functions use a global generator behind a lock; a seed makes them reproducible in a program of one thread. New
//! programs use [`default_rng`](super::default_rng).

use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, MutexGuard, PoisonError};

use cuprum_kernels::DType;

use super::bits::{BitGenerator, BitGeneratorState};
use super::generator::{Generator, default_rng};
use super::options::RandomOptions;
use super::seed::Seed;
use crate::array::{Array, AsOperand, AsOptionalOperand, IntoArgument, IntoShape};
use crate::error::Result;

/// NumPy's and CuPy's `RandomState`: a [`Generator`] with the legacy methods in addition to its own.
///
/// ```
/// use cuprum::random::RandomState;
/// let mut state = RandomState::new(5)?;
/// let a = state.rand([2, 2])?;
/// state.seed(5)?;
/// assert_eq!(state.random_sample([2, 2])?.to_vec::<f64>()?, a.to_vec::<f64>()?);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RandomState {
    /// The generator, whose distributions have the same samples.
    generator: Generator,
}

impl Deref for RandomState {
    type Target = Generator;

    fn deref(&self) -> &Generator {
        &self.generator
    }
}

impl DerefMut for RandomState {
    fn deref_mut(&mut self) -> &mut Generator {
        &mut self.generator
    }
}

static SHARED: Mutex<Option<RandomState>> = Mutex::new(None);

/// The global state, locked for one call.
pub(super) struct Shared(MutexGuard<'static, Option<RandomState>>, RandomState);

impl Deref for Shared {
    type Target = RandomState;

    fn deref(&self) -> &RandomState {
        &self.1
    }
}

impl DerefMut for Shared {
    fn deref_mut(&mut self) -> &mut RandomState {
        &mut self.1
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        *self.0 = Some(self.1.clone());
    }
}

/// Locks the global state, seeding it from the operating system if it has not been seeded.
pub(super) fn shared() -> Result<Shared> {
    let mut guard = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
    let state = match guard.take() {
        Some(state) => state,
        None => RandomState::new(())?,
    };
    Ok(Shared(guard, state))
}

/// Seeds the global generator; NumPy's `random.seed`.
///
/// ```
/// use cuprum::random;
/// random::seed(1)?;
/// let a = random::rand(3)?.to_vec::<f64>()?;
/// random::seed(1)?;
/// assert_eq!(random::rand(3)?.to_vec::<f64>()?, a);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`SeedSequence::new`](super::SeedSequence::new).
pub fn seed(seed: impl IntoArgument<Seed>) -> Result<()> {
    set_random_state(&RandomState::new(seed)?);
    Ok(())
}

/// Returns a copy of the global generator; CuPy's `get_random_state`.
///
/// It continues where the global generator is; sampling from the copy does not advance the global one.
///
/// ```
/// use cuprum::random::{RandomState, get_random_state, set_random_state};
/// let before = get_random_state()?;
/// set_random_state(&RandomState::new(1)?);
/// set_random_state(&before);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Io`](crate::ErrorKind::Io) where it has not been seeded, and the system has no entropy.
pub fn get_random_state() -> Result<RandomState> {
    Ok(shared()?.clone())
}

/// Replaces the global generator; CuPy's `set_random_state`.
pub fn set_random_state(state: &RandomState) {
    *SHARED.lock().unwrap_or_else(PoisonError::into_inner) = Some(state.clone());
}

/// Defines legacy names of a generator's functions.
macro_rules! older {
    ($($(#[$doc:meta])* fn $name:ident($($parameter:ident: $of:ty),*) = |$state:ident, $options:ident: $options_type:ty| $body:expr;)+) => {
        impl RandomState {$(
            $(#[$doc])*
            ///
            /// # Errors
            ///
            /// Same as the function of [`Generator`].
            pub fn $name<'a>(&mut self, $($parameter: $of,)* $options: $options_type) -> Result<Array> {
                let $state = self;
                $body
            }
        )+}

        $(
            $(#[$doc])*
            ///
            /// # Errors
            ///
            /// Same as the function of [`Generator`].
            pub fn $name<'a>($($parameter: $of,)* $options: $options_type) -> Result<Array> {
                shared()?.$name($($parameter,)* $options)
            }
        )+
    };
}
older! {
    /// Uniform distribution on `[0, 1)`; NumPy's `rand`.
    fn rand() = |state, options: impl Into<RandomOptions<'a>>| state.random(options);
    /// Standard normal distribution; NumPy's `randn`.
    fn randn() = |state, options: impl Into<RandomOptions<'a>>| state.standard_normal(options);
    /// Uniform distribution on `[0, 1)`; NumPy's `random_sample`.
    fn random_sample() = |state, options: impl Into<RandomOptions<'a>>| state.random(options);
    /// Uniform distribution on `[0, 1)`; NumPy's `ranf`.
    fn ranf() = |state, options: impl Into<RandomOptions<'a>>| state.random(options);
    /// Uniform distribution on `[0, 1)`; NumPy's `sample`.
    fn sample() = |state, options: impl Into<RandomOptions<'a>>| state.random(options);
    /// Samples integers from `low` to `high`, exclusive; NumPy's `randint`.
    fn randint(low: impl AsOperand, high: impl AsOptionalOperand)
        = |state, options: impl Into<RandomOptions<'a>>| state.integers(low, high, options);
    /// Samples integers from `low` to `high`, inclusive; NumPy's `random_integers`. Without `high`, from 1 to `low`.
    fn random_integers(low: impl AsOperand, high: impl AsOptionalOperand)
        = |state, options: impl Into<RandomOptions<'a>>| {
            let options = options.into().endpoint(true);
            match high.as_optional_operand() {
                Some(high) => state.integers(low, high, options),
                None => state.integers(1, low, options),
            }
        };
}

impl RandomState {
    /// Creates a state from a seed.
    ///
    /// ```
    /// use cuprum::random::RandomState;
    /// let (mut a, mut b) = (RandomState::new(5)?, RandomState::new(5)?);
    /// assert_eq!(a.tomaxint(3)?.to_vec::<i64>()?, b.tomaxint(3)?.to_vec::<i64>()?);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Same as [`SeedSequence::new`](super::SeedSequence::new).
    pub fn new(seed: impl IntoArgument<Seed>) -> Result<RandomState> {
        Ok(RandomState { generator: default_rng(seed)? })
    }

    /// Seeds the state again.
    ///
    /// NumPy's `RandomState.seed`.
    ///
    /// ```
    /// use cuprum::random::RandomState;
    /// let mut state = RandomState::new(1)?;
    /// let first = state.tomaxint([2])?.to_vec::<i64>()?;
    /// state.seed(1)?;
    /// assert_eq!(state.tomaxint([2])?.to_vec::<i64>()?, first);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Same as [`RandomState::new`].
    pub fn seed(&mut self, seed: impl IntoArgument<Seed>) -> Result<()> {
        *self = RandomState::new(seed)?;
        Ok(())
    }

    /// Returns the state, by value; NumPy's `get_state`.
    pub fn get_state(&self) -> BitGeneratorState {
        self.bit_generator().state()
    }

    /// Restores a state; NumPy's `set_state`.
    ///
    /// ```
    /// use cuprum::random::RandomState;
    /// let mut state = RandomState::new(1)?;
    /// let saved = state.get_state();
    /// let first = state.tomaxint([2])?.to_vec::<i64>()?;
    /// state.set_state(&saved)?;
    /// assert_eq!(state.tomaxint([2])?.to_vec::<i64>()?, first);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Same as [`BitGenerator::from_state`].
    pub fn set_state(&mut self, state: &BitGeneratorState) -> Result<()> {
        self.generator = Generator::new(BitGenerator::from_state(state)?);
        Ok(())
    }

    /// Samples integers from 0 to the largest int64; NumPy's `tomaxint`.
    ///
    /// The result is int64 of the shape `size`.
    ///
    /// ```
    /// let mut state = cuprum::random::RandomState::new(3)?;
    /// assert!(state.tomaxint([4])?.to_vec::<i64>()?.iter().all(|n| *n >= 0));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory).
    pub fn tomaxint(&mut self, size: impl IntoShape) -> Result<Array> {
        let options = RandomOptions::from(size).dtype(DType::I64).endpoint(true);
        self.integers(0, i64::MAX, options)
    }
}

/// Returns random bytes from the global generator; NumPy's `random.bytes`.
///
/// ```
/// assert_eq!(cuprum::random::bytes(3)?.len(), 3);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`Generator::bytes`].
///
/// # Synchronization
///
/// Synchronises to read the bytes.
pub fn bytes(length: usize) -> Result<Vec<u8>> {
    shared()?.bytes(length)
}
