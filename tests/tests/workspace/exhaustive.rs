//! Tests of every unary function on every float16 and every bfloat16 number, against the oracle and within the
//! function's budget in `matrix.yaml`.

use std::collections::BTreeMap;
use std::sync::Mutex;

use cuprum_conformance::Matrix;
use cuprum_conformance::case::{Case, Expectation, Layout, Operand, ValueSet};
use cuprum_conformance::judge::{Allowance, judge};
use cuprum_conformance::matrix::{Op, OpKind};
use cuprum_conformance::operand::{Input, lay_out};
use cuprum_conformance::outcome::Outcome;
use cuprum_conformance::random::Rng;
use cuprum_conformance::reference::Reference;
use cuprum_conformance::side::Side;
use cuprum_conformance::subject::Subject;
use cuprum_conformance::text::{Params, Shape};
use cuprum_kernels::DType;
use cuprum_kernels::registry::UfuncId;

/// A tolerance and a dtype of results.
type Budget<'a> = (&'a str, DType);

/// The number of values of a 16-bit type.
const NUMBERS: usize = 1 << 16;

/// Compares the results of a function on all numbers of a type; dtypes that are not supported must be rejected. Returns
/// the applied budget and the largest error.
fn check<'a>(
    matrix: &'a Matrix,
    subject: &Subject,
    op: &Op,
    dtype: DType,
) -> Result<Option<(Budget<'a>, f64)>, String> {
    let shape = Shape(vec![NUMBERS]);
    let bits: Vec<u8> = (0..=u16::MAX).flat_map(u16::to_le_bytes).collect();
    let inputs = [Input::Array(Box::new(lay_out(dtype, &shape, Layout::C, &bits, &mut Rng::new(0, "unused"))))];
    let case = Case {
        family: op.family.clone(),
        op: op.name.clone(),
        operands: vec![Operand::Array { dtype, shape, layout: Layout::C }],
        values: ValueSet::Bits.into(),
        params: Params::default(),
    };
    let (got, want) = (subject.run(op, &case, &inputs), Reference.run(op, &case, &inputs));
    let (Outcome::Array(result), true) = (&want, matrix.claims(op, dtype)) else {
        let verdict = judge(&got, &want, case.expectation(matrix, op), &Allowance::default());
        return verdict.failure.map_or(Ok(None), |failure| Err(failure.message));
    };
    let tolerance = matrix.tolerance(op);
    let ulp = tolerance.ulp(result.dtype, &case.dtypes());
    let verdict = judge(&got, &want, Expectation::Taken, &Allowance { ulp, ..Allowance::default() });
    match verdict.failure {
        Some(failure) => Err(failure.message),
        None => Ok(Some(((&tolerance.name, result.dtype), verdict.error))),
    }
}

#[test]
fn functions_of_one_operand_on_all_16_bit_floats() {
    let matrix = Matrix::built_in().expect("the matrix of this checkout is right");
    let subject = Subject::open(None).expect("there is a device and a compiler for it");
    let names: Vec<&str> = UfuncId::all().map(|id| id.record()).filter(|r| r.nin == 1).map(|r| r.name).collect();
    // SciPy's special functions have no 16-bit loops, and the oracle takes minutes for all of them.
    let numpys = |op: &&Op| op.kind == OpKind::Ufunc && op.family != "special";
    let ops = || names.iter().filter_map(|name| matrix.op(name)).filter(numpys);
    let left_out: Vec<&&str> =
        names.iter().filter(|name| matrix.op(name).is_none_or(|op| op.kind != OpKind::Ufunc)).collect();
    assert_eq!(left_out, [&"copy"], "the function of copies and casts is no function of NumPy's");
    let work = Mutex::new(ops().flat_map(|op| [(op, DType::F16), (op, DType::BF16)]));
    let (failures, errors) = (Mutex::new(vec![]), Mutex::new(BTreeMap::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, |n| n.get()) {
            scope.spawn(|| {
                while let Some((op, dtype)) = { work.lock().expect("no panic in between").next() } {
                    match check(&matrix, &subject, op, dtype) {
                        Ok(None) => {}
                        Ok(Some((budget, error))) => {
                            let mut errors = errors.lock().expect("no panic in between");
                            let worst = errors.entry(budget).or_insert(error);
                            *worst = error.max(*worst);
                        }
                        Err(message) => {
                            let mut failures = failures.lock().expect("no panic in between");
                            failures.push(format!("{} of {dtype}: {message}", op.name));
                        }
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().expect("no panic in between");
    assert!(failures.is_empty(), "{} of {} functions:\n{}", failures.len(), ops().count(), failures.join("\n"));
    let allowed =
        |(name, dtype): Budget<'_>| matrix.tolerances[name].ulp.get(dtype.device_name()).copied().unwrap_or(0);
    let unused = |(budget, error): &(Budget<'_>, f64)| budget.1.size() == 2 && *error < allowed(*budget) as f64;
    let unused: Vec<_> = errors.into_inner().expect("no panic in between").into_iter().filter(unused).collect();
    assert!(unused.is_empty(), "budgets that no number needs: {unused:?}");
}
