//! Devices, streams and events, for `cuprum.cuda`.

use cuprum::cuda::{Device, Event, Stream};
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::{OrRaise, type_error, value_error};

/// Returns the number of simulated devices: `CUPRUM_SIM_DEVICES`, or one.
fn simulated() -> PyResult<i64> {
    match std::env::var("CUPRUM_SIM_DEVICES") {
        Ok(text) => match text.parse() {
            Ok(count @ 1..=16) => Ok(count),
            _ => value_error(format!("CUPRUM_SIM_DEVICES must be a number from 1 to 16, not {text:?}")),
        },
        Err(_) => Ok(1),
    }
}

/// Returns the device of a number in CuPy's numbering; the current one for -1. Numbers refer to simulated devices or
/// AMD GPUs if one of these is current.
pub(crate) fn device(id: i64) -> PyResult<Device> {
    let current = Device::current().or_raise()?;
    match (id, current.ordinal()) {
        (-1, _) => Ok(current),
        (..-1, _) => value_error(format!("there is no device {id}")),
        (_, Some(_)) => Device::open(&format!("cuda:{id}")).or_raise(),
        _ if is_hip(current) => Device::open(&format!("hip:{id}")).or_raise(),
        (_, None) if id < simulated()? => Device::open(&format!("sim:{id}")).or_raise(),
        (_, None) => value_error(format!(
            "there is no device {id}: the simulator is the only kind, with {} devices (CUPRUM_SIM_DEVICES)",
            simulated()?
        )),
    }
}

/// Returns true for an AMD GPU.
fn is_hip(device: Device) -> bool {
    device.info().id.starts_with("hip:")
}

/// Returns the number of a device among those of its kind.
pub(crate) fn id_of(device: Device) -> usize {
    device.number()
}

/// Converts a Python object to a device: a `Device`, a number, or a name.
pub(crate) fn device_of(object: &Bound<'_, PyAny>) -> PyResult<Device> {
    if let Ok(id) = object.extract::<i64>() {
        return device(id);
    }
    if let Ok(name) = object.extract::<String>() {
        return Device::open(&name).or_raise();
    }
    match object.getattr_opt(intern!(object.py(), "id"))? {
        Some(id) => device(id.extract()?),
        None => Err(PyTypeError::new_err(format!("a device is expected, not {}", object.get_type()))),
    }
}

#[pyfunction]
fn device_count() -> PyResult<usize> {
    let current = Device::current().or_raise()?;
    match current.ordinal() {
        None if is_hip(current) => Device::hip_count().or_raise(),
        None => Ok(simulated()? as usize),
        Some(_) => Device::count().or_raise(),
    }
}

#[pyfunction]
fn gpu_count() -> PyResult<usize> {
    Device::count().or_raise()
}

#[pyfunction]
fn current_device() -> PyResult<usize> {
    Ok(id_of(Device::current().or_raise()?))
}

#[pyfunction]
fn use_device(id: i64) -> PyResult<()> {
    device(id)?.make_current();
    Ok(())
}

#[pyfunction]
fn is_simulated(id: i64) -> PyResult<bool> {
    let device = device(id)?;
    Ok(device.ordinal().is_none() && !is_hip(device))
}

#[pyfunction]
fn device_info<'py>(py: Python<'py>, id: i64) -> PyResult<Bound<'py, PyDict>> {
    let info = device(id)?.info();
    let facts = PyDict::new(py);
    facts.set_item("name", &info.name)?;
    facts.set_item("id", &info.id)?;
    facts.set_item("target", &info.target)?;
    facts.set_item("multiprocessors", info.multiprocessors)?;
    facts.set_item("memory_bytes", info.memory_bytes)?;
    facts.set_item("l2_bytes", info.l2_bytes)?;
    facts.set_item("driver", &info.driver)?;
    Ok(facts)
}

#[pyfunction]
fn device_attribute(id: i64, number: i32) -> PyResult<i32> {
    device(id)?.attribute(number).or_raise()
}

