//! NumPy's functions of text: whole arrays, and single floats.

use cuprum_kernels::DType;
use half::{bf16, f16};

use super::floats::{self, Style, Trim};
use super::options::{FloatMode, Formatter, InForce, PrintOptions, Sign};
use super::spec::Spec;
use super::{Printable, words};
use crate::array::{AsArray, IntoArgument};
use crate::error::{Error, ErrorKind, Result};

/// Options of [`array2string`], with NumPy's names: those of printing, and what stands around the elements.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Array2stringOptions {
    /// Options of printing, in place of those that are in force.
    pub print: PrintOptions,
    /// What stands between elements; a blank.
    pub separator: String,
    /// What will stand in front of the text: lines are indented by as much.
    pub prefix: String,
    /// What will stand behind the text: lines are shorter by as much.
    pub suffix: String,
}

impl Default for Array2stringOptions {
    fn default() -> Self {
        Self { print: PrintOptions::new(), separator: " ".into(), prefix: String::new(), suffix: String::new() }
    }
}

/// Setters that are those of the options of printing, some by another name.
macro_rules! forwarded {
    ($($(#[$doc:meta])* $name:ident = $own:ident: $of:ty),+ $(,)?) => {
        impl Array2stringOptions {
            /// The defaults, to be changed by the methods.
            pub fn new() -> Self {
                Self::default()
            }

            $($(#[$doc])*
            pub fn $name(self, value: impl Into<$of>) -> Self {
                Self { print: self.print.$own(value.into()), ..self }
            })+

            /// What stands between elements.
            pub fn separator(self, separator: impl Into<String>) -> Self {
                Self { separator: separator.into(), ..self }
            }

            /// What will stand in front of the text.
            pub fn prefix(self, prefix: impl Into<String>) -> Self {
                Self { prefix: prefix.into(), ..self }
            }

            /// What will stand behind the text.
            pub fn suffix(self, suffix: impl Into<String>) -> Self {
                Self { suffix: suffix.into(), ..self }
            }
        }
    };
}
forwarded! {
    /// Characters of a line.
    max_line_width = linewidth: usize,
    /// Digits behind the point.
    precision = precision: usize,
    /// Whether small numbers are written out.
    suppress_small = suppress: bool,
    /// Of more elements only the edges are shown.
    threshold = threshold: usize,
    /// So many at each edge.
    edgeitems = edgeitems: usize,
    /// What stands in front of floats that are not negative.
    sign = sign: Sign,
    /// How many digits floats have.
    floatmode = floatmode: FloatMode,
    /// Functions that write elements.
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

/// The elements in brackets; NumPy's `array2string`.
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
/// The host waits for the device; of a large array only the edges are transferred.
pub fn array2string(a: impl AsArray, options: impl IntoArgument<Array2stringOptions>) -> Result<String> {
    let options = options.into();
    let now = InForce::now().with(&options.print);
    let printable = Printable::of(a.as_array(), &now).map_err(|e| e.with_op("array2string"))?;
    let width = now.linewidth as i64 - options.suffix.chars().count() as i64;
    Ok(printable.elements(&options.prefix, &options.separator, width, &Spec::NONE))
}

/// The array as Python writes it, with its dtype where it does not go without saying; NumPy's `array_repr`.
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
/// The host waits for the device; of a large array only the edges are transferred.
pub fn array_repr(arr: impl AsArray, options: impl IntoArgument<PrintOptions>) -> Result<String> {
    let now = InForce::now().with(&options.into());
    Ok(Printable::of(arr.as_array(), &now).map_err(|e| e.with_op("array_repr"))?.repr(&Spec::NONE))
}

/// The elements in brackets, or the one of an array without axes with all of its digits; NumPy's `array_str`.
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
/// The host waits for the device; of a large array only the edges are transferred.
pub fn array_str(a: impl AsArray, options: impl IntoArgument<PrintOptions>) -> Result<String> {
    let now = InForce::now().with(&options.into());
    Ok(Printable::of(a.as_array(), &now).map_err(|e| e.with_op("array_str"))?.str(&Spec::NONE))
}

/// A float of any width, whose fewest digits are those of its own type.
pub trait FormatFloat: Copy {
    /// The number, and the dtype whose digits it has.
    #[doc(hidden)]
    fn told(self) -> (f64, DType);
}

macro_rules! format_float {
    ($($of:ty = $dtype:ident),+) => {$(
        impl FormatFloat for $of {
            fn told(self) -> (f64, DType) {
                (self.into(), DType::$dtype)
            }
        }
    )+};
}
format_float!(f16 = F16, bf16 = BF16, f32 = F32, f64 = F64);

/// Options of [`format_float_positional`] and [`format_float_scientific`], with NumPy's names and defaults.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct FormatFloatOptions {
    /// The most digits that are written.
    pub precision: Option<usize>,
    /// Whether no more digits are written than name the number; else those of its exact value, as many as `precision` says.
    pub unique: bool,
    /// Whether the digits that count are those behind the point; else all.
    pub fractional: bool,
    /// What becomes of zeros at the end.
    pub trim: Option<Trim>,
    /// Whether a plus stands in front of numbers that are not negative.
    pub sign: bool,
    /// Characters in front of the point at least.
    pub pad_left: Option<usize>,
    /// Characters behind the point at least.
    pub pad_right: Option<usize>,
    /// The fewest digits that are written.
    pub min_digits: Option<usize>,
    /// Digits of the exponent at least.
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
            /// The defaults, to be changed by the methods.
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
    /// The most digits that are written.
    precision: Option<usize>,
    /// Whether no more digits are written than name the number.
    unique: bool,
    /// Whether the digits that count are those behind the point.
    fractional: bool,
    /// What becomes of zeros at the end.
    trim: Option<Trim>,
    /// Whether a plus stands in front of numbers that are not negative.
    sign: bool,
    /// Characters in front of the point at least.
    pad_left: Option<usize>,
    /// Characters behind the point at least.
    pad_right: Option<usize>,
    /// The fewest digits that are written.
    min_digits: Option<usize>,
    /// Digits of the exponent at least.
    exp_digits: Option<usize>,
}

impl From<()> for FormatFloatOptions {
    fn from((): ()) -> Self {
        Self::default()
    }
}

/// The precision; all else as by default.
impl From<usize> for FormatFloatOptions {
    fn from(precision: usize) -> Self {
        Self::new().precision(precision)
    }
}

/// More digits than any number has: beyond are zeros.
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
            // An exponent has no more digits than five.
            exp_digits: self.exp_digits.unwrap_or(2).min(5),
        })
    }
}

/// A float written out; NumPy's `format_float_positional`.
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
/// wanted and not how many.
pub fn format_float_positional(x: impl FormatFloat, options: impl IntoArgument<FormatFloatOptions>) -> Result<String> {
    let style = options.into().style().map_err(|e| e.with_op("format_float_positional"))?;
    let (x, dtype) = x.told();
    Ok(floats::positional(x, dtype, &style))
}

/// A float with an exponent; NumPy's `format_float_scientific`.
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
/// wanted and not how many.
pub fn format_float_scientific(x: impl FormatFloat, options: impl IntoArgument<FormatFloatOptions>) -> Result<String> {
    let style = options.into().style().map_err(|e| e.with_op("format_float_scientific"))?;
    let (x, dtype) = x.told();
    Ok(floats::scientific(x, dtype, &style))
}

/// A single element with all of its digits, as NumPy's scalars are written.
pub(crate) fn scalar_text(item: crate::scalar::Scalar, dtype: DType) -> String {
    words::scalar_text(item, dtype)
}
