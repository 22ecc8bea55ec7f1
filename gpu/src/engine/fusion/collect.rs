//! Collection of pending calls into an expression: no side effects.
//!
//! A pending call becomes part of the expression if it has as many elements as the kernel computes; every other array
//! is an input. The collection stops at the limits of a kernel: its number of operands, and of steps.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use cuprum_kernels::DType;
use cuprum_kernels::source::{Expression, FUSED_INPUTS, FUSED_RESULTS, FUSED_STEPS, Step, StepOperand};
use smallvec::SmallVec;

use super::{Input, Pending};
use crate::array::{Array, Operand};
use crate::engine::internal;

/// Returns the pending call that an array is the whole result of, if a kernel of `size` elements can compute it inline:
/// it must have as many elements, so that none is computed twice.
pub(super) fn inlined(a: &Array, size: usize) -> Option<Arc<Pending>> {
    let work = super::pending(a)?;
    (*a.layout() == work.layout && work.layout.size() == size && a.dtype() == work.dtype).then_some(work)
}

/// Input of an expression.
pub(super) enum Leaf {
    Array(Array),
    Value([u8; 16]),
}

/// Expression with its inputs, and the pending call of each step.
#[derive(Default)]
pub(super) struct Collected {
    /// The steps, each of which names its operands among the leaves and the steps before it.
    pub(super) expression: Expression,
    /// The inputs of the kernel: arrays, scalars and random numbers.
    pub(super) leaves: SmallVec<[Leaf; 4]>,
    /// The pending call of each step; `None` for other steps.
    calls: SmallVec<[Option<Arc<Pending>>; 8]>,
    /// True if equal scalars are one input.
    equal_once: bool,
}

impl Collected {
    /// Returns the result of `collect`. Equal scalars are one input only if the expression is otherwise too large for a
    /// kernel, since the kernel then works for equal scalars only.
    pub(super) fn by(collect: impl Fn(&mut Collected) -> Option<()>) -> Option<Collected> {
        [false, true].into_iter().find_map(|equal_once| {
            let mut collected = Collected { equal_once, ..Collected::default() };
            collect(&mut collected).map(|()| collected)
        })
    }

    /// Returns the expression whose results are those of `roots`, which have the same shape; `None` if it is too large
    /// for a kernel.
    pub(super) fn of(roots: &[&Arc<Pending>]) -> Option<Collected> {
        if roots.len() > FUSED_RESULTS {
            return None;
        }
        Collected::by(|collected| {
            for root in roots {
                let step = collected.step(root)?;
                collected.expression.outs.push(step);
            }
            Some(())
        })
    }

    /// Returns the total numbers of steps and inputs of a call's operands with these dtypes.
    pub(super) fn of_operands(ins: &[Operand<'_>], dtypes: &[DType], size: usize) -> Option<(usize, usize)> {
        let collected = Collected::by(|collected| {
            for (o, &dtype) in ins.iter().zip(dtypes) {
                match o {
                    Operand::Array(a) => match inlined(a, size) {
                        Some(child) => drop(collected.step(&child)?),
                        None => drop(collected.array(a)?),
                    },
                    Operand::Scalar(s) => drop(collected.leaf(Leaf::Value(s.encode(dtype)), dtype)?),
                }
            }
            Some(())
        })?;
        Some((collected.expression.steps.len(), collected.leaves.len()))
    }

    /// Computes those of the calls that another engine has already read through, so that no chain is computed again
    /// with each added call; returns true if there were any.
    pub(super) fn compute_read(&self) -> bool {
        let mut any = false;
        for (call, input) in
            self.calls.iter().flatten().flat_map(|call| call.ins.iter().map(move |input| (call, input)))
        {
            let Input::Array(a) = input else { continue };
            if inlined(&a.0, call.layout.size()).is_some_and(|child| child.read.load(Relaxed)) {
                a.0.buffer().settle();
                any = true;
            }
        }
        any
    }

    /// Returns the index of a call's step, which follows those of its operands.
    pub(super) fn step(&mut self, call: &Arc<Pending>) -> Option<u8> {
        if let Some(known) = self.calls.iter().position(|c| c.as_ref().is_some_and(|c| Arc::ptr_eq(c, call))) {
            return Some(known as u8);
        }
        let size = call.layout.size();
        let of = &call.op.loops()[usize::from(call.signature)];
        let mut from = [StepOperand::Input(0); 3];
        for ((slot, input), &dtype) in from.iter_mut().zip(&call.ins).zip(&of.ins) {
            *slot = match input {
                &Input::Value(bytes) => StepOperand::Input(self.leaf(Leaf::Value(bytes), dtype)?),
                Input::Array(a) => match inlined(&a.0, size) {
                    Some(child) => StepOperand::Step(self.step(&child)?),
                    None => StepOperand::Input(self.array(&a.0)?),
                },
            };
        }
        self.add(Step { op: call.op, signature: call.signature, from }, Some(call.clone()))
    }

    /// Returns the index of a step whose value is an array in memory.
    pub(super) fn copied(&mut self, a: &Array) -> Option<u8> {
        let from = StepOperand::Input(self.array(a)?);
        let (op, signature) = internal("copy", a.dtype()).ok()?;
        self.push(Step { op, signature, from: [from; 3] })
    }

    /// Returns the index of a step that is not a pending call.
    pub(super) fn push(&mut self, step: Step) -> Option<u8> {
        self.add(step, None)
    }

    fn add(&mut self, step: Step, call: Option<Arc<Pending>>) -> Option<u8> {
        if self.calls.len() >= FUSED_STEPS {
            return None;
        }
        self.calls.push(call);
        self.expression.steps.push(step);
        Some(self.calls.len() as u8 - 1)
    }

    /// Returns the index of an array in memory, which is read once however often it is an operand.
    pub(super) fn array(&mut self, a: &Array) -> Option<u8> {
        let same = |leaf: &Leaf| match leaf {
            Leaf::Array(b) => {
                Arc::ptr_eq(a.shared_buffer(), b.shared_buffer()) && a.layout() == b.layout() && a.dtype() == b.dtype()
            }
            Leaf::Value(_) => false,
        };
        match self.leaves.iter().position(same) {
            Some(known) => Some(known as u8),
            None => self.leaf(Leaf::Array(a.clone()), a.dtype()),
        }
    }

    pub(super) fn leaf(&mut self, leaf: Leaf, dtype: DType) -> Option<u8> {
        if let (true, Leaf::Value(bytes)) = (self.equal_once, &leaf) {
            let mut inputs = self.leaves.iter().zip(&self.expression.ins);
            let equal = |(of, known): (&Leaf, &DType)| matches!(of, Leaf::Value(b) if b == bytes) && *known == dtype;
            if let Some(known) = inputs.position(equal) {
                return Some(known as u8);
            }
        }
        if self.leaves.len() >= FUSED_INPUTS {
            return None;
        }
        self.leaves.push(leaf);
        self.expression.ins.push(dtype);
        Some(self.leaves.len() as u8 - 1)
    }
}
