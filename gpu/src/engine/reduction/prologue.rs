//! Reductions of a pending operand, or with a pending mask (prologue fusion): the plan is that of arrays that would
//! hold the elements and the mask, so that elements are combined in the same order, with axes that all operands share.
//!
//! A sum of squares reads its operand once and writes nothing but the result.

use cuprum_kernels::params::{Read, Sizes, Strides, Width};
use cuprum_kernels::registry::ReductionLoop;
use cuprum_kernels::source::{
    REDUCTION_BATCH, ReadReduceParams, ReadReduction, ReadingParams, ReduceParams, ReductionClass, ReductionSource,
};

use super::plan::{Shape, THREADS, Walk};
use super::{NAMES, Reducing, lane_bytes, queue};
use crate::engine::fusion::{TABLES, Through, ready};
use crate::engine::kernels::Kernels;
use crate::engine::launch::{DevicePtr, one_device};
use crate::error::Result;
use crate::layout::{Dims, Strides as Steps};

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static KERNELS: Kernels<ReadReduction, 2> = Kernels::default();
}

impl Reducing<'_> {
    /// Reduces the elements of an expression, those that its mask keeps if there is one. Returns `None` if its kernel
    /// is not compiled yet, would be worse than one that reads an array, or would read what it writes.
    pub(super) fn run_through(&self, l: &ReductionLoop, of: &Through, ordered: bool) -> Result<Option<()>> {
        if of.reads_from(self.out) {
            return Ok(None);
        }
        let in_memory = self.a.buffer().work().is_none();
        let walk = Walk::new(self, [in_memory.then(|| DevicePtr::of(self.a)), None], ordered);
        let class = walk.class(self.mask.is_some());
        let per_load = walk.per_load(class, lane_bytes(l.accumulator));
        let mut shape = Shape::new(walk.outputs, walk.n, class, per_load, walk.item);
        let kept = self.kept_axes();
        let pick = |axes: &[usize], strides: &[i64]| -> Steps { axes.iter().map(|&x| strides[x]).collect() };
        let sizes = |axes: &[usize]| -> Dims { axes.iter().map(|&x| self.a.shape()[x]).collect() };
        let still: Steps = self.a.shape().iter().map(|_| 0).collect();
        let of_mask = self.mask.map_or(still.as_slice(), |m| m.strides());
        let own = [pick(&kept, self.a.strides()), pick(&kept, of_mask)];
        let out = self.out.strides();
        let results = of.axes(&kept, &sizes(&kept), [&own[0], &own[1], out], false);
        let own = [pick(self.axes, of_mask), pick(self.axes, self.a.strides())];
        let elements = of.axes(self.axes, &sizes(self.axes), [&own[0], &own[1]], ordered);
        let columns = class == ReductionClass::Columns;
        let (along, across) = if columns { (&results, &elements) } else { (&elements, &results) };
        let last = along.sizes.last().copied().unwrap_or(1);
        let short = class == ReductionClass::Staged;
        let own_rows = if short { of.own_rows(&results, &elements) } else { None };
        // For short rows the loads are not a part of the order.
        let most = if own_rows.is_some() { REDUCTION_BATCH.ilog2() } else { 0 };
        let per_load = if short { 1 << last.trailing_zeros().min(most) } else { per_load };
        let whole = per_load == 1 || last.is_multiple_of(per_load);
        let wide = walk.outputs.max(walk.n) > i32::MAX as usize;
        let width = Width { wide, ..Width::of(along.sizes.len().max(across.sizes.len()), 0) };
        let of_array = ReductionSource { per_load: per_load as u8, width, ..self.key(class) };
        let neighbours = if columns && !whole { 1 } else { per_load };
        let Some(reading) = of.reading(neighbours, whole, along, across, width) else { return Ok(None) };
        let key = ReadReduction { of_array, reading, whole, own_rows };
        if columns && !whole {
            shape.blocks = walk.outputs.div_ceil(1 << shape.outputs_log2);
        }
        if own_rows.is_some() {
            // The rows of a thread are equally spaced along the first axis.
            let first = results.sizes.first().copied().unwrap_or(1);
            shape.rows = walk.outputs / first * first.div_ceil(key.rows());
            shape.blocks = shape.rows.div_ceil(THREADS);
        }
        let device = one_device(self.a, self.mask.into_iter().chain([self.out]))?;
        let Some(functions) = ready(&KERNELS, device, key, NAMES)? else { return Ok(None) };
        let scratch = self.scratch(device, &walk, &shape, of_array.accumulator_bytes(l.accumulator))?;
        let params = ReduceParams {
            kept_axes: results.sizes.len() as u32,
            reduced_axes: elements.sizes.len() as u32,
            kept: Sizes(&results.sizes),
            reduced_sizes: Sizes(&elements.sizes),
            kept_out: Strides(&results.strides[TABLES - 1]),
            input: Read(None),
            ..self.params(width, &walk, &shape, &scratch)
        };
        let (ins, kept, reduced) = (of.inputs(), of.tables(&results), of.tables(&elements));
        let reading = ReadingParams { width, ins: &ins, kept: &kept, reduced: Some(&reduced) };
        // SAFETY: the sizes and strides reach elements of the arrays of the expression and of the result only, and the
        // scratch memory has a partial result for each split and output.
        unsafe { queue(device, functions, &shape, params, |reduce| ReadReduceParams { reduce, reading }) }.map(Some)
    }
}
