//! Errors in units in the last place, by operation, and relative to the matrix's tolerances.

use std::collections::BTreeMap;
use std::fmt::Write;

use cuprum_kernels::DType;

use super::{CaseResult, Report};
use crate::judge::Histogram;
use crate::matrix::{Matrix, Model, Op};

/// The errors of one operation in one dtype.
#[derive(Clone, Copy, Debug, Default)]
pub struct Errors<'a> {
    /// The largest error.
    pub worst: f64,
    /// The case of the largest error.
    pub id: &'a str,
    /// The histogram of all errors.
    pub histogram: Histogram,
}

impl Errors<'_> {
    /// Returns the classes of the histogram in percent.
    pub fn shares(&self) -> [f64; 6] {
        let total = self.histogram.0.iter().sum::<u64>().max(1) as f64;
        self.histogram.0.map(|n| 100.0 * n as f64 / total)
    }

    /// Formats the histogram as text.
    pub fn words(&self) -> String {
        let [exact, half, one, two, four, more] = self.histogram.0;
        format!("{exact} exact, {half} up to 0.5, {one} up to 1, {two} up to 2, {four} up to 4, {more} beyond")
    }
}

/// Formats a number of units with few digits.
pub fn shown(error: f64) -> String {
    if error.fract() == 0.0 { format!("{error}") } else { format!("{error:.2}") }
}

/// Returns the errors of each operation by the dtype of the result, for the cases that passed.
pub fn errors(cases: &[CaseResult]) -> BTreeMap<(&str, DType), Errors<'_>> {
    let mut all: BTreeMap<(&str, DType), Errors<'_>> = BTreeMap::new();
    for case in cases.iter().filter(|c| c.failure.is_none()) {
        let (Ok(dtype), Some(error)) = (case.result.parse(), case.error) else { continue };
        let found = all.entry((&case.op, dtype)).or_insert(Errors { id: &case.id, ..Errors::default() });
        if error > found.worst {
            (found.worst, found.id) = (error, &case.id);
        }
        found.histogram.add(&case.histogram);
    }
    all
}

/// A budget of the matrix, and the part of it that was used.
#[derive(Clone, Debug, PartialEq)]
pub struct Budget<'a> {
    /// The tolerance.
    pub tolerance: &'a str,
    /// The dtype of the budget.
    pub dtype: DType,
    /// Permitted units in the last place.
    pub allowed: u64,
    /// The largest measured error, and its case; `None` where no case used the budget.
    pub measured: Option<(f64, &'a str)>,
}

impl Budget<'_> {
    /// Returns true if half of the budget, or none of it, would be enough.
    pub fn is_wide(&self) -> bool {
        self.measured.is_none_or(|(error, _)| error <= (self.allowed / 2) as f64)
    }
}

/// Returns how much of each budget of the matrix the reports used.
pub fn budgets<'a>(matrix: &'a Matrix, reports: &'a [Report]) -> Vec<Budget<'a>> {
    let mut used: BTreeMap<(&str, DType), (f64, &str)> = BTreeMap::new();
    for case in reports.iter().flat_map(|r| &r.cases).filter(|c| c.failure.is_none() && !c.rejected) {
        let (Ok(result), Some(error), Some(op)) = (case.result.parse::<DType>(), case.error, matrix.op(&case.op))
        else {
            continue;
        };
        let tolerance = matrix.tolerance(op);
        let operands: Vec<DType> = case.dtypes.split('-').filter_map(|d| d.parse().ok()).collect();
        // A bound that is derived from the operands has other units.
        if tolerance.model == Model::Truncated {
            continue;
        }
        if tolerance.model == Model::Derived && (result.is_complex() || operands.iter().any(|d| d.is_complex())) {
            continue;
        }
        // For an error that is relative to terms only its fraction of the tolerance shows how wide the budget is.
        let budget = tolerance.budget_of(result, &operands);
        let error = match tolerance.model {
            Model::Scaled => case.share * tolerance.ulp(result, &operands) as f64,
            _ => error,
        };
        let worst = used.entry((&tolerance.name, budget)).or_insert((error, &case.id));
        if error > worst.0 {
            *worst = (error, &case.id);
        }
    }
    let mut all = vec![];
    for tolerance in matrix.tolerances.values() {
        for (name, &allowed) in &tolerance.ulp {
            let Ok(dtype) = name.parse::<DType>() else { continue };
            // Functions of one operand are tested elsewhere on all 16-bit numbers, and these budgets with them.
            let unary = |op: &Op| op.operands == 1 && op.tolerance == tolerance.name;
            if dtype.size() == 2 && matrix.ops.iter().any(unary) {
                continue;
            }
            let measured = used.get(&(tolerance.name.as_str(), dtype)).copied();
            all.push(Budget { tolerance: &tolerance.name, dtype, allowed, measured });
        }
    }
    all
}

/// Formats the budgets as a table in Markdown.
pub fn table(budgets: &[Budget<'_>]) -> String {
    let mut out = String::from("| tolerance | dtype | allowed | measured | |\n|---|---|---|---|---|\n");
    for budget in budgets {
        let (error, id) = budget.measured.map_or(("never".into(), ""), |(e, id)| (shown(e), id));
        let mark = if budget.is_wide() { "too wide" } else { "" };
        let (name, dtype) = (budget.tolerance, budget.dtype.device_name());
        let _ = writeln!(out, "| {name} | {dtype} | {} | {error} | {mark} {id} |", budget.allowed);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_that_could_be_halved_is_too_wide() {
        let budget =
            |allowed, error| Budget { tolerance: "t", dtype: DType::F32, allowed, measured: Some((error, "a/case")) };
        assert!(budget(4, 2.0).is_wide() && budget(1, 0.0).is_wide() && budget(3, 1.0).is_wide());
        assert!(!budget(4, 2.5).is_wide() && !budget(1, 1.0).is_wide() && !budget(3, 1.5).is_wide());
        assert!(Budget { measured: None, ..budget(1, 0.0) }.is_wide());
    }

    #[test]
    fn a_budget_relative_to_terms_is_measured_by_its_share() {
        let matrix = Matrix::built_in().expect("the matrix of this checkout is right");
        let (op, dtypes, result) = ("kl_div".into(), "f64-f64".into(), "f64".into());
        let cases = vec![CaseResult { op, dtypes, result, error: Some(1000.0), share: 0.25, ..CaseResult::default() }];
        let reports = [Report { cases, ..crate::report::tests::sample() }];
        let all = budgets(&matrix, &reports);
        let terms = all.iter().find(|b| b.tolerance == "terms" && b.dtype == DType::F64).expect("kl_div's budget");
        assert_eq!(terms.measured.map(|(error, _)| error), Some(terms.allowed as f64 / 4.0));
        assert!(terms.is_wide());
    }

    #[test]
    fn the_worst_case_and_all_elements_are_kept() {
        let report = crate::report::tests::sample();
        let all = errors(&report.cases);
        let add = all[&("add", DType::F32)];
        assert_eq!((add.worst, add.histogram.0), (1.5, [9, 0, 0, 1, 0, 0]), "the case that failed does not count");
        assert_eq!(add.shares()[3], 10.0);
    }
}
