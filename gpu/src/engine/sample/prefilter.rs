//! Coefficients of splines, by a recurrence in both directions along each axis.
//!
//! Lower bound: the samples read and the coefficients written once for each axis. Lines are cut into segments, each of
//! which starts a few poles' decay before its first element, so that segments run in parallel.

use cuprum_kernels::params::{Sizes, Strides as Numbers, Width};
use cuprum_kernels::source::{SPLINE_SEGMENT, SplinePrefilter, SplinePrefilterParams};

use super::SampleMode;
use crate::array::Array;
use crate::engine::kernels::{Kernels, kernels};
use crate::engine::launch::{Blocks, Launcher, one_device, read, written};
use crate::engine::window::{Lines, apart};
use crate::engine::{copy, make};
use crate::error::Result;
use crate::layout::Dims;

/// Warps of a block, as in `include/spline_prefilter.cuh`.
const ALONG_WARPS: usize = 8;
const ACROSS_WARPS: usize = 10;
thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static KERNELS: Kernels<SplinePrefilter> = Kernels::default();
}

/// Coordinates along a line of the results from `low` to `high`: (index + before) scale + after, which are within the
/// line and do not fall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LineMap {
    /// The first result.
    pub(super) low: usize,
    /// One more than the last result.
    pub(super) high: usize,
    /// Summand of the indices.
    pub(super) before: f64,
    /// Scale of the coordinates.
    pub(super) scale: f64,
    /// Summand of the coordinates.
    pub(super) after: f64,
}

/// The inverse filter of a B-spline: a sum of symmetric exponentials.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Inverse {
    /// The poles of the filter, of magnitude below 1; the second is unused for orders 2 and 3.
    poles: [f64; 2],
    /// Weights of the exponentials.
    gains: [f64; 2],
    /// Number of poles: 1 or 2.
    count: u32,
    /// Segments after which the largest pole has decayed below the rounding of float64.
    halo: usize,
}

impl Inverse {
    /// Returns the inverse filter of the spline of an order from 2 to 5. The poles are the roots in the unit circle of
    /// the spline's sampled values (M. Unser, A. Aldroubi, M. Eden, "B-Spline Signal Processing: Part II", 1993, table
    /// I).
    fn of(order: usize) -> Inverse {
        let (one, two) = match order {
            2 => (f64::sqrt(8.0) - 3.0, None),
            3 => (f64::sqrt(3.0) - 2.0, None),
            // Roots of z^4 + 76 z^3 + 230 z^2 + 76 z + 1, and of z^4 + 26 z^3 + 66 z^2 + 26 z + 1.
            4 => (-0.361_341_225_900_220_16, Some(-0.013_725_429_297_339_121)),
            _ => (-0.430_575_347_099_973_8, Some(-0.043_096_288_203_264_65)),
        };
        let gain = |z: f64| (1.0 - z) * (1.0 - 1.0 / z);
        let gains = match two {
            None => [-gain(one) * one / (1.0 - one * one), 0.0],
            Some(two) => {
                // Partial fractions of z1 z2 / ((1 + z1^2 - z1 w) (1 + z2^2 - z2 w)) with w = Z + 1 / Z.
                let between = one * (1.0 + two * two) - two * (1.0 + one * one);
                let all = gain(one) * gain(two) * one * two / between;
                [all * one / (1.0 - one * one), -all * two / (1.0 - two * two)]
            }
        };
        let halo = if one.abs().powi(2 * SPLINE_SEGMENT as i32) < 2f64.powi(-56) { 2 } else { 3 };
        Inverse { poles: [one, two.unwrap_or(0.0)], gains, count: 1 + u32::from(two.is_some()), halo }
    }
}

/// Writes the coefficients of the spline of an order from 2 to 5 along axes to `out`. Along them `out` is longer by
/// `pad` elements at both ends, into which the samples are continued by the mode; along the others it has the shape of
/// `src`. Neither is complex.
pub(crate) fn spline_coefficients(
    src: &Array,
    axes: &[usize],
    order: usize,
    (mode, pad, cval): (SampleMode, usize, f64),
    out: &Array,
) -> Result<()> {
    one_device(src, [out])?;
    if out.size() == 0 {
        return Ok(());
    }
    // An axis of one element is its own coefficient.
    let axes: Dims = axes.iter().copied().filter(|&d| out.shape()[d] > 1).collect();
    let Some((&last, others)) = axes.split_last() else { return copy(src, out) };
    let inverse = Inverse::of(order);
    let pass = |src: &Array, axis: usize, out: &Array| run(src, axis, inverse, (mode, pad, cval), None, out);
    let mut held = src.clone();
    let mut free: Option<Array> = None;
    for (k, &axis) in others.iter().enumerate() {
        let mut shape: Dims = held.shape().into();
        shape[axis] += 2 * pad;
        // Passes alternate between two arrays if the lengths allow it, of which the result is one.
        let to = match free.take() {
            Some(a) => a,
            None if pad == 0 && (others.len() - k) % 2 == 0 && !src.may_share_memory(out) => out.clone(),
            None => make::empty(out.device(), &shape, out.dtype())?,
        };
        pass(&held, axis, &to)?;
        if k > 0 && pad == 0 {
            free = Some(held);
        }
        held = to;
    }
    apart(&held, out, |to| pass(&held, last, to))
}