#[pyfunction]
fn device_synchronize(py: Python<'_>, id: i64) -> PyResult<()> {
    let device = device(id)?;
    py.detach(|| device.synchronize()).or_raise()
}

#[pyfunction]
fn pci_bus_id(id: i64) -> PyResult<String> {
    device(id)?.pci_bus_id().or_raise()
}

/// Returns the number of free bytes, and of all bytes.
#[pyfunction]
fn memory_info(id: i64) -> PyResult<(u64, u64)> {
    let device = device(id)?;
    Ok((device.free_bytes().or_raise()?, device.info().memory_bytes))
}

/// Returns statistics of the pool: bytes in arrays, bytes still used by streams, bytes taken from the device, the
/// limit, and the number of free blocks.
#[pyfunction]
fn pool_stats(id: i64) -> PyResult<(usize, usize, usize, Option<usize>, usize)> {
    let pool = device(id)?.memory_pool();
    let stats = pool.stats();
    Ok((stats.used_bytes, stats.pending_bytes, stats.total_bytes, stats.limit_bytes, pool.free_blocks()))
}

#[pyfunction]
fn pool_set_limit(id: i64, bytes: Option<usize>) -> PyResult<()> {
    device(id)?.memory_pool().set_limit(bytes);
    Ok(())
}

#[pyfunction]
fn pool_free_all_blocks(py: Python<'_>, id: i64) -> PyResult<()> {
    let device = device(id)?;
    py.detach(|| device.free_all_blocks()).or_raise()
}

#[pyfunction]
fn nvrtc_version() -> PyResult<String> {
    Device::nvrtc_version().or_raise()
}

/// A stream, held by `cuprum.cuda.Stream`.
#[pyclass(name = "StreamHandle", module = "cuprum._cuprum", frozen)]
pub(crate) struct StreamHandle(pub(crate) Stream);

#[pymethods]
impl StreamHandle {
    #[new]
    #[pyo3(signature = (device_id=-1, non_blocking=false, priority=0))]
    fn new(device_id: i64, non_blocking: bool, priority: i32) -> PyResult<StreamHandle> {
        Ok(StreamHandle(Stream::with_options(device(device_id)?, non_blocking, priority).or_raise()?))
    }

    /// Returns the default stream of a device.
    #[staticmethod]
    fn default(device_id: i64) -> PyResult<StreamHandle> {
        Ok(StreamHandle(device(device_id)?.default_stream()))
    }

    /// Returns the current stream of this thread.
    #[staticmethod]
    fn current(device_id: i64) -> PyResult<StreamHandle> {
        Ok(StreamHandle(device(device_id)?.current_stream()))
    }

    /// Wraps a stream of another library.
    #[staticmethod]
    fn external(ptr: usize, device_id: i64) -> PyResult<StreamHandle> {
        // SAFETY: the caller guarantees that the stream exists as long as the object, as in CuPy.
        Ok(StreamHandle(unsafe { Stream::from_handle(device(device_id)?, ptr) }.or_raise()?))
    }

    #[getter]
    fn ptr(&self) -> usize {
        self.0.handle()
    }

    #[getter]
    fn device_id(&self) -> usize {
        id_of(self.0.device())
    }

    #[getter]
    fn done(&self) -> PyResult<bool> {
        self.0.is_done().or_raise()
    }

    fn synchronize(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.0.synchronize()).or_raise()
    }

    fn wait_event(&self, py: Python<'_>, event: &EventHandle) -> PyResult<()> {
        py.detach(|| self.0.wait_event(&event.0)).or_raise()
    }

    /// Makes the stream and its device current; returns the previous stream on that device, and the previous device.
    fn make_current(&self) -> PyResult<(StreamHandle, usize)> {
        let device = id_of(Device::current().or_raise()?);
        Ok((StreamHandle(self.0.make_current()), device))
    }

    fn __eq__(&self, other: &StreamHandle) -> bool {
        self.0 == other.0 || self.0.device() == other.0.device() && self.0.handle() == other.0.handle()
    }

    fn __hash__(&self) -> usize {
        self.0.handle()
    }
}

