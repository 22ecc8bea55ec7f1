//! Windows along one axis.
//!
//! A thread computes adjacent results from one sliding window of registers. Means and extremes of adjacent windows
//! share the elements that they have in common, and nothing is ever subtracted, so that an infinity affects its own
//! windows only.

use cuprum_kernels::DType;
use cuprum_kernels::params::{Read, Sizes, Strides as Numbers, Width};
use cuprum_kernels::source::{WINDOW_CHUNK, WINDOW_FEW, WindowLine, WindowLineParams, WindowOp};

use super::boxes::Boxes;
use super::ordered::{Border, depends_on_order, ordered};
use super::tile::Tile;
use super::{BorderRule, Lines, apart, constant, is_beyond, is_whole};
use crate::array::Array;
use crate::engine::kernels::{Kernels, kernels};
use crate::engine::launch::{Blocks, Launcher, one_device, read, written};
use crate::engine::{copy, make};
use crate::error::{Error, ErrorKind, Result};

/// Threads of a block and lines or results that it covers, as in `include/window_line.cuh`.
const ALONG_WARPS: usize = 4;
const ACROSS_WARPS: usize = 8;
const REACH: usize = 8;
thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static KERNELS: Kernels<WindowLine> = Kernels::default();
}

/// Operation of a window along an axis.
#[derive(Clone, Debug)]
pub(crate) enum LineOp {
    /// Sum of products with these weights.
    Weights(Vec<f64>),
    /// Mean of this number of elements.
    Mean(usize),
    /// Minimum of this number of elements.
    Minimum(usize),
    /// Maximum of this number of elements.
    Maximum(usize),
}

impl LineOp {
    pub(super) fn size(&self) -> usize {
        match self {
            LineOp::Weights(weights) => weights.len(),
            LineOp::Mean(size) | LineOp::Minimum(size) | LineOp::Maximum(size) => *size,
        }
    }

    /// Returns the kind of the operation.
    pub(super) fn kind(&self) -> WindowOp {
        match self {
            LineOp::Weights(_) => WindowOp::Weighted,
            LineOp::Mean(_) => WindowOp::Mean,
            LineOp::Minimum(_) => WindowOp::Minimum,
            LineOp::Maximum(_) => WindowOp::Maximum,
        }
    }

    /// Returns the weights, of which there are none but for a weighted sum.
    pub(super) fn weights(&self) -> &[f64] {
        match self {
            LineOp::Weights(weights) => weights,
            _ => &[],
        }
    }
}

/// Window along one axis: the result at position i is computed from the elements at i - `lead` and the following ones.
#[derive(Clone, Debug)]
pub(crate) struct Pass {
    /// The axis.
    pub(crate) axis: usize,
    /// The operation and its size or weights.
    pub(crate) op: LineOp,
    /// Position of a result in its window.
    pub(crate) lead: i64,
    /// Continuation beyond the ends of the axis.
    pub(crate) rule: BorderRule,
    /// Value of the constant continuation.
    pub(crate) cval: f64,
}

/// Applies passes one after another. The results of each are rounded to the dtype of `out`, which has the shape of
/// `src`; without a pass the input is copied. Complex arrays are computed as their parts by the caller.
pub(crate) fn passes(src: &Array, out: &Array, passes: &[Pass]) -> Result<()> {
    one_device(src, [out])?;
    if out.size() == 0 {
        return Ok(());
    }
    // Between two passes a boolean is a number modulo 256, so that a difference keeps its sign, as in SciPy.
    let sums = |pass: &Pass| matches!(pass.op, LineOp::Weights(_) | LineOp::Mean(_));
    if out.dtype() == DType::Bool && passes.len() > 1 && passes.iter().any(sums) {
        let bytes = make::empty(out.device(), out.shape(), DType::U8)?;
        self::passes(src, &bytes, passes)?;
        return copy(&bytes, out);
    }
    let mut steps = Vec::new();
    let mut rest = passes;
    while let [first, others @ ..] = rest {
        if depends_on_order(out.dtype(), first.op.weights()) {
            steps.push(Tile::of_truncated(first, src, out).map_or(Step::Ordered(first), Step::Tile));
            rest = others;
            continue;
        }
        if first.is_wide(if steps.is_empty() { src.dtype() } else { out.dtype() }, out.dtype()) {
            steps.push(Step::Wide(first));
            rest = others;
            continue;
        }
        if let [second, third, after @ ..] = others
            && let Some(boxes) = Boxes::of([first, second, third], src, out)
        {
            steps.push(Step::Boxes(boxes));
            rest = after;
            continue;
        }
        let plain =
            |pass: &&Pass| !depends_on_order(out.dtype(), pass.op.weights()) && !pass.is_wide(out.dtype(), out.dtype());
        let second = others.first().filter(plain);
        let both = second.and_then(|second| Tile::of_two(first, second, src, out));
        rest = &others[usize::from(both.is_some())..];
        let tile = both.or_else(|| Tile::of_one(first, src, out));
        steps.push(tile.map_or(Step::Line(first), Step::Tile));
    }
    let Some((last, others)) = steps.split_last() else { return copy(src, out) };
    // Steps alternate between two arrays, of which the result is one if it does not share memory with the input.
    let mut held = src.clone();
    let mut free: Option<Array> = None;
    for (k, step) in others.iter().enumerate() {
        let to = match free.take() {
            Some(a) => a,
            None if (others.len() - k) % 2 == 0 && !src.may_share_memory(out) => out.clone(),
            None => make::empty(out.device(), out.shape(), out.dtype())?,
        };
        step.run(&held, &to)?;
        if k > 0 {
            free = Some(held);
        }
        held = to;
    }
    apart(&held, out, |to| last.run(&held, to))
}

