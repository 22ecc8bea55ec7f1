//! Memory of arrays: flags, allocations, and pointers.

use cuprum::cuda::{self, Device, PinnedMemory as Pinned};
use cuprum::{Array, CreationOptions, DType, Order, RawParts};
use pyo3::exceptions::{PyKeyError, PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;

use crate::array::NdArray;
use crate::cuda::{device, id_of};
use crate::errors::{OrRaise, exception, value_error};
use crate::transfer::on_stream;

/// The memory layout flags of an array.
#[pyclass(name = "Flags", module = "cuprum", frozen)]
pub(crate) struct Flags {
    #[pyo3(get)]
    pub(crate) c_contiguous: bool,
    #[pyo3(get)]
    pub(crate) f_contiguous: bool,
    #[pyo3(get)]
    pub(crate) owndata: bool,
    /// True if the elements may be written.
    #[pyo3(get)]
    pub(crate) writeable: bool,
}

#[pymethods]
impl Flags {
    fn __getitem__(&self, name: &str) -> PyResult<bool> {
        match name {
            "C_CONTIGUOUS" | "C" => Ok(self.c_contiguous),
            "F_CONTIGUOUS" | "F" => Ok(self.f_contiguous),
            "OWNDATA" | "O" => Ok(self.owndata),
            "WRITEABLE" | "W" => Ok(self.writeable),
            "CONTIGUOUS" => Ok(self.c_contiguous),
            "FORTRAN" => Ok(self.f_contiguous),
            "ALIGNED" | "A" => Ok(self.aligned()),
            "FNC" => Ok(self.fnc()),
            "FORC" => Ok(self.forc()),
            _ => Err(PyKeyError::new_err(format!("{name} is not defined for cuprum.ndarray.flags"))),
        }
    }

    /// The same as `c_contiguous`.
    #[getter]
    fn contiguous(&self) -> bool {
        self.c_contiguous
    }

    /// The same as `f_contiguous`.
    #[getter]
    fn fortran(&self) -> bool {
        self.f_contiguous
    }

    /// True if the elements are aligned for their dtype, as all are on a device.
    #[getter]
    fn aligned(&self) -> bool {
        true
    }

    /// True if the elements are contiguous in Fortran order only.
    #[getter]
    fn fnc(&self) -> bool {
        self.f_contiguous && !self.c_contiguous
    }

    /// True if the elements are contiguous in C or Fortran order.
    #[getter]
    fn forc(&self) -> bool {
        self.f_contiguous || self.c_contiguous
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Flags>().is_ok_and(|other| {
            let other = other.get();
            (self.c_contiguous, self.f_contiguous) == (other.c_contiguous, other.f_contiguous)
                && (self.owndata, self.writeable) == (other.owndata, other.writeable)
        })
    }

    fn __repr__(&self) -> String {
        let word = |b: bool| if b { "True" } else { "False" };
        let (c, f, o) = (word(self.c_contiguous), word(self.f_contiguous), word(self.owndata));
        format!("  C_CONTIGUOUS : {c}\n  F_CONTIGUOUS : {f}\n  OWNDATA : {o}\n")
    }
}

/// Returns the number of an array's device; the simulator's is 0.
pub(crate) fn device_id(a: &Array) -> usize {
    id_of(a.device())
}

/// An allocation on a device.
#[pyclass(name = "BaseMemory", module = "cuprum.cuda", subclass, frozen, weakref)]
pub(crate) struct BaseMemory {
    /// All of its bytes, in one axis.
    bytes: Array,
    /// The start address, which an array without bytes does not have.
    ptr: u64,
}

impl BaseMemory {
    pub(crate) fn new(bytes: Array, ptr: u64) -> BaseMemory {
        BaseMemory { bytes, ptr }
    }
}

#[pymethods]
impl BaseMemory {
    /// The address on the device.
    #[getter]
    fn ptr(&self) -> u64 {
        self.ptr
    }

    /// The number of bytes.
    #[getter]
    fn size(&self) -> usize {
        self.bytes.size()
    }

    /// The number of the device.
    #[getter]
    fn device_id(&self) -> usize {
        device_id(&self.bytes)
    }

    /// The device.
    #[getter]
    fn device<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import(intern!(py, "cuprum.cuda"))?.getattr(intern!(py, "Device"))?.call1((self.device_id(),))
    }

    fn __int__(&self) -> u64 {
        self.ptr
    }
}

