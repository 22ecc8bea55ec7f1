//! Print options, and the active ones of each thread.
//!
//! Options are of the thread: a scope of [`printoptions`](crate::printoptions) ends when its guard is dropped.

use cuprum_macros::unrecorded;

use std::cell::RefCell;
use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;
use std::sync::Arc;

use num_complex::Complex64;

use crate::array::IntoArgument;
use crate::error::{Error, ErrorKind, Result};
use crate::scalar::Scalar;

/// Sign of nonnegative floats; NumPy's `sign`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sign {
    /// `-`: none.
    #[default]
    Minus,
    /// `+`: a plus sign.
    Plus,
    /// A space, if no number of the column has a minus sign.
    Blank,
}

/// Number of digits of floats; NumPy's `floatmode`.
///
/// NumPy spells them in lower case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FloatMode {
    /// `fixed`: as many as the precision.
    Fixed,
    /// `unique`: as many as identify each number, regardless of the precision.
    Unique,
    /// `maxprec`: as many as identify each number, up to the precision.
    #[default]
    MaxPrec,
    /// `maxprec_equal`: as `maxprec`, padded to the longest.
    MaxPrecEqual,
}

fn unknown<T>(what: &str, name: &str, names: &str) -> Result<T> {
    Err(Error::new(ErrorKind::Value, format!("{name:?} is no {what}; they are {names}")))
}

impl FromStr for Sign {
    type Err = Error;

    /// Parses one of NumPy's characters.
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

    /// Parses one of NumPy's names.
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

/// Functions that format elements, by kind; NumPy's `formatter`. The last one set for a kind applies.
///
/// A function gets each element and returns its text; elements of a kind without a function are formatted as usual.
///
/// ```
/// use cuprum::{Formatter, PrintOptions, array};
/// let stars = PrintOptions::new().formatter(Formatter::new().int(|n| "*".repeat(n as usize)));
/// let _options = cuprum::printoptions(stars);
/// assert_eq!(array([1, 2, 3])?.to_string(), "[* ** ***]");
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct Formatter {
    booleans: Written<bool>,
    integers: Written<i128>,
    floats: Written<f64>,
    complex: Written<Complex64>,
}

impl Formatter {
    /// Creates a formatter without functions.
    pub fn new() -> Formatter {
        Formatter::default()
    }

    /// Sets the function for elements of any kind; NumPy's `all`.
    ///
    /// ```
    /// use cuprum::{Formatter, PrintOptions, array, printoptions};
    /// let _options = printoptions(PrintOptions::new().formatter(Formatter::new().all(|_| "x".into())));
    /// assert_eq!(array([1, 2])?.to_string(), "[x x]");
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn all(self, f: impl Fn(Scalar) -> String + Send + Sync + 'static) -> Formatter {
        let f = Arc::new(f);
        let (b, i, x, z) = (f.clone(), f.clone(), f.clone(), f);
        Formatter::new()
            .bool(move |v| b(Scalar::Bool(v)))
            .int(move |v| i(Scalar::Int(v)))
            .float(move |v| x(Scalar::Float(v)))
            .complex(move |v| z(Scalar::Complex(v)))
    }

    /// Sets the function for booleans; NumPy's `bool`.
    ///
    /// ```
    /// use cuprum::{Formatter, PrintOptions, array, printoptions};
    /// let yes_no = Formatter::new().bool(|b| if b { "yes" } else { "no" }.into());
    /// let _options = printoptions(PrintOptions::new().formatter(yes_no));
    /// assert_eq!(array([true, false])?.to_string(), "[yes no]");
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn bool(self, f: impl Fn(bool) -> String + Send + Sync + 'static) -> Formatter {
        Formatter { booleans: Some(Arc::new(f)), ..self }
    }

    /// Sets the function for integers; NumPy's `int`, `int_kind`.
    pub fn int(self, f: impl Fn(i128) -> String + Send + Sync + 'static) -> Formatter {
        Formatter { integers: Some(Arc::new(f)), ..self }
    }

    /// Sets the function for floats; NumPy's `float`, `float_kind`.
    ///
    /// ```
    /// use cuprum::{Formatter, PrintOptions, array, printoptions};
    /// let _options = printoptions(PrintOptions::new().formatter(Formatter::new().float(|x| format!("{x:.1}"))));
    /// assert_eq!(array([1.0, 2.25])?.to_string(), "[1.0 2.2]");
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn float(self, f: impl Fn(f64) -> String + Send + Sync + 'static) -> Formatter {
        Formatter { floats: Some(Arc::new(f)), ..self }
    }

    /// Sets the function for complex numbers; NumPy's `complexfloat`, `complex_kind`.
    pub fn complex(self, f: impl Fn(Complex64) -> String + Send + Sync + 'static) -> Formatter {
        Formatter { complex: Some(Arc::new(f)), ..self }
    }

