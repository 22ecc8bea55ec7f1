//! Expressions of float16 numbers, whose steps are computed for two neighbours at once: `half_pairs.cuh`.
//!
//! Two results in float32 are rounded by one instruction, and sums, differences, products and extremes of two pairs are
//! one instruction each, with the same results as element by element.

use std::fmt::Write;

use super::{Expression, StepOperand, write_operands};
use crate::DType;

impl Expression {
    /// Returns true if the expression is computed in pairs: all its elements are float16, and no step depends on the
    /// position of an element.
    pub(super) fn is_in_pairs(&self) -> bool {
        (0..self.steps.len()).all(|n| {
            let step = &self.steps[n];
            let (record, l) = (step.op.record(), &step.op.loops()[usize::from(step.signature)]);
            let is_half = |d: &DType| *d == DType::F16;
            record.distribution.is_none()
                && l.ins[..record.nin].iter().chain([&l.outs[0]]).all(is_half)
                && self.operand_dtypes(n).all(|d| is_half(&d))
        })
    }

    /// Appends `apply_vector`, which computes the N elements of a vector in pairs, step by step. `is_vector` says which
    /// inputs have as many elements.
    pub(super) fn write_apply_pairs(&self, text: &mut String, is_vector: impl Fn(usize) -> bool) {
        for n in 0..self.steps.len() {
            self.write_pair_step(text, n);
        }
        let parameter = |k| if is_vector(k) { format!("const in{k} (&x{k})[N], ") } else { format!("in{k} x{k}, ") };
        let parameters: String = (0..self.ins.len()).map(parameter).collect();
        let results: String = (0..self.outs.len()).map(|k| format!(", out{k} (&r{k})[N]")).collect();
        let _ = writeln!(text, "template <int N> DEVICE void apply_vector({parameters}u64 index{results}) {{");
        for k in 0..self.ins.len() {
            let _ = match is_vector(k) {
                true => writeln!(text, "  f16x2 i{k}[N / 2];\n  memcpy(i{k}, x{k}, sizeof(i{k}));"),
                false => writeln!(text, "  const f16x2 i{k} = f16_pair(x{k}, x{k});"),
            };
        }
        for (n, step) in self.steps.iter().enumerate() {
            let operands: Vec<String> = step.from[..step.op.record().nin]
                .iter()
                .map(|from| match *from {
                    StepOperand::Input(k) if is_vector(k.into()) => format!("i{k}[j]"),
                    StepOperand::Input(k) => format!("i{k}"),
                    StepOperand::Step(k) => format!("s{k}[j]"),
                })
                .collect();
            self.write_pairs(text, n, &operands);
        }
        for (k, step) in self.outs.iter().enumerate() {
            let _ = writeln!(text, "  memcpy(r{k}, s{step}, sizeof(s{step}));");
        }
        text.push_str("}\n");
    }

    /// Appends the function `pair0`, or another number, which computes step `n` of a pair, unless its function has one.
    fn write_pair_step(&self, text: &mut String, n: usize) {
        let step = &self.steps[n];
        let (record, l) = (step.op.record(), &step.op.loops()[usize::from(step.signature)]);
        if record.pairs.is_empty() {
            let names = |of: &dyn Fn(usize) -> String| (0..record.nin).map(of).collect::<Vec<_>>().join(", ");
            let _ = writeln!(text, "DEVICE auto unrounded{n}({}) {{", names(&|k| format!("f16 x{k}")));
            write_operands(text, self.operand_dtypes(n), &l.ins, record.wide);
            let _ = writeln!(
                text,
                "  return {};\n}}\nDEVICE f16x2 pair{n}({}) {{\n  return f16_pair_from(unrounded{n}({}), unrounded{n}({}));\n}}",
                l.expr,
                names(&|k| format!("f16x2 x{k}")),
                names(&|k| format!("low_of(x{k})")),
                names(&|k| format!("high_of(x{k})")),
            );
        }
    }

    /// Appends statements that compute step `n` of N elements into the pairs `s0`, or another number. A quotient is
    /// computed by itself: the functions of `quotients.cuh` would need registers for all N elements in float32.
    fn write_pairs(&self, text: &mut String, n: usize, operands: &[String]) {
        let record = self.steps[n].op.record();
        let pair = if record.pairs.is_empty() { format!("pair{n}") } else { record.pairs.into() };
        let _ = writeln!(
            text,
            "  f16x2 s{n}[N / 2];\n#pragma unroll\n  for (int j = 0; j < N / 2; ++j) s{n}[j] = {pair}({});",
            operands.join(", ")
        );
    }
}
