//! NumPy's formatting functions, of arrays and of single floats.
//!
//! Parameters have NumPy's names and defaults.

use cuprum_kernels::DType;
use cuprum_macros::unrecorded;
use half::{bf16, f16};

use super::floats::{self, Style, Trim};
use super::options::{FloatMode, Formatter, InForce, PrintOptions, Sign};
use super::spec::Spec;
use super::{Printable, words};
use crate::array::{AsArray, IntoArgument};
use crate::error::{Error, ErrorKind, Result};

/// Options of [`array2string`], with NumPy's names: print options, and the text around the elements.
///
/// Options that are not set are those of the thread. Lines are as long as `linewidth`, prefix and suffix included.
///
/// ```
/// use cuprum::{Array2stringOptions, array, array2string};
/// let text = array2string(&array([1, 2, 3])?, Array2stringOptions::new().separator(", "))?;
/// assert_eq!(text, "[1, 2, 3]");
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Array2stringOptions {
    /// Print options, in place of the active ones.
    pub print: PrintOptions,
    /// The separator between elements; by default a space.
    pub separator: String,
    /// The text that will precede the result: lines are indented by its length.
    pub prefix: String,
    /// The text that will follow the result: lines are shortened by its length.
    pub suffix: String,
}

impl Default for Array2stringOptions {
    fn default() -> Self {
        Self { print: PrintOptions::new(), separator: " ".into(), prefix: String::new(), suffix: String::new() }
    }
}

