//! Elementwise fusion: an expression of several calls in one kernel, whose steps are loops of functions over elements
//! in memory.
//!
//! Every step rounds to its dtype as its own kernel would store it, so that the results are identical to the bit.

use std::fmt::Write;
use std::hash::{Hash, Hasher};
use std::sync::{Mutex, OnceLock, PoisonError};

use rustc_hash::FxHashMap;

use super::super::{HALF_PAIRS, QUOTIENTS};
use super::{Class, ElementwiseInput, Frame, Input, Mode, Unit, Walk, Width, headers, narrow, write_operands};
use crate::DType;
use crate::params::{Field, Fields, Parameters, Read, Strides, Value, Written};
use crate::registry::UfuncId;

/// Maximum number of inputs of an expression, scalars included.
pub const FUSED_INPUTS: usize = 12;

/// Maximum number of results of an expression.
pub const FUSED_RESULTS: usize = 4;

/// Maximum number of steps of an expression.
pub const FUSED_STEPS: usize = 32;

/// Maximum number of operands of a kernel.
const SLOTS: usize = FUSED_INPUTS + FUSED_RESULTS;

pub(in super::super) const INS: [&str; FUSED_INPUTS] =
    ["in0 *", "in1 *", "in2 *", "in3 *", "in4 *", "in5 *", "in6 *", "in7 *", "in8 *", "in9 *", "in10 *", "in11 *"];
pub(in super::super) const POINTERS: [&str; FUSED_INPUTS] =
    ["p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8", "p9", "p10", "p11"];
pub(in super::super) const VALUES: [&str; FUSED_INPUTS] =
    ["v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11"];
pub(in super::super) const PARAMETERS: [&str; FUSED_INPUTS] = [
    "parameter<in0>",
    "parameter<in1>",
    "parameter<in2>",
    "parameter<in3>",
    "parameter<in4>",
    "parameter<in5>",
    "parameter<in6>",
    "parameter<in7>",
    "parameter<in8>",
    "parameter<in9>",
    "parameter<in10>",
    "parameter<in11>",
];
pub(in super::super) const OUTS: [&str; FUSED_RESULTS] = ["out0 *", "out1 *", "out2 *", "out3 *"];
pub(in super::super) const RESULTS: [&str; FUSED_RESULTS] = ["q0", "q1", "q2", "q3"];

/// Source of a step's operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StepOperand {
    /// An input of the expression.
    Input(u8),
    /// The result of an earlier step.
    Step(u8),
}

/// Step of an expression: one loop of a function with one result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// The function.
    pub op: UfuncId,
    /// The index of its loop.
    pub signature: u8,
    /// Its operands; those beyond the function's own are ignored.
    pub from: [StepOperand; 3],
}

/// Expression that is computed for each element.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Expression {
    /// The steps in topological order.
    pub steps: Vec<Step>,
    /// The dtypes of the inputs in memory; for a scalar, the dtype of the loop that takes it.
    pub ins: Vec<DType>,
    /// The steps whose results are written.
    pub outs: Vec<u8>,
}

impl Expression {
    /// Returns the dtype of a step's result.
    pub fn dtype(&self, step: u8) -> DType {
        let step = &self.steps[usize::from(step)];
        step.op.loops()[usize::from(step.signature)].out()
    }

    /// Iterates over the dtypes of a step's operands.
    pub(super) fn operand_dtypes(&self, step: usize) -> impl Iterator<Item = DType> + Clone + '_ {
        let step = &self.steps[step];
        step.from[..step.op.record().nin].iter().map(move |from| match *from {
            StepOperand::Input(k) => self.ins[usize::from(k)],
            StepOperand::Step(k) => self.dtype(k),
        })
    }

    /// Returns the headers that the steps need, and those for elements of `more` dtypes.
    pub(in super::super) fn headers(&self, more: impl IntoIterator<Item = DType>) -> String {
        let loops: Vec<(UfuncId, u8)> = self.steps.iter().map(|s| (s.op, s.signature)).collect();
        headers_of(&loops, self.ins.iter().copied().chain(more))
    }

    /// Appends the functions `step0`, `step1` and so on, and `apply`, which calls them.
    pub(super) fn write_steps(&self, text: &mut String) {
        for (n, step) in self.steps.iter().enumerate() {
            write_step(text, n, (step.op, step.signature), self.operand_dtypes(n));
        }
        let parameters: String = (0..self.ins.len()).map(|k| format!("in{k} x{k}, ")).collect();
        let results: String = (0..self.outs.len()).map(|k| format!(", out{k} &r{k}")).collect();
        let _ = writeln!(text, "DEVICE void apply({parameters}u64 index{results}) {{");
        for (n, step) in self.steps.iter().enumerate() {
            let operands: String = step.from[..step.op.record().nin]
                .iter()
                .map(|from| match from {
                    StepOperand::Input(k) => format!("x{k}, "),
                    StepOperand::Step(k) => format!("s{k}, "),
                })
                .collect();
            let _ = writeln!(text, "  const {} s{n} = step{n}({operands}index);", self.dtype(n as u8).device_name());
        }
        for (k, step) in self.outs.iter().enumerate() {
            let _ = writeln!(text, "  r{k} = s{step};");
        }
        text.push_str("}\n");
    }
}

