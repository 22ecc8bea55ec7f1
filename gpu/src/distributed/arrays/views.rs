//! Basic indexing, permutation of axes and conversion of dtypes.

use cuprum_kernels::DType;

use super::array::{Chunk, DistributedArray};
use super::region::{Region, Span};
use crate::array::{AsIndex, Axes, Index, IntoArgument};
use crate::error::{Error, ErrorKind, Result};
use crate::index::Slice;
use crate::layout::{Dims, normalize_axes, shape_text};

/// Selection by a part of an index: the indices of an axis in ascending order, and how they appear in the result.
enum Selected {
    NewAxis,
    /// An axis that the result lacks.
    One(Span),
    Some {
        span: Span,
        is_reversed: bool,
    },
}

impl DistributedArray {
    /// Selects elements by integers, slices, new axes and an ellipsis; NumPy's basic indexing. The result's chunks stay
    /// on their devices, as views, and chunks of which nothing is selected are left out.
    ///
    /// ```
    /// use cuprum::{cuda::Device, distributed::{ChunkMode, DistributedArray}, s};
    /// let map = [(Device::open("sim")?, s![..1]), (Device::open("sim:1")?, s![1..])];
    /// let d = DistributedArray::new(&cuprum::array([[1, 2], [3, 4]])?, map, ChunkMode::Replica)?;
    /// assert_eq!(d.index(s![..;-1, 0])?.to_vec::<i32>()?, [3, 1]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Index`] for an integer that is out of bounds, for too many parts, and for arrays and booleans, which
    /// select no chunks: use [`DistributedArray::to_array`] first.
    pub fn index(&self, index: impl AsIndex) -> Result<DistributedArray> {
        self.indexed(index.as_ref()).map_err(|e| e.with_op("index"))
    }

    fn indexed(&self, index: &[Index]) -> Result<DistributedArray> {
        let selected = self.selected(index)?;
        let mut shape = Dims::new();
        for part in &selected {
            match part {
                Selected::NewAxis => shape.push(1),
                Selected::One(_) => {}
                Selected::Some { span, .. } => shape.push(span.len),
            }
        }
        let chunks: Vec<Chunk> =
            self.chunks.iter().filter_map(|chunk| part_of(chunk, &selected).transpose()).collect::<Result<_>>()?;
        if chunks.is_empty() {
            // Nothing is selected: one chunk without elements keeps the dtype and a device.
            let (device, region) = (self.chunks[0].device, Region::all(&shape));
            let array = crate::engine::make::empty(device, &shape, self.dtype)?;
            return Ok(DistributedArray { shape, chunks: vec![Chunk { device, region, array }], ..*self });
        }
        Ok(DistributedArray { shape, chunks, ..*self })
    }

    /// Returns what each part of an index selects, and of an ellipsis the axes that it covers.
    fn selected(&self, index: &[Index]) -> Result<Vec<Selected>> {
        let used = index.iter().filter(|part| !matches!(part, Index::NewAxis | Index::Ellipsis)).count();
        let ellipses = index.iter().filter(|part| matches!(part, Index::Ellipsis)).count();
        if used > self.ndim() || ellipses > 1 {
            let shape = shape_text(&self.shape);
            let message =
                format!("too many indices: an array of shape {shape} was indexed with {used} and {ellipses} ellipses");
            return Err(Error::new(ErrorKind::Index, message));
        }
        let (mut selected, mut axis) = (vec![], 0);
        let last = if ellipses == 0 { Some(&Index::Ellipsis) } else { None };
        for part in index.iter().chain(last) {
            let n = self.shape.get(axis).copied().unwrap_or(0);
            match part {
                Index::NewAxis => {
                    selected.push(Selected::NewAxis);
                    continue;
                }
                Index::Ellipsis => {
                    for &n in &self.shape[axis..axis + self.ndim() - used] {
                        selected.push(Selected::Some { span: Span::all(n), is_reversed: false });
                    }
                    axis += self.ndim() - used;
                    continue;
                }
                Index::At(i) => {
                    let at = if *i < 0 { i + n as i64 } else { *i };
                    if at < 0 || at >= n as i64 {
                        let message = format!("{i} is out of bounds for axis {axis} with size {n}");
                        return Err(Error::new(ErrorKind::Index, message));
                    }
                    selected.push(Selected::One(Span::new(at as usize, 1, 1)));
                }
                Index::Slice(slice) => {
                    let (start, len, step) = slice.resolve(n)?;
                    let low = if step < 0 { start + step * (len.max(1) as i64 - 1) } else { start };
                    let span = Span::new(low.max(0) as usize, len, step.unsigned_abs() as usize);
                    selected.push(Selected::Some { span, is_reversed: step < 0 });
                }
                Index::Truth(_) | Index::Array(_) | Index::List(_) => {
                    let message = "arrays, lists and booleans select no chunks: collect the array on a device with to_array (in Python: on the host with get) first";
                    return Err(Error::new(ErrorKind::Index, message));
                }
            }
            axis += 1;
        }
        Ok(selected)
    }

