//! Random numbers: the state of a generator, and the sampling of all distributions from it.

use std::sync::{Mutex, PoisonError};

use cuprum::random::{
    BitGenerator, BitGeneratorState, ChoiceOptions, CovarianceFactor, Generator, MultivariateNormalOptions,
    RandomOptions, SeedSequence,
};
use cuprum::{Array, Operand, Scalar};
use pyo3::exceptions::{PyRuntimeWarning, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyInt, PyString};
use smallvec::SmallVec;

use crate::array::NdArray;
use crate::convert::{self, PassedOperand, wrap};
use crate::dtypes;
use crate::errors::{OrRaise, type_error, value_error};

type Shape = Option<SmallVec<[isize; 8]>>;

fn shape_of(size: Option<&Bound<'_, PyAny>>) -> PyResult<Shape> {
    size.filter(|size| !size.is_none()).map(convert::integers).transpose()
}

/// Returns the options of a sample without an output array.
fn options(size: &Shape, dtype: Option<&Bound<'_, PyAny>>) -> PyResult<RandomOptions<'static>> {
    let mut options = RandomOptions::new();
    if let Some(shape) = size {
        options = options.size(&shape[..]);
    }
    Ok(match dtypes::optional(dtype)? {
        Some(dtype) => options.dtype(dtype),
        None => options,
    })
}

/// A parameter: a scalar, or an array.
pub(crate) enum Parameter {
    Number(Scalar),
    Array(Array),
}

impl Parameter {
    pub(crate) fn of(object: &Bound<'_, PyAny>) -> PyResult<Parameter> {
        Ok(match convert::given(object)? {
            Some(PassedOperand::Weak(s) | PassedOperand::Strong(_, s)) => Parameter::Number(s),
            Some(PassedOperand::Array(a)) => Parameter::Array(a.get().array().clone()),
            Some(PassedOperand::Made(a)) => Parameter::Array(a),
            Some(PassedOperand::Huge(_)) | None => Parameter::Array(convert::as_array(object, None)?),
        })
    }

    /// Converts a parameter like [`Parameter`], where an array without axes becomes its scalar.
    fn counted(object: &Bound<'_, PyAny>) -> PyResult<Parameter> {
        match Parameter::of(object)? {
            Parameter::Array(a) if a.ndim() == 0 => Ok(Parameter::Number(a.to_scalar().or_raise()?)),
            parameter => Ok(parameter),
        }
    }

    fn operand(&self) -> Operand<'_> {
        match self {
            Parameter::Number(s) => Operand::Scalar(*s),
            Parameter::Array(a) => Operand::Array(a),
        }
    }
}

/// Adds the 32-bit words of integers, the lowest first.
fn add_words(entropy: &Bound<'_, PyAny>, words: &mut Vec<u32>) -> PyResult<()> {
    let py = entropy.py();
    let number = match entropy.is_instance_of::<PyString>() {
        true => py.get_type::<PyInt>().call1((entropy, 0))?,
        false if entropy.is_instance_of::<PyInt>() || convert::numpy_number(entropy)?.is_some() => {
            py.import("operator")?.call_method1("index", (entropy,))?
        }
        false => return entropy.try_iter()?.try_for_each(|part| add_words(&part?, words)),
    };
    let bits: usize = number.call_method0("bit_length")?.extract()?;
    let count = bits.div_ceil(32).max(1);
    let bytes = number.call_method1("to_bytes", (4 * count, "little"))?;
    let bytes: &[u8] = bytes.cast::<PyBytes>()?.as_bytes();
    words.extend(bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])));
    Ok(())
}

/// The state that Python generators share: a position in a sequence of words. Sampling holds the lock, and not the GIL.
#[pyclass(name = "RandomBits", module = "cuprum._cuprum", frozen)]
pub(crate) struct RandomBits(Mutex<Generator>);

impl RandomBits {
    fn with<T: Send>(&self, py: Python<'_>, f: impl FnOnce(&mut Generator) -> cuprum::Result<T> + Send) -> PyResult<T> {
        py.detach(|| f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))).or_raise()
    }

    /// Samples a distribution by its name.
    pub(crate) fn sample<'py>(
        &self,
        py: Python<'py>,
        distribution: &str,
        parameters: &[Parameter],
        size: Option<&Bound<'py, PyAny>>,
        dtype: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, NdArray>> {
        let operands: SmallVec<[Operand<'_>; 3]> = parameters.iter().map(Parameter::operand).collect();
        let options = options(&shape_of(size)?, dtype)?;
        self.array(py, |g| g.draw(distribution, &operands, options))
    }

    fn array<'py>(
        &self,
        py: Python<'py>,
        f: impl FnOnce(&mut Generator) -> cuprum::Result<Array> + Send,
    ) -> PyResult<Bound<'py, NdArray>> {
        wrap(py, self.with(py, f)?)
    }
}