    /// Formats an element, if there is a function for its kind.
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

/// Defines the print options by name: partial settings, and the active values.
macro_rules! options {
    ($($(#[$doc:meta])* $name:ident: $of:ty = $default:expr),+ $(,)?) => {
        /// Print options; NumPy's `set_printoptions`. `None` leaves an option unchanged. Formats of older NumPy
        /// versions (`legacy`) are not supported.
        #[derive(Clone, Debug, Default)]
        #[non_exhaustive]
        pub struct PrintOptions {
            $($(#[$doc])* pub $name: Option<$of>,)+
            /// Functions that format elements, which take precedence over the other options.
            pub formatter: Option<Formatter>,
        }

        impl PrintOptions {
            /// Creates options that change nothing.
            pub fn new() -> PrintOptions {
                PrintOptions::default()
            }

            $($(#[$doc])*
            pub fn $name(self, value: impl Into<$of>) -> PrintOptions {
                PrintOptions { $name: Some(value.into()), ..self }
            })+

            /// Sets functions that format elements.
            ///
            /// See [`Formatter`] for an example.
            pub fn formatter(self, formatter: Formatter) -> PrintOptions {
                PrintOptions { formatter: Some(formatter), ..self }
            }
        }

        /// The active options.
        #[derive(Clone, Debug)]
        pub(super) struct InForce {
            $(pub(super) $name: $of,)+
            /// Functions that format elements.
            pub(super) formatter: Option<Formatter>,
        }

        impl Default for InForce {
            fn default() -> InForce {
                InForce { $($name: $default,)+ formatter: None }
            }
        }

        impl InForce {
            /// Returns the options with the given ones replaced.
            pub(super) fn with(mut self, options: &PrintOptions) -> InForce {
                $(if let Some(value) = &options.$name {
                    self.$name = value.clone();
                })+
                if options.formatter.is_some() {
                    self.formatter.clone_from(&options.formatter);
                }
                self
            }

            fn options(self) -> PrintOptions {
                PrintOptions { $($name: Some(self.$name),)+ formatter: self.formatter }
            }
        }
    };
}
options! {
    /// The number of digits after the point; 8 by default.
    precision: usize = 8,
    /// The number of elements above which only the edges are shown; 1000 by default.
    threshold: usize = 1000,
    /// The number of elements at each edge; 3 by default.
    edgeitems: usize = 3,
    /// The number of characters of a line; 75 by default.
    linewidth: usize = 75,
    /// If true, small numbers are written in positional notation; false by default.
    suppress: bool = false,
    /// The text of NaN; `nan` by default.
    nanstr: String = "nan".into(),
    /// The text of infinity; `inf` by default.
    infstr: String = "inf".into(),
    /// The sign of nonnegative floats.
    sign: Sign = Sign::Minus,
    /// The number of digits of floats.
    floatmode: FloatMode = FloatMode::MaxPrec,
}

impl From<()> for PrintOptions {
    fn from((): ()) -> PrintOptions {
        PrintOptions::default()
    }
}

/// Sets the precision, and leaves the other options unchanged.
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

/// Sets print options of this thread; NumPy's `set_printoptions`. Without a formatter an existing one is removed.
///
/// ```
/// use cuprum::{PrintOptions, array, get_printoptions, set_printoptions};
/// set_printoptions(PrintOptions::new().precision(2_usize));
/// assert_eq!(array([1.0 / 3.0])?.to_string(), "[0.33]");
/// assert_eq!(get_printoptions().precision, Some(2));
/// # Ok::<(), cuprum::Error>(())
/// ```
#[unrecorded("sets print options")]
pub fn set_printoptions(options: impl IntoArgument<PrintOptions>) {
    let options = options.into();
    IN_FORCE.with_borrow_mut(|now| {
        *now = std::mem::take(now).with(&options);
        now.formatter = options.formatter;
    });
}

/// Returns the active print options of this thread; NumPy's `get_printoptions`.
///
/// ```
/// use cuprum::{PrintOptions, get_printoptions, printoptions};
/// let _options = printoptions(PrintOptions::new().precision(3_usize));
/// assert_eq!(get_printoptions().precision, Some(3));
/// ```
#[unrecorded("returns a host struct")]
pub fn get_printoptions() -> PrintOptions {
    InForce::now().options()
}

/// Sets print options until the returned guard is dropped; NumPy's `printoptions`.
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
#[unrecorded("returns a guard")]
pub fn printoptions(options: impl IntoArgument<PrintOptions>) -> PrintOptionsGuard {
    let before = InForce::now();
    set_printoptions(options);
    PrintOptionsGuard { before, thread: PhantomData }
}

/// Guard of [`printoptions`], which restores the options on drop.
///
/// It is not `Send`: options belong to a thread.
#[derive(Debug)]
#[must_use = "the options hold for as long as this lives"]
pub struct PrintOptionsGuard {
    /// The options that are restored.
    before: InForce,
    /// Not `Send`: the options are those of the thread.
    thread: PhantomData<*const ()>,
}

impl Drop for PrintOptionsGuard {
    fn drop(&mut self) {
        let before = std::mem::take(&mut self.before);
        // The options of a thread that is exiting may have been destroyed.
        let _ = IN_FORCE.try_with(|now| *now.borrow_mut() = before);
    }
}
