//! Textures and surfaces: memory that kernels read with filtering and by coordinates, and write by coordinates.
//!
//! A [`TextureObject`] reads a [`CudaArray`], a [`MipmappedArray`], or an [`Array`] in one axis or in rows; a
//! [`SurfaceObject`] reads and writes a [`CudaArray`]. A user's kernel takes either by its handle, a 64-bit number:
//! both convert to an [`Argument`](crate::Argument).
//!
//! The results of texture fetches are defined by the chapter on texture fetching of CUDA's programming guide; linear
//! filtering uses weights with 8 fraction bits. The simulator follows it.
//!
//! The objects keep their memory alive. They do not track the streams that use them: work that writes to a CUDA array
//! on one stream and work that reads it on another must be ordered by the user, with an [`Event`](super::Event).
//! Dropping an object first synchronises with the device; if work is captured for a graph, the graph keeps the object.

mod array;
mod format;
mod handle_owner;
mod mipmapped;

use handle_owner::{HandleOwner, Kind};

use crate::array::Array;
use crate::cuda::Device;
use crate::driver::texture::{Sampling, Texels, TextureMemory};
use crate::error::{Error, ErrorKind, Result};

pub use self::array::{ArrayBox, CudaArray, CudaArrayOptions};
pub use self::format::ChannelFormat;
pub use self::mipmapped::MipmappedArray;
pub use crate::driver::texture::{AddressMode, ChannelKind, FilterMode, ReadMode};

/// CUDA's numbers of the attributes for the alignment of texture memory, and of each row of it.
const TEXTURE_ALIGNMENT: i32 = 14;
const PITCH_ALIGNMENT: i32 = 51;

fn value(message: String) -> Error {
    Error::new(ErrorKind::Value, message)
}

/// Memory that a texture reads; CuPy's `ResourceDescriptor`.
///
/// A pitched resource has rows of equal distance; a linear one is read by integers alone, without filtering.
#[derive(Clone, Debug)]
pub enum TextureResource {
    /// A CUDA array.
    Array(CudaArray),
    /// A mipmapped CUDA array. Coordinates are normalised.
    Mipmapped(MipmappedArray),
    /// The elements of an array in C order, by their index (`tex1Dfetch`): elements outside are 0, and nothing is
    /// filtered.
    Linear(Array, ChannelFormat),
    /// The memory of an array as rows of elements with a pitch in bytes.
    Pitch2D {
        /// The array that owns the memory, which begins at its first element.
        array: Array,
        /// The format of an element.
        format: ChannelFormat,
        /// Number of elements of a row.
        width: usize,
        /// Number of rows.
        height: usize,
        /// Bytes from a row to the next.
        pitch: usize,
    },
}

impl TextureResource {
    fn device(&self) -> Device {
        match self {
            TextureResource::Array(a) => a.device(),
            TextureResource::Mipmapped(a) => a.device(),
            TextureResource::Linear(a, _) | TextureResource::Pitch2D { array: a, .. } => a.device(),
        }
    }

    fn texels(&self) -> Texels {
        match self {
            TextureResource::Array(a) => a.format().0,
            TextureResource::Mipmapped(a) => a.format().0,
            TextureResource::Linear(_, format) | TextureResource::Pitch2D { format, .. } => format.0,
        }
    }

    /// Returns the number of levels of a mipmapped array.
    fn levels(&self) -> Option<usize> {
        match self {
            TextureResource::Mipmapped(a) => Some(a.levels()),
            _ => None,
        }
    }

    /// Returns the number of axes of coordinates.
    fn axes(&self) -> usize {
        match self {
            TextureResource::Array(a) => a.axes(),
            TextureResource::Mipmapped(a) => a.axes(),
            TextureResource::Linear(..) => 1,
            TextureResource::Pitch2D { .. } => 2,
        }
    }

