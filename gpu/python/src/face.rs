//! Graphs, pools, hooks and limits for `cuprum.cuda`.

use std::sync::Arc;

use cuprum::cuda::{
    self, Advice, AsyncPool, Device, Event, Graph, ManagedMemory as Managed, MemLocation, MemoryEvent, MemoryHook,
    PinnedBlock, PinnedPool, Stream, ThreadAllocator,
};
use cuprum::{Array, DType, RawParts};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::cuda::{EventHandle, StreamHandle, device, id_of};
use crate::errors::{OrRaise, value_error};
use crate::memory::{BaseMemory, allocator_of};

/// A graph, held by `cuprum.cuda.Graph`.
#[pyclass(name = "GraphHandle", module = "cuprum._cuprum", frozen)]
pub(crate) struct GraphHandle(Graph);

#[pymethods]
impl GraphHandle {
    /// The driver's handles of the graph and of its executable.
    #[getter]
    fn handles(&self) -> (usize, usize) {
        self.0.handles()
    }

    #[getter]
    fn device_id(&self) -> usize {
        id_of(self.0.device())
    }

    #[pyo3(signature = (stream=None))]
    fn launch(&self, stream: Option<&StreamHandle>) -> PyResult<()> {
        match stream {
            Some(stream) => self.0.launch_on(&stream.0).or_raise(),
            None => self.0.launch().or_raise(),
        }
    }

    #[pyo3(signature = (stream=None))]
    fn upload(&self, stream: Option<&StreamHandle>) -> PyResult<()> {
        match stream {
            Some(stream) => self.0.upload(&stream.0).or_raise(),
            None => self.0.upload(&self.0.device().current_stream()).or_raise(),
        }
    }

    fn to_dot(&self, flags: u32) -> PyResult<String> {
        self.0.to_dot(flags).or_raise()
    }

    fn nodes(&self) -> PyResult<usize> {
        self.0.nodes().or_raise()
    }
}

#[pymethods]
impl StreamHandle {
    /// Returns the per-thread default stream.
    #[staticmethod]
    fn of_thread(device_id: i64) -> PyResult<StreamHandle> {
        Ok(StreamHandle(Stream::of_thread(device(device_id)?).or_raise()?))
    }

    #[getter]
    fn is_non_blocking(&self) -> bool {
        self.0.is_non_blocking()
    }

    #[getter]
    fn priority(&self) -> i32 {
        self.0.priority()
    }

    fn is_capturing(&self) -> PyResult<bool> {
        self.0.capture_status().or_raise()
    }

    fn begin_capture(&self) -> PyResult<()> {
        self.0.begin_capture().or_raise()
    }

    fn end_capture(&self) -> PyResult<GraphHandle> {
        Ok(GraphHandle(self.0.end_capture().or_raise()?))
    }
}

#[pymethods]
impl EventHandle {
    /// Creates an event with options.
    #[staticmethod]
    fn with_options(blocking: bool, timed: bool) -> PyResult<EventHandle> {
        Ok(EventHandle(Event::with_options(Device::current().or_raise()?, blocking, timed).or_raise()?))
    }
}

/// A memory pool of the driver (`cudaMemPool`).
#[pyclass(name = "AsyncPoolHandle", module = "cuprum._cuprum", frozen)]
pub(crate) struct AsyncPoolHandle(AsyncPool);

#[pymethods]
impl AsyncPoolHandle {
    #[staticmethod]
    fn current(device_id: i64) -> PyResult<AsyncPoolHandle> {
        Ok(AsyncPoolHandle(AsyncPool::current(device(device_id)?).or_raise()?))
    }

    #[staticmethod]
    fn usual(device_id: i64) -> PyResult<AsyncPoolHandle> {
        Ok(AsyncPoolHandle(AsyncPool::usual(device(device_id)?).or_raise()?))
    }

    #[staticmethod]
    fn create(device_id: i64) -> PyResult<AsyncPoolHandle> {
        Ok(AsyncPoolHandle(AsyncPool::new(device(device_id)?).or_raise()?))
    }

