//! CUDA arrays: the memory of textures and surfaces.
//!
//! The layout in memory is the driver's, so that elements are reached by copies, textures and surfaces only.

use std::sync::Arc;

use super::handle_owner::{HandleOwner, Kind};
use super::{ChannelFormat, value};
use crate::array::Array;
use crate::cuda::{self, Access, Device};
use crate::driver::texture::{ArrayCopy, ArrayForm, CUBEMAP, GATHER, LAYERED, SURFACE};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Order, shape_text};

/// Capabilities that a CUDA array is created with.
///
/// All are off by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CudaArrayOptions {
    /// The last axis is an index of layers: arrays of one or two axes, between which nothing is filtered. By default
    /// `false`.
    pub layered: bool,
    /// Surfaces of it can be created: kernels can write to it. By default `false`.
    pub surface: bool,
    /// `tex2Dgather` can read it. By default `false`.
    pub gather: bool,
    /// The last axis is an index of the faces of a cube in the order +x, -x, +y, -y, +z, -z: six, or six for each
    /// layer. Surfaces access them as layers. By default `false`.
    pub cubemap: bool,
}

impl CudaArrayOptions {
    /// Returns the options of CUDA's flags (`cudaArrayLayered`, `cudaArraySurfaceLoadStore`, `cudaArrayCubemap`,
    /// `cudaArrayTextureGather`).
    ///
    /// Unknown flags are rejected.
    ///
    /// ```
    /// use cuprum::cuda::texture::CudaArrayOptions;
    /// const SURFACE_LOAD_STORE: u32 = 2;
    /// assert!(CudaArrayOptions::of_flags(SURFACE_LOAD_STORE)?.surface);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Value`](ErrorKind::Value) for other flags.
    pub fn of_flags(flags: u32) -> Result<CudaArrayOptions> {
        if flags & !(LAYERED | SURFACE | CUBEMAP | GATHER) != 0 {
            let what = format!(
                "the flags are {flags}: layers ({LAYERED}), surfaces ({SURFACE}), cubes ({CUBEMAP}) and gathering ({GATHER}) \
                 are there"
            );
            return Err(value(what).with_op("CudaArrayOptions::of_flags"));
        }
        let has = |flag| flags & flag != 0;
        let (layered, surface) = (has(LAYERED), has(SURFACE));
        Ok(CudaArrayOptions { layered, surface, gather: has(GATHER), cubemap: has(CUBEMAP) })
    }

    fn flags(self) -> u32 {
        let flag = |yes: bool, flag: u32| if yes { flag } else { 0 };
        flag(self.layered, LAYERED)
            | flag(self.surface, SURFACE)
            | flag(self.gather, GATHER)
            | flag(self.cubemap, CUBEMAP)
    }

    /// Returns true if the depth is the number of layers or faces.
    pub(super) fn counts_layers(self) -> bool {
        self.layered || self.cubemap
    }

    /// Returns the form of an array of this size, if it is valid.
    pub(super) fn form(self, format: ChannelFormat, size: [usize; 3]) -> Result<ArrayForm> {
        let [width, height, depth] = size;
        let known = width > 0 && if self.counts_layers() { depth > 0 } else { depth == 0 || height > 0 };
        let whole = size.iter().all(|&n| n <= i32::MAX as usize) && !(self.gather && (height == 0 || depth > 0));
        if !known || !whole {
            return Err(value(format!(
                "the width, the height and the depth are {}: an array has a width, with a depth a height, with layers a \
                 depth, and two axes where it is gathered from",
                shape_text(&size)
            )));
        }
        let faces = if self.layered { depth.is_multiple_of(6) } else { depth == 6 };
        if self.cubemap && !(width == height && faces) {
            return Err(value(format!(
                "the width, the height and the depth are {}: the faces of a cube are as high as wide, and six of each layer",
                shape_text(&size)
            )));
        }
        Ok(ArrayForm { texels: format.0, size, flags: self.flags() })
    }
}

/// CUDA array: memory of textures and surfaces in a layout of the device's own; CuPy's `CUDAarray`.
///
/// Clones are the same array. Its elements are uninitialised at first.
///
/// ```
/// use cuprum::cuda::texture::{ChannelFormat, ChannelKind, CudaArray, CudaArrayOptions};
/// use cuprum::{DType, cuda::Device};
/// let format = ChannelFormat::new([32, 0, 0, 0], ChannelKind::Float)?;
/// let pixels = CudaArray::new(Device::current()?, format, [4, 3, 0], CudaArrayOptions::default())?;
/// let a = cuprum::arange(0, 12, 1)?.astype(DType::F32)?.reshape([3, 4])?;
/// pixels.copy_from(&a)?;
/// let b = cuprum::zeros_like(&a, ())?;
/// pixels.copy_to(&b)?;
/// assert_eq!(a.to_vec::<f32>()?, b.to_vec::<f32>()?);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct CudaArray(Arc<Memory>);

