//! Random sampling; NumPy's and CuPy's `random`.
//!
//! A [`Generator`] samples arrays of every distribution from a [`BitGenerator`]: Philox4x32-10, MRG32k3a or XORWOW. It
//! is a host value without device state, and its numbers depend on its seed alone.
//!
//! | group | functions |
//! |---|---|
//! | uniform | [`random`](Generator::random), [`uniform`](Generator::uniform), [`integers`](Generator::integers), [`bernoulli`](Generator::bernoulli) |
//! | normal and derived | [`normal`](Generator::normal), [`lognormal`](Generator::lognormal), [`standard_t`](Generator::standard_t), [`chisquare`](Generator::chisquare), [`f`](Generator::f) |
//! | on positive numbers | [`exponential`](Generator::exponential), [`gamma`](Generator::gamma), [`weibull`](Generator::weibull), [`pareto`](Generator::pareto), [`rayleigh`](Generator::rayleigh), [`wald`](Generator::wald) |
//! | counts | [`poisson`](Generator::poisson), [`binomial`](Generator::binomial), [`geometric`](Generator::geometric), [`hypergeometric`](Generator::hypergeometric), [`zipf`](Generator::zipf) |
//! | vectors | [`multivariate_normal`](Generator::multivariate_normal), [`multinomial`](Generator::multinomial), [`dirichlet`](Generator::dirichlet) |
//! | orders | [`permutation`](Generator::permutation), [`shuffle`](Generator::shuffle), [`permuted`](Generator::permuted), [`choice`](Generator::choice) |
//!
//! The functions of this module with the same names sample from one generator that all threads share, as NumPy's older
//! interface does.
//!
//! ```
//! use cuprum::random::default_rng;
//! let mut rng = default_rng(2026)?;
//! let a = rng.normal(0.0, 1.0, [3, 4])?;
//! let mut again = default_rng(2026)?;
//! assert_eq!(again.standard_normal([3, 4])?.to_vec::<f64>()?, a.to_vec::<f64>()?);
//! # Ok::<(), cuprum::Error>(())
//! ```

mod bits;
mod bounds;
mod distributions;
mod generator;
mod legacy;
mod multivariate;
mod options;
mod permuting;
mod seed;
mod vectors;

pub use bits::{BitGenerator, BitGeneratorState};
pub use distributions::*;
pub use generator::{DistributionSignature, Generator, default_rng};
pub use legacy::*;
pub use multivariate::*;
pub use options::RandomOptions;
pub use permuting::*;
pub use seed::{Seed, SeedSequence};
pub use vectors::*;

/// Device functions for user kernels: `random_block(key, number)` returns the four words of a block of Philox4x32-10,
/// and `philox4x32_10` is the bijection itself. Prepend them to the source of a [`RawModule`](crate::RawModule), or
/// pass them as the preamble of an [`ElementwiseKernel`](crate::ElementwiseKernel).
///
/// ```
/// use cuprum::random::{BitGenerator, DEVICE_FUNCTIONS};
/// use cuprum::{DType, ElementwiseKernel, ElementwiseKernelOptions, KernelArgument, zeros};
/// let options = ElementwiseKernelOptions { preamble: DEVICE_FUNCTIONS.into(), ..Default::default() };
/// let kernel = ElementwiseKernel::new("uint64 key", "uint32 y", "y = random_block(key, i / 4).w[i % 4]", options)?;
/// let mut bits = BitGenerator::philox4x3210(1)?;
/// let key = u64::from(bits.state().state[0]) | u64::from(bits.state().state[1]) << 32;
/// let y = zeros(10, DType::U32)?;
/// // SAFETY: the operation reaches its elements and nothing else.
/// unsafe { kernel.call(&[KernelArgument::Weak(key.into())], &[&y], None, None) }?;
/// assert_eq!(y.to_vec::<u32>()?, bits.random_raw(10)?.to_vec::<u32>()?);
/// # Ok::<(), cuprum::Error>(())
/// ```
pub const DEVICE_FUNCTIONS: &str = cuprum_kernels::source::RANDOM;