    /// Wraps a pool of another library.
    #[staticmethod]
    fn external(handle: usize, device_id: i64) -> PyResult<AsyncPoolHandle> {
        // SAFETY: the caller guarantees that the pool exists as long as the object, as in CuPy.
        Ok(AsyncPoolHandle(unsafe { AsyncPool::from_handle(device(device_id)?, handle) }))
    }

    #[getter]
    fn handle(&self) -> usize {
        self.0.handle()
    }

    fn make_current(&self) -> PyResult<()> {
        self.0.make_current().or_raise()
    }

    /// Allocates memory of the pool, as an object of `MemoryAsync`.
    fn malloc(&self, py: Python<'_>, size: usize) -> PyResult<Py<MemoryAsync>> {
        let memory = py.detach(|| self.0.alloc(size)).or_raise()?;
        let (ptr, current) = (memory.pointer(), Device::current().or_raise()?);
        let base = over(current, ptr, size, memory)?;
        Py::new(py, PyClassInitializer::from(base).add_subclass(MemoryAsync))
    }

    fn used_bytes(&self) -> PyResult<usize> {
        self.0.used_bytes().or_raise()
    }

    fn reserved_bytes(&self) -> PyResult<usize> {
        self.0.reserved_bytes().or_raise()
    }

    fn peak_bytes(&self) -> PyResult<(usize, usize)> {
        self.0.peak_bytes().or_raise()
    }

    fn reset_peaks(&self) -> PyResult<()> {
        self.0.reset_peaks().or_raise()
    }

    fn trim_to(&self, keep: usize) -> PyResult<()> {
        self.0.trim_to(keep).or_raise()
    }

    fn release_threshold(&self) -> PyResult<usize> {
        self.0.release_threshold().or_raise()
    }

    fn set_release_threshold(&self, bytes: usize) -> PyResult<()> {
        self.0.set_release_threshold(bytes).or_raise()
    }

    fn set_limit(&self, bytes: Option<usize>) {
        self.0.set_limit(bytes);
    }

    fn limit(&self) -> Option<usize> {
        self.0.limit()
    }
}

/// Wraps memory at an address, which an owner keeps alive.
fn over(device: Device, ptr: u64, size: usize, owner: impl Send + Sync + 'static) -> PyResult<BaseMemory> {
    let parts = RawParts::new(device, ptr, DType::U8, [size]);
    // SAFETY: the owner keeps this many bytes alive.
    let bytes = unsafe { Array::from_raw_parts(parts, owner) }.or_raise()?;
    Ok(BaseMemory::new(bytes, ptr))
}

/// Memory of the driver's memory pool.
#[pyclass(name = "MemoryAsync", module = "cuprum.cuda", subclass, extends = BaseMemory, frozen)]
pub(crate) struct MemoryAsync;

/// Managed memory, which the driver migrates between the host and the devices.
#[pyclass(name = "ManagedMemory", module = "cuprum.cuda", subclass, extends = BaseMemory, frozen)]
pub(crate) struct ManagedMemory(Arc<Managed>);

fn location(id: i64) -> PyResult<MemLocation> {
    Ok(if id == -1 { MemLocation::Host } else { MemLocation::Device(device(id)?) })
}

#[pymethods]
impl ManagedMemory {
    #[new]
    fn new(size: usize) -> PyResult<PyClassInitializer<ManagedMemory>> {
        let current = Device::current().or_raise()?;
        let memory = Arc::new(Managed::new(current, size).or_raise()?);
        let base = over(current, memory.pointer(), size, memory.clone())?;
        Ok(PyClassInitializer::from(base).add_subclass(ManagedMemory(memory)))
    }

    /// Advises the driver of the use of the memory: a constant of CUDA, for a device or for the host (-1).
    #[pyo3(name = "_advise")]
    fn advise(&self, advice: i32, device_id: i64) -> PyResult<()> {
        let Some(advice) = Advice::of_number(advice) else {
            return value_error(format!("there is no advice of the number {advice}"));
        };
        self.0.advise(advice, location(device_id)?).or_raise()
    }

