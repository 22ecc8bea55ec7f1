//! What counts as equal: dtype, shape, layout, then values; or the same refusal.

use cuprum_kernels::DType;
use serde::{Deserialize, Serialize};

use crate::case::Expectation;
use crate::matrix::ComplexRule;
use crate::outcome::{Kind, Number, Outcome, Tensor};
use crate::ulp;

/// How far the values of a result may be from the oracle's.
#[derive(Clone, Debug, Default)]
pub struct Allowance {
    /// Units in the last place.
    pub ulp: u64,
    /// How complex numbers are compared.
    pub complex: ComplexRule,
    /// Whether either zero will do.
    pub any_zero: bool,
    /// A bound of the absolute error of each element, in place of units in the last place. An infinite one lets
    /// anything pass: there the result is not defined.
    pub bounds: Option<Vec<f64>>,
}

/// In what respect the two sides differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The dtype of the result.
    Dtype,
    /// The shape of the result.
    Shape,
    /// The strides of the result.
    Layout,
    /// An element.
    Value,
    /// A text.
    Text,
    /// One side refused what the other did, or both with different errors.
    Refusal,
    /// The dtypes that the matrix claims are not those that work.
    Claim,
    /// A fault, a compile error, a panic.
    Broken,
}

/// Why a case failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    /// In what respect.
    pub reason: Reason,
    /// Both sides, in words.
    pub message: String,
}

/// The judgement of one case.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdict {
    /// What is wrong; nothing, if it passed.
    pub failure: Option<Failure>,
    /// Whether both sides refused.
    pub refused: bool,
    /// The largest error found, in units in the last place.
    pub error: f64,
}

fn fail(reason: Reason, message: String) -> Verdict {
    Verdict { failure: Some(Failure { reason, message }), ..Verdict::default() }
}

/// Judges what the device gave by what the oracle gave.
pub fn judge(got: &Outcome, want: &Outcome, expectation: Expectation, allowance: &Allowance) -> Verdict {
    if let Outcome::Refused(Kind::Broken, message) = want {
        return fail(Reason::Broken, format!("the oracle broke down: {message}"));
    }
    if let Outcome::Refused(Kind::Broken, message) = got {
        return fail(Reason::Broken, format!("the device broke down: {message}"));
    }
    if let Some(message) = claim(got, "the device", expectation).or_else(|| claim(want, "the oracle", expectation)) {
        return fail(Reason::Claim, message);
    }
    match (got, want) {
        (Outcome::Refused(a, _), Outcome::Refused(b, _)) if a == b => Verdict { refused: true, ..Verdict::default() },
        (Outcome::Refused(a, m), Outcome::Refused(b, n)) => {
            fail(Reason::Refusal, format!("the device refused with {a} ({m}), the oracle with {b} ({n})"))
        }
        (Outcome::Refused(kind, message), _) => {
            fail(Reason::Refusal, format!("the device refused with {kind} ({message}), the oracle did not"))
        }
        (_, Outcome::Refused(kind, message)) => {
            fail(Reason::Refusal, format!("the device took what the oracle refused with {kind} ({message})"))
        }
        (Outcome::Text(a), Outcome::Text(b)) if a == b => Verdict::default(),
        (Outcome::Text(a), Outcome::Text(b)) => fail(Reason::Text, first_difference(a, b)),
        (Outcome::Array(a), Outcome::Array(b)) => arrays(a, b, allowance),
        _ => fail(Reason::Text, "one side gave a text, the other an array".into()),
    }
}

fn claim(outcome: &Outcome, side: &str, expectation: Expectation) -> Option<String> {
    match (expectation, outcome) {
        (Expectation::Taken, Outcome::Refused(Kind::Type, message)) => {
            Some(format!("the dtype is claimed, but {side} refused it: {message}"))
        }
        (Expectation::Refused(kind), Outcome::Refused(k, _)) if *k == kind => None,
        (Expectation::Refused(kind), Outcome::Refused(k, message)) => {
            Some(format!("{side} must refuse this with {kind}, but gave {k}: {message}"))
        }
        (Expectation::Refused(kind), _) => Some(format!("{side} must refuse this with {kind}, but did it")),
        _ => None,
    }
}

fn first_difference(a: &str, b: &str) -> String {
    let different = |(_, (x, y)): &(usize, (&str, &str))| x != y;
    match a.lines().zip(b.lines()).enumerate().find(different) {
        Some((line, (x, y))) => format!("line {} of the text is\n    {x:?}, the oracle's\n    {y:?}", line + 1),
        None => format!("the text has {} lines, the oracle's {}", a.lines().count(), b.lines().count()),
    }
}

