//! Elementwise computation: the same function for each chunk, on its device.

use smallvec::SmallVec;

use super::array::{Chunk, DistributedArray};
use super::maps::Map;
use super::modes::ChunkMode;
use super::region::{Region, Span};
use crate::array::Array;
use crate::cuda::Device;
use crate::engine::launch;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Dims, broadcast_shapes, shape_text};

/// Chunk of a result, and the elements of the operands from which it is computed.
#[derive(Clone, Debug)]
pub struct AlignedChunk {
    /// The device on which it is computed.
    pub device: Device,
    /// The region of the result.
    pub region: Region,
    /// The elements of each operand, on the device, with shapes that broadcast to that of the region.
    pub operands: Vec<Array>,
}

impl DistributedArray {
    /// Computes a function of each chunk, as a new array. See [`DistributedArray`] for an example.
    ///
    /// The function is called for each chunk with its device as the current one. Where it is elementwise the chunks of
    /// the result agree on common elements. Parts of a sum or of another mode are combined first.
    ///
    /// # Errors
    ///
    /// The first of the function; [`ErrorKind::Value`] if it returns an array of another shape.
    pub fn map(&self, f: impl Fn(&Array) -> Result<Array>) -> Result<DistributedArray> {
        DistributedArray::zip(&[self], |operands| f(&operands[0])).map_err(|e| e.with_op("map"))
    }

    /// Computes a function of the elements of several arrays, which are broadcast; the function is called for each chunk
    /// of the result with its device as the current one.
    ///
    /// The result has the index map of the first operand with the most elements. The other operands' elements are copied
    /// to where they are needed; nothing is copied where index maps agree.
    ///
    /// ```
    /// use cuprum::{cuda::Device, distributed::{ChunkMode, DistributedArray}, s};
    /// let devices = [Device::open("sim")?, Device::open("sim:1")?];
    /// let of = |index: [_; 2], a| DistributedArray::new(&a, devices.into_iter().zip(index), ChunkMode::Replica);
    /// let a = of([s![..1], s![1..]], cuprum::array([[1, 2], [3, 4]])?)?;
    /// let row = of([s![1..], s![..1]], cuprum::array([10, 20])?)?;
    /// let sum = DistributedArray::zip(&[&a, &row], |x| x[0].add(&x[1]))?;
    /// assert_eq!(sum.to_vec::<i32>()?, [11, 22, 13, 24]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for shapes that cannot be broadcast; otherwise those of [`DistributedArray::map`].
    pub fn zip(operands: &[&DistributedArray], f: impl Fn(&[Array]) -> Result<Array>) -> Result<DistributedArray> {
        let go = || {
            let (shape, aligned) = aligned(operands)?;
            let compute = |chunk: AlignedChunk| {
                let array = chunk.device.with(|| f(&chunk.operands))?;
                checked(chunk.device, chunk.region, array)
            };
            of_chunks(shape, aligned.into_iter().map(compute).collect::<Result<_>>()?, ChunkMode::Replica)
        };
        go().map_err(|e: Error| e.with_op("zip"))
    }

    /// Returns the chunks of an elementwise result with the elements of the operands that each is computed from, for a
    /// computation that [`DistributedArray::zip`] has no form for, such as one with several results.
    ///
    /// [`DistributedArray::from_chunks`] assembles the result. The elements may be views of the operands' chunks.
    ///
    /// ```
    /// use cuprum::distributed::{ChunkMode, DistributedArray, Region};
    /// let a = cuprum::array([1, 2])?;
    /// let d = DistributedArray::from_chunks(&[2], [(Region::new(&[2], cuprum::s![..])?, a)], ChunkMode::Replica)?;
    /// let chunks = DistributedArray::align(&[&d, &d])?;
    /// assert_eq!((chunks.len(), chunks[0].operands.len()), (1, 2));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for shapes that cannot be broadcast, and without an operand.
    pub fn align(operands: &[&DistributedArray]) -> Result<Vec<AlignedChunk>> {
        aligned(operands).map(|(_, chunks)| chunks).map_err(|e| e.with_op("align"))
    }
}