/// Memory on the current device.
#[pyclass(name = "Memory", module = "cuprum.cuda", subclass, extends = BaseMemory, frozen)]
pub(crate) struct Memory;

#[pymethods]
impl Memory {
    #[new]
    fn new(py: Python<'_>, size: usize) -> PyResult<PyClassInitializer<Memory>> {
        let bytes = py.detach(|| cuprum::empty([size], CreationOptions::new().dtype(DType::U8))).or_raise()?;
        Ok(PyClassInitializer::from(BaseMemory { ptr: bytes.pointer(), bytes }).add_subclass(Memory))
    }
}

/// Memory of another owner; `owner` keeps it alive.
#[pyclass(name = "UnownedMemory", module = "cuprum.cuda", subclass, extends = BaseMemory, frozen)]
pub(crate) struct UnownedMemory {
    owner: Py<PyAny>,
}

#[pymethods]
impl UnownedMemory {
    #[new]
    #[pyo3(signature = (ptr, size, owner, device_id=-1))]
    fn new(
        ptr: u64,
        size: usize,
        owner: Py<PyAny>,
        device_id: i64,
        py: Python<'_>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let made =
            |bytes, owner| PyClassInitializer::from(BaseMemory { bytes, ptr }).add_subclass(UnownedMemory { owner });
        if size == 0 {
            let bytes = cuprum::empty([0], CreationOptions::new().dtype(DType::U8)).or_raise()?;
            return Ok(made(bytes, owner));
        }
        if ptr == 0 {
            return value_error(format!("UnownedMemory: {size} bytes at address 0: the pointer is null"));
        }
        let parts = RawParts::new(device(device_id)?, ptr, DType::U8, [size]);
        // SAFETY: the caller guarantees that the memory lives as long as the owner, as in CuPy.
        let bytes = unsafe { Array::from_raw_parts(parts, owner.clone_ref(py)) }.or_raise()?;
        Ok(made(bytes, owner))
    }

    /// The owner of the memory.
    #[getter]
    fn owner(&self, py: Python<'_>) -> Py<PyAny> {
        self.owner.clone_ref(py)
    }
}

/// A pointer to device memory, which it keeps alive.
#[pyclass(name = "MemoryPointer", module = "cuprum.cuda", subclass, frozen, weakref)]
pub(crate) struct MemoryPointer {
    memory: Py<BaseMemory>,
    offset: i64,
}

impl MemoryPointer {
    /// Returns a pointer to the first element of an array.
    pub(crate) fn of(py: Python<'_>, a: &Array) -> PyResult<MemoryPointer> {
        let (ptr, size) = a.allocation();
        let offset = if size == 0 || a.is_empty() { 0 } else { (a.pointer() - ptr) as i64 };
        let memory = Py::new(py, BaseMemory { bytes: a.memory(), ptr: if size == 0 { 0 } else { ptr } })?;
        Ok(MemoryPointer { memory, offset })
    }

    fn array(&self) -> &Array {
        &self.memory.get().bytes
    }

    /// Returns `size` bytes from the pointer on.
    fn part(&self, size: usize) -> PyResult<Array> {
        let whole = self.array();
        let start =
            usize::try_from(self.offset).ok().filter(|s| s.checked_add(size).is_some_and(|e| e <= whole.size()));
        let Some(start) = start else {
            let (offset, all) = (self.offset, whole.size());
            return value_error(format!("{size} bytes at offset {offset} leave the {all} bytes of the memory"));
        };
        whole.index(cuprum::s![start as i64..(start + size) as i64]).or_raise()
    }