/// Memory of a CUDA array, which all clones share.
#[derive(Debug)]
struct Memory {
    /// Device of the array.
    device: Device,
    /// Owner of the driver's handle.
    held: HandleOwner,
    /// Sizes and format.
    form: ArrayForm,
    /// Options that it was created with.
    options: CudaArrayOptions,
}

impl CudaArray {
    /// Creates an array of the device with a width, height and depth in elements; 0 means that there is no such axis.
    /// With layers the depth is their number, and the height may be 0; for a cube it is the number of faces.
    ///
    /// CUDA's `cuArray3DCreate`; CuPy's `CUDAarray(ChannelFormatDescriptor, width, height, depth)`.
    ///
    /// ```
    /// use cuprum::cuda::{Device, texture::{ChannelFormat, ChannelKind, CudaArray, CudaArrayOptions}};
    /// let format = ChannelFormat::new([32, 32, 0, 0], ChannelKind::Float)?;
    /// let pixels = CudaArray::new(Device::current()?, format, [4, 3, 0], CudaArrayOptions::default())?;
    /// // Three rows of four elements with two channels each.
    /// assert_eq!((pixels.size(), pixels.shape()), ([4, 3, 0], vec![3, 8]));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Value`](ErrorKind::Value) for invalid sizes, [`OutOfMemory`](ErrorKind::OutOfMemory), and
    /// [`Driver`](ErrorKind::Driver) for sizes that the device rejects.
    pub fn new(
        device: Device,
        format: ChannelFormat,
        size: [usize; 3],
        options: CudaArrayOptions,
    ) -> Result<CudaArray> {
        let go = || {
            let form = options.form(format, size)?;
            let held = HandleOwner::new(device, device.driver()?.array_create(&form)? as u64, Kind::Array);
            Ok(CudaArray::of(device, held, form, options))
        };
        go().map_err(|e: Error| e.with_op("CudaArray::new"))
    }

    pub(super) fn of(device: Device, held: HandleOwner, form: ArrayForm, options: CudaArrayOptions) -> CudaArray {
        CudaArray(Arc::new(Memory { device, held, form, options }))
    }

    /// Returns the device of the array.
    pub fn device(&self) -> Device {
        self.0.device
    }

    /// Returns the width, the height and the depth; 0 if there is no such axis.
    ///
    /// It is in elements, not in numbers: an element of four channels counts once.
    pub fn size(&self) -> [usize; 3] {
        self.0.form.size
    }

    /// Returns the format of an element.
    pub fn format(&self) -> ChannelFormat {
        ChannelFormat(self.0.form.texels)
    }

    /// Returns the options that it was created with.
    pub fn options(&self) -> CudaArrayOptions {
        self.0.options
    }

    /// Returns the number of axes of coordinates.
    pub(super) fn axes(&self) -> usize {
        self.0.form.axes()
    }

    /// Returns the driver's handle, a `CUarray` as a number; CuPy's `CUDAarray.ptr`.
    pub fn handle(&self) -> usize {
        self.0.held.handle() as usize
    }

    /// Returns the shape of an array for a copy: the axes from the last to the first, the last times the channels.
    pub fn shape(&self) -> Vec<usize> {
        let [width, height, depth] = self.size();
        [depth, height].into_iter().filter(|&n| n > 0).chain([width * self.format().channels()]).collect()
    }

    /// Copies the elements of an array of the same device here, on the current stream. Its shape is
    /// [`CudaArray::shape`], or has the channels as a separate last axis. CuPy's `CUDAarray.copy_from`.
    ///
    /// ```
    /// use cuprum::cuda::{Device, texture::{ChannelFormat, ChannelKind, CudaArray, CudaArrayOptions}};
    /// let format = ChannelFormat::new([32, 0, 0, 0], ChannelKind::Float)?;
    /// let pixels = CudaArray::new(Device::current()?, format, [3, 0, 0], CudaArrayOptions::default())?;
    /// pixels.copy_from(&cuprum::array([1_f32, 2.0, 3.0])?)?;
    /// let back = cuprum::zeros(3, cuprum::DType::F32)?;
    /// pixels.copy_to(&back)?;
    /// assert_eq!(back.to_vec::<f32>()?, [1.0, 2.0, 3.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Type`](ErrorKind::Type) for an array of another dtype, [`Value`](ErrorKind::Value) for one of another shape or
    /// device.
    pub fn copy_from(&self, a: &Array) -> Result<()> {
        let go = || {
            self.check(a)?;
            let dense = if a.is_c_contiguous() { a.clone() } else { a.copy(Order::C)? };
            self.copy(&dense, true)
        };
        go().map_err(|e: Error| e.with_op("CudaArray::copy_from"))
    }

