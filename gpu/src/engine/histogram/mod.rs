//! Histograms: the number of elements in each bin, or the sums of their weights.
//!
//! Counts read each element once, which is almost all of their memory traffic. If a bin is clear (see [`Uniform`]) an
//! element costs 14 instructions and an addition in shared memory, which is fastest if lanes have counters of their own
//! (up to 256 bins). The minimum and the maximum, between which bins are uniform, cost one more read. Blocks flush only
//! the counters that are not 0.
//!
//! If there are more bins than 32-bit counters, counters have 16 bits, in all shared memory of a multiprocessor: 10^5
//! bins take 200 KB. Between rounds of 24 elements a thread tests the counters' high bits, four words at a time. In the
//! end each block writes its counters to memory, which another kernel adds up (see
//! [`crate::engine::histogram::parts`]). If that is too much in comparison with the elements, or there are more bins,
//! each element is added in device memory.
//!
//! Sums of weights are computed in float64, in an order that is the same on every device: chunks of adjacent elements,
//! 32 of them at a time in a tree, then the chunks in another. Any order of n additions has an error of at most n - 1
//! roundings of the sum of magnitudes, as NumPy's has. If there are more bins than fit in shared memory the elements
//! are read once for each window of bins.
//!
//! With weights 32 elements cost some 40 instructions of a warp if their bins differ, of which 7 find the lanes with
//! the same bin. Latencies are hidden by the other warps, of which 1024 bins leave room for 18 on a multiprocessor.

pub(in crate::engine) mod edges;
pub(in crate::engine) mod parts;
pub(in crate::engine) mod points;

use cuprum_kernels::DType;
use cuprum_kernels::params::{Read, Sizes, Strides, Width, Written};
use cuprum_kernels::source::{
    self, BinArithmetic, Counters, EndsParams, HISTOGRAM_SLOTS, HISTOGRAM_WEIGHTED_BYTES, Histogram, HistogramParams,
    TotalParams, ends_source,
};

use crate::array::Array;
use crate::cuda::Device;
use crate::engine::histogram::edges::found_edges;
use crate::engine::histogram::parts::{add_parts, parts};
use crate::engine::kernels::{Kernels, kernels};
use crate::engine::launch::{self, Blocks, Launcher, Reading, one_device, read, written};
use crate::engine::make;
use crate::error::Result;
use crate::layout::Axes;

/// Maximum number of threads of a block: as in `include/histogram.cuh`.
const THREADS: usize = 256;
/// Maximum number of blocks that count: as many as run at the same time on the 132 multiprocessors of a large device,
/// six on each, which have 36 KB of shared memory; five for bins between edges, as a thread then has 48 registers.
const BLOCKS: usize = 792;
const BETWEEN_EDGES: usize = 660;
/// Minimum number of elements of a thread before there are more blocks.
const PER_THREAD: usize = 16;
/// Number of elements that one block counts before there is another.
pub(in crate::engine) const TILE: usize = THREADS * PER_THREAD;
/// Threads of a block with 16-bit counters: as in `include/histogram_counting.cuh`. It has all shared memory of a
/// multiprocessor, and there is one for each multiprocessor of a large device.
pub(in crate::engine) const PACKED_THREADS: usize = 1024;
pub(in crate::engine) const PACKED_BLOCKS: usize = 132;
/// Minimum number of elements for each bin if counters have 16 bits.
const PACKED_FROM: usize = 64;
/// Elements of a round of such a block: as in `include/histogram_packed.cuh`.
pub(in crate::engine) const PACKED_TILE: usize = PACKED_THREADS * 24;
/// Maximum number of chunks of weights, and maximum memory for their sums: constants, so that results do not depend on
/// the device. Six blocks of three warps on each of 132 multiprocessors are 2376 warps, which all run at once.
const CHUNKS: usize = 2304;
/// Bytes of the word that a warp has for each bin besides its sum.
const WORD: usize = 4;
const CHUNK_BYTES: usize = 64 << 20;
/// Minimum number of elements of a chunk.
const CHUNK: usize = 256;
/// Number of chunks from which rows of threads add them up for [`ROW`] bins at a time.
const ROWS_FROM: usize = 32;
const ROW: usize = 8;

thread_local! {
    /// The kernels that this thread has launched, by device and key: of counts, and of weights.
    static COUNTS: Kernels<Histogram> = Kernels::default();
    static WEIGHTS: Kernels<Histogram, 2> = Kernels::default();
    /// The kernels of the minimum and the maximum, by dtype, contiguity, and width.
    static ENDS: Kernels<(DType, bool, Width)> = Kernels::default();
}

