//! Source of the kernel of windows of the last two axes, from tiles in shared memory.

use super::body;
use super::window::{WindowOp, functions, unit};
use crate::DType;
use crate::params::{Read, Sizes, Strides, Width, Written, parameters};

/// Weights that the parameters of the kernel `window_tile` have room for.
pub const WINDOW_TILE_WEIGHTS: usize = 256;

parameters! {
    /// Parameters of the kernels `window_tile` and `window_product`: sizes in elements, strides in bytes. Pairs are of the second to last axis and the last one.
    WindowTileParams<'a, P> {
        /// The input, whose last axis is dense.
        src: Read<P> as "const char *",
        /// The results, whose last axis is dense.
        dst: Written<P> as "char *",
        /// The weights if the parameters have no room for them.
        weights: Read<P> as "const f64 *",
        /// Element beyond a constant border.
        cval: f64,
        /// Lengths of the axes of the results.
        n: [i64; 2],
        /// Lengths of the axes of the input.
        lengths: [i64; 2],
        /// Position of the result in its window.
        leads: [i64; 2],
        /// Sizes of the windows; 0 along an axis without one.
        sizes_of: [u32; 2],
        /// Rules of the border.
        rules: [u32; 2],
        /// Rows of results of a block.
        height: u32,
        /// Elements from a row of a tile to the next. This and the following three are of `window_product`.
        pitch: u32,
        /// Mates of the terms of truncated sums along an axis, numbered as `mate` of its header.
        mates: u32,
        /// 1 if all terms of a truncated sum of 0 are 0.
        exact_zero: u32,
        /// Greatest difference between a truncated sum by products and that in order.
        slack: f64,
        /// Number of weights.
        weight_count: u32,
        /// Blocks along the last axis.
        tiles_x: u32,
        /// Blocks along the second to last axis.
        tiles_y: u32,
        /// 1 if a weight over both axes is 0.
        zeros: u32,
        /// Stride of the input along the second to last axis.
        src_y: i64,
        /// Stride of the results along the second to last axis.
        dst_y: i64,
        /// Number of the other axes.
        axes: u32,
        /// Sizes of the other axes.
        sizes: Sizes<'a>,
        /// Strides of the input along the other axes.
        src_steps: Strides<'a>,
        /// Strides of the results along the other axes.
        dst_steps: Strides<'a>,
        /// The weights, if there are few: those of the second to last axis, then those of the last one; of a window over both axes column by
        /// column.
        few: [[f64; 32]; WINDOW_TILE_WEIGHTS / 32],
    }
}

/// Order of the axes of a tile, numbered as `tile_order` of `include/window_tile.cuh`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TileOrder {
    /// The last axis, then the second to last one; either may have no window.
    XFirst = 0,
    /// The second to last axis, then the last one.
    YFirst = 1,
    /// One window over both axes.
    Together = 2,
}

/// Key of the kernel `window_tile`, with the parameters [`WindowTileParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WindowTile {
    /// The operation, without a structure and not binary.
    pub op: WindowOp,
    /// The dtype of the input and of the results.
    pub dtype: DType,
    /// Order of the axes.
    pub order: TileOrder,
    /// Elements of a row that a block loads: 128; 32 for a window along the second to last axis alone, 1024 for one along the last
    /// axis alone.
    pub columns: usize,
    /// Tables have room for the axes of any array.
    pub deep: bool,
}

impl WindowTile {
    /// Returns the adjacent results of a thread: more for long windows, so that fewer elements are converted for each of them.
    pub fn reach(&self) -> usize {
        if self.columns == 128 { 8 } else { 16 }
    }

    /// Returns the columns of results of a block, for windows of a size along the last axis.
    pub fn width(&self, size: usize) -> usize {
        self.columns + 1 - size.max(1)
    }

    /// Returns the bytes of shared memory of a block with a number of rows and weights.
    pub fn shared(&self, rows: usize, weights: usize) -> usize {
        8 * weights + (rows * (self.columns + self.columns / 32) * self.dtype.size()).next_multiple_of(8)
    }

    /// Returns the kernel's name in messages.
    pub fn name(&self) -> String {
        format!("window_tile/{:?}/{}/{:?}/{}", self.op, self.dtype, self.order, self.columns)
    }

    /// Returns the source of the kernel `window_tile`.
    pub fn source(&self) -> String {
        let width = Width { wide: false, deep: self.deep };
        unit(self.op, self.dtype, self.dtype, "window_tile")
            .indexed(width)
            .number("ROOM", width.axes())
            .number("REACH", self.reach())
            .switch("WEIGHTED", self.op == WindowOp::Weighted)
            .switch("MEAN", self.op == WindowOp::Mean)
            .choice("ORDER", self.order as u8)
            .choice("COLUMNS", self.columns)
            .params(&WindowTileParams::<()> { width, ..Default::default() })
            .with(body!("window_border"))
            .with(&functions(self.op, self.dtype, self.dtype))
            .with(body!("window_slide"))
            .with(body!("window_tile"))
            .finish()
    }
}
