//! Formatting of elements to equal width, as in NumPy's printing.
//!
//! The width of a column is that of its longest element, so that columns align.

use cuprum_kernels::DType;
use num_complex::Complex64;

use super::digits::round_to;
use super::floats::{Style, Trim, positional, scientific};
use super::options::{FloatMode, InForce, Sign};
use crate::scalar::Scalar;

/// Formats each element as one word.
pub(super) fn words(items: &[Scalar], dtype: DType, zero_dimensional: bool, options: &InForce) -> Vec<String> {
    if let Some(formatter) = &options.formatter
        && let Some(words) = items.iter().map(|item| formatter.write(*item)).collect()
    {
        return words;
    }
    if dtype.is_complex() {
        let parts: Vec<Complex64> = items.iter().map(|z| complex(*z)).collect();
        let real: Vec<f64> = parts.iter().map(|z| z.re).collect();
        let imag: Vec<f64> = parts.iter().map(|z| z.im).collect();
        let real = Column::of(&real, dtype, options.sign, options);
        let imag = Column::of(&imag, dtype, Sign::Plus, options);
        return parts.iter().map(|z| format!("{}{}", real.word(z.re), with_j(&imag.word(z.im)))).collect();
    }
    if dtype.is_float() {
        let numbers: Vec<f64> = items.iter().map(|x| complex(*x).re).collect();
        let column = Column::of(&numbers, dtype, options.sign, options);
        return numbers.iter().map(|x| column.word(*x)).collect();
    }
    let plus = plus_of_integers(items, options.sign);
    let word = |item: &Scalar| match item {
        Scalar::Int(i) if *i >= 0 => format!("{plus}{i}"),
        other => plain(other),
    };
    let plain: Vec<String> = items.iter().map(word).collect();
    // A 0-d array has no neighbours to align with.
    let width = if zero_dimensional { 0 } else { plain.iter().map(String::len).max().unwrap_or(0) };
    let width = if dtype == DType::Bool && !zero_dimensional { "False".len() } else { width };
    plain.into_iter().map(|word| format!("{word:>width$}")).collect()
}

/// Returns the sign of nonnegative integers: a space only if none is negative.
fn plus_of_integers(items: &[Scalar], sign: Sign) -> &'static str {
    match sign {
        Sign::Plus => "+",
        Sign::Blank if items.iter().all(|item| !matches!(item, Scalar::Int(..0))) => " ",
        _ => "",
    }
}

fn plain(item: &Scalar) -> String {
    match item {
        Scalar::Bool(true) => "True".into(),
        Scalar::Bool(false) => "False".into(),
        Scalar::Int(i) => i.to_string(),
        Scalar::Float(x) => x.to_string(),
        Scalar::Complex(z) => z.to_string(),
    }
}

fn complex(item: Scalar) -> Complex64 {
    match item {
        Scalar::Complex(z) => z,
        Scalar::Float(x) => x.into(),
        Scalar::Int(i) => (i as f64).into(),
        Scalar::Bool(b) => f64::from(b).into(),
    }
}

/// Inserts the `j` before the trailing spaces.
fn with_j(word: &str) -> String {
    let end = word.trim_end().len();
    format!("{}j{}", &word[..end], &word[end..])
}

/// Format of the floats of one array, with aligned decimal points.
struct Column<'o> {
    dtype: DType,
    style: Style,
    with_exponent: bool,
    options: &'o InForce,
    /// The number of characters of a word.
    width: usize,
}

