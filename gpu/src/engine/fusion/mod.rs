//! Fusion: elementwise calls that stay pending until their elements are needed, and then share a kernel.
//!
//! A call in a scope returns an array whose buffer is deferred ([`Buffer::deferred`]): its work is a [`Pending`] call,
//! whose operands may be pending themselves. Dtype, shape, layout and errors are decided at the call, as without
//! fusion. When the address is requested, the work is done: the pending calls that it depends on become one expression
//! ([`collect`]), which one kernel computes, with each step rounded as its own kernel would store it. A value that is
//! not worth one kernel, or too large for one, is computed step by step, like calls outside of a scope. A reduction
//! reads the expression instead of an array ([`prologue`]), or is pending itself, if its rows can be held while
//! everything that depends on them is computed ([`row_wise`]). A call with a pending mask computes the mask in its own
//! kernel ([`masked`]).
//!
//! Lower bound of memory traffic: each array that the expression reads once, each result written once.

mod collect;
mod compiling;
mod launch;
mod masked;
mod mode;
mod prologue;
mod random_numbers;
mod row_wise;
mod scope;

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use cuprum_kernels::DType;
use cuprum_kernels::registry::UfuncId;
use cuprum_kernels::source::{FUSED_INPUTS, FUSED_STEPS};
use smallvec::SmallVec;

use self::collect::Collected;
use self::launch::LaunchOutcome;
use self::row_wise::PendingNode;
use super::elementwise::elementwise;
use crate::array::{Array, Operand};
use crate::cuda::{Buffer, Device, Work, settle_at_end};
use crate::error::Result;
use crate::layout::{Layout, checked_bytes};

pub(super) use compiling::ready;
pub(super) use masked::masked;
pub(crate) use mode::fuses;
pub(super) use prologue::{TABLES, Through, through};
pub(crate) use random_numbers::{PendingSamples, defer_samples};
pub(crate) use row_wise::Later;
pub(crate) use scope::Scope;

/// Pending elementwise call.
#[derive(Debug)]
pub(super) struct Pending {
    /// The function.
    op: UfuncId,
    /// Index of the loop among those of the function's record.
    signature: u8,
    /// The operands, which may be pending themselves.
    ins: SmallVec<[Input; 2]>,
    /// The layout of the result.
    layout: Layout,
    /// Dtype of the result.
    dtype: DType,
    /// Device of the operands and of the result.
    device: Device,
    /// Upper bounds of the numbers of steps and inputs of the result's expression.
    steps: usize,
    /// See `steps`.
    inputs: usize,
    /// Length of the longest chain of pending calls, whether they share a kernel or not.
    depth: usize,
    /// True if it depends on a pending reduction.
    rows: bool,
    /// True if another engine has read through it.
    read: AtomicBool,
}

/// Maximum length of a chain of pending calls: it bounds the memory that they hold, and the stack on which they are
/// dropped.
const DEEPEST: usize = 64;

/// Operand of a pending call.
#[derive(Debug)]
enum Input {
    Array(HeldArray),
    /// A scalar of the loop's dtype.
    Value([u8; 16]),
}

/// Array that a pending call reads later.
#[derive(Debug)]
struct HeldArray(Array);

impl Drop for HeldArray {
    fn drop(&mut self) {
        self.0.buffer().read_no_more();
    }
}