/// Returns the headers that loops of functions need, and those for elements of `more` dtypes.
pub(in super::super) fn headers_of(steps: &[(UfuncId, u8)], more: impl IntoIterator<Item = DType>) -> String {
    let loops = || steps.iter().map(|(op, signature)| (op.record(), &op.loops()[usize::from(*signature)]));
    let dtypes = loops().flat_map(|(record, l)| l.ins[..record.nin].iter().chain([&l.outs[0]]).copied());
    let mut text = headers(dtypes.chain(more), loops().any(|(record, _)| record.wide));
    // Repeated headers are harmless, but a function is considered once.
    let mut seen: Vec<UfuncId> = Vec::new();
    for ((op, _), (record, _)) in steps.iter().zip(loops()) {
        if !seen.contains(op) {
            text.push_str(record.text);
            seen.push(*op);
        }
    }
    seen.clear();
    for ((op, _), (record, l)) in steps.iter().zip(loops()) {
        if l.ins[..record.nin].iter().any(|d| d.is_complex()) && !seen.contains(op) {
            text.push_str(record.complex_text);
            seen.push(*op);
        }
    }
    text
}

/// Appends a function (`step0`, or another number) that is a loop of a ufunc over operands of these dtypes.
pub(in super::super) fn write_step(
    text: &mut String,
    n: usize,
    (op, signature): (UfuncId, u8),
    from: impl Iterator<Item = DType> + Clone,
) {
    let (record, l) = (op.record(), &op.loops()[usize::from(signature)]);
    let parameters: String = from.clone().enumerate().map(|(k, d)| format!("{} x{k}, ", d.device_name())).collect();
    let out = l.outs[0];
    let _ = writeln!(text, "DEVICE {} step{n}({parameters}u64 index) {{", out.device_name());
    write_operands(text, from, &l.ins, record.wide);
    let _ = writeln!(text, "  return {};\n}}", narrow(out, record.wide, l.expr));
}

/// Handle of an interned expression: small and `Copy`, suitable as a part of a key.
#[derive(Clone, Copy, Debug)]
pub struct ExpressionId {
    number: usize,
    expression: &'static Expression,
}

impl ExpressionId {
    /// Interns an expression and returns its handle. A new expression is copied and never freed.
    pub fn of(expression: &Expression) -> ExpressionId {
        static KNOWN: OnceLock<Mutex<FxHashMap<&'static Expression, usize>>> = OnceLock::new();
        let mut known = KNOWN.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((&expression, &number)) = known.get_key_value(expression) {
            return ExpressionId { number, expression };
        }
        let (number, expression) = (known.len(), &*Box::leak(Box::new(expression.clone())));
        known.insert(expression, number);
        ExpressionId { number, expression }
    }

    /// Returns the expression.
    pub fn expression(self) -> &'static Expression {
        self.expression
    }
}

impl PartialEq for ExpressionId {
    fn eq(&self, other: &ExpressionId) -> bool {
        self.number == other.number
    }
}

impl Eq for ExpressionId {}

impl Hash for ExpressionId {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.number.hash(state);
    }
}

/// Key of the kernel of an expression, with the parameters [`FusedParams`]: everything that its source depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fused {
    /// The expression.
    pub expression: ExpressionId,
    /// Modes in which the inputs are read; those beyond the expression's own are ignored.
    pub modes: [Mode; FUSED_INPUTS],
    /// The class of memory layouts.
    pub class: Class,
}

/// Operands of a kernel in the form that its frame borrows.
struct OwnedOperands {
    ins: [Input; FUSED_INPUTS],
    outs: [DType; FUSED_RESULTS],
}