    /// Returns the memory for the driver, if the device can read it in this form.
    fn memory(&self) -> Result<TextureMemory> {
        match self {
            TextureResource::Array(a) => Ok(TextureMemory::Array(a.handle())),
            TextureResource::Mipmapped(a) => Ok(TextureMemory::Levels(a.handle())),
            TextureResource::Linear(a, format) => {
                let bytes = a.nbytes();
                if !a.is_c_contiguous() || bytes == 0 || !bytes.is_multiple_of(format.bytes()) {
                    return Err(value(format!(
                        "the array has {bytes} bytes{}: a linear texture has its elements of {} bytes side by side, and \
                         one at least",
                        if a.is_c_contiguous() { "" } else { " in another than C order" },
                        format.bytes()
                    )));
                }
                Ok(TextureMemory::Linear { addr: begin(a)?, texels: format.0, bytes })
            }
            TextureResource::Pitch2D { array, format, width, height, pitch } => {
                let (width, height, pitch) = (*width, *height, *pitch);
                let step = array.device().attribute(PITCH_ALIGNMENT)?.max(1) as usize;
                let row = width.checked_mul(format.bytes()).filter(|&row| row > 0 && row <= pitch);
                if row.is_none() || height == 0 || !pitch.is_multiple_of(step) {
                    return Err(value(format!(
                        "{height} rows of {width} elements of {} bytes at a pitch of {pitch} bytes: a pitch is a multiple \
                         of {step} that holds a row, and neither size is 0",
                        format.bytes()
                    )));
                }
                let (start, has) = array.allocation();
                let left = has - (array.pointer() - start) as usize;
                // The last row ends with its elements.
                let needed = pitch.checked_mul(height - 1).and_then(|n| n.checked_add(row?));
                if needed.is_none_or(|n| n > left) {
                    return Err(value(format!(
                        "{height} rows at a pitch of {pitch} bytes leave the {left} bytes of the array's memory"
                    )));
                }
                Ok(TextureMemory::Pitch2D { addr: begin(array)?, texels: format.0, width, height, pitch })
            }
        }
    }
}

/// Returns the address of a texture's memory, after checking its alignment.
fn begin(a: &Array) -> Result<u64> {
    let (addr, step) = (a.pointer(), a.device().attribute(TEXTURE_ALIGNMENT)?.max(1) as u64);
    if addr.is_multiple_of(step) {
        return Ok(addr);
    }
    let over = addr % step;
    Err(value(format!(
        "the array begins {over} bytes after a multiple of {step}, and the memory of a texture begins at one: copy it"
    )))
}

/// Sampling parameters of a texture; CuPy's `TextureDescriptor`, with its defaults.
///
/// By default coordinates are clamped to the edges, elements are read without filtering or conversion, and coordinates
/// are in elements.
///
/// The default reads elements by unnormalised coordinates, without filtering. See [`TextureObject`] for an
/// example.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TextureDescriptor {
    /// Treatment of coordinates outside, by axis.
    pub address_modes: [AddressMode; 3],
    /// Interpolation between texels.
    pub filter: FilterMode,
    /// Conversion of integer texels.
    pub read: ReadMode,
    /// True if bytes that are read as floats are sRGB, and are converted to linear intensities.
    pub srgb: bool,
    /// The colour of [`AddressMode::Border`].
    pub border: [f32; 4],
    /// True if coordinates are normalised from 0 to 1 instead of in texels.
    pub normalized: bool,
    /// Maximum anisotropy of filtering for fetches with explicit gradients; 0 and 1 disable it. The simulator rejects
    /// such a fetch of a texture with more.
    pub max_anisotropy: u32,
    /// Interpolation between the levels of a [`MipmappedArray`].
    pub level_filter: FilterMode,
    /// Offset that is added to the requested level.
    pub level_bias: f32,
    /// The smallest and the largest level that is read; by default all are.
    pub level_clamp: Option<[f32; 2]>,
}

