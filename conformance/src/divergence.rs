//! Where the device differs from NumPy on purpose: both sides of each entry are carried out and asserted.

use cuprum_kernels::DType;

use crate::case::{Case, Expectation, Layout, Operand, ValueSet};
use crate::judge::{Allowance, Failure, Reason, judge};
use crate::matrix::{Divergence, Literal};
use crate::operand::{Input, place};
use crate::outcome::{Number, Outcome, Tensor};
use crate::random::Rng;
use crate::report::CaseResult;
use crate::run::{Run, guarded};
use crate::text::Shape;

/// The family of the results of divergences.
pub const FAMILY: &str = "divergence";

/// The id of a divergence's result.
pub fn id(divergence: &Divergence) -> String {
    format!("{FAMILY}/{}", divergence.id)
}

fn tensor(literal: &Literal) -> Result<Tensor, String> {
    let dtype: DType = literal.dtype.parse().map_err(|e| format!("{e}"))?;
    let number = |x: &f64| if dtype.is_float() { Number::Float(*x) } else { Number::Int(*x as i128) };
    let bytes = literal.values.iter().flat_map(|x| number(x).encode(dtype)).collect();
    Ok(Tensor::packed(dtype, &[literal.values.len()], bytes))
}

impl Run<'_> {
    /// Carries out the example of a divergence: the device must give `ours`, the oracle `numpy`.
    pub fn divergence(&self, divergence: &Divergence) -> CaseResult {
        let (failure, got) = match self.both(divergence) {
            Ok((failure, got)) => (failure, Some(got)),
            Err(message) => (Some(Failure::new(Reason::Broken, message)), None),
        };
        CaseResult {
            id: id(divergence),
            family: FAMILY.into(),
            op: divergence.op.clone(),
            failure,
            digest: format!("{:016x}", got.map_or(0, |o| o.digest())),
            ..CaseResult::default()
        }
    }

    fn both(&self, divergence: &Divergence) -> Result<(Option<Failure>, Outcome), String> {
        let op = self.matrix.op(&divergence.op).ok_or_else(|| format!("no operation is called {}", divergence.op))?;
        let (mut operands, mut inputs) = (vec![], vec![]);
        for literal in &divergence.operands {
            let Tensor { dtype, shape, bytes, .. } = tensor(literal)?;
            let shape = Shape(shape);
            let mut rng = Rng::new(self.seed, &divergence.id);
            inputs.push(Input::Array(Box::new(place(dtype, &shape, Layout::C, &bytes, &mut rng))));
            operands.push(Operand::Array { dtype, shape, layout: Layout::C });
        }
        let params = divergence.params.clone();
        let case =
            Case { family: FAMILY.into(), op: op.name.clone(), operands, values: ValueSet::Small.into(), params };
        let got = guarded(self.device, op, &case, &inputs);
        let numpy = guarded(self.oracle, op, &case, &inputs);
        let side = |name: &str, outcome: &Outcome, want: &Literal| -> Result<Option<Failure>, String> {
            let mut want = tensor(want)?;
            if let Outcome::Array(given) = outcome {
                // Where the oracle leaves an element open, it cannot speak for NumPy; the layout is not the point here.
                want.freedom = given.freedom.clone();
                want.shape.clone_from(&given.shape);
                want.strides.clone_from(&given.strides);
            }
            let verdict = judge(outcome, &Outcome::Array(want), Expectation::Agreement, &Allowance::default());
            Ok(verdict.failure.map(|f| Failure { message: format!("the {name} side: {}", f.message), ..f }))
        };
        let failure = match side("device", &got, &divergence.ours)? {
            Some(failure) => Some(failure),
            None => side("NumPy", &numpy, &divergence.numpy)?,
        };
        Ok((failure, got))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::{Matrix, Op};
    use crate::run::Side;

    /// Gives one int32, whatever it is asked.
    struct Gives(i128);

    impl Side for Gives {
        fn run(&self, _: &Op, _: &Case, _: &[Input]) -> Outcome {
            Outcome::Array(Tensor::packed(DType::I32, &[1], Number::Int(self.0).encode(DType::I32)))
        }
    }

    fn failure(ours: i128, numpy: i128) -> Option<String> {
        let matrix = Matrix::built_in().unwrap();
        let row = |dtype: &str, x: f64| Literal { dtype: dtype.into(), values: vec![x] };
        let divergence = Divergence {
            id: "example".into(),
            op: "astype".into(),
            when: String::new(),
            operands: vec![row("f32", 5e9)],
            params: "to=i32".parse().unwrap(),
            numpy: row("i32", 1.0),
            ours: row("i32", 2.0),
            cite: "here".into(),
            since: "0.1".into(),
        };
        let (device, oracle) = (Gives(ours), Gives(numpy));
        let run = Run { matrix: &matrix, seed: 1, device: &device, oracle: &oracle };
        run.divergence(&divergence).failure.map(|f| f.message)
    }

    #[test]
    fn both_sides_are_asserted() {
        assert_eq!(failure(2, 1), None);
        assert!(failure(1, 1).unwrap().contains("the device side"));
        assert!(failure(2, 2).unwrap().contains("the NumPy side"));
    }
}
