//! Textures and surfaces: memory that kernels read with filtering and by coordinates, and write by coordinates.
//!
//! A [`TextureObject`] reads a [`CudaArray`], or an [`Array`] in one axis or in rows; a [`SurfaceObject`] reads and writes
//! a [`CudaArray`]. A kernel of one's own takes either by its handle, a number of 64 bits: an
//! [`Argument`](crate::Argument) is made of either.
//!
//! What a texture gives is defined by the chapter on texture fetching of CUDA's programming guide; linear filtering weighs
//! with 8 bits of a fraction. The simulator follows it.
//!
//! The objects keep what they read and write. They do not know which streams use them: work that writes to a CUDA array on
//! one stream and work that reads it on another are ordered by whoever queues them, with an [`Event`](super::Event).
//! Objects that are dropped wait for the device first; where work is captured for a graph, the graph keeps them.

use std::sync::Arc;

use cuprum_kernels::{DType, Kind as NumberKind};

use crate::array::Array;
use crate::cuda::{self, Access, Device};
use crate::driver::texture::{ArrayCopy, ArrayForm, GATHER, LAYERED, SURFACE, Sampling, Texels, TextureMemory};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Order, shape_text};

pub use crate::driver::texture::{AddressMode, ChannelKind, FilterMode, ReadMode};

/// CUDA's numbers of the attributes of what the memory of a texture, and each row of it, begins at multiples of.
const TEXTURE_ALIGNMENT: i32 = 14;
const PITCH_ALIGNMENT: i32 = 51;

fn value(message: String) -> Error {
    Error::new(ErrorKind::Value, message)
}

/// What an element of a texture is: one, two or four numbers of one kind and size; CuPy's `ChannelFormatDescriptor`.
///
/// ```
/// use cuprum::cuda::texture::{ChannelFormat, ChannelKind};
/// let colour = ChannelFormat::new([8, 8, 8, 8], ChannelKind::Unsigned)?;
/// assert_eq!((colour.channels(), colour.bytes()), (4, 4));
/// assert!(ChannelFormat::new([32, 32, 32, 0], ChannelKind::Float).is_err());
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ChannelFormat(Texels);

impl ChannelFormat {
    /// The bits of each number, 0 for those that there are not, and what they are.
    ///
    /// # Errors
    ///
    /// [`Value`](ErrorKind::Value) for what no texture has: three numbers, numbers of several sizes, integers of other than
    /// 8, 16 or 32 bits, floats of other than 16 or 32.
    pub fn new(bits: [u32; 4], kind: ChannelKind) -> Result<ChannelFormat> {
        let channels = bits.iter().take_while(|&&b| b != 0).count();
        let sizes: &[u32] = if kind == ChannelKind::Float { &[16, 32] } else { &[8, 16, 32] };
        let alike = bits.iter().enumerate().all(|(k, &b)| b == if k < channels { bits[0] } else { 0 });
        if matches!(channels, 1 | 2 | 4) && alike && sizes.contains(&bits[0]) {
            return Ok(ChannelFormat(Texels { kind, bits: bits[0], channels: channels as u32 }));
        }
        let what = format!(
            "the channels have {bits:?} bits of {kind:?}: a texture has 1, 2 or 4 channels of one size, integers of 8, 16 or \
             32 bits or floats of 16 or 32"
        );
        Err(value(what).with_op("ChannelFormat::new"))
    }

    /// How many numbers an element is.
    pub fn channels(&self) -> usize {
        self.0.channels as usize
    }

    /// Bytes of an element.
    pub fn bytes(&self) -> usize {
        self.0.bytes()
    }

    /// The bits of each number, 0 for those that there are not.
    pub fn bits(&self) -> [u32; 4] {
        std::array::from_fn(|k| if k < self.channels() { self.0.bits } else { 0 })
    }

    /// What the numbers are.
    pub fn kind(&self) -> ChannelKind {
        self.0.kind
    }

    /// Whether the numbers of an array are those of the format.
    fn is_of(&self, a: &Array) -> bool {
        let wanted = match self.0.kind {
            ChannelKind::Signed => NumberKind::Signed,
            ChannelKind::Unsigned => NumberKind::Unsigned,
            ChannelKind::Float => NumberKind::Float,
        };
        a.dtype().kind() == wanted && 8 * a.itemsize() == self.0.bits as usize && a.dtype() != DType::BF16
    }
}