    /// Copies the elements to an array in C order, with the shapes of [`CudaArray::copy_from`]. CuPy's
    /// `CUDAarray.copy_to`.
    ///
    /// # Errors
    ///
    /// As [`CudaArray::copy_from`]; [`Value`](ErrorKind::Value) for an array that is not in C order, or read-only.
    pub fn copy_to(&self, a: &Array) -> Result<()> {
        let go = || {
            self.check(a)?;
            if !a.is_c_contiguous() {
                return Err(value("the array is not in C order: copy to a dense one".into()));
            }
            self.copy(a, false)
        };
        go().map_err(|e: Error| e.with_op("CudaArray::copy_to"))
    }

    fn check(&self, a: &Array) -> Result<()> {
        let (format, shape) = (self.format(), self.shape());
        if a.device() != self.device() {
            let (ours, theirs) = (&self.device().info().id, &a.device().info().id);
            return Err(value(format!(
                "the CUDA array is of {ours}, the array of {theirs}: to_device brings it there"
            )));
        }
        if !format.is_of(a) {
            let what = format!(
                "the array is of {}, and the CUDA array has {:?} numbers of {} bits",
                a.dtype(),
                format.kind(),
                format.0.bits
            );
            return Err(Error::new(ErrorKind::Type, what));
        }
        let mut apart = shape.clone();
        if let Some(last) = apart.last_mut() {
            *last /= format.channels();
        }
        apart.push(format.channels());
        if a.shape() == shape || a.shape() == apart {
            return Ok(());
        }
        let [given, shape, apart] = [a.shape(), &shape, &apart].map(shape_text);
        Err(value(format!("the array has the shape {given}, and the CUDA array takes {shape} or {apart}")))
    }

    /// Copies all of it from or to an array in C order.
    fn copy(&self, a: &Array, to_array: bool) -> Result<()> {
        a.buffer().touch(&self.device().queue(), if to_array { Access::Read } else { Access::Write })?;
        let [width, height, depth] = self.size();
        let (pitch, rows) = (width * self.format().bytes(), height.max(1));
        let part = ArrayBox { origin: [0; 3], extent: [pitch, rows, depth.max(1)], addr: a.addr(), pitch, rows };
        // SAFETY: the memory is of this size in these rows; its buffer records the stream.
        unsafe { self.copy_box(&part, to_array) }
    }

    /// Copies a box from (`to_array`) or to memory of the device, on the current stream.
    ///
    /// CUDA's `cuMemcpy3DAsync`. Offsets and lengths along a row are in bytes, as in CUDA.
    ///
    /// # Errors
    ///
    /// [`Value`](ErrorKind::Value) for a box that is out of bounds, or rows that are longer than the pitch.
    ///
    /// # Safety
    ///
    /// The memory has these rows and slices until the copy has completed, and no other stream writes to it meanwhile,
    /// or reads it if it is copied to.
    pub unsafe fn copy_box(&self, part: &ArrayBox, to_array: bool) -> Result<()> {
        let [width, height, depth] = self.size();
        let sizes = [width * self.format().bytes(), height.max(1), depth.max(1)];
        let ArrayBox { origin, extent, addr, pitch, rows } = *part;
        let inside = (0..3).all(|k| origin[k].checked_add(extent[k]).is_some_and(|end| end <= sizes[k]));
        let apart = (extent[0] <= pitch || extent[1] * extent[2] <= 1) && (extent[1] <= rows || extent[2] <= 1);
        if !inside || !apart {
            let [origin, extent, sizes] = [origin, extent, sizes].map(|n| shape_text(&n));
            return Err(value(format!(
                "a box of {extent} bytes, rows and slices from {origin} on, at a pitch of {pitch} bytes and {rows} rows a \
                 slice: the array has {sizes}"
            ))
            .with_op("CudaArray::copy_box"));
        }
        if extent.contains(&0) {
            return Ok(());
        }
        let queue = self.device().queue();
        if queue.is_captured() {
            cuda::keep_captured(&queue, Box::new(self.clone()))?;
        }
        let copy = ArrayCopy { array: self.handle(), origin, extent, addr, pitch, rows, to_array };
        // SAFETY: the array is live, and the caller guarantees the memory.
        unsafe { self.device().driver()?.array_copy(&copy, queue.handle()) }
    }
}

/// Box of a [`CudaArray`], and device memory with its rows, for [`CudaArray::copy_box`].
///
/// Offsets along the width are in elements, strides of the memory in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArrayBox {
    /// The origin of the box in the array: byte of a row, row and slice.
    pub origin: [usize; 3],
    /// The extent of the box: bytes of a row, rows and slices.
    pub extent: [usize; 3],
    /// The address of the first byte in memory.
    pub addr: u64,
    /// Bytes from a row to the next in memory.
    pub pitch: usize,
    /// Rows from a slice to the next in memory.
    pub rows: usize,
}
