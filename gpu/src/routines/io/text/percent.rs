//! Python's `%` formatting of numbers.
//!
//! Flags, width and precision have the meaning that they have in C.

use std::iter::Peekable;
use std::str::CharIndices;

use cuprum_kernels::DType;

use crate::array::scalar_text;
use crate::error::{Error, ErrorKind, Result};
use crate::scalar::Scalar;

/// A parsed format string.
#[derive(Clone, Debug)]
pub(in super::super) struct Format {
    pieces: Vec<Piece>,
}

#[derive(Clone, Debug)]
enum Piece {
    Text(String),
    Conversion(Conversion),
}

/// A conversion specifier such as `%-+ 0#10.3e`.
#[derive(Clone, Debug, Default)]
struct Conversion {
    /// Flag `-`: aligned to the left.
    left: bool,
    /// The sign of nonnegative numbers.
    plus: &'static str,
    /// Flag `0`: padded by zeros.
    zeros: bool,
    /// Flag `#`: the alternative form.
    alternative: bool,
    /// Least number of characters.
    width: usize,
    /// Digits after the point, or significant ones.
    precision: Option<usize>,
    /// The conversion, such as `d` or `f`.
    conversion: char,
}

/// The maximum width of a number, which bounds the memory that a format can request.
const WIDEST: usize = 10_000;

/// Parses a leading number, 0 if there is none.
fn count(chars: &mut Peekable<CharIndices<'_>>) -> std::result::Result<usize, String> {
    let mut n = 0_usize;
    while let Some((_, digit)) = chars.next_if(|(_, c)| c.is_ascii_digit()) {
        n = n.saturating_mul(10).saturating_add(digit as usize - '0' as usize);
    }
    if n > WIDEST { Err(format!("is wider than {WIDEST} characters")) } else { Ok(n) }
}

impl Format {
    pub(in super::super) fn parse(text: &str) -> Result<Format> {
        let wrong = |why: String| Error::new(ErrorKind::Value, format!("the format {text:?} {why}"));
        let (mut pieces, mut rest) = (vec![], text);
        while let Some(at) = rest.find('%') {
            pieces.push(Piece::Text(rest[..at].into()));
            let mut spec = Conversion::default();
            let mut chars = rest[at + 1..].char_indices().peekable();
            while let Some((_, flag)) = chars.next_if(|(_, c)| "-+ 0#".contains(*c)) {
                match flag {
                    '-' => spec.left = true,
                    '+' => spec.plus = "+",
                    ' ' if spec.plus.is_empty() => spec.plus = " ",
                    '0' => spec.zeros = true,
                    '#' => spec.alternative = true,
                    _ => {}
                }
            }
            spec.width = count(&mut chars).map_err(wrong)?;
            if chars.next_if(|(_, c)| *c == '.').is_some() {
                spec.precision = Some(count(&mut chars).map_err(wrong)?);
            }
            // C's length modifiers, which Python ignores.
            chars.next_if(|(_, c)| "hlL".contains(*c));
            let Some((end, conversion)) = chars.next() else { return Err(wrong("ends within a conversion".into())) };
            spec.conversion = conversion;
            match conversion {
                '%' => pieces.push(Piece::Text("%".into())),
                'd' | 'i' | 'u' | 'e' | 'E' | 'f' | 'F' | 'g' | 'G' | 's' | 'x' | 'X' | 'o' => {
                    pieces.push(Piece::Conversion(spec));
                }
                other => {
                    return Err(wrong(format!("has the conversion '{other}'; there are d, i, u, e, f, g, s, x and o")));
                }
            }
            rest = &rest[at + 1 + end + conversion.len_utf8()..];
        }
        pieces.push(Piece::Text(rest.into()));
        Ok(Format { pieces })
    }

    /// Returns the number of conversion specifiers.
    pub(in super::super) fn conversions(&self) -> usize {
        self.pieces.iter().filter(|piece| matches!(piece, Piece::Conversion(_))).count()
    }

    /// Concatenates formats, with a text between them.
    pub(in super::super) fn joined(formats: impl IntoIterator<Item = Format>, between: &str) -> Format {
        let mut pieces = vec![];
        for (i, format) in formats.into_iter().enumerate() {
            if i > 0 {
                pieces.push(Piece::Text(between.into()));
            }
            pieces.extend(format.pieces);
        }
        Format { pieces }
    }

    /// Formats numbers of a dtype, one for each conversion specifier.
    pub(in super::super) fn write(&self, numbers: &[Scalar], dtype: DType, out: &mut String) -> Result<()> {
        let mut numbers = numbers.iter();
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Conversion(spec) => {
                    if let Some(number) = numbers.next() {
                        spec.write(*number, dtype, out)?;
                    }
                }
            }
        }
        Ok(())
    }
}

