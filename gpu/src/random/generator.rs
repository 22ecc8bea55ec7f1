//! The random number generator, which samples distributions into arrays.
//!
//! A sample is one kernel: parameters are broadcast as operands of a ufunc are, and each element computes its own words
//! and transforms them. Rejection methods (gamma, Poisson, binomial and others) loop in the thread.

use cuprum_kernels::DType;
use cuprum_kernels::distributions::{Distribution, DistributionId, Gives, Raw};
use cuprum_kernels::source::Bits;

use super::bits::BitGenerator;
use super::bounds::{Bound, Limits};
use super::options::RandomOptions;
use super::seed::Seed;
use crate::array::{Array, AsOperand, AsOptionalOperand, IntoArgument, Operand, checked_shape};
use crate::cuda::Device;
use crate::engine::fusion::PendingSamples;
use crate::engine::{self, DrawNumber, RandomFill, make};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Order, broadcast_shapes, shape_text};
use crate::routines::math;
use crate::scalar::{Scalar, integer_range};

/// Random number generator over a bit generator, with a method for each distribution; NumPy's and CuPy's `Generator`.
///
/// The elements of a call depend on the seed and the preceding calls: they are bitwise equal on every device, including
/// the simulator. Distributions that take one or two words for each element return the same numbers in two calls of n
/// as in one of 2n. Each thread should have its own generator, by [`spawn`](Self::spawn).
///
/// ```
/// use cuprum::random::default_rng;
/// let mut rng = default_rng(7)?;
/// let heights = rng.normal(170.0, 8.0, [1000])?;
/// assert!((cuprum::mean(&heights, ())?.item::<f64>()? - 170.0).abs() < 1.0);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generator {
    /// Source of random words.
    bits: BitGenerator,
}

/// Creates a generator over Philox4x32-10, seeded with an integer, integers, a sequence, or for `()` by the operating
/// system; NumPy's `default_rng`.
///
/// ```
/// use cuprum::random::default_rng;
/// let mut rng = default_rng(42)?;
/// let a = rng.integers(0, 10, [4])?;
/// assert!(a.to_vec::<i64>()?.iter().all(|x| (0..10).contains(x)));
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`SeedSequence::new`](super::SeedSequence::new).
pub fn default_rng(seed: impl IntoArgument<Seed>) -> Result<Generator> {
    Ok(Generator::new(BitGenerator::philox4x3210(seed).map_err(|e| e.with_op("default_rng"))?))
}

