//! Cumulative sums and products, and sorting, along an axis.

use super::array::{Chunk, DistributedArray};
use super::elementwise::of_chunks;
use super::maps::{regions, split_evenly};
use super::modes::ChunkMode;
use super::region::{Region, Span};
use crate::array::Array;
use crate::engine::make;
use crate::error::{Error, Result};
use crate::layout::normalize_axes;
use crate::reduction::{Reduce, reduction};
use crate::routines::sorting::sorted;
use crate::scan::{ScanOptions, cumprod, cumsum};
use crate::ufunc::apply;

impl DistributedArray {
    /// Returns the cumulative sums along an axis; NumPy's `cumsum` with an axis. The index map stays the same.
    ///
    /// Each device computes those of its chunks, and the sums of the elements before each chunk are added. The result
    /// has the dtype of NumPy's: 64 bits for shorter integers.
    ///
    /// ```
    /// use cuprum::{cuda::Device, distributed::{ChunkMode, DistributedArray}, s};
    /// let map = [(Device::open("sim")?, s![..2]), (Device::open("sim:1")?, s![2..])];
    /// let d = DistributedArray::new(&cuprum::array([1, 2, 3])?, map, ChunkMode::Replica)?;
    /// assert_eq!(d.cumsum(0)?.to_vec::<i64>()?, [1, 3, 6]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Axis`](crate::ErrorKind::Axis) for an axis that is out of bounds.
    pub fn cumsum(&self, axis: isize) -> Result<DistributedArray> {
        self.accumulated(axis, "sum", "add", |a, options| cumsum(a, options)).map_err(|e| e.with_op("cumsum"))
    }

    /// Returns the cumulative products along an axis; NumPy's `cumprod` with an axis. See [`DistributedArray::cumsum`].
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Axis`](crate::ErrorKind::Axis) for an axis that is out of bounds.
    pub fn cumprod(&self, axis: isize) -> Result<DistributedArray> {
        self.accumulated(axis, "prod", "multiply", |a, options| cumprod(a, options)).map_err(|e| e.with_op("cumprod"))
    }

    /// Returns the array sorted along an axis; NumPy's `sort`. The index map stays the same; NaN come last.
    ///
    /// Where chunks divide the axis the elements are first distributed along another one, and an array of one axis is
    /// sorted by its first device.
    ///
    /// ```
    /// use cuprum::{cuda::Device, distributed::{ChunkMode, DistributedArray}, s};
    /// let map = [(Device::open("sim")?, s![.., ..1]), (Device::open("sim:1")?, s![.., 1..])];
    /// let d = DistributedArray::new(&cuprum::array([[2, 1], [3, 4]])?, map, ChunkMode::Replica)?;
    /// assert_eq!(d.sort(-1)?.to_vec::<i32>()?, [1, 2, 3, 4]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Axis`](crate::ErrorKind::Axis) for an axis that is out of bounds.
    pub fn sort(&self, axis: isize) -> Result<DistributedArray> {
        let go = || {
            let axis = self.axis(axis)?;
            let rows = self.with_whole(axis)?.map(|a| sorted(a, Some(axis as isize)))?;
            rows.distributed_as(self.map_of_regions())
        };
        go().map_err(|e: Error| e.with_op("sort"))
    }

    /// Returns the number of an axis.
    pub(super) fn axis(&self, axis: isize) -> Result<usize> {
        Ok(normalize_axes(&[axis], self.ndim())?[0])
    }

    /// Distributes the elements along other axes than one: every chunk then holds whole rows along it. Without another
    /// axis the first device holds the array.
    ///
    /// The mode of the result is [`ChunkMode::Replica`]. An array with such chunks is returned as it is.
    ///
    /// ```
    /// use cuprum::{cuda::Device, distributed::{ChunkMode, DistributedArray}, s};
    /// let map = [(Device::open("sim")?, s![.., ..1]), (Device::open("sim:1")?, s![.., 1..])];
    /// let d = DistributedArray::new(&cuprum::array([[2, 1], [3, 4]])?, map, ChunkMode::Replica)?;
    /// assert_eq!(d.with_whole_axis(1)?.chunks()[1].array().to_vec::<i32>()?, [3, 4]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Axis`](crate::ErrorKind::Axis) for an axis that is out of bounds.
    pub fn with_whole_axis(&self, axis: isize) -> Result<DistributedArray> {
        let go = || self.with_whole(self.axis(axis)?);
        go().map_err(|e: Error| e.with_op("with_whole_axis"))
    }

    fn with_whole(&self, axis: usize) -> Result<DistributedArray> {
        let whole = Span::all(self.shape[axis]);
        if self.chunks.iter().all(|chunk| chunk.region.0[axis] == whole) {
            return self.resolved();
        }
        let longest = (0..self.ndim()).filter(|&other| other != axis).max_by_key(|&other| (self.shape[other], other));
        let devices = self.devices();
        let map = match longest {
            None => vec![(devices[0], Region::all(&self.shape))],
            Some(other) => regions(&self.shape, split_evenly(&self.shape, other, &devices)?)?,
        };
        self.resolved()?.distributed_as(map)
    }

    fn accumulated(
        &self,
        axis: isize,
        total: &str,
        ufunc: &str,
        scan: impl Fn(&Array, ScanOptions<'_>) -> Result<Array>,
    ) -> Result<DistributedArray> {
        let axis = self.axis(axis)?;
        let along = || ScanOptions { axis: Some(axis as isize), ..ScanOptions::default() };
        if self.chunks.iter().any(|chunk| chunk.region.0[axis].step != 1) {
            let rows = self.with_whole(axis)?.map(|a| scan(a, along()))?;
            return rows.distributed_as(self.map_of_regions());
        }
        let source = self.resolved()?;
        let compute = |chunk: &Chunk| {
            let own = scan(&chunk.array, along())?;
            let start = chunk.region.0[axis].start;
            let before = chunk.region.with(axis, Span::all(start));
            if start == 0 || chunk.region.is_empty() {
                return Ok(Chunk { array: own, ..chunk.clone() });
            }
            // One element for each row of the chunk: the total of what precedes it.
            let one = |region: &Region| region.with(axis, Span::all(1));
            let identity = i64::from(ufunc == "multiply");
            let carry = make::full(chunk.device, &one(&chunk.region).shape(), identity, own.dtype())?;
            // In the order of the axis, so that results do not depend on where the parts are.
            let mut pieces = source.pieces(&before, Some(chunk.device))?;
            pieces.sort_by_key(|(_, region)| region.0[axis].start);
            for (from, region) in pieces {
                let options = Reduce::axis(axis as isize).keepdims(true).dtype(own.dtype());
                let part =
                    reduction(total)?.call(&source.chunks[from].part(&region)?, options)?.to_device(chunk.device)?;
                let to = carry.index(one(&chunk.region).positions_of(&one(&region)).to_index())?;
                to.assign(&apply(ufunc, [(&to).into(), (&part).into()])?)?;
            }
            let array = apply(ufunc, [(&own).into(), (&carry).into()])?;
            Ok(Chunk { array, ..chunk.clone() })
        };
        let chunks = source.chunks.iter().map(compute).collect::<Result<_>>()?;
        of_chunks(source.shape.clone(), chunks, ChunkMode::Replica)
    }
}
