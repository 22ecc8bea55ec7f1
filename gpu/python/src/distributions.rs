//! Methods that sample the distributions of random numbers: of the base class of `Generator` and of `RandomState`, by
//! whose attribute `_bits` they sample. Names and defaults of parameters are those of the library's records.

use std::ffi::CString;
use std::fmt::Write;
use std::sync::OnceLock;

use cuprum::Scalar;
use cuprum::random::{DistributionSignature, Generator};
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use smallvec::SmallVec;

use crate::builtin::{KeywordArgs, PositionalArgs, answer, leaked, read};
use crate::errors::{OrRaise, type_error};
use crate::random::{Parameter, RandomBits};

/// The base class of generators.
#[pyclass(name = "Distributions", module = "cuprum._cuprum", subclass, frozen)]
pub(crate) struct Distributions;

#[pymethods]
impl Distributions {
    #[new]
    #[pyo3(signature = (*args, **kwargs))]
    fn new(args: &Bound<'_, PyTuple>, kwargs: Option<&Bound<'_, PyDict>>) -> Distributions {
        let _ = (args, kwargs);
        Distributions
    }
}

/// A method: its name, and the distribution that it samples.
struct Method {
    name: &'static str,
    distribution: &'static str,
    doc: &'static str,
    parameters: OnceLock<DistributionSignature>,
}

impl Method {
    fn signature(&self) -> PyResult<&DistributionSignature> {
        if let Some(found) = self.parameters.get() {
            return Ok(found);
        }
        let found = Generator::signature_of(self.distribution).or_raise()?;
        Ok(self.parameters.get_or_init(|| found))
    }

    /// Returns the docstring: the signature for `inspect`, followed by the description.
    fn doc(&self) -> PyResult<CString> {
        let (parameters, dtype) = self.signature()?;
        let mut text = format!("{}($self", self.name);
        for (name, default) in parameters {
            let _ = match default {
                Some(default) => write!(text, ", {name}={default:?}"),
                None => write!(text, ", {name}"),
            };
        }
        let _ = write!(text, ", size=None, dtype='{}')\n--\n\n{}", dtype.name(), self.doc);
        Ok(CString::new(text)?)
    }

    /// Calls the method: the parameters are followed by `size` and `dtype`.
    fn call<'py>(
        &self,
        own: &Bound<'py, PyAny>,
        positional: PositionalArgs<'py>,
        keywords: KeywordArgs<'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, (parameters, _)) = (own.py(), self.signature()?);
        let count = parameters.len();
        let mut slots: SmallVec<[Option<Bound<'py, PyAny>>; 5]> = smallvec::smallvec![None; count + 2];
        if positional.len() > slots.len() {
            let (takes, passed) = (slots.len(), positional.len());
            return type_error(format!("{}() takes at most {takes} arguments but {passed} were given", self.name));
        }
        for (slot, value) in slots.iter_mut().zip(positional) {
            *slot = Some(value);
        }
        for (keyword, value) in keywords {
            let name = keyword.to_str()?;
            let names = parameters.iter().map(|(name, _)| *name).chain(["size", "dtype"]);
            match names.zip(&mut slots).find(|(own, _)| *own == name) {
                None => return type_error(format!("{}() got an unexpected keyword argument '{name}'", self.name)),
                Some((_, Some(_))) => {
                    return type_error(format!("{}() got multiple values for argument '{name}'", self.name));
                }
                Some((_, slot)) => *slot = Some(value),
            }
        }
        let values = parameters.iter().zip(&slots).map(|((name, default), slot)| match (slot, default) {
            (Some(value), _) => Parameter::of(value),
            (None, Some(default)) => Ok(Parameter::Number(Scalar::Float(*default))),
            (None, None) => type_error(format!("{}() missing required argument: '{name}'", self.name)),
        });
        let values = values.collect::<PyResult<SmallVec<[Parameter; 3]>>>()?;
        let bits = own.getattr(intern!(py, "_bits"))?;
        let bits = bits.cast::<RandomBits>()?;
        let made = bits.get().sample(py, self.distribution, &values, slots[count].as_ref(), slots[count + 1].as_ref());
        Ok(made?.into_any())
    }
}

/// Defines a C function for each method, because Python passes such a function only its arguments.
macro_rules! methods {
    ($($name:ident = $distribution:literal, $doc:literal;)+) => {
        const METHODS: &[(&Method, ffi::PyCFunctionFastWithKeywords)] = &[$((&own::$name::METHOD, own::$name::call)),+];

        mod own {
            $(
                pub(super) mod $name {
                    use super::super::*;

                    pub(in super::super) static METHOD: Method = Method {
                        name: stringify!($name),
                        distribution: $distribution,
                        doc: $doc,
                        parameters: OnceLock::new(),
                    };

                    pub(in super::super) unsafe extern "C" fn call(
                        own: *mut ffi::PyObject,
                        arguments: *const *mut ffi::PyObject,
                        count: ffi::Py_ssize_t,
                        names: *mut ffi::PyObject,
                    ) -> *mut ffi::PyObject {
                        // SAFETY: the arguments of Python are passed on.
                        unsafe { called(&METHOD, own, arguments, count, names) }
                    }
                }
            )+
        }
    };
}