    fn moved(&self, py: Python<'_>, by: i64) -> MemoryPointer {
        MemoryPointer { memory: self.memory.clone_ref(py), offset: self.offset + by }
    }
}

/// Converts to an address on the host: a number, or a ctypes pointer.
pub(crate) fn host_address(object: &Bound<'_, PyAny>) -> PyResult<usize> {
    if let Ok(number) = object.extract::<usize>() {
        return Ok(number);
    }
    match object.getattr_opt(intern!(object.py(), "value"))? {
        Some(value) if value.is_none() => Ok(0),
        Some(value) => value.extract(),
        None => Err(PyTypeError::new_err(format!(
            "an address on the host is expected, an integer or a ctypes.c_void_p, not {}",
            object.get_type()
        ))),
    }
}

#[pymethods]
impl MemoryPointer {
    #[new]
    fn new(mem: Py<BaseMemory>, offset: i64) -> MemoryPointer {
        MemoryPointer { memory: mem, offset }
    }

    /// The allocation.
    #[getter]
    fn mem(&self, py: Python<'_>) -> Py<BaseMemory> {
        self.memory.clone_ref(py)
    }

    /// The address on the device.
    #[getter]
    pub(crate) fn ptr(&self) -> u64 {
        self.memory.get().ptr.wrapping_add_signed(self.offset)
    }

    /// The number of the device.
    #[getter]
    fn device_id(&self) -> usize {
        device_id(self.array())
    }

    /// The device.
    #[getter]
    fn device<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.memory.get().device(py)
    }

    fn __int__(&self) -> u64 {
        self.ptr()
    }

    fn __index__(&self) -> u64 {
        self.ptr()
    }

    fn __repr__(&self) -> String {
        format!("<MemoryPointer 0x{:x} device={}>", self.ptr(), self.device_id())
    }

    fn __add__(&self, py: Python<'_>, offset: i64) -> MemoryPointer {
        self.moved(py, offset)
    }

    fn __radd__(&self, py: Python<'_>, offset: i64) -> MemoryPointer {
        self.moved(py, offset)
    }

    fn __sub__(&self, py: Python<'_>, offset: i64) -> MemoryPointer {
        self.moved(py, -offset)
    }

    /// Copies bytes from another location of the device's memory.
    fn copy_from_device(&self, py: Python<'_>, src: &Bound<'_, MemoryPointer>, size: usize) -> PyResult<()> {
        let (to, from) = (self.part(size)?, src.get().part(size)?);
        py.detach(|| {
            if to.device() == from.device() { to.assign(&from) } else { to.assign(&from.to_device(to.device())?) }
        })
        .or_raise()
    }

    /// Copies bytes like `copy_from_device`, on a stream.
    #[pyo3(signature = (src, size, stream=None))]
    fn copy_from_device_async<'py>(
        &self,
        py: Python<'py>,
        src: &Bound<'py, MemoryPointer>,
        size: usize,
        stream: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<()> {
        on_stream(stream, || self.copy_from_device(py, src, size))
    }

    /// Copies bytes from an address on the host.
    fn copy_from_host(&self, py: Python<'_>, mem: &Bound<'_, PyAny>, size: usize) -> PyResult<()> {
        let to = self.part(size)?;
        if size == 0 {
            return Ok(());
        }
        let parts = RawParts::new(to.device(), host_address(mem)? as u64, DType::U8, [size]);
        // SAFETY: the caller guarantees that the host memory has this many bytes, as in CuPy.
        py.detach(|| to.assign(unsafe { Array::from_host_parts(&parts) }?)).or_raise()
    }

    /// Copies bytes like `copy_from_host`, on a stream.
    #[pyo3(signature = (mem, size, stream=None))]
    fn copy_from_host_async<'py>(
        &self,
        py: Python<'py>,
        mem: &Bound<'py, PyAny>,
        size: usize,
        stream: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<()> {
        on_stream(stream, || self.copy_from_host(py, mem, size))
    }

    /// Copies bytes from the device or from the host.
    fn copy_from(&self, py: Python<'_>, mem: &Bound<'_, PyAny>, size: usize) -> PyResult<()> {
        match mem.cast::<MemoryPointer>() {
            Ok(src) => self.copy_from_device(py, src, size),
            Err(_) => self.copy_from_host(py, mem, size),
        }
    }

    /// Copies bytes like `copy_from`, on a stream.
    #[pyo3(signature = (mem, size, stream=None))]
    fn copy_from_async<'py>(
        &self,
        py: Python<'py>,
        mem: &Bound<'py, PyAny>,
        size: usize,
        stream: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<()> {
        on_stream(stream, || self.copy_from(py, mem, size))
    }

    /// Copies bytes to an address on the host, and synchronises.
    fn copy_to_host(&self, py: Python<'_>, mem: &Bound<'_, PyAny>, size: usize) -> PyResult<()> {
        let from = self.part(size)?;
        let address = host_address(mem)?;
        if size == 0 {
            return Ok(());
        }
        if address == 0 {
            return value_error("copy_to_host: the address on the host is null");
        }
        let to = std::ptr::with_exposed_provenance_mut::<u8>(address);
        // SAFETY: the caller guarantees that this many bytes of host memory are writable, as in CuPy.
        let to = unsafe { std::slice::from_raw_parts_mut(to, size) };
        py.detach(|| from.copy_to_bytes(to)).or_raise()
    }

    /// Copies bytes like `copy_to_host`, on a stream.
    #[pyo3(signature = (mem, size, stream=None))]
    fn copy_to_host_async<'py>(
        &self,
        py: Python<'py>,
        mem: &Bound<'py, PyAny>,
        size: usize,
        stream: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<()> {
        on_stream(stream, || self.copy_to_host(py, mem, size))
    }

    /// Sets bytes to a value.
    fn memset(&self, py: Python<'_>, value: i64, size: usize) -> PyResult<()> {
        let to = self.part(size)?;
        py.detach(|| to.fill(value as u8)).or_raise()
    }

    /// Sets bytes like `memset`, on a stream.
    #[pyo3(signature = (value, size, stream=None))]
    fn memset_async<'py>(
        &self,
        py: Python<'py>,
        value: i64,
        size: usize,
        stream: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<()> {
        on_stream(stream, || self.memset(py, value, size))
    }
}