/// Names of a distribution's parameters with NumPy's defaults, and the dtype of the samples by default.
pub type DistributionSignature = (Vec<(&'static str, Option<f64>)>, DType);

fn unknown(name: &str) -> Error {
    Error::new(ErrorKind::NotImplemented, format!("there are no random numbers called {name}"))
}

/// Returns a distribution by its name in NumPy.
pub(super) fn distribution_named(name: &str) -> Result<DistributionId> {
    DistributionId::named(name).ok_or_else(|| unknown(name))
}

fn check_dtype(distribution: &Distribution, dtype: DType) -> Result<()> {
    let (right, what) = match distribution.gives {
        Gives::Floats => (dtype.is_float(), "floats"),
        Gives::Counts => (dtype.is_integer(), "integers"),
        Gives::Integers => (dtype.is_integer() || dtype == DType::Bool, "integers or booleans"),
        Gives::Truths => (dtype.is_integer() || dtype == DType::Bool, "booleans or integers"),
    };
    if right {
        return Ok(());
    }
    Err(Error::new(ErrorKind::Type, format!("what is drawn are {what}: there are none of {dtype}")))
}

/// Returns whether elements of a dtype are computed in the default dtype and cast, as by CuPy's kernels that fill
/// arrays of any dtype: counts for any other dtype, and continuous distributions that use rejection sampling for
/// integers and booleans.
fn is_cast_to(distribution: &Distribution, dtype: DType) -> bool {
    let exact = dtype.is_integer() || dtype == DType::Bool;
    match distribution.gives {
        Gives::Counts => !dtype.is_integer(),
        Gives::Floats => exact && distribution.raw == Raw::Own,
        _ => false,
    }
}

/// Returns the value of a scalar parameter.
fn value(name: &str, scalar: Scalar) -> Result<f64> {
    match scalar {
        Scalar::Complex(_) => {
            Err(Error::new(ErrorKind::Type, format!("`{name}` is {scalar}: a parameter is a real number")))
        }
        real => Ok(real.real()),
    }
}

impl Generator {
    /// Creates a generator over a bit generator.
    ///
    /// NumPy's `Generator(bit_generator)`.
    ///
    /// ```
    /// use cuprum::random::{BitGenerator, Generator};
    /// let mut rng = Generator::new(BitGenerator::xorwow(1)?);
    /// assert_eq!(rng.random([2, 3])?.shape(), [2, 3]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn new(bits: BitGenerator) -> Generator {
        Generator { bits }
    }

    /// Returns the bit generator, with its state.
    ///
    /// NumPy's property `bit_generator`.
    ///
    /// ```
    /// use cuprum::random::default_rng;
    /// assert_eq!(default_rng(1)?.bit_generator().name(), "Philox4x3210");
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn bit_generator(&self) -> &BitGenerator {
        &self.bits
    }

    /// Returns the bit generator mutably.
    ///
    /// It serves to skip words, or to sample raw ones.
    ///
    /// ```
    /// use cuprum::random::default_rng;
    /// let mut rng = default_rng(1)?;
    /// rng.bit_generator_mut().advance(8);
    /// assert_eq!(rng.random([2])?.size(), 2);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn bit_generator_mut(&mut self) -> &mut BitGenerator {
        &mut self.bits
    }

    /// Spawns `children` generators that are independent of this one and of each other; NumPy's `spawn`.
    ///
    /// ```
    /// use cuprum::random::default_rng;
    /// let children = default_rng(42)?.spawn(2)?;
    /// assert_eq!(children.len(), 2);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Same as [`BitGenerator::spawn`].
    pub fn spawn(&mut self, children: u32) -> Result<Vec<Generator>> {
        Ok(self.bits.spawn(children)?.into_iter().map(Generator::new).collect())
    }

    /// Returns the names of a distribution's parameters with NumPy's defaults, and the dtype of the samples by default.
    ///
    /// ```
    /// use cuprum::{DType, random::Generator};
    /// let (parameters, dtype) = Generator::signature_of("gamma")?;
    /// assert_eq!((&parameters[..], dtype), (&[("shape", None), ("scale", Some(1.0))][..], DType::F64));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotImplemented`] for an unknown distribution.
    pub fn signature_of(name: &str) -> Result<DistributionSignature> {
        let distribution = distribution_named(name)?.distribution();
        let dtype = match distribution.gives {
            Gives::Floats => DType::F64,
            Gives::Counts | Gives::Integers => DType::I64,
            Gives::Truths => DType::Bool,
        };
        Ok((distribution.parameters.iter().map(|p| (p.name, p.default)).collect(), dtype))
    }

    /// Samples a distribution by its name in NumPy, with its parameters in NumPy's order. Missing parameters have
    /// NumPy's defaults.
    ///
    /// Counts are available in any dtype, and the gamma distribution and those derived from it (`beta`, `chisquare`,
    /// `f`, `standard_t`, `wald`, `vonmises` and the noncentral ones) in integer dtypes and as booleans, too: they are
    /// computed in int64 and float64 and cast, floats towards zero.
    ///
    /// ```
    /// use cuprum::random::default_rng;
    /// let a = default_rng(42)?.draw("normal", &[0.0.into(), 1.0.into()], [2, 3])?;
    /// assert_eq!(a.shape(), [2, 3]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotImplemented`] for an unknown distribution, [`ErrorKind::Type`] for too many or too few
    /// parameters; and those of the distribution's own function.
    pub fn draw<'a>(
        &mut self,
        name: &str,
        parameters: &[Operand<'_>],
        options: impl IntoArgument<RandomOptions<'a>>,
    ) -> Result<Array> {
        let options = options.into();
        match (name, parameters) {
            ("integers", [high]) => return self.integers(0, *high, options),
            ("integers", [low, high]) => return self.integers(*low, *high, options),
            _ => {}
        }
        let mut go = || {
            let id = distribution_named(name)?;
            let distribution = id.distribution();
            // Integers have bounds, and a function of their own.
            if matches!(distribution.gives, Gives::Integers) {
                return Err(unknown(name));
            }
            let given = parameters.iter().copied().map(Some).chain(std::iter::repeat(None));
            let mut all = [Operand::Scalar(Scalar::Float(0.0)); 3];
            for ((slot, parameter), given) in all.iter_mut().zip(distribution.parameters).zip(given) {
                let default = parameter.default.map(|x| Operand::Scalar(Scalar::Float(x)));
                *slot = given.or(default).ok_or_else(|| {
                    Error::new(ErrorKind::Type, format!("the parameter `{}` is missing", parameter.name))
                })?;
            }
            if parameters.len() > distribution.parameters.len() {
                let message =
                    format!("{} parameters are given, it has {}", parameters.len(), distribution.parameters.len());
                return Err(Error::new(ErrorKind::Type, message));
            }
            let usual = match distribution.gives {
                Gives::Floats => DType::F64,
                Gives::Truths => DType::Bool,
                _ => DType::I64,
            };
            match options.dtype.filter(|dtype| options.out.is_none() && is_cast_to(distribution, *dtype)) {
                Some(dtype) => {
                    let own = RandomOptions { dtype: Some(usual), ..options.clone() };
                    self.run(id, all, usual, &own)?.cast(dtype, Order::K)
                }
                None => self.run(id, all, usual, &options),
            }
        };
        go().map_err(|e: Error| e.with_op(name))
    }

    /// Samples, with all parameters present.
    pub(super) fn run(
        &mut self,
        id: DistributionId,
        parameters: [Operand<'_>; 3],
        usual: DType,
        options: &RandomOptions<'_>,
    ) -> Result<Array> {
        let distribution = id.distribution();
        let dtype = options.out.map(Array::dtype).or(options.dtype).unwrap_or(usual);
        if options.dtype.is_some_and(|requested| requested != dtype) {
            let message = format!("out is of {dtype}, and {} is requested", options.dtype.unwrap_or(usual));
            return Err(Error::new(ErrorKind::Type, message));
        }
        check_dtype(distribution, dtype)?;
        let number = RandomFill::number(id, dtype);
        // Values known on the host are checked there.
        let (mut values, mut known) = ([0.0; 3], true);
        let mut arrays = [const { None }; 3];
        for (k, (operand, parameter)) in parameters.iter().zip(distribution.parameters).enumerate() {
            match *operand {
                Operand::Scalar(s) => {
                    values[k] = value(parameter.name, s)?;
                    if !parameter.rule.holds(values[k]) {
                        return Err(broken(distribution, k, values[k]));
                    }
                }
                Operand::Array(a) => {
                    if a.dtype().is_complex() {
                        let message = format!("`{}` is of {}: a parameter is a real number", parameter.name, a.dtype());
                        return Err(Error::new(ErrorKind::Type, message));
                    }
                    known = false;
                    arrays[k] = Some(a.cast(number, Order::K)?);
                }
            }
        }
        if known
            && number == DType::F64
            && let Some(rule) = distribution.broken(values)
        {
            return Err(broken(distribution, rule, 0.0));
        }
        let shapes: Vec<&[usize]> = arrays.iter().flatten().map(Array::shape).collect();
        let requested = options.size.as_ref().map(|size| checked_shape(size)).transpose()?;
        let shape = match (options.out, requested) {
            (Some(out), Some(size)) if out.shape() != &size[..] => {
                let message =
                    format!("out has the shape {}, and {} is requested", shape_text(out.shape()), shape_text(&size));
                return Err(Error::new(ErrorKind::Value, message));
            }
            (Some(out), _) => out.shape().to_vec(),
            (None, Some(size)) => size,
            (None, None) => broadcast_shapes(&shapes)?.to_vec(),
        };
        if known
            && options.out.is_none()
            && engine::fusion::fuses()
            && let Some(later) = self.later(id, values, &shape, dtype)?
        {
            return Ok(later);
        }
        let out = match options.out {
            Some(out) => {
                out.check_writable()?;
                out.clone()
            }
            None => {
                let device = arrays.iter().flatten().next().map(Array::device);
                make::empty(device.map_or_else(Device::current, Ok)?, &shape, dtype)?
            }
        };
        for a in arrays.iter_mut().flatten() {
            if a.may_share_memory(&out) {
                *a = a.copy(Order::K)?;
            }
            *a = a.broadcast_to_shape(&shape)?;
        }
        engine::one_device(&out, arrays.iter().flatten())?;
        let numbers = std::array::from_fn(|k| match (&arrays[k], parameters[k]) {
            (Some(a), _) => DrawNumber::Each(a),
            (None, Operand::Scalar(s)) => DrawNumber::One(s),
            (None, Operand::Array(_)) => DrawNumber::One(Scalar::Int(0)),
        });
        let table = self.bits.table(out.device())?;
        let (before, state) = ((self.bits.block, self.bits.lane), self.bits.state);
        let (first, lane) = self.bits.take(RandomFill::per_block(id, dtype), out.size());
        let (bits, table) = (self.bits.bits, table.as_ref());
        let fill = RandomFill {
            function: distribution.name,
            distribution: id,
            bits,
            state,
            first,
            lane,
            table,
            numbers,
            out: &out,
        };
        // A rejected call leaves the state of the generator unchanged.
        fill.run().inspect_err(|_| (self.bits.block, self.bits.lane) = before)?;
        Ok(out)
    }

    /// Returns the pending array of numbers of a distribution in a scope of [`fuse`](crate::fuse()), if the
    /// distribution is an expression of an element's index.
    #[cold]
    fn later(&mut self, id: DistributionId, values: [f64; 3], shape: &[usize], dtype: DType) -> Result<Option<Array>> {
        let [a, b, _] = values;
        // The base distribution, its factor and its summand: each rounded as in the distribution's formula.
        let (distribution, factor, summand) = match id.distribution().name {
            name @ ("random" | "standard_normal" | "standard_exponential") => (name, None, None),
            "uniform" if dtype == DType::F32 => ("random", Some(f64::from(b as f32 - a as f32)), Some(a)),
            "uniform" => ("random", Some(b - a), Some(a)),
            "normal" => ("standard_normal", Some(b), Some(a)),
            "exponential" => ("standard_exponential", Some(a), None),
            _ => return Ok(None),
        };
        if self.bits.bits != Bits::Philox || !matches!(dtype, DType::F32 | DType::F64) {
            return Ok(None);
        }
        let (before, state) = ((self.bits.block, self.bits.lane), self.bits.state);
        let (first, lane) = self.bits.take(RandomFill::per_block(id, dtype), shape.iter().product());
        let samples = PendingSamples { distribution, state, first, lane };
        let go = || {
            let Some(mut made) = engine::fusion::defer_samples(&samples, Device::current()?, shape, dtype)? else {
                return Ok(None);
            };
            if let Some(factor) = factor {
                made = math::multiply(&made, factor)?;
            }
            if let Some(summand) = summand {
                made = math::add(&made, summand)?;
            }
            Ok(Some(made))
        };
        let made = go();
        if !matches!(made, Ok(Some(_))) {
            (self.bits.block, self.bits.lane) = before;
        }
        made
    }

    /// Samples integers uniformly from `low` to `high`, exclusive, or from 0 to `low` without `high` (`()`); NumPy's
    /// `integers`.
    ///
    /// The dtype is int64 by default, or another integer dtype or booleans; every range up to that of the dtype is
    /// sampled without bias (Lemire, 2019). With [`endpoint`](RandomOptions::endpoint) the upper bound is inclusive.
    /// Bounds may be arrays; floats are truncated.
    ///
    /// The result has the shape of the options, or that to which the bounds are broadcast.
    ///
    /// ```
    /// let mut rng = cuprum::random::default_rng(3)?;
    /// let dice = rng.integers(1, 7, [100])?;
    /// assert!(cuprum::max(&dice, ())?.item::<i64>()? == 6);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for bounds with nothing between them or beyond the dtype; for arrays at the next
    /// synchronisation.
    ///
    /// # Synchronization
    ///
    /// Synchronises for an array of bounds whose dtype cannot be cast safely to that of the integers, and for one of
    /// upper bounds of uint64: their smallest and their largest element are compared with the limits of the dtype.
    pub fn integers<'a>(
        &mut self,
        low: impl AsOperand,
        high: impl AsOptionalOperand,
        options: impl IntoArgument<RandomOptions<'a>>,
    ) -> Result<Array> {
        let (low, high, options) = (low.as_operand(), high.as_optional_operand(), options.into());
        let (low, high) = match high {
            Some(high) => (low, high),
            None => (Operand::Scalar(Scalar::Int(0)), low),
        };
        self.integers_between(low, high, &options).map_err(|e| e.with_op("integers"))
    }

    fn integers_between(&mut self, low: Operand<'_>, high: Operand<'_>, options: &RandomOptions<'_>) -> Result<Array> {
        let id = distribution_named("integers")?;
        let dtype = options.out.map(Array::dtype).or(options.dtype).unwrap_or(DType::I64);
        check_dtype(id.distribution(), dtype)?;
        let range = integer_range(dtype).unwrap_or((0, 1));
        let limits = Limits { dtype, computed: RandomFill::number(id, dtype), range, exclusive: !options.endpoint };
        let (low, last) = (limits.low(low)?, limits.last(high)?);
        if let (Bound::Integer(from), Bound::Integer(to)) = (&low, &last)
            && from > to
        {
            return Err(limits.nothing_between(*from, *to));
        }
        self.run(id, [low.operand(), last.operand(), Operand::Scalar(Scalar::Int(0))], dtype, options)
    }

    /// Returns random bytes on the host; NumPy's `bytes`.
    ///
    /// ```
    /// assert_eq!(cuprum::random::default_rng(42)?.bytes(5)?.len(), 5);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Synchronization
    ///
    /// Synchronises to read the bytes.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::OutOfMemory`].
    pub fn bytes(&mut self, length: usize) -> Result<Vec<u8>> {
        let words = self.bits.random_raw(length.div_ceil(4))?;
        let mut bytes = words.to_bytes()?;
        bytes.truncate(length);
        Ok(bytes)
    }
}

