//! Windows along one axis, along the last two, or over both together, from tiles of the input in shared memory.
//!
//! One axis other than the last is the second to last one of a view: the axes after it are dense, and count as one.

use cuprum_kernels::params::{Read, Sizes, Strides as Numbers, Width};
use cuprum_kernels::source::{
    TileOrder, WINDOW_TILE_WEIGHTS, WindowOp, WindowProduct, WindowStream, WindowTile, WindowTileParams,
};
use cuprum_kernels::{DType, Kind};

use super::area::Area;
use super::line::Pass;
use super::ordered::{Mates, depends_on_order};
use super::product::{product, slack};
use super::{BorderRule, constant, few_or_list, stream};
use crate::array::Array;
use crate::cuda::Device;
use crate::engine::kernels::{Kernels, kernels};
use crate::engine::launch::{Blocks, Launcher, read, written};
use crate::error::Result;

/// Threads of a block.
const THREADS: usize = 256;

/// Bytes of shared memory of a block with which two run on a multiprocessor at a time.
pub(super) const SHARED: usize = 100 << 10;

/// Elements from which tiles are worth a kernel of their own.
const LARGE: usize = 1 << 12;

/// Columns of results from which half of a row of a tile is used.
const NARROW: usize = 64;

/// Greatest size of windows along two axes, which a tile is computed for at a time: larger ones have more elements around a tile than the second
/// pass costs.
const MOST_OF_TWO: usize = 33;

/// Greatest size of windows along one axis of the kernels of 128 columns, unless the axis is as short.
const SHORT: usize = 17;

/// Rows from which tiles of 128 columns have enough of them.
const FEW_ROWS: usize = 8;

/// Greatest size of windows along the last axis and along another one.
const MOST_ALONG: usize = 512;
const MOST_ACROSS: usize = 256;

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static KERNELS: Kernels<WindowTile> = Kernels::default();
    static PRODUCT_KERNELS: Kernels<WindowProduct> = Kernels::default();
}

/// Passes along the last two axes of a view, or along one of them.
#[derive(Debug)]
pub(super) struct Tile<'a> {
    /// The pass along the second to last axis and that along the last one.
    passes: [Option<&'a Pass>; 2],
    /// The kernel.
    key: WindowTile,
}

/// Last two axes of a view of the input and the results.
pub(super) struct View {
    /// Lengths of the axes.
    pub(super) n: [usize; 2],
    /// Number of the axes of the arrays before them.
    pub(super) others: usize,
    /// Strides of the input and of the results along the first of them, in bytes.
    pub(super) steps: [i64; 2],
}

