//! Formatting of floats in positional and scientific notation.
//!
//! By default it is the shortest text that reads back as the same number in the dtype, as NumPy's Dragon4 prints.

use std::str::FromStr;

use cuprum_kernels::DType;

use super::digits::{Decimal, DigitOptions};
use crate::error::{Error, ErrorKind, Result};

/// Trimming of trailing zeros and the decimal point; NumPy's `trim`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Trim {
    /// `k`: keeps trailing zeros.
    #[default]
    Keep,
    /// `.`: trims trailing zeros, keeps the point.
    Zeros,
    /// `0`: trims trailing zeros but one after the point.
    AllButOne,
    /// `-`: trims trailing zeros, and a point without digits after it.
    ZerosAndPoint,
}

impl FromStr for Trim {
    type Err = Error;

    /// Parses one of NumPy's characters.
    fn from_str(name: &str) -> Result<Trim> {
        Ok(match name {
            "k" => Trim::Keep,
            "." => Trim::Zeros,
            "0" => Trim::AllButOne,
            "-" => Trim::ZerosAndPoint,
            _ => {
                let what = format!("{name:?} is no way of trimming; they are k, ., 0 and -");
                return Err(Error::new(ErrorKind::Value, what));
            }
        })
    }
}

/// Style of a formatted float; the parameters of NumPy's two functions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style {
    /// True for the shortest digits that read back as the same number.
    pub(super) unique: bool,
    /// True if the precision counts digits after the point, not all digits.
    pub(super) fractional: bool,
    /// The most digits; `None` for as many as there are.
    pub(super) precision: Option<usize>,
    /// The least digits.
    pub(super) min_digits: Option<usize>,
    /// Treatment of trailing zeros.
    pub(super) trim: Trim,
    /// True if positive numbers have a sign.
    pub(super) plus: bool,
    /// Width of the part before the point.
    pub(super) pad_left: usize,
    /// Width of the part after the point.
    pub(super) pad_right: Option<usize>,
    /// The least digits of the exponent.
    pub(super) exp_digits: usize,
}

impl Default for Style {
    fn default() -> Style {
        Style {
            unique: true,
            fractional: true,
            precision: None,
            min_digits: None,
            trim: Trim::Keep,
            plus: false,
            pad_left: 0,
            pad_right: None,
            exp_digits: 2,
        }
    }
}

impl Style {
    fn sign(&self, x: f64) -> &'static str {
        match () {
            () if x.is_sign_negative() => "-",
            () if self.plus => "+",
            () => "",
        }
    }

    /// Pads or trims the trailing zeros of a fraction, to the precision or as the trim mode says.
    fn trimmed(&self, mut fraction: String, digits_wanted: usize) -> String {
        match self.trim {
            Trim::Keep => {
                let missing = digits_wanted.saturating_sub(fraction.len());
                fraction.extend(std::iter::repeat_n('0', missing));
            }
            trim => {
                fraction.truncate(fraction.trim_end_matches('0').len());
                if trim == Trim::AllButOne && fraction.is_empty() {
                    fraction.push('0');
                }
            }
        }
        fraction
    }

    /// Returns the decimal point, which remains without digits after it except in one trim mode.
    fn point(&self, fraction: &str) -> &'static str {
        if fraction.is_empty() && self.trim == Trim::ZerosAndPoint { "" } else { "." }
    }
}

/// Formats NaN and infinity.
fn unending(x: f64, style: &Style) -> Option<String> {
    match () {
        () if x.is_nan() => Some("nan".into()),
        () if x.is_infinite() => Some(format!("{}inf", style.sign(x))),
        () => None,
    }
}

/// Formats a number in positional notation: `12.5`.
pub(super) fn positional(x: f64, dtype: DType, style: &Style) -> String {
    if let Some(text) = unending(x, style) {
        return text;
    }
    let Style { unique, fractional, precision, min_digits, .. } = *style;
    let wanted = DigitOptions { unique, fractional, most: precision, least: min_digits };
    let Decimal { digits, exponent } = Decimal::of(x.abs(), dtype, wanted);
    let (whole, fraction) = match usize::try_from(exponent + 1) {
        Ok(n @ 1..) => {
            let padded = format!("{digits:0<n$}");
            let (whole, fraction) = padded.split_at(n);
            (whole.to_string(), fraction.to_string())
        }
        _ => ("0".into(), format!("{}{digits}", "0".repeat((-exponent - 1) as usize))),
    };
    let digits_wanted = if unique { min_digits } else { precision }.unwrap_or(0);
    let digits_wanted = if fractional { digits_wanted } else { digits_wanted.saturating_sub(whole.len()) };
    let fraction = style.trimmed(fraction, digits_wanted);
    let (sign, point) = (style.sign(x), style.point(&fraction));
    let left = style.pad_left.saturating_sub(sign.len() + whole.len());
    let right = match style.pad_right {
        Some(right) if right >= fraction.len() => right - fraction.len() + usize::from(point.is_empty()),
        _ => 0,
    };
    format!("{:left$}{sign}{whole}{point}{fraction}{:right$}", "", "")
}

/// Formats a number in scientific notation: `1.25e+01`.
pub(super) fn scientific(x: f64, dtype: DType, style: &Style) -> String {
    if let Some(text) = unending(x, style) {
        return text;
    }
    let Style { unique, precision, min_digits, exp_digits, .. } = *style;
    let wanted =
        DigitOptions { unique, fractional: false, most: precision.map(|p| p + 1), least: min_digits.map(|n| n + 1) };
    let Decimal { digits, exponent } = Decimal::of(x.abs(), dtype, wanted);
    let (whole, digits) = digits.split_at(1);
    let digits_wanted = if unique { min_digits } else { precision }.unwrap_or(0);
    let fraction = style.trimmed(digits.into(), digits_wanted);
    // If zeros were written and trimmed, NumPy keeps the point.
    let (sign, point) = (style.sign(x), if digits.is_empty() { style.point(&fraction) } else { "." });
    let left = style.pad_left.saturating_sub(sign.len() + 1);
    let (minus, power) = (if exponent < 0 { '-' } else { '+' }, exponent.unsigned_abs());
    // An exponent of 0 has exactly the requested number of digits, even none.
    let power = if power == 0 { String::new() } else { power.to_string() };
    format!("{:left$}{sign}{whole}{point}{fraction}e{minus}{power:0>exp_digits$}", "")
}
