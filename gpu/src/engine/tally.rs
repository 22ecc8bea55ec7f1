//! Tallies: how many elements fall into each bin, or the sums of their weights.
//!
//! Counts read each element once and move nothing else that counts: 2^26 float32 are 268 MB, 0.06 ms at 4.25 TB/s. What
//! limits is the arithmetic of the place (a division and two comparisons with edges) and the additions in shared memory,
//! of which a multiprocessor does a few in a clock: some 0.1 ms. Blocks flush only the counters that are not 0.
//!
//! Sums of weights are made in float64, in an order that is the same on every device: chunks of neighbouring elements, 32 of
//! them at a time by a tree, then the chunks by another. Any order of n additions errs by at most n - 1 roundings of the sum
//! of magnitudes, and NumPy's does not less. With more bins than fit in shared memory the elements are read once for each
//! window of bins.
//!
//! 2^26 int32 with float32 weights are 537 MB, 0.13 ms, and once more 268 MB to find the number of bins. 32 elements cost
//! some 100 instructions of a warp, half of which find the lanes with the same of 1024 bins: 0.25 ms on all
//! multiprocessors. Latencies are hidden by the other warps, of which 1024 bins leave room for 24 to a multiprocessor.

use cuprum_kernels::DType;
use cuprum_kernels::source::{self, DEEP_AXES, Place, SHALLOW_AXES, TALLY_SLOTS, TALLY_WEIGH_BYTES, Tally};

use super::kernels::{Kernels, kernels};
use super::params::Params;
use crate::array::Array;
use crate::cuda::Device;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Axes, Layout};
use crate::scalar::Scalar;

/// Threads of a block, at most: as in `include/tally.cuh`.
const THREADS: usize = 256;
/// The most blocks that count: eight to each of the multiprocessors of a large device.
const BLOCKS: usize = 1056;
/// Elements that a thread counts at the least before there are more blocks.
const PER_THREAD: usize = 16;
/// The most chunks of weights, and the most memory for their sums: constants, so that results do not depend on the device.
/// Six blocks of four warps on each of 132 multiprocessors are 3168 warps, which all run at once.
const CHUNKS: usize = 3072;
const CHUNK_BYTES: usize = 64 << 20;
/// Elements of a chunk at the least.
const CHUNK: usize = 256;
/// From this many chunks on, rows of threads add them up for [`ROW`] bins at a time.
const ROWS_FROM: usize = 32;
const ROW: usize = 8;

thread_local! {
    /// The kernels that this thread has launched, by device and key: of counts, and of weights.
    static COUNTS: Kernels<Tally> = Kernels::default();
    static WEIGHTS: Kernels<Tally, 2> = Kernels::default();
}

/// Uniform bins: how the place of an element is computed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Uniform {
    pub(crate) place: Place,
    pub(crate) first: f64,
    pub(crate) last: f64,
    /// From the first edge to the last.
    pub(crate) length: f64,
    /// The number of bins, in the dtype of the place.
    pub(crate) number: f64,
    /// The first edge as an integer, its sign extended.
    pub(crate) origin: u64,
}

/// Which elements a bin has.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Bins<'a> {
    /// Those equal to its number, of so many.
    Direct(usize),
    /// Those between neighbouring edges, an array of one axis, one after the other in memory.
    Edges(&'a Array),
    /// The same of equal widths.
    Uniform(&'a Array, Uniform),
}

impl Bins<'_> {
    fn count(&self) -> usize {
        match self {
            Bins::Direct(n) => *n,
            Bins::Edges(edges) | Bins::Uniform(edges, _) => edges.size().saturating_sub(1),
        }
    }

    fn key(&self) -> source::Bins {
        match self {
            Bins::Direct(_) => source::Bins::Direct,
            Bins::Edges(edges) => source::Bins::Edges(edges.dtype()),
            Bins::Uniform(edges, uniform) => source::Bins::Uniform(edges.dtype(), uniform.place),
        }
    }
}