/// Writes the values of the spline of an order from 2 to 5 through the samples of lines along an axis, in which alone
/// `out` differs in shape from `src`. It may share memory with it.
pub(super) fn resample_axis(
    src: &Array,
    axis: usize,
    order: usize,
    mode: SampleMode,
    map: LineMap,
    out: &Array,
) -> Result<()> {
    apart(src, out, |out| run(src, axis, Inverse::of(order), (mode, 0, 0.0), Some((order, map)), out))
}

fn run(
    src: &Array,
    axis: usize,
    inverse: Inverse,
    (mode, pad, cval): (SampleMode, usize, f64),
    map: Option<(usize, LineMap)>,
    out: &Array,
) -> Result<()> {
    let n = src.shape()[axis] + 2 * pad;
    let Lines { count: lines, sizes, src_steps, dst_steps, along } = Lines::of(src, out, axis);
    let width = Width::of(sizes.len(), lines);
    let device = out.device();
    let key = SplinePrefilter { from: src.dtype(), to: out.dtype(), along, sampled: map.is_some(), width };
    let [function] = kernels(&KERNELS, device, key, ["spline_prefilter"], || (key.name(), key.source()))?;
    let segments = n.div_ceil(SPLINE_SEGMENT) + 2 * inverse.halo;
    let lanes = segments.next_power_of_two().clamp(8, 32);
    let params = SplinePrefilterParams {
        width,
        lines,
        n: n as i64,
        samples: src.shape()[axis] as i64,
        pad: pad as i64,
        cval,
        src: read(src),
        dst: written(out),
        src_step: src.strides()[axis],
        dst_step: out.strides()[axis],
        poles: inverse.poles,
        gains: inverse.gains,
        decays: inverse.poles.map(|z| z.powi(SPLINE_SEGMENT as i32)),
        sizes: Sizes(&sizes),
        src_steps: Numbers(&src_steps),
        dst_steps: Numbers(&dst_steps),
        axes: sizes.len() as u32,
        rule: mode.samples() as u32,
        lanes_log2: lanes.ilog2(),
        pole_count: inverse.count,
        halo: inverse.halo as u32,
        constant: mode == SampleMode::GridConstant,
        order: map.map_or(0, |(order, _)| order as u32),
        low: map.map_or(0, |(_, map)| map.low as i64),
        high: map.map_or(0, |(_, map)| map.high as i64),
        before: map.map_or(0.0, |(_, map)| map.before),
        scale: map.map_or(1.0, |(_, map)| map.scale),
        after: map.map_or(0.0, |(_, map)| map.after),
    };
    let (blocks, warps) = if along {
        let parts = lines.div_ceil(32 / lanes) * n.div_ceil((lanes - 2 * inverse.halo) * SPLINE_SEGMENT);
        (parts.div_ceil(ALONG_WARPS), ALONG_WARPS)
    } else {
        // Blocks of a line have nearly equal numbers of segments.
        let (whole, most) = (n.div_ceil(SPLINE_SEGMENT), ACROSS_WARPS - 2 * inverse.halo);
        let useful = whole.div_ceil(whole.div_ceil(most));
        (lines.div_ceil(32) * whole.div_ceil(useful), useful + 2 * inverse.halo)
    };
    // SAFETY: `include/spline_prefilter.cuh` reads samples within the axis, by the rule of the border, and one thread writes each result.
    unsafe { Launcher::on(device).launch(function, Blocks::of(blocks, out.size(), "results"), 32 * warps, &params) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inverse_filter_undoes_the_samples_of_the_spline() {
        // Values of the centred B-splines at the integers.
        let values = [
            (2, [0.75, 0.125, 0.0]),
            (3, [2.0 / 3.0, 1.0 / 6.0, 0.0]),
            (4, [115.0 / 192.0, 19.0 / 96.0, 1.0 / 384.0]),
            (5, [0.55, 13.0 / 60.0, 1.0 / 120.0]),
        ];
        for (order, [middle, next, far]) in values {
            let inverse = Inverse::of(order);
            let response = |k: i32| -> f64 {
                (0..2)
                    .map(|i| {
                        inverse.gains[i] * if inverse.poles[i] == 0.0 { 0.0 } else { inverse.poles[i].powi(k.abs()) }
                    })
                    .sum()
            };
            for k in 0..6 {
                let sum = middle * response(k)
                    + next * (response(k - 1) + response(k + 1))
                    + far * (response(k - 2) + response(k + 2));
                assert!((sum - f64::from(k == 0)).abs() < 1e-14, "order {order}, element {k}: {sum}");
            }
        }
    }
}
