//! The array over devices: its chunks, their distribution and their collection.

use cuprum_kernels::DType;
use smallvec::SmallVec;

use super::maps::{Map, check_cover, regions};
use super::modes::ChunkMode;
use super::region::{Coverage, Region};
use crate::array::{Array, AsIndex, Index};
use crate::cuda::Device;
use crate::element::Element;
use crate::elements::copy_across;
use crate::engine::{launch, make};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Dims, Order, shape_text, size_of};

/// Chunk of a [`DistributedArray`]: the elements of a region on a device.
#[derive(Clone, Debug)]
pub struct Chunk {
    pub(crate) device: Device,
    pub(crate) region: Region,
    pub(crate) array: Array,
}

impl Chunk {
    /// Returns the device that holds the chunk.
    pub fn device(&self) -> Device {
        self.device
    }

    /// Returns the part of the whole array that the chunk holds.
    pub fn region(&self) -> &Region {
        &self.region
    }

    /// Returns the elements; other chunks may hold some of them, too.
    pub fn array(&self) -> &Array {
        &self.array
    }

    /// Returns the chunk's elements of a region within its own, as a view.
    pub(super) fn part(&self, region: &Region) -> Result<Array> {
        if *region == self.region {
            return Ok(self.array.clone());
        }
        self.array.index(self.region.positions_of(region).to_index())
    }
}

/// Array that is distributed over several devices of this process; CuPy's `cupyx.distributed.array.DistributedArray`.
///
/// A device holds chunks, each a slice of every axis of the whole array. Chunks may overlap; the mode
/// ([`ChunkMode`]) says what their common elements are: copies of each other, or parts that a sum, a product, a maximum
/// or a minimum combines. Chunks are never written after their creation, so arrays share them.
///
/// Functions queue their work on the current stream of each device, so that devices compute at the same time, and copy
/// between devices directly. Elements that a device lacks are copied to it: operands need not be distributed alike.
/// Combined parts are in the order of the chunks, and results therefore reproducible.
///
/// ```
/// use cuprum::cuda::Device;
/// use cuprum::distributed::{ChunkMode, DistributedArray};
/// use cuprum::s;
/// let (first, second) = (Device::open("sim")?, Device::open("sim:1")?);
/// let a = cuprum::array([[1.0, 2.0], [3.0, 4.0]])?;
/// let map = [(first, s![..1]), (second, s![1..])];
/// let d = DistributedArray::new(&a, map, ChunkMode::Replica)?;
/// let twice = d.map(|chunk| chunk.multiply(2.0))?;
/// assert_eq!(twice.sum(0)?.to_vec::<f64>()?, [8.0, 12.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct DistributedArray {
    pub(super) shape: Dims,
    pub(super) dtype: DType,
    pub(super) mode: ChunkMode,
    /// In the order of the devices' first appearance in the index map, those of a device in its order.
    pub(super) chunks: Vec<Chunk>,
}

impl DistributedArray {
    /// Distributes an array: each pair of the index map is a device and the index of a chunk that it holds, as
    /// [`Region::new`] takes it. A device may have several.
    ///
    /// The result has the shape and the dtype of `a`. In a mode other than [`ChunkMode::Replica`] elements of several
    /// chunks are held by the first, and the others hold the identity of the operation. CuPy's `distributed_array`.
    ///
    /// # Errors
    ///
    /// Those of [`Region::new`]; [`ErrorKind::Value`] for a map without a chunk and for one that leaves out elements;
    /// [`ErrorKind::Type`] for a mode that does not combine elements of the dtype.
    pub fn new(
        a: &Array,
        index_map: impl IntoIterator<Item = (Device, impl AsIndex)>,
        mode: ChunkMode,
    ) -> Result<DistributedArray> {
        let go = || {
            let map = regions(a.shape(), index_map)?;
            let single = Chunk { device: a.device(), region: Region::all(a.shape()), array: a.clone() };
            let whole = DistributedArray {
                shape: a.shape().into(),
                dtype: a.dtype(),
                mode: ChunkMode::Replica,
                chunks: vec![single],
            };
            let mut out = whole.distributed_as(map)?;
            for chunk in &mut out.chunks {
                // The array may be written later.
                if chunk.array.may_share_memory(a) {
                    chunk.array = chunk.array.copy(Order::C)?;
                }
            }
            out.to_mode(mode)
        };
        go().map_err(|e: Error| e.with_op("distributed_array"))
    }