fn new(device: Device, n: usize, dtype: DType) -> Result<Array> {
    Array::of_layout(device, Layout::c_order(&[n], dtype.size()), dtype)
}

/// How many elements of `a` each bin has: int64. Of bins that are numbers themselves, `ends` takes the smallest and the
/// largest element, where they go beyond what it holds (int64).
pub(crate) fn count(a: &Array, bins: &Bins<'_>, ends: Option<&Array>) -> Result<Array> {
    let (device, n) = (a.device(), a.size());
    let out = new(device, bins.count(), DType::I64)?;
    super::fill(&out, Scalar::Int(0))?;
    if n == 0 || bins.count() == 0 && ends.is_none() {
        return Ok(out);
    }
    let axes = Axes::collapse(a.shape(), [a.strides()], false);
    let dense = axes.sizes.len() <= 1 && axes.strides[0].first().is_none_or(|&s| s == a.itemsize() as i64);
    let flat = dense && a.addr().is_multiple_of(16);
    let (key, p) = params(a, &axes, bins, Weights { chunk: 0, window: 0, of: None }, flat, out.addr(), ends);
    let [function] = kernels(&COUNTS, device, key, ["count"], || (key.name(), key.source()))?;
    let blocks = n.div_ceil(THREADS * PER_THREAD).min(BLOCKS) as u32;
    // SAFETY: the parameters are the kernel's struct; the addresses are those of live arrays, `out` has a counter for each
    // bin, and sizes and strides reach the operand's elements only.
    unsafe { device.queue().launch(function, [blocks, 1, 1], [THREADS as u32, 1, 1], p.as_bytes())? };
    Ok(out)
}

/// The sums of the weights, of the shape of `a`, in each bin: float64, or complex128 of complex weights.
pub(crate) fn weigh(a: &Array, bins: &Bins<'_>, weights: &Array) -> Result<Array> {
    let (device, n, count) = (a.device(), a.size(), bins.count());
    let dtype = if weights.dtype().is_complex() { DType::C128 } else { DType::F64 };
    let out = new(device, count, dtype)?;
    if n == 0 || count == 0 {
        super::fill(&out, Scalar::Int(0))?;
        return Ok(out);
    }
    let plan = Chunks::new(n, count, dtype.size());
    let partial = new(device, plan.chunks * count, dtype)?;
    let axes = Axes::collapse(a.shape(), [a.strides()], true);
    let of_weights = Axes::collapse(weights.shape(), [weights.strides()], true);
    let given = Weights { chunk: plan.length, window: plan.window, of: Some((weights, &of_weights)) };
    let flat = axes.sizes.len().max(of_weights.sizes.len()) <= 1;
    let (key, p) = params(a, &axes, bins, given, flat, partial.addr(), None);
    let [weigh, total] = kernels(&WEIGHTS, device, key, ["weigh", "total"], || (key.name(), key.source()))?;
    let grid = |blocks: usize| {
        u32::try_from(blocks)
            .ok()
            .filter(|&g| g <= i32::MAX as u32)
            .ok_or_else(|| Error::new(ErrorKind::Value, format!("{count} bins are more than one launch can reach")))
    };
    let blocks = grid(plan.chunks.div_ceil(plan.warps) * count.div_ceil(plan.window))?;
    // SAFETY: the parameters are the kernel's struct; the addresses are those of live arrays, `partial` has a sum for each
    // bin and chunk, and sizes and strides reach the operands' elements only.
    unsafe { device.queue().launch(weigh, [blocks, 1, 1], [32 * plan.warps as u32, 1, 1], p.as_bytes())? };
    let mut p = Params::default();
    for word in [count as u64, plan.chunks as u64, partial.addr(), out.addr()] {
        p.u64(word);
    }
    let side = if plan.chunks < ROWS_FROM { THREADS } else { ROW };
    p.u32(side.ilog2());
    p.u32(0);
    // SAFETY: as above; the result has a sum for each bin.
    unsafe { device.queue().launch(total, [grid(count.div_ceil(side))?, 1, 1], [THREADS as u32, 1, 1], p.as_bytes())? };
    Ok(out)
}

