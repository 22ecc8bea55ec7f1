//! Binding of arguments to parameters.
//!
//! Arguments are bound as in Python: by position, then by keyword, then by default; a missing, unknown or repeated one
//! is an error.

use std::borrow::Cow;

use smallvec::SmallVec;

use super::{Argument, Parameter, ParameterKind, Record, Value};
use crate::error::{Error, ErrorKind, Result};

/// Arguments of a call by name: positional ones, and keyword arguments.
///
/// ```
/// use cuprum::table::{Arguments, find};
/// let a = cuprum::array([10, 20, 30])?;
/// let indices = cuprum::array([4, 0])?;
/// let arguments = Arguments::new([(&a).into(), (&indices).into()]).with("mode", "wrap");
/// let taken = find("numpy.take")?.call(&arguments)?;
/// assert_eq!(taken[0].array()?.to_vec::<i32>()?, [20, 10]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Arguments {
    /// `None` where a parameter keeps its default.
    positional: Vec<Option<Value>>,
    keywords: Vec<(String, Value)>,
}

impl Arguments {
    /// Creates positional arguments.
    ///
    /// Keyword arguments are added with [`Arguments::with`].
    pub fn new(positional: impl IntoIterator<Item = Value>) -> Arguments {
        Arguments::with_gaps(positional.into_iter().map(Some))
    }

    /// Creates positional arguments with gaps: the parameters there keep their defaults.
    ///
    /// ```
    /// use cuprum::table::{Arguments, find};
    /// let a = cuprum::array([3, 1, 2])?;
    /// let sorted = find("numpy.sort")?.call(&Arguments::with_gaps([Some((&a).into()), None, Some("stable".into())]))?;
    /// assert_eq!(sorted[0].array()?.to_vec::<i32>()?, [1, 2, 3]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn with_gaps(positional: impl IntoIterator<Item = Option<Value>>) -> Arguments {
        Arguments { positional: positional.into_iter().collect(), keywords: vec![] }
    }

    /// Adds a keyword argument.
    ///
    /// A name may be passed once. See [`Arguments`] for an example.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Arguments {
        self.keywords.push((name.into(), value.into()));
        self
    }
}

/// Arguments bound to their parameters.
///
/// A parameter without an argument has its default.
#[derive(Debug)]
pub struct Bound<'a>(SmallVec<[(&'static str, Cow<'a, Value>); 8]>);

/// An option struct that is split into keyword parameters; implemented by `derive(Options)`.
pub(crate) trait Options<'v>: Sized {
    /// Returns one parameter for each option.
    fn parameters() -> Vec<Parameter>;

    /// Reads the options that are given, with the struct's `Default` for the others.
    fn read(bound: &'v Bound<'_>) -> Result<Self>;
}

impl<'a> Bound<'a> {
    /// Binds each argument to its parameter.
    pub(super) fn new(record: &Record, arguments: &'a Arguments) -> Result<Bound<'a>> {
        let reject = |what: String| Err(Error::new(ErrorKind::Type, what));
        let all = &record.parameters;
        if arguments.positional.len() > all.len() {
            return reject(format!(
                "{} arguments are given, it has {} parameters",
                arguments.positional.len(),
                all.len()
            ));
        }
        let mut bound = Bound(SmallVec::new());
        for (parameter, value) in all.iter().zip(&arguments.positional) {
            if let Some(value) = value {
                bound.0.push((parameter.name, as_list(parameter, value)));
            }
        }
        for (name, value) in &arguments.keywords {
            let Some(parameter) = all.iter().find(|p| p.name == name) else {
                let names: Vec<&str> = all.iter().map(|p| p.name).collect();
                return reject(format!("there is no parameter `{name}`; they are {}", names.join(", ")));
            };
            if bound.value(name).is_some() {
                return reject(format!("the parameter `{name}` is given twice"));
            }
            bound.0.push((parameter.name, as_list(parameter, value)));
        }
        match all.iter().find(|p| p.default.is_none() && bound.value(p.name).is_none()) {
            Some(missing) => reject(format!("the parameter `{}` is missing", missing.name)),
            None => Ok(bound),
        }
    }

    fn value(&self, name: &str) -> Option<&Value> {
        self.0.iter().find(|(n, _)| *n == name).map(|(_, value)| &**value)
    }

    /// Returns whether an argument is given, including `None`.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.value(name).is_some()
    }

    /// Reads the argument of a parameter, or `None` if it is not given and the type accepts that.
    pub(crate) fn get<'v, T: Argument<'v>>(&'v self, name: &str) -> Result<T> {
        read(name, self.value(name).unwrap_or(&Value::None))
    }

    /// Reads the argument of a parameter, or its default.
    pub(crate) fn or<'v, T: Argument<'v>>(&'v self, name: &str, default: T) -> Result<T> {
        self.value(name).map_or(Ok(default), |value| read(name, value))
    }
}

fn read<'v, T: Argument<'v>>(name: &str, value: &'v Value) -> Result<T> {
    T::read(value).map_err(|e| Error::new(e.kind(), format!("the parameter `{name}`: {}", e.message())))
}

/// Converts a single axis or length to a list where a list is expected.
fn as_list<'a>(parameter: &Parameter, value: &'a Value) -> Cow<'a, Value> {
    match (parameter.kind, value) {
        (
            ParameterKind::Axes | ParameterKind::Shape | ParameterKind::Integers,
            Value::Scalar(crate::scalar::Scalar::Int(one)),
        ) => match isize::try_from(*one) {
            Ok(one) => Cow::Owned(Value::Integers(vec![one])),
            Err(_) => Cow::Borrowed(value),
        },
        _ => Cow::Borrowed(value),
    }
}
