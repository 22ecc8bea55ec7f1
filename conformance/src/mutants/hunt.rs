//! Runs the cases that should detect a fault: the cheapest first, up to the first that fails.

use serde::{Deserialize, Serialize};

use crate::case::{Case, Operand};
use crate::report::CaseResult;
use crate::run::Run;

/// The result of a hunt.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Hunt {
    /// Number of executed cases.
    pub cases: usize,
    /// The case that failed.
    pub failed: Option<CaseResult>,
}

/// Returns the number of elements of the operands.
fn cost(case: &Case) -> usize {
    let size = |operand: &Operand| match operand {
        Operand::Array { shape, .. } => shape.size(),
        Operand::Scalar(_) => 0,
    };
    case.operands.iter().map(size).sum()
}

/// Executes the cases.
pub fn hunt(run: &Run<'_>, mut cases: Vec<Case>) -> Hunt {
    cases.sort_by_key(cost);
    let mut hunt = Hunt::default();
    for case in &cases {
        hunt.cases += 1;
        let result = run.case(case);
        if result.failure.is_some() {
            hunt.failed = Some(result);
            break;
        }
    }
    hunt
}