impl<'a> Tile<'a> {
    /// Returns two passes along the last two axes as one launch, if they can be one.
    pub(super) fn of_two(first: &'a Pass, second: &'a Pass, src: &Array, out: &Array) -> Option<Tile<'a>> {
        let axes = out.ndim();
        let x_first = first.axis + 1 == axes;
        let passes = if x_first { [second, first] } else { [first, second] };
        let fits = axes >= 2
            && [passes[0].axis + 2, passes[1].axis + 1] == [axes; 2]
            && first.op.kind() == second.op.kind()
            && passes.iter().all(|pass| pass.op.size() <= MOST_OF_TWO)
            && (passes.iter().any(|pass| pass.rule != BorderRule::Constant)
                || first.cval.to_bits() == second.cval.to_bits())
            && out.shape()[axes - 1] >= NARROW
            && dense(src, axes - 1)
            && dense(out, axes - 1);
        // Two passes of products are faster than one of sums.
        let multiplied = |pass| Tile::of_one(pass, src, out).is_some_and(|tile| tile.is_multiplied(out));
        if !fits || (multiplied(first) && multiplied(second)) {
            return None;
        }
        Tile::of(passes.map(Some), if x_first { TileOrder::XFirst } else { TileOrder::YFirst }, 128, src, out)
    }

    /// Returns a pass, if a tile can compute it.
    pub(super) fn of_one(pass: &'a Pass, src: &Array, out: &Array) -> Option<Tile<'a>> {
        let (n, size) = (out.shape()[pass.axis], pass.op.size());
        let inner: usize = out.shape()[pass.axis + 1..].iter().product();
        let along = inner == 1;
        let from = pass.axis + usize::from(!along);
        if !dense(src, from) || !dense(out, from) {
            return None;
        }
        if along {
            // A tile of few rows is wide, so that all of its warps load it.
            let rows = out.size() / n.max(1);
            let columns = if rows >= FEW_ROWS && (size <= SHORT || (n < 512 && size <= 65)) { 128 } else { 1024 };
            let fits = n >= NARROW && size <= MOST_ALONG;
            return fits.then(|| Tile::of([None, Some(pass)], TileOrder::XFirst, columns, src, out))?;
        }
        let columns = if size <= SHORT && inner >= NARROW { 128 } else { 32 };
        let fits = inner >= 32 && size <= MOST_ACROSS;
        fits.then(|| Tile::of([Some(pass), None], TileOrder::XFirst, columns, src, out))?
    }

    /// Returns a pass of truncated sums, if products of matrices can compute it.
    pub(super) fn of_truncated(pass: &'a Pass, src: &Array, out: &Array) -> Option<Tile<'a>> {
        Tile::of_one(pass, src, out).filter(|tile| tile.is_multiplied(out))
    }

    fn of(
        passes: [Option<&'a Pass>; 2],
        order: TileOrder,
        columns: usize,
        src: &Array,
        out: &Array,
    ) -> Option<Tile<'a>> {
        let dtype = out.dtype();
        let op = passes.iter().flatten().next()?.op.kind();
        let key = WindowTile { op, dtype, order, columns, deep: Width::of(out.ndim(), 0).deep };
        let size = |k: usize| passes[k].map_or(0, |pass| pass.op.size());
        let fits = passes.iter().flatten().all(|pass| is_stored(key, pass.rule, pass.cval))
            && is_worth(key, [size(0), size(1)], src, out);
        fits.then_some(Tile { passes, key })
    }

    fn view(&self, src: &Array, out: &Array) -> View {
        let (shape, axes) = (out.shape(), out.ndim());
        let step = |d: usize| [src.strides()[d], out.strides()[d]];
        match self.passes {
            // All rows are of one axis if the axes before the last are dense.
            [None, Some(pass)] => {
                let rows = pass.axis;
                if rows == 0 {
                    return View { n: [1, shape[0]], others: 0, steps: [0; 2] };
                }
                let joined = (1..rows).all(|d| (0..2).all(|k| step(d - 1)[k] == step(d)[k] * shape[d] as i64));
                let others = if joined { 0 } else { rows - 1 };
                View { n: [shape[others..rows].iter().product(), shape[rows]], others, steps: step(rows - 1) }
            }
            [Some(pass), None] => {
                let inner = shape[pass.axis + 1..].iter().product();
                View { n: [shape[pass.axis], inner], others: pass.axis, steps: step(pass.axis) }
            }
            _ => View { n: [shape[axes - 2], shape[axes - 1]], others: axes - 2, steps: step(axes - 2) },
        }
    }

    fn sizes(&self) -> [usize; 2] {
        self.passes.map(|pass| pass.map_or(0, |pass| pass.op.size()))
    }

    fn weights(&self) -> Vec<f64> {
        self.passes.iter().flatten().flat_map(|pass| pass.op.weights().iter().copied()).collect()
    }

    /// Returns true if the passes are computed as products of matrices.
    fn is_multiplied(&self, out: &Array) -> bool {
        let View { n, others, steps } = self.view(out, out);
        product(
            self.key,
            &self.weights(),
            self.sizes(),
            (n, steps[0]),
            out.shape()[..others].iter().product(),
            out.device(),
        )
        .is_some()
    }

    /// Computes the passes. The arrays share no memory, and are as dense as those that the tile was created for.
    pub(super) fn run(&self, src: &Array, out: &Array) -> Result<()> {
        let view = self.view(src, out);
        let weights = self.weights();
        let constants = self.passes.iter().flatten().filter(|pass| pass.rule == BorderRule::Constant);
        let windows = Windows {
            sizes: self.sizes(),
            leads: self.passes.map(|pass| pass.map_or(0, |pass| pass.lead)),
            rules: self.passes.map(|pass| pass.map_or(BorderRule::Nearest, |pass| pass.rule)),
            cval: constants.map(|pass| pass.cval).next().unwrap_or_default(),
            weights: &weights,
            mates: self.passes.iter().flatten().next().map_or(Mates::None, |pass| pass.mates()),
        };
        let WindowTile { op, dtype, deep, .. } = self.key;
        let one = match self.passes {
            [Some(_), None] => Some(false),
            [None, Some(_)] => Some(true),
            _ => None,
        };
        if let Some(along) = one
            && stream::run(WindowStream { op, dtype, along, deep }, &windows, &view, src, out)?
        {
            return Ok(());
        }
        launch(self.key, &windows, &view, src, out)
    }
}

/// Windows of a launch. Pairs are of the second to last axis and the last one.
pub(super) struct Windows<'a> {
    pub(super) sizes: [usize; 2],
    pub(super) leads: [i64; 2],
    pub(super) rules: [BorderRule; 2],
    pub(super) cval: f64,
    weights: &'a [f64],
    mates: Mates,
}

