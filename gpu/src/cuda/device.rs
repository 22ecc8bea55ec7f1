//! Devices, their buffers, and the kernels compiled for them.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Instant;

use super::pool::MemoryPool;
use super::stream::{current_stream, with_stream};
use crate::driver::archive::{self, Request};
use crate::driver::cache::{DiskCache, Key, key};
use crate::driver::cuda::{Cuda, device_count};
use crate::driver::nvrtc::{identity, nvrtc};
use crate::driver::sim::Sim;
use crate::driver::{DeviceInfo, Driver, Function};
use crate::error::{Error, ErrorKind, Result};

/// What every text is compiled with. Contraction of a multiplication and an addition would round differently from device
/// to device.
pub(super) const OPTIONS: [&str; 3] = ["--std=c++17", "-default-device", "--fmad=false"];

/// A device: a GPU, or the simulator. A handle; devices live as long as the process.
#[derive(Clone, Copy)]
pub struct Device(&'static Inner);

struct Inner {
    driver: Box<dyn Driver>,
    pool: MemoryPool,
    disk: DiskCache,
    modules: Mutex<HashMap<Key, (usize, Vec<String>)>>,
    stats: Counters,
}

#[derive(Default)]
struct Counters {
    compiles: AtomicU64,
    compile_us: AtomicU64,
    disk_hits: AtomicU64,
    memory_hits: AtomicU64,
    launches: AtomicU64,
}

/// What the kernel cache has done in this process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheStats {
    /// Kernels compiled by NVRTC.
    pub compiles: u64,
    /// Microseconds spent in NVRTC.
    pub compile_us: u64,
    /// Kernels found on disk.
    pub disk_hits: u64,
    /// Kernels found loaded, beyond what the engines remember themselves.
    pub memory_hits: u64,
    /// Kernels launched.
    pub launches: u64,
}

/// A kernel's text and how it is compiled.
#[derive(Clone, Debug, Default)]
pub(crate) struct Source<'a> {
    /// For messages.
    pub(crate) name: Cow<'a, str>,
    pub(crate) text: Cow<'a, str>,
    pub(crate) options: Vec<String>,
    /// Names that are kernels only when instantiated: `f<float>`.
    pub(crate) expressions: Vec<String>,
}

thread_local! {
    static CURRENT: Cell<Option<Device>> = const { Cell::new(None) };
}

/// Every device that was opened, by its id.
fn opened() -> &'static Mutex<HashMap<String, Device>> {
    static OPENED: OnceLock<Mutex<HashMap<String, Device>>> = OnceLock::new();
    OPENED.get_or_init(Mutex::default)
}

impl Device {
    /// The device that this thread works on.
    ///
    /// It is the one that [`Device::with`] made current; otherwise the one that `CUPRUM_DEVICE` names (`cuda:0`,
    /// `sim`); otherwise the first CUDA device, and where there is none the simulator.
    ///
    /// # Errors
    ///
    /// As [`Device::open`].
    pub fn current() -> Result<Device> {
        if let Some(device) = CURRENT.get() {
            return Ok(device);
        }
        let device = match std::env::var("CUPRUM_DEVICE") {
            Ok(id) if !id.is_empty() => Device::open(&id)?,
            _ if device_count().is_ok_and(|n| n > 0) => Device::open("cuda:0")?,
            _ => Device::open("sim")?,
        };
        CURRENT.set(Some(device));
        Ok(device)
    }

    /// The device of this id: `cuda:0`, `cuda:1`, …, `sim`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for another id, [`ErrorKind::Library`] where the driver is missing,
    /// [`ErrorKind::Driver`] where there is no such device.
    pub fn open(id: &str) -> Result<Device> {
        let id = canonical(id)?;
        let mut opened = opened().lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(device) = opened.get(&id) {
            return Ok(*device);
        }
        let driver: Box<dyn Driver> = match ordinal(&id) {
            Some(n) => Box::new(Cuda::open(n)?),
            None => Box::new(Sim::open()?),
        };
        let pool = MemoryPool::with_limit(memory_limit(driver.info())?);
        let device = Device::leak(driver, pool);
        opened.insert(id, device);
        Ok(device)
    }

    fn leak(driver: Box<dyn Driver>, pool: MemoryPool) -> Device {
        Device(Box::leak(Box::new(Inner {
            driver,
            pool,
            disk: DiskCache::from_environment(),
            modules: Mutex::default(),
            stats: Counters::default(),
        })))
    }