    /// Assembles an array from chunks that are on their devices: a region and its elements each.
    ///
    /// The chunks must not be written afterwards. The result has the dtype of the chunks.
    ///
    /// ```
    /// use cuprum::distributed::{ChunkMode, DistributedArray, Region};
    /// use cuprum::s;
    /// let parts = [cuprum::array([1, 2])?, cuprum::array([10, 20])?];
    /// let chunks = parts.map(|part| (Region::new(&[2], s![..]).unwrap(), part));
    /// let d = DistributedArray::from_chunks(&[2], chunks, ChunkMode::Sum)?;
    /// assert_eq!(d.to_vec::<i32>()?, [11, 22]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for an array whose shape is not that of its region, and without chunks or where they leave
    /// out elements; [`ErrorKind::Type`] for dtypes that differ.
    pub fn from_chunks(
        shape: &[usize],
        chunks: impl IntoIterator<Item = (Region, Array)>,
        mode: ChunkMode,
    ) -> Result<DistributedArray> {
        let go = || {
            let chunk = |(region, array): (Region, Array)| Chunk { device: array.device(), region, array };
            let chunks: Vec<Chunk> = chunks.into_iter().map(chunk).collect();
            let map: Vec<_> = chunks.iter().map(|chunk| (chunk.device, chunk.region.clone())).collect();
            check_cover(shape, &map)?;
            let dtype = chunks[0].array.dtype();
            for chunk in &chunks {
                if chunk.array.shape() != chunk.region.shape() {
                    let (found, region) = (shape_text(chunk.array.shape()), &chunk.region);
                    let message = format!("a chunk has the shape {found}, which is not that of its region {region}");
                    return Err(Error::new(ErrorKind::Value, message));
                }
                if chunk.array.dtype() != dtype {
                    let other = chunk.array.dtype();
                    let message = format!("chunks have the dtypes {dtype} and {other}: all must be equal");
                    return Err(Error::new(ErrorKind::Type, message));
                }
            }
            mode.check(dtype)?;
            Ok(DistributedArray { shape: shape.into(), dtype, mode, chunks })
        };
        go().map_err(|e: Error| e.with_op("DistributedArray"))
    }

    /// Returns the shape of the whole array.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Returns the number of axes.
    pub fn ndim(&self) -> usize {
        self.shape.len()
    }

    /// Returns the number of elements of the whole array.
    pub fn size(&self) -> usize {
        size_of(&self.shape)
    }

    /// Returns the dtype.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Returns what common elements of several chunks are.
    pub fn mode(&self) -> ChunkMode {
        self.mode
    }

    /// Returns the chunks, in the order of the index map.
    pub fn chunks(&self) -> &[Chunk] {
        &self.chunks
    }

    /// Returns the devices that hold chunks, each once.
    pub fn devices(&self) -> Vec<Device> {
        let mut devices = vec![];
        for chunk in &self.chunks {
            if !devices.contains(&chunk.device) {
                devices.push(chunk.device);
            }
        }
        devices
    }

    /// Returns the device and the index of each chunk, as [`DistributedArray::new`] and [`DistributedArray::reshard`]
    /// take them.
    pub fn index_map(&self) -> Vec<(Device, Vec<Index>)> {
        self.chunks.iter().map(|chunk| (chunk.device, chunk.region.to_index())).collect()
    }

    pub(super) fn map_of_regions(&self) -> Map {
        self.chunks.iter().map(|chunk| (chunk.device, chunk.region.clone())).collect()
    }