#[pymethods]
impl RandomBits {
    /// Creates the state of a kind of generator from NumPy's seed sequence.
    #[new]
    fn new(kind: &str, seeds: &Bound<'_, PyAny>) -> PyResult<RandomBits> {
        let (mut entropy, spawn_key) = (vec![], seeds.getattr("spawn_key")?.extract::<Vec<u32>>()?);
        add_words(&seeds.getattr("entropy")?, &mut entropy)?;
        let seeds = SeedSequence::new(entropy).or_raise()?.with_spawn_key(&spawn_key);
        let bits = match kind {
            "Philox4x3210" => BitGenerator::philox4x3210(seeds),
            "MRG32k3a" => BitGenerator::mrg32k3a(seeds),
            "XORWOW" => BitGenerator::xorwow(seeds),
            other => return value_error(format!("there is no bit generator {other}")),
        };
        Ok(RandomBits(Mutex::new(Generator::new(bits.or_raise()?))))
    }

    fn state(&self, py: Python<'_>) -> PyResult<(String, [u32; 6], u64, u32)> {
        let BitGeneratorState { bit_generator, state, block, lane } =
            self.with(py, |g| Ok(g.bit_generator().state()))?;
        Ok((bit_generator, state, block, lane))
    }

    fn set_state(&self, py: Python<'_>, bit_generator: String, state: [u32; 6], block: u64, lane: u32) -> PyResult<()> {
        let state = BitGeneratorState { bit_generator, state, block, lane };
        self.with(py, |g| {
            *g.bit_generator_mut() = BitGenerator::from_state(&state)?;
            Ok(())
        })
    }

    fn advance(&self, py: Python<'_>, words: u64) -> PyResult<()> {
        self.with(py, |g| {
            g.bit_generator_mut().advance(words);
            Ok(())
        })
    }

    fn jumped(&self, py: Python<'_>, jumps: u32) -> PyResult<RandomBits> {
        let bits = self.with(py, |g| Ok(g.bit_generator().jumped(jumps)))?;
        Ok(RandomBits(Mutex::new(Generator::new(bits))))
    }

    fn random_raw<'py>(&self, py: Python<'py>, size: Option<&Bound<'py, PyAny>>) -> PyResult<Bound<'py, NdArray>> {
        let options = options(&shape_of(size)?, None)?;
        self.array(py, |g| g.bit_generator_mut().random_raw(options))
    }

