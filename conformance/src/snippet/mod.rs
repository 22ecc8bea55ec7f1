//! A failing case as a Rust test to paste, and the same in NumPy.

mod call;
mod numpy;
mod rust;

use crate::case::{Case, Operand};
use crate::judge::Allowance;
use crate::matrix::Op;
use crate::operand::Input;
use crate::outcome::{Freedom, Outcome, Tensor};
use crate::ulp;

/// Maximum number of elements of buffers that are written out: beyond, the command of the case is used.
pub(crate) const WRITTEN: usize = 64;

/// The data of a snippet.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The operation.
    pub op: &'a Op,
    /// The case.
    pub case: &'a Case,
    /// The seed of its operands.
    pub seed: u64,
    /// Its operands, and the other arrays that its parameters request.
    pub inputs: &'a [Input],
    /// The oracle's result.
    pub want: &'a Outcome,
    /// The tolerance of the device.
    pub allowance: &'a Allowance,
}

impl Subject<'_> {
    /// Formats the test, if the operands are small enough to be written out. It fails where the case fails, and passes
    /// where the case passes.
    pub fn test(&self) -> Option<String> {
        self.is_small().then(|| rust::test(self))
    }

    /// Formats the same with NumPy; `None` for functions that NumPy does not have.
    pub fn numpy(&self) -> Option<String> {
        if self.is_small() { numpy::snippet(self) } else { None }
    }

    fn is_small(&self) -> bool {
        let buffers = self.inputs.iter().all(|input| match input {
            Input::Array(placed) => placed.base.size() <= WRITTEN,
            Input::Scalar(_) => true,
        });
        let results = match self.want {
            Outcome::Array(tensor) => tensor.size() <= WRITTEN,
            Outcome::Several(tensors) => tensors.iter().all(|t| t.size() <= WRITTEN),
            Outcome::Text(_) | Outcome::Rejected(..) => true,
        };
        buffers && results
    }

    /// Returns the names of the operands that are arrays: `a`, `b`, `c`; none for a weak scalar.
    fn names(&self) -> Vec<Option<&'static str>> {
        let name = |(operand, name): (&Operand, _)| matches!(operand, Operand::Array { .. }).then_some(name);
        self.case.operands.iter().zip(["a", "b", "c", "d", "e", "f"]).map(name).collect()
    }

    /// Returns the absolute tolerances of each part of a result: a complex number has two parts.
    fn errors(&self, tensor: &Tensor, first: usize) -> Vec<f64> {
        let parts = if tensor.dtype.is_complex() { 2 } else { 1 };
        let error = |i: usize| {
            let (re, im) = tensor.get(i).parts();
            let bound = self.allowance.bounds.as_ref().map(|b| b.get(first + i).copied().unwrap_or(0.0));
            let unbounded = self.allowance.any_infinity && !(re.is_finite() && im.is_finite());
            if unbounded || tensor.freedom.get(i) == Some(&Freedom::Any) {
                return f64::INFINITY;
            }
            let by_units = |size: f64| self.allowance.ulp as f64 * ulp::unit(tensor.dtype, size);
            let modulus = tensor.dtype.is_complex() && self.allowance.complex == crate::matrix::ComplexRule::Modulus;
            let size = if modulus { re.hypot(im) } else { re.abs().max(im.abs()) };
            let limit = ulp::max(tensor.dtype);
            let error = bound.unwrap_or_else(|| if size.is_finite() { by_units(size.min(limit)) } else { 0.0 });
            // The smallest positive number: it accepts a zero of either sign, and nothing else.
            let any_zero = tensor.freedom.get(i) == Some(&Freedom::AnyZero);
            if error == 0.0 && any_zero { f64::from_bits(1) } else { error }
        };
        (0..tensor.size()).flat_map(|i| std::iter::repeat_n(error(i), parts)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Matrix;
    use crate::operand::inputs;
    use crate::outcome::Kind;

    fn snippets(id: &str, want: &Outcome) -> Option<(String, Option<String>)> {
        let matrix = Matrix::built_in().unwrap();
        let case = &Case::parse(id, &matrix).unwrap();
        let inputs = &inputs(case, 1).unwrap();
        let op = matrix.op(&case.op).unwrap();
        let subject = Subject { op, case, seed: 1, inputs, want, allowance: &Allowance::default() };
        Some((subject.test()?, subject.numpy()))
    }

    fn rejected(id: &str) -> Option<(String, Option<String>)> {
        snippets(id, &Outcome::Rejected(Kind::Value, "no".into()))
    }

    #[track_caller]
    fn has(text: &str, parts: &[&str]) {
        for part in parts {
            assert!(text.contains(part), "{part}\n{text}");
        }
    }

    #[test]
    fn operands_views_and_the_call_are_written_out() {
        let (test, numpy) = rejected("math/add/f16-py(2.5)/(2,2)/strided/special").unwrap();
        has(
            &test,
            &["from_slice::<half::f16>(&[half::f16::from_f64(", ", [4, 6])?.index(&[", ", 2.5), ())", "\"add\""],
        );
        has(&test, &["unwrap_err().kind(), cuprum::ErrorKind::Value)"]);
        has(&numpy.unwrap(), &["dtype=np.float16).reshape(4, 6)[0::2, 1::3]", "np.add(a, 2.5)"]);
        let (test, numpy) = rejected("reduction/sum/c64/(2,2)/F/small/axis=-1;keepdims=1").unwrap();
        has(&test, &["Reduce::axes(&[-1]).keepdims(true)", ".transpose(&[1, 0])?"]);
        has(&numpy.unwrap(), &["np.sum(a, axis=-1, keepdims=True)", ".transpose(1, 0)"]);
    }

    #[test]
    fn methods_say_where_their_result_goes() {
        let id = "options/add.call/f32-f32/(3,)x(3,)/C-C/small/out=f32/strided;where=1;casting=unsafe";
        let (test, numpy) = rejected(id).unwrap();
        has(
            &test,
            &["let out_buffer = ", "let out = out_buffer.clone().index(", "out: Some(&out)", "where_: Some(&mask)"],
        );
        has(&test, &["casting: cuprum::Casting::Unsafe"]);
        has(&numpy.unwrap(), &["np.add(a, b, out=out, where=mask, casting=\"unsafe\")"]);
        let (test, _) = rejected("methods/add.reduceat/i32/(7,)/C/small/indices=(0,3)").unwrap();
        has(&test, &[".reduceat(&a, [0, 3], 0, cuprum::AccumulateOptions { ..Default::default() })?"]);
    }

    #[test]
    fn a_function_has_its_name_in_numpy() {
        let (_, numpy) = rejected("histograms/histogram.rules/f32/(3,)/C/small/bins=fd").unwrap();
        has(&numpy.unwrap(), &["np.histogram(a, bins=\"fd\")"]);
    }

    #[test]
    fn values_are_asserted_with_what_they_may_be_off() {
        let want = |dtype: cuprum_kernels::DType, bytes: Vec<u8>| Outcome::Array(Tensor::packed(dtype, &[2], bytes));
        let one = want(cuprum_kernels::DType::F32, [1f32, -0.0].into_iter().flat_map(f32::to_le_bytes).collect());
        let (test, _) = snippets("math/negative/f32/(2,)/C/small", &one).unwrap();
        has(&test, &["let want = [1.0, -0.0];", "let allowed = [0.0, 0.0];", "got.to_vec::<f32>()?", "map(f64::from)"]);
        let ints = want(cuprum_kernels::DType::I8, vec![1, 255]);
        let (test, _) = snippets("math/negative/i8/(2,)/C/small", &ints).unwrap();
        has(&test, &["assert_eq!(got.to_vec::<i8>()?, [1, -1]);"]);
    }

    #[test]
    fn large_operands_are_left_to_the_command() {
        assert_eq!(rejected("math/negative/f32/(33,65)/C/small"), None);
    }
}
