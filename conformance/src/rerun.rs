//! Repeated execution of cases: a case whose second result differs is a defect, and reported as one.

use std::collections::HashMap;

use crate::judge::{Failure, Reason};
use crate::random::hash;
use crate::report::CaseResult;

/// One in this many of the passing cases is run again.
const ONE_IN: u64 = 50;
/// Maximum number of failures that are run again; with more, the cause is not a flaky case.
const FAILURES: usize = 200;

/// Chooses the cases to run again: failures, and a seeded sample of those that passed.
pub fn chosen(results: &[CaseResult], seed: u64) -> Vec<String> {
    let again = |r: &&CaseResult| r.failure.as_ref().is_some_and(|f| !settled(f.reason));
    let failures = results.iter().filter(again).take(FAILURES);
    let sampled =
        |r: &&CaseResult| r.failure.is_none() && hash(format!("again {seed} {}", r.id)).is_multiple_of(ONE_IN);
    failures.chain(results.iter().filter(sampled)).map(|r| r.id.clone()).collect()
}

/// Returns true if a failure was confirmed where it was found.
fn settled(reason: Reason) -> bool {
    matches!(reason, Reason::Crash | Reason::Hang | Reason::Flaky)
}

/// Marks the cases whose second result differs.
pub fn judge(results: &mut [CaseResult], again: Vec<CaseResult>) {
    let again: HashMap<String, CaseResult> = again.into_iter().map(|r| (r.id.clone(), r)).collect();
    for result in results {
        let Some(second) = again.get(&result.id) else { continue };
        let said =
            |r: &CaseResult| r.failure.as_ref().map_or("passed".to_string(), |f| format!("failed ({})", f.message));
        let verdicts = |r: &CaseResult| r.failure.as_ref().map(|f| f.reason);
        let message = if verdicts(result) != verdicts(second) {
            format!("it {} and, run again, {}", said(result), said(second))
        } else if result.digest != second.digest {
            format!("it {} twice, with other bits: {} and {}", said(result), result.digest, second.digest)
        } else {
            continue;
        };
        let test = result.failure.take().and_then(|f| f.test);
        result.failure = Some(Failure { test, ..Failure::new(Reason::Flaky, message) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(id: usize, failure: Option<Reason>, digest: &str) -> CaseResult {
        let failure = failure.map(|reason| Failure::new(reason, "wrong".into()));
        CaseResult { id: format!("m/o/{id}"), failure, digest: digest.into(), ..CaseResult::default() }
    }

    #[test]
    fn failures_and_a_part_of_the_rest_are_run_again() {
        let mut results: Vec<CaseResult> = (0..5000).map(|i| case(i, None, "a")).collect();
        results.push(case(9000, Some(Reason::Value), "a"));
        results.push(case(9001, Some(Reason::Hang), "a"));
        let ids = chosen(&results, 1);
        assert!((50..200).contains(&ids.len()), "{}", ids.len());
        assert!(ids.contains(&"m/o/9000".into()) && !ids.contains(&"m/o/9001".into()));
        assert_eq!(ids, chosen(&results, 1));
        assert_ne!(ids, chosen(&results, 2));
    }

    #[test]
    fn what_wavers_is_marked_and_nothing_else() {
        let wrong = Some(Reason::Value);
        let mut results = vec![case(0, None, "a"), case(1, None, "a"), case(2, wrong, "a"), case(3, wrong, "a")];
        judge(&mut results, vec![case(0, None, "a"), case(1, None, "b"), case(2, None, "c"), case(3, wrong, "a")]);
        let reasons: Vec<_> = results.iter().map(|r| r.failure.as_ref().map(|f| f.reason)).collect();
        assert_eq!(reasons, [None, Some(Reason::Flaky), Some(Reason::Flaky), wrong]);
        assert!(results[2].failure.as_ref().unwrap().message.contains("run again, passed"));
    }
}
