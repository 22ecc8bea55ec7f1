//! What `cuprum.cuda.texture` holds: CUDA arrays, textures and surfaces.

use cuprum::cuda::Device;
use cuprum::cuda::texture::{
    AddressMode, ChannelFormat, ChannelKind, CudaArray, CudaArrayOptions, FilterMode, ReadMode, SurfaceObject,
    TextureDescriptor, TextureObject, TextureResource,
};
use pyo3::prelude::*;

use crate::array::NdArray;
use crate::errors::{OrRaise, value_error};
use crate::transfer::on_stream;

/// The bits of each number of an element, and CUDA's number of what they are.
type Format = ([u32; 4], i32);

/// The variant of a number of CUDA's.
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

/// A CUDA array, which `cuprum.cuda.texture.CUDAarray` holds.
#[pyclass(name = "CudaArrayHandle", module = "cuprum._cuprum", frozen)]
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

    #[pyo3(signature = (a, stream=None))]
    fn copy_from(&self, py: Python<'_>, a: &NdArray, stream: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        on_stream(stream, || py.detach(|| self.0.copy_from(a.array())).or_raise())
    }

    #[pyo3(signature = (a, stream=None))]
    fn copy_to(&self, py: Python<'_>, a: &NdArray, stream: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        on_stream(stream, || py.detach(|| self.0.copy_to(a.array())).or_raise())
    }
}

/// What a texture reads, which `cuprum.cuda.texture.ResourceDescriptor` holds.
#[pyclass(name = "TextureResourceHandle", module = "cuprum._cuprum", frozen)]
pub(crate) struct TextureResourceHandle(TextureResource);

#[pymethods]
impl TextureResourceHandle {
    #[staticmethod]
    fn of_array(array: &CudaArrayHandle) -> TextureResourceHandle {
        TextureResourceHandle(TextureResource::Array(array.0.clone()))
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

/// A texture, which `cuprum.cuda.texture.TextureObject` is.
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
    ) -> PyResult<TextureHandle> {
        use AddressMode::{Border, Clamp, Mirror, Wrap};
        let [x, y, z] = address_modes.map(|m| of_number(m, &[Wrap, Clamp, Mirror, Border], "mode of addresses"));
        let how = TextureDescriptor {
            address_modes: [x?, y?, z?],
            filter: of_number(filter, &[FilterMode::Point, FilterMode::Linear], "mode of filtering")?,
            read: of_number(read, &[ReadMode::Element, ReadMode::NormalizedFloat], "mode of reading")?,
            srgb,
            border,
            normalized,
            max_anisotropy,
        };
        Ok(TextureHandle(py.detach(|| TextureObject::new(resource.0.clone(), &how)).or_raise()?))
    }

    /// The number that a kernel knows it by.
    #[getter]
    pub(crate) fn ptr(&self) -> u64 {
        self.0.handle()
    }
}

/// A surface, which `cuprum.cuda.texture.SurfaceObject` is.
#[pyclass(name = "SurfaceHandle", module = "cuprum._cuprum", subclass, frozen)]
pub(crate) struct SurfaceHandle(SurfaceObject);

#[pymethods]
impl SurfaceHandle {
    #[new]
    fn new(array: &CudaArrayHandle) -> PyResult<SurfaceHandle> {
        Ok(SurfaceHandle(SurfaceObject::new(array.0.clone()).or_raise()?))
    }

    /// The number that a kernel knows it by.
    #[getter]
    pub(crate) fn ptr(&self) -> u64 {
        self.0.handle()
    }
}

/// Puts the classes into the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<CudaArrayHandle>()?;
    module.add_class::<TextureResourceHandle>()?;
    module.add_class::<TextureHandle>()?;
    module.add_class::<SurfaceHandle>()
}
