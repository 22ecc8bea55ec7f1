//! Distribution of a reduction's rows that the threads of a block can hold.
//!
//! A softmax, for example, is a maximum, a difference and a sum along the same rows, which one kernel computes while it
//! holds the row.

use cuprum_kernels::source::ReductionClass;

use super::plan::{Shape, THREADS, Walk};
use crate::array::Array;
use crate::engine::launch::DevicePtr;

/// Distribution of rows over threads, where no two blocks share a row: several reductions along the same rows must
/// agree on it, so that the threads of one kernel can hold the rows and combine the elements of each in the order of
/// its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine) struct RowShare {
    pub(in crate::engine) outputs: usize,
    pub(in crate::engine) n: usize,
    /// Number of adjacent elements that a thread reads at once.
    pub(in crate::engine) per_load: usize,
    /// Base-2 logarithm of the number of rows of a block.
    pub(in crate::engine) outputs_log2: u32,
    pub(in crate::engine) blocks: usize,
}

impl RowShare {
    /// Returns the distribution for a reduction of an array over axes, to a result with these strides; `waits`: its
    /// elements are computed as they are read. Returns `None` if the rows are short ones that are staged in shared
    /// memory, are columns, or are split.
    pub(in crate::engine) fn of(
        a: &Array,
        axes: &[usize],
        out: &[i64],
        waits: bool,
        ordered: bool,
    ) -> Option<RowShare> {
        let walk = Walk::along(a, axes, None, out, [(!waits).then(|| DevicePtr::of(a)), None], ordered);
        if walk.class(false) != ReductionClass::Rows {
            return None;
        }
        let per_load = walk.per_load(ReductionClass::Rows, 0);
        let shape = Shape::new(walk.outputs, walk.n, ReductionClass::Rows, per_load, walk.item);
        let alone = shape.splits == 1 && walk.n > 1;
        let (outputs_log2, blocks) = (shape.outputs_log2, shape.blocks);
        alone.then_some(RowShare { outputs: walk.outputs, n: walk.n, per_load, outputs_log2, blocks })
    }

    /// Returns the number of loads that a thread holds: a power of two, so that few kernels serve all lengths.
    pub(in crate::engine) fn loads(&self) -> usize {
        self.n.div_ceil((THREADS >> self.outputs_log2) * self.per_load).next_power_of_two()
    }

    /// Returns true if every thread of a row has as many loads.
    pub(in crate::engine) fn fills(&self, loads: usize) -> bool {
        self.n == (THREADS >> self.outputs_log2) * self.per_load * loads
    }
}