impl Area<'_> {
    /// Computes a weighted sum over a window of the last two axes, which the arrays are permuted to, and returns true; returns false, and does
    /// nothing, if the elements are not adjacent or not of the dtype of the results, and for large windows and few results. The weights are
    /// column by column.
    pub(super) fn tile(&self, axes: [usize; 2], weights: &[f64], src: &Array, out: &Array) -> Result<bool> {
        let last = out.ndim() - 1;
        let key = WindowTile {
            op: WindowOp::Weighted,
            dtype: out.dtype(),
            order: TileOrder::Together,
            columns: 128,
            deep: Width::of(out.ndim(), 0).deep,
        };
        let windows = Windows {
            sizes: axes.map(|d| self.shape[d]),
            leads: axes.map(|d| self.leads[d]),
            rules: axes.map(|d| self.rules[d]),
            cval: self.cval,
            weights,
            mates: Mates::None,
        };
        let n = [out.shape()[last - 1], out.shape()[last]];
        let planes = out.shape()[..last - 1].iter().product();
        let steps = [src.strides()[last - 1], out.strides()[last - 1]];
        let fits = (!depends_on_order(key.dtype, weights)
            || product(key, weights, windows.sizes, (n, steps[0]), planes, out.device()).is_some())
            && windows.rules.iter().all(|rule| is_stored(key, *rule, self.cval))
            && windows.sizes[1] <= MOST_OF_TWO
            && out.shape()[last] >= NARROW
            && dense(src, last)
            && dense(out, last)
            && is_worth(key, windows.sizes, src, out);
        if fits {
            launch(key, &windows, &View { n, others: last - 1, steps }, src, out)?;
        }
        Ok(fits)
    }
}

/// Rows and columns of results of a block, and its shared memory.
struct Blocking {
    height: usize,
    width: usize,
    pitch: usize,
    shared: usize,
}

impl Blocking {
    /// Returns the tiles of the kernel `window_tile`.
    fn of(
        key: WindowTile,
        sizes: [usize; 2],
        weights: usize,
        n: [usize; 2],
        planes: usize,
        device: Device,
    ) -> Blocking {
        let (around, width) = (sizes[0].saturating_sub(1), key.width(sizes[1]));
        // Rows beyond a tile are loaded again for the next one: there are as many as fit, unless there are too few blocks.
        let mut height = match key.columns {
            1024 => 8,
            32 if around < 64 => 64,
            32 => 128,
            _ if around < SHORT => 32,
            _ => 64,
        };
        let enough = 2 * device.info().multiprocessors as usize;
        let most = SHARED.min(device.info().shared_bytes as usize);
        // Threads have adjacent rows only along the second to last axis.
        let least = if sizes[0] == 0 { 1 } else { key.reach() };
        while height > least
            && (key.shared(height + around, weights) > most
                || height >= 2 * n[0]
                || n[0].div_ceil(height) * n[1].div_ceil(width) * planes < enough)
        {
            height /= 2;
        }
        Blocking { height, width, pitch: 0, shared: key.shared(height + around, weights) }
    }

    /// Returns the tiles of the kernel `window_product`.
    fn of_product(key: WindowProduct, sizes: [usize; 2]) -> Blocking {
        let [height, width] = key.tile();
        Blocking { height, width, pitch: key.pitch(sizes), shared: key.shared(sizes) }
    }
}