/// Creates an array over existing memory.
pub(crate) fn of_pointer(
    memptr: Option<&Bound<'_, PyAny>>,
    shape: &[isize],
    dtype: DType,
    strides: Option<&Bound<'_, PyAny>>,
    order: Order,
) -> PyResult<NdArray> {
    let Some(pointer) = memptr.and_then(|m| m.cast::<MemoryPointer>().ok()) else {
        return Err(PyTypeError::new_err("ndarray: memptr must be a cuprum.cuda.MemoryPointer"));
    };
    let negative = || PyValueError::new_err("negative dimensions are not allowed");
    let shape: Vec<usize> =
        shape.iter().map(|&n| usize::try_from(n)).collect::<Result<_, _>>().map_err(|_| negative())?;
    let strides: Option<Vec<i64>> = match strides.filter(|s| !s.is_none()) {
        Some(strides) => Some(strides.extract()?),
        None if order == Order::F => {
            let mut step = dtype.size() as i64;
            let mut all = vec![];
            for &n in &shape {
                all.push(step);
                step *= n.max(1) as i64;
            }
            Some(all)
        }
        None => None,
    };
    let pointer = pointer.get();
    let Ok(offset) = usize::try_from(pointer.offset) else {
        return value_error(format!("the pointer is {} bytes before its memory", -pointer.offset));
    };
    let made = pointer.array().part_of_memory(offset, dtype, &shape, strides.as_deref()).or_raise()?;
    Ok(NdArray::new(made, None))
}

/// Allocates memory of the library's pool, whatever allocator is set.
#[pyfunction]
fn pool_malloc(py: Python<'_>, size: usize) -> PyResult<MemoryPointer> {
    let bytes =
        py.detach(|| cuda::from_pool(|| cuprum::empty([size], CreationOptions::new().dtype(DType::U8)))).or_raise()?;
    MemoryPointer::of(py, &bytes)
}