    /// Prefetches the memory to a device or to the host (-1) in the order of a stream.
    #[pyo3(name = "_prefetch")]
    fn prefetch(&self, stream: &StreamHandle, device_id: i64) -> PyResult<()> {
        self.0.prefetch(&stream.0, location(device_id)?).or_raise()
    }
}

/// A pool of pinned memory.
#[pyclass(name = "PinnedPoolHandle", module = "cuprum._cuprum", frozen)]
pub(crate) struct PinnedPoolHandle(PinnedPool);

#[pymethods]
impl PinnedPoolHandle {
    #[new]
    fn new() -> PyResult<PinnedPoolHandle> {
        Ok(PinnedPoolHandle(PinnedPool::new(Device::current().or_raise()?)))
    }

    fn malloc(&self, size: usize) -> PyResult<PooledPinnedMemory> {
        Ok(PooledPinnedMemory(self.0.alloc(size).or_raise()?))
    }

    fn free_all_blocks(&self) {
        self.0.free_all_blocks();
    }

    fn n_free_blocks(&self) -> usize {
        self.0.free_blocks()
    }
}

/// Memory of a pool of pinned memory.
#[pyclass(name = "PooledPinnedMemory", module = "cuprum.cuda", frozen, weakref)]
pub(crate) struct PooledPinnedMemory(PinnedBlock);

#[pymethods]
impl PooledPinnedMemory {
    #[getter]
    fn ptr(&self) -> usize {
        self.0.pointer()
    }

    #[getter]
    fn size(&self) -> usize {
        self.0.bytes()
    }

    fn __int__(&self) -> usize {
        self.0.pointer()
    }
}

/// A memory hook in Python.
struct Hook(Py<PyAny>);

impl Hook {
    fn notify(&self, name: &str, event: &MemoryEvent, size: bool, ptr: bool) -> cuprum::Result<()> {
        Python::attach(|py| {
            let event_dict = PyDict::new(py);
            event_dict.set_item("device_id", id_of(event.device))?;
            event_dict.set_item("mem_size", event.given_bytes)?;
            if size {
                event_dict.set_item("size", event.bytes)?;
            }
            if ptr {
                event_dict.set_item("mem_ptr", event.address)?;
            }
            if ptr && !name.starts_with("alloc") {
                // Addresses of simultaneously allocated blocks are distinct.
                event_dict.set_item("pmem_id", event.address)?;
            }
            self.0.bind(py).call_method(name, (), Some(&event_dict)).map(|_| ())
        })
        .map_err(|e| cuprum::Error::new(cuprum::ErrorKind::Value, format!("the memory hook's {name} failed: {e}")))
    }
}

impl MemoryHook for Hook {
    fn alloc_preprocess(&self, event: &MemoryEvent) -> cuprum::Result<()> {
        self.notify("alloc_preprocess", event, false, false)
    }

    fn alloc_postprocess(&self, event: &MemoryEvent) -> cuprum::Result<()> {
        self.notify("alloc_postprocess", event, false, true)
    }

    fn malloc_preprocess(&self, event: &MemoryEvent) -> cuprum::Result<()> {
        self.notify("malloc_preprocess", event, true, false)
    }

    fn malloc_postprocess(&self, event: &MemoryEvent) -> cuprum::Result<()> {
        self.notify("malloc_postprocess", event, true, true)
    }

    fn free_preprocess(&self, event: &MemoryEvent) -> cuprum::Result<()> {
        self.notify("free_preprocess", event, false, true)
    }

    fn free_postprocess(&self, event: &MemoryEvent) -> cuprum::Result<()> {
        self.notify("free_postprocess", event, false, true)
    }
}

#[pyfunction]
fn push_memory_hook(name: &str, hook: Py<PyAny>) -> PyResult<()> {
    cuda::push_memory_hook(name, Arc::new(Hook(hook))).or_raise()
}

