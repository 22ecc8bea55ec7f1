//! Source of the kernels of ranks in windows: medians of small boxes, windows that fit in shared memory, and all others.

use super::window::{WindowAreaParams, WindowOp, functions, order_keys, unit, value_dtype};
use super::{Unit, body};
use crate::DType;
use crate::params::{Read, Size, Sizes, Strides, Width, Written, parameters};

/// Runs of a footprint that the parameters of the kernel `window_select` have room for.
pub const WINDOW_RUNS: usize = 96;

/// Elements that a thread of the kernel `window_select` sorts: `ITEMS` of `include/window_select.cuh`.
pub const WINDOW_ITEMS: usize = 16;

/// Threads of the kernel `window_select` with a set of ranks: `WALKERS` of `include/window_select.cuh`.
pub const WINDOW_WALKERS: usize = 128;

parameters! {
    /// Parameters of the kernel `window_median`: sizes in elements, strides in bytes.
    WindowMedianParams<'a, P> {
        /// The input.
        src: Read<P> as "const char *",
        /// The results.
        dst: Written<P> as "char *",
        /// Element beyond a constant border.
        cval: f64,
        /// Blocks along the last axis.
        tiles_x: u32,
        /// Blocks along the second to last axis.
        tiles_y: u32,
        /// Lengths of the last three axes, the last one at the end.
        n: [i64; 3],
        /// Position of the result in the window along these axes.
        leads: [i64; 3],
        /// Rules of the border along these axes.
        rules: [u32; 3],
        /// Number of axes.
        axes: u32,
        /// Sizes of the axes.
        sizes: Sizes<'a>,
        /// Strides of the input.
        src_steps: Strides<'a>,
        /// Strides of the results.
        dst_steps: Strides<'a>,
    }
}

parameters! {
    /// Parameters of the kernel `window_select`: sizes in elements, strides in bytes.
    WindowSelectParams<'a, P> {
        /// The input.
        src: Read<P> as "const char *",
        /// The results.
        dst: Written<P> as "char *",
        /// The runs of the footprint along the last axis if the parameters have no room for them: the position of the first element in the
        /// box of one result in the low 16 bits, and the length above.
        runs: Read<P> as "const u32 *",
        /// Element beyond a constant border.
        cval: f64,
        /// Number of axes.
        axes: u32,
        /// Number of runs.
        run_count: u32,
        /// The rank.
        rank: u32,
        /// Elements of the box that the windows of a block cover.
        box_count: u32,
        /// Words of a set of ranks.
        words: u32,
        /// Results of a strip along the last axis.
        strip: u32,
        /// Strips of a block.
        strips: u32,
        /// Strips of a row of the results of a block.
        parts: Size,
        /// Results of a block along each axis.
        tile: Sizes<'a>,
        /// Elements of the box along each axis.
        box_sizes: Sizes<'a>,
        /// Number of blocks along each axis.
        tiles: Strides<'a>,
        /// Sizes of the results.
        results: Strides<'a>,
        /// Sizes of the input.
        lengths: Strides<'a>,
        /// First coordinate of the window relative to the result.
        first: Strides<'a>,
        /// Rules of the border.
        rules: Strides<'a>,
        /// Strides of the input.
        src_steps: Strides<'a>,
        /// Strides of the results.
        dst_steps: Strides<'a>,
        /// The runs, if there are few.
        few: [[u32; 32]; WINDOW_RUNS / 32],
    }
}

/// Key of the kernel `window_rank`, with the parameters [`WindowAreaParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WindowRank {
    /// The dtype of the input.
    pub from: DType,
    /// The dtype of the results.
    pub to: DType,
    /// Width of indices, and number of axes that tables have room for.
    pub width: Width,
}

/// Key of the kernel `window_median`, with the parameters [`WindowMedianParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WindowMedian {
    /// The dtype of the input.
    pub from: DType,
    /// The dtype of the results.
    pub to: DType,
    /// Size of the box along the last three axes: one of [`WindowMedian::SHAPES`].
    pub shape: [usize; 3],
    /// Tables have room for the axes of any array.
    pub deep: bool,
}