/// Allocates memory as arrays do.
#[pyfunction]
fn alloc(py: Python<'_>, size: usize) -> PyResult<MemoryPointer> {
    let bytes = py.detach(|| cuprum::empty([size], CreationOptions::new().dtype(DType::U8))).or_raise()?;
    MemoryPointer::of(py, &bytes)
}

/// Sets the allocator of arrays to a Python function, or back to the library's pool.
#[pyfunction]
fn set_allocator(function: Option<Py<PyAny>>) {
    let Some(function) = function else {
        // SAFETY: no function is set.
        return unsafe { cuda::set_allocator(None) };
    };
    // SAFETY: the caller guarantees that arrays may use the allocator's memory, as in CuPy.
    unsafe { cuda::set_allocator(Some(allocator_of(function))) }
}

/// Wraps a Python allocator function for the library.
pub(crate) fn allocator_of(function: Py<PyAny>) -> std::sync::Arc<cuda::Allocator> {
    std::sync::Arc::new(move |device: Device, bytes: usize| {
        // The function allocates on the current device.
        let call = |py: Python<'_>| {
            let given = function.bind(py).call1((bytes,))?;
            let pointer = given.cast::<MemoryPointer>().map_err(PyErr::from)?;
            let (ptr, room) = (pointer.get().ptr(), pointer.get().part(bytes)?);
            Ok((ptr, Box::new((pointer.clone().unbind(), room)) as Box<dyn Send + Sync>))
        };
        device.with(|| Python::attach(call)).map_err(|e: PyErr| {
            cuprum::Error::new(cuprum::ErrorKind::OutOfMemory, format!("the allocator that was set failed: {e}"))
        })
    })
}

/// Pinned host memory, which the device can access directly.
#[pyclass(name = "PinnedMemory", module = "cuprum.cuda", subclass, frozen, weakref)]
pub(crate) struct PinnedMemory(Pinned);

#[pymethods]
impl PinnedMemory {
    #[new]
    #[pyo3(signature = (size, flags=0))]
    fn new(size: usize, flags: u32) -> PyResult<PinnedMemory> {
        let made = Device::current().and_then(|d| Pinned::with_flags(d, size, flags)).map_err(|e| exception(&e))?;
        Ok(PinnedMemory(made))
    }

    /// The address on the host.
    #[getter]
    fn ptr(&self) -> usize {
        self.0.pointer()
    }

    /// The number of bytes.
    #[getter]
    fn size(&self) -> usize {
        self.0.bytes()
    }

    fn __int__(&self) -> usize {
        self.0.pointer()
    }
}

/// Memory of the program that is registered as pinned.
#[pyclass(name = "RegisteredMemory", module = "cuprum._cuprum", frozen)]
pub(crate) struct RegisteredMemory(#[allow(dead_code, reason = "it is kept")] cuda::RegisteredMemory);

#[pymethods]
impl RegisteredMemory {
    #[new]
    fn new(ptr: usize, size: usize, flags: u32) -> PyResult<RegisteredMemory> {
        // SAFETY: the caller guarantees that the memory lives as long as the registration, as in CUDA's runtime.
        let made = Device::current().and_then(|d| unsafe { cuda::RegisteredMemory::new(d, ptr, size, flags) });
        Ok(RegisteredMemory(made.or_raise()?))
    }
}

/// Adds the classes and functions to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Flags>()?;
    module.add_class::<BaseMemory>()?;
    module.add_class::<Memory>()?;
    module.add_class::<UnownedMemory>()?;
    module.add_class::<MemoryPointer>()?;
    module.add_class::<PinnedMemory>()?;
    module.add_class::<RegisteredMemory>()?;
    module.add_function(wrap_pyfunction!(alloc, module)?)?;
    module.add_function(wrap_pyfunction!(pool_malloc, module)?)?;
    module.add_function(wrap_pyfunction!(set_allocator, module)?)
}
