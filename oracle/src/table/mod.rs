//! The table of all functions by NumPy's name, with dynamic arguments.
//!
//! Next to its functions each file declares its `counterparts!`: the name, and how the arguments are read. Names that
//! share one signature (elementwise functions, their methods, reductions) are in `generic.rs`.
//!
//! ```
//! use cuprum_kernels::DType;
//! use cuprum_oracle::table::{Argument, Arguments, find};
//! use cuprum_oracle::{Gathering, NdArray, Value};
//!
//! let a = NdArray::from_values(DType::I64, &[3], [3, 1, 2].map(Value::Int))?;
//! let arguments = Arguments::new(vec![("a".into(), Argument::Array(a))], Gathering::NUMPY);
//! let sorted = find("numpy.sort").expect("NumPy sorts").call(&arguments).expect("this array too");
//! assert_eq!(sorted[0].values(), [1, 2, 3].map(Value::Int));
//! # Ok::<(), cuprum_oracle::OracleError>(())
//! ```

mod arguments;
mod generic;

pub(crate) use arguments::Read;
pub use arguments::{Argument, Arguments, Fault};
pub(crate) use generic::{reduce_options, ufunc_options};

use cuprum_kernels::DType;
use linkme::distributed_slice;

use crate::core::array::NdArray;
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::value::Value;
use crate::numpy::linalg::Residual;
use crate::numpy::statistics::Bounded;

/// Results, and error bounds of plain arithmetic where the function knows them.
pub(crate) struct Answer {
    result: NdArray,
    bounds: Option<Vec<f64>>,
}

pub(crate) type CallResult<T> = std::result::Result<T, Fault>;

/// Error bounds of the results of a call, where the function provides them.
type BoundsOf = fn(&Arguments) -> CallResult<Option<Vec<f64>>>;

/// Residuals of the results of a call, from either side.
type JudgedBy = fn(&Arguments, &[NdArray]) -> CallResult<Vec<Residual>>;

/// A function of the oracle, by name.
#[derive(Clone, Copy, Debug)]
pub struct Counterpart {
    pub(crate) name: &'static str,
    pub(crate) call: fn(&Arguments) -> CallResult<Vec<Answer>>,
    pub(crate) bounds: Option<BoundsOf>,
    /// Computes the residuals of results, for functions whose elements are not unique.
    pub(crate) judged: Option<JudgedBy>,
}

/// Declares counterparts: `"numpy.take" = |t| take(t.get("a")?, …);`, followed, where the results are not exact, by
/// `bounds |t| …`, or by `judged` and a function of the residuals of results.
macro_rules! counterparts {
    ($($name:literal = |$args:ident| $call:expr $(, bounds |$of:ident| $bounds:expr)? $(, judged $judged:expr)?;)+) => {
        const _: () = {
            #[linkme::distributed_slice(crate::table::FILES)]
            static COUNTERPARTS: &[crate::table::Counterpart] = &[$(crate::table::Counterpart {
                name: $name,
                call: |$args| crate::table::Answers::answers($call),
                bounds: crate::table::bounds!($(|$of| $bounds)?),
                judged: crate::table::judged!($($judged)?),
            }),+];
        };
    };
}
pub(crate) use counterparts;

macro_rules! bounds {
    () => {
        None
    };
    (|$of:ident| $bounds:expr) => {
        Some(|$of| Ok($bounds))
    };
}
pub(crate) use bounds;

macro_rules! judged {
    () => {
        None
    };
    ($judged:expr) => {
        Some($judged)
    };
}
pub(crate) use judged;

/// The lists of all files, collected at link time.
#[distributed_slice]
pub(crate) static FILES: [&'static [Counterpart]];

fn counterparts_of_files() -> impl Iterator<Item = &'static Counterpart> {
    FILES.iter().copied().flatten()
}

