//! CUDA arrays, textures and surfaces for `cuprum.cuda.texture`.

use cuprum::cuda::Device;
use cuprum::cuda::texture::{
    AddressMode, ArrayBox, ChannelFormat, ChannelKind, CudaArray, CudaArrayOptions, FilterMode, MipmappedArray,
    ReadMode, SurfaceObject, TextureDescriptor, TextureObject, TextureResource,
};
use pyo3::prelude::*;

use crate::array::NdArray;
use crate::errors::{OrRaise, value_error};
use crate::transfer::on_stream;

/// The bits of each component of an element, and CUDA's number of their kind.
type Format = ([u32; 4], i32);

/// Converts a number of CUDA to a variant.
fn of_number<T: Copy>(number: i32, all: &[T], what: &str) -> PyResult<T> {
    match usize::try_from(number).ok().and_then(|n| all.get(n)) {
        Some(found) => Ok(*found),
        None => value_error(format!("{number} is no {what}: the numbers from 0 to {} are", all.len() - 1)),
    }
}

fn format((bits, kind): Format) -> PyResult<ChannelFormat> {
    use ChannelKind::{Float, Signed, Unsigned};
    ChannelFormat::new(bits, of_number(kind, &[Signed, Unsigned, Float], "kind of a channel")?).or_raise()
}

/// A CUDA array, held by `cuprum.cuda.texture.CUDAarray`.
#[pyclass(name = "CudaArrayHandle", module = "cuprum._cuprum", frozen, weakref)]
pub(crate) struct CudaArrayHandle(CudaArray);

#[pymethods]
impl CudaArrayHandle {
    #[new]
    fn new(py: Python<'_>, described: Format, size: [usize; 3], flags: u32) -> PyResult<CudaArrayHandle> {
        let (format, options) = (format(described)?, CudaArrayOptions::of_flags(flags).or_raise()?);
        let device = Device::current().or_raise()?;
        Ok(CudaArrayHandle(py.detach(|| CudaArray::new(device, format, size, options)).or_raise()?))
    }

    #[getter]
    fn ptr(&self) -> usize {
        self.0.handle()
    }

    /// Width, height and depth.
    #[getter]
    fn size(&self) -> [usize; 3] {
        self.0.size()
    }

    /// The number of bytes of an element.
    #[getter]
    fn itemsize(&self) -> usize {
        self.0.format().bytes()
    }

    /// Copies a box from (`to_array`) or to device memory at an address.
    #[allow(clippy::too_many_arguments, reason = "they are what the copy is")]
    fn copy_box(
        &self,
        py: Python<'_>,
        origin: [usize; 3],
        extent: [usize; 3],
        addr: u64,
        pitch: usize,
        rows: usize,
        to_array: bool,
    ) -> PyResult<()> {
        let part = ArrayBox { origin, extent, addr, pitch, rows };
        // SAFETY: the caller guarantees that the rows exist at the address, as in CUDA's runtime.
        py.detach(|| unsafe { self.0.copy_box(&part, to_array) }).or_raise()
    }

    #[pyo3(signature = (a, stream=None))]
    fn copy_from(&self, py: Python<'_>, a: &NdArray, stream: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        on_stream(stream, || py.detach(|| self.0.copy_from(a.array())).or_raise())
    }

    #[pyo3(signature = (a, stream=None))]
    fn copy_to(&self, py: Python<'_>, a: &NdArray, stream: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        on_stream(stream, || py.detach(|| self.0.copy_to(a.array())).or_raise())
    }
}

/// A CUDA array of several levels, held by `cuprum.cuda.texture.MipmappedArray`.
#[pyclass(name = "MipmappedArrayHandle", module = "cuprum._cuprum", frozen)]
pub(crate) struct MipmappedArrayHandle(MipmappedArray);

#[pymethods]
impl MipmappedArrayHandle {
    #[new]
    fn new(
        py: Python<'_>,
        described: Format,
        size: [usize; 3],
        levels: usize,
        flags: u32,
    ) -> PyResult<MipmappedArrayHandle> {
        let (format, options) = (format(described)?, CudaArrayOptions::of_flags(flags).or_raise()?);
        let device = Device::current().or_raise()?;
        Ok(MipmappedArrayHandle(py.detach(|| MipmappedArray::new(device, format, size, levels, options)).or_raise()?))
    }