/// Returns the broadcast shape of operands and what each chunk of a result is computed from.
pub(super) fn aligned(operands: &[&DistributedArray]) -> Result<(Dims, Vec<AlignedChunk>)> {
    if let Some((first, rest)) = operands.split_first()
        && first.mode == ChunkMode::Replica
        && rest.iter().all(|other| is_alike(first, other))
    {
        // Each chunk has its operands: nothing is searched.
        let chunk = |(at, chunk): (usize, &Chunk)| AlignedChunk {
            device: chunk.device,
            region: chunk.region.clone(),
            operands: operands.iter().map(|operand| operand.chunks[at].array.clone()).collect(),
        };
        return Ok((first.shape.clone(), first.chunks.iter().enumerate().map(chunk).collect()));
    }
    let resolved: SmallVec<[DistributedArray; 3]> = operands.iter().map(|a| a.resolved()).collect::<Result<_>>()?;
    let shapes: SmallVec<[&[usize]; 3]> = resolved.iter().map(|operand| operand.shape()).collect();
    let shape = broadcast_shapes(&shapes)?;
    let Some(lead) = resolved.iter().rev().max_by_key(|operand| operand.size()) else {
        return Err(Error::new(ErrorKind::Value, "no operand is given: one at least is needed"));
    };
    let map: Map =
        lead.chunks.iter().map(|chunk| (chunk.device, expanded(&chunk.region, &lead.shape, &shape))).collect();
    let align = |(device, region): (Device, Region)| {
        let part = |operand: &DistributedArray| operand.collect(&projected(&region, &operand.shape), device);
        let operands = resolved.iter().map(part).collect::<Result<_>>()?;
        Ok(AlignedChunk { device, region, operands })
    };
    Ok((shape, launch::exchange(|| map.into_iter().map(align).collect::<Result<_>>())?))
}

/// Returns true if two arrays of copies have the same chunks on the same devices.
fn is_alike(a: &DistributedArray, b: &DistributedArray) -> bool {
    let alike = |(a, b): (&Chunk, &Chunk)| a.device == b.device && a.region == b.region;
    let lengths = a.shape == b.shape && a.chunks.len() == b.chunks.len();
    b.mode == ChunkMode::Replica && lengths && a.chunks.iter().zip(&b.chunks).all(alike)
}

/// Returns the region of a broadcast shape that a region of an operand is broadcast to.
fn expanded(region: &Region, own: &[usize], shape: &[usize]) -> Region {
    let new = shape.len() - own.len();
    let span = |axis: usize| match axis.checked_sub(new) {
        Some(k) if own[k] == shape[axis] => region.0[k],
        _ => Span::all(shape[axis]),
    };
    Region((0..shape.len()).map(span).collect())
}

/// Returns the region of an operand that is broadcast to a region of the result.
fn projected(region: &Region, own: &[usize]) -> Region {
    let new = region.0.len() - own.len();
    let span = |(k, &n): (usize, &usize)| if n == 1 { Span::all(1) } else { region.0[new + k] };
    Region(own.iter().enumerate().map(span).collect())
}

/// Returns a chunk with the elements that a function has returned.
fn checked(device: Device, region: Region, array: Array) -> Result<Chunk> {
    if array.shape() == region.shape() && array.device() == device {
        return Ok(Chunk { device, region, array });
    }
    let (found, own) = (shape_text(array.shape()), &array.device().info().id);
    let (needed, id) = (shape_text(&region.shape()), &device.info().id);
    let message = format!(
        "the function returned an array of shape {found} on {own} for a chunk of shape {needed} on {id}: both must be equal"
    );
    Err(Error::new(ErrorKind::Value, message))
}

/// Returns an array of chunks whose regions cover the shape.
pub(super) fn of_chunks(shape: Dims, chunks: Vec<Chunk>, mode: ChunkMode) -> Result<DistributedArray> {
    let Some(dtype) = chunks.first().map(|chunk| chunk.array.dtype()) else {
        return Err(Error::new(ErrorKind::Value, "the array has no chunk"));
    };
    match chunks.iter().find(|chunk| chunk.array.dtype() != dtype) {
        None => Ok(DistributedArray { shape, dtype, mode, chunks }),
        Some(other) => {
            let other = other.array.dtype();
            let message = format!(
                "the function returned arrays of {dtype} and of {other}: the dtypes of all chunks must be equal"
            );
            Err(Error::new(ErrorKind::Type, message))
        }
    }
}