impl TextureDescriptor {
    /// Returns the parameters for the driver, if they are valid for a texture of these texels.
    fn sampling(&self, texels: Texels, levels: Option<usize>) -> Result<Sampling> {
        let integers = texels.kind != ChannelKind::Float && (self.read == ReadMode::Element || texels.bits == 32);
        let linear = [self.filter, self.level_filter].contains(&FilterMode::Linear);
        if linear && integers {
            return Err(value(format!(
                "linear filtering of {:?} integers of {} bits, which the texture gives as integers: filter floats, or \
                 read integers of 8 and 16 bits as normalised floats",
                texels.kind, texels.bits
            )));
        }
        if self.srgb && (integers || texels.kind != ChannelKind::Unsigned || texels.bits != 8) {
            return Err(value(format!(
                "sRGB of {:?} numbers of {} bits: it is for unsigned bytes that are read as normalised floats",
                texels.kind, texels.bits
            )));
        }
        if levels.is_some() && !self.normalized {
            return Err(value(
                "the coordinates count texels, which are others in each level: a mipmapped array is read with normalised \
                 ones"
                    .into(),
            ));
        }
        let clamp = self.level_clamp.unwrap_or([0.0, levels.map_or(0, |n| n - 1) as f32]);
        if !clamp.iter().all(|c| c.is_finite()) || clamp[0] > clamp[1] || !self.level_bias.is_finite() {
            return Err(value(format!(
                "levels from {} to {} and a bias of {}: the least comes first, and all are finite",
                clamp[0], clamp[1], self.level_bias
            )));
        }
        Ok(Sampling {
            address: self.address_modes,
            filter: self.filter,
            read_integers: integers,
            normalized: self.normalized,
            srgb: self.srgb,
            border: self.border,
            max_anisotropy: self.max_anisotropy,
            level_filter: self.level_filter,
            level_bias: self.level_bias,
            level_clamp: clamp,
        })
    }
}

/// Texture: memory with sampling parameters, for kernels; CuPy's `TextureObject`. It keeps the memory alive.
///
/// ```
/// use cuprum::cuda::texture::{
///     AddressMode, ChannelFormat, ChannelKind, CudaArray, CudaArrayOptions, FilterMode, TextureDescriptor, TextureObject,
///     TextureResource,
/// };
/// use cuprum::{Argument, DType, RawModule, array, cuda::Device, zeros};
///
/// let format = ChannelFormat::new([32, 0, 0, 0], ChannelKind::Float)?;
/// let pixels = CudaArray::new(Device::current()?, format, [2, 2, 0], CudaArrayOptions::default())?;
/// pixels.copy_from(&array([[0f32, 1.0], [2.0, 3.0]])?)?;
/// let descriptor = TextureDescriptor {
///     address_modes: [AddressMode::Clamp; 3],
///     filter: FilterMode::Linear,
///     ..Default::default()
/// };
/// let texture = TextureObject::new(TextureResource::Array(pixels), &descriptor)?;
///
/// let text = r#"extern "C" __global__ void middle(cudaTextureObject_t pixels, float *out) {
///     *out = tex2D<float>(pixels, 1.0f, 1.0f);
/// }"#;
/// let out = zeros(1, DType::F32)?;
/// let middle = RawModule::compile(text, &[])?.kernel("middle")?;
/// // SAFETY: the arguments are those of the kernel, which stays inside the array.
/// unsafe { middle.launch([1; 3], [1; 3], &[Argument::from(&texture), Argument::Array(&out)])? };
/// assert_eq!(out.item::<f32>()?, 1.5);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Debug)]
pub struct TextureObject {
    /// Owner of the driver's handle.
    held: HandleOwner,
    /// The memory, which is kept alive.
    resource: TextureResource,
    /// The sampling parameters.
    descriptor: TextureDescriptor,
}