/// Uniform bins: arithmetic of an element's bin index.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Uniform {
    /// The arithmetic by which NumPy finds the bin, which decides rounding at the edges.
    pub(crate) arithmetic: BinArithmetic,
    /// Lower edge of the first bin.
    pub(crate) first: f64,
    /// Upper edge of the last bin.
    pub(crate) last: f64,
    /// The last edge minus the first.
    pub(crate) length: f64,
    /// The number of bins, in the dtype in which the bin index is computed.
    pub(crate) number: f64,
    /// The first edge as an integer, sign-extended.
    pub(crate) origin: u64,
    /// Number of bins divided by the range, in the dtype in which elements are compared: times the distance to the
    /// first edge it is the bin coordinate of an element, except for rounding.
    pub(crate) scale: f64,
    /// Largest distance of the coordinate from the middle of a bin at which the bin is clear, whatever the rounding of
    /// the edges; negative if none is.
    pub(crate) sure: f64,
}

/// Assignment of elements to bins.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Bins<'a> {
    /// A bin's elements are equal to its index, below this number of bins.
    Direct(usize),
    /// A bin's elements are between adjacent edges, a one-dimensional contiguous array.
    Edges(&'a Array),
    /// The same with bins of equal width.
    Uniform(&'a Array, Uniform),
    /// The same between the smallest and the largest float, with the numbers that [`found_edges`] has computed.
    Found(&'a Array, &'a Array),
}

impl<'a> Bins<'a> {
    fn count(&self) -> usize {
        match self {
            Bins::Direct(n) => *n,
            Bins::Edges(edges) | Bins::Uniform(edges, _) | Bins::Found(edges, _) => edges.size().saturating_sub(1),
        }
    }

    fn edges(&self) -> Option<&'a Array> {
        match self {
            Bins::Direct(_) => None,
            Bins::Edges(edges) | Bins::Uniform(edges, _) | Bins::Found(edges, _) => Some(edges),
        }
    }

    fn key(&self) -> source::Bins {
        match self {
            Bins::Direct(_) => source::Bins::Direct,
            Bins::Edges(edges) => source::Bins::Edges(edges.dtype()),
            Bins::Uniform(edges, uniform) => source::Bins::Uniform(edges.dtype(), uniform.arithmetic),
            Bins::Found(edges, _) => source::Bins::Uniform(edges.dtype(), BinArithmetic::Own),
        }
    }
}

/// Returns the number of elements in each of `bins` bins of equal width between the smallest float and the largest, at
/// least one; the edges, of this dtype; and both elements. The device does not wait for the host, which reads the elements
/// while it counts: the counts and edges are meaningless if the host rejects uniform bins of these ends. Synchronises with
/// the device.
pub(crate) fn count_between_ends(a: &Array, bins: usize, dtype: DType) -> Result<([Array; 2], [f64; 2])> {
    let ends = find_ends(a)?;
    let reading = Reading::of(&ends)?;
    let (edges, uniform) = found_edges(&ends, bins, dtype)?;
    let counts = count(a, &Bins::Found(&edges, &uniform), None)?;
    let found = reading.finish::<u64>()?;
    a.device().check_errors()?;
    Ok(([counts, edges], ends_of(a.dtype(), &found)))
}

/// Returns the number of elements of `a` in each bin: int64. For direct bins, `ends` is updated with the smallest and
/// the largest element if they exceed its values (int64).
pub(crate) fn count(a: &Array, bins: &Bins<'_>, ends: Option<&Array>) -> Result<Array> {
    count_as(counters(a.device(), a.size(), bins.count()), PACKED_BLOCKS, a, bins, ends)
}

/// Selects the location of the counters for this number of elements and bins.
pub(in crate::engine) fn counters(device: Device, n: usize, bins: usize) -> Counters {
    match bins {
        0..=FAST_BINS => Counters::Words,
        // A block writes its counters to memory in the end, which is to be cheap in comparison with its elements.
        _ if n / PACKED_FROM >= bins && bytes_of_counters16(bins) <= device.info().shared_bytes as usize => {
            Counters::Bits16
        }
        _ => Counters::Memory,
    }
}

/// Returns the bytes of this number of 16-bit counters, which are cleared 16 bytes at a time.
pub(in crate::engine) fn bytes_of_counters16(bins: usize) -> usize {
    (2 * bins).next_multiple_of(16)
}