/// How weights are shared among warps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Chunks {
    /// Bins whose sums a warp holds at a time.
    window: usize,
    /// Warps of a block.
    warps: usize,
    chunks: usize,
    /// Elements of a chunk.
    length: usize,
}

impl Chunks {
    fn new(n: usize, bins: usize, bytes: usize) -> Chunks {
        let window = bins.min(TALLY_WEIGH_BYTES / bytes);
        let warps = (TALLY_WEIGH_BYTES / (window * bytes)).min(THREADS / 32);
        let most = CHUNKS.min(CHUNK_BYTES / (bins * bytes)).max(1);
        let length = n.div_ceil(most).max(CHUNK).next_multiple_of(128);
        Chunks { window, warps, chunks: n.div_ceil(length), length }
    }
}

struct Weights<'a> {
    chunk: usize,
    window: usize,
    of: Option<(&'a Array, &'a Axes<1>)>,
}

fn params(
    a: &Array,
    axes: &Axes<1>,
    bins: &Bins<'_>,
    weights: Weights<'_>,
    flat: bool,
    out: u64,
    ends: Option<&Array>,
) -> (Tally, Params) {
    let none = Axes::collapse(&[], [&[]], true);
    let (weight, of_weights) = weights.of.map_or((None, &none), |(w, axes)| (Some(w), axes));
    let deep = axes.sizes.len().max(of_weights.sizes.len()) > SHALLOW_AXES;
    let wide = a.size() > u32::MAX as usize;
    let key = Tally { element: a.dtype(), bins: bins.key(), weight: weight.map(Array::dtype), flat, wide, deep };
    let edges = match bins {
        Bins::Direct(_) => 0,
        Bins::Edges(edges) | Bins::Uniform(edges, _) => edges.addr(),
    };
    let mut p = Params::default();
    for word in [a.size() as u64, bins.count() as u64, a.addr(), edges, out, ends.map_or(0, Array::addr)] {
        p.u64(word);
    }
    let (numbers, origin) = match bins {
        Bins::Uniform(_, u) => ([u.first, u.last, u.length, u.number], u.origin),
        _ => ([0.0; 4], 0),
    };
    for number in numbers {
        p.u64(number.to_bits());
    }
    for word in [origin, weight.map_or(0, Array::addr), weights.chunk as u64, weights.window as u64] {
        p.u64(word);
    }
    p.u32(axes.sizes.len() as u32);
    p.u32(of_weights.sizes.len() as u32);
    let capacity = if deep { DEEP_AXES } else { SHALLOW_AXES };
    p.dividers(&axes.sizes, capacity, wide);
    p.dividers(&of_weights.sizes, capacity, wide);
    p.strides(&axes.strides[0], capacity);
    p.strides(&of_weights.strides[0], capacity);
    (key, p)
}

/// Bins that are counted in shared memory.
pub(crate) const FAST_BINS: usize = TALLY_SLOTS;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_cover_all_elements_and_fit() {
        for n in [1, 31, 32, 255, 256, 257, 100_000, 1 << 26] {
            for bins in [1, 2, 256, 1024, 4096, 4097, 1 << 20, 1 << 24] {
                for bytes in [8, 16] {
                    let c = Chunks::new(n, bins, bytes);
                    assert!(c.chunks * c.length >= n && (c.chunks - 1) * c.length < n, "{n} {bins} {c:?}");
                    assert!(c.warps >= 1 && c.warps * c.window * bytes <= TALLY_WEIGH_BYTES, "{n} {bins} {c:?}");
                    assert!(c.chunks == 1 || c.chunks * bins * bytes <= CHUNK_BYTES, "{n} {bins} {c:?}");
                }
            }
        }
    }
}
