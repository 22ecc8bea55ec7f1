//! Source of the kernel of weighted sums along the last two axes.

use super::body;
use super::window::{WindowOp, functions, unit};
use crate::DType;
use crate::params::{Read, Sizes, Strides, Width, Written, parameters};

/// Columns of a block of the kernel `window_plane`: `WIDTH` of `include/window_plane.cuh`.
pub const WINDOW_PLANE_WIDTH: usize = 128;

/// Greatest size of a window along an axis: the room for its weights.
pub const WINDOW_PLANE_MOST: usize = 64;

/// Rows that a block computes at a time: `STEP` of `include/window_plane.cuh`.
const STEP: usize = 16;

parameters! {
    /// Parameters of the kernel `window_plane`: sizes in elements, strides in bytes. Pairs are of the second to last axis and the last one.
    WindowPlaneParams<'a, P> {
        /// The input, whose last axis is dense.
        src: Read<P> as "const char *",
        /// The results, whose last axis is dense.
        dst: Written<P> as "char *",
        /// Element beyond a constant border.
        cval: f64,
        /// Lengths of the axes.
        n: [i64; 2],
        /// Position of the result in its window.
        leads: [i64; 2],
        /// Sizes of the windows.
        sizes_of: [u32; 2],
        /// Rules of the border.
        rules: [u32; 2],
        /// Rows in shared memory.
        ring: u32,
        /// Rows of a block.
        march: u32,
        /// Blocks along the last axis.
        tiles_x: u32,
        /// Blocks along the second to last axis.
        tiles_y: u32,
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
        /// The weights: room for those of the second to last axis, then for those of the last one.
        weights: [[f64; 32]; 2 * WINDOW_PLANE_MOST / 32],
    }
}

/// Key of the kernel `window_plane`, with the parameters [`WindowPlaneParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WindowPlane {
    /// The dtype of the input and of the results.
    pub dtype: DType,
    /// True if the last axis is first.
    pub x_first: bool,
    /// Tables have room for the axes of any array.
    pub deep: bool,
}

impl WindowPlane {
    /// Returns the rows that a block keeps, for windows of a size along the second to last axis.
    pub fn ring(&self, size: usize) -> usize {
        (size + STEP - 1).next_multiple_of(STEP)
    }

    /// Returns the bytes of shared memory of a block for windows of these sizes along the second to last axis and the last one.
    pub fn shared(&self, sizes: [usize; 2]) -> usize {
        let pitch = |columns: usize| columns + columns / 8 + 1;
        let (narrow, wide) = (pitch(WINDOW_PLANE_WIDTH), pitch(WINDOW_PLANE_WIDTH + sizes[1] - 1));
        let values =
            if self.x_first { self.ring(sizes[0]) * narrow + STEP * wide } else { (self.ring(sizes[0]) + STEP) * wide };
        let results = if self.x_first { 0 } else { STEP * narrow * self.dtype.size() };
        2 * WINDOW_PLANE_MOST * 8 + values * 8 + results.next_multiple_of(8)
    }

    /// Returns the kernel's name in messages.
    pub fn name(&self) -> String {
        format!("window_plane/{}/{}", self.dtype, if self.x_first { "x" } else { "y" })
    }

    /// Returns the source of the kernel `window_plane`.
    pub fn source(&self) -> String {
        let width = Width { wide: false, deep: self.deep };
        unit(WindowOp::Weighted, self.dtype, self.dtype, "window_plane")
            .indexed(width)
            .switch("X_FIRST", self.x_first)
            .params(&WindowPlaneParams::<()> { width, ..Default::default() })
            .with(body!("window_border"))
            .with(&functions(WindowOp::Weighted, self.dtype, self.dtype))
            .with(body!("window_plane"))
            .finish()
    }
}
