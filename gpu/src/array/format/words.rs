//! The elements of an array as words of equal width, as NumPy's printing makes them.

use cuprum_kernels::DType;
use num_complex::Complex64;

use super::digits::{exponent_text, positional, round_to, scientific, scientific_of};
use crate::scalar::Scalar;

/// Digits behind the point at most; NumPy's default `precision`.
const PRECISION: usize = 8;

/// One word an element.
pub(super) fn words(items: &[Scalar], dtype: DType, zero_dimensional: bool) -> Vec<String> {
    if dtype.is_complex() {
        let parts: Vec<Complex64> = items.iter().map(|z| complex(*z)).collect();
        let real: Vec<f64> = parts.iter().map(|z| z.re).collect();
        let imag: Vec<f64> = parts.iter().map(|z| z.im).collect();
        let (real, imag) = (Column::of(&real, dtype, false), Column::of(&imag, dtype, true));
        return parts.iter().map(|z| format!("{}{}", real.word(z.re), with_j(&imag.word(z.im)))).collect();
    }
    if dtype.is_float() {
        let numbers: Vec<f64> = items.iter().map(|x| complex(*x).re).collect();
        let column = Column::of(&numbers, dtype, false);
        return numbers.iter().map(|x| column.word(*x)).collect();
    }
    let plain: Vec<String> = items.iter().map(plain).collect();
    // A 0-d array has no neighbours to be in line with.
    let width = if zero_dimensional { 0 } else { plain.iter().map(String::len).max().unwrap_or(0) };
    let width = if dtype == DType::Bool && !zero_dimensional { "False".len() } else { width };
    plain.into_iter().map(|word| format!("{word:>width$}")).collect()
}

/// One word an element, of so many digits behind the point and of the width of the widest, but not less than told.
pub(super) fn told(items: &[Scalar], dtype: DType, width: usize, precision: Option<usize>) -> Vec<String> {
    let Some(digits) = precision.filter(|_| dtype.is_float() || dtype.is_complex()) else {
        let words = words(items, dtype, false);
        return words.into_iter().map(|word| format!("{word:>width$}")).collect();
    };
    let float = |x: f64, plus: bool| match x {
        _ if x.is_nan() => String::from(if plus { "+nan" } else { "nan" }),
        _ if plus => format!("{x:+.digits$}"),
        _ => format!("{x:.digits$}"),
    };
    let word = |item: &Scalar| match item {
        Scalar::Complex(z) => format!("{}{}j", float(z.re, false), float(z.im, true)),
        other => float(complex(*other).re, false),
    };
    let words: Vec<String> = items.iter().map(word).collect();
    let width = words.iter().map(String::len).max().unwrap_or(0).max(width);
    words.into_iter().map(|word| format!("{word:>width$}")).collect()
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

/// The `j` goes before the blanks that fill the word.
fn with_j(word: &str) -> String {
    let end = word.trim_end().len();
    format!("{}j{}", &word[..end], &word[end..])
}

/// How the floats of one array are written, so that their points are in line.
struct Column {
    dtype: DType,
    /// Whether positive numbers have a sign.
    plus: bool,
    left: usize,
    right: usize,
    /// In scientific notation: the length of fractions and the least number of exponent digits.
    scientific: Option<(usize, usize)>,
}

impl Column {
    fn of(numbers: &[f64], dtype: DType, plus: bool) -> Column {
        let finite: Vec<f64> = numbers.iter().copied().filter(|x| x.is_finite()).collect();
        let mut column = Column { dtype, plus, left: 0, right: 0, scientific: None };
        let sign = |x: f64| usize::from(plus && !x.is_sign_negative());
        if needs_exponent(&finite, dtype) {
            let (mut fraction, mut exponent) = (0, 2);
            for &x in &finite {
                let (whole, part, power) = scientific(x, dtype, Some(PRECISION));
                column.left = column.left.max(whole.len() + sign(x));
                fraction = fraction.max(part.len());
                exponent = exponent.max(power.unsigned_abs().to_string().len());
            }
            column.scientific = Some((fraction, exponent));
            // The fraction, the letter e, the sign of the exponent, its digits.
            column.right = fraction + 2 + exponent;
        } else {
            for &x in &finite {
                let (whole, part) = positional(x, dtype, Some(PRECISION));
                column.left = column.left.max(whole.len() + sign(x));
                column.right = column.right.max(part.len());
            }
        }
        if finite.len() < numbers.len() {
            // `nan` without a sign and `inf` with its own decide how wide it must be at least.
            let signed = plus || numbers.contains(&f64::NEG_INFINITY);
            let least = "inf".len() + usize::from(signed);
            column.left = column.left.max(least.saturating_sub(column.right + 1));
        }
        column
    }

    fn word(&self, x: f64) -> String {
        let plus = if self.plus && !x.is_sign_negative() { "+" } else { "" };
        if !x.is_finite() {
            let text = match x {
                _ if x.is_nan() => format!("{}nan", if self.plus { "+" } else { "" }),
                _ if x < 0.0 => "-inf".into(),
                _ => format!("{plus}inf"),
            };
            let width = self.left + self.right + 1;
            return format!("{text:>width$}");
        }
        let (left, right) = (self.left, self.right);
        match self.scientific {
            Some((fraction_length, exponent_length)) => {
                let (whole, fraction, power) = scientific_of(x, self.dtype, fraction_length);
                let whole = format!("{plus}{whole}");
                format!("{whole:>left$}.{fraction}{}", exponent_text(power, exponent_length))
            }
            None => {
                let (whole, fraction) = positional(x, self.dtype, Some(PRECISION));
                let whole = format!("{plus}{whole}");
                format!("{whole:>left$}.{fraction:<right$}")
            }
        }
    }
}

/// Whether any number is too large or too small, or the numbers are too far apart, to be written out.
fn needs_exponent(finite: &[f64], dtype: DType) -> bool {
    let magnitudes = || finite.iter().map(|x| x.abs()).filter(|&m| m != 0.0);
    let Some(smallest) = magnitudes().reduce(f64::min) else { return false };
    let largest = magnitudes().fold(0.0, f64::max);
    let part = dtype.real();
    // The comparisons are made in the dtype.
    largest >= written_out(part, 1e8) || smallest < round_to(1e-4, part) || round_to(largest / smallest, part) > 1000.0
}

/// Below which magnitude a number is written out: a dtype shows no more of a whole number than the digits it keeps.
fn written_out(part: DType, most: f64) -> f64 {
    match part {
        DType::F16 => 1e3,
        DType::BF16 => 1e2,
        DType::F32 => 1e6,
        _ => most,
    }
}

/// A single element as NumPy's scalars are written: with all of its digits.
pub(super) fn scalar_text(item: Scalar, dtype: DType) -> String {
    match item {
        Scalar::Float(x) => match float_text(x, dtype) {
            // A whole number shows that it is a float.
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
    if x.is_nan() {
        "nan".into()
    } else if x.is_infinite() {
        if x < 0.0 { "-inf".into() } else { "inf".into() }
    } else if magnitude == 0.0 || (1e-4..written_out(dtype.real(), 1e16)).contains(&magnitude) {
        let (whole, fraction) = positional(x, dtype, None);
        if fraction.is_empty() { whole } else { format!("{whole}.{fraction}") }
    } else {
        let (whole, fraction, power) = scientific(x, dtype, None);
        let point = if fraction.is_empty() { "" } else { "." };
        format!("{whole}{point}{fraction}{}", exponent_text(power, 2))
    }
}