impl TextureObject {
    /// Creates a texture of memory.
    ///
    /// CUDA's `cuTexObjectCreate`; CuPy's `TextureObject(ResDesc, TexDesc)`. See [`TextureObject`] for an
    /// example.
    ///
    /// # Errors
    ///
    /// [`Value`](ErrorKind::Value) for unsuitable memory (not in C order, not aligned as the device requires, rows out
    /// of bounds), for linear filtering of integers, for sRGB of anything but bytes, and for levels without normalised
    /// coordinates; [`Driver`](ErrorKind::Driver) for parameters that the device rejects.
    pub fn new(resource: TextureResource, descriptor: &TextureDescriptor) -> Result<TextureObject> {
        let go = || {
            let device = resource.device();
            let mut sampling = descriptor.sampling(resource.texels(), resource.levels())?;
            // A GPU also blends the border along axes that the texture does not have.
            sampling.address[resource.axes()..].fill(AddressMode::Clamp);
            let memory = resource.memory()?;
            // SAFETY: the memory is live, and the object keeps it alive.
            let handle = unsafe { device.driver()?.texture_create(&memory, &sampling) }?;
            let held = HandleOwner::new(device, handle, Kind::Texture(resource.clone()));
            Ok(TextureObject { held, resource, descriptor: *descriptor })
        };
        go().map_err(|e: Error| e.with_op("TextureObject::new"))
    }

    /// Returns the handle that a kernel takes: a `cudaTextureObject_t`.
    pub fn handle(&self) -> u64 {
        self.held.handle()
    }

    /// Returns the memory that it reads.
    pub fn resource(&self) -> &TextureResource {
        &self.resource
    }

    /// Returns the sampling parameters.
    pub fn descriptor(&self) -> &TextureDescriptor {
        &self.descriptor
    }
}

/// Surface: a CUDA array that kernels read and write by coordinates, of which the first is in bytes; CuPy's
/// `SurfaceObject`. It keeps the array alive.
///
/// ```
/// use cuprum::cuda::texture::{ChannelFormat, ChannelKind, CudaArray, CudaArrayOptions, SurfaceObject};
/// use cuprum::{Argument, DType, RawModule, cuda::Device, zeros};
///
/// let format = ChannelFormat::new([32, 0, 0, 0], ChannelKind::Signed)?;
/// let options = CudaArrayOptions { surface: true, ..Default::default() };
/// let cells = CudaArray::new(Device::current()?, format, [4, 2, 0], options)?;
/// let surface = SurfaceObject::new(cells.clone())?;
/// let text = r#"extern "C" __global__ void count(cudaSurfaceObject_t cells) {
///     surf2Dwrite<int>(threadIdx.y * 4 + threadIdx.x, cells, threadIdx.x * sizeof(int), threadIdx.y);
/// }"#;
/// let count = RawModule::compile(text, &[])?.kernel("count")?;
/// // SAFETY: the argument is that of the kernel.
/// unsafe { count.launch([1; 3], [4, 2, 1], &[Argument::from(&surface)])? };
/// let out = zeros([2, 4], DType::I32)?;
/// cells.copy_to(&out)?;
/// assert_eq!(out.to_vec::<i32>()?, [0, 1, 2, 3, 4, 5, 6, 7]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Debug)]
pub struct SurfaceObject {
    /// Owner of the driver's handle.
    held: HandleOwner,
    /// The array, which is kept alive.
    array: CudaArray,
}

impl SurfaceObject {
    /// Creates a surface of a CUDA array that was created for surfaces.
    ///
    /// CUDA's `cuSurfObjectCreate`; CuPy's `SurfaceObject(ResDesc)`. See [`SurfaceObject`] for an example.
    ///
    /// # Errors
    ///
    /// [`Value`](ErrorKind::Value) for an array without [`CudaArrayOptions::surface`].
    pub fn new(array: CudaArray) -> Result<SurfaceObject> {
        let go = || {
            if !array.options().surface {
                return Err(value("the CUDA array is not for surfaces: make it with CudaArrayOptions::surface".into()));
            }
            let device = array.device();
            // SAFETY: the array is live, and the object keeps it alive.
            let handle = unsafe { device.driver()?.surface_create(array.handle()) }?;
            Ok(SurfaceObject { held: HandleOwner::new(device, handle, Kind::Surface(array.clone())), array })
        };
        go().map_err(|e: Error| e.with_op("SurfaceObject::new"))
    }

    /// Returns the handle that a kernel takes: a `cudaSurfaceObject_t`.
    pub fn handle(&self) -> u64 {
        self.held.handle()
    }

    /// Returns the array that it reads and writes.
    pub fn array(&self) -> &CudaArray {
        &self.array
    }
}