/// Key of the kernel `window_columns`, with the parameters [`WindowMedianParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WindowColumns {
    /// The dtype of the input.
    pub from: DType,
    /// The dtype of the results.
    pub to: DType,
    /// Size of the square: one of [`WindowColumns::SIZES`].
    pub size: usize,
    /// Tables have room for the axes of any array.
    pub deep: bool,
}

/// Key of the kernel `window_select`, with the parameters [`WindowSelectParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WindowSelect {
    /// The dtype of the input.
    pub from: DType,
    /// The dtype of the results.
    pub to: DType,
    /// Threads of a block: one of [`WindowSelect::THREADS`].
    pub threads: usize,
    /// Tables have room for the axes of any array.
    pub deep: bool,
}

/// Starts a source with the types and functions of the order of elements.
fn ordered(from: DType, to: DType, namespace: &str, width: Width) -> Unit {
    let (key, _) = order_keys(value_dtype(WindowOp::Minimum, from));
    unit(WindowOp::Minimum, from, to, namespace).typed("key", key).indexed(width).number("ROOM", width.axes())
}

/// Adds the functions of elements and keys, after the parameters.
fn with_keys(unit: Unit, from: DType, to: DType) -> Unit {
    unit.with(body!("window_border"))
        .with(&functions(WindowOp::Minimum, from, to))
        .with(&order_keys(value_dtype(WindowOp::Minimum, from)).1)
}

impl WindowRank {
    /// Returns the kernel's name in messages.
    pub fn name(&self) -> String {
        format!("window_rank/{}/{}", self.from, self.to)
    }

    /// Returns the source of the kernel `window_rank`.
    pub fn source(&self) -> String {
        let unit = ordered(self.from, self.to, "window_rank", self.width)
            .params(&WindowAreaParams::<()> { width: self.width, ..Default::default() });
        with_keys(unit, self.from, self.to).with(body!("window_walk")).with(body!("window_rank")).finish()
    }
}

impl WindowMedian {
    /// Shapes of boxes with a kernel of their own, which keeps the elements of several windows in registers.
    pub const SHAPES: [[usize; 3]; 5] = [[1, 1, 3], [1, 1, 5], [1, 3, 3], [1, 5, 5], [3, 3, 3]];

    /// Returns the times that the threads of a block compute results, whose keys the shared memory of a block has room for.
    fn strips(&self) -> usize {
        if self.shape == [1, 3, 3] || order_keys(value_dtype(WindowOp::Minimum, self.from)).0 == "u64" { 1 } else { 2 }
    }

    /// Returns the results of a block along the last axis and along the second to last one: `WIDTH` and `HEIGHT` of
    /// `include/window_median.cuh`.
    pub fn tile(&self) -> (usize, usize) {
        match self.shape {
            [1, 1, _] => (4 * 256, 1),
            [1, 3, 3] => (62, 32 * self.strips()),
            [_, _, x] => (65 - x, 16 * self.strips()),
        }
    }

    /// Returns the kernel's name in messages.
    pub fn name(&self) -> String {
        let [z, y, x] = self.shape;
        format!("window_median/{}/{}/{z}x{y}x{x}", self.from, self.to)
    }

    /// Returns the source of the kernel `window_median`.
    pub fn source(&self) -> String {
        let [z, y, x] = self.shape;
        let width = Width { wide: false, deep: self.deep };
        let unit = ordered(self.from, self.to, "window_median", width)
            .typed("sortable", "key")
            .choice("KX", x)
            .choice("KY", y)
            .choice("KZ", z)
            .choice("STRIPS", self.strips())
            .params(&WindowMedianParams::<()> { width, ..Default::default() });
        with_keys(unit, self.from, self.to)
            .with(body!("window_networks"))
            .with(body!("window_plane"))
            .with(body!("window_median"))
            .finish()
    }
}

