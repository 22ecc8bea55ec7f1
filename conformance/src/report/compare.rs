//! Comparison of two consecutive runs: fixed, broken, new, missing and slower cases.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::{About, CaseResult, Report};
use crate::judge::Reason;

/// A case is slower if it takes more than this many times its previous time, …
const TIMES: u64 = 2;
/// … and more than this many microseconds more: small times are noise.
const MICROS: u64 = 100_000;
/// Number of cases that a section names; the rest is counted.
const SHOWN: usize = 200;

/// The differences between two runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Changes<'a> {
    /// Cases that failed and pass.
    pub fixed: Vec<&'a CaseResult>,
    /// Cases that passed and fail, and new ones that fail.
    pub broken: Vec<&'a CaseResult>,
    /// Cases of the second run only.
    pub new: Vec<&'a CaseResult>,
    /// Cases of the first run only.
    pub vanished: Vec<&'a CaseResult>,
    /// Cases whose second execution gave another result, in either run.
    pub flaky: Vec<&'a CaseResult>,
    /// Slower cases, with their time in the first run.
    pub slower: Vec<(&'a CaseResult, u64)>,
    /// Cases that fail in both.
    pub failing: usize,
    /// Cases of both runs.
    pub common: usize,
}

fn is_flaky(case: &CaseResult) -> bool {
    case.failure.as_ref().is_some_and(|f| f.reason == Reason::Flaky)
}

/// Returns true if a case passed: one that is known to fail did not.
fn passed(case: &CaseResult) -> bool {
    case.failure.is_none() && case.known.is_none()
}

/// Compares two runs.
pub fn changes<'a>(a: &'a Report, b: &'a Report) -> Changes<'a> {
    let by_id = |report: &'a Report| -> BTreeMap<&str, &CaseResult> {
        report.cases.iter().map(|c| (c.id.as_str(), c)).collect()
    };
    let (before, after) = (by_id(a), by_id(b));
    let mut changes = Changes::default();
    for (id, case) in &after {
        let earlier = before.get(id);
        match earlier {
            None => changes.new.push(case),
            Some(earlier) => {
                changes.common += 1;
                if case.micros > TIMES * earlier.micros && case.micros > earlier.micros + MICROS {
                    changes.slower.push((case, earlier.micros));
                }
            }
        }
        let was_flaky = earlier.is_some_and(|c| is_flaky(c));
        match (earlier.is_none_or(|c| passed(c)), passed(case)) {
            _ if is_flaky(case) || was_flaky => changes.flaky.push(case),
            (true, false) => changes.broken.push(case),
            (false, true) => changes.fixed.push(case),
            (false, false) => changes.failing += 1,
            (true, true) => {}
        }
    }
    changes.vanished = before.iter().filter(|(id, _)| !after.contains_key(*id)).map(|(_, case)| *case).collect();
    changes.slower.sort_by_key(|(case, earlier)| std::cmp::Reverse(case.micros - earlier));
    changes
}

impl Changes<'_> {
    /// Returns true if no case broke and none is missing.
    pub fn is_good(&self) -> bool {
        self.broken.is_empty() && self.vanished.is_empty()
    }
}

fn section<'a>(out: &mut String, title: &str, lines: impl ExactSizeIterator<Item = (&'a CaseResult, String)>) {
    let n = lines.len();
    if n == 0 {
        return;
    }
    let _ = writeln!(out, "\n### {title} ({n})\n");
    for (case, what) in lines.take(SHOWN) {
        let _ = writeln!(out, "- `{}`{}{what}", case.id, if what.is_empty() { "" } else { ": " });
    }
    if n > SHOWN {
        let _ = writeln!(out, "- … and {} more", n - SHOWN);
    }
}

/// Describes a failure on one line.
fn why(case: &CaseResult) -> String {
    match (&case.failure, &case.known) {
        (Some(failure), _) => failure.message.split_whitespace().collect::<Vec<_>>().join(" ").replace('`', "'"),
        (None, Some(reason)) => format!("known to fail: {reason}"),
        (None, None) => String::new(),
    }
}

fn head(about: &About) -> String {
    let part = if about.part.is_empty() { String::new() } else { format!(", only {}", about.part) };
    let kind = if about.full { "full" } else { "default" };
    format!("{} on {}, {kind}{part}, seed {}, {}", about.commit, about.device, about.seed, about.date)
}

