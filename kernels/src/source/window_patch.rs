//! Source of the kernel of weighted sums over a window of the last two axes.

use super::body;
use super::window::{WindowOp, functions, unit};
use crate::DType;
use crate::params::{Read, Sizes, Strides, Width, Written, parameters};

/// Weights that the parameters of the kernel `window_patch` have room for.
pub const WINDOW_PATCH_WEIGHTS: usize = 256;

/// Results of a block of the kernel `window_patch` along the second to last axis and the last one: `HEIGHT` and `WIDTH` of
/// `include/window_patch.cuh`.
pub const WINDOW_PATCH: [usize; 2] = [32, 64];

parameters! {
    /// Parameters of the kernel `window_patch`: sizes in elements, strides in bytes. Pairs are of the second to last axis and the last one.
    WindowPatchParams<'a, P> {
        /// The input.
        src: Read<P> as "const char *",
        /// The results.
        dst: Written<P> as "char *",
        /// The weights if the parameters have no room for them, column by column.
        weights: Read<P> as "const f64 *",
        /// Element beyond a constant border.
        cval: f64,
        /// Sizes of the results.
        n: [i64; 2],
        /// Sizes of the input.
        lengths: [i64; 2],
        /// Position of the result in the window.
        leads: [i64; 2],
        /// Sizes of the window.
        sizes_of: [u32; 2],
        /// Rules of the border.
        rules: [u32; 2],
        /// Blocks along the last axis.
        tiles_x: u32,
        /// Blocks along the second to last axis.
        tiles_y: u32,
        /// Stride of the input along the second to last axis.
        src_y: i64,
        /// Stride of the input along the last axis.
        src_x: i64,
        /// Stride of the results along the second to last axis.
        dst_y: i64,
        /// Stride of the results along the last axis.
        dst_x: i64,
        /// Number of the other axes.
        axes: u32,
        /// Sizes of the other axes.
        sizes: Sizes<'a>,
        /// Strides of the input along the other axes.
        src_steps: Strides<'a>,
        /// Strides of the results along the other axes.
        dst_steps: Strides<'a>,
        /// The weights, if there are few.
        few: [[f64; 32]; WINDOW_PATCH_WEIGHTS / 32],
    }
}

/// Key of the kernel `window_patch`, with the parameters [`WindowPatchParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WindowPatch {
    /// The dtype of the input.
    pub from: DType,
    /// The dtype of the results.
    pub to: DType,
    /// Tables have room for the axes of any array.
    pub deep: bool,
}

impl WindowPatch {
    /// Returns the bytes of shared memory of a block for a window of these sizes along the second to last axis and the last one.
    pub fn shared([rows, columns]: [usize; 2]) -> usize {
        8 * (rows * columns + (WINDOW_PATCH[0] + rows - 1) * (WINDOW_PATCH[1] + columns - 1))
    }

    /// Returns the kernel's name in messages.
    pub fn name(&self) -> String {
        format!("window_patch/{}/{}", self.from, self.to)
    }

    /// Returns the source of the kernel `window_patch`.
    pub fn source(&self) -> String {
        let width = Width { wide: false, deep: self.deep };
        unit(WindowOp::Weighted, self.from, self.to, "window_patch")
            .indexed(width)
            .params(&WindowPatchParams::<()> { width, ..Default::default() })
            .with(body!("window_border"))
            .with(&functions(WindowOp::Weighted, self.from, self.to))
            .with(body!("window_patch"))
            .finish()
    }
}
