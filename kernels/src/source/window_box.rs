//! Source of the kernel of extremes of boxes over the last three axes.

use super::body;
use super::window::{WindowOp, functions, unit};
use crate::DType;
use crate::params::{Read, Sizes, Strides, Width, Written, parameters};

/// Results of a thread of the kernel `window_box`, which are adjacent along the second to last axis.
const REACH: usize = 8;

parameters! {
    /// Parameters of the kernel `window_box`: sizes in elements, strides in bytes. Triples are of the last three axes in order.
    WindowBoxParams<'a, P> {
        /// The input, whose last axis is dense.
        src: Read<P> as "const char *",
        /// The results, whose last axis is dense.
        dst: Written<P> as "char *",
        /// Element beyond a constant border.
        cval: f64,
        /// Lengths of the axes.
        n: [i64; 3],
        /// Position of the result in its box.
        leads: [i64; 3],
        /// Strides of the input along the first of the axes.
        src_z: i64,
        /// Strides of the input along the second one.
        src_y: i64,
        /// Strides of the results along the first one.
        dst_z: i64,
        /// Strides of the results along the second one.
        dst_y: i64,
        /// Sizes of the boxes.
        sizes_of: [u32; 3],
        /// Rules of the border.
        rules: [u32; 3],
        /// Planes of results of a block.
        depth: u32,
        /// Blocks along the first of the axes.
        parts: u32,
        /// Blocks along the last axis.
        tiles_x: u32,
        /// Blocks along the second to last one.
        tiles_y: u32,
        /// Number of the other axes.
        axes: u32,
        /// Sizes of the other axes.
        sizes: Sizes<'a>,
        /// Strides of the input along the other axes.
        src_steps: Strides<'a>,
        /// Strides of the results along the other axes.
        dst_steps: Strides<'a>,
    }
}

/// Key of the kernel `window_box`, with the parameters [`WindowBoxParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WindowBox {
    /// The minimum or the maximum.
    pub op: WindowOp,
    /// The dtype of the input and of the results.
    pub dtype: DType,
    /// Tables have room for the axes of any array.
    pub deep: bool,
}

impl WindowBox {
    /// Elements of a row that a block loads, and the rows of its results: as in `include/window_box.cuh`.
    pub const COLUMNS: usize = 64;
    /// See [`WindowBox::COLUMNS`].
    pub const HEIGHT: usize = WindowBox::THREADS / WindowBox::COLUMNS * REACH;
    /// Threads of a block.
    pub const THREADS: usize = 256;
    /// Most elements of a box along an axis.
    pub const MOST: usize = 5;

    /// Returns the bytes of shared memory of a block for boxes of these sizes.
    pub fn shared(&self, sizes: [usize; 3]) -> usize {
        let rows = 2 * (WindowBox::HEIGHT + sizes[1] - 1) + WindowBox::HEIGHT * sizes[0];
        (rows * WindowBox::COLUMNS * self.dtype.size()).next_multiple_of(8)
    }

    /// Returns the kernel's name in messages.
    pub fn name(&self) -> String {
        format!("window_box/{:?}/{}", self.op, self.dtype)
    }

    /// Returns the source of the kernel `window_box`.
    pub fn source(&self) -> String {
        let width = Width { wide: false, deep: self.deep };
        unit(self.op, self.dtype, self.dtype, "window_box")
            .indexed(width)
            .number("ROOM", width.axes())
            .number("REACH", REACH)
            .switch("WEIGHTED", false)
            .switch("MEAN", false)
            .switch("ASYNC", self.dtype.size() >= 4)
            .params(&WindowBoxParams::<()> { width, ..Default::default() })
            .with(body!("window_border"))
            .with(&functions(self.op, self.dtype, self.dtype))
            .with(body!("window_slide"))
            .with(body!("window_box"))
            .finish()
    }
}