methods! {
    beta = "beta", "Returns samples of the beta distribution.";
    binomial = "binomial", "Returns samples of the binomial distribution: successes among `n` trials of probability `p`.";
    chisquare = "chisquare", "Returns samples of the chi-square distribution with `df` degrees of freedom.";
    exponential = "exponential", "Returns samples of the exponential distribution of mean `scale`.";
    f = "f", "Returns samples of the F distribution.";
    gamma = "gamma", "Returns samples of the gamma distribution of a shape, multiplied by `scale`.";
    geometric = "geometric", "Returns samples of the geometric distribution: trials up to the first success of probability `p`.";
    gumbel = "gumbel", "Returns samples of the Gumbel distribution.";
    hypergeometric = "hypergeometric", "Returns samples of the hypergeometric distribution: good elements in a sample of `nsample` without replacement.";
    laplace = "laplace", "Returns samples of the Laplace distribution with location `loc`.";
    logistic = "logistic", "Returns samples of the logistic distribution with location `loc`.";
    lognormal = "lognormal", "Returns samples of the log-normal distribution: exponentials of normal samples of `mean` and `sigma`.";
    logseries = "logseries", "Returns samples of the logarithmic series distribution.";
    negative_binomial = "negative_binomial", "Returns samples of the negative binomial distribution: failures before `n` successes of probability `p`.";
    noncentral_chisquare = "noncentral_chisquare", "Returns samples of the noncentral chi-square distribution.";
    noncentral_f = "noncentral_f", "Returns samples of the noncentral F distribution.";
    normal = "normal", "Returns samples of the normal distribution of mean `loc` and standard deviation `scale`.";
    pareto = "pareto", "Returns samples of the Pareto distribution of the second kind, which start at 0.";
    poisson = "poisson", "Returns samples of the Poisson distribution of mean `lam`.";
    power = "power", "Returns samples of the power distribution: in [0, 1], with density proportional to the power `a - 1`.";
    random = "random", "Returns samples of the uniform distribution on [0, 1).";
    rayleigh = "rayleigh", "Returns samples of the Rayleigh distribution of scale `scale`.";
    standard_cauchy = "standard_cauchy", "Returns samples of the standard Cauchy distribution.";
    standard_exponential = "standard_exponential", "Returns samples of the exponential distribution of mean 1.";
    standard_gamma = "standard_gamma", "Returns samples of the gamma distribution of a shape, with scale 1.";
    standard_normal = "standard_normal", "Returns samples of the standard normal distribution.";
    standard_t = "standard_t", "Returns samples of Student's t distribution.";
    triangular = "triangular", "Returns samples of the triangular distribution.";
    uniform = "uniform", "Returns samples of the uniform distribution on [`low`, `high`).";
    vonmises = "vonmises", "Returns samples of the von Mises distribution: angles around `mu`, in [-pi, pi].";
    wald = "wald", "Returns samples of the Wald (inverse Gaussian) distribution.";
    weibull = "weibull", "Returns samples of the Weibull distribution of shape `a`.";
    zipf = "zipf", "Returns samples of the Zipf distribution.";
}

/// Calls the method.
///
/// # Safety
///
/// The pointers are those that Python passes to a method with the flags `METH_FASTCALL | METH_KEYWORDS`.
unsafe fn called(
    method: &Method,
    own: *mut ffi::PyObject,
    arguments: *const *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    Python::attach(|py| {
        answer(py, || {
            // SAFETY: Python's own object, which lives as long as the call.
            let own = unsafe { Bound::from_borrowed_ptr(py, own) };
            // SAFETY: the arguments come from Python.
            let (positional, keywords) = unsafe { read(py, arguments, count, names) };
            method.call(&own, positional, keywords)
        })
    })
}

/// Adds the class with its methods.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add_class::<Distributions>()?;
    let class = py.get_type::<Distributions>();
    for (method, call) in METHODS {
        let definition = leaked(method.name, method.doc()?, *call)?;
        // SAFETY: the class is alive, and the definition lives as long as the process.
        let descriptor = unsafe { ffi::PyDescr_NewMethod(class.as_type_ptr(), definition) };
        // SAFETY: a new object, or null where an exception is set.
        let descriptor = unsafe { Bound::from_owned_ptr_or_err(py, descriptor)? };
        class.setattr(method.name, descriptor)?;
    }
    Ok(())
}
