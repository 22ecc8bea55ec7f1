//! Comparison of results: dtype, shape, layout, then values; or the same error.

use cuprum_kernels::DType;
use serde::{Deserialize, Serialize};

use crate::case::Expectation;
use crate::matrix::ComplexRule;
use crate::outcome::{Freedom, Kind, Number, Outcome, Tensor};
use crate::ulp;

mod looked;
pub use looked::Looked;

/// The tolerance of the values of a result relative to the oracle's.
#[derive(Clone, Debug, Default)]
pub struct Allowance {
    /// Units in the last place.
    pub ulp: u64,
    /// The rule for complex numbers.
    pub complex: ComplexRule,
    /// Accepts any complex number that is not finite where the oracle's is not.
    pub any_infinity: bool,
    /// Accepts zeros of either sign.
    pub any_zero: bool,
    /// Accepts results without vanishing trailing coefficients, of which there are as many as bounds; rounding decides
    /// which vanish.
    pub trims: bool,
    /// Absolute error bound of each element, in place of units in the last place. An infinite bound accepts any value,
    /// unless the correct one is NaN; a NaN bound accepts anything.
    pub bounds: Option<Vec<f64>>,
}

impl Allowance {
    /// Accepts any elements: they are checked in another way.
    pub fn any(want: &Outcome) -> Allowance {
        let elements = match want {
            Outcome::Array(one) => one.size(),
            Outcome::Several(all) => all.iter().map(Tensor::size).sum(),
            _ => 0,
        };
        Allowance { bounds: Some(vec![f64::NAN; elements]), ..Allowance::default() }
    }
}

/// The respect in which the two sides differ.
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
    /// A string.
    Text,
    /// One side raised an error and the other did not, or both raised different errors.
    Rejection,
    /// The dtypes that the matrix claims are not those that work.
    Claim,
    /// A fault, a compile error, a panic.
    Broken,
    /// The process that ran it died.
    Crash,
    /// The time limit was exceeded.
    Hang,
    /// A second run gave another result.
    Flaky,
    /// The case is listed as failing, but passes.
    Improved,
}

/// A failure of a case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    /// The respect in which the sides differ.
    pub reason: Reason,
    /// A description of both sides.
    pub message: String,
    /// The case as a Rust test, if it is small enough.
    pub test: Option<String>,
    /// The same with NumPy.
    #[serde(default)]
    pub numpy: Option<String>,
    /// The smallest case that fails for the same reason, if one was searched.
    #[serde(default)]
    pub smallest: Option<Box<Smallest>>,
}

/// A reduced case that fails like a larger one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Smallest {
    /// Its id.
    pub id: String,
    /// Its failure.
    pub failure: Failure,
    /// Number of cases that were tried.
    pub tries: usize,
}

impl Failure {
    /// Creates a failure without further information.
    pub fn new(reason: Reason, message: String) -> Failure {
        Failure { reason, message, test: None, numpy: None, smallest: None }
    }
}

/// The result of the comparison of one case.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdict {
    /// The failure; `None` if the case passed.
    pub failure: Option<Failure>,
    /// Both sides raised an error.
    pub rejected: bool,
    /// The largest error found, in units in the last place.
    pub error: f64,
    /// The largest error as a fraction of the tolerance, where that is not zero.
    pub share: f64,
    /// Counts of elements by error, for floating and complex results.
    pub histogram: Histogram,
    /// The element with the largest error, if any has one.
    pub worst: Option<Worst>,
    /// Numbers of elements that were compared, and that were not.
    pub looked: Looked,
}

/// The element of a result with the largest error.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Worst {
    /// Its index in the result.
    pub index: Vec<usize>,
    /// The elements of the operands from which it was computed; empty where it depends on more than one of each
    /// operand.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub operands: Vec<String>,
    /// The device's value.
    pub got: String,
    /// The oracle's value.
    pub want: String,
}

/// Counts of elements by their error in units in the last place: none, then up to each of [`Histogram::BOUNDS`], then
/// more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Histogram(pub [u64; 6]);