impl Column<'_> {
    fn of<'o>(numbers: &[f64], dtype: DType, sign: Sign, options: &'o InForce) -> Column<'o> {
        let finite: Vec<f64> = numbers.iter().copied().filter(|x| x.is_finite()).collect();
        let (is_fixed, is_unique) = (options.floatmode == FloatMode::Fixed, options.floatmode == FloatMode::Unique);
        let with_exponent = needs_exponent(&finite, dtype, options.suppress);
        // All numbers are formatted once to determine their lengths.
        let first = Style {
            precision: (!is_unique).then_some(options.precision),
            unique: !is_fixed,
            trim: if is_fixed { Trim::Keep } else { Trim::Zeros },
            plus: sign == Sign::Plus,
            ..Style::default()
        };
        let (mut left, mut right, mut exponent) = (0, 0, 0);
        for &x in &finite {
            let text = if with_exponent { scientific(x, dtype, &first) } else { positional(x, dtype, &first) };
            let (digits, power) = text.split_once('e').unwrap_or((&text, "+"));
            let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
            left = left.max(whole.len());
            right = right.max(fraction.len());
            exponent = exponent.max(power.len() - 1);
        }
        let mut style = first;
        if with_exponent {
            style = Style {
                trim: Trim::Keep,
                precision: Some(right),
                min_digits: Some(right),
                exp_digits: exponent,
                ..style
            };
            // The letter e and the sign of the exponent.
            right += exponent + 2;
        } else if is_fixed || options.floatmode == FloatMode::MaxPrecEqual {
            style = Style { trim: Trim::Keep, precision: Some(right), min_digits: Some(right), ..style };
        } else {
            style = Style { trim: Trim::Zeros, min_digits: Some(0), ..style };
        }
        if sign == Sign::Blank && !finite.iter().any(|x| x.is_sign_negative()) {
            left += 1;
        }
        if finite.len() < numbers.len() {
            let signed = sign != Sign::Minus || numbers.contains(&f64::NEG_INFINITY);
            let least = options.nanstr.chars().count().max(options.infstr.chars().count() + usize::from(signed));
            left = left.max(least.saturating_sub(right + 1));
        }
        (style.pad_left, style.pad_right) = (left, Some(right));
        Column { dtype, style, with_exponent, options, width: left + right + 1 }
    }

    fn word(&self, x: f64) -> String {
        let plus = if self.style.plus { "+" } else { "" };
        let (sign, text) = match () {
            () if x.is_nan() => (plus, &self.options.nanstr),
            () if x.is_infinite() => (if x < 0.0 { "-" } else { plus }, &self.options.infstr),
            () if self.with_exponent => return scientific(x, self.dtype, &self.style),
            () => return positional(x, self.dtype, &self.style),
        };
        let text = format!("{sign}{text}");
        format!("{text:>width$}", width = self.width)
    }
}

/// Returns whether scientific notation is needed: a number is too large or too small, or the ratio of the extremes is
/// too large.
fn needs_exponent(finite: &[f64], dtype: DType, suppress: bool) -> bool {
    let magnitudes = || finite.iter().map(|x| x.abs()).filter(|&m| m != 0.0);
    let Some(smallest) = magnitudes().reduce(f64::min) else { return false };
    let largest = magnitudes().fold(0.0, f64::max);
    let part = dtype.real();
    // The comparisons are made in the dtype.
    let small = || smallest < round_to(1e-4, part) || round_to(largest / smallest, part) > 1000.0;
    largest >= written_out(part, 1e8) || (!suppress && small())
}

/// Returns the magnitude below which positional notation is used: that of the integers that the precision of the dtype
/// covers.
fn written_out(part: DType, most: f64) -> f64 {
    match part {
        DType::F16 => 1e3,
        DType::BF16 => 1e2,
        DType::F32 => 1e6,
        _ => most,
    }
}

/// Formats a single element with all of its digits, as NumPy's scalars.
pub(super) fn scalar_text(item: Scalar, dtype: DType) -> String {
    match item {
        Scalar::Float(x) => match float_text(x, dtype) {
            // An integral float is marked by its point.
            text if x.is_finite() && !text.contains(['.', 'e']) => format!("{text}.0"),
            text => text,
        },
        Scalar::Complex(z) => {
            let imag = float_text(z.im, dtype);
            if z.re == 0.0 && z.re.is_sign_positive() {
                return format!("{imag}j");
            }
            let plus = if imag.starts_with('-') { "" } else { "+" };
            format!("({}{plus}{imag}j)", float_text(z.re, dtype))
        }
        other => plain(&other),
    }
}

fn float_text(x: f64, dtype: DType) -> String {
    let magnitude = x.abs();
    let style = Style { trim: Trim::ZerosAndPoint, ..Style::default() };
    let is_written_out = magnitude == 0.0 || (1e-4..written_out(dtype.real(), 1e16)).contains(&magnitude);
    if is_written_out || !x.is_finite() { positional(x, dtype, &style) } else { scientific(x, dtype, &style) }
}