fn launch(key: WindowTile, windows: &Windows<'_>, view: &View, src: &Array, out: &Array) -> Result<()> {
    let device = out.device();
    let &View { n, others, steps } = view;
    let &Windows { sizes, leads, rules, cval, weights, mates } = windows;
    let (few, list) = few_or_list::<_, { WINDOW_TILE_WEIGHTS / 32 }>(device, weights)?;
    let planes: usize = out.shape()[..others].iter().product();
    let (function, blocking) = match product(key, weights, sizes, (n, steps[0]), planes, device) {
        Some(key) => {
            let [function] = kernels(&PRODUCT_KERNELS, device, key, ["window_product"], || (key.name(), key.source()))?;
            (function, Blocking::of_product(key, sizes))
        }
        None => {
            let [function] = kernels(&KERNELS, device, key, ["window_tile"], || (key.name(), key.source()))?;
            (function, Blocking::of(key, sizes, weights.len(), n, planes, device))
        }
    };
    let Blocking { height, width, pitch, shared } = blocking;
    let tiles_x = n[1].div_ceil(width);
    let tiles_y = n[0].div_ceil(height);
    // Passes along axes keep their lengths.
    let lengths = if key.order == TileOrder::Together { [src.shape()[others], src.shape()[others + 1]] } else { n };
    let is_unsigned = key.dtype.kind() == Kind::Unsigned;
    let params = WindowTileParams {
        width: Width { wide: false, deep: key.deep },
        src: read(src),
        dst: written(out),
        weights: list.as_ref().map_or(Read(None), read),
        cval: match key.op {
            WindowOp::Minimum | WindowOp::Maximum => constant(key.dtype, cval),
            _ => cval,
        },
        n: n.map(|n| n as i64),
        lengths: lengths.map(|n| n as i64),
        leads,
        sizes_of: sizes.map(|n| n as u32),
        rules: rules.map(|rule| rule as u32),
        height: height as u32,
        pitch: pitch as u32,
        mates: mates as u32,
        exact_zero: (is_unsigned && weights.iter().all(|w| *w >= 0.0)).into(),
        slack: slack(key.dtype, weights),
        weight_count: weights.len() as u32,
        tiles_x: tiles_x as u32,
        tiles_y: tiles_y as u32,
        zeros: weights.contains(&0.0).into(),
        src_y: steps[0],
        dst_y: steps[1],
        axes: others as u32,
        sizes: Sizes(&out.shape()[..others]),
        src_steps: Numbers(&src.strides()[..others]),
        dst_steps: Numbers(&out.strides()[..others]),
        few,
    };
    let blocks = Blocks::of(tiles_x.saturating_mul(tiles_y).saturating_mul(planes), out.size(), "results");
    // SAFETY: elements are read within the axes, by the rules of the border; weights and rows are within the shared memory of the key;
    // each result is written by one thread.
    unsafe { Launcher::on(device).launch_sharing(function, blocks, THREADS, shared, &params) }
}

/// Returns true if the constant beyond a border, if there is one, is the same as an element of a tile.
fn is_stored(key: WindowTile, rule: BorderRule, cval: f64) -> bool {
    let ordered = matches!(key.op, WindowOp::Minimum | WindowOp::Maximum);
    rule != BorderRule::Constant || ordered || is_exact(key.dtype, cval)
}

/// Returns true if there are enough results for a kernel of their own, of the input's dtype, and shared memory for windows of these sizes.
fn is_worth(key: WindowTile, sizes: [usize; 2], src: &Array, out: &Array) -> bool {
    let weights = if key.order == TileOrder::Together { sizes[0] * sizes[1] } else { sizes[0] + sizes[1] };
    let shared = key.shared(sizes[0].saturating_sub(1) + key.reach(), weights);
    src.dtype() == key.dtype && out.size() >= LARGE && shared <= SHARED.min(out.device().info().shared_bytes as usize)
}

/// Returns true if the elements of an array are adjacent along the axes from one on.
pub(super) fn dense(a: &Array, from: usize) -> bool {
    let mut step = a.dtype().size() as i64;
    (from..a.ndim()).rev().all(|d| {
        let follows = a.shape()[d] == 1 || a.strides()[d] == step;
        step *= a.shape()[d] as i64;
        follows
    })
}

/// Returns true if a constant is a number of a dtype: a tile has it as an element.
fn is_exact(dtype: DType, cval: f64) -> bool {
    match dtype {
        DType::F64 => true,
        DType::F32 => cval.is_nan() || f64::from(cval as f32) == cval,
        // Integers that float16 and bfloat16 have.
        DType::F16 | DType::BF16 => !cval.is_finite() || (cval.fract() == 0.0 && cval.abs() <= 256.0),
        DType::Bool => cval == 0.0 || cval == 1.0,
        // Those of 64 bits are integers to 2^53 only as float64.
        _ => {
            let bits = (8 * dtype.size() as i32).min(53);
            let least = if dtype.kind() == Kind::Signed { -2f64.powi(bits - 1) } else { 0.0 };
            cval.fract() == 0.0 && cval >= least && cval < 2f64.powi(bits - i32::from(dtype.kind() == Kind::Signed))
        }
    }
}