fn count_as(counters: Counters, packed: usize, a: &Array, bins: &Bins<'_>, ends: Option<&Array>) -> Result<Array> {
    let (device, n) = (one_device(a, bins.edges().into_iter().chain(ends))?, a.size());
    let out = make::zeros(device, &[bins.count()], DType::I64)?;
    if n == 0 || bins.count() == 0 && ends.is_none() {
        return Ok(out);
    }
    let axes = Axes::collapse(a.shape(), [a.strides()], false);
    let flat = is_flat(a, &axes);
    let none = Axes::collapse(&[], [&[]], true);
    let (key, params) = params(a, &axes, bins, None, &none, flat);
    let key = Histogram { counters, ..key };
    let [function] = kernels(&COUNTS, device, key, ["count"], || (key.name(), key.source()))?;
    let [blocks, threads, shared] = match counters {
        Counters::Bits16 => [n.div_ceil(PACKED_TILE).min(packed), PACKED_THREADS, bytes_of_counters16(bins.count())],
        _ => [n.div_ceil(TILE).min(if bins.edges().is_some() { BETWEEN_EDGES } else { BLOCKS }), THREADS, 0],
    };
    let left = if shared > 0 { parts(device, blocks, bins.count())? } else { None };
    let params = HistogramParams {
        out: written(&out),
        ends: Written(ends.map(launch::DevicePtr::of)),
        parts: Written(left.as_ref().map(launch::DevicePtr::of)),
        ..params
    };
    let grid = Blocks::of(blocks, n, "elements");
    // SAFETY: `out` has a counter for each bin, shared memory has a 16-bit one if the counters are there, and so has
    // each block's part; sizes and strides reach the operand's elements only.
    unsafe { Launcher::on(device).launch_sharing(function, grid, threads, shared, &params) }?;
    if let Some(left) = &left {
        add_parts(left, [blocks, bins.count(), 1], &out)?;
    }
    Ok(out)
}

/// Returns true if elements are contiguous and 16-byte aligned.
fn is_flat(a: &Array, axes: &Axes<1>) -> bool {
    let dense = axes.sizes.len() <= 1 && axes.strides[0].first().is_none_or(|&s| s == a.itemsize() as i64);
    dense && a.addr().is_multiple_of(16)
}

/// Returns the minimum and the maximum of floats, at least one; two NaNs if one is among them. Reads them once.
/// Synchronises with the device.
pub(crate) fn float_ends(a: &Array) -> Result<[f64; 2]> {
    Ok(ends_of(a.dtype(), &find_ends(a)?.to_vec::<u64>()?))
}

/// Finds the minimum and the maximum of floats: the output of the kernel `ends`.
fn find_ends(a: &Array) -> Result<Array> {
    let (device, dtype) = (a.device(), a.dtype());
    let axes = Axes::collapse(a.shape(), [a.strides()], false);
    let (flat, width) = (is_flat(a, &axes), Width::of(axes.sizes.len(), a.size()));
    let source = || (format!("ends/{dtype}"), ends_source(dtype, flat, width));
    let [function] = kernels(&ENDS, device, (dtype, flat, width), ["ends"], source)?;
    let out = make::zeros(device, &[2], DType::U64)?;
    let params = EndsParams {
        width,
        elements: a.size(),
        input: read(a),
        out: written(&out),
        axes: axes.sizes.len() as u32,
        sizes: Sizes(&axes.sizes),
        strides: Strides(&axes.strides[0]),
    };
    let blocks = Blocks::of(a.size().div_ceil(THREADS * PER_THREAD).min(BLOCKS), a.size(), "elements");
    // SAFETY: sizes and strides reach the operand's elements only, and `out` has both words.
    unsafe { Launcher::on(device).launch(function, blocks, THREADS, &params) }?;
    Ok(out)
}

/// Returns the minimum and the maximum that the kernel `ends` has found among floats of this dtype.
fn ends_of(dtype: DType, found: &[u64]) -> [f64; 2] {
    let number = |word: u64| match dtype {
        DType::F64 => f64::from_bits(if word >> 63 == 1 { word ^ 1 << 63 } else { !word }),
        _ => {
            let word = word as u32;
            f64::from(f32::from_bits(if word >> 31 == 1 { word ^ 1 << 31 } else { !word }))
        }
    };
    let most = number(found[1]);
    if most.is_nan() { [most; 2] } else { [number(!found[0]), most] }
}

/// Returns the minimum and the maximum of integers that fit in int64, at least one. Reads them once. Synchronises with
/// the device.
pub(crate) fn integer_ends(a: &Array) -> Result<[i64; 2]> {
    let ends = make::of(a.device(), &[i64::MAX, i64::MIN], &[2])?;
    count(a, &Bins::Direct(0), Some(&ends))?;
    let found = ends.to_vec()?;
    Ok([found[0], found[1]])
}

