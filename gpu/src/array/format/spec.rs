//! Rust's format specifications (`{:+8.2}`, `{:<10}`, `{:.3e}`), applied to each element.
//!
//! Width, precision, sign and fill apply to each element, not to the whole text.

use std::fmt::{self, Alignment};

use cuprum_kernels::DType;

use super::floats::{Style, Trim, scientific};
use super::options::{InForce, Sign};
use super::words;
use crate::scalar::Scalar;

/// The notation of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Notation {
    /// `{}`: as NumPy's `str` writes them, or with the digits of a precision.
    Plain,
    /// `{:e}` and `{:E}`: with an exponent after this letter.
    Exponent(char),
}

/// A format specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Spec {
    /// Fixed, scientific, or as `Display` chooses.
    notation: Notation,
    /// The minimum width of each element.
    width: usize,
    /// Digits after the point.
    precision: Option<usize>,
    /// True if positive numbers have a sign.
    plus: bool,
    /// If true, numbers are padded with zeros after the sign.
    zeros: bool,
    /// Alignment in the width.
    align: Alignment,
    /// Character that fills the width.
    fill: char,
}

impl Spec {
    /// The specification of `{}`.
    pub(super) const NONE: Spec = Spec {
        notation: Notation::Plain,
        width: 0,
        precision: None,
        plus: false,
        zeros: false,
        align: Alignment::Right,
        fill: ' ',
    };

    pub(super) fn of(f: &fmt::Formatter<'_>, notation: Notation) -> Spec {
        Spec {
            notation,
            width: f.width().unwrap_or(0),
            precision: f.precision(),
            plus: f.sign_plus(),
            zeros: f.sign_aware_zero_pad(),
            align: f.align().unwrap_or(Alignment::Right),
            fill: f.fill(),
        }
    }

    /// Returns whether the specification is empty, so that elements are written as NumPy's `str` writes them.
    pub(super) fn is_empty(&self) -> bool {
        let Spec { notation, width, precision, plus, .. } = *self;
        notation == Notation::Plain && width == 0 && precision.is_none() && !plus
    }

    /// Formats the elements to one width.
    pub(super) fn words(
        &self,
        items: &[Scalar],
        dtype: DType,
        zero_dimensional: bool,
        options: &InForce,
    ) -> Vec<String> {
        let has_point = dtype.is_float() || dtype.is_complex();
        let words: Vec<String> = match self.notation {
            Notation::Exponent(letter) => items.iter().map(|item| self.with_exponent(*item, dtype, letter)).collect(),
            Notation::Plain => match self.precision.filter(|_| has_point) {
                Some(digits) => items.iter().map(|item| self.with_digits(*item, digits)).collect(),
                None if zero_dimensional => items.iter().map(|item| self.whole(*item, dtype)).collect(),
                None => {
                    let sign = if self.plus { Sign::Plus } else { options.sign };
                    let words = words::words(items, dtype, false, &InForce { sign, ..options.clone() });
                    // The spaces that align decimal points conflict with zero padding and other alignments.
                    let alone = self.zeros || self.align != Alignment::Right;
                    if alone { words.iter().map(|word| word.trim().into()).collect() } else { words }
                }
            },
        };
        let widest = words.iter().map(|word| word.chars().count()).max().unwrap_or(0);
        words.into_iter().map(|word| self.padded(word, widest.max(self.width))).collect()
    }

    /// Returns the sign of a number that has none of its own.
    fn sign(&self, plus: bool) -> &'static str {
        if plus || self.plus { "+" } else { "" }
    }

    /// Formats a single element as NumPy's scalars.
    fn whole(&self, item: Scalar, dtype: DType) -> String {
        let text = words::scalar_text(item, dtype);
        let signed = text.starts_with(['-', '(']) || dtype == DType::Bool;
        if signed { text } else { format!("{}{text}", self.sign(false)) }
    }

    /// Formats an element with a number of digits after the point.
    fn with_digits(&self, item: Scalar, digits: usize) -> String {
        let one = |x: f64, plus: bool| match x {
            _ if x.is_nan() => format!("{}nan", self.sign(plus)),
            _ if plus || self.plus => format!("{x:+.digits$}"),
            _ => format!("{x:.digits$}"),
        };
        both_parts(item, one)
    }

    /// Formats an element with an exponent of at least two digits, as NumPy and Python do; without a precision, with
    /// the fewest digits that identify the number.
    fn with_exponent(&self, item: Scalar, dtype: DType, letter: char) -> String {
        // Integers keep all of their digits, which float64 may not represent.
        let dtype = if dtype.is_float() || dtype.is_complex() { dtype } else { DType::F64 };
        let one = |x: f64, plus: bool| {
            let style = Style {
                unique: self.precision.is_none(),
                precision: self.precision,
                trim: if self.precision.is_none() { Trim::ZerosAndPoint } else { Trim::Keep },
                plus: plus || self.plus,
                ..Style::default()
            };
            let text = match x {
                _ if x.is_nan() => format!("{}nan", self.sign(plus)),
                _ => scientific(x, dtype, &style),
            };
            // The point is dropped with a precision of zero.
            let text = text.replace(".e", "e");
            if letter == 'e' { text } else { text.to_uppercase() }
        };
        both_parts(item, one)
    }

    /// Pads a word to a width.
    fn padded(&self, word: String, width: usize) -> String {
        let missing = width.saturating_sub(word.chars().count());
        let ends_in_digits = |text: &str| text.contains(|c: char| c.is_ascii_digit()) && !text.ends_with(['j', ')']);
        if self.zeros && ends_in_digits(&word) {
            let digits = word.trim_start_matches(['+', '-']);
            let sign = &word[..word.len() - digits.len()];
            return format!("{sign}{}{digits}", "0".repeat(missing));
        }
        let left = match self.align {
            Alignment::Left => 0,
            Alignment::Center => missing / 2,
            Alignment::Right => missing,
        };
        let fill = |n: usize| self.fill.to_string().repeat(n);
        format!("{}{word}{}", fill(left), fill(missing - left))
    }
}