    /// A second simulated device, which no id opens.
    #[cfg(test)]
    pub(crate) fn another_for_test() -> Device {
        Device::leak(Box::new(Sim::open().expect("the simulator opens")), MemoryPool::default())
    }

    /// Calls `f` with this device current on the thread, on its default stream unless it was current already.
    pub fn with<R>(&self, f: impl FnOnce() -> R) -> R {
        /// Puts the old device back, also when `f` panics.
        struct Restore(Option<Device>);
        impl Drop for Restore {
            fn drop(&mut self) {
                CURRENT.set(self.0);
            }
        }
        let before = CURRENT.replace(Some(*self));
        let _restore = Restore(before);
        // A stream belongs to one device: its handle means nothing to another.
        if before == Some(*self) { f() } else { with_stream(0, f) }
    }

    /// What the device is.
    pub fn info(&self) -> &'static DeviceInfo {
        self.0.driver.info()
    }

    /// Waits until all work on the device is done.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Driver`], also for work queued earlier that has failed.
    ///
    /// # Synchronization
    ///
    /// The host waits for the device.
    pub fn synchronize(&self) -> Result<()> {
        self.0.driver.synchronize()
    }

    /// The device's memory pool.
    pub fn memory_pool(&self) -> &'static MemoryPool {
        &self.0.pool
    }

    /// Gives the memory that the pool keeps but no array uses back to the device.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Driver`] when the device refuses.
    ///
    /// # Synchronization
    ///
    /// The host waits for the device if there is memory to give back.
    pub fn free_all_blocks(&self) -> Result<()> {
        self.0.pool.free_all_blocks(self.driver())
    }

    /// What the kernel cache has done so far.
    pub fn cache_stats(&self) -> CacheStats {
        let s = &self.0.stats;
        CacheStats {
            compiles: s.compiles.load(Relaxed),
            compile_us: s.compile_us.load(Relaxed),
            disk_hits: s.disk_hits.load(Relaxed),
            memory_hits: s.memory_hits.load(Relaxed),
            launches: s.launches.load(Relaxed),
        }
    }

    /// The version of NVRTC, which compiles kernels: `13.0`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Library`] where it is missing.
    pub fn nvrtc_version() -> Result<String> {
        Ok(nvrtc()?.version())
    }

    pub(crate) fn driver(&self) -> &'static dyn Driver {
        &*self.0.driver
    }

    /// Which device it is, as a small number for keys.
    pub(crate) fn address(&self) -> usize {
        std::ptr::from_ref(self.0) as usize
    }

    /// Memory of the pool for work on the current stream, unwritten.
    pub(crate) fn alloc(&self, bytes: usize) -> Result<Buffer> {
        let stream = current_stream();
        let addr = if bytes == 0 { 0 } else { self.0.pool.alloc(self.driver(), bytes, stream)? };
        Ok(Buffer { addr, bytes, stream, device: *self })
    }

    /// Where this thread's work on the device goes.
    pub(crate) fn queue(&self) -> Queue {
        Queue { device: *self, stream: current_stream() }
    }

    /// The functions of a compiled text: those of the name expressions, then those of `names`.
    pub(crate) fn compile(&self, source: &Source<'_>, names: &[&str]) -> Result<Vec<Function>> {
        let (module, lowered) = self.module(source)?;
        let lowered = lowered.iter().map(String::as_str);
        lowered.chain(names.iter().copied()).map(|name| self.driver().function(module, name)).collect()
    }

    fn module(&self, source: &Source<'_>) -> Result<(usize, Vec<String>)> {
        let target = &self.info().target;
        let mut options: Vec<String> = OPTIONS.map(String::from).into();
        options.extend(source.options.iter().cloned());
        // The count keeps options and name expressions apart.
        let count = options.len().to_string();
        let mut parts = vec![env!("CARGO_PKG_VERSION"), identity(), target, source.text.as_ref(), &count];
        parts.extend(options.iter().chain(&source.expressions).map(String::as_str));
        let key = key(&parts);
        let modules = || self.0.modules.lock().unwrap_or_else(PoisonError::into_inner);
        let stats = &self.0.stats;
        if let Some(found) = modules().get(&key) {
            stats.memory_hits.fetch_add(1, Relaxed);
            return Ok(found.clone());
        }
        let request = Request {
            name: source.name.clone().into_owned(),
            text: source.text.clone().into_owned(),
            options,
            expressions: source.expressions.clone(),
        };
        archive::record(&request)?;
        if let Some(image) = archive::find(&request, target)? {
            let module = self.driver().load(&image.code)?;
            modules().insert(key, (module, image.names.clone()));
            return Ok((module, image.names));
        }
        // An entry that the device does not load is as good as none.
        let kept = self.0.disk.get(&key).and_then(|image| Some((self.driver().load(&image.code).ok()?, image)));
        let (module, image) = match kept {
            Some(found) => {
                stats.disk_hits.fetch_add(1, Relaxed);
                found
            }
            None => {
                let start = Instant::now();
                let Request { name, text, options, expressions } = &request;
                let image = nvrtc()?.compile(text, name, target, options, expressions)?;
                stats.compiles.fetch_add(1, Relaxed);
                stats.compile_us.fetch_add(start.elapsed().as_micros() as u64, Relaxed);
                let module = self.driver().load(&image.code)?;
                self.0.disk.put(&key, &image);
                (module, image)
            }
        };
        modules().insert(key, (module, image.names.clone()));
        Ok((module, image.names))
    }
}

