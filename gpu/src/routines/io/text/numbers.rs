//! Parsing of numbers as written by Python and NumPy.
//!
//! Underscores, signs, `inf` and `nan` are accepted as Python accepts them.

use cuprum_kernels::{DType, Kind};
use num_complex::Complex64;

use crate::scalar::Scalar;

/// Parses a number of the kind of a dtype, ignoring surrounding whitespace; `None` for anything else, and for an
/// integer out of range of the dtype.
pub(super) fn number(text: &str, dtype: DType) -> Option<Scalar> {
    let text = text.trim();
    match dtype.kind() {
        Kind::Bool => integer(text).map(|n| Scalar::Bool(n != 0)),
        Kind::Signed | Kind::Unsigned => {
            let scalar = Scalar::Int(integer(text)?);
            scalar.check_fits(dtype).ok().map(|()| scalar)
        }
        Kind::Float => real(text).map(Scalar::Float),
        Kind::Complex => complex(text).map(Scalar::Complex),
    }
}

/// Parses an integer of 64 bits, with or without a sign.
pub(super) fn integer(text: &str) -> Option<i128> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    text.parse().ok().filter(|n| (i64::MIN.into()..=u64::MAX.into()).contains(n))
}

/// Parses a real number: Rust's grammar of floats is Python's.
pub(super) fn real(text: &str) -> Option<f64> {
    text.parse().ok()
}

/// Parses a complex number: `1+2j`, `2j`, `1`, with or without parentheses.
pub(super) fn complex(text: &str) -> Option<Complex64> {
    let inner = match text.strip_prefix('(') {
        Some(rest) => rest.strip_suffix(')')?.trim(),
        None => text,
    };
    match leading_complex(inner)? {
        (z, "") => Some(z),
        _ => None,
    }
}

/// Parses a leading complex number, and returns it with the remaining text.
pub(in super::super) fn leading_complex(text: &str) -> Option<(Complex64, &str)> {
    let (first, rest) = leading_real(text)?;
    if let Some(rest) = rest.strip_prefix('j') {
        return Some((Complex64::new(0.0, first), rest));
    }
    if rest.starts_with(['+', '-'])
        && let Some((second, behind)) = leading_real(rest)
        && let Some(behind) = behind.strip_prefix('j')
    {
        return Some((Complex64::new(first, second), behind));
    }
    Some((first.into(), rest))
}

/// Parses a leading real number, and returns it with the remaining text.
pub(in super::super) fn leading_real(text: &str) -> Option<(f64, &str)> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let sign = text.len() - unsigned.len();
    let word = |name: &str| unsigned.get(..name.len()).is_some_and(|w| w.eq_ignore_ascii_case(name));
    let length = match ["infinity", "inf", "nan"].into_iter().find(|name| word(name)) {
        Some(name) => name.len(),
        None => {
            let digits = |from: usize| unsigned[from..].bytes().take_while(u8::is_ascii_digit).count();
            let mut end = digits(0);
            if unsigned[end..].starts_with('.') {
                end += 1;
                end += digits(end);
            }
            if unsigned[end..].starts_with(['e', 'E']) {
                let mut power = end + 1;
                power += usize::from(unsigned[power..].starts_with(['+', '-']));
                if digits(power) > 0 {
                    end = power + digits(power);
                }
            }
            end
        }
    };
    let (number, rest) = text.split_at(sign + length);
    Some((number.parse().ok()?, rest))
}

/// Parses a leading integer, and returns it with the remaining text.
pub(in super::super) fn leading_integer(text: &str) -> Option<(i128, &str)> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let digits = unsigned.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = text.split_at(text.len() - unsigned.len() + digits);
    Some((integer(number)?, rest))
}

/// Removes underscores between digits, which Python allows in numbers.
pub(super) fn without_underscores(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    for (at, _) in text.match_indices('_') {
        let digit = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_digit);
        if !digit(at.checked_sub(1)) || !digit(Some(at + 1)) {
            return None;
        }
    }
    Some(text.replace('_', ""))
}