/// A function that can be called.
#[derive(Clone, Copy, Debug)]
pub enum Function {
    /// A separate counterpart.
    Counterpart(&'static Counterpart),
    /// A reduction.
    Reduction(&'static str),
    /// An elementwise function.
    Ufunc(&'static str),
    /// A method of an elementwise function.
    Method(&'static str, &'static str),
}

/// Finds a function by NumPy's or SciPy's path: `numpy.take`, `numpy.add.reduce`, `scipy.special.erf`.
pub fn find(path: &str) -> Option<Function> {
    if let Some(counterpart) = counterparts_of_files().find(|counterpart| counterpart.name == path) {
        return Some(Function::Counterpart(counterpart));
    }
    generic::find(path)
}

impl Function {
    /// Calls the function.
    ///
    /// # Errors
    ///
    /// [`Fault::Misuse`] for parameters that it does not have, [`Fault::Rejection`] for calls that NumPy rejects.
    pub fn call(&self, args: &Arguments) -> std::result::Result<Vec<NdArray>, Fault> {
        let results = match self {
            Function::Counterpart(counterpart) => {
                (counterpart.call)(args).map(|all| all.into_iter().map(|a| a.result).collect())
            }
            Function::Reduction(name) => generic::reduction(name, args),
            Function::Ufunc(name) => generic::ufunc(name, args),
            Function::Method(name, method) => generic::method(name, method, args),
        }?;
        if let Some(name) = args.unread() {
            return Err(Fault::Misuse(format!("{self:?} has no parameter `{name}`")));
        }
        // NumPy's limit.
        if results.iter().any(|a: &NdArray| a.ndim() > 64) {
            return Ok(fail(ErrorKind::Value, "an array has at most 64 axes")?);
        }
        Ok(results)
    }

    /// Computes the residuals of the results of a call, for a function whose elements are not unique; `None` for
    /// others.
    ///
    /// # Errors
    ///
    /// As [`Function::call`].
    pub fn residuals(
        &self,
        args: &Arguments,
        results: &[NdArray],
    ) -> std::result::Result<Option<Vec<Residual>>, Fault> {
        match self {
            Function::Counterpart(Counterpart { judged: Some(judged), .. }) => judged(args, results).map(Some),
            _ => Ok(None),
        }
    }

    /// Returns true if results are checked by residuals, and not by their elements.
    pub fn is_judged(&self) -> bool {
        matches!(self, Function::Counterpart(Counterpart { judged: Some(_), .. }))
    }

    /// Bounds the error of each element of all results in sequence; `None` for a function without bounds.
    ///
    /// # Errors
    ///
    /// As [`Function::call`].
    pub fn bounds(&self, args: &Arguments) -> std::result::Result<Option<Vec<f64>>, Fault> {
        match self {
            Function::Counterpart(Counterpart { bounds: Some(bounds), .. }) => bounds(args),
            Function::Counterpart(counterpart) => {
                let bounds: Option<Vec<Vec<f64>>> = (counterpart.call)(args)?.into_iter().map(|a| a.bounds).collect();
                Ok(bounds.map(|all| all.concat()))
            }
            Function::Reduction(name) => generic::reduction_bounds(name, args).map(Some),
            Function::Method(name, method) => generic::method_bounds(name, method, args),
            Function::Ufunc(_) => Ok(None),
        }
    }
}

/// A return type of counterparts.
pub(crate) trait Answers {
    fn answers(self) -> CallResult<Vec<Answer>>;
}

impl<T: Answers> Answers for Result<T> {
    fn answers(self) -> CallResult<Vec<Answer>> {
        self?.answers()
    }
}

impl Answers for NdArray {
    fn answers(self) -> CallResult<Vec<Answer>> {
        Ok(vec![Answer { result: self, bounds: None }])
    }
}

impl Answers for Bounded {
    fn answers(self) -> CallResult<Vec<Answer>> {
        Ok(vec![Answer { result: self.result, bounds: Some(self.bounds) }])
    }
}

impl Answers for bool {
    fn answers(self) -> CallResult<Vec<Answer>> {
        NdArray::from_values(DType::Bool, &[], [Value::Bool(self)]).answers()
    }
}

impl<T: Answers> Answers for Vec<T> {
    fn answers(self) -> CallResult<Vec<Answer>> {
        let all: Vec<Vec<Answer>> = self.into_iter().map(T::answers).collect::<CallResult<_>>()?;
        Ok(all.into_iter().flatten().collect())
    }
}

impl<T: Answers> Answers for Option<T> {
    fn answers(self) -> CallResult<Vec<Answer>> {
        self.map_or(Ok(vec![]), T::answers)
    }
}

impl<A: Answers, B: Answers> Answers for (A, B) {
    fn answers(self) -> CallResult<Vec<Answer>> {
        let mut all = self.0.answers()?;
        all.extend(self.1.answers()?);
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::counterparts_of_files;

    #[test]
    fn no_function_has_two_counterparts() {
        let mut names: Vec<&str> = counterparts_of_files().map(|counterpart| counterpart.name).collect();
        names.sort_unstable();
        let twice: Vec<&&str> = names.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| &pair[0]).collect();
        assert!(twice.is_empty(), "{twice:?}");
    }
}