    #[getter]
    fn ptr(&self) -> usize {
        self.0.handle()
    }

    fn level(&self, level: usize) -> PyResult<CudaArrayHandle> {
        Ok(CudaArrayHandle(self.0.level(level).or_raise()?))
    }
}

/// The resource of a texture, held by `cuprum.cuda.texture.ResourceDescriptor`.
#[pyclass(name = "TextureResourceHandle", module = "cuprum._cuprum", frozen)]
pub(crate) struct TextureResourceHandle(TextureResource);

#[pymethods]
impl TextureResourceHandle {
    #[staticmethod]
    fn of_array(array: &CudaArrayHandle) -> TextureResourceHandle {
        TextureResourceHandle(TextureResource::Array(array.0.clone()))
    }

    #[staticmethod]
    fn of_levels(array: &MipmappedArrayHandle) -> TextureResourceHandle {
        TextureResourceHandle(TextureResource::Mipmapped(array.0.clone()))
    }

    #[staticmethod]
    fn linear(a: &NdArray, described: Format) -> PyResult<TextureResourceHandle> {
        Ok(TextureResourceHandle(TextureResource::Linear(a.array().clone(), format(described)?)))
    }

    #[staticmethod]
    fn rows(
        a: &NdArray,
        described: Format,
        width: usize,
        height: usize,
        pitch: usize,
    ) -> PyResult<TextureResourceHandle> {
        let (array, format) = (a.array().clone(), format(described)?);
        Ok(TextureResourceHandle(TextureResource::Pitch2D { array, format, width, height, pitch }))
    }
}

/// A texture, the base of `cuprum.cuda.texture.TextureObject`.
#[pyclass(name = "TextureHandle", module = "cuprum._cuprum", subclass, frozen)]
pub(crate) struct TextureHandle(TextureObject);

#[pymethods]
impl TextureHandle {
    #[new]
    #[allow(clippy::too_many_arguments, reason = "they are what the descriptor has")]
    fn new(
        py: Python<'_>,
        resource: &TextureResourceHandle,
        address_modes: [i32; 3],
        filter: i32,
        read: i32,
        srgb: bool,
        border: [f32; 4],
        normalized: bool,
        max_anisotropy: u32,
        level_filter: i32,
        level_bias: f32,
        level_clamp: Option<[f32; 2]>,
    ) -> PyResult<TextureHandle> {
        use AddressMode::{Border, Clamp, Mirror, Wrap};
        let [x, y, z] = address_modes.map(|m| of_number(m, &[Wrap, Clamp, Mirror, Border], "mode of addresses"));
        let filters = [FilterMode::Point, FilterMode::Linear];
        let options = TextureDescriptor {
            address_modes: [x?, y?, z?],
            filter: of_number(filter, &filters, "mode of filtering")?,
            read: of_number(read, &[ReadMode::Element, ReadMode::NormalizedFloat], "mode of reading")?,
            srgb,
            border,
            normalized,
            max_anisotropy,
            level_filter: of_number(level_filter, &filters, "mode of filtering")?,
            level_bias,
            level_clamp,
        };
        Ok(TextureHandle(py.detach(|| TextureObject::new(resource.0.clone(), &options)).or_raise()?))
    }

    /// The handle for kernels.
    #[getter]
    pub(crate) fn ptr(&self) -> u64 {
        self.0.handle()
    }
}

/// A surface, the base of `cuprum.cuda.texture.SurfaceObject`.
#[pyclass(name = "SurfaceHandle", module = "cuprum._cuprum", subclass, frozen)]
pub(crate) struct SurfaceHandle(SurfaceObject);

#[pymethods]
impl SurfaceHandle {
    #[new]
    fn new(array: &CudaArrayHandle) -> PyResult<SurfaceHandle> {
        Ok(SurfaceHandle(SurfaceObject::new(array.0.clone()).or_raise()?))
    }

    /// The handle for kernels.
    #[getter]
    pub(crate) fn ptr(&self) -> u64 {
        self.0.handle()
    }
}

/// Adds the classes to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<CudaArrayHandle>()?;
    module.add_class::<MipmappedArrayHandle>()?;
    module.add_class::<TextureResourceHandle>()?;
    module.add_class::<TextureHandle>()?;
    module.add_class::<SurfaceHandle>()
}
