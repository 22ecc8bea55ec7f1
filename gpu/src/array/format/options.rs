//! The options of printing, and those that are in force.

use std::cell::RefCell;
use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;
use std::sync::Arc;

use num_complex::Complex64;

use crate::array::IntoArgument;
use crate::error::{Error, ErrorKind, Result};
use crate::scalar::Scalar;

/// What stands in front of floats that are not negative; NumPy's `sign`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sign {
    /// `-`: nothing.
    #[default]
    Minus,
    /// `+`: a plus.
    Plus,
    /// A blank, where there is no minus above or below.
    Blank,
}

/// How many digits floats have; NumPy's `floatmode`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FloatMode {
    /// `fixed`: as many as the precision says.
    Fixed,
    /// `unique`: as many as name each number, whatever the precision.
    Unique,
    /// `maxprec`: as many as name each number, but no more than the precision says.
    #[default]
    MaxPrec,
    /// `maxprec_equal`: as `maxprec`, and all as many as the longest.
    MaxPrecEqual,
}

fn unknown<T>(what: &str, name: &str, names: &str) -> Result<T> {
    Err(Error::new(ErrorKind::Value, format!("{name:?} is no {what}; they are {names}")))
}

impl FromStr for Sign {
    type Err = Error;

    /// The sign of one of NumPy's characters.
    fn from_str(name: &str) -> Result<Sign> {
        match name {
            "-" => Ok(Sign::Minus),
            "+" => Ok(Sign::Plus),
            " " => Ok(Sign::Blank),
            _ => unknown("sign", name, "-, + and a blank"),
        }
    }
}

impl FromStr for FloatMode {
    type Err = Error;

    /// The mode of one of NumPy's names.
    fn from_str(name: &str) -> Result<FloatMode> {
        match name {
            "fixed" => Ok(FloatMode::Fixed),
            "unique" => Ok(FloatMode::Unique),
            "maxprec" => Ok(FloatMode::MaxPrec),
            "maxprec_equal" => Ok(FloatMode::MaxPrecEqual),
            _ => unknown("floatmode", name, "fixed, unique, maxprec and maxprec_equal"),
        }
    }
}

type Written<T> = Option<Arc<dyn Fn(T) -> String + Send + Sync>>;

/// Functions that write elements, by their kind; NumPy's `formatter`. What is told later holds.
#[derive(Clone, Default)]
pub struct Formatter {
    booleans: Written<bool>,
    integers: Written<i128>,
    floats: Written<f64>,
    complex: Written<Complex64>,
}

impl Formatter {
    /// None.
    pub fn new() -> Formatter {
        Formatter::default()
    }

    /// Writes elements of any kind; NumPy's `all`.
    pub fn all(self, f: impl Fn(Scalar) -> String + Send + Sync + 'static) -> Formatter {
        let f = Arc::new(f);
        let (b, i, x, z) = (f.clone(), f.clone(), f.clone(), f);
        Formatter::new()
            .bool(move |v| b(Scalar::Bool(v)))
            .int(move |v| i(Scalar::Int(v)))
            .float(move |v| x(Scalar::Float(v)))
            .complex(move |v| z(Scalar::Complex(v)))
    }

    /// Writes booleans; NumPy's `bool`.
    pub fn bool(self, f: impl Fn(bool) -> String + Send + Sync + 'static) -> Formatter {
        Formatter { booleans: Some(Arc::new(f)), ..self }
    }

    /// Writes integers; NumPy's `int`, `int_kind`.
    pub fn int(self, f: impl Fn(i128) -> String + Send + Sync + 'static) -> Formatter {
        Formatter { integers: Some(Arc::new(f)), ..self }
    }

    /// Writes floats; NumPy's `float`, `float_kind`.
    pub fn float(self, f: impl Fn(f64) -> String + Send + Sync + 'static) -> Formatter {
        Formatter { floats: Some(Arc::new(f)), ..self }
    }

    /// Writes complex numbers; NumPy's `complexfloat`, `complex_kind`.
    pub fn complex(self, f: impl Fn(Complex64) -> String + Send + Sync + 'static) -> Formatter {
        Formatter { complex: Some(Arc::new(f)), ..self }
    }

    /// The text of an element, where there is a function for its kind.
    pub(super) fn write(&self, item: Scalar) -> Option<String> {
        match item {
            Scalar::Bool(v) => self.booleans.as_ref().map(|f| f(v)),
            Scalar::Int(v) => self.integers.as_ref().map(|f| f(v)),
            Scalar::Float(v) => self.floats.as_ref().map(|f| f(v)),
            Scalar::Complex(v) => self.complex.as_ref().map(|f| f(v)),
        }
    }
}

impl fmt::Debug for Formatter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Formatter")
    }
}