/// What a CUDA array is made for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CudaArrayOptions {
    /// The last axis counts layers: arrays of one or two axes, between which nothing is filtered.
    pub layered: bool,
    /// Surfaces may be of it: kernels write to it.
    pub surface: bool,
    /// `tex2Dgather` may read it.
    pub gather: bool,
}

impl CudaArrayOptions {
    /// Those of CUDA's flags (`cudaArrayLayered`, `cudaArraySurfaceLoadStore`, `cudaArrayTextureGather`).
    ///
    /// # Errors
    ///
    /// [`Value`](ErrorKind::Value) for other flags.
    pub fn of_flags(flags: u32) -> Result<CudaArrayOptions> {
        if flags & !(LAYERED | SURFACE | GATHER) != 0 {
            let what = format!(
                "the flags are {flags}: layers ({LAYERED}), surfaces ({SURFACE}) and gathering ({GATHER}) are there"
            );
            return Err(value(what).with_op("CudaArrayOptions::of_flags"));
        }
        let has = |flag| flags & flag != 0;
        Ok(CudaArrayOptions { layered: has(LAYERED), surface: has(SURFACE), gather: has(GATHER) })
    }

    fn flags(self) -> u32 {
        let flag = |yes: bool, flag: u32| if yes { flag } else { 0 };
        flag(self.layered, LAYERED) | flag(self.surface, SURFACE) | flag(self.gather, GATHER)
    }
}

/// Memory of textures and surfaces, which the device lays out as it likes; CuPy's `CUDAarray`.
///
/// Clones are the same array. Its elements are unwritten at first.
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

#[derive(Debug)]
struct Memory {
    device: Device,
    held: Held,
    form: ArrayForm,
    options: CudaArrayOptions,
}

impl CudaArray {
    /// An array of the device of so many elements in width, height and depth; 0 says that there is no such axis. With
    /// layers the depth counts them, and the height may be 0.
    ///
    /// # Errors
    ///
    /// [`Value`](ErrorKind::Value) for sizes that no array has, [`OutOfMemory`](ErrorKind::OutOfMemory), and
    /// [`Driver`](ErrorKind::Driver) for what the device refuses.
    pub fn new(
        device: Device,
        format: ChannelFormat,
        size: [usize; 3],
        options: CudaArrayOptions,
    ) -> Result<CudaArray> {
        let go = || {
            let [width, height, depth] = size;
            let known = width > 0 && if options.layered { depth > 0 } else { depth == 0 || height > 0 };
            let whole = size.iter().all(|&n| n <= i32::MAX as usize) && !(options.gather && (height == 0 || depth > 0));
            if !known || !whole {
                return Err(value(format!(
                    "the width, the height and the depth are {}: an array has a width, with a depth a height, with \
                     layers a depth, and two axes where it is gathered from",
                    shape_text(&size)
                )));
            }
            let form = ArrayForm { texels: format.0, size, flags: options.flags() };
            let held = Held::new(device, device.driver()?.array_create(&form)? as u64, Kind::Array);
            Ok(CudaArray(Arc::new(Memory { device, held, form, options })))
        };
        go().map_err(|e: Error| e.with_op("CudaArray::new"))
    }

    /// The device that it is of.
    pub fn device(&self) -> Device {
        self.0.device
    }

    /// The width, the height and the depth; 0 where there is no such axis.
    pub fn size(&self) -> [usize; 3] {
        self.0.form.size
    }

    /// What an element is.
    pub fn format(&self) -> ChannelFormat {
        ChannelFormat(self.0.form.texels)
    }

    /// What it was made for.
    pub fn options(&self) -> CudaArrayOptions {
        self.0.options
    }

    /// The driver's handle, a `CUarray` as a number; CuPy's `CUDAarray.ptr`.
    pub fn handle(&self) -> usize {
        self.0.held.handle() as usize
    }

    /// The shape that an array has for a copy: the axes from the last to the first, the last times the channels.
    pub fn shape(&self) -> Vec<usize> {
        let [width, height, depth] = self.size();
        [depth, height].into_iter().filter(|&n| n > 0).chain([width * self.format().channels()]).collect()
    }

    /// Copies the elements of an array of the same device here, on the current stream. Its shape is [`CudaArray::shape`],
    /// or has the channels as an axis of their own behind the others. CuPy's `CUDAarray.copy_from`.
    ///
    /// # Errors
    ///
    /// [`Type`](ErrorKind::Type) for an array of another dtype, [`Value`](ErrorKind::Value) for one of another shape or device.
    pub fn copy_from(&self, a: &Array) -> Result<()> {
        let go = || {
            self.check(a)?;
            let dense = if a.is_c_contiguous() { a.clone() } else { a.copy(Order::C)? };
            self.copy(&dense, true)
        };
        go().map_err(|e: Error| e.with_op("CudaArray::copy_from"))
    }