/// Defines setters that forward to print options, some by another name.
macro_rules! forwarded {
    ($($(#[$doc:meta])* $name:ident = $own:ident: $of:ty),+ $(,)?) => {
        impl Array2stringOptions {
            /// Creates the defaults.
            pub fn new() -> Self {
                Self::default()
            }

            $($(#[$doc])*
            pub fn $name(self, value: impl Into<$of>) -> Self {
                Self { print: self.print.$own(value.into()), ..self }
            })+

            /// Sets the separator between elements.
            ///
            /// By default it is a space. See [`Array2stringOptions`] for an example.
            pub fn separator(self, separator: impl Into<String>) -> Self {
                Self { separator: separator.into(), ..self }
            }

            /// Sets the text that will precede the result.
            ///
            /// Lines after the first one are indented by its length.
            ///
            /// ```
            /// use cuprum::{Array2stringOptions, array, array2string};
            /// let text = array2string(&array([[1, 2], [3, 4]])?, Array2stringOptions::new().prefix("x = "))?;
            /// assert_eq!(text, "[[1 2]\n     [3 4]]");
            /// # Ok::<(), cuprum::Error>(())
            /// ```
            pub fn prefix(self, prefix: impl Into<String>) -> Self {
                Self { prefix: prefix.into(), ..self }
            }

            /// Sets the text that will follow the result.
            ///
            /// The width of the last line is shortened by its length.
            pub fn suffix(self, suffix: impl Into<String>) -> Self {
                Self { suffix: suffix.into(), ..self }
            }
        }
    };
}
forwarded! {
    /// Sets the number of characters of a line.
    max_line_width = linewidth: usize,
    /// Sets the number of digits after the point.
    precision = precision: usize,
    /// Sets whether small numbers are written in positional notation.
    suppress_small = suppress: bool,
    /// Sets the number of elements above which only the edges are shown.
    threshold = threshold: usize,
    /// Sets the number of elements at each edge.
    edgeitems = edgeitems: usize,
    /// Sets the sign of nonnegative floats.
    sign = sign: Sign,
    /// Sets the number of digits of floats.
    floatmode = floatmode: FloatMode,
    /// Sets functions that format elements.
    formatter = formatter: Formatter,
}

impl From<()> for Array2stringOptions {
    fn from((): ()) -> Self {
        Self::default()
    }
}

impl From<PrintOptions> for Array2stringOptions {
    fn from(print: PrintOptions) -> Self {
        Self { print, ..Self::default() }
    }
}

/// Formats an array as nested brackets; NumPy's `array2string`.
///
/// ```
/// use cuprum::{Array2stringOptions, array, array2string};
/// let a = array([[1.0, 2.5], [3.0, 1e-9]])?;
/// let options = Array2stringOptions::new().separator(", ").precision(2_usize).suppress_small(true);
/// assert_eq!(array2string(&a, options)?, "[[1. , 2.5],\n [3. , 0. ]]");
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Errors of the device.
///
/// # Synchronization
///
/// Synchronises with the device; of a large array only the edges are transferred.
#[unrecorded("returns text, compared with NumPy's in `gpu/tests/data/format.json`")]
pub fn array2string(a: impl AsArray, options: impl IntoArgument<Array2stringOptions>) -> Result<String> {
    let options = options.into();
    let now = InForce::now().with(&options.print);
    let printable = Printable::of(a.as_array(), &now).map_err(|e| e.with_op("array2string"))?;
    let width = now.linewidth as i64 - options.suffix.chars().count() as i64;
    Ok(printable.elements(&options.prefix, &options.separator, width, &Spec::NONE))
}

/// Formats an array as Python's `repr`, with its dtype where it is not the default; NumPy's `array_repr`.
///
/// ```
/// use cuprum::{array, array_repr};
/// assert_eq!(array_repr(array([1.0f32, 0.123])?, 1)?, "array([1. , 0.1], dtype=float32)");
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Errors of the device.
///
/// # Synchronization
///
/// Synchronises with the device; of a large array only the edges are transferred.
#[unrecorded("returns the text of `Debug`, compared with NumPy's in `gpu/tests/data/format.json`")]
pub fn array_repr(arr: impl AsArray, options: impl IntoArgument<PrintOptions>) -> Result<String> {
    let now = InForce::now().with(&options.into());
    Ok(Printable::of(arr.as_array(), &now).map_err(|e| e.with_op("array_repr"))?.repr(&Spec::NONE))
}

/// Formats an array as Python's `str`: nested brackets, or all digits of the element of a 0-d array; NumPy's
/// `array_str`.
///
/// ```
/// use cuprum::{array, array_str};
/// assert_eq!(array_str(array([1.0, 0.123])?, 1)?, "[1.  0.1]");
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Errors of the device.
///
/// # Synchronization
///
/// Synchronises with the device; of a large array only the edges are transferred.
#[unrecorded("returns the text of `Display`, compared with NumPy's in `gpu/tests/data/format.json`")]
pub fn array_str(a: impl AsArray, options: impl IntoArgument<PrintOptions>) -> Result<String> {
    let now = InForce::now().with(&options.into());
    Ok(Printable::of(a.as_array(), &now).map_err(|e| e.with_op("array_str"))?.str(&Spec::NONE))
}

/// A float of any width, whose shortest digits are those of its own type.
///
/// float32 and float16 have fewer digits than the float64 of the same value: the type decides which digits identify a
/// number.
pub trait FormatFloat: Copy {
    /// Returns the number, and the dtype that determines its digits.
    #[doc(hidden)]
    fn value_and_dtype(self) -> (f64, DType);
}

macro_rules! format_float {
    ($($of:ty = $dtype:ident),+) => {$(
        impl FormatFloat for $of {
            fn value_and_dtype(self) -> (f64, DType) {
                (self.into(), DType::$dtype)
            }
        }
    )+};
}
format_float!(f16 = F16, bf16 = BF16, f32 = F32, f64 = F64);

/// Options of [`format_float_positional`] and [`format_float_scientific`], with NumPy's names and defaults.
///
/// With `unique` the digits are the shortest that read back as the same number; otherwise they are its exact decimal
/// digits, rounded to the precision.
///
/// ```
/// use cuprum::{FormatFloatOptions, format_float_positional};
/// assert_eq!(format_float_positional(2.0 / 3.0, FormatFloatOptions::from(2))?, "0.67");
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct FormatFloatOptions {
    /// The maximum number of digits.
    pub precision: Option<usize>,
    /// If true, digits are limited to those that identify the number; otherwise they are those of its exact value, up
    /// to `precision`. By default `true`.
    pub unique: bool,
    /// If true, the precision counts digits after the point, otherwise all digits. By default `true`.
    pub fractional: bool,
    /// The trimming of trailing zeros.
    pub trim: Option<Trim>,
    /// If true, nonnegative numbers have a plus sign. By default `false`.
    pub sign: bool,
    /// The minimum number of characters before the point.
    pub pad_left: Option<usize>,
    /// The minimum number of characters after the point.
    pub pad_right: Option<usize>,
    /// The minimum number of digits.
    pub min_digits: Option<usize>,
    /// The minimum number of digits of the exponent.
    pub exp_digits: Option<usize>,
}

impl Default for FormatFloatOptions {
    fn default() -> Self {
        FormatFloatOptions {
            precision: None,
            unique: true,
            fractional: true,
            trim: None,
            sign: false,
            pad_left: None,
            pad_right: None,
            min_digits: None,
            exp_digits: None,
        }
    }
}

macro_rules! setters {
    ($($(#[$doc:meta])* $name:ident: $of:ty),+ $(,)?) => {
        impl FormatFloatOptions {
            /// Creates the defaults.
            pub fn new() -> Self {
                Self::default()
            }

            $($(#[$doc])*
            pub fn $name(self, value: impl Into<$of>) -> Self {
                Self { $name: value.into(), ..self }
            })+
        }
    };
}
setters! {
    /// Sets the maximum number of digits.
    precision: Option<usize>,
    /// Sets whether digits are limited to those that identify the number.
    unique: bool,
    /// Sets whether the precision counts digits after the point.
    fractional: bool,
    /// Sets the trimming of trailing zeros.
    trim: Option<Trim>,
    /// Sets whether nonnegative numbers have a plus sign.
    sign: bool,
    /// Sets the minimum number of characters before the point.
    pad_left: Option<usize>,
    /// Sets the minimum number of characters after the point.
    pad_right: Option<usize>,
    /// Sets the minimum number of digits.
    min_digits: Option<usize>,
    /// Sets the minimum number of digits of the exponent.
    exp_digits: Option<usize>,
}

impl From<()> for FormatFloatOptions {
    fn from((): ()) -> Self {
        Self::default()
    }
}

/// Sets the precision, with defaults for the other options.
impl From<usize> for FormatFloatOptions {
    fn from(precision: usize) -> Self {
        Self::new().precision(precision)
    }
}

/// More digits than any number has: further ones are zeros.
const MOST: usize = 16_000;

impl FormatFloatOptions {
    pub(super) fn style(&self) -> Result<Style> {
        let rejected = |what: String| Err(Error::new(ErrorKind::Value, what));
        let sizes = [
            ("precision", self.precision),
            ("pad_left", self.pad_left),
            ("pad_right", self.pad_right),
            ("min_digits", self.min_digits),
            ("exp_digits", self.exp_digits),
        ];
        for (name, size) in sizes {
            if let Some(size) = size.filter(|&size| size > MOST) {
                return rejected(format!("{name} is {size}; no text has more than {MOST} characters"));
            }
        }
        match (self.precision, self.min_digits) {
            (None, _) if !self.unique => {
                return rejected(
                    "without a precision it is not known how many digits of the exact value to write".into(),
                );
            }
            (Some(0), _) if !self.fractional => {
                return rejected("precision is 0, and with fractional false a number has a digit at least".into());
            }
            (Some(most @ 1..), Some(least)) if least > most => {
                return rejected(format!("min_digits is {least}, more than the precision of {most}"));
            }
            _ => {}
        }
        Ok(Style {
            unique: self.unique,
            fractional: self.fractional,
            precision: self.precision,
            min_digits: self.min_digits,
            trim: self.trim.unwrap_or_default(),
            plus: self.sign,
            pad_left: self.pad_left.unwrap_or(0),
            pad_right: self.pad_right,
            // No exponent has more than five digits.
            exp_digits: self.exp_digits.unwrap_or(2).min(5),
        })
    }
}

/// Formats a float in positional notation; NumPy's `format_float_positional`.
///
/// ```
/// use cuprum::{FormatFloatOptions, Trim, format_float_positional};
/// assert_eq!(format_float_positional(0.1f32, ())?, "0.1");
/// let exact = FormatFloatOptions::from(10).unique(false);
/// assert_eq!(format_float_positional(0.1f32, exact)?, "0.1000000015");
/// assert_eq!(format_float_positional(2.0, FormatFloatOptions::new().trim(Trim::ZerosAndPoint))?, "2");
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for options that contradict each other, [`ErrorKind::Type`] where digits of the exact value are
/// requested without a precision.
pub fn format_float_positional(x: impl FormatFloat, options: impl IntoArgument<FormatFloatOptions>) -> Result<String> {
    let style = options.into().style().map_err(|e| e.with_op("format_float_positional"))?;
    let (x, dtype) = x.value_and_dtype();
    Ok(floats::positional(x, dtype, &style))
}

/// Formats a float in scientific notation; NumPy's `format_float_scientific`.
///
/// ```
/// use cuprum::{FormatFloatOptions, format_float_scientific};
/// assert_eq!(format_float_scientific(12.5, ())?, "1.25e+01");
/// assert_eq!(format_float_scientific(12.5f32, FormatFloatOptions::from(1).exp_digits(3))?, "1.2e+001");
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for options that contradict each other, [`ErrorKind::Type`] where digits of the exact value are
/// requested without a precision.
pub fn format_float_scientific(x: impl FormatFloat, options: impl IntoArgument<FormatFloatOptions>) -> Result<String> {
    let style = options.into().style().map_err(|e| e.with_op("format_float_scientific"))?;
    let (x, dtype) = x.value_and_dtype();
    Ok(floats::scientific(x, dtype, &style))
}

/// Formats a single element with all of its digits, as NumPy's scalars.
pub(crate) fn scalar_text(item: crate::scalar::Scalar, dtype: DType) -> String {
    words::scalar_text(item, dtype)
}
