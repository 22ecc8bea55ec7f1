//! A float as a text, written out or with an exponent.

use std::str::FromStr;

use cuprum_kernels::DType;

use super::digits::{Decimal, Wanted};
use crate::error::{Error, ErrorKind, Result};

/// What becomes of zeros at the end of a number, and of its point; NumPy's `trim`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Trim {
    /// `k`: they stay.
    #[default]
    Keep,
    /// `.`: zeros go, the point stays.
    Zeros,
    /// `0`: zeros go, but for one behind the point.
    AllButOne,
    /// `-`: zeros go, and a point without digits behind it.
    ZerosAndPoint,
}

impl FromStr for Trim {
    type Err = Error;

    /// The trim of one of NumPy's characters.
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

/// How a float is written; NumPy's parameters of the two functions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style {
    pub(super) unique: bool,
    pub(super) fractional: bool,
    pub(super) precision: Option<usize>,
    pub(super) min_digits: Option<usize>,
    pub(super) trim: Trim,
    pub(super) plus: bool,
    pub(super) pad_left: usize,
    pub(super) pad_right: Option<usize>,
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

    /// Zeros at the end of a fraction, as many as the precision asks for or as the trim leaves.
    fn trimmed(&self, mut fraction: String, told: usize) -> String {
        match self.trim {
            Trim::Keep => {
                let missing = told.saturating_sub(fraction.len());
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

    /// The point, which stays where there is nothing behind it, but for one trim.
    fn point(&self, fraction: &str) -> &'static str {
        if fraction.is_empty() && self.trim == Trim::ZerosAndPoint { "" } else { "." }
    }
}

/// What is no number, or none that ends.
fn unending(x: f64, style: &Style) -> Option<String> {
    match () {
        () if x.is_nan() => Some("nan".into()),
        () if x.is_infinite() => Some(format!("{}inf", style.sign(x))),
        () => None,
    }
}

/// A number written out: `12.5`.
pub(super) fn positional(x: f64, dtype: DType, style: &Style) -> String {
    if let Some(text) = unending(x, style) {
        return text;
    }
    let Style { unique, fractional, precision, min_digits, .. } = *style;
    let wanted = Wanted { unique, fractional, most: precision, least: min_digits };
    let Decimal { digits, exponent } = Decimal::of(x.abs(), dtype, wanted);
    let (whole, fraction) = match usize::try_from(exponent + 1) {
        Ok(n @ 1..) => {
            let padded = format!("{digits:0<n$}");
            let (whole, fraction) = padded.split_at(n);
            (whole.to_string(), fraction.to_string())
        }
        _ => ("0".into(), format!("{}{digits}", "0".repeat((-exponent - 1) as usize))),
    };
    let told = if unique { min_digits } else { precision }.unwrap_or(0);
    let told = if fractional { told } else { told.saturating_sub(whole.len()) };
    let fraction = style.trimmed(fraction, told);
    let (sign, point) = (style.sign(x), style.point(&fraction));
    let left = style.pad_left.saturating_sub(sign.len() + whole.len());
    let right = match style.pad_right {
        Some(right) if right >= fraction.len() => right - fraction.len() + usize::from(point.is_empty()),
        _ => 0,
    };
    format!("{:left$}{sign}{whole}{point}{fraction}{:right$}", "", "")
}

/// A number with an exponent: `1.25e+01`.
pub(super) fn scientific(x: f64, dtype: DType, style: &Style) -> String {
    if let Some(text) = unending(x, style) {
        return text;
    }
    let Style { unique, precision, min_digits, exp_digits, .. } = *style;
    let wanted = Wanted { unique, fractional: false, most: precision.map(|p| p + 1), least: min_digits.map(|n| n + 1) };
    let Decimal { digits, exponent } = Decimal::of(x.abs(), dtype, wanted);
    let (whole, digits) = digits.split_at(1);
    let told = if unique { min_digits } else { precision }.unwrap_or(0);
    let fraction = style.trimmed(digits.into(), told);
    // Where zeros were written and trimmed, NumPy's point stays.
    let (sign, point) = (style.sign(x), if digits.is_empty() { style.point(&fraction) } else { "." });
    let left = style.pad_left.saturating_sub(sign.len() + 1);
    let (minus, power) = (if exponent < 0 { '-' } else { '+' }, exponent.unsigned_abs());
    // An exponent of 0 has as many digits as are requested, be it none.
    let power = if power == 0 { String::new() } else { power.to_string() };
    format!("{:left$}{sign}{whole}{point}{fraction}e{minus}{power:0>exp_digits$}", "")
}