    /// Permutes the axes, in reverse order for `()`; NumPy's `transpose`. The chunks are views.
    ///
    /// ```
    /// use cuprum::{cuda::Device, distributed::{ChunkMode, DistributedArray}, s};
    /// let map = [(Device::open("sim")?, s![..1]), (Device::open("sim:1")?, s![1..])];
    /// let d = DistributedArray::new(&cuprum::array([[1, 2], [3, 4]])?, map, ChunkMode::Replica)?;
    /// assert_eq!(d.transpose(())?.to_vec::<i32>()?, [1, 3, 2, 4]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Axis`] for an axis that is out of bounds, [`ErrorKind::Value`] for axes that are no permutation.
    pub fn transpose(&self, axes: impl IntoArgument<Axes>) -> Result<DistributedArray> {
        let go = |axes: Axes| {
            let order: Vec<usize> = match axes.as_slice() {
                None => (0..self.ndim()).rev().collect(),
                Some(axes) => normalize_axes(axes, self.ndim())?.into_iter().collect(),
            };
            if order.len() != self.ndim() {
                let message = format!("axes do not match the array: {} for {} axes", order.len(), self.ndim());
                return Err(Error::new(ErrorKind::Value, message));
            }
            let permute = |chunk: &Chunk| Chunk {
                device: chunk.device,
                region: Region(order.iter().map(|&axis| chunk.region.0[axis]).collect()),
                array: chunk.array.permuted(&order),
            };
            let shape = order.iter().map(|&axis| self.shape[axis]).collect();
            Ok(DistributedArray { shape, chunks: self.chunks.iter().map(permute).collect(), ..*self })
        };
        go(axes.into()).map_err(|e: Error| e.with_op("transpose"))
    }

    /// Converts the elements to a dtype; NumPy's `astype`. See [`Array::astype`](crate::Array::astype).
    ///
    /// # Errors
    ///
    /// Errors of the devices.
    pub fn astype(&self, dtype: DType) -> Result<DistributedArray> {
        if dtype == self.dtype {
            return Ok(self.clone());
        }
        self.map(|a| a.astype(dtype)).map_err(|e| e.with_op("astype"))
    }
}

/// Returns the elements of a chunk that an index selects, as a chunk of the result; `None` if there are none.
fn part_of(chunk: &Chunk, selected: &[Selected]) -> Result<Option<Chunk>> {
    let (mut index, mut spans, mut axis) = (vec![], vec![], 0);
    for part in selected {
        let own = chunk.region.0.get(axis).copied();
        let (Some(own), false) = (own, matches!(part, Selected::NewAxis)) else {
            index.push(Index::NewAxis);
            spans.push(Span::all(1));
            continue;
        };
        axis += 1;
        match part {
            Selected::NewAxis => {}
            Selected::One(span) => {
                let Some(common) = own.intersect(*span) else { return Ok(None) };
                index.push(Index::At(own.positions_of(common).start as i64));
            }
            Selected::Some { span, is_reversed } => {
                let Some(common) = own.intersect(*span) else { return Ok(None) };
                let (here, to) = (own.positions_of(common), span.positions_of(common));
                if *is_reversed {
                    let (first, last) = (here.start as i64, here.end() as i64 - 1);
                    // Slices that run downwards to the first element have no stop.
                    let stop = if first == 0 { None } else { Some(first - 1) };
                    index.push(Index::Slice(Slice { start: Some(last), stop, step: Some(-(here.step as i64)) }));
                    spans.push(Span::new(span.len - to.end(), to.len, to.step));
                } else {
                    let stop = Some(here.end() as i64);
                    index.push(Index::Slice(Slice {
                        start: Some(here.start as i64),
                        stop,
                        step: Some(here.step as i64),
                    }));
                    spans.push(to);
                }
            }
        }
    }
    let region = Region(spans.into_iter().collect());
    Ok(Some(Chunk { device: chunk.device, region, array: chunk.array.index(index)? }))
}