/// Formats a real number, or both components of a complex one; the imaginary part always has a sign.
fn both_parts(item: Scalar, one: impl Fn(f64, bool) -> String) -> String {
    match item {
        Scalar::Complex(z) => format!("{}{}j", one(z.re, false), one(z.im, true)),
        other => one(other.real(), false),
    }
}

#[cfg(test)]
mod tests {
    use crate::{DType, array};
    use num_complex::Complex;

    /// Results of Python's `format` for each element, joined as by NumPy's `str`.
    #[test]
    fn each_element_has_the_format() {
        let a = array([1.0, -0.25, 1234.5]).unwrap();
        assert_eq!(format!("{a:.2e}"), "[ 1.00e+00 -2.50e-01  1.23e+03]");
        assert_eq!(format!("{a:.0E}"), "[ 1E+00 -2E-01  1E+03]");
        assert_eq!(format!("{a:e}"), "[     1e+00   -2.5e-01 1.2345e+03]");
        assert_eq!(format!("{a:+.1}"), "[   +1.0    -0.2 +1234.5]");
        assert_eq!(format!("{a:<9.1}"), "[1.0       -0.2      1234.5   ]");
        assert_eq!(format!("{a:^9.1}"), "[   1.0      -0.2     1234.5  ]");
        assert_eq!(format!("{a:*>9.1}"), "[******1.0 *****-0.2 ***1234.5]");
        assert_eq!(format!("{a:09.1}"), "[0000001.0 -000000.2 0001234.5]");
        let i = array([1, -20, 300]).unwrap();
        assert_eq!(format!("{i:+}"), "[  +1  -20 +300]");
        assert_eq!(format!("{i:05}"), "[00001 -0020 00300]");
        assert_eq!(format!("{i:<5}"), "[1     -20   300  ]");
        assert_eq!(format!("{i:.1e}"), "[ 1.0e+00 -2.0e+01  3.0e+02]");
        let z = array([Complex::new(1.0, -2.0), Complex::new(0.5, f64::NAN)]).unwrap();
        assert_eq!(format!("{z:.1e}"), "[1.0e+00-2.0e+00j     5.0e-01+nanj]");
        assert_eq!(format!("{:6}", array([true, false]).unwrap()), "[  True  False]");
    }

    #[test]
    fn an_array_without_axes_is_written_as_its_element() {
        let x = array(2.0).unwrap();
        assert_eq!(format!("{x:8}|{x:<8}|{x:08}|{x:+}"), "     2.0|2.0     |000002.0|+2.0");
        assert_eq!(format!("{x:.2}|{x:8.2}|{x:.1e}"), "2.00|    2.00|2.0e+00");
        assert_eq!(format!("{:05}", array(-7i8).unwrap()), "-0007");
        assert_eq!(format!("{:6}", array(f64::INFINITY).unwrap()), "   inf");
        assert_eq!(format!("{:06}", array(f64::NAN).unwrap()), "   nan");
        assert_eq!(format!("{:.2e}", array([2.0f32]).unwrap().astype(DType::F16).unwrap()), "[2.00e+00]");
    }

    #[test]
    fn debug_takes_a_precision_too() {
        let a = array([1.0f32, 2.25]).unwrap();
        assert_eq!(format!("{a:.1?}"), "array([1.0, 2.2], dtype=float32)");
        assert_eq!(format!("{a:?}"), "array([1.  , 2.25], dtype=float32)");
    }
}