/// Returns the sums of the weights, of the shape of `a`, in each bin: float64, or complex128 for complex weights.
pub(crate) fn weigh(a: &Array, bins: &Bins<'_>, weights: &Array) -> Result<Array> {
    weigh_from(0.0, a, bins, weights)
}

/// Returns the sums of [`weigh`], where the sum of no weights is `nothing`: 0, or -0, to which every number is added
/// without a change of its bits.
pub(in crate::engine) fn weigh_from(nothing: f64, a: &Array, bins: &Bins<'_>, weights: &Array) -> Result<Array> {
    let (n, count) = (a.size(), bins.count());
    let device = one_device(a, bins.edges().into_iter().chain([weights]))?;
    let dtype = if weights.dtype().is_complex() { DType::C128 } else { DType::F64 };
    if n == 0 || count == 0 {
        return make::zeros(device, &[count], dtype);
    }
    let out = make::empty(device, &[count], dtype)?;
    let plan = Chunks::new(n, count, dtype.size());
    let partial = make::empty(device, &[plan.chunks * count], dtype)?;
    let axes = Axes::collapse(a.shape(), [a.strides()], true);
    let of_weights = Axes::collapse(weights.shape(), [weights.strides()], true);
    let flat = axes.sizes.len().max(of_weights.sizes.len()) <= 1;
    let (key, params) = params(a, &axes, bins, Some(weights), &of_weights, flat);
    let params = HistogramParams { out: written(&partial), nothing, chunk: plan.length, window: plan.window, ..params };
    let [weigh, total] = kernels(&WEIGHTS, device, key, ["weigh", "total"], || (key.name(), key.source()))?;
    let launcher = Launcher::on(device);
    let blocks = plan.chunks.div_ceil(plan.warps) * count.div_ceil(plan.window);
    // SAFETY: `partial` has a sum for each bin and chunk, and sizes and strides reach the operands' elements only.
    unsafe { launcher.launch(weigh, Blocks::of(blocks, count, "bins"), 32 * plan.warps, &params) }?;
    let side = if plan.chunks < ROWS_FROM { THREADS } else { ROW };
    let params = TotalParams {
        width: Width::default(),
        bins: count,
        chunks: plan.chunks,
        input: read(&partial),
        out: written(&out),
        nothing,
        side_log2: side.ilog2(),
    };
    // SAFETY: as above; the result has a sum for each bin.
    unsafe { launcher.launch(total, Blocks::of(count.div_ceil(side), count, "bins"), THREADS, &params) }?;
    Ok(out)
}

/// Distribution of weights over warps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Chunks {
    /// Number of bins whose sums a warp holds at a time.
    window: usize,
    /// Warps of a block.
    warps: usize,
    /// Number of chunks.
    chunks: usize,
    /// Elements of a chunk.
    length: usize,
}

impl Chunks {
    fn new(n: usize, bins: usize, bytes: usize) -> Chunks {
        let window = bins.min(window(bytes));
        let warps = (HISTOGRAM_WEIGHTED_BYTES / (window * (bytes + WORD))).min(THREADS / 32);
        let most = if warps > 3 { 2 * CHUNKS } else { CHUNKS };
        let most = most.min(CHUNK_BYTES / (bins * bytes)).max(1);
        let length = n.div_ceil(most).max(CHUNK).next_multiple_of(128);
        Chunks { window, warps, chunks: n.div_ceil(length), length }
    }
}

/// Returns the key, and the parameters common to counts and sums.
fn params<'a>(
    a: &'a Array,
    axes: &'a Axes<1>,
    bins: &Bins<'a>,
    weights: Option<&'a Array>,
    of_weights: &'a Axes<1>,
    flat: bool,
) -> (Histogram, HistogramParams<'a, launch::DevicePtr<'a>>) {
    let width = Width::of(axes.sizes.len().max(of_weights.sizes.len()), a.size());
    let ([first, last, range, number], origin, [scale, sure]) = match bins {
        Bins::Uniform(_, u) => ([u.first, u.last, u.length, u.number], u.origin, [u.scale, u.sure]),
        _ => ([0.0; 4], 0, [0.0, -1.0]),
    };
    let found = if let Bins::Found(_, uniform) = bins { Some(*uniform) } else { None };
    let clear = sure >= 0.0 || found.is_some();
    let (element, counters, weight) = (a.dtype(), Counters::Words, weights.map(Array::dtype));
    let key = Histogram { element, bins: bins.key(), weight, clear, counters, found: found.is_some(), flat, width };
    let params = HistogramParams {
        width,
        elements: a.size(),
        bins: bins.count(),
        input: read(a),
        edges: Read(bins.edges().map(launch::DevicePtr::of)),
        out: Written(None),
        ends: Written(None),
        parts: Written(None),
        uniform: Read(found.map(launch::DevicePtr::of)),
        first,
        last,
        range,
        number,
        scale,
        sure,
        origin,
        weights: Read(weights.map(launch::DevicePtr::of)),
        nothing: 0.0,
        chunk: 0,
        window: 0,
        axes: axes.sizes.len() as u32,
        weight_axes: of_weights.sizes.len() as u32,
        sizes: Sizes(&axes.sizes),
        weight_sizes: Sizes(&of_weights.sizes),
        strides: Strides(&axes.strides[0]),
        weight_strides: Strides(&of_weights.strides[0]),
    };
    (key, params)
}

