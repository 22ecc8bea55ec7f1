//! The cases that are to find a fault: the cheapest first, up to the first that fails.

use serde::{Deserialize, Serialize};

use crate::case::{Case, Operand};
use crate::report::CaseResult;
use crate::run::Run;

/// What a hunt came to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Hunt {
    /// The cases that were carried out.
    pub cases: usize,
    /// The one that failed.
    pub failed: Option<CaseResult>,
}

/// Elements of the operands.
fn cost(case: &Case) -> usize {
    let size = |operand: &Operand| match operand {
        Operand::Array { shape, .. } => shape.size(),
        Operand::Scalar(_) => 0,
    };
    case.operands.iter().map(size).sum()
}

/// Carries the cases out.
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