impl Conversion {
    fn write(&self, number: Scalar, dtype: DType, out: &mut String) -> Result<()> {
        let (negative, digits) = match self.conversion {
            's' => {
                let text = scalar_text(number, dtype);
                let text = text.chars().take(self.precision.unwrap_or(usize::MAX)).collect();
                self.pad(false, "", text, false, out);
                return Ok(());
            }
            'd' | 'i' | 'u' => self.integer(whole(number, self.conversion)?, 10, ""),
            // These conversions do not accept Python's booleans.
            'x' | 'X' | 'o' if dtype == DType::Bool => return Err(no_number(number, self.conversion, "integers")),
            'x' => self.integer(exact(number, self.conversion)?, 16, "0x"),
            'X' => self.integer(exact(number, self.conversion)?, 16, "0X"),
            'o' => self.integer(exact(number, self.conversion)?, 8, "0o"),
            _ => self.float(float(number, self.conversion)?),
        };
        self.pad(negative, self.plus, digits, self.zeros, out);
        Ok(())
    }

    fn pad(&self, negative: bool, plus: &str, digits: String, zeros: bool, out: &mut String) {
        let sign = if negative { "-" } else { plus };
        let blanks = self.width.saturating_sub(sign.len() + digits.chars().count());
        let (front, zeros, behind) = match (self.left, zeros) {
            (true, _) => (0, 0, blanks),
            (_, true) => (0, blanks, 0),
            _ => (blanks, 0, 0),
        };
        out.extend(std::iter::repeat_n(' ', front));
        out.push_str(sign);
        // Zero padding follows the prefix of a base.
        let mark = if ["0x", "0X", "0o"].iter().any(|m| digits.starts_with(m)) { 2 } else { 0 };
        out.push_str(&digits[..mark]);
        out.extend(std::iter::repeat_n('0', zeros));
        out.push_str(&digits[mark..]);
        out.extend(std::iter::repeat_n(' ', behind));
    }

    fn integer(&self, n: i128, base: u32, mark: &str) -> (bool, String) {
        let magnitude = n.unsigned_abs();
        let digits = match (base, mark) {
            (16, "0X") => format!("{magnitude:X}"),
            (16, _) => format!("{magnitude:x}"),
            (8, _) => format!("{magnitude:o}"),
            _ => magnitude.to_string(),
        };
        let least = self.precision.unwrap_or(0);
        let mark = if self.alternative { mark } else { "" };
        (n < 0, format!("{mark}{digits:0>least$}"))
    }

    fn float(&self, x: f64) -> (bool, String) {
        let upper = self.conversion.is_ascii_uppercase();
        let magnitude = x.abs();
        let precision = self.precision.unwrap_or(6);
        let text = match self.conversion.to_ascii_lowercase() {
            _ if x.is_nan() => return (false, if upper { "NAN" } else { "nan" }.into()),
            _ if x.is_infinite() => return (x < 0.0, if upper { "INF" } else { "inf" }.into()),
            'e' => scientific(magnitude, precision, self.alternative),
            'f' => fixed(magnitude, precision, self.alternative),
            _ => self.general(magnitude, precision.max(1)),
        };
        (x.is_sign_negative(), if upper { text.to_ascii_uppercase() } else { text })
    }

    /// Formats with a number of significant digits, in scientific notation if the number is very small or large.
    fn general(&self, x: f64, digits: usize) -> String {
        let rounded = format!("{x:.*e}", digits - 1);
        let power: i64 = rounded.split_once('e').and_then(|(_, power)| power.parse().ok()).unwrap_or(0);
        let text = match power {
            -4.. if power < digits as i64 => fixed(x, (digits as i64 - 1 - power) as usize, self.alternative),
            _ => scientific(x, digits - 1, self.alternative),
        };
        if self.alternative {
            return text;
        }
        let (digits, power) = text.split_once('e').map_or((&*text, None), |(digits, power)| (digits, Some(power)));
        let digits = if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits };
        power.map_or(digits.into(), |power| format!("{digits}e{power}"))
    }
}

fn fixed(x: f64, precision: usize, alternative: bool) -> String {
    let point = if alternative && precision == 0 { "." } else { "" };
    format!("{x:.precision$}{point}")
}

fn scientific(x: f64, precision: usize, alternative: bool) -> String {
    let text = format!("{x:.precision$e}");
    let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, power) = power.strip_prefix('-').map_or(('+', power), |power| ('-', power));
    let point = if alternative && precision == 0 { "." } else { "" };
    format!("{digits}{point}e{sign}{power:0>2}")
}

fn no_number(number: Scalar, conversion: char, what: &str) -> Error {
    Error::new(ErrorKind::Type, format!("%{conversion} writes {what}, which {number} is not: write it with %s"))
}

/// Truncates a number to an integer.
fn whole(number: Scalar, conversion: char) -> Result<i128> {
    match number {
        Scalar::Float(x) if x.abs() < 1e38 => Ok(x.trunc() as i128),
        Scalar::Float(x) if x.is_finite() => Err(no_number(number, conversion, "integers of up to 38 digits")),
        Scalar::Float(_) => Err(Error::new(
            ErrorKind::Value,
            format!("%{conversion} writes integers, which {number} has none of: write it with %g"),
        )),
        other => exact(other, conversion),
    }
}

fn exact(number: Scalar, conversion: char) -> Result<i128> {
    match number {
        Scalar::Bool(b) => Ok(b.into()),
        Scalar::Int(n) => Ok(n),
        other => Err(no_number(other, conversion, "integers")),
    }
}

fn float(number: Scalar, conversion: char) -> Result<f64> {
    match number {
        Scalar::Complex(_) => Err(no_number(number, conversion, "real numbers")),
        other => Ok(other.real()),
    }
}