    /// Copies the elements to an array in C order, as [`CudaArray::copy_from`] copies them here. CuPy's `CUDAarray.copy_to`.
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
        let queue = self.device().queue();
        a.buffer().touch(&queue, if to_array { Access::Read } else { Access::Write })?;
        if queue.is_captured() {
            cuda::keep_captured(&queue, Box::new(self.clone()))?;
        }
        let [width, height, depth] = self.size();
        let (pitch, rows) = (width * self.format().bytes(), height.max(1));
        let extent = [pitch, rows, depth.max(1)];
        let copy = ArrayCopy { array: self.handle(), origin: [0; 3], extent, addr: a.addr(), pitch, rows, to_array };
        // SAFETY: the array is live, and the memory is of so many bytes in these rows; its buffer knows the stream.
        unsafe { self.device().driver()?.array_copy(&copy, queue.handle()) }
    }
}

/// What a texture reads; CuPy's `ResourceDescriptor`.
#[derive(Clone, Debug)]
pub enum TextureResource {
    /// A CUDA array.
    Array(CudaArray),
    /// The elements of an array in C order, by their number (`tex1Dfetch`): what lies outside is 0, and nothing is filtered.
    Linear(Array, ChannelFormat),
    /// The memory of an array as so many rows of so many elements, each a pitch of bytes behind the one before.
    Pitch2D {
        /// Whose memory it is, from its first element on.
        array: Array,
        /// What an element is.
        format: ChannelFormat,
        /// Elements of a row.
        width: usize,
        /// Rows.
        height: usize,
        /// Bytes from a row to the next.
        pitch: usize,
    },
}

impl TextureResource {
    fn device(&self) -> Device {
        match self {
            TextureResource::Array(a) => a.device(),
            TextureResource::Linear(a, _) | TextureResource::Pitch2D { array: a, .. } => a.device(),
        }
    }

    fn texels(&self) -> Texels {
        match self {
            TextureResource::Array(a) => a.format().0,
            TextureResource::Linear(_, format) | TextureResource::Pitch2D { format, .. } => format.0,
        }
    }