/// The one spelling of a device's id, so that a device is opened once.
fn canonical(id: &str) -> Result<String> {
    match (id, ordinal(id)) {
        ("sim", _) => Ok(id.into()),
        (_, Some(n)) => Ok(format!("cuda:{n}")),
        _ => Err(Error::new(
            ErrorKind::Value,
            format!("there is no device {id:?}: devices are called sim, cuda:0, cuda:1 and so on"),
        )),
    }
}

/// The number of a CUDA device's id; `cuda` is the first.
fn ordinal(id: &str) -> Option<usize> {
    match id.strip_prefix("cuda")? {
        "" => Some(0),
        rest => rest.strip_prefix(':').filter(|n| n.bytes().all(|b| b.is_ascii_digit()))?.parse().ok(),
    }
}

/// The pool's limit: `CUPRUM_MEMORY_LIMIT`, in bytes or as a share of the device's memory (`50%`).
fn memory_limit(info: &DeviceInfo) -> Result<Option<usize>> {
    let Ok(text) = std::env::var("CUPRUM_MEMORY_LIMIT") else { return Ok(None) };
    let parsed = match text.strip_suffix('%') {
        Some(share) => share.parse::<f64>().ok().map(|s| (info.memory_bytes as f64 * s / 100.0) as usize),
        None => text.parse().ok(),
    };
    match parsed {
        Some(0) => Ok(None),
        Some(limit) => Ok(Some(limit)),
        None => Err(Error::new(
            ErrorKind::Value,
            format!("CUPRUM_MEMORY_LIMIT must be a number of bytes or a percentage, not {text:?}"),
        )),
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Device({})", self.info().id)
    }
}

impl PartialEq for Device {
    fn eq(&self, other: &Device) -> bool {
        self.address() == other.address()
    }
}

impl Eq for Device {}

/// Memory of a device. Dropping it gives it back to the pool, for the stream that it was taken on.
#[derive(Debug)]
pub(crate) struct Buffer {
    addr: u64,
    bytes: usize,
    stream: usize,
    device: Device,
}

/// What work does with a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
}

/// A stream of a device: where a thread's work goes. It is asked for once for each piece of work.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Queue {
    device: Device,
    stream: usize,
}

impl Queue {
    pub(crate) fn device(&self) -> Device {
        self.device
    }

    /// The driver's handle of the stream.
    pub(crate) fn handle(&self) -> usize {
        self.stream
    }

    /// Launches a kernel on the stream.
    ///
    /// # Safety
    ///
    /// As [`Driver::launch`].
    pub(crate) unsafe fn launch(
        &self,
        function: Function,
        grid: [u32; 3],
        block: [u32; 3],
        params: &[u8],
    ) -> Result<()> {
        self.device.0.stats.launches.fetch_add(1, Relaxed);
        // SAFETY: the caller answers for the parameters.
        unsafe { self.device.driver().launch(function, grid, block, 0, self.stream, params) }
    }
}

impl Buffer {
    /// Says that work which is about to be queued there uses the buffer. Every use of the address is told.
    pub(crate) fn touch(&self, _queue: &Queue, _access: Access) -> Result<()> {
        Ok(())
    }