/// Returns the number of bins whose sums a warp holds at once, real ones of 8 bytes or complex ones of 16.
pub(in crate::engine) fn window(bytes: usize) -> usize {
    HISTOGRAM_WEIGHTED_BYTES / (bytes + WORD)
}

/// Number of bins that are counted in shared memory.
pub(crate) const FAST_BINS: usize = HISTOGRAM_SLOTS;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::s;

    /// Compares 32-bit and 16-bit counters in shared memory and counters in device memory: for direct bins, and those
    /// between equally spaced edges; for contiguous and strided elements, with one of them more often in a block than a
    /// counter holds.
    #[test]
    fn counters_count_alike() -> Result<()> {
        let mut numbers: Vec<i32> = (0..250_001).map(|i| if i % 3 == 0 { i * 7919 % 1200 } else { 611 }).collect();
        numbers.extend([-1, 1200, i32::MAX]);
        let mut expected = vec![0i64; 1000];
        numbers.iter().filter(|n| (0..1000).contains(*n)).for_each(|n| expected[*n as usize] += 1);
        let edges: Vec<f32> = (0..=1000).map(|i| i as f32).collect();
        let (ints, edges) = (Array::from_slice(&numbers, numbers.len())?, Array::from_slice(&edges, 1001)?);
        let uniform = Uniform {
            arithmetic: BinArithmetic::Wide,
            first: 0.0,
            last: 1000.0,
            length: 1000.0,
            number: 1000.0,
            origin: 0,
            scale: 1.0,
            sure: 0.4,
        };
        // Elements equal to the last edge are in the last bin.
        let floats = numbers.iter().map(|&n| if n == 1000 { 2000.0 } else { n as f32 }).collect::<Vec<_>>();
        let floats = Array::from_slice(&floats, floats.len())?;
        // One block, in which one element is more frequent than a counter holds, and more blocks than those that flush
        // their counters one by one.
        for (counters, packed) in
            [(Counters::Words, 1), (Counters::Bits16, 1), (Counters::Bits16, 132), (Counters::Memory, 1)]
        {
            for apart in [false, true] {
                let lay = |a: &Array| if apart { a.index(s![..;-1]) } else { Ok(a.clone()) };
                let ends = make::of(ints.device(), &[i64::MAX, i64::MIN], &[2])?;
                let counts = count_as(counters, packed, &lay(&ints)?, &Bins::Direct(1000), Some(&ends))?;
                assert_eq!(counts.to_vec::<i64>()?, expected, "{counters:?}");
                assert_eq!(ends.to_vec::<i64>()?, [-1, i64::from(i32::MAX)], "{counters:?}");
                let counts = count_as(counters, packed, &lay(&floats)?, &Bins::Uniform(&edges, uniform), None)?;
                assert_eq!(counts.to_vec::<i64>()?, expected, "{counters:?} of floats");
            }
        }
        Ok(())
    }

    #[test]
    fn chunks_cover_all_elements_and_fit() {
        for n in [1, 31, 32, 255, 256, 257, 100_000, 1 << 26] {
            for bins in [1, 2, 256, 1024, 4096, 4097, 1 << 20, 1 << 24] {
                for bytes in [8, 16] {
                    let c = Chunks::new(n, bins, bytes);
                    assert!(c.chunks * c.length >= n && (c.chunks - 1) * c.length < n, "{n} {bins} {c:?}");
                    assert!(
                        c.warps >= 1 && c.warps * c.window * (bytes + WORD) <= HISTOGRAM_WEIGHTED_BYTES,
                        "{n} {bins} {c:?}"
                    );
                    assert!(c.chunks == 1 || c.chunks * bins * bytes <= CHUNK_BYTES, "{n} {bins} {c:?}");
                }
            }
        }
    }
}
