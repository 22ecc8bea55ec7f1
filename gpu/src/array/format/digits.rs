//! Decimal digits of floats: the fewest that name the number among those of its dtype.

use cuprum_kernels::DType;

use crate::scalar::Scalar;

/// Decimal digits of a finite number without its sign: `d.ddd × 10^exponent`, no zeros behind.
struct Decimal {
    digits: String,
    exponent: i32,
}

/// The two sides of the point of a number written out, the sign in front: `("-12", "5")`.
///
/// The fewest digits that name it, cut and rounded where the fraction would be longer than `precision`.
pub(super) fn positional(x: f64, dtype: DType, precision: Option<usize>) -> (String, String) {
    let Decimal { digits, exponent } = shortest(x.abs(), dtype);
    let fraction_length = (digits.len() as i32 - 1 - exponent).max(0) as usize;
    let text = match precision {
        // What is cut is rounded as the exact number, not as its shortest digits.
        Some(p) if fraction_length > p => format!("{:.p$}", x.abs()),
        _ if exponent < 0 => format!("0.{}{digits}", "0".repeat((-exponent - 1) as usize)),
        _ => {
            let whole = exponent as usize + 1;
            let padded = format!("{digits:0<whole$}");
            let (whole, fraction) = padded.split_at(whole);
            format!("{whole}.{fraction}")
        }
    };
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    (format!("{}{whole}", sign(x)), fraction.trim_end_matches('0').into())
}

/// The parts of a number in scientific notation: `("-1", "25", 7)` is −1.25e+07. Digits as in [`positional`].
pub(super) fn scientific(x: f64, dtype: DType, precision: Option<usize>) -> (String, String, i32) {
    let mut decimal = shortest(x.abs(), dtype);
    if let Some(p) = precision.filter(|p| decimal.digits.len() > p + 1) {
        decimal = parse(&format!("{:.p$e}", x.abs()));
    }
    let (whole, fraction) = decimal.digits.split_at(1);
    (format!("{}{whole}", sign(x)), fraction.into(), decimal.exponent)
}

/// As [`scientific`], with so many digits behind the point: where the number needs fewer to be named, those of its exact
/// value follow.
pub(super) fn scientific_of(x: f64, dtype: DType, fraction_length: usize) -> (String, String, i32) {
    let (whole, fraction, exponent) = scientific(x, dtype, Some(fraction_length));
    if fraction.len() == fraction_length {
        return (whole, fraction, exponent);
    }
    let exact = format!("{:.fraction_length$e}", x.abs());
    let (digits, exponent) = exact.split_once('e').unwrap_or((&exact, "0"));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    (format!("{}{whole}", sign(x)), fraction.into(), exponent.parse().unwrap_or(0))
}

/// An exponent with its sign and at least so many digits: `e+05`.
pub(super) fn exponent_text(exponent: i32, digits: usize) -> String {
    format!("e{}{:0>digits$}", if exponent < 0 { '-' } else { '+' }, exponent.unsigned_abs())
}

fn sign(x: f64) -> &'static str {
    if x.is_sign_negative() { "-" } else { "" }
}

fn shortest(x: f64, dtype: DType) -> Decimal {
    let dtype = dtype.real();
    let found = match dtype {
        DType::F16 | DType::BF16 => return shortest_by_search(x, dtype),
        // Rust writes the shortest digits of its own types.
        DType::F32 => parse(&format!("{:e}", x as f32)),
        _ => parse(&format!("{x:e}")),
    };
    // Halfway between two such numbers Rust takes the upper one, NumPy the even one, as Rust too when it rounds.
    let rounded = format!("{x:.*e}", found.digits.len() - 1);
    let names = rounded.parse::<f64>().is_ok_and(|y| round_to(y, dtype) == x);
    if names { parse(&rounded) } else { found }
}

fn parse(scientific: &str) -> Decimal {
    let (digits, exponent) = scientific.split_once('e').unwrap_or((scientific, "0"));
    let digits: String = digits.chars().filter(char::is_ascii_digit).collect();
    let kept = digits.trim_end_matches('0');
    let digits = if kept.is_empty() { "0" } else { kept };
    // The text is Rust's own and holds an exponent.
    Decimal { digits: digits.into(), exponent: exponent.parse().unwrap_or(0) }
}

/// The shortest digits of a type that Rust does not write: the first length at which a neighbour names the number.
fn shortest_by_search(x: f64, dtype: DType) -> Decimal {
    // As many digits as any number of 16 bits has, so that they are exact.
    let exact = format!("{x:.120e}");
    let (digits, exponent) = exact.split_once('e').unwrap_or((&exact, "0"));
    let digits: String = digits.chars().filter(char::is_ascii_digit).collect();
    for length in 1..=8 {
        let (kept, rest) = digits.split_at(length);
        let below = format!("{kept}e{}", exponent.parse::<i32>().unwrap_or(0) + 1 - length as i32);
        let above = kept.parse::<u64>().map(|n| n + 1).unwrap_or(0);
        let above = format!("{above}e{}", exponent.parse::<i32>().unwrap_or(0) + 1 - length as i32);
        let names = |text: &String| text.parse::<f64>().is_ok_and(|y| round_to(y, dtype) == x);
        let half = format!("5{:0<width$}", "", width = rest.len() - 1);
        let odd = kept.ends_with(['1', '3', '5', '7', '9']);
        let nearer_above = rest > half.as_str() || (rest == half && odd);
        let candidates = if nearer_above { [above, below] } else { [below, above] };
        if let Some(found) = candidates.iter().find(|c| names(c)) {
            // Through a double and back the few digits stay what they are.
            return parse(&format!("{:e}", found.parse::<f64>().unwrap_or(x)));
        }
    }
    parse(&format!("{x:e}"))
}

/// A number rounded to a dtype.
pub(super) fn round_to(x: f64, dtype: DType) -> f64 {
    match Scalar::decode(&Scalar::Float(x).encode(dtype), dtype) {
        Scalar::Float(y) => y,
        _ => x,
    }
}
