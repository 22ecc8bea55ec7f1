//! Tests of shrinking: a failure shrinks to a case of one or two elements, and to a test that fails as the case does.

use cuprum_conformance::case::{Case, Layout, Operand};
use cuprum_conformance::judge::{Reason, Smallest};
use cuprum_conformance::matrix::Op;
use cuprum_conformance::operand::Input;
use cuprum_conformance::outcome::Outcome;
use cuprum_conformance::reference::Reference;
use cuprum_conformance::run::Run;
use cuprum_conformance::shrink::Limits;
use cuprum_conformance::side::Side;
use cuprum_conformance::subject::Subject;
use cuprum_conformance::{Matrix, report};
use cuprum_kernels::DType;

/// A fault: it changes the operands of a case, as a kernel that ignores its layout would.
type Fault = fn(&Case, &mut Vec<Input>);

/// The device with a seeded fault.
struct Planted(Subject, Fault);

impl Side for Planted {
    fn run(&self, op: &Op, case: &Case, inputs: &[Input]) -> Outcome {
        let mut inputs = inputs.to_vec();
        self.1(case, &mut inputs);
        self.0.run(op, case, &inputs)
    }
}

/// A strided float16 operand is read as if it were contiguous.
fn strided_half(case: &Case, inputs: &mut Vec<Input>) {
    for (operand, input) in case.operands.iter().zip(inputs) {
        let (Operand::Array { dtype: DType::F16, layout: Layout::Strided, .. }, Input::Array(placed)) =
            (operand, input)
        else {
            continue;
        };
        let steps = std::mem::take(&mut placed.steps);
        assert!(!steps.is_empty(), "a strided operand is a view");
        let n = placed.logical.bytes.len();
        placed.base.bytes.truncate(n);
        placed.base.shape.clone_from(&placed.logical.shape);
        placed.base.strides = packed(&placed.logical.shape);
        placed.logical.strides = packed(&placed.logical.shape);
        placed.logical.bytes.clone_from(&placed.base.bytes);
        placed.offset = 0;
    }
}

fn packed(shape: &[usize]) -> Vec<i64> {
    cuprum_conformance::outcome::Tensor::packed(DType::F16, shape, vec![]).strides
}

/// Shrinks a case on the device with a fault; returns the smallest case, and the error without the fault, if any.
fn shrunk(id: &str, fault: Fault) -> (Smallest, Option<String>) {
    let matrix = Matrix::built_in().expect("the matrix is well formed");
    let open = || Subject::open(Some("sim")).expect("the simulator runs everywhere");
    let (device, sound) = (Planted(open(), fault), open());
    let run = Run { matrix: &matrix, seed: 1, device: &device, oracle: &Reference };
    let case = Case::parse(id, &matrix).expect("the id is one");
    let smallest = run.shrink(&case, Limits::default()).expect("the fault is found");
    let again = run.shrink(&case, Limits::default()).expect("the fault is found again");
    assert_eq!(smallest, again, "shrinking does not depend on chance");
    let small = Case::parse(&smallest.id, &matrix).expect("what is printed can be run");
    assert_eq!(run.case(&small).failure.map(|f| f.reason), Some(smallest.failure.reason), "it fails alone, too");
    let without = Run { device: &sound, ..run };
    (smallest, without.case(&small).failure.map(|f| f.message))
}

#[test]
fn a_fault_of_strided_halves_shrinks_to_one_element_and_a_test() {
    let (smallest, without) = shrunk("math/add/f16-f32/(33,65)x(33,65)/strided-F/uniform", strided_half);
    assert_eq!(without, None);
    assert_eq!(smallest.failure.reason, Reason::Value);
    assert_eq!(smallest.id, "math/add/f16-i32/(1,)x()/strided-C/[0.0]x[0]");
    // One element of three, the second: the one before it is read instead.
    let test = smallest.failure.test.as_deref().expect("one element can be written down");
    let gaps: Vec<&str> = test.split("from_f64(").skip(1).map(|t| &t[..t.find(')').unwrap()]).collect();
    let [before, "0.0", after] = gaps[..] else { panic!("{test}") };
    let expected = format!(
        "#[test]
fn reproduces() -> cuprum::Result<()> {{
    // math/add/f16-i32/(1,)x()/strided-C/[0.0]x[0]
    let a = cuprum::Array::from_slice::<half::f16>(&[half::f16::from_f64({before}), half::f16::from_f64(0.0), \
         half::f16::from_f64({after})], [3])?.index(&[cuprum::Index::Slice(cuprum::Slice {{ start: Some(1), stop: None, \
         step: Some(3) }})])?;
    let b = cuprum::Array::from_slice::<i32>(&[0], ())?;
    let got = cuprum::ufunc(\"add\")?.call((&a, &b), ())?;
    assert_eq!(got.dtype(), cuprum::DType::F64);
    assert_eq!(got.shape(), [1]);
    let want = [0.0];
    let allowed = [0.0];
    for (i, x) in got.to_vec::<f64>()?.into_iter().enumerate() {{
        let (y, e): (f64, f64) = (want[i], allowed[i]);
        let equal = x.to_bits() == y.to_bits() || (x.is_nan() && y.is_nan());
        assert!(equal || e == f64::INFINITY || (e > 0.0 && (x - y).abs() <= e), \"part {{i}} is {{x:?}}, not {{y:?}}\");
    }}
    Ok(())
}}"
    );
    assert_eq!(test, expected);
    let numpy = smallest.failure.numpy.as_deref().expect("NumPy has add");
    let expected = format!(
        "import numpy as np
a = np.array([{before}, 0.0, {after}], dtype=np.float16)[1::3]
b = np.array([0], dtype=np.int32).reshape(())
print(repr(np.add(a, b)))"
    );
    assert_eq!(numpy, expected);
    let failure = smallest.failure.clone();
    let shown = report::detail("sim", 1, &smallest.id, &failure);
    assert!(
        shown.contains("conformance run --device sim --seed 1 --filter 'math/add/f16-i32/(1,)x()/strided-C/[0.0]x[0]'")
    );
}
