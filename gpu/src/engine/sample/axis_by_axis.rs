//! Sampling of a spline axis by axis, where the coordinate along each axis depends on the index along it alone.
//!
//! A pass computes the coefficients along an axis and the values at the coordinates of that axis, so that a coefficient
//! is never written, and fewer results along an axis leave less to do for the next one. The sums are those over all
//! taps in another order, in float64.
//!
//! Lower bound: the elements before and after each axis.

use std::ops::Range;

use cuprum_kernels::DType;

use super::SampleMode;
use super::prefilter::{LineMap, resample_axis};
use crate::array::Array;
use crate::engine::{fill, make};
use crate::error::Result;
use crate::index::{Index, Slice};
use crate::layout::{Dims, Order};
use crate::scalar::Scalar;

/// Bounds of scales and summands for which the kernel's estimate of a result is off by one at most.
const SCALES: Range<f64> = 1.0 / 65536.0..65536.0;
const SUMMANDS: f64 = (1u64 << 31) as f64;

/// Passes of a sampling.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct AxisByAxis {
    /// Axes and their maps, in the order of the passes.
    passes: Vec<(usize, LineMap)>,
    /// Axes with the range of the results that are not the constant.
    inside: Vec<(usize, Range<usize>)>,
}

impl AxisByAxis {
    /// Returns the passes for coordinates (index + before) scale + after along the axes, in SciPy's rounding; `None` if
    /// they move more bytes than the coefficients of all axes and one sampling, or if coordinates are outside the
    /// input and that does not make results the constant.
    pub(crate) fn plan(
        src: &Array,
        axes: &[usize],
        (before, scales, after): (&[f64], &[f64], &[f64]),
        mode: SampleMode,
        out: &Array,
    ) -> Option<AxisByAxis> {
        if mode.pad() > 0 || src.ndim() != out.ndim() || out.size() == 0 {
            return None;
        }
        let (mut passes, mut inside) = (Vec::new(), Vec::new());
        for (k, &axis) in axes.iter().enumerate() {
            let (n, results) = (src.shape()[axis], out.shape()[axis]);
            let (before, scale, after) = (before[k], scales[k], after[k]);
            let bounded = [before, after, n as f64, results as f64].iter().all(|x| x.abs() < SUMMANDS);
            if !SCALES.contains(&scale) || !bounded {
                return None;
            }
            let coordinate = |m: usize| (m as f64 + before) * scale + after;
            let low = first(results, |m| coordinate(m) >= 0.0);
            let high = first(results, |m| coordinate(m) > (n - 1) as f64);
            // Only the constant of floating-point results is written without the kernel's rounding.
            let constant = mode == SampleMode::Constant && out.dtype().is_float();
            if low >= high || (!constant && (low, high) != (0, results)) {
                return None;
            }
            inside.push((axis, low..high));
            // A spline at its knots has the values of the samples.
            let is_identity = (scale, before, after) == (1.0, 0.0, 0.0) && (low, high) == (0, n);
            if !is_identity {
                passes.push((axis, LineMap { low, high, before, scale, after }));
            }
        }
        // Passes that leave the fewest elements come first.
        let share = |(axis, map): &(usize, LineMap)| (map.high - map.low) as f64 / src.shape()[*axis] as f64;
        passes.sort_by(|a, b| share(a).total_cmp(&share(b)));
        let (last, others) = passes.split_last()?;
        let (mut elements, mut bytes) = (src.size() as f64, 0.0);
        let mut element = src.itemsize() as f64;
        for pass in others {
            bytes += elements * element;
            elements *= share(pass);
            element = 8.0;
            bytes += elements * element;
        }
        bytes += elements * element + elements * share(last) * out.itemsize() as f64;
        let all = src.size() as f64;
        let apart = all * (src.itemsize() + 16 * axes.len()) as f64 + (out.size() * out.itemsize()) as f64;
        (bytes < apart).then_some(AxisByAxis { passes, inside })
    }

    /// Writes the values of the spline of an order from 2 to 5 to `out`, which may share memory with the samples.
    pub(crate) fn run(&self, src: &Array, order: usize, mode: SampleMode, cval: f64, out: &Array) -> Result<()> {
        let Some(((last, map), others)) = self.passes.split_last() else { return Ok(()) };
        // The constants are written before the last pass.
        let mut held = if others.is_empty() && src.may_share_memory(out) { src.copy(Order::C)? } else { src.clone() };
        let mut inner = out.clone();
        for (axis, range) in &self.inside {
            inner = part(&inner, *axis, range.clone())?;
        }
        for (axis, map) in others {
            let mut shape: Dims = held.shape().into();
            shape[*axis] = map.high - map.low;
            let to = make::empty(out.device(), &shape, DType::F64)?;
            resample_axis(&held, *axis, order, mode, *map, &to)?;
            held = to;
        }
        for (axis, range) in &self.inside {
            for outside in [0..range.start, range.end..out.shape()[*axis]] {
                if !outside.is_empty() {
                    fill(&part(out, *axis, outside)?, Scalar::from(cval))?;
                }
            }
        }
        resample_axis(&held, *last, order, mode, *map, &inner)
    }
}

/// Returns the elements of a range along an axis.
fn part(a: &Array, axis: usize, range: Range<usize>) -> Result<Array> {
    let all = Slice { start: None, stop: None, step: None };
    let own = Slice { start: Some(range.start as i64), stop: Some(range.end as i64), step: None };
    let slices: Vec<Index<Array>> = (0..=axis).map(|d| Index::Slice(if d == axis { own } else { all })).collect();
    a.index(slices)
}

/// Returns the first index below `n` for which a predicate holds that holds for all after it, or `n`.
fn first(n: usize, holds: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, n);
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle) { high = middle } else { low = middle + 1 }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cuda::Device;

    fn plan(shape: &[usize], results: &[usize], scale: f64, before: f64, mode: SampleMode) -> Option<AxisByAxis> {
        let device = Device::current().unwrap();
        let make = |shape| make::empty(device, shape, DType::F32).unwrap();
        let axes: Vec<usize> = (0..shape.len()).collect();
        let n = shape.len();
        let map = (&*vec![before; n], &*vec![scale; n], &*vec![0.0; n]);
        AxisByAxis::plan(&make(shape), &axes, map, mode, &make(results))
    }

    #[test]
    fn smaller_results_are_computed_axis_by_axis() {
        let passes = plan(&[40, 60], &[20, 30], 2.0, 0.0, SampleMode::Constant);
        assert_eq!(passes.map(|p| p.passes.iter().map(|(axis, _)| *axis).collect::<Vec<_>>()), Some(vec![0, 1]));
        assert_eq!(plan(&[40, 60], &[160, 240], 0.25, 0.0, SampleMode::Constant), None);
    }

    #[test]
    fn coordinates_outside_the_input_are_the_constant() {
        let moved = plan(&[40], &[40], 1.0, -2.5, SampleMode::Constant).unwrap();
        assert_eq!(moved.inside, [(0, 3..40)]);
        assert_eq!(plan(&[40], &[40], 1.0, -2.5, SampleMode::Mirror), None);
        assert_eq!(plan(&[40], &[40], 1.0, 50.0, SampleMode::Constant), None);
        assert_eq!(plan(&[40], &[40], -1.0, 0.0, SampleMode::Constant), None);
    }
}
