//! Values of splines at coordinates.
//!
//! Lower bound: the coordinates once, the results once, and the coefficients that they touch. A result of order n in d
//! axes reads (n + 1)^d coefficients, mostly from the cache.

use cuprum_kernels::DType;
use cuprum_kernels::params::{Read, Sizes, Strides as Numbers, Width};
use cuprum_kernels::source::{Sample, SampleParams};

use super::SampleMode;
use crate::array::Array;
use crate::engine::kernels::{Kernels, kernels};
use crate::engine::launch::{Blocks, Launcher, one_device, read, written};
use crate::engine::make;
use crate::engine::window::apart;
use crate::error::Result;
use crate::layout::{Dims, Strides};

/// Threads of a block, as in `include/sample.cuh`.
const THREADS: usize = 256;
/// Lanes of a warp.
const LANES: usize = 32;
/// Results of a thread along the second to last axis: at affine coordinates, at those of many results, and at those of
/// an array.
const REACH: usize = 8;
const LONG_REACH: usize = 16;
const ARRAY_REACH: usize = 4;
/// Number of results from which threads with [`LONG_REACH`] results fill a device.
const MANY: usize = 1 << 22;
/// Width of a warp's tile for a map that mixes axes.
const TILE: usize = 8;

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static KERNELS: Kernels<Sample> = Kernels::default();
}

/// Coordinates of the results along the sampled axes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Coordinates<'a> {
    /// For each sampled axis (index + before) scale + after, with the index along the same axis of the results.
    Diagonal { before: &'a [f64], scales: &'a [f64], after: &'a [f64] },
    /// Products of the rows of a matrix, one for each sampled axis, with all indices of the result, plus offsets.
    Matrix { matrix: &'a [f64], offsets: &'a [f64] },
    /// The first axis has the coordinates of a result, the others are the axes of the results. The dtype is float32 or
    /// float64.
    Array(&'a Array),
}

/// Evaluation of a spline.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sampling<'a> {
    /// The coefficients.
    pub(crate) src: &'a Array,
    /// The sampled axes. If these are not all axes of the coefficients, the others are those of the results.
    pub(crate) axes: &'a [usize],
    /// The map from results to coordinates.
    pub(crate) coordinates: Coordinates<'a>,
    /// Order of the spline, 0 to 5.
    pub(crate) order: usize,
    /// Continuation outside the samples.
    pub(crate) mode: SampleMode,
    /// Value of the constant continuation.
    pub(crate) cval: f64,
    /// Number of coefficients before the first sample.
    pub(crate) pad: usize,
}

