//! Consistency checks of the matrix: names must be declared, numbers must agree.

use std::collections::{BTreeMap, BTreeSet};

use cuprum::Engine;
use cuprum_kernels::DType;

use super::ledger::TOPICS;
use super::read::{Problem, Section};
use super::{Matrix, OpKind};
use crate::case::Scalar;
use crate::outcome::Kind;

/// Lines of the declared names.
#[derive(Default)]
pub(super) struct Lines {
    at: BTreeMap<(&'static str, String), usize>,
    pub(super) expected: BTreeMap<String, usize>,
}

impl Lines {
    /// Records a name, which must be unique.
    pub(super) fn once(&mut self, what: &'static str, name: &str, line: usize, problems: &mut Vec<Problem>) {
        if let Some(first) = self.at.insert((what, name.into()), line) {
            problems.push(Problem { line, message: format!("the {what} `{name}` is already on line {first}") });
        }
    }

    fn line(&self, what: &'static str, name: &str) -> usize {
        self.at.get(&(what, name.to_string())).copied().unwrap_or(0)
    }
}

/// Checks that the required sections exist.
pub(super) fn required(sections: &[Section], problems: &mut Vec<Problem>) {
    for key in ["seed", "full_limit", "dtypes", "shapes", "tolerances", "ops", "expected"] {
        if !sections.iter().any(|s| s.key == key) {
            problems.push(Problem { line: 1, message: format!("the key `{key}` is missing") });
        }
    }
}

/// Reads a list of dtype names.
pub(super) fn dtypes(line: usize, names: &[String], problems: &mut Vec<Problem>) -> Vec<DType> {
    let mut read = |name: &String| {
        let dtype = name.parse().ok();
        if dtype.is_none() {
            problems.push(Problem { line, message: format!("no dtype is called `{name}`") });
        }
        dtype
    };
    names.iter().filter_map(&mut read).collect()
}

/// Returns true if a text is a date: `2026-01-31`.
pub(super) fn is_day(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let number = |part: &str, digits: usize| part.len() == digits && part.chars().all(|c| c.is_ascii_digit());
    matches!(parts.as_slice(), [y, m, d] if number(y, 4) && number(m, 2) && number(d, 2))
}

/// Checks that every used name is declared, and every declared one used.
pub(super) fn names(matrix: &Matrix, lines: &Lines, problems: &mut Vec<Problem>) {
    let mut used = BTreeSet::new();
    for op in &matrix.ops {
        let line = lines.line("op", &op.name);
        let mut say =
            |message: String| problems.push(Problem { line, message: format!("op `{}`: {message}", op.name) });
        if !matrix.dtypes.contains_key(&op.dtypes) {
            say(format!("no set of dtypes is called `{}`", op.dtypes));
        }
        if let Some(large) = op.large.as_ref().filter(|name| !matrix.dtypes.contains_key(*name)) {
            say(format!("no set of dtypes is called `{large}`"));
        }
        match op.engine.as_ref().map(|name| name.parse::<Engine>()) {
            Some(Err(message)) => say(message),
            None if op.kind == OpKind::Routine && op.engine().is_none() => {
                say("a routine names the `engine` that computes it".into());
            }
            _ => {}
        }
        if !matrix.tolerances.contains_key(&op.tolerance) {
            say(format!("no tolerance is called `{}`", op.tolerance));
        }
        used.insert(op.tolerance.as_str());
        match matrix.shapes.get(&op.shapes) {
            None => say(format!("no list of shapes is called `{}`", op.shapes)),
            Some(shapes) => {
                let all = shapes.default.iter().chain(&shapes.large).chain(&shapes.full);
                for tuple in all.filter(|t| t.0.len() != op.operands) {
                    say(format!("{} operands, but the shapes `{}` have {}", op.operands, op.shapes, tuple.0.len()));
                }
            }
        }
        for scalar in op.scalars.iter().filter(|s| s.parse::<Scalar>().is_err()) {
            say(format!("`{scalar}` is no scalar"));
        }
        if !op.scalars.is_empty() && op.operands < 2 {
            say("there are two scalar operands".into());
        }
        for name in op.approximate.iter().filter(|n| n.parse::<DType>().is_err()) {
            say(format!("no dtype is called `{name}`"));
        }
        for tuple in op.tuples.iter().flatten() {
            if tuple.split('-').count() != op.operands || tuple.split('-').any(|d| d.parse::<DType>().is_err()) {
                say(format!("`{tuple}` is no tuple of {} dtypes", op.operands));
            }
        }
        if op.errors.contains_key(&Kind::Broken) {
            say("`broken` is no error that a case can request".into());
        }
        if let (OpKind::Getitem | OpKind::Setitem, Some(params)) =
            (op.kind, op.params.iter().find(|p| p.get("key").is_none()))
        {
            say(format!("`{params}` has no key"));
        }
        if !matrix.expected.contains_key(&op.family) {
            say(format!("`expected` has no count for the family `{}`", op.family));
        }
    }
    for name in matrix.tolerances.keys().filter(|n| !used.contains(n.as_str())) {
        let line = lines.line("tolerance", name);
        problems.push(Problem { line, message: format!("no operation uses the tolerance `{name}`") });
    }
    for tolerance in matrix.tolerances.values() {
        let line = lines.line("tolerance", &tolerance.name);
        let mut say = |message| problems.push(Problem { line, message });
        tolerance.too_wide().into_iter().for_each(|wide| say(format!("tolerance `{}`: {wide}", tolerance.name)));
        let cited = tolerance.cite.as_deref().is_some_and(|cite| cite.starts_with("https://"));
        if tolerance.published.is_empty() == cited {
            say(format!("tolerance `{}`: what is published is cited, and nothing else", tolerance.name));
        }
        for name in tolerance.ulp.keys().chain(tolerance.published.keys()).filter(|n| n.parse::<DType>().is_err()) {
            let line = lines.line("tolerance", &tolerance.name);
            problems.push(Problem { line, message: format!("no dtype is called `{name}`") });
        }
    }
    for (family, line) in &lines.expected {
        if !matrix.ops.iter().any(|op| op.family == *family) {
            problems.push(Problem { line: *line, message: format!("no operation is of the family `{family}`") });
        }
    }
    for hole in &matrix.holes {
        let line = lines.line("holes of the family", &hole.family);
        let mut say = |message: &str| problems.push(Problem { line, message: message.into() });
        if !is_day(&hole.since) || hole.reason.trim().is_empty() {
            say("holes have a reason and the day since when: `2026-01-31`");
        }
        if !matrix.ops.iter().any(|op| op.family == hole.family) {
            say(&format!("no operation is of the family `{}`", hole.family));
        }
    }
    for failing in &matrix.failing {
        let line = lines.line("failing case", &format!("{} on {}", failing.id, failing.device));
        let mut say = |message| problems.push(Problem { line, message });
        if !["sim", "cuda"].contains(&failing.device.as_str()) {
            say(format!("`{}` is neither `sim` nor `cuda`", failing.device));
        }
        if failing.reason.trim().is_empty() || !is_day(&failing.since) {
            say("a case that is known to fail has a reason and the day since when: `2026-01-31`".into());
        }
    }
    for divergence in &matrix.divergences {
        let line = lines.line("divergence", &divergence.id);
        let say = |message| Problem { line, message: format!("divergence `{}`: {message}", divergence.id) };
        problems.extend(divergence.problems(matrix).into_iter().map(say));
    }
    let has_divergences = !matrix.divergences.is_empty();
    for topic in TOPICS.iter().filter(|t| has_divergences && !matrix.divergences.iter().any(|d| d.topic == **t)) {
        problems.push(Problem { line: 1, message: format!("no entry is of the topic `{topic}`") });
    }
}
