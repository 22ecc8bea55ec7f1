//! Decimal digits of floats: the shortest representation that identifies the number in its dtype, or a number of digits
//! of its exact value.

use cuprum_kernels::DType;

use crate::scalar::Scalar;

/// Decimal digits of a finite number without its sign: `d.ddd × 10^exponent`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Decimal {
    /// Digits without a point, the most significant first.
    pub(super) digits: String,
    /// Power of ten of the first digit.
    pub(super) exponent: i32,
}

/// The digits that are requested.
#[derive(Clone, Copy, Debug)]
pub(super) struct DigitOptions {
    /// If true, the shortest identifying digits, otherwise those of the exact value.
    pub(super) unique: bool,
    /// If true, digits are counted from the decimal point, otherwise from the first one.
    pub(super) fractional: bool,
    /// The most digits.
    pub(super) most: Option<usize>,
    /// The least digits: zeros are appended.
    pub(super) least: Option<usize>,
}

impl Decimal {
    /// Returns the digits of a finite, nonnegative number. Trailing zeros show that the number was cut there; a carry
    /// leaves none.
    pub(super) fn of(x: f64, dtype: DType, wanted: DigitOptions) -> Decimal {
        let shortest = shortest(x, dtype);
        if x == 0.0 {
            return shortest;
        }
        if wanted.most.is_none() && wanted.least.is_none() {
            return shortest;
        }
        // Counted from the first digit of the exact value: the shortest representation of 0.0999 may begin one digit
        // earlier.
        let first = i64::from(parse(&format!("{x:.40e}")).exponent);
        let counted = |n: usize| {
            let n = n as i64;
            if wanted.fractional { n + first + 1 } else { n }
        };
        let last = i64::from(shortest.exponent) + 1 - shortest.digits.len() as i64;
        let own = (first + 1 - last).max(1);
        let n = match (wanted.unique, wanted.most) {
            (true, most) => {
                let least = wanted.least.map_or(own, counted).max(own);
                most.map_or(least, |most| least.min(counted(most)))
            }
            (false, most) => most.map_or(own, counted),
        };
        if wanted.unique && n == own {
            return shortest;
        }
        exact(x).rounded(n)
    }

    /// Rounds to `n` digits, ties to even; digits before the first one count as zero.
    fn rounded(self, n: i64) -> Decimal {
        let Decimal { digits, exponent } = self;
        let length = digits.len() as i64;
        if n >= length {
            return Decimal { digits, exponent };
        }
        // Zeros down to the last digit that counts.
        let zeros = (-n).max(0) as usize + usize::from(n <= 0);
        let digits = format!("{}{digits}", "0".repeat(zeros));
        let exponent = exponent + zeros as i32;
        let at = if n > 0 { n as usize } else { 1 };
        let (kept, rest) = digits.split_at(at);
        let half = format!("5{}", "0".repeat(rest.len() - 1));
        let odd = kept.ends_with(['1', '3', '5', '7', '9']);
        // The leading zeros that were added count as one digit: the position of the last one.
        let last_exponent = exponent - at as i32 + 1;
        if rest > half.as_str() || (rest == half && odd) {
            let kept = kept.trim_end_matches('9');
            return match kept.char_indices().last() {
                Some((last, digit)) => {
                    let up = char::from(digit as u8 + 1);
                    let carried = Decimal { digits: format!("{}{up}", &kept[..last]), exponent };
                    carried.without_leading_zeros()
                }
                None => Decimal { digits: "1".into(), exponent: exponent + 1 },
            };
        }
        match n {
            1.. => Decimal { digits: kept.into(), exponent },
            _ => Decimal { digits: "0".into(), exponent: last_exponent },
        }
    }

    fn without_leading_zeros(self) -> Decimal {
        let kept = self.digits.trim_start_matches('0');
        let gone = (self.digits.len() - kept.len()) as i32;
        Decimal { digits: kept.into(), exponent: self.exponent - gone }
    }
}

/// Returns all digits of the exact value.
fn exact(x: f64) -> Decimal {
    // No 64-bit float has more digits.
    parse(&format!("{x:.770e}"))
}

fn shortest(x: f64, dtype: DType) -> Decimal {
    let dtype = dtype.real();
    let found = match dtype {
        DType::F16 | DType::BF16 => return shortest_by_search(x, dtype),
        // Rust prints the shortest digits of its own types.
        DType::F32 => parse(&format!("{:e}", x as f32)),
        _ => parse(&format!("{x:e}")),
    };
    // For a tie between two such representations Rust takes the upper one, NumPy the even one, as does Rust when it
    // rounds.
    let rounded = format!("{x:.*e}", found.digits.len() - 1);
    let names = rounded.parse::<f64>().is_ok_and(|y| round_to(y, dtype) == x);
    if names { parse(&rounded) } else { found }
}

/// Parses Rust's scientific notation, without trailing zeros.
fn parse(scientific: &str) -> Decimal {
    let (digits, exponent) = scientific.split_once('e').unwrap_or((scientific, "0"));
    let digits: String = digits.chars().filter(char::is_ascii_digit).collect();
    let kept = digits.trim_end_matches('0');
    let digits = if kept.is_empty() { "0" } else { kept };
    // The string is Rust's own output and has an exponent.
    Decimal { digits: digits.into(), exponent: exponent.parse().unwrap_or(0) }
}

/// Finds the shortest digits for a dtype that Rust cannot print: the first length at which a neighbour identifies the
/// number.
fn shortest_by_search(x: f64, dtype: DType) -> Decimal {
    // Enough digits for any 16-bit float to be exact.
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
            // So few digits survive the conversion to float64 and back.
            return parse(&format!("{:e}", found.parse::<f64>().unwrap_or(x)));
        }
    }
    parse(&format!("{x:e}"))
}

/// Rounds a number to a dtype.
pub(super) fn round_to(x: f64, dtype: DType) -> f64 {
    match Scalar::decode(&Scalar::Float(x).encode(dtype), dtype) {
        Scalar::Float(y) => y,
        _ => x,
    }
}