impl Sampling<'_> {
    /// Writes the values to `out`, which may share memory with the coefficients. No sampled axis is empty.
    pub(crate) fn run(&self, out: &Array) -> Result<()> {
        one_device(self.src, [out])?;
        if out.size() == 0 {
            return Ok(());
        }
        apart(self.src, out, |out| match self.coordinates {
            Coordinates::Array(array) => {
                one_device(self.src, [array])?;
                apart(array, out, |out| self.launch(out))
            }
            _ => self.launch(out),
        })
    }

    fn launch(&self, out: &Array) -> Result<()> {
        let (src, device) = (self.src, out.device());
        // Results have at least two axes.
        let leading = 2usize.saturating_sub(out.ndim());
        let axes = out.ndim() + leading;
        let widened =
            |list: &[i64]| -> Strides { std::iter::repeat_n(0, leading).chain(list.iter().copied()).collect() };
        let shape: Dims = std::iter::repeat_n(1, leading).chain(out.shape().iter().copied()).collect();
        let mut batch = Strides::from_elem(0, axes);
        if src.ndim() == out.ndim() {
            for d in (0..src.ndim()).filter(|d| !self.axes.contains(d)) {
                batch[d + leading] = src.strides()[d];
            }
        }
        let n = self.axes.len();
        let bits = |list: &[f64]| -> Strides { list.iter().map(|x| x.to_bits() as i64).collect() };
        let (mut before, mut scales, mut after) = (Strides::new(), Strides::new(), Strides::new());
        let (mut matrix, mut array) = (None, None);
        let form = match self.coordinates {
            Coordinates::Diagonal { before: b, scales: s, after: a } => {
                (before, scales, after) = (bits(b), bits(s), bits(a));
                0
            }
            Coordinates::Matrix { matrix: m, offsets } => {
                let row = |(offset, row): (&f64, &[f64])| {
                    let zeros = std::iter::repeat_n(0.0, leading);
                    std::iter::once(*offset).chain(zeros).chain(row.iter().copied()).collect::<Vec<_>>()
                };
                let rows: Vec<f64> = offsets.iter().zip(m.chunks(out.ndim())).flat_map(row).collect();
                matrix = Some(make::of(device, &rows, &[rows.len()])?);
                1
            }
            Coordinates::Array(a) => {
                array = Some(a);
                2
            }
        };
        let tall = axes - 2;
        let axis_of: Strides = self.axes.iter().map(|&d| (d + leading) as i64).collect();
        let shared = form == 0 && n > 1 && self.axes[n - 2] + 2 == src.ndim() && self.axes[n - 1] + 1 == src.ndim();
        let reach = match form {
            2 => ARRAY_REACH,
            _ if out.size() >= MANY => LONG_REACH,
            _ => REACH,
        };
        let tile = if form == 1 { TILE } else { LANES };
        let pitch = (LANES / tile) as i64;
        let is_moving = |&(_, &axis): &(usize, &i64)| form == 1 || (form == 0 && axis == tall as i64);
        let moving = axis_of.iter().enumerate().filter(is_moving).fold(0, |bits, (d, _)| bits | 1u64 << d);
        let mut sizes = shape.clone();
        sizes[axes - 1] = sizes[axes - 1].div_ceil(tile);
        sizes[axes - 2] = sizes[axes - 2].div_ceil(LANES / tile * reach);
        let warps: usize = sizes.iter().product();
        let coordinate_dtype = array.map_or(DType::F64, Array::dtype);
        let width = Width::of(axes.max(n), warps);
        // Offsets of 32 bits have room for the mark of a constant.
        let extent: u64 = src.shape().iter().zip(src.strides()).map(|(n, s)| (*n as u64) * s.unsigned_abs()).sum();
        let key = Sample {
            from: src.dtype(),
            to: out.dtype(),
            coordinates: coordinate_dtype,
            order: Sample::ORDERS.contains(&self.order).then_some(self.order),
            sampled: if n <= Sample::AXES { n } else { 0 },
            far: extent >= 1 << 30,
            width,
        };
        let [function] = kernels(&KERNELS, device, key, ["sample"], || (key.name(), key.source()))?;
        let of_axes = |list: &[i64]| -> Strides { self.axes.iter().map(|&d| list[d]).collect() };
        let lengths: Strides = self.axes.iter().map(|&d| src.shape()[d] as i64).collect();
        let inner = |of: fn((f64, f64)) -> f64| -> Strides {
            lengths.iter().map(|&n| of(inner_range(self.order, n)).to_bits() as i64).collect()
        };
        let (inner_first, inner_last) = (inner(|range| range.0), inner(|range| range.1));
        let dst_steps = widened(out.strides());
        let coordinate_steps = array.map_or(Strides::from_elem(0, axes), |a| widened(&a.strides()[1..]));
        let params = SampleParams {
            width,
            warps,
            height: shape[axes - 2] as i64,
            across: shape[axes - 1] as i64,
            pad: self.pad as f64,
            cval: self.cval,
            pitch: pitch as f64,
            src_pitch: pitch * batch[tall],
            dst_pitch: pitch * dst_steps[tall],
            coordinates_pitch: pitch * coordinate_steps[tall],
            moving,
            src: read(src),
            dst: written(out),
            coordinates: array.map_or(Read(None), read),
            matrix: matrix.as_ref().map_or(Read(None), read),
            coordinate_step: array.map_or(0, |a| a.strides()[0]),
            sizes: Sizes(&sizes),
            batch_steps: Numbers(&batch),
            dst_steps: Numbers(&dst_steps),
            coordinate_steps: Numbers(&coordinate_steps),
            lengths: Numbers(&lengths),
            inner_first: Numbers(&inner_first),
            inner_last: Numbers(&inner_last),
            src_steps: Numbers(&of_axes(src.strides())),
            axis_of: Numbers(&axis_of),
            before: Numbers(&before),
            scales: Numbers(&scales),
            after: Numbers(&after),
            axes: axes as u32,
            sampled: n as u32,
            order: self.order as u32,
            mode: self.mode as u32,
            rule: self.mode.taps() as u32,
            form,
            tile_log2: tile.ilog2(),
            reach: reach as u32,
            shared,
            dense: self.axes.last().is_some_and(|&d| src.strides()[d] == src.dtype().size() as i64),
        };
        let blocks = Blocks::of(warps.div_ceil(THREADS / LANES), out.size(), "results");
        // SAFETY: `include/sample.cuh` reads coefficients within the sampled axes, by the rule of the border, one set of coordinates
        // for each result, and writes each result once.
        unsafe { Launcher::on(device).launch(function, blocks, THREADS, &params) }
    }
}

/// Returns the least and the greatest number whose floor is the middle tap of a spline on an axis of `n` elements, if
/// all taps are within the axis: of the coordinate for odd orders and 0, and of the coordinate plus 1/2 for the others.
fn inner_range(order: usize, n: i64) -> (f64, f64) {
    // The kernel adds such numbers to 2^52.
    let n = n.min(1 << 51);
    if order == 0 {
        return (0.0, (n - 1) as f64);
    }
    let before = (order / 2) as i64;
    let end = n - (order as i64 - before);
    (before as f64, if end > before { (end as f64).next_down() } else { -1.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inner_taps_are_within_the_axis() {
        for order in 0..6_i64 {
            for n in 1..12 {
                let (first, last) = inner_range(order as usize, n);
                for quarter in -8..60 {
                    let c = f64::from(quarter) / 4.0;
                    let middle = if order % 2 == 1 { c } else { c + 0.5 };
                    let start = middle.floor() as i64 - order / 2;
                    let within = start >= 0 && start + order < n && c >= 0.0 && c <= (n - 1) as f64;
                    let tested = if order == 0 { c } else { middle };
                    assert_eq!(tested >= first && tested <= last, within, "order {order}, {n} elements, {c}");
                }
            }
        }
    }
}
