//! Sorts of rows that a block holds.
//!
//! Lower bound: each element read once and written once. The bottleneck is the ranking of elements by the bytes of
//! their keys.

use cuprum_kernels::params::Written;
use cuprum_kernels::source::{Carried, SortBlock, SortBlockParams};

use super::Sorting;
use crate::engine::kernels::{Kernels, kernels};
use crate::engine::launch::{Blocks, DevicePtr, Launcher, read};
use crate::error::Result;

/// Maximum number of rows that a block sorts: their number is a byte of the key.
const MOST_ROWS: usize = 256;

/// Bytes of the elements that a block exchanges in its shared memory.
const SHARED: usize = 32 << 10;

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static KERNELS: Kernels<SortBlock> = Kernels::default();
}

/// Distribution of a block's elements over its threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BlockShape {
    /// Threads of a block.
    pub(super) threads: usize,
    /// Elements of a thread.
    pub(super) items: usize,
    /// Rows of a block.
    pub(super) rows: usize,
}

/// Numbers of threads of a block, and of elements of each.
const SHAPES: [(usize, usize); 4] = [(256, 2), (256, 8), (512, 8), (512, 16)];

/// Returns the shapes whose elements of `item` bytes fit in shared memory.
fn fitting(item: usize) -> impl Iterator<Item = (usize, usize)> {
    SHAPES.into_iter().filter(move |(threads, items)| threads * items * item <= SHARED)
}

impl BlockShape {
    /// Returns the maximum number of elements of `item` bytes that a block holds.
    pub(super) fn most(item: usize) -> usize {
        fitting(item).map(|(threads, items)| threads * items).max().unwrap_or(0)
    }

    /// Returns the shape for rows of `length` elements of `item` bytes; `None` if a row is larger than a block.
    pub(super) fn of(item: usize, rows: usize, length: usize) -> Option<BlockShape> {
        // Short rows share the tile of the middle size, unless the smallest holds them all.
        let wanted = if rows * length <= 512 { rows * length } else { length.max(513) };
        let (threads, items) = fitting(item).find(|(t, i)| t * i >= wanted)?;
        Some(BlockShape { threads, items, rows: (threads * items / length).clamp(1, MOST_ROWS).min(rows) })
    }
}

impl<'a> Sorting<'a> {
    /// Returns the parameters of a kernel whose blocks, or warps, sort this number of whole rows.
    pub(super) fn block_params(&self, per_block: usize) -> SortBlockParams<DevicePtr<'a>> {
        SortBlockParams {
            width: Default::default(),
            rows: self.rows,
            length: self.length,
            input: read(self.input),
            out: Written(Sorting::pointer(self.sorted)),
            positions: Written(Sorting::pointer(self.payload)),
            per_block: per_block as u32,
        }
    }

    pub(super) fn in_blocks(&self, shape: BlockShape) -> Result<()> {
        let indexed = self.carried == Carried::Position || shape.rows > 1;
        let (threads, items) = (shape.threads as u16, shape.items as u16);
        let key = SortBlock { dtype: self.dtype, threads, items, indexed };
        let [function] = kernels(&KERNELS, self.device, key, ["sort_block"], || (key.name(), key.source()))?;
        let params = self.block_params(shape.rows);
        let blocks = Blocks::of(self.rows.div_ceil(shape.rows), self.rows, "rows");
        // SAFETY: a block reads all of its rows before it writes any, and the arrays have as many rows.
        unsafe { Launcher::on(self.device).launch(function, blocks, shape.threads, &params) }
    }
}
