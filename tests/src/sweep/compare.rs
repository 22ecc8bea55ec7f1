//! Comparison of a device's results with those of another.

use std::collections::HashMap;

use ::half::{bf16, f16};

use super::bounds::{Bound, bound};
use super::departures::departure;
use super::form::{Form, Kind};
use super::operands::{operands, tuples};
use super::recording::{Answer, Recording};

/// The outcome of a comparison for one form.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The name of the form.
    pub form: String,
    /// The reason why there is nothing to compare.
    pub missing: Option<String>,
    /// The number of tuples of operands compared.
    pub compared: usize,
    /// The number of tuples with different results.
    pub differing: usize,
    /// The largest error among the agreeing tuples, relative to the bound; 0 if the result is exact.
    pub largest: f64,
    /// The first tuples that differ.
    pub examples: Vec<Example>,
}

/// Operands for which two devices differ.
#[derive(Clone, Debug)]
pub struct Example {
    /// The bits of the operands.
    pub operands: Vec<u64>,
    /// The recorded results.
    pub expected: Vec<u64>,
    /// The results of the current device.
    pub found: Vec<u64>,
}

impl Outcome {
    /// Returns true if every tuple agrees; for a form on which GPUs are known to deviate from the manual, if some
    /// tuples differ.
    pub fn is_good(&self) -> bool {
        self.missing.is_none() && (self.differing > 0) == self.departure().is_some()
    }

    /// Returns the known reason of a difference.
    pub fn departure(&self) -> Option<&'static str> {
        departure(&self.form)
    }
}

/// Compares the results of each form: `expected` is the recording, `found` are the results of the current device.
pub fn compare(forms: &[Form], expected: &Recording, found: &Recording) -> Vec<Outcome> {
    let by_name = |r: &'_ Recording| -> HashMap<String, Answer> {
        r.answers.iter().map(|a| (a.form.clone(), a.clone())).collect()
    };
    let (expected_answers, found_answers) = (by_name(expected), by_name(found));
    forms
        .iter()
        .map(|form| {
            let name = form.name();
            let missing = match (expected_answers.get(&name), found_answers.get(&name)) {
                (None, _) => Some("not in the recording".to_string()),
                (_, None) => Some("not run".to_string()),
                (Some(Answer { rejected: Some(why), .. }), _) => Some(format!("rejected when recorded: {why}")),
                (_, Some(Answer { rejected: Some(why), .. })) => Some(format!("rejected: {why}")),
                (Some(e), Some(f)) => return compare_form(form, name, e, f, expected.seed),
            };
            Outcome { form: name, missing, compared: 0, differing: 0, largest: 0.0, examples: Vec::new() }
        })
        .collect()
}

fn compare_form(form: &Form, name: String, expected: &Answer, found: &Answer, seed: u64) -> Outcome {
    let tuples = tuples(form);
    let operands = operands(form, seed);
    let opcode = form.opcodes().next().unwrap_or_default().to_string();
    let mut outcome =
        Outcome { form: name, missing: None, compared: tuples, differing: 0, largest: 0.0, examples: Vec::new() };
    if expected.results.len() != found.results.len() {
        outcome.missing = Some("results of another size".into());
        return outcome;
    }
    for i in 0..tuples {
        let tuple: Vec<u64> = operands.iter().filter_map(|list| list.get(i).copied()).collect();
        let (e, f) = (words(form, &expected.results, i, tuples), words(form, &found.results, i, tuples));
        let results = form.results.iter().enumerate();
        let error = results.map(|(k, kind)| error(&opcode, form, *kind, &tuple, e[k], f[k])).fold(0.0, f64::max);
        if error <= 1.0 {
            outcome.largest = outcome.largest.max(error);
        } else {
            outcome.differing += 1;
            if outcome.examples.len() < 8 {
                outcome.examples.push(Example { operands: tuple, expected: e, found: f });
            }
        }
    }
    outcome
}

/// Returns the results of a tuple.
fn words(form: &Form, bytes: &[u8], tuple: usize, tuples: usize) -> Vec<u64> {
    let mut at = 0;
    let mut all = Vec::new();
    for kind in &form.results {
        let size = kind.bytes();
        let word = bytes.get(at + tuple * size..at + (tuple + 1) * size).unwrap_or_default();
        all.push(word.iter().rev().fold(0, |w, b| w << 8 | u64::from(*b)));
        at += tuples * size;
    }
    all
}

/// Returns the error of a result against the recorded one, relative to the bound.
fn error(opcode: &str, form: &Form, kind: Kind, operands: &[u64], expected: u64, found: u64) -> f64 {
    if expected == found {
        return 0.0;
    }
    let parts: &[u32] = if matches!(kind, Kind::Halves | Kind::Brains) { &[0, 16] } else { &[0] };
    if !form.is_approximate() {
        return f64::INFINITY;
    }
    let errors = parts.iter().map(|shift| {
        let values: Vec<f64> = operands.iter().zip(&form.operands).map(|(x, k)| value(*k, x >> shift)).collect();
        distance(kind, bound(opcode, &values), opcode.contains(".ftz"), expected >> shift, found >> shift)
    });
    errors.fold(0.0, f64::max)
}

/// Returns the digits of the significand and the exponent of the smallest normal number.
fn format(kind: Kind) -> (i32, i32) {
    match kind {
        Kind::Half | Kind::Halves => (11, -14),
        Kind::Brain | Kind::Brains => (8, -126),
        Kind::Double => (53, -1022),
        _ => (24, -126),
    }
}

/// Returns the float that the bits represent; meaningless for integers.
fn value(kind: Kind, bits: u64) -> f64 {
    match kind {
        Kind::Half | Kind::Halves => f16::from_bits(bits as u16).into(),
        Kind::Brain | Kind::Brains => bf16::from_bits(bits as u16).into(),
        Kind::Single | Kind::Small => f32::from_bits(bits as u32).into(),
        Kind::Double => f64::from_bits(bits),
        _ => 0.0,
    }
}

/// Returns the difference of two floats relative to an error bound.
fn distance(kind: Kind, bound: Bound, flushes: bool, expected: u64, found: u64) -> f64 {
    let (digits, least) = format(kind);
    let part = |bits: u64| bits & (u64::MAX >> (64 - kind.bits().min(if digits < 24 { 16 } else { 64 })));
    if part(expected) == part(found) {
        return 0.0;
    }
    let (x, y) = (value(kind, expected), value(kind, found));
    if !x.is_finite() || !y.is_finite() {
        return f64::INFINITY;
    }
    let unit = |x: f64| {
        let exponent = if x == 0.0 { least } else { (x.abs().log2().floor() as i32).max(least) };
        f64::from(exponent - digits + 1).exp2()
    };
    // No relative bound can hold below the smallest normal number: there the rounding of the result is added.
    let rounding = if y.abs() < f64::from(least).exp2() { unit(y) } else { unit(y) / 2.0 };
    let allowed = match bound {
        Bound::Ulp(n) => n * unit(y),
        Bound::Relative(e) => e * y.abs(),
        Bound::Absolute(e) => e,
        Bound::Open => return 0.0,
    };
    // A result that is flushed to zero on one side may be the smallest normal number on the other.
    let flushed = if flushes && (x == 0.0 || y == 0.0) { f64::from(least).exp2() } else { 0.0 };
    (x - y).abs() / (allowed + rounding).max(flushed)
}