/// Computation of a launch.
#[derive(Debug)]
enum Step<'a> {
    /// A pass.
    Line(&'a Pass),
    /// A pass of an extreme with a constant beyond the borders that is no element of the dtype: it is computed in
    /// float64, and then wraps.
    Wide(&'a Pass),
    /// A pass of a weighted sum, whose terms are added in order.
    Ordered(&'a Pass),
    /// One pass or two, from tiles in shared memory.
    Tile(Tile<'a>),
    /// Three passes, from tiles of planes.
    Boxes(Boxes<'a>),
}

impl Step<'_> {
    fn run(&self, src: &Array, out: &Array) -> Result<()> {
        match self {
            Step::Line(pass) => pass.run(src, out),
            Step::Wide(pass) => {
                let wide = make::empty(out.device(), out.shape(), DType::F64)?;
                let from = make::empty(src.device(), src.shape(), DType::F64)?;
                copy(src, &from)?;
                pass.run(&from, &wide)?;
                copy(&wide, out)
            }
            Step::Ordered(pass) => {
                let rules = vec![pass.rule; src.ndim()];
                ordered(src, out, &Border { rules: &rules, cval: pass.cval }, &pass.terms(src.ndim()))
            }
            Step::Tile(tile) => tile.run(src, out),
            Step::Boxes(boxes) => boxes.run(src, out),
        }
    }
}

impl Pass {
    /// Returns true for an extreme of integers with a constant beyond the borders that is none of them, and is not
    /// truncated to one of them in the result.
    fn is_wide(&self, from: DType, to: DType) -> bool {
        matches!(self.op, LineOp::Minimum(_) | LineOp::Maximum(_))
            && self.rule == BorderRule::Constant
            && (is_beyond(from, self.cval) || (is_whole(from) && !is_whole(to) && self.cval.fract() != 0.0))
    }

    fn run(&self, src: &Array, out: &Array) -> Result<()> {
        let (axis, k) = (self.axis, self.op.size());
        if k >= 1 << 30 {
            return Err(Error::new(ErrorKind::Value, format!("a window of {k} elements is larger than 2**30")));
        }
        let n = src.shape()[axis];
        let Lines { count: lines, sizes, src_steps, dst_steps, along } = Lines::of(src, out, axis);
        let op = self.op.kind();
        let width = Width::of(sizes.len(), lines);
        let key = WindowLine { op, from: src.dtype(), to: out.dtype(), along, width };
        let device = out.device();
        let [function] = kernels(&KERNELS, device, key, ["window_line"], || (key.name(), key.source()))?;
        let mut few = [0.0; WINDOW_FEW];
        let mut weights = None;
        if let LineOp::Weights(w) = &self.op {
            match few.get_mut(..w.len()) {
                Some(some) => some.copy_from_slice(w),
                None => weights = Some(make::of(device, w, &[w.len()])?),
            }
        }
        let lanes = (n.div_ceil(REACH)).next_power_of_two().min(32);
        let params = WindowLineParams {
            width,
            lines,
            n: n as i64,
            k,
            lead: self.lead,
            cval: match op {
                WindowOp::Minimum | WindowOp::Maximum => constant(src.dtype(), self.cval),
                _ => self.cval,
            },
            src: read(src),
            dst: written(out),
            weights: weights.as_ref().map_or(Read(None), read),
            src_step: src.strides()[axis],
            dst_step: out.strides()[axis],
            sizes: Sizes(&sizes),
            src_steps: Numbers(&src_steps),
            dst_steps: Numbers(&dst_steps),
            axes: sizes.len() as u32,
            rule: self.rule as u32,
            lanes_log2: lanes.ilog2(),
            few,
        };
        let (blocks, warps, shared) = if along {
            let parts = lines.div_ceil(32 / lanes) * n.div_ceil(REACH * lanes);
            // One element of padding for each REACH, and an odd number of them in a line.
            let pitch = ((REACH * lanes + WINDOW_CHUNK) * 9 / 8) | 1;
            let bytes = ALONG_WARPS * (32 / lanes) * pitch * key.value().size();
            (parts.div_ceil(ALONG_WARPS), ALONG_WARPS, bytes.next_multiple_of(16))
        } else {
            (lines.div_ceil(32) * n.div_ceil(ACROSS_WARPS * REACH), ACROSS_WARPS, 0)
        };
        let blocks = Blocks::of(blocks, out.size(), "results");
        // SAFETY: elements are read within the axis, by the rule of the border, and each result is written by one thread; shared memory has
        // room for the elements of the lines of each warp.
        unsafe { Launcher::on(device).launch_sharing(function, blocks, 32 * warps, shared, &params) }
    }
}