/// Options of printing by their names, those of them that are told, and those that hold.
macro_rules! options {
    ($($(#[$doc:meta])* $name:ident: $of:ty = $default:expr),+ $(,)?) => {
        /// Options of printing; NumPy's `set_printoptions`. What is `None` stays as it is. Layouts of older NumPys
        /// (`legacy`) are not written.
        #[derive(Clone, Debug, Default)]
        #[non_exhaustive]
        pub struct PrintOptions {
            $($(#[$doc])* pub $name: Option<$of>,)+
            /// Functions that write elements in place of all that is told here.
            pub formatter: Option<Formatter>,
        }

        impl PrintOptions {
            /// Nothing told yet.
            pub fn new() -> PrintOptions {
                PrintOptions::default()
            }

            $($(#[$doc])*
            pub fn $name(self, value: impl Into<$of>) -> PrintOptions {
                PrintOptions { $name: Some(value.into()), ..self }
            })+

            /// Functions that write elements.
            pub fn formatter(self, formatter: Formatter) -> PrintOptions {
                PrintOptions { formatter: Some(formatter), ..self }
            }
        }

        /// The options that hold.
        #[derive(Clone, Debug)]
        pub(super) struct InForce {
            $(pub(super) $name: $of,)+
            pub(super) formatter: Option<Formatter>,
        }

        impl Default for InForce {
            fn default() -> InForce {
                InForce { $($name: $default,)+ formatter: None }
            }
        }

        impl InForce {
            /// With what is told.
            pub(super) fn with(mut self, told: &PrintOptions) -> InForce {
                $(if let Some(value) = &told.$name {
                    self.$name = value.clone();
                })+
                if told.formatter.is_some() {
                    self.formatter.clone_from(&told.formatter);
                }
                self
            }

            fn told(self) -> PrintOptions {
                PrintOptions { $($name: Some(self.$name),)+ formatter: self.formatter }
            }
        }
    };
}
options! {
    /// Digits behind the point; 8.
    precision: usize = 8,
    /// Of more elements only the edges are shown; 1000.
    threshold: usize = 1000,
    /// So many at each edge; 3.
    edgeitems: usize = 3,
    /// Characters of a line; 75.
    linewidth: usize = 75,
    /// Whether small numbers are written out, without an exponent; no.
    suppress: bool = false,
    /// What is written for what is no number; `nan`.
    nanstr: String = "nan".into(),
    /// What is written for infinity; `inf`.
    infstr: String = "inf".into(),
    /// What stands in front of floats that are not negative.
    sign: Sign = Sign::Minus,
    /// How many digits floats have.
    floatmode: FloatMode = FloatMode::MaxPrec,
}

impl From<()> for PrintOptions {
    fn from((): ()) -> PrintOptions {
        PrintOptions::default()
    }
}

/// The precision; all else stays as it is.
impl From<usize> for PrintOptions {
    fn from(precision: usize) -> PrintOptions {
        PrintOptions::new().precision(precision)
    }
}

thread_local! {
    static IN_FORCE: RefCell<InForce> = RefCell::default();
}

impl InForce {
    pub(super) fn now() -> InForce {
        IN_FORCE.with_borrow(InForce::clone)
    }
}

/// Sets options of printing for this thread; NumPy's `set_printoptions`. A formatter that is not told is taken away.
///
/// ```
/// use cuprum::{PrintOptions, array, get_printoptions, set_printoptions};
/// set_printoptions(PrintOptions::new().precision(2_usize));
/// assert_eq!(array([1.0 / 3.0])?.to_string(), "[0.33]");
/// assert_eq!(get_printoptions().precision, Some(2));
/// # Ok::<(), cuprum::Error>(())
/// ```
pub fn set_printoptions(options: impl IntoArgument<PrintOptions>) {
    let options = options.into();
    IN_FORCE.with_borrow_mut(|now| {
        *now = std::mem::take(now).with(&options);
        now.formatter = options.formatter;
    });
}

/// The options of printing that are in force on this thread; NumPy's `get_printoptions`.
pub fn get_printoptions() -> PrintOptions {
    InForce::now().told()
}

/// Sets options of printing until what it gives is dropped; NumPy's `printoptions`.
///
/// ```
/// use cuprum::{PrintOptions, array, printoptions};
/// let a = array([1.0 / 3.0])?;
/// {
///     let _guard = printoptions(PrintOptions::new().precision(3_usize));
///     assert_eq!(a.to_string(), "[0.333]");
/// }
/// assert_eq!(a.to_string(), "[0.33333333]");
/// # Ok::<(), cuprum::Error>(())
/// ```
pub fn printoptions(options: impl IntoArgument<PrintOptions>) -> PrintOptionsGuard {
    let before = InForce::now();
    set_printoptions(options);
    PrintOptionsGuard { before, thread: PhantomData }
}

/// Options of printing hold for as long as this lives; what [`printoptions`] gives.
#[derive(Debug)]
#[must_use = "the options hold for as long as this lives"]
pub struct PrintOptionsGuard {
    before: InForce,
    /// The options are those of the thread.
    thread: PhantomData<*const ()>,
}

impl Drop for PrintOptionsGuard {
    fn drop(&mut self) {
        let before = std::mem::take(&mut self.before);
        // A thread that ends may have no options any more.
        let _ = IN_FORCE.try_with(|now| *now.borrow_mut() = before);
    }
}