    /// The memory for the driver, if the device can read it so.
    fn memory(&self) -> Result<TextureMemory> {
        match self {
            TextureResource::Array(a) => Ok(TextureMemory::Array(a.handle())),
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

/// Where the memory of a texture begins.
fn begin(a: &Array) -> Result<u64> {
    let (addr, step) = (a.pointer(), a.device().attribute(TEXTURE_ALIGNMENT)?.max(1) as u64);
    if addr.is_multiple_of(step) {
        return Ok(addr);
    }
    let over = addr % step;
    Err(value(format!(
        "the array begins {over} bytes behind a multiple of {step}, and the memory of a texture begins at one: copy it"
    )))
}

/// How a texture is read; CuPy's `TextureDescriptor`, with its defaults.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TextureDescriptor {
    /// What becomes of coordinates outside, by axis.
    pub address_modes: [AddressMode; 3],
    /// Which texels count.
    pub filter: FilterMode,
    /// What integers are read as.
    pub read: ReadMode,
    /// Whether bytes that are read as floats are of sRGB, and given as light.
    pub srgb: bool,
    /// The colour of [`AddressMode::Border`].
    pub border: [f32; 4],
    /// Whether coordinates go from 0 to 1 instead of counting texels.
    pub normalized: bool,
    /// The most that a texel may be stretched. It is of use with several levels, which these textures have not.
    pub max_anisotropy: u32,
}

impl TextureDescriptor {
    /// The same for the driver, if a texture of these texels can be read so.
    fn sampling(&self, texels: Texels) -> Result<Sampling> {
        let integers = texels.kind != ChannelKind::Float && (self.read == ReadMode::Element || texels.bits == 32);
        if self.filter == FilterMode::Linear && integers {
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
        Ok(Sampling {
            address: self.address_modes,
            filter: self.filter,
            read_integers: integers,
            normalized: self.normalized,
            srgb: self.srgb,
            border: self.border,
            max_anisotropy: self.max_anisotropy,
        })
    }
}

/// A texture: memory, and how a kernel reads it; CuPy's `TextureObject`. It keeps the memory.
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
/// let how = TextureDescriptor {
///     address_modes: [AddressMode::Clamp; 3],
///     filter: FilterMode::Linear,
///     ..Default::default()
/// };
/// let texture = TextureObject::new(TextureResource::Array(pixels), &how)?;
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
    held: Held,
    resource: TextureResource,
    descriptor: TextureDescriptor,
}

impl TextureObject {
    /// A texture of memory.
    ///
    /// # Errors
    ///
    /// [`Value`](ErrorKind::Value) for memory that a texture cannot be of (not in C order, not where the device needs it to
    /// begin, rows that leave it), for linear filtering of integers and for sRGB of other than bytes;
    /// [`Driver`](ErrorKind::Driver) for what the device refuses.
    pub fn new(resource: TextureResource, descriptor: &TextureDescriptor) -> Result<TextureObject> {
        let go = || {
            let device = resource.device();
            let sampling = descriptor.sampling(resource.texels())?;
            let memory = resource.memory()?;
            // SAFETY: the memory is live, and the object keeps it.
            let handle = unsafe { device.driver()?.texture_create(&memory, &sampling) }?;
            let held = Held::new(device, handle, Kind::Texture(resource.clone()));
            Ok(TextureObject { held, resource, descriptor: *descriptor })
        };
        go().map_err(|e: Error| e.with_op("TextureObject::new"))
    }

    /// The number that a kernel knows it by: a `cudaTextureObject_t`.
    pub fn handle(&self) -> u64 {
        self.held.handle()
    }

    /// What it reads.
    pub fn resource(&self) -> &TextureResource {
        &self.resource
    }

    /// How it reads.
    pub fn descriptor(&self) -> &TextureDescriptor {
        &self.descriptor
    }
}

/// A surface: a CUDA array that kernels read and write by coordinates, of which the first counts bytes; CuPy's
/// `SurfaceObject`. It keeps the array.
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
    held: Held,
    array: CudaArray,
}

impl SurfaceObject {
    /// A surface of a CUDA array that was made for it.
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
            // SAFETY: the array is live, and the object keeps it.
            let handle = unsafe { device.driver()?.surface_create(array.handle()) }?;
            Ok(SurfaceObject { held: Held::new(device, handle, Kind::Surface(array.clone())), array })
        };
        go().map_err(|e: Error| e.with_op("SurfaceObject::new"))
    }

    /// The number that a kernel knows it by: a `cudaSurfaceObject_t`.
    pub fn handle(&self) -> u64 {
        self.held.handle()
    }

    /// The array that it reads and writes.
    pub fn array(&self) -> &CudaArray {
        &self.array
    }
}

/// What a handle of the driver's stands for, and what it keeps.
#[derive(Debug)]
enum Kind {
    Array,
    Texture(#[allow(dead_code, reason = "it is kept")] TextureResource),
    Surface(#[allow(dead_code, reason = "it is kept")] CudaArray),
}

/// A handle of the driver's, which is destroyed once the device has done its work.
#[derive(Debug)]
struct Owned {
    device: Device,
    handle: u64,
    kind: Kind,
}

impl Drop for Owned {
    fn drop(&mut self) {
        let ended = self.device.driver_for_drop().and_then(|driver| {
            if driver.is_capturing() {
                // Another thread captures: nobody may wait for the device, and the handle stays for as long as the process.
                return Ok(());
            }
            driver.synchronize()?;
            match self.kind {
                // SAFETY: nobody has the array any more, and the device has done its work.
                Kind::Array => unsafe { driver.array_destroy(self.handle as usize) },
                // SAFETY: as above, of the texture.
                Kind::Texture(_) => unsafe { driver.texture_destroy(self.handle) },
                // SAFETY: as above, of the surface.
                Kind::Surface(_) => unsafe { driver.surface_destroy(self.handle) },
            }
        });
        if let Err(e) = ended {
            self.device.lose(&e);
        }
    }
}

/// What has a handle for as long as it lives. Where this thread captures work for a graph, that work may use the handle
/// when the graph is launched: the graph keeps it then.
#[derive(Debug)]
struct Held(Option<Owned>);

impl Held {
    fn new(device: Device, handle: u64, kind: Kind) -> Held {
        Held(Some(Owned { device, handle, kind }))
    }

    fn handle(&self) -> u64 {
        self.0.as_ref().map_or(0, |owned| owned.handle)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let Some(owned) = self.0.take() else { return };
        let queue = owned.device.queue();
        if queue.is_captured() {
            // Where the capture has ended meanwhile there is no graph, and the handle goes at once.
            let _ = cuda::keep_captured(&queue, Box::new(owned));
        }
    }
}