impl Histogram {
    /// The upper ends of the classes between the first and the last.
    pub const BOUNDS: [f64; 4] = [0.5, 1.0, 2.0, 4.0];

    fn count(&mut self, error: f64) {
        let class = if error == 0.0 { 0 } else { 1 + Self::BOUNDS.iter().filter(|b| error > **b).count() };
        self.0[class] += 1;
    }

    /// Adds the counts of another histogram.
    pub fn add(&mut self, other: &Histogram) {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a += b);
    }

    /// Returns true if nothing was counted.
    pub fn is_empty(&self) -> bool {
        self.0 == [0; 6]
    }
}

fn fail(reason: Reason, message: String) -> Verdict {
    Verdict { failure: Some(Failure::new(reason, message)), ..Verdict::default() }
}

/// Compares the device's result with the oracle's.
pub fn judge(got: &Outcome, want: &Outcome, expectation: Expectation, allowance: &Allowance) -> Verdict {
    if let Outcome::Rejected(Kind::Broken, message) = want {
        return fail(Reason::Broken, format!("the oracle broke down: {message}"));
    }
    if let Outcome::Rejected(Kind::Broken, message) = got {
        return fail(Reason::Broken, format!("the device broke down: {message}"));
    }
    if let Some(message) = claim(got, "the device", expectation).or_else(|| claim(want, "the oracle", expectation)) {
        return fail(Reason::Claim, message);
    }
    match (got, want) {
        (Outcome::Rejected(a, _), Outcome::Rejected(b, _)) if a == b => {
            Verdict { rejected: true, ..Verdict::default() }
        }
        (Outcome::Rejected(a, m), Outcome::Rejected(b, n)) => {
            fail(Reason::Rejection, format!("the device rejected with {a} ({m}), the oracle with {b} ({n})"))
        }
        (Outcome::Rejected(kind, message), _) => {
            fail(Reason::Rejection, format!("the device rejected with {kind} ({message}), the oracle did not"))
        }
        (_, Outcome::Rejected(kind, message)) => {
            fail(Reason::Rejection, format!("the device took what the oracle rejected with {kind} ({message})"))
        }
        (Outcome::Text(a), Outcome::Text(b)) if a == b => Verdict::default(),
        (Outcome::Text(a), Outcome::Text(b)) => fail(Reason::Text, first_difference(a, b)),
        (Outcome::Array(a), Outcome::Array(b)) => arrays(a, b, allowance),
        (Outcome::Several(a), Outcome::Several(b)) if a.len() == b.len() => several(a, b, allowance),
        _ => fail(Reason::Text, "one side gave a text, the other an array, or another number of them".into()),
    }
}

