//! Calls with a pending mask: the mask is computed in the same kernel, and is never stored.
//!
//! The value that is written is a selection by the mask between the result of the call and the value of the target. It
//! is written everywhere, with the same bits where the mask is false.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use cuprum_kernels::source::{Step, StepOperand};

use super::collect::{Collected, Leaf, inlined};
use super::launch::{self, LaunchOutcome};
use super::prologue::crosses;
use super::{Pending, mode};
use crate::array::{Array, Operand};
use crate::cuda::alone;
use crate::engine::elementwise::Call;
use crate::engine::internal;
use crate::error::Result;

/// Makes a call with one result whose mask is pending. Returns false if the mask is better computed separately: if it
/// is not pending, is read by others, or reads what is written.
pub(in crate::engine) fn masked(call: &Call<'_>) -> Result<bool> {
    let (Some(mask), [out]) = (call.mask, call.outs) else { return Ok(false) };
    if mask.buffer().work().is_none() {
        return Ok(false);
    }
    // No other thread may compute meanwhile what is read here.
    alone(|| {
        let Some((collected, read)) = chosen(call, mask, out)? else { return Ok(false) };
        match launch::into(&collected, out.device(), out.layout(), vec![(*out).clone()])? {
            LaunchOutcome::Together(_) => read.iter().for_each(|work| work.read.store(true, Relaxed)),
            LaunchOutcome::NotYet | LaunchOutcome::Apart => return Ok(false),
        }
        Ok(true)
    })
}

/// Returns the selection by a mask as an expression, and the pending calls that it consists of.
fn chosen(call: &Call<'_>, mask: &Array, out: &Array) -> Result<Option<(Collected, Vec<Arc<Pending>>)>> {
    let of = &call.op.loops()[usize::from(call.signature)];
    if mode::goes_step_by_step() || call.all || of.out() != out.dtype() {
        return Ok(None);
    }
    out.buffer().settle();
    let (queue, size) = (out.device().queue(), out.size());
    let mut read = vec![];
    let mut collected = Collected::default();
    // A pending array is a step if a kernel can read through it; otherwise `None`, so that it is computed before.
    let mut step = |a: &Array, collected: &mut Collected| -> Option<StepOperand> {
        let work = inlined(a, size).filter(|work| !work.rows && a.shape() == out.shape())?;
        let may = !work.read.load(Relaxed) && !a.buffer().waits_beside(&queue) && a.device() == out.device();
        if !may {
            return None;
        }
        let step = collected.step(&work)?;
        read.push(work);
        Some(StepOperand::Step(step))
    };
    let Some(of_mask) = step(mask, &mut collected) else { return Ok(None) };
    let mut from = [StepOperand::Input(0); 3];
    for ((slot, operand), &dtype) in from.iter_mut().zip(call.ins).zip(&of.ins) {
        let given = match operand {
            Operand::Array(a) if a.buffer().work().is_some() && a.size() == size => step(a, &mut collected),
            Operand::Array(a) => collected.array(a).map(StepOperand::Input),
            Operand::Scalar(s) => collected.leaf(Leaf::Value(s.encode(dtype)), dtype).map(StepOperand::Input),
        };
        let Some(given) = given else { return Ok(None) };
        *slot = given;
    }
    for leaf in &collected.leaves {
        let Leaf::Array(a) = leaf else { continue };
        let strides = a.layout().broadcast_strides(out.shape());
        if a.may_share_memory(out) || crosses(a, &strides, out.shape(), out.strides()) {
            return Ok(None);
        }
    }
    let random = collected.expression.steps.iter().any(|s| s.op.record().distribution.is_some());
    let Some(result) = collected.push(Step { op: call.op, signature: call.signature, from }) else { return Ok(None) };
    let Some(target) = collected.array(out) else { return Ok(None) };
    let (choice, signature) = internal("where", out.dtype())?;
    let from = [of_mask, StepOperand::Step(result), StepOperand::Input(target)];
    let Some(last) = collected.push(Step { op: choice, signature, from }) else { return Ok(None) };
    collected.expression.outs.push(last);
    Ok((!random).then_some((collected, read)))
}
