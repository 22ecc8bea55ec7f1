//! Source of the kernels of means and extremes of long windows along one axis: `window_row` along the last one, `window_stream` along another.

use super::body;
use super::window::{WindowOp, functions, unit};
use crate::DType;
use crate::params::{Read, Sizes, Strides, Width, Written, parameters};

parameters! {
    /// Parameters of the kernels `window_row` and `window_stream`: sizes in elements, strides in bytes. Lines are rows for the former, and adjacent
    /// elements for the latter.
    WindowStreamParams<'a, P> {
        /// The input.
        src: Read<P> as "const char *",
        /// The results.
        dst: Written<P> as "char *",
        /// Element beyond a constant border.
        cval: f64,
        /// Length of the axis.
        n: i64,
        /// Number of lines.
        lines: i64,
        /// Results of a segment of a line: a multiple of [`WindowStream::step`].
        height: i64,
        /// Position of the result in its window.
        lead: i64,
        /// Size of the windows: more than the results of a thread at a time.
        k: u32,
        /// Rule of the border.
        rule: u32,
        /// Rows, or groups of 32 lines.
        groups: u32,
        /// Segments of a line.
        segments: u32,
        /// Number of planes.
        planes: u32,
        /// Stride of the input along the second to last axis.
        src_step: i64,
        /// Stride of the results along the second to last axis.
        dst_step: i64,
        /// Number of the axes of planes.
        axes: u32,
        /// Sizes of the axes of planes.
        sizes: Sizes<'a>,
        /// Strides of the input along the axes of planes.
        src_steps: Strides<'a>,
        /// Strides of the results along the axes of planes.
        dst_steps: Strides<'a>,
    }
}

/// Key of the kernel `window_row` or `window_stream`, with the parameters [`WindowStreamParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WindowStream {
    /// The operation: a mean, a minimum or a maximum.
    pub op: WindowOp,
    /// The dtype of the input and of the results.
    pub dtype: DType,
    /// True for windows along the last axis.
    pub along: bool,
    /// Tables have room for the axes of any array.
    pub deep: bool,
}

impl WindowStream {
    /// Adjacent results of a thread at a time.
    pub const REACH: usize = 16;

    /// Returns the warps of a block, and the least blocks that a multiprocessor has registers for.
    fn warps_and_blocks(&self) -> (usize, usize) {
        if self.along { (2, 7) } else { (4, 4) }
    }

    /// Returns the warps of a block.
    pub fn warps(&self) -> usize {
        self.warps_and_blocks().0
    }

    /// Returns the results of a warp along the axis at a time.
    pub fn step(&self) -> usize {
        if self.along { 32 * WindowStream::REACH } else { WindowStream::REACH }
    }

    /// Returns the name of the kernel.
    pub fn kernel(&self) -> &'static str {
        if self.along { "window_row" } else { "window_stream" }
    }

    /// Returns the bytes of shared memory of a block for windows of a size: totals, and for rows the elements of two spans and the results of one,
    /// with one of padding for each slot.
    pub fn shared(&self, k: usize) -> usize {
        let value = if self.op == WindowOp::Mean { 8 } else { self.dtype.size().max(4) };
        let warp = if self.along {
            64 * value + 96 * (WindowStream::REACH + 1) * self.dtype.size()
        } else {
            (k - WindowStream::REACH) / WindowStream::REACH * 32 * value
        };
        (self.warps() * warp).next_multiple_of(8)
    }

    /// Returns the kernel's name in messages.
    pub fn name(&self) -> String {
        format!("{}/{:?}/{}", self.kernel(), self.op, self.dtype)
    }

    /// Returns the source of the kernel.
    pub fn source(&self) -> String {
        let width = Width { wide: false, deep: self.deep };
        let (warps, blocks) = self.warps_and_blocks();
        unit(self.op, self.dtype, self.dtype, self.kernel())
            .indexed(width)
            .number("ROOM", width.axes())
            .number("REACH", WindowStream::REACH)
            .number("WARPS", warps)
            .number("BLOCKS", blocks)
            .switch("MEAN", self.op == WindowOp::Mean)
            .switch("DOUBLES", self.dtype == DType::F64)
            .params(&WindowStreamParams::<()> { width, ..Default::default() })
            .with(body!("window_border"))
            .with(&functions(self.op, self.dtype, self.dtype))
            .with(body!("window_shared"))
            .with(if self.along { body!("window_row") } else { body!("window_stream") })
            .finish()
    }
}
