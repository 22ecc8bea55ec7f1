//! Indices of the largest and the smallest elements.

use super::array::{Chunk, DistributedArray};
use super::elementwise::of_chunks;
use super::modes::ChunkMode;
use super::reductions::{disjoint, reduced_region, reduced_shape};
use super::region::{Coverage, Region};
use cuprum_kernels::DType;

use crate::array::Array;
use crate::engine::make;
use crate::error::{Error, Result};
use crate::layout::normalize_axes;
use crate::reduction::{Reduce, reduction};
use crate::routines::searching::where_;
use crate::ufunc::apply;

/// Extremes of a part of the array along the reduced axes, and their indices in the whole array.
struct Extremes {
    values: Array,
    indices: Array,
}

impl DistributedArray {
    /// Returns the indices of the maximum along an axis, or in the flattened array for `None`; NumPy's `argmax`. The
    /// first of equal elements counts, and a NaN is larger than any number.
    ///
    /// The result has dtype int64, lacks the axis, and has the index map of the remaining axes.
    ///
    /// ```
    /// use cuprum::{cuda::Device, distributed::{ChunkMode, DistributedArray}, s};
    /// let map = [(Device::open("sim")?, s![.., ..1]), (Device::open("sim:1")?, s![.., 1..])];
    /// let d = DistributedArray::new(&cuprum::array([[1, 2], [4, 3]])?, map, ChunkMode::Replica)?;
    /// assert_eq!(d.argmax(Some(1))?.to_vec::<i64>()?, [1, 0]);
    /// assert_eq!(d.argmin(None)?.to_vec::<i64>()?, [0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Axis`](crate::ErrorKind::Axis) for an axis that is out of bounds,
    /// [`ErrorKind::Value`](crate::ErrorKind::Value) for an array without elements.
    pub fn argmax(&self, axis: Option<isize>) -> Result<DistributedArray> {
        self.indices_of(["max", "argmax", "greater"], axis)
    }

    /// Returns the indices of the minimum along an axis, or in the flattened array for `None`; NumPy's `argmin`. See
    /// [`DistributedArray::argmax`].
    ///
    /// # Errors
    ///
    /// Those of [`DistributedArray::argmax`].
    pub fn argmin(&self, axis: Option<isize>) -> Result<DistributedArray> {
        self.indices_of(["min", "argmin", "less"], axis)
    }

    fn indices_of(&self, [extreme, argument, compare]: [&str; 3], axis: Option<isize>) -> Result<DistributedArray> {
        let go = || {
            let source = self.resolved()?;
            let axis = axis.map(|axis| normalize_axes(&[axis], source.ndim())).transpose()?.map(|axes| axes[0]);
            let gone: Vec<usize> = axis.map_or_else(|| (0..source.ndim()).collect(), |axis| vec![axis]);
            let options = || axis.map_or_else(Reduce::all, |axis| Reduce::axis(axis as isize));
            let mut parts = vec![];
            for (at, region) in disjoint(&source.chunks) {
                let part = source.chunks[at].part(&region)?;
                let values = reduction(extreme)?.call(&part, options())?;
                let local = reduction(argument)?.call(&part, options())?;
                let indices = source.in_whole(&local, &region, axis)?;
                parts.push((reduced_region(&region, &gone, false), Extremes { values, indices }));
            }
            let shape = reduced_shape(&source.shape, &gone, false);
            if parts.is_empty() {
                // Without elements the result, or the error, is that of a chunk.
                let chunk = &source.chunks[0];
                let array = reduction(argument)?.call(&chunk.array, options())?;
                let region = reduced_region(&chunk.region, &gone, false);
                return of_chunks(shape, vec![Chunk { device: chunk.device, region, array }], ChunkMode::Replica);
            }
            let mut chunks: Vec<Chunk> = vec![];
            for chunk in &source.chunks {
                let region = reduced_region(&chunk.region, &gone, false);
                if region.is_empty()
                    || chunks.iter().any(|known| known.device == chunk.device && known.region == region)
                {
                    continue;
                }
                let array = best(&parts, chunk, &region, compare)?;
                chunks.push(Chunk { device: chunk.device, region, array });
            }
            of_chunks(shape, chunks, ChunkMode::Replica)
        };
        go().map_err(|e: Error| e.with_op(argument))
    }

    /// Converts indices within a region to those of the whole array, along an axis or of the flattened array.
    fn in_whole(&self, local: &Array, region: &Region, axis: Option<usize>) -> Result<Array> {
        let of = |name, a: &Array, n: usize| apply(name, [a.into(), (n as i64).into()]);
        if let Some(axis) = axis {
            let span = region.0[axis];
            return of("add", &of("multiply", local, span.step)?, span.start);
        }
        let (mut rest, mut total, mut stride) = (local.clone(), of("multiply", local, 0)?, 1);
        for (span, n) in region.0.iter().zip(&self.shape).rev() {
            let own = of("remainder", &rest, span.len)?;
            rest = of("floor_divide", &rest, span.len)?;
            let index = of("add", &of("multiply", &own, span.step)?, span.start)?;
            total = apply("add", [(&total).into(), (&of("multiply", &index, stride)?).into()])?;
            stride *= n;
        }
        Ok(total)
    }
}

/// Returns the indices of the best of all parts for a region of the result, on the device of a chunk.
fn best(parts: &[(Region, Extremes)], chunk: &Chunk, region: &Region, compare: &str) -> Result<Array> {
    let Some((_, any)) = parts.first() else { return make::empty(chunk.device, &region.shape(), DType::I64) };
    let values = make::empty(chunk.device, &region.shape(), any.values.dtype())?;
    let indices = make::empty(chunk.device, &region.shape(), DType::I64)?;
    let mut coverage = Coverage::of(region.clone());
    for (own, part) in parts {
        let added = coverage.add(own);
        for (common, is_first) in added.first.iter().map(|c| (c, true)).chain(added.again.iter().map(|c| (c, false))) {
            let here = |a: &Array| a.index(own.positions_of(common).to_index())?.to_device(chunk.device);
            let in_out = |a: &Array| a.index(region.positions_of(common).to_index());
            let (value, index, known, at) =
                (here(&part.values)?, here(&part.indices)?, in_out(&values)?, in_out(&indices)?);
            if is_first {
                known.assign(&value)?;
                at.assign(&index)?;
                continue;
            }
            let is_better = is_better([&value, &index], [&known, &at], compare)?;
            at.assign(&where_(&is_better, &index, &at)?)?;
            known.assign(&where_(&is_better, &value, &known)?)?;
        }
    }
    Ok(indices)
}

/// Returns where the first pair of a value and an index comes before the second: its value is better or a NaN, or both
/// are equal and its index is smaller.
fn is_better([a, i]: [&Array; 2], [b, j]: [&Array; 2], compare: &str) -> Result<Array> {
    let two = |name, x: &Array, y: &Array| apply(name, [x.into(), y.into()]);
    let (mut better, mut equal) = (two(compare, a, b)?, two("equal", a, b)?);
    if !a.dtype().is_integer() && a.dtype() != DType::Bool {
        let [a, b] = [a, b].map(|x| apply("isnan", [x.into()]));
        let (a, b) = (a?, b?);
        better = two("logical_or", &better, &two("greater", &a, &b)?)?;
        equal = two("logical_or", &equal, &two("logical_and", &a, &b)?)?;
        // A number is never better than a NaN.
        better = two("greater", &better, &two("greater", &b, &a)?)?;
    }
    two("logical_or", &better, &two("logical_and", &equal, &two("less", i, j)?)?)
}
