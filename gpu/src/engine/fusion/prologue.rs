//! Prologue fusion: other engines read pending calls, so that arrays only they need are never in memory.
//!
//! The first engine that needs a pending array reads through it; a second one has it computed, and so has one that
//! reads through an array that depends on it. So a result with several readers is in memory once, and no chain is
//! computed again and again as it grows.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use cuprum_kernels::params::{SHALLOW_AXES, Strides as Steps, Width};
use cuprum_kernels::source::{
    ElementwiseInput, ExpressionId, FUSED_INPUTS, Neighbours, REDUCTION_BATCH, REDUCTION_ROWS, Reading,
};
use smallvec::SmallVec;

use super::collect::{Collected, Leaf, inlined};
use super::{Pending, mode};
use crate::array::Array;
use crate::cuda::alone;
use crate::engine::launch::DevicePtr;
use crate::error::Result;
use crate::layout::{Axes, Strides, size_of};

/// Bytes of an array up to which it may be transposed relative to the others: it then stays in the L2 cache.
const ACROSS: usize = 4 << 20;

/// Distance of adjacent elements in bytes from which each read loads a sector of which it uses little.
const FAR: u64 = 32;

/// Bytes of a short row up to which the rows of adjacent threads are close to each other, so that few cache lines are
/// read at a time.
const NEAR: usize = 72;

/// Bytes of an array that fits in the L1 cache, in whatever order it is read.
const IN_REACH: usize = 64 << 10;

/// Number of rows from which a thread may have several short ones, with enough threads remaining.
const MANY_ROWS: usize = 1 << 14;

/// Bytes of registers for the elements that a thread reads at once from the arrays of several short rows.
const HELD: usize = 320;

/// Number of tables of strides of an expression's arrays along axes that they share with an engine's own arrays: the
/// expression's first.
pub(in crate::engine) const TABLES: usize = FUSED_INPUTS + 3;

/// Pending array, or array with a pending mask, in the form that an engine reads.
pub(in crate::engine) struct Through {
    works: SmallVec<[Arc<Pending>; 2]>,
    collected: Collected,
    expression: ExpressionId,
    /// Strides of the inputs that are arrays, along the axes of the result.
    strides: SmallVec<[Strides; 4]>,
}

/// Calls `f` with an expression for an array and a mask of its shape, of which at least one is pending and is not
/// computed before; the mask is the expression's second result. Returns `None` if neither is pending, if the array is
/// better computed, or if `f` does nothing with it.
///
/// # Errors
///
/// Those of `f`.
pub(in crate::engine) fn through<R>(
    a: &Array,
    mask: Option<&Array>,
    f: impl FnOnce(&Through) -> Result<Option<R>>,
) -> Result<Option<R>> {
    if a.buffer().work().is_none() && mask.is_none_or(|mask| mask.buffer().work().is_none()) {
        return Ok(None);
    }
    // Until `f` has read the operands no other thread may compute the pending arrays, and then write to their operands.
    alone(|| {
        let Some(through) = Through::of(a, mask) else { return Ok(None) };
        let done = f(&through)?;
        if done.is_some() {
            through.works.iter().for_each(|work| work.read.store(true, Relaxed));
        }
        Ok(done)
    })
}

impl Through {
    fn of(a: &Array, mask: Option<&Array>) -> Option<Through> {
        // Elements are walked with positive strides.
        if mode::goes_step_by_step() || a.strides().iter().any(|&s| s < 0) {
            return None;
        }
        // Arrays that are not read through are in memory, since their address is a part of the plan.
        for of in [Some(a), mask].into_iter().flatten().filter(|of| waits(of).is_none()) {
            of.buffer().settle();
        }
        let works = [Some(a), mask].map(|of| of.and_then(waits));
        if works.iter().all(Option::is_none) {
            return None;
        }
        let all = |collected: &mut Collected| {
            for (of, work) in [Some(a), mask].into_iter().zip(&works) {
                let out = match (of, work) {
                    (None, _) => continue,
                    (_, Some(work)) => collected.step(work)?,
                    (Some(of), None) => collected.copied(of)?,
                };
                collected.expression.outs.push(out);
            }
            Some(())
        };
        let collected = Collected::by(all)?;
        let collected = if collected.compute_read() { Collected::by(all)? } else { collected };
        // Random numbers depend on the index of an element in C order.
        if collected.expression.steps.iter().any(|s| s.op.record().distribution.is_some()) {
            return None;
        }
        let mut strides: SmallVec<[Strides; 4]> = SmallVec::new();
        for leaf in &collected.leaves {
            if let Leaf::Array(leaf) = leaf {
                let own = leaf.layout().broadcast_strides(a.shape());
                if crosses(leaf, &own, a.shape(), a.strides()) {
                    return None;
                }
                strides.push(own);
            }
        }
        let expression = ExpressionId::of(&collected.expression);
        let works = works.into_iter().flatten().collect();
        (!strides.is_empty()).then_some(Through { works, collected, expression, strides })
    }

    /// Returns the inputs as kernel parameters; pending ones are computed.
    pub(in crate::engine) fn inputs(&self) -> SmallVec<[ElementwiseInput<DevicePtr<'_>>; 4]> {
        let input = |leaf| match leaf {
            &Leaf::Value(bytes) => ElementwiseInput::Value(bytes),
            Leaf::Array(a) => ElementwiseInput::Pointer(DevicePtr::of(a)),
        };
        self.collected.leaves.iter().map(input).collect()
    }

    /// Returns true if writing to an array would change an operand.
    pub(in crate::engine) fn reads_from(&self, out: &Array) -> bool {
        let touches = |leaf: &Leaf| matches!(leaf, Leaf::Array(a) if a.may_share_memory(out));
        self.collected.leaves.iter().any(touches)
    }