/// Formats the comparison as Markdown.
pub fn markdown(a: &Report, b: &Report) -> String {
    let changes = changes(a, b);
    let mut out = format!("## Conformance: {}\n\n", if changes.is_good() { "nothing broke" } else { "worse" });
    let _ = writeln!(out, "- before: {} ({} cases)", head(&a.about), a.cases.len());
    let _ = writeln!(out, "- after: {} ({} cases)\n", head(&b.about), b.cases.len());
    if (a.about.seed, a.about.full, &a.about.part) != (b.about.seed, b.about.full, &b.about.part) {
        out.push_str("The two runs chose their cases differently: new and vanished say no more than that.\n\n");
    }
    out.push_str("| broken | vanished | flaky | fixed | new | slower | failing in both | in both |\n|--:|--:|--:|--:|--:|--:|--:|--:|\n");
    let Changes { fixed, broken, new, vanished, flaky, slower, failing, common } = &changes;
    let n = [broken.len(), vanished.len(), flaky.len(), fixed.len(), new.len(), slower.len(), *failing, *common];
    let _ = writeln!(out, "| {} |", n.map(|n| n.to_string()).join(" | "));
    section(&mut out, "Broken", broken.iter().map(|c| (*c, why(c))));
    section(&mut out, "Vanished", vanished.iter().map(|c| (*c, String::new())));
    section(&mut out, "Flaky", flaky.iter().map(|c| (*c, why(c))));
    section(&mut out, "Fixed", fixed.iter().map(|c| (*c, String::new())));
    section(
        &mut out,
        "Slower",
        slower.iter().map(|(c, was)| (*c, format!("{} ms, was {} ms", c.micros / 1000, was / 1000))),
    );
    // A new operation adds hundreds of cases: they are grouped by operation.
    let mut ops: BTreeMap<String, (usize, BTreeSet<&str>)> = BTreeMap::new();
    for case in new {
        let (count, dtypes) = ops.entry(format!("{}/{}", case.family, case.op)).or_default();
        *count += 1;
        dtypes.insert(&case.dtypes);
    }
    if !ops.is_empty() {
        let _ = writeln!(out, "\n### New ({})\n", new.len());
        for (op, (count, dtypes)) in ops {
            let _ = writeln!(out, "- `{op}`: {count} cases of {} tuples of dtypes", dtypes.len());
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Failure;

    fn case(id: &str, fails: Option<Reason>, ms: u64) -> CaseResult {
        let failure = fails.map(|reason| Failure::new(reason, "wrong\n  here".into()));
        let mut parts = id.split('/').map(String::from);
        let mut part = || parts.next().unwrap_or_default();
        let (family, op) = (part(), part());
        CaseResult { id: id.into(), family, op, failure, micros: 1000 * ms, ..CaseResult::default() }
    }

    fn run(cases: Vec<CaseResult>) -> Report {
        Report { about: About { device: "sim".into(), ..About::default() }, cases }
    }

    fn ids(cases: &[&CaseResult]) -> Vec<String> {
        cases.iter().map(|c| c.id.clone()).collect()
    }

    #[test]
    fn every_change_is_in_its_class() {
        let wrong = Some(Reason::Value);
        let a = run(vec![
            case("m/o/same", None, 1),
            case("m/o/fixed", wrong, 1),
            case("m/o/breaks", None, 1),
            case("m/o/gone", None, 1),
            case("m/o/wavers", None, 1),
            case("m/o/slow", None, 100),
            case("m/o/twice a little", None, 10),
            case("m/o/wrong", wrong, 1),
        ]);
        let b = run(vec![
            case("m/o/same", None, 1),
            case("m/o/fixed", None, 1),
            case("m/o/breaks", wrong, 1),
            case("m/o/wavers", Some(Reason::Flaky), 1),
            case("m/o/slow", None, 250),
            case("m/o/twice a little", None, 90),
            case("m/o/wrong", wrong, 1),
            case("m/p/added", None, 1),
            case("m/p/added and wrong", wrong, 1),
        ]);
        let found = changes(&a, &b);
        assert_eq!(ids(&found.fixed), ["m/o/fixed"]);
        assert_eq!(ids(&found.broken), ["m/o/breaks", "m/p/added and wrong"]);
        assert_eq!(ids(&found.vanished), ["m/o/gone"]);
        assert_eq!(ids(&found.new), ["m/p/added", "m/p/added and wrong"]);
        assert_eq!(ids(&found.flaky), ["m/o/wavers"]);
        assert_eq!(
            found.slower.iter().map(|(c, was)| (c.id.as_str(), *was)).collect::<Vec<_>>(),
            [("m/o/slow", 100_000)]
        );
        assert_eq!((found.failing, found.common), (1, 7));
        assert!(!found.is_good());
        let text = markdown(&a, &b);
        for line in [
            "| 2 | 1 | 1 | 1 | 2 | 1 | 1 | 7 |",
            "- `m/o/breaks`: wrong here",
            "### Vanished (1)\n\n- `m/o/gone`\n",
            "- `m/o/slow`: 250 ms, was 100 ms",
            "- `m/p`: 2 cases",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
    }

    #[test]
    fn a_run_beside_itself_is_good_and_fixing_is_no_reason_to_fail() {
        let (a, b) = (run(vec![case("m/o/x", Some(Reason::Value), 1)]), run(vec![case("m/o/x", None, 1)]));
        assert!(changes(&a, &a).is_good() && changes(&a, &b).is_good() && !changes(&b, &a).is_good());
        assert!(!changes(&b, &run(vec![])).is_good(), "what vanished is no pass");
        assert!(markdown(&a, &a).contains("nothing broke"));
    }

    #[test]
    fn a_case_that_became_a_known_failure_broke() {
        let known = CaseResult { known: Some("a driver's".into()), ..case("m/o/x", None, 1) };
        let (a, b) = (run(vec![case("m/o/x", None, 1)]), run(vec![known]));
        assert_eq!(ids(&changes(&a, &b).broken), ["m/o/x"]);
        assert!(markdown(&a, &b).contains("known to fail: a driver's"));
    }
}