    pub(crate) fn addr(&self) -> u64 {
        self.addr
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(crate) fn device(&self) -> Device {
        self.device
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if self.bytes > 0 {
            // A device that refuses has failed already, and says so at the next call.
            let _ = self.device.0.pool.free(self.device.driver(), self.addr, self.bytes, self.stream);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_absent_device_is_an_error_that_says_what_is_missing() {
        let e = Device::open("tpu:0").unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Value);
        if device_count().is_err() {
            let e = Device::open("cuda:0").unwrap_err();
            assert_eq!(e.kind(), ErrorKind::Library);
            assert!(e.message().contains("libcuda.so.1") && e.message().contains("CUPRUM_DEVICE=sim"), "{e}");
        }
    }

    #[test]
    fn every_spelling_of_an_id_is_the_same_device() {
        // A machine without a driver has no second spelling to open; the names are resolved before it is asked.
        assert_eq!(canonical("cuda").unwrap(), "cuda:0");
        assert_eq!(canonical("cuda:00").unwrap(), "cuda:0");
        assert_eq!(canonical("cuda:12").unwrap(), "cuda:12");
        assert_eq!(canonical("sim").unwrap(), "sim");
        for id in ["", "sim:0", "cuda:", "cuda:-1", "cuda:+1", "tpu:0"] {
            assert_eq!(canonical(id).unwrap_err().kind(), ErrorKind::Value, "{id}");
        }
    }

    #[test]
    fn a_matrix_that_begins_inside_a_buffer_ends_with_its_last_element() {
        use crate::driver::Gemm;
        use cuprum_kernels::DType;
        let device = Device::open("sim").unwrap();
        // Rows 1 and 2 of a 3 x 2 column-major matrix [[9, 9], [1, 3], [2, 4]]: the leading dimension stays 3.
        let stored = [9f32, 1.0, 2.0, 9.0, 3.0, 4.0];
        let identity = [1f32, 0.0, 0.0, 1.0];
        let bytes = |values: &[f32]| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
        let (a, b, c) = (device.alloc(24).unwrap(), device.alloc(16).unwrap(), device.alloc(16).unwrap());
        let driver = device.driver();
        for (to, values) in [(&a, &stored[..]), (&b, &identity)] {
            // SAFETY: the buffers have as many bytes.
            unsafe { driver.upload(to.addr(), &bytes(values), 0) }.unwrap();
        }
        for (transpose, expected) in [([false; 2], [1f32, 2.0, 3.0, 4.0]), ([true, false], [1.0, 3.0, 2.0, 4.0])] {
            let (a, b, c) = ((a.addr() + 4, 3), (b.addr(), 2), (c.addr(), 2));
            let gemm = Gemm { dtype: DType::F32, transpose, m: 2, n: 2, k: 2, a, b, c };
            // SAFETY: the buffers hold matrices of these sizes.
            unsafe { driver.gemm(&gemm, 0) }.unwrap();
            let mut out = [0; 16];
            // SAFETY: the buffer has as many bytes.
            unsafe { driver.download(&mut out, c.0, 0) }.unwrap();
            assert_eq!(out.as_slice(), bytes(&expected));
        }
    }

    #[test]
    fn a_text_is_compiled_once() {
        let device = Device::open("sim").unwrap();
        let source = Source {
            name: "once".into(),
            text: "extern \"C\" __global__ void once(int *p) { *p = 7; }".into(),
            ..Source::default()
        };
        let first = device.compile(&source, &["once"]).unwrap()[0];
        let before = device.cache_stats();
        device.compile(&source, &["once"]).unwrap();
        assert!(device.cache_stats().memory_hits > before.memory_hits);
        let buffer = device.alloc(4).unwrap();
        // SAFETY: the kernel takes one address and writes four bytes there.
        unsafe { device.queue().launch(first, [1; 3], [1; 3], &buffer.addr().to_le_bytes()) }.unwrap();
        let mut bytes = [0; 4];
        // SAFETY: the buffer has as many bytes.
        unsafe { device.driver().download(&mut bytes, buffer.addr(), 0) }.unwrap();
        assert_eq!(i32::from_le_bytes(bytes), 7);
    }

    #[test]
    fn a_fault_of_a_kernel_is_an_error_that_says_where() {
        let device = Device::open("sim").unwrap();
        let source = Source {
            name: "beyond".into(),
            text: "extern \"C\" __global__ void beyond(int *p) { p[threadIdx.x] = 7; }".into(),
            ..Source::default()
        };
        let beyond = device.compile(&source, &["beyond"]).unwrap()[0];
        let buffer = device.alloc(12).unwrap();
        // SAFETY: on the simulator a kernel that leaves its memory is stopped.
        let e = unsafe { device.queue().launch(beyond, [1; 3], [4, 1, 1], &buffer.addr().to_le_bytes()) }.unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Fault);
        assert!(e.message().contains("kernel beyond") && e.message().contains("thread (3, 0, 0)"), "{e}");
    }
}