    /// Returns the axes `of` of the result collapsed to as few as possible, together with an engine's own arrays of
    /// these strides: sorted by the strides of the last of those.
    pub(in crate::engine) fn axes<const N: usize>(
        &self,
        of: &[usize],
        sizes: &[usize],
        own: [&[i64]; N],
        keep_order: bool,
    ) -> Axes<TABLES> {
        let none: Strides = of.iter().map(|_| 0).collect();
        let picked: SmallVec<[Strides; 4]> =
            self.strides.iter().map(|s| of.iter().map(|&axis| s[axis]).collect()).collect();
        // The last decide first.
        let tables = std::array::from_fn(|k| match k.checked_sub(FUSED_INPUTS + 3 - N) {
            Some(k) => own[k],
            None => picked.get(k).map_or(none.as_slice(), |s| s.as_slice()),
        });
        Axes::collapse(sizes, tables, keep_order)
    }

    /// Returns the layouts of the inputs for a kernel that takes `neighbours` adjacent elements at once along the last
    /// of the axes `along`, and also walks `across`. With `whole` adjacent elements are never in two rows of `along`.
    pub(in crate::engine) fn reading(
        &self,
        neighbours: usize,
        whole: bool,
        along: &Axes<TABLES>,
        across: &Axes<TABLES>,
        width: Width,
    ) -> Option<Reading> {
        if width.deep || along.sizes.len().max(across.sizes.len()) > SHALLOW_AXES {
            return None;
        }
        let mut inputs = [Neighbours::Value; FUSED_INPUTS];
        let mut slot = 0;
        for (input, leaf) in inputs.iter_mut().zip(&self.collected.leaves) {
            let Leaf::Array(a) = leaf else { continue };
            let (own, others) = (&along.strides[slot], &across.strides[slot]);
            let (step, outer) = own.split_last().map_or((0, &[][..]), |(last, outer)| (*last, outer));
            let bytes = neighbours * a.itemsize();
            // Loads have 16 bytes at most.
            let aligned = |at: u64| at.is_multiple_of(bytes.min(16) as u64);
            let steps = outer.iter().chain(others.iter()).all(|s| aligned(s.unsigned_abs()));
            *input = match step {
                _ if neighbours == 1 || !whole => Neighbours::Apart,
                0 => Neighbours::Same,
                _ if step == a.itemsize() as i64 && steps && aligned(a.addr()) => Neighbours::Dense,
                _ => Neighbours::Apart,
            };
            slot += 1;
        }
        Some(Reading { expression: self.expression, inputs, width })
    }

    /// Returns a bit mask if each thread is to read short rows by itself, because those of adjacent threads are close
    /// to each other, or are not contiguous. The bits are the arrays that have stride 0 along the first axis of the
    /// results: they are the same for the rows that a thread has along it. One row for each thread is better if there
    /// is no such array, if there are few rows, or if several take too many registers.
    pub(in crate::engine) fn own_rows(&self, results: &Axes<TABLES>, elements: &Axes<TABLES>) -> Option<u16> {
        let arrays = self.collected.leaves.iter().filter_map(|leaf| match leaf {
            Leaf::Array(a) => Some(a),
            Leaf::Value(_) => None,
        });
        let (n, lines) = (size_of(&elements.sizes), results.sizes.len() == 1 && elements.sizes.len() == 1);
        let (mut shared, mut held) = (0, 0);
        for (slot, a) in arrays.enumerate() {
            let (strides, item) = (&results.strides[slot], a.itemsize());
            let far = strides.last().is_some_and(|s| *s != 0) && n * item > NEAR && a.size() * item > IN_REACH;
            if far && lines {
                return None;
            }
            let still = strides.first() == Some(&0);
            shared |= u16::from(still) << slot;
            held += REDUCTION_BATCH * item * if still { 1 } else { REDUCTION_ROWS };
        }
        let first = results.sizes.first().copied().unwrap_or(1);
        let several = first >= 4 * REDUCTION_ROWS && size_of(&results.sizes) >= MANY_ROWS && held <= HELD;
        Some(if several { shared } else { 0 })
    }

    /// Returns the tables of strides for a kernel.
    pub(in crate::engine) fn tables<'a>(&self, axes: &'a Axes<TABLES>) -> SmallVec<[Steps<'a>; 4]> {
        axes.strides[..self.strides.len()].iter().map(|s| Steps(s)).collect()
    }
}

/// Returns the pending call of an array, if it can be computed as the array is read: the whole of it, and for the first
/// time.
fn waits(a: &Array) -> Option<Arc<Pending>> {
    let work = inlined(a, a.size()).filter(|work| work.layout.offset == 0 && !work.read.load(Relaxed))?;
    (!a.buffer().waits_beside(&work.device.queue())).then_some(work)
}

/// Returns true if adjacent elements of a result are far apart in a large operand with these strides along its axes,
/// and other elements of it are not: the operand is then read in tiles, which the elementwise kernels do.
pub(super) fn crosses(a: &Array, strides: &[i64], shape: &[usize], result: &[i64]) -> bool {
    let axes = || shape.iter().enumerate().filter(|(_, n)| **n > 1).map(|(axis, _)| axis);
    let Some(fastest) = axes().min_by_key(|&axis| result[axis]) else { return false };
    let step = strides[fastest].unsigned_abs();
    let apart = step >= FAR && axes().any(|axis| strides[axis] != 0 && strides[axis].unsigned_abs() < step);
    apart && a.size() * a.itemsize() > ACROSS
}