fn claim(outcome: &Outcome, side: &str, expectation: Expectation) -> Option<String> {
    match (expectation, outcome) {
        (Expectation::Taken, Outcome::Rejected(Kind::Type, message)) => {
            Some(format!("the dtype is claimed, but {side} rejected it: {message}"))
        }
        (Expectation::Rejected(kind), Outcome::Rejected(k, _)) if *k == kind => None,
        (Expectation::Rejected(kind), Outcome::Rejected(k, message)) => {
            Some(format!("{side} must reject this with {kind}, but gave {k}: {message}"))
        }
        (Expectation::Rejected(kind), _) => Some(format!("{side} must reject this with {kind}, but did it")),
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

/// Compares several results: returns the first that is wrong, or the largest error of any.
fn several(got: &[Tensor], want: &[Tensor], allowance: &Allowance) -> Verdict {
    let mut whole = Verdict::default();
    let mut bounds = allowance.bounds.as_deref();
    for (i, (a, b)) in got.iter().zip(want).enumerate() {
        // The bounds are those of all results, concatenated.
        let own = bounds.map(|all| {
            let end = if i + 1 == want.len() { all.len() } else { b.size().min(all.len()) };
            let (own, rest) = all.split_at(end);
            bounds = Some(rest);
            own.to_vec()
        });
        let mut verdict = arrays(a, b, &Allowance { bounds: own, ..allowance.clone() });
        if let Some(failure) = &mut verdict.failure {
            failure.message = format!("of result {}: {}", i + 1, failure.message);
            return verdict;
        }
        if verdict.error > whole.error {
            (whole.error, whole.worst) = (verdict.error, verdict.worst.take());
        }
        whole.share = whole.share.max(verdict.share);
        whole.histogram.add(&verdict.histogram);
        whole.looked.add(&verdict.looked);
    }
    whole
}

/// Returns the number of coefficients on both sides, including those that the shorter one dropped as zeros, where
/// rounding decides that.
fn untrimmed(got: &Tensor, want: &Tensor, allowance: &Allowance) -> Option<usize> {
    let ([n], [m]) = (&got.shape[..], &want.shape[..]) else { return None };
    let length = *n.max(m);
    (n != m && allowance.trims && allowance.bounds.as_ref()?.len() >= length).then_some(length)
}

fn arrays(got: &Tensor, want: &Tensor, allowance: &Allowance) -> Verdict {
    if got.dtype != want.dtype {
        return fail(Reason::Dtype, format!("the dtype is {}, the oracle's {}", got.dtype, want.dtype));
    }
    if let Some(length) = untrimmed(got, want, allowance) {
        return arrays(&got.padded(length), &want.padded(length), allowance);
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

/// The error of an element.
struct Compared {
    passes: bool,
    /// The error in units in the last place.
    error: f64,
    /// The error as a fraction of the tolerance.
    share: f64,
}

fn values(got: &Tensor, want: &Tensor, allowance: &Allowance) -> Verdict {
    let (mut worst, mut worst_at, mut wrong, mut first, mut share) = (0f64, None, 0, None, 0f64);
    let mut histogram = Histogram::default();
    let mut looked = Looked { values: want.size() as u64, ..Looked::default() };
    let bound = |i: usize| allowance.bounds.as_ref().map(|b| b.get(i).copied().unwrap_or(0.0));
    for i in 0..want.size() {
        let freedom = want.freedom.get(i).copied().unwrap_or_default();
        if freedom == Freedom::Any || bound(i).is_some_and(f64::is_nan) {
            looked.open += 1;
            continue;
        }
        if bound(i) == Some(f64::INFINITY) {
            // Rounding does not turn NaN into a number. After an overflow, infinity or NaN depends on the order of
            // operations; so does any complex number.
            let finite = |x: Number| matches!(x, Number::Float(x) if x.is_finite());
            if matches!(want.get(i), Number::Float(x) if x.is_nan()) && finite(got.get(i)) {
                wrong += 1;
                first.get_or_insert((i, f64::INFINITY));
            }
            looked.unbounded += 1;
            continue;
        }
        let any_zero = freedom == Freedom::AnyZero || allowance.any_zero;
        let measure = Measure { dtype: want.dtype, ulp: allowance.ulp, any_zero, bound: bound(i), modulus: None };
        if allowance.any_infinity && is_unbounded(got.get(i)) && is_unbounded(want.get(i)) {
            looked.infinite += 1;
            continue;
        }
        let compared = measure.element(got.get(i), want.get(i), allowance.complex);
        looked.signs += u64::from(measure.frees_a_sign(want.get(i)));
        if compared.error > worst {
            (worst, worst_at) = (compared.error, Some(i));
        }
        share = share.max(compared.share);
        if want.dtype.is_float() || want.dtype.is_complex() {
            histogram.count(compared.error);
        }
        if !compared.passes {
            wrong += 1;
            first.get_or_insert((i, compared.error));
        }
    }
    let element = |i| Worst { index: want.index_of(i), operands: vec![], got: got.shown(i), want: want.shown(i) };
    let whole = Verdict { error: worst, share, histogram, worst: worst_at.map(element), looked, ..Verdict::default() };
    let Some((i, error)) = first else { return whole };
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
    Verdict { failure: fail(Reason::Value, message).failure, ..whole }
}

/// Returns true if a part of a complex number is infinite or NaN.
fn is_unbounded(x: Number) -> bool {
    matches!(x, Number::Complex(re, im) if !(re.is_finite() && im.is_finite()))
}

/// Rules for the comparison of one element.
#[derive(Clone, Copy)]
struct Measure {
    dtype: DType,
    ulp: u64,
    any_zero: bool,
    bound: Option<f64>,
    /// The modulus whose unit in the last place applies to the parts of a complex number.
    modulus: Option<f64>,
}

impl Measure {
    /// Returns true if a zero may have either sign: a permitted error may have crossed it.
    fn frees_signs(self) -> bool {
        self.any_zero || self.bound.is_some_and(|bound| bound > 0.0)
    }

    /// Returns true if a zero, or a part that is one, may have either sign.
    fn frees_a_sign(self, want: Number) -> bool {
        match want {
            Number::Float(x) => self.frees_signs() && x == 0.0,
            Number::Complex(re, im) => self.frees_signs() && (re == 0.0 || im == 0.0),
            Number::Int(_) => false,
        }
    }

    fn element(self, got: Number, want: Number, rule: ComplexRule) -> Compared {
        match (got, want) {
            (Number::Float(a), Number::Float(b)) => self.part(a, b),
            (Number::Complex(a, b), Number::Complex(c, d)) => {
                let modulus = (rule == ComplexRule::Modulus).then(|| c.hypot(d));
                let of_modulus = Measure { modulus, ..self };
                let (re, im) = (of_modulus.part(a, c), of_modulus.part(b, d));
                Compared {
                    passes: re.passes && im.passes,
                    error: re.error.max(im.error),
                    share: re.share.max(im.share),
                }
            }
            (Number::Int(a), Number::Int(b)) if self.bound.is_some() => {
                let (error, allowed) = (a.abs_diff(b) as f64, self.bound.unwrap_or(0.0));
                Compared { passes: error <= allowed, error, share: share_of(error, allowed) }
            }
            _ => Compared { passes: got == want, error: if got == want { 0.0 } else { f64::INFINITY }, share: 0.0 },
        }
    }

    /// Compares two floats, or a part of two complex numbers.
    fn part(self, got: f64, want: f64) -> Compared {
        let wrong = Compared { passes: false, error: f64::INFINITY, share: 0.0 };
        if got == want || (got.is_nan() && want.is_nan()) {
            let other_zero = want == 0.0 && got.is_sign_negative() != want.is_sign_negative();
            return if other_zero && !self.frees_signs() {
                wrong
            } else {
                Compared { passes: true, error: 0.0, share: 0.0 }
            };
        }
        let limit = ulp::max(self.dtype);
        // Before the cast, a number may have been anywhere within the bound, and so beyond either end of this dtype.
        let either_end = self.bound.is_some_and(|bound| bound > 2.0 * limit);
        if got.is_nan() || want.is_nan() || (got.is_infinite() && want.is_infinite() && !either_end) {
            return wrong;
        }
        let (unit, allowed) = match (self.bound, self.modulus) {
            (Some(bound), modulus) => {
                let size = modulus.filter(|m| m.is_finite()).unwrap_or(want).clamp(-limit, limit);
                (ulp::unit(self.dtype, size), bound)
            }
            (None, Some(modulus)) if modulus.is_finite() => {
                let unit = ulp::unit(self.dtype, modulus.min(limit));
                (unit, unit * self.ulp as f64)
            }
            _ => {
                let Some(steps) = ulp::distance(self.dtype, got, want) else { return wrong };
                return Compared {
                    passes: steps <= self.ulp,
                    error: steps as f64,
                    share: share_of(steps as f64, self.ulp as f64),
                };
            }
        };
        let error = (got.clamp(-limit, limit) - want.clamp(-limit, limit)).abs();
        // Infinity is one unit beyond the largest number: a sum near it may round to either.
        let beyond = if got.is_infinite() != want.is_infinite() { ulp::unit(self.dtype, limit) } else { 0.0 };
        let error = error + beyond;
        Compared { passes: error <= allowed, error: error / unit, share: share_of(error, allowed) }
    }
}

/// Returns an error as a fraction of the tolerance; 0 if there is no error.
fn share_of(error: f64, allowed: f64) -> f64 {
    if allowed > 0.0 && error <= allowed { error / allowed } else { 0.0 }
}

#[cfg(test)]
mod tests;