    /// Samples a distribution by its name.
    #[pyo3(signature = (distribution, parameters, size, dtype, out=None, endpoint=false))]
    #[expect(clippy::too_many_arguments, reason = "a distribution, its parameters, and the options of a draw")]
    fn draw<'py>(
        &self,
        py: Python<'py>,
        distribution: &str,
        parameters: Vec<Bound<'py, PyAny>>,
        size: Option<&Bound<'py, PyAny>>,
        dtype: Option<&Bound<'py, PyAny>>,
        out: Option<&Bound<'py, NdArray>>,
        endpoint: bool,
    ) -> PyResult<Bound<'py, NdArray>> {
        let parameters = parameters.iter().map(Parameter::of).collect::<PyResult<SmallVec<[Parameter; 3]>>>()?;
        let operands: SmallVec<[Operand<'_>; 3]> = parameters.iter().map(Parameter::operand).collect();
        let mut options: RandomOptions<'_> = options(&shape_of(size)?, dtype)?.endpoint(endpoint);
        if let Some(out) = out {
            options = options.out(out.get().array());
        }
        let drawn = self.with(py, |g| g.draw(distribution, &operands, options))?;
        match out {
            Some(out) => Ok(out.clone()),
            None => wrap(py, drawn),
        }
    }

    fn multinomial<'py>(
        &self,
        py: Python<'py>,
        n: &Bound<'py, PyAny>,
        pvals: &Bound<'py, PyAny>,
        size: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, NdArray>> {
        let (n, pvals, options) =
            (Parameter::counted(n)?, convert::as_array(pvals, None)?, options(&shape_of(size)?, None)?);
        self.array(py, |g| g.multinomial(n.operand(), &pvals, options))
    }

    fn multivariate_hypergeometric<'py>(
        &self,
        py: Python<'py>,
        colors: &Bound<'py, PyAny>,
        nsample: i64,
        size: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, NdArray>> {
        let Ok(nsample) = u64::try_from(nsample) else {
            return value_error(format!("multivariate_hypergeometric: `nsample` is {nsample}: it must be 0 or more"));
        };
        let (colors, options) = (convert::as_array(colors, None)?, options(&shape_of(size)?, None)?);
        self.array(py, |g| g.multivariate_hypergeometric(&colors, nsample, options))
    }

    fn dirichlet<'py>(
        &self,
        py: Python<'py>,
        alpha: &Bound<'py, PyAny>,
        size: Option<&Bound<'py, PyAny>>,
        dtype: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, NdArray>> {
        let (alpha, options) = (convert::as_array(alpha, None)?, options(&shape_of(size)?, dtype)?);
        self.array(py, |g| g.dirichlet(&alpha, options))
    }

    #[expect(clippy::too_many_arguments, reason = "NumPy's")]
    fn multivariate_normal<'py>(
        &self,
        py: Python<'py>,
        mean: &Bound<'py, PyAny>,
        cov: &Bound<'py, PyAny>,
        size: Option<&Bound<'py, PyAny>>,
        check_valid: &str,
        tol: f64,
        method: &str,
        dtype: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, NdArray>> {
        if !["warn", "raise", "ignore"].contains(&check_valid) {
            return value_error("check_valid must equal 'warn', 'raise', or 'ignore'");
        }
        let (mean, cov) = (convert::as_array(mean, None)?, convert::as_array(cov, None)?);
        let mut options = MultivariateNormalOptions::new().tol(tol).method(match method {
            "svd" => CovarianceFactor::Svd,
            "eigh" => CovarianceFactor::Eigh,
            "cholesky" => CovarianceFactor::Cholesky,
            other => {
                let said =
                    format!("multivariate_normal: the method is '{other}': it must be 'svd', 'eigh' or 'cholesky'");
                return value_error(said);
            }
        });
        if let Some(shape) = shape_of(size)? {
            options = options.size(&shape[..]);
        }
        if let Some(dtype) = dtypes::optional(dtype)? {
            options = options.dtype(dtype);
        }
        let checked = options.clone().check_valid(check_valid != "ignore");
        match self.array(py, |g| g.multivariate_normal(&mean, &cov, checked)) {
            Err(e) if check_valid == "warn" && e.is_instance_of::<PyValueError>(py) => {
                // Invalid shapes raise again.
                let sampled = self.array(py, |g| g.multivariate_normal(&mean, &cov, options.check_valid(false)))?;
                let message = c"covariance is not symmetric positive-semidefinite.";
                PyErr::warn(py, &py.get_type::<PyRuntimeWarning>(), message, 2)?;
                Ok(sampled)
            }
            checked => checked,
        }
    }

    fn choice<'py>(
        &self,
        py: Python<'py>,
        a: &Bound<'py, PyAny>,
        size: Option<&Bound<'py, PyAny>>,
        replace: bool,
        p: Option<&Bound<'py, PyAny>>,
        axis: isize,
    ) -> PyResult<Bound<'py, NdArray>> {
        let a = Parameter::counted(a)?;
        let p = p.filter(|p| !p.is_none()).map(|p| convert::as_array(p, None)).transpose()?;
        let mut options = ChoiceOptions::new().replace(replace).axis(axis);
        if let Some(shape) = shape_of(size)? {
            options = options.size(&shape[..]);
        }
        if let Some(p) = &p {
            options = options.p(p);
        }
        self.array(py, |g| g.choice(a.operand(), options))
    }

    fn permutation<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, NdArray>> {
        let x = Parameter::counted(x)?;
        self.array(py, |g| g.permutation(x.operand()))
    }

    fn shuffle(&self, py: Python<'_>, x: &Bound<'_, PyAny>, axis: isize) -> PyResult<()> {
        crate::nonnumeric::reject(x)?;
        let Some(x) = convert::array_of(x) else {
            return type_error(format!("an array of cuprum is expected, not {}", x.get_type().name()?));
        };
        if x.ndim() == 0 {
            return type_error("shuffle: `x` has no axes: its parts along an axis are put in another order");
        }
        self.with(py, |g| g.shuffle(x, axis))
    }

    fn permuted<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        axis: Option<isize>,
    ) -> PyResult<Bound<'py, NdArray>> {
        let x = convert::as_array(x, None)?;
        self.array(py, |g| g.permuted(&x, axis))
    }

    fn bytes<'py>(&self, py: Python<'py>, length: usize) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.with(py, |g| g.bytes(length))?))
    }
}