/// Returns the pending array of a call with one result: the loop `signature` of arrays and scalars that broadcast to
/// the shape of `layout`. Returns `None` if the call cannot be deferred, and must be made now.
///
/// # Errors
///
/// [`ErrorKind::Value`](crate::ErrorKind::Value) for a shape whose size in bytes exceeds the address space.
pub(crate) fn defer(
    op: UfuncId,
    signature: u8,
    ins: &[Operand<'_>],
    device: Device,
    layout: &Layout,
) -> Result<Option<Array>> {
    mode::check()?;
    let arrays = || {
        ins.iter().filter_map(|o| match o {
            Operand::Array(a) => Some(*a),
            Operand::Scalar(_) => None,
        })
    };
    let size = layout.size();
    let waits = size > 0
        // Arrays of two devices are rejected by the launch.
        && arrays().all(|a| a.device() == device && a.buffer().may_be_read_later());
    if !waits {
        return Ok(None);
    }
    let (of, queue) = (&op.loops()[usize::from(signature)], device.queue());
    let bytes = checked_bytes(&layout.shape, of.out().size())?;
    // A graph does not capture earlier pending work.
    arrays().filter(|a| a.buffer().waits_beside(&queue)).for_each(|a| a.buffer().settle());
    if arrays().any(|a| a.buffer().waits_beside(&queue)) {
        return Ok(None);
    }
    let (steps, inputs) = room_for(ins, &of.ins, size);
    let (mut depth, mut rows) = (1, false);
    for a in arrays() {
        match a.buffer().work().and_then(PendingNode::from) {
            Some(child) if child.depth() >= DEEPEST => a.buffer().settle(),
            Some(child) => {
                depth = depth.max(child.depth() + 1);
                rows |= child.has_rows();
            }
            None => {}
        }
    }
    let held = |(o, &dtype): (&Operand<'_>, &DType)| match o {
        Operand::Array(a) => Input::Array(HeldArray((*a).clone())),
        Operand::Scalar(s) => Input::Value(s.encode(dtype)),
    };
    let ins: SmallVec<[Input; 2]> = ins.iter().zip(&of.ins).map(held).collect();
    let read = AtomicBool::new(false);
    let work = Pending {
        op,
        signature,
        ins,
        layout: layout.clone(),
        dtype: of.out(),
        device,
        steps,
        inputs,
        depth,
        rows,
        read,
    };
    let work = Arc::new(work);
    let buffer = Arc::new(Buffer::deferred(bytes, queue, work.clone()));
    for input in &work.ins {
        if let Input::Array(a) = input {
            a.0.buffer().read_later_by(Arc::downgrade(&buffer));
        }
    }
    scope::note(&buffer);
    if queue.is_captured() {
        settle_at_end(&queue, &buffer)?;
    }
    Ok(Some(Array::of_buffer(buffer, layout.clone(), of.out())))
}

/// Returns the pending call of an array, or of the array that it is a view of.
fn pending(a: &Array) -> Option<Arc<Pending>> {
    a.buffer().work()?.as_any().downcast().ok()
}

/// Returns upper bounds of the numbers of steps and inputs of a call's expression. If there would be too many for a
/// kernel, the operand with the most is computed now.
fn room_for(ins: &[Operand<'_>], dtypes: &[DType], size: usize) -> (usize, usize) {
    loop {
        let (mut steps, mut inputs, mut largest) = (1, 0, None::<(usize, &Array)>);
        for o in ins {
            let child = match o {
                Operand::Array(a) => collect::inlined(a, size).map(|child| (a, child)),
                Operand::Scalar(_) => None,
            };
            let Some((a, child)) = child else {
                inputs += 1;
                continue;
            };
            steps += child.steps;
            inputs += child.inputs;
            if largest.is_none_or(|(most, _)| child.steps > most) {
                largest = Some((child.steps, a));
            }
        }
        let fits = steps <= FUSED_STEPS && inputs <= FUSED_INPUTS;
        match largest.filter(|_| !fits) {
            None => return (steps, inputs),
            Some((_, a)) => match Collected::of_operands(ins, dtypes, size) {
                // An operand shared by several others counts once.
                Some((steps, inputs)) if steps < FUSED_STEPS && inputs <= FUSED_INPUTS => return (steps + 1, inputs),
                _ => a.buffer().settle(),
            },
        }
    }
}

impl Pending {
    /// Returns the result array, uninitialised.
    fn out(&self) -> Result<Array> {
        Array::of_layout(self.device, self.layout.clone(), self.dtype)
    }

    /// Makes this call alone; pending operands are computed first.
    fn alone(&self) -> Result<Array> {
        let out = self.out()?;
        if let Some(distribution) = self.op.record().distribution
            && random_numbers::alone(distribution, &self.ins, &out)?
        {
            return Ok(out);
        }
        let of = &self.op.loops()[usize::from(self.signature)];
        let operand = |(input, &dtype)| match input {
            &Input::Value(bytes) => Operand::Scalar(crate::scalar::Scalar::decode(&bytes, dtype)),
            Input::Array(a) => Operand::Array(&a.0),
        };
        let ins: SmallVec<[Operand<'_>; 3]> = self.ins.iter().zip(&of.ins).map(operand).collect();
        elementwise(self.op, self.signature, &ins, &out)?;
        Ok(out)
    }
}

impl Work for Pending {
    fn run(self: Arc<Self>) -> Result<Arc<Buffer>> {
        let made = launch::run(&[&self]).and_then(|made| match made {
            LaunchOutcome::Together(mut made) => Ok(made.remove(0)),
            LaunchOutcome::NotYet => mode::step_by_step(|| self.alone()),
            LaunchOutcome::Apart => self.alone(),
        });
        made.map(|made| made.shared_buffer().clone()).map_err(|e| e.with_op(self.op.record().name))
    }

    fn as_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }
}

#[cfg(test)]
mod masked_tests;
#[cfg(test)]
mod pair_tests;
#[cfg(test)]
mod read_tests;
#[cfg(test)]
mod row_wise_tests;
#[cfg(test)]
mod tests;