impl WindowColumns {
    /// Sizes of squares.
    pub const SIZES: [usize; 4] = [7, 9, 11, 13];

    /// Results of a block along the last axis and along the second to last one: `WIDTH` and `HEIGHT` of `include/window_columns.cuh`.
    pub const TILE: (usize, usize) = (32, 64);

    /// Returns true if elements have keys of 32 bits: a thread has registers for these.
    pub fn has_keys(from: DType) -> bool {
        order_keys(value_dtype(WindowOp::Minimum, from)).0 == "u32"
    }

    /// Returns the warps of a block, and the least blocks that a multiprocessor has registers for.
    fn warps_and_blocks(&self) -> (usize, usize) {
        match self.size {
            7 => (8, 3),
            9 => (4, 4),
            11 => (4, 3),
            _ => (4, 2),
        }
    }

    /// Returns the threads of a block.
    pub fn threads(&self) -> usize {
        32 * self.warps_and_blocks().0
    }

    /// Returns the bytes of shared memory of a block: its elements, the sorted ones, and the medians.
    pub fn shared(&self) -> usize {
        let (width, height) = WindowColumns::TILE;
        let around = self.size - 1;
        let (columns, rows) = (width + around, height + around);
        4 * (rows * (columns | 1) + around * columns * height / 2 + height * (width + 1))
    }

    /// Returns the kernel's name in messages.
    pub fn name(&self) -> String {
        format!("window_columns/{}/{}/{}", self.from, self.to, self.size)
    }

    /// Returns the source of the kernel `window_columns`.
    pub fn source(&self) -> String {
        let width = Width { wide: false, deep: self.deep };
        let (warps, blocks) = self.warps_and_blocks();
        let unit = ordered(self.from, self.to, "window_columns", width)
            .typed("sortable", "key")
            .number("SIZE", self.size)
            .number("WARPS", warps)
            .number("BLOCKS", blocks)
            .number("KZ", 1)
            .params(&WindowMedianParams::<()> { width, ..Default::default() });
        with_keys(unit, self.from, self.to)
            .with(body!("window_networks"))
            .with(body!("window_plane"))
            .with(body!("window_columns"))
            .finish()
    }
}

impl WindowSelect {
    /// Threads of a block, each of which sorts [`WINDOW_ITEMS`] elements.
    pub const THREADS: [usize; 3] = [128, 256, 512];

    /// Returns the elements of the largest box of a block.
    pub fn room(&self) -> usize {
        self.threads * WINDOW_ITEMS
    }

    /// Returns the bytes of shared memory of a block for a box of this number of elements.
    pub fn shared(&self, box_count: usize) -> usize {
        let item = if self.wide() { 16 } else { 8 };
        self.room() * item + self.words() * 4 * WINDOW_WALKERS + 2 * box_count
    }

    /// Returns the words of a set of ranks.
    pub fn words(&self) -> usize {
        self.room() / 32
    }

    /// Returns true if keys have 64 bits.
    fn wide(&self) -> bool {
        order_keys(value_dtype(WindowOp::Minimum, self.from)).0 == "u64"
    }

    /// Returns the kernel's name in messages.
    pub fn name(&self) -> String {
        format!("window_select/{}/{}/{}", self.from, self.to, self.threads)
    }

    /// Returns the source of the kernel `window_select`.
    pub fn source(&self) -> String {
        let width = Width { wide: false, deep: self.deep };
        let unit = ordered(self.from, self.to, "window_select", width)
            .switch("WIDE", self.wide())
            .number("THREADS", self.threads)
            .params(&WindowSelectParams::<()> { width, ..Default::default() });
        with_keys(unit, self.from, self.to)
            .with(body!("window_items"))
            .typed("sortable", "item")
            .with(body!("window_networks"))
            .with(body!("window_select"))
            .finish()
    }
}