fn arrays(got: &Tensor, want: &Tensor, allowance: &Allowance) -> Verdict {
    if got.dtype != want.dtype {
        return fail(Reason::Dtype, format!("the dtype is {}, the oracle's {}", got.dtype, want.dtype));
    }
    if got.shape != want.shape {
        return fail(Reason::Shape, format!("the shape is {:?}, the oracle's {:?}", got.shape, want.shape));
    }
    let size = want.size() * want.dtype.size();
    if got.bytes.len() != size || want.bytes.len() != size {
        let (a, b) = (got.bytes.len(), want.bytes.len());
        return fail(Reason::Shape, format!("the result has {a} bytes, the oracle's {b}, where {size} were expected"));
    }
    // The stride of an axis of length 1 addresses nothing, and in an empty array none does.
    let longer = |strides: &[i64]| -> Vec<i64> {
        strides.iter().zip(&want.shape).filter(|(_, n)| **n > 1).map(|(s, _)| *s).collect()
    };
    if want.size() > 0 && longer(&got.strides) != longer(&want.strides) {
        let message = format!("the strides are {:?}, the oracle's {:?}", got.strides, want.strides);
        return fail(Reason::Layout, message);
    }
    values(got, want, allowance)
}

/// How an element compares.
struct Compared {
    passes: bool,
    /// In units in the last place.
    error: f64,
}

fn values(got: &Tensor, want: &Tensor, allowance: &Allowance) -> Verdict {
    let (mut worst, mut wrong, mut first) = (0f64, 0, None);
    let bound = |i: usize| allowance.bounds.as_ref().map(|b| b.get(i).copied().unwrap_or(0.0));
    for i in 0..want.size() {
        let compared = element(want.dtype, got.get(i), want.get(i), allowance, bound(i));
        // An undefined element says nothing of the accuracy.
        if bound(i) != Some(f64::INFINITY) {
            worst = worst.max(compared.error);
        }
        if !compared.passes {
            wrong += 1;
            first.get_or_insert((i, compared.error));
        }
    }
    let Some((i, error)) = first else { return Verdict { error: worst, ..Verdict::default() } };
    let allowed = match bound(i) {
        Some(bound) => format!("an absolute error of {bound:e}"),
        None => format!("{} ULP", allowance.ulp),
    };
    let distance = if error.is_finite() { format!("{error} ULP apart") } else { "of another class".into() };
    let message = format!(
        "element {:?} is {}, the oracle's {}: {distance} where {allowed} is allowed; {wrong} of {} elements differ",
        want.index_of(i),
        got.get(i),
        want.get(i),
        want.size()
    );
    Verdict { error: worst, ..fail(Reason::Value, message) }
}

fn element(dtype: DType, got: Number, want: Number, allowance: &Allowance, bound: Option<f64>) -> Compared {
    if bound == Some(f64::INFINITY) {
        return Compared { passes: true, error: 0.0 };
    }
    match (got, want) {
        (Number::Float(a), Number::Float(b)) => part(dtype, a, b, None, allowance, bound),
        (Number::Complex(a, b), Number::Complex(c, d)) => {
            let modulus = (allowance.complex == ComplexRule::Modulus).then(|| c.hypot(d));
            let re = part(dtype, a, c, modulus, allowance, bound);
            let im = part(dtype, b, d, modulus, allowance, bound);
            Compared { passes: re.passes && im.passes, error: re.error.max(im.error) }
        }
        _ => Compared { passes: got == want, error: if got == want { 0.0 } else { f64::INFINITY } },
    }
}

/// Compares a float, or a part of a complex number whose modulus is `modulus`.
fn part(
    dtype: DType,
    got: f64,
    want: f64,
    modulus: Option<f64>,
    allowance: &Allowance,
    bound: Option<f64>,
) -> Compared {
    let equal = got == want || (got.is_nan() && want.is_nan());
    if equal {
        let zero_fails = want == 0.0 && got.is_sign_negative() != want.is_sign_negative() && !allowance.any_zero;
        return Compared { passes: !zero_fails, error: if zero_fails { f64::INFINITY } else { 0.0 } };
    }
    let wrong = Compared { passes: false, error: f64::INFINITY };
    if got.is_nan() || want.is_nan() {
        return wrong;
    }
    let limit = ulp::max(dtype);
    let (unit, allowed) = match bound {
        // A sum next to the largest number may round to it or beyond.
        Some(bound) => (ulp::unit(dtype, want.clamp(-limit, limit)), bound),
        None => match modulus {
            Some(m) if m.is_finite() => {
                let unit = ulp::unit(dtype, m.min(limit));
                (unit, unit * allowance.ulp as f64)
            }
            _ => {
                let Some(steps) = ulp::distance(dtype, got, want) else { return wrong };
                return Compared { passes: steps <= allowance.ulp, error: steps as f64 };
            }
        },
    };
    let error = (got.clamp(-limit, limit) - want.clamp(-limit, limit)).abs();
    // An infinity for a finite number is an error of at least one unit at the end of the range.
    let beyond = if got.is_infinite() != want.is_infinite() { ulp::unit(dtype, limit) } else { 0.0 };
    let opposite = got.is_infinite() && want.is_infinite();
    if opposite {
        return wrong;
    }
    Compared { passes: error + beyond <= allowed, error: (error + beyond) / unit }
}

#[cfg(test)]
mod tests;
