//! Decimal representation of floats: the shortest that round-trips, or a fixed number of digits.

use cuprum_kernels::DType;

use crate::core::value::round;

/// Decimal digits of a number that is not negative: `d.ddd` times ten to the exponent, without trailing zeros.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decimal {
    digits: String,
    pub(crate) exponent: i32,
}

impl Decimal {
    /// Computes the shortest digits that identify `x` among all values of the dtype, and of these the closest to `x`.
    pub(crate) fn shortest(x: f64, dtype: DType) -> Decimal {
        let x = x.abs();
        // 17 digits distinguish all doubles.
        (0..17).find_map(|fraction| shortest_of(x, dtype, fraction)).unwrap_or_else(|| Decimal::fixed(x, 16))
    }

    /// Rounds to the nearest number with `fraction` digits after the first; a tie goes to the even one.
    pub(crate) fn fixed(x: f64, fraction: usize) -> Decimal {
        Decimal::parse(&format!("{x:.fraction$e}"))
    }

    fn parse(text: &str) -> Decimal {
        let (digits, exponent) = text.split_once('e').expect("the text was written with an exponent");
        let digits = digits.replace('.', "");
        let kept = digits.trim_end_matches('0');
        Decimal {
            digits: if kept.is_empty() { "0".into() } else { kept.into() },
            exponent: exponent.parse().expect("the text was written with an exponent"),
        }
    }

    /// Returns the digits after the first.
    pub(crate) fn fraction(&self) -> &str {
        &self.digits[1..]
    }

    /// Returns the digits before and after the decimal point, without an exponent.
    fn written_out(&self) -> (String, String) {
        let before = self.exponent + 1;
        if before <= 0 {
            let zeros = "0".repeat(before.unsigned_abs() as usize);
            let fraction = if self.digits == "0" { String::new() } else { zeros + &self.digits };
            return ("0".into(), fraction);
        }
        let before = before as usize;
        if self.digits.len() <= before {
            return (format!("{:0<before$}", self.digits), String::new());
        }
        (self.digits[..before].into(), self.digits[before..].into())
    }
}

/// Returns the closest number with `fraction` digits after the first that identifies `x`, if one does.
fn shortest_of(x: f64, dtype: DType, fraction: usize) -> Option<Decimal> {
    let names = |text: &str| match dtype.real() {
        DType::F64 => text.parse() == Ok(x),
        DType::F32 => text.parse() == Ok(x as f32),
        // With so few digits the value is never so close to the middle of two 16-bit floats that double rounding
        // matters.
        small => text.parse().is_ok_and(|y| round(y, small) == x),
    };
    let nearest = format!("{x:.fraction$e}");
    if names(&nearest) {
        return Some(Decimal::parse(&nearest));
    }
    // Below a power of two values are closer: there the nearest number may identify another value while the one on the
    // other side identifies `x`.
    let (digits, exponent) = nearest.split_once('e')?;
    let whole: u64 = digits.replace('.', "").parse().ok()?;
    let exponent = exponent.parse::<i32>().ok()? - fraction as i32;
    let texts = [whole + 1, whole.saturating_sub(1)].map(|n| format!("{n}e{exponent}"));
    let found = texts.iter().find(|t| names(t))?;
    // A double represents these digits, and round-trips.
    Some(Decimal::parse(&format!("{:e}", found.parse::<f64>().ok()?)))
}

/// Formats `x` without an exponent: the digits before and after the decimal point, at most `limit` of the latter.
pub(crate) fn positional(x: f64, dtype: DType, limit: usize) -> (String, String) {
    let (before, behind) = Decimal::shortest(x, dtype).written_out();
    if behind.len() <= limit {
        return (before, behind);
    }
    let text = format!("{:.limit$}", x.abs());
    let (before, behind) = text.split_once('.').unwrap_or((&text, ""));
    (before.into(), behind.trim_end_matches('0').into())
}

/// Formats `x` with an exponent and at most `limit` digits after the point.
pub(crate) fn scientific(x: f64, dtype: DType, limit: usize) -> Decimal {
    let shortest = Decimal::shortest(x, dtype);
    if shortest.fraction().len() <= limit { shortest } else { Decimal::fixed(x.abs(), limit) }
}

/// Formats `x` with an exponent and `fraction` digits after the point: `d.ddd`, and the exponent. Digits beyond the
/// shortest that identify `x` are those of its exact value.
pub(crate) fn scientific_fixed(x: f64, dtype: DType, fraction: usize) -> (String, i32) {
    let shortest = Decimal::shortest(x, dtype);
    let decimal = if shortest.fraction().len() == fraction { shortest } else { Decimal::fixed(x.abs(), fraction) };
    (format!("{}.{:0<fraction$}", &decimal.digits[..1], decimal.fraction()), decimal.exponent)
}

/// Formats `x` with an exponent and `fraction` digits of its exact value after the point.
pub(crate) fn exact_scientific(x: f64, fraction: usize) -> (String, i32) {
    let decimal = Decimal::fixed(x.abs(), fraction);
    (format!("{}.{:0<fraction$}", &decimal.digits[..1], decimal.fraction()), decimal.exponent)
}

/// Formats an exponent as `e+05`: the sign and at least `digits` digits.
pub(crate) fn exponent_text(exponent: i32, digits: usize) -> String {
    format!("e{}{:0digits$}", if exponent < 0 { '-' } else { '+' }, exponent.unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digits(x: f64, dtype: DType) -> (String, i32) {
        let found = Decimal::shortest(x, dtype);
        (found.digits, found.exponent)
    }

    #[test]
    fn the_fewest_digits_name_a_value_of_its_own_dtype() {
        assert_eq!(digits(0.1, DType::F64), ("1".into(), -1));
        assert_eq!(digits(0.1f32 as f64, DType::F32), ("1".into(), -1));
        assert_eq!(digits(0.1f32 as f64, DType::F64), ("10000000149011612".into(), -1));
        assert_eq!(digits(5e-324, DType::F64), ("5".into(), -324));
        assert_eq!(digits(f64::MAX, DType::F64), ("17976931348623157".into(), 308));
        // Neighbours of float16 are 32 apart up to 65504.
        assert_eq!(digits(65504.0, DType::F16), ("655".into(), 4));
        assert_eq!(digits(2f64.powi(-24), DType::F16), ("6".into(), -8));
        assert_eq!(digits(0.0, DType::F32), ("0".into(), 0));
        // The gap below 2^-44 is half that above: ...801 is nearer, but identifies the value below.
        assert_eq!(digits(2f64.powi(-44), DType::F64), ("5684341886080802".into(), -14));
    }

    #[test]
    fn digits_beyond_the_limit_are_rounded_half_to_even() {
        assert_eq!(positional(0.5f64.powi(9), DType::F64, 8), ("0".into(), "00195312".into()));
        assert_eq!(positional(3.0 * 0.5f64.powi(9), DType::F64, 8), ("0".into(), "00585938".into()));
        assert_eq!(positional(99.999999999, DType::F64, 8), ("100".into(), "".into()));
        assert_eq!(positional(123456789.0, DType::F32, 8), ("123456790".into(), "".into()));
        assert_eq!(scientific_fixed(1.5e10, DType::F64, 3), ("1.500".into(), 10));
        assert_eq!(scientific(1.0 / 3e9, DType::F64, 4), Decimal { digits: "33333".into(), exponent: -10 });
    }

    #[test]
    fn exponents_have_two_digits_at_least() {
        assert_eq!(exponent_text(5, 2), "e+05");
        assert_eq!(exponent_text(-324, 2), "e-324");
        assert_eq!(exponent_text(-5, 3), "e-005");
    }
}
