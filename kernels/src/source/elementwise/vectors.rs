//! Steps that are computed for several elements at once: quotients and square roots of `quotients.cuh`.
//!
//! An expression with such a step is computed step by step for the elements of a vector, with the same results as
//! element by element: a branch of these functions then serves a vector.

use std::fmt::Write;

use super::super::{compute_type, narrow};
use super::{Expression, StepOperand, write_operands};
use crate::DType;
use crate::registry::UfuncId;

/// Returns the function that computes several elements of a loop at once, if there is one.
pub(in super::super) fn several((op, signature): (UfuncId, u8)) -> Option<&'static str> {
    let (record, l) = (op.record(), &op.loops()[usize::from(signature)]);
    let is_float32 = |d: &DType| compute_type(*d, record.wide) == "f32";
    let fits = l.ins[..record.nin].iter().chain([&l.outs[0]]).all(is_float32);
    (fits && !record.several.is_empty()).then_some(record.several)
}

/// Appends the function that converts operands of dtypes `from` for a step: `operands0`, or another number.
pub(in super::super) fn write_step_operands(
    text: &mut String,
    n: usize,
    (op, signature): (UfuncId, u8),
    from: impl Iterator<Item = DType> + Clone,
) {
    let (record, l) = (op.record(), &op.loops()[usize::from(signature)]);
    let parameters: String = from.clone().enumerate().map(|(k, d)| format!("{} x{k}, ", d.device_name())).collect();
    let results: Vec<String> = (0..record.nin).map(|k| format!("f32 &y{k}")).collect();
    let _ = writeln!(text, "DEVICE void operands{n}({parameters}{}) {{", results.join(", "));
    write_operands(text, from, &l.ins, record.wide);
    for (k, name) in ["a", "b", "c"].into_iter().enumerate().take(record.nin) {
        let _ = writeln!(text, "  y{k} = {name};");
    }
    text.push_str("}\n");
}

/// Appends statements that compute step `n` for `count` elements into the array `s0`, or another number; `operands`
/// are those of element `j`, each with a comma after it, and `index` its index. `one_divisor`: the second operand is the
/// same for all elements.
pub(in super::super) fn write_several(
    text: &mut String,
    n: usize,
    (op, signature): (UfuncId, u8),
    one_divisor: bool,
    count: &str,
    operands: &str,
    index: &str,
) {
    let (record, out) = (op.record(), op.loops()[usize::from(signature)].outs[0]);
    let of = |name: &str| -> Vec<String> { (0..record.nin).map(|k| format!("{name}{n}_{k}")).collect() };
    let (arrays, elements): (Vec<String>, Vec<String>) =
        of("o").into_iter().map(|o| (format!("{o}[{count}]"), format!("{o}[j]"))).unzip();
    let mut passed = of("o");
    if let (true, Some(divisor)) = (one_divisor, passed.get_mut(1)) {
        divisor.push_str("[0]");
    }
    let each = format!("#pragma unroll\n  for (int j = 0; j < {count}; ++j)");
    let _ = writeln!(text, "  {} s{n}[{count}];", out.device_name());
    let Some(function) = several((op, signature)) else {
        let _ = writeln!(text, "{each} s{n}[j] = step{n}({operands}{index});");
        return;
    };
    let _ = writeln!(
        text,
        "  f32 {}, r{n}_[{count}];\n{each} operands{n}({operands}{});\n  {function}(r{n}_, {});\n{each} s{n}[j] = {};",
        arrays.join(", "),
        elements.join(", "),
        passed.join(", "),
        narrow(out, record.wide, &format!("r{n}_[j]")),
    );
}

impl Expression {
    /// Returns true if a step is computed for several elements at once.
    pub(super) fn has_several(&self) -> bool {
        self.steps.iter().any(|step| several((step.op, step.signature)).is_some())
    }

    /// Appends `apply_vector`, which computes the N elements of a vector step by step. `is_vector` says which inputs
    /// have as many elements.
    pub(super) fn write_apply_vector(&self, text: &mut String, is_vector: impl Fn(usize) -> bool) {
        for (n, step) in self.steps.iter().enumerate() {
            let call = (step.op, step.signature);
            if several(call).is_some() {
                write_step_operands(text, n, call, self.operand_dtypes(n));
            }
        }
        let parameter = |k| if is_vector(k) { format!("const in{k} (&x{k})[N], ") } else { format!("in{k} x{k}, ") };
        let parameters: String = (0..self.ins.len()).map(parameter).collect();
        let results: String = (0..self.outs.len()).map(|k| format!(", out{k} (&r{k})[N]")).collect();
        let _ = writeln!(text, "template <int N> DEVICE void apply_vector({parameters}u64 index{results}) {{");
        for (n, step) in self.steps.iter().enumerate() {
            let operand = |from: &StepOperand| match *from {
                StepOperand::Input(k) if is_vector(k.into()) => format!("x{k}[j], "),
                StepOperand::Input(k) => format!("x{k}, "),
                StepOperand::Step(k) => format!("s{k}[j], "),
            };
            let operands: String = step.from[..step.op.record().nin].iter().map(operand).collect();
            let one_divisor =
                step.op.record().nin == 2 && matches!(step.from[1], StepOperand::Input(k) if !is_vector(k.into()));
            write_several(text, n, (step.op, step.signature), one_divisor, "N", &operands, "index + j");
        }
        let results: String = self.outs.iter().enumerate().map(|(k, step)| format!(" r{k}[j] = s{step}[j];")).collect();
        let _ = writeln!(text, "#pragma unroll\n  for (int j = 0; j < N; ++j) {{{results} }}\n}}");
    }
}
