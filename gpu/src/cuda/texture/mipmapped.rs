//! Mipmapped CUDA arrays, with levels of half the size of the one before.
//!
//! Lengths are halved from level to level, rounded down, to 1 at least.

use std::sync::Arc;

use super::handle_owner::{HandleOwner, Kind};
use super::{ChannelFormat, CudaArray, CudaArrayOptions, value};
use crate::cuda::Device;
use crate::driver::texture::ArrayForm;
#[cfg(doc)]
use crate::error::ErrorKind;
use crate::error::{Error, Result};
use crate::layout::shape_text;

/// Mipmapped array: an image in several sizes for one texture, whose fetches select the levels (`tex2DLod`,
/// `tex2DGrad`); CUDA's `cudaMipmappedArray_t`. CuPy has none.
///
/// Clones are the same array. Each level is a [`CudaArray`], whose elements are uninitialised at first.
///
/// ```
/// use cuprum::cuda::texture::{ChannelFormat, ChannelKind, CudaArrayOptions, MipmappedArray};
/// use cuprum::{DType, cuda::Device};
/// let format = ChannelFormat::new([32, 0, 0, 0], ChannelKind::Float)?;
/// let pixels = MipmappedArray::new(Device::current()?, format, [8, 4, 0], 4, CudaArrayOptions::default())?;
/// let sizes: Vec<_> = (0..4).map(|k| pixels.level(k).map(|level| level.size())).collect::<Result<_, _>>()?;
/// assert_eq!(sizes, [[8, 4, 0], [4, 2, 0], [2, 1, 0], [1, 1, 0]]);
/// pixels.level(2)?.copy_from(&cuprum::full([1, 2], 0.5, DType::F32)?)?;
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct MipmappedArray(Arc<Levels>);

/// Memory of a mipmapped array, which all clones and levels share.
#[derive(Debug)]
struct Levels {
    /// Device of the array.
    device: Device,
    /// Owner of the driver's handle.
    held: HandleOwner,
    /// Sizes and format of the first level.
    form: ArrayForm,
    /// Options that it was created with.
    options: CudaArrayOptions,
    /// Number of levels.
    count: usize,
}

impl MipmappedArray {
    /// Creates an array of the device with this number of levels, of which the first has a width, height and depth in
    /// elements as in [`CudaArray::new`]. All levels have the same number of layers and faces.
    ///
    /// CUDA's `cuMipmappedArrayCreate`. Each level has half of the width and height of the one before, rounded
    /// down, and at least 1.
    ///
    /// ```
    /// use cuprum::cuda::{Device, texture::{ChannelFormat, ChannelKind, CudaArrayOptions, MipmappedArray}};
    /// let format = ChannelFormat::new([32, 0, 0, 0], ChannelKind::Float)?;
    /// let pyramid = MipmappedArray::new(Device::current()?, format, [8, 4, 0], 3, CudaArrayOptions::default())?;
    /// assert_eq!((pyramid.levels(), pyramid.level(1)?.size()), (3, [4, 2, 0]));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Value`](ErrorKind::Value) for invalid sizes, and for more levels than down to one element;
    /// [`OutOfMemory`](ErrorKind::OutOfMemory), and [`Driver`](ErrorKind::Driver) for sizes that the device rejects.
    pub fn new(
        device: Device,
        format: ChannelFormat,
        size: [usize; 3],
        levels: usize,
        options: CudaArrayOptions,
    ) -> Result<MipmappedArray> {
        let go = || {
            let form = options.form(format, size)?;
            let halved = if options.counts_layers() { &size[..2] } else { &size[..] };
            let most = halved.iter().max().map_or(0, |&n| n.ilog2() as usize + 1);
            if !(1..=most).contains(&levels) {
                return Err(value(format!(
                    "{levels} levels of an array of {}: it has one to {most}, down to one element",
                    shape_text(&size)
                )));
            }
            let handle = device.driver()?.levels_create(&form, levels)?;
            let held = HandleOwner::new(device, handle as u64, Kind::Levels);
            Ok(MipmappedArray(Arc::new(Levels { device, held, form, options, count: levels })))
        };
        go().map_err(|e: Error| e.with_op("MipmappedArray::new"))
    }

    /// Returns the device of the array.
    pub fn device(&self) -> Device {
        self.0.device
    }

    /// Returns the width, the height and the depth of the first level; 0 if there is no such axis.
    pub fn size(&self) -> [usize; 3] {
        self.0.form.size
    }

    /// Returns the format of an element.
    pub fn format(&self) -> ChannelFormat {
        ChannelFormat(self.0.form.texels)
    }

    /// Returns the number of levels.
    pub fn levels(&self) -> usize {
        self.0.count
    }

    /// Returns the number of axes of coordinates.
    pub(super) fn axes(&self) -> usize {
        self.0.form.axes()
    }

    /// Returns the driver's handle, a `CUmipmappedArray` as a number.
    pub fn handle(&self) -> usize {
        self.0.held.handle() as usize
    }

    /// Returns a level: a CUDA array, which keeps all of them alive.
    ///
    /// It is a view: elements that are copied there are those of the level.
    ///
    /// # Errors
    ///
    /// [`Value`](ErrorKind::Value) for a level that does not exist.
    pub fn level(&self, level: usize) -> Result<CudaArray> {
        let go = || {
            let Levels { device, form, options, count, .. } = *self.0;
            if level >= count {
                return Err(value(format!("level {level} of {count}: they count from 0")));
            }
            // SAFETY: the array is live.
            let handle = unsafe { device.driver()?.level(self.handle(), level) }?;
            let form = form.level(level);
            Ok(CudaArray::of(device, HandleOwner::new(device, handle as u64, Kind::Level(self.clone())), form, options))
        };
        go().map_err(|e: Error| e.with_op("MipmappedArray::level"))
    }
}