impl Fused {
    fn of(&self) -> &'static Expression {
        self.expression.expression()
    }

    /// Returns the number of inputs.
    pub fn nin(&self) -> usize {
        self.of().ins.len()
    }

    /// Returns the number of results.
    pub fn nout(&self) -> usize {
        self.of().outs.len()
    }

    fn with_frame<T>(&self, f: impl FnOnce(Frame<'_>) -> T) -> T {
        let of = self.of();
        let mut held = OwnedOperands {
            ins: [Input { dtype: DType::Bool, mode: Mode::Value }; FUSED_INPUTS],
            outs: [DType::Bool; FUSED_RESULTS],
        };
        for (k, &dtype) in of.ins.iter().enumerate() {
            held.ins[k] = Input { dtype, mode: self.modes[k] };
        }
        for (slot, &step) in held.outs.iter_mut().zip(&of.outs) {
            *slot = of.dtype(step);
        }
        f(Frame {
            ins: &held.ins[..of.ins.len()],
            outs: &held.outs[..of.outs.len()],
            mask: None,
            class: self.class,
            all: false,
            heavy: of.steps.iter().any(|s| s.op.record().heavy),
            several: of.has_several() || of.is_in_pairs(),
            pairs: of.is_in_pairs(),
        })
    }

    /// Returns the number of elements that each thread handles.
    pub fn elements_per_thread(&self) -> usize {
        self.with_frame(|f| f.elements_per_thread())
    }

    /// Returns the side of a tile.
    pub fn tile(&self) -> usize {
        self.with_frame(|f| f.tile())
    }

    /// Returns the kernel's name in messages: `multiply+add/float32,float32/flat`.
    pub fn name(&self) -> String {
        let names: Vec<_> = self.of().steps.iter().map(|s| s.op.record().name).collect();
        let ins: Vec<_> = self.of().ins.iter().map(|d| d.name()).collect();
        let class = match self.class {
            Class::Flat => "flat",
            Class::Rows { .. } => "rows",
            Class::Tiled => "tiled",
            Class::Strided { .. } => "strided",
        };
        format!("{}/{}/{class}", names.join("+"), ins.join(","))
    }

    /// Returns the source of the kernel `elementwise`.
    pub fn source(&self) -> String {
        let mut text = self.of().headers([]);
        self.with_frame(|frame| {
            let by_vectors = frame.several && frame.has_vectors();
            if by_vectors {
                text.push_str(if frame.pairs { HALF_PAIRS } else { QUOTIENTS });
            }
            let unit = frame.typed(Unit::new(text, "elementwise"));
            let mut text = String::new();
            self.of().write_steps(&mut text);
            let is_vector = |k: usize| frame.ins[k].mode == Mode::Array;
            match by_vectors {
                true if frame.pairs => self.of().write_apply_pairs(&mut text, is_vector),
                true => self.of().write_apply_vector(&mut text, is_vector),
                false => {}
            }
            frame.write_kernel(&mut text);
            self.with_params(|params| unit.params(params).with(&text).finish())
        })
    }

    /// Calls `f` with the kernel's parameters without values, which declare its struct.
    pub fn with_params<T>(&self, f: impl FnOnce(&FusedParams<'_, ()>) -> T) -> T {
        let ins: [_; FUSED_INPUTS] = std::array::from_fn(|k| match self.modes[k] {
            Mode::Value => ElementwiseInput::Value([0; 16]),
            _ => ElementwiseInput::Pointer(()),
        });
        let slots = self.nin() + self.nout();
        let walk = Walk {
            strides: &[Strides::default(); SLOTS][..slots],
            steps: &[[0; 2]; SLOTS][..slots],
            ..Walk::default()
        };
        f(&FusedParams { class: self.class, walk, outs: &[(); FUSED_RESULTS][..self.nout()], ins: &ins[..self.nin()] })
    }
}

/// Parameters of the kernel of an expression.
#[derive(Clone, Copy, Debug)]
pub struct FusedParams<'a, P> {
    /// The kernel's class.
    pub class: Class,
    /// Sizes and strides. Tables have one entry for each operand: the inputs, then the results.
    pub walk: Walk<'a>,
    /// The results.
    pub outs: &'a [P],
    /// The inputs.
    pub ins: &'a [ElementwiseInput<P>],
}

impl<P: Copy> Parameters<P> for FusedParams<'_, P> {
    #[inline]
    fn visit(&self, to: &mut impl Fields<P>) {
        let narrow = Width::default();
        self.walk.visit_counts(to);
        for (k, &out) in self.outs.iter().enumerate() {
            Written(Some(out)).visit(Some(OUTS[k]), RESULTS[k], narrow, to);
        }
        for (k, &input) in self.ins.iter().enumerate() {
            match input {
                ElementwiseInput::Value(value) => Value(value).visit(Some(PARAMETERS[k]), VALUES[k], narrow, to),
                ElementwiseInput::Pointer(pointer) => Read(Some(pointer)).visit(Some(INS[k]), POINTERS[k], narrow, to),
            }
        }
        self.walk.visit_axes(self.class, to);
    }
}
