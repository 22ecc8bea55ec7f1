//! Known failures of a device: such cases do not fail the run, unless they pass.

use crate::judge::{Failure, Reason};
use crate::matrix::{Failing, Matrix};
use crate::report::CaseResult;

/// Returns true if an entry applies to this device: `cuda` applies to `cuda:0`.
fn concerns(entry: &Failing, device: &str) -> bool {
    device.split(':').next() == Some(entry.device.as_str())
}

/// Inverts the results of cases that are listed as failing.
pub fn apply(matrix: &Matrix, device: &str, results: &mut [CaseResult]) {
    for entry in matrix.failing.iter().filter(|e| concerns(e, device)) {
        for result in results.iter_mut().filter(|r| r.id == entry.id && r.known.is_none()) {
            result.known = Some(entry.reason.clone());
            result.failure = match result.failure.take() {
                // A failure for another reason remains a failure.
                Some(failure) if failure.reason != entry.fails => Some(failure),
                Some(_) => None,
                None => {
                    let message = format!("it passes, but is listed as failing ({}): take the entry out", entry.reason);
                    Some(Failure::new(Reason::Improved, message))
                }
            };
        }
    }
}

/// Returns entries that name no case of the default sample.
pub fn stale<'a>(matrix: &'a Matrix, ids: &[String]) -> Vec<&'a str> {
    matrix.failing.iter().map(|e| e.id.as_str()).filter(|id| !ids.iter().any(|i| i == id)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(id: &str) -> Failing {
        Failing {
            id: id.into(),
            device: "cuda".into(),
            fails: Reason::Value,
            since: "2026-01-31".into(),
            reason: "known".into(),
        }
    }

    #[test]
    fn a_known_failure_passes_and_a_pass_in_its_place_fails() {
        let sample = crate::report::tests::sample();
        let (passing, failing) = (&sample.cases[0].id, &sample.cases[1].id);
        let matrix = Matrix { failing: vec![entry(passing), entry(failing)], ..Matrix::default() };
        let judged = |device: &str| {
            let mut cases = sample.cases.clone();
            apply(&matrix, device, &mut cases);
            cases
        };
        assert_eq!(judged("sim"), sample.cases, "the entries are about another device");
        let judged = judged("cuda:1");
        assert_eq!(judged[0].failure.as_ref().map(|f| f.reason), Some(Reason::Improved));
        assert_eq!((judged[1].failure.as_ref(), judged[1].known.as_deref()), (None, Some("known")));
        assert_eq!(judged[2], sample.cases[2]);
    }

    #[test]
    fn another_fault_than_the_known_one_is_a_failure() {
        let mut cases = crate::report::tests::sample().cases;
        let other = Failing { fails: Reason::Dtype, ..entry(&cases[1].id) };
        apply(&Matrix { failing: vec![other], ..Matrix::default() }, "cuda:0", &mut cases);
        assert_eq!(cases[1].failure.as_ref().map(|f| f.reason), Some(Reason::Value));
    }

    #[test]
    fn an_entry_of_a_case_that_is_gone_is_stale() {
        let matrix = Matrix { failing: vec![entry("a/case"), entry("gone")], ..Matrix::default() };
        assert_eq!(stale(&matrix, &["a/case".into()]), ["gone"]);
    }
}