#[pyfunction]
fn pop_memory_hook(name: &str) -> PyResult<()> {
    cuda::pop_memory_hook(name).or_raise()
}

/// The previous allocator of a thread.
#[pyclass(name = "ThreadAllocatorHandle", module = "cuprum._cuprum", frozen)]
struct PreviousAllocator(ThreadAllocator);

/// Sets the allocator of this thread: a Python function, or the pools; returns the previous one.
#[pyfunction]
fn choose_thread_allocator(function: Option<Py<PyAny>>) -> PreviousAllocator {
    let choice = function.map_or(ThreadAllocator::Pools, |function| ThreadAllocator::Own(allocator_of(function)));
    // SAFETY: the caller guarantees that arrays may use the allocator's memory, as in CuPy.
    PreviousAllocator(unsafe { cuda::set_thread_allocator(choice) })
}

/// Restores the previous allocator of the thread.
#[pyfunction]
fn restore_thread_allocator(chosen: &PreviousAllocator) {
    // SAFETY: it was set before.
    unsafe { cuda::set_thread_allocator(chosen.0.clone()) };
}

/// Sets whether calls of this thread may synchronise with a device; returns the previous setting.
#[pyfunction]
fn allow_synchronize(allow: bool) -> bool {
    cuda::allow_synchronize(allow)
}

#[pyfunction]
fn stream_priorities(device_id: i64) -> PyResult<(i32, i32)> {
    Stream::priorities(device(device_id)?).or_raise()
}

#[pyfunction]
fn can_access_peer(id: i64, other: i64) -> PyResult<bool> {
    device(id)?.can_access_peer(device(other)?).or_raise()
}

#[pyfunction]
fn disable_peer_access(id: i64, other: i64) -> PyResult<()> {
    device(id)?.disable_peer_access(device(other)?).or_raise()
}

#[pyfunction]
fn enable_peer_access(id: i64, other: i64) -> PyResult<()> {
    device(id)?.enable_peer_access(device(other)?).or_raise()
}

#[pyfunction]
fn device_limit(id: i64, number: i32) -> PyResult<usize> {
    device(id)?.limit(number).or_raise()
}

#[pyfunction]
fn set_device_limit(id: i64, number: i32, value: usize) -> PyResult<()> {
    device(id)?.set_limit(number, value).or_raise()
}

#[pyfunction]
fn profiler(on: bool) -> PyResult<()> {
    if on { cuda::profiler::start() } else { cuda::profiler::stop() }.or_raise()
}

/// Adds the classes and functions to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<GraphHandle>()?;
    module.add_class::<AsyncPoolHandle>()?;
    module.add_class::<MemoryAsync>()?;
    module.add_class::<ManagedMemory>()?;
    module.add_class::<PinnedPoolHandle>()?;
    module.add_class::<PooledPinnedMemory>()?;
    module.add_class::<PreviousAllocator>()?;
    module.add_function(wrap_pyfunction!(push_memory_hook, module)?)?;
    module.add_function(wrap_pyfunction!(pop_memory_hook, module)?)?;
    module.add_function(wrap_pyfunction!(choose_thread_allocator, module)?)?;
    module.add_function(wrap_pyfunction!(restore_thread_allocator, module)?)?;
    module.add_function(wrap_pyfunction!(allow_synchronize, module)?)?;
    module.add_function(wrap_pyfunction!(stream_priorities, module)?)?;
    module.add_function(wrap_pyfunction!(can_access_peer, module)?)?;
    module.add_function(wrap_pyfunction!(enable_peer_access, module)?)?;
    module.add_function(wrap_pyfunction!(disable_peer_access, module)?)?;
    module.add_function(wrap_pyfunction!(device_limit, module)?)?;
    module.add_function(wrap_pyfunction!(set_device_limit, module)?)?;
    module.add_function(wrap_pyfunction!(profiler, module)?)
}