/// CUDA's handle of the default stream of the calling thread.
const PER_THREAD: usize = 2;

/// Returns the stream of a Python object: of a stream of this package, or of one of another library, which has CUDA's
/// handle in `__cuda_stream__` or `ptr`.
#[pyfunction]
pub(crate) fn stream_of(object: &Bound<'_, PyAny>) -> PyResult<StreamHandle> {
    let py = object.py();
    if let Some(handle) = object.getattr_opt(intern!(py, "_handle"))?
        && let Ok(handle) = handle.cast::<StreamHandle>()
    {
        return Ok(StreamHandle(handle.get().0.clone()));
    }
    let handle = if let Some(protocol) = object.getattr_opt(intern!(py, "__cuda_stream__"))? {
        let (version, handle): (i64, usize) = protocol.call0()?.extract()?;
        if version != 0 {
            return value_error(format!("__cuda_stream__ of version {version} is not known: known is 0"));
        }
        handle
    } else if let Some(handle) = object.getattr_opt(intern!(py, "ptr"))? {
        handle.extract()?
    } else {
        return type_error(format!(
            "a stream is a cuprum.cuda.Stream, or an object with __cuda_stream__ or ptr, not {}",
            object.get_type()
        ));
    };
    let device = Device::current().or_raise()?;
    if handle == PER_THREAD {
        return Stream::of_thread(device).or_raise().map(StreamHandle);
    }
    // SAFETY: the caller guarantees that the stream exists as long as its work, as in CuPy.
    unsafe { Stream::from_handle(device, handle) }.or_raise().map(StreamHandle)
}

/// An event, held by `cuprum.cuda.Event`.
#[pyclass(name = "EventHandle", module = "cuprum._cuprum", frozen)]
pub(crate) struct EventHandle(pub(crate) Event);

#[pymethods]
impl EventHandle {
    #[new]
    fn new() -> PyResult<EventHandle> {
        Ok(EventHandle(Event::new(Device::current().or_raise()?).or_raise()?))
    }

    #[getter]
    fn ptr(&self) -> usize {
        self.0.handle()
    }

    #[getter]
    fn done(&self) -> PyResult<bool> {
        self.0.is_done().or_raise()
    }

    #[pyo3(signature = (stream=None))]
    fn record(&self, stream: Option<&StreamHandle>) -> PyResult<()> {
        match stream {
            Some(stream) => self.0.record_on(&stream.0).or_raise(),
            None => self.0.record().or_raise(),
        }
    }

    fn synchronize(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.0.synchronize()).or_raise()
    }

    fn elapsed_since(&self, start: &EventHandle) -> PyResult<f32> {
        self.0.elapsed_ms_since(&start.0).or_raise()
    }
}

/// Adds the functions and classes to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<StreamHandle>()?;
    module.add_class::<EventHandle>()?;
    module.add_function(wrap_pyfunction!(device_count, module)?)?;
    module.add_function(wrap_pyfunction!(gpu_count, module)?)?;
    module.add_function(wrap_pyfunction!(current_device, module)?)?;
    module.add_function(wrap_pyfunction!(use_device, module)?)?;
    module.add_function(wrap_pyfunction!(is_simulated, module)?)?;
    module.add_function(wrap_pyfunction!(device_info, module)?)?;
    module.add_function(wrap_pyfunction!(device_attribute, module)?)?;
    module.add_function(wrap_pyfunction!(device_synchronize, module)?)?;
    module.add_function(wrap_pyfunction!(pci_bus_id, module)?)?;
    module.add_function(wrap_pyfunction!(memory_info, module)?)?;
    module.add_function(wrap_pyfunction!(pool_stats, module)?)?;
    module.add_function(wrap_pyfunction!(pool_set_limit, module)?)?;
    module.add_function(wrap_pyfunction!(pool_free_all_blocks, module)?)?;
    module.add_function(wrap_pyfunction!(stream_of, module)?)?;
    module.add_function(wrap_pyfunction!(nvrtc_version, module)?)
}