    /// Distributes the elements anew, by an index map as that of [`DistributedArray::new`]. The mode is the same; chunks
    /// whose device and index do not change are shared.
    ///
    /// # Errors
    ///
    /// Those of [`DistributedArray::new`].
    ///
    /// ```
    /// use cuprum::{cuda::Device, distributed::{ChunkMode, DistributedArray}, s};
    /// let devices = [Device::open("sim")?, Device::open("sim:1")?];
    /// let a = cuprum::array([[1, 2], [3, 4]])?;
    /// let d = DistributedArray::new(&a, [(devices[0], s![..])], ChunkMode::Replica)?;
    /// let columns = d.reshard([(devices[0], s![.., 0]), (devices[1], s![.., 1])])?;
    /// assert_eq!(columns.chunks()[1].array().to_vec::<i32>()?, [2, 4]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn reshard(&self, index_map: impl IntoIterator<Item = (Device, impl AsIndex)>) -> Result<DistributedArray> {
        let go = || {
            let map = regions(&self.shape, index_map)?;
            if map == self.map_of_regions() {
                return Ok(self.clone());
            }
            self.resolved()?.distributed_as(map)?.to_mode(self.mode)
        };
        go().map_err(|e: Error| e.with_op("reshard"))
    }

    /// Copies all elements to one device.
    ///
    /// The result has the shape and the dtype of the whole array.
    ///
    /// ```
    /// use cuprum::{cuda::Device, distributed::{ChunkMode, DistributedArray}, s};
    /// let devices = [Device::open("sim")?, Device::open("sim:1")?];
    /// let map = [(devices[0], s![..;2]), (devices[1], s![1..;2])];
    /// let d = DistributedArray::new(&cuprum::array([1, 2, 3])?, map, ChunkMode::Replica)?;
    /// assert_eq!(d.to_array(devices[1])?.to_vec::<i32>()?, [1, 2, 3]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::OutOfMemory`] and errors of the devices.
    pub fn to_array(&self, device: Device) -> Result<Array> {
        let go = || self.resolved()?.collect(&Region::all(&self.shape), device);
        go().map_err(|e: Error| e.with_op("to_array"))
    }

    /// Copies the elements to the host, in C order. No device needs memory for the whole array.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Type`] where `T` is not the array's dtype.
    ///
    /// # Synchronization
    ///
    /// Synchronises with the current streams of the devices.
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>> {
        let go = || {
            let mut out: Vec<Option<T>> = vec![None; self.size()];
            for (region, array) in self.parts()? {
                let mut elements = array.elements::<T>()?.into_iter();
                write_at(&mut out, &self.shape, &region, 0, 0, &mut elements);
            }
            // The pieces cover the whole array.
            Ok(out.into_iter().flatten().collect())
        };
        go().map_err(|e: Error| e.with_op("to_vec"))
    }

    /// Returns views of chunks that together hold each element once, with its combined value: what has to be read to read
    /// the whole array.
    ///
    /// ```
    /// use cuprum::{cuda::Device, distributed::{ChunkMode, DistributedArray}, s};
    /// let map = [(Device::open("sim")?, s![..2]), (Device::open("sim:1")?, s![1..])];
    /// let d = DistributedArray::new(&cuprum::array([1, 2, 3])?, map, ChunkMode::Replica)?;
    /// let parts = d.parts()?;
    /// assert_eq!((parts[1].0.to_string(), parts[1].1.to_vec::<i32>()?), ("[2:3]".into(), vec![3]));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Errors of the devices.
    pub fn parts(&self) -> Result<Vec<(Region, Array)>> {
        let go = || {
            let source = self.resolved()?;
            let view = |(from, region): (usize, Region)| {
                let part = source.chunks[from].part(&region)?;
                Ok((region, part))
            };
            source.pieces(&Region::all(&self.shape), None)?.into_iter().map(view).collect::<Result<Vec<_>>>()
        };
        go().map_err(|e: Error| e.with_op("parts"))
    }

    /// Returns the array in the mode of copies, without a check of the mode's dtype.
    pub(super) fn resolved(&self) -> Result<DistributedArray> {
        self.to_mode(ChunkMode::Replica)
    }

    /// Returns chunks, by their numbers, and disjoint parts of them that together are a region. Chunks of the device
    /// `near` come first. The array is in the mode of copies.
    pub(super) fn pieces(&self, region: &Region, near: Option<Device>) -> Result<Vec<(usize, Region)>> {
        let mut coverage = Coverage::of(region.clone());
        let mut found = vec![];
        let mut order: SmallVec<[usize; 8]> = (0..self.chunks.len()).collect();
        order.sort_by_key(|&at| Some(self.chunks[at].device) != near);
        for at in order {
            if coverage.missing().is_none() {
                break;
            }
            found.extend(coverage.add(&self.chunks[at].region).first.into_iter().map(|part| (at, part)));
        }
        match coverage.missing() {
            None => Ok(found),
            Some(part) => Err(Error::new(ErrorKind::Value, format!("no chunk holds the elements {part}"))),
        }
    }

    /// Returns the elements of a region on a device; a view of a chunk if one of the device holds them all. The array is
    /// in the mode of copies.
    pub(super) fn collect(&self, region: &Region, device: Device) -> Result<Array> {
        let pieces = self.pieces(region, Some(device))?;
        if let [(from, piece)] = &pieces[..]
            && piece == region
        {
            let part = self.chunks[*from].part(piece)?;
            return if part.device() == device { Ok(part) } else { part.to_device(device) };
        }
        let out = make::empty(device, &region.shape(), self.dtype)?;
        for (from, piece) in &pieces {
            let to = out.index(region.positions_of(piece).to_index())?;
            copy_across(&self.chunks[*from].part(piece)?, &to)?;
        }
        Ok(out)
    }

    /// Distributes the elements, which are in the mode of copies, by another map that covers the array.
    pub(super) fn distributed_as(&self, map: Map) -> Result<DistributedArray> {
        let chunk = |(device, region): (Device, Region)| {
            let array = self.collect(&region, device)?;
            Ok(Chunk { device, region, array })
        };
        let chunks = launch::exchange(|| map.into_iter().map(chunk).collect::<Result<_>>())?;
        Ok(DistributedArray { chunks, shape: self.shape.clone(), ..*self })
    }
}

/// Writes elements in C order to a region of a host array.
fn write_at<T: Copy>(
    out: &mut [Option<T>],
    shape: &[usize],
    region: &Region,
    axis: usize,
    offset: usize,
    elements: &mut impl Iterator<Item = T>,
) {
    let Some(span) = region.0.get(axis) else {
        if let Some(to) = out.get_mut(offset) {
            *to = elements.next();
        }
        return;
    };
    let below = size_of(&shape[axis + 1..]);
    for k in 0..span.len {
        write_at(out, shape, region, axis + 1, offset + (span.start + k * span.step) * below, elements);
    }
}
