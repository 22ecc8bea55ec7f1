//! The oracle, whose results are compared with NumPy's replies in passing.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::Mutex;

use super::proof::{Difference, Proof, held};
use super::replies::{Replies, Reply, said};
use crate::case::Case;
use crate::matrix::{Matrix, Op};
use crate::operand::Input;
use crate::outcome::{Outcome, Tensor};
use crate::reference::Reference;
use crate::side::Side;

/// A reply, its stored elements, and the version that gave it.
type Recorded<'a> = (&'a Reply, &'a [u8], &'a str);

/// The oracle as a [`Side`]. The result of each case that has a recorded reply is compared with it, so that a run of the
/// suite against a device computes the oracle's results once for both comparisons. Replies must be those of versions
/// that the oracle follows by default: NumPy 2.4's and SciPy's.
pub struct RecordedOracle<'a> {
    matrix: &'a Matrix,
    replies: HashMap<&'a str, Recorded<'a>>,
    /// The cases that were compared, and their differences.
    compared: Mutex<(HashSet<&'a str>, Vec<Difference>)>,
}

impl fmt::Debug for RecordedOracle<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecordedOracle").field("replies", &self.replies.len()).finish_non_exhaustive()
    }
}

impl<'a> RecordedOracle<'a> {
    /// Builds the oracle with the replies to cases whose operands have the matrix's seed.
    pub fn new(matrix: &'a Matrix, replies: &'a [Replies]) -> RecordedOracle<'a> {
        let seeded = |of: &'a Replies| {
            let own = of.each().filter(|(reply, _)| reply.seed == matrix.seed);
            own.map(|(reply, elements)| (reply.id.as_str(), (reply, elements, of.numpy.as_str())))
        };
        let replies = replies.iter().flat_map(seeded).collect();
        RecordedOracle { matrix, replies, compared: Mutex::default() }
    }

    /// Returns true if there is a reply to a case.
    pub fn has(&self, id: &str) -> bool {
        self.replies.contains_key(id)
    }

    /// Returns the number of different cases that were compared with replies.
    pub fn compared(&self) -> usize {
        self.compared.lock().map_or(0, |compared| compared.0.len())
    }

    /// Returns the differences of these cases from the replies.
    pub fn differences(&self, cases: &[Case]) -> Vec<Difference> {
        let Ok(compared) = self.compared.lock() else { return vec![] };
        let all = &compared.1;
        if all.is_empty() {
            return vec![];
        }
        let ids: HashSet<String> = cases.iter().map(Case::id).collect();
        all.iter().filter(|difference| ids.contains(&difference.id)).cloned().collect()
    }
}

impl Side for RecordedOracle<'_> {
    fn run(&self, op: &Op, case: &Case, inputs: &[Input]) -> Outcome {
        let outcome = Reference.run(op, case, inputs);
        if let Some((&id, &(reply, elements, version))) = self.replies.get_key_value(case.id().as_str()) {
            let numpy = |oracle: &Outcome| said(&reply.said, elements, oracle);
            let mut proof = Proof { numpy: version.into(), ..Proof::default() };
            let of = (op, case, inputs);
            held(self.matrix, of, (&numpy, reply.scalar), version, Some(&outcome), &mut proof);
            if let Ok(mut compared) = self.compared.lock() {
                compared.0.insert(id);
                compared.1.extend(proof.differences);
            }
        }
        outcome
    }

    fn bounds(&self, op: &Op, case: &Case, inputs: &[Input]) -> Option<Vec<f64>> {
        Reference.bounds(op, case, inputs)
    }

    fn remainders(
        &self,
        op: &Op,
        case: &Case,
        inputs: &[Input],
        got: &Outcome,
    ) -> Option<Result<Vec<(String, f64)>, String>> {
        Reference.remainders(op, case, inputs, got)
    }

    fn gives_scalar(&self, op: &Op, case: &Case, outcome: &Outcome) -> bool {
        Reference.gives_scalar(op, case, outcome)
    }

    fn scales(
        &self,
        op: &Op,
        inputs: &[Input],
        want: &Tensor,
        is_compared: &dyn Fn(usize) -> bool,
    ) -> Option<Vec<(f64, Option<f64>)>> {
        Reference.scales(op, inputs, want, is_compared)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operand::inputs;

    #[test]
    fn a_result_that_differs_from_its_reply_is_a_difference_of_its_case_alone() {
        let matrix = Matrix::built_in().unwrap();
        let cases: Vec<Case> = ["math/negative/f32/(5,)/C/small", "math/negative/f64/(5,)/C/small"]
            .iter()
            .map(|id| Case::parse(id, &matrix).unwrap())
            .collect();
        let zeros: Vec<u8> = vec![0; 20];
        let wrong = Outcome::Array(Tensor::packed(cuprum_kernels::DType::F32, &[5], zeros));
        let replies = [Replies::of("2.4.6", &cases[0].id(), matrix.seed, &wrong)];
        let oracle = RecordedOracle::new(&matrix, &replies);
        for case in &cases {
            oracle.run(matrix.op(&case.op).unwrap(), case, &inputs(case, matrix.seed).unwrap());
        }
        assert_eq!(oracle.compared(), 1);
        assert!(oracle.has(&cases[0].id()) && !oracle.has(&cases[1].id()));
        assert_eq!(oracle.differences(&cases[..1]).len(), 1);
        assert!(oracle.differences(&cases[1..]).is_empty());
    }
}