/// Returns the error for a parameter outside its domain.
fn broken(distribution: &Distribution, rule: usize, value: f64) -> Error {
    let message = match (distribution.parameters.get(rule), distribution.joint) {
        (Some(p), _) => format!("`{}` is {value}: it must be {}", p.name, p.rule.text()),
        (None, joint) => joint.map_or(String::new(), |j| format!("of the parameters {}", j.says)),
    };
    Error::new(ErrorKind::Value, message)
}

impl BitGenerator {
    /// Returns raw words of uint32, or of uint64 from two words each if that dtype is requested; NumPy's `random_raw`.
    ///
    /// The result has the shape that is passed; each word advances the generator.
    ///
    /// ```
    /// use cuprum::{DType, random::{BitGenerator, RandomOptions}};
    /// let mut bits = BitGenerator::philox4x3210(1)?;
    /// let words = bits.random_raw(RandomOptions::new().size([2]).dtype(DType::U64))?;
    /// assert_eq!((words.shape(), words.dtype()), (&[2][..], DType::U64));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Type`] for dtypes that are not integers, [`ErrorKind::OutOfMemory`].
    pub fn random_raw<'a>(&mut self, options: impl IntoArgument<RandomOptions<'a>>) -> Result<Array> {
        let mut generator = Generator::new(self.clone());
        let nothing = [Operand::Scalar(Scalar::Int(0)); 3];
        let words = generator.run(distribution_named("bits")?, nothing, DType::U32, &options.into());
        let words = words.map_err(|e| e.with_op("random_raw"))?;
        *self = generator.bits;
        Ok(words)
    }

    /// Returns distinct uint64 keys of a shape. The sequence advances by 2^32 blocks.
    pub(super) fn distinct_keys(&mut self, device: Device, shape: &[usize]) -> Result<Array> {
        let out = make::empty(device, shape, DType::U64)?;
        let mut generator = Generator::new(self.clone());
        let nothing = [Operand::Scalar(Scalar::Int(0)); 3];
        generator.bits.take(4, 0);
        let at = generator.bits.block;
        generator.run(distribution_named("keys")?, nothing, DType::U64, &RandomOptions::new().out(&out))?;
        *self = generator.bits;
        self.block = at.wrapping_add(1 << 32);
        Ok(out)
    }

    /// Returns the first `count` elements of a random permutation of the numbers below `many`, which is at least 2, as
    /// int64. The sequence advances by two blocks.
    pub(super) fn distinct_positions(&mut self, device: Device, many: usize, count: usize) -> Result<Array> {
        let out = make::empty(device, &[count], DType::I64)?;
        let mut generator = Generator::new(self.clone());
        let many = Operand::Scalar(Scalar::Int(many as i128));
        let nothing = Operand::Scalar(Scalar::Int(0));
        generator.bits.take(4, 0);
        let at = generator.bits.block;
        generator.run(
            distribution_named("positions")?,
            [many, nothing, nothing],
            DType::I64,
            &RandomOptions::new().out(&out),
        )?;
        *self = generator.bits;
        self.block = at.wrapping_add(2);
        Ok(out)
    }
}
