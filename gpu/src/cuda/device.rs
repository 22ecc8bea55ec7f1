//! Devices, and the kernels compiled for them.

use std::cell::Cell;
use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, Once, OnceLock, PoisonError};

use super::async_readback::Aside;
use super::buffer::Buffer;
use super::compiler::Compiler;
use super::device_errors::DeviceErrors;
use super::foreign::{self, Leaving};
use super::graph::Captures;
use super::hook::{self, MemoryEvent};
use super::pool::{MemoryPool, guard, rounded};
use super::queue::{Queue, StreamId};
use super::stream::{self, Stream};
use super::stream_dependencies::{Order, Signal};
use super::trace::{self, TraceKind};
use super::waiting;
use crate::driver::cache::{DiskCache, Key};
use crate::driver::nvrtc::nvrtc;
use crate::driver::{
    DeviceInfo, Driver, StreamHandle, device_count, fork, hip_device_count, open_cuda, open_hip, open_sim,
    sim_is_optimised,
};
use crate::error::{Error, ErrorKind, Result};

mod code;
mod hardware;
mod ids;

pub(super) use code::OPTIONS;
pub(crate) use code::Source;
use ids::{canonical, hip_ordinal, ordinal, simulated};

/// Device: a GPU, or the simulator. A handle; devices live until the process ends.
///
/// It is `Copy`, comparable and hashable; two handles of one id are equal.
///
/// ```
/// use cuprum::cuda::Device;
/// let device = Device::open("sim")?;
/// let a = device.with(|| cuprum::ones(3, ()))?;
/// assert_eq!(a.device(), device);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Device(&'static Inner);

/// State of a device, which lives until the process ends.
struct Inner {
    /// The CUDA device or the simulated one.
    driver: Box<dyn Driver>,
    /// Index of the device in this process, in the order of opening.
    index: usize,
    /// The number of the default stream.
    usual: StreamId,
    /// Live streams and unused events.
    order: Order,
    /// The stream of asynchronous read-backs.
    aside: Aside,
    /// An error that could not be returned when it occurred, for the next call.
    lost: Mutex<Option<Error>>,
    /// True if `lost` has an error: it is tested without the lock.
    has_lost: AtomicBool,
    /// Errors raised by kernels.
    errors: DeviceErrors,
    /// Owners of memory that work still uses.
    leaving: Leaving,
    /// Graphs that are captured or live.
    captures: Captures,
    /// The memory pool.
    pool: MemoryPool,
    /// The disk cache of compiled kernels.
    disk: DiskCache,
    /// The queue of compile requests.
    compiler: Compiler,
    /// Loaded modules and the lowered names of their expressions, by the key of their source.
    modules: Mutex<HashMap<Key, (usize, Vec<String>)>>,
    /// Counters of [`CacheStats`].
    stats: Counters,
}

/// Counters of [`CacheStats`], except for those of the compiler.
#[derive(Default)]
struct Counters {
    /// Kernels that were loaded from the disk cache.
    disk_hits: AtomicU64,
    /// Requests that found a loaded module.
    memory_hits: AtomicU64,
    /// Launches of kernels.
    launches: AtomicU64,
}

/// Statistics of the kernel cache in this process.
///
/// Counters start at 0 with the process; differences of two readings measure a part of a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheStats {
    /// Kernels compiled by NVRTC.
    pub compiles: u64,
    /// Microseconds spent in NVRTC.
    pub compile_us: u64,
    /// Kernels loaded from the disk cache.
    pub disk_hits: u64,
    /// Kernels found in memory, beyond those that the engines cache themselves.
    pub memory_hits: u64,
    /// Kernels launched.
    pub launches: u64,
}

thread_local! {
    static CURRENT: Cell<Option<Device>> = const { Cell::new(None) };
}

/// Returns every opened device, by its id.
fn opened() -> &'static Mutex<HashMap<String, Device>> {
    static OPENED: OnceLock<Mutex<HashMap<String, Device>>> = OnceLock::new();
    OPENED.get_or_init(Mutex::default)
}

impl Device {
    /// Returns the current device of this thread.
    ///
    /// It is the one that [`Device::with`] made current; otherwise the one that `CUPRUM_DEVICE` names (`cuda:0`,
    /// `sim`); otherwise the first CUDA device, or the simulator if there is no driver or no device.
    ///
    /// ```
    /// use cuprum::cuda::Device;
    /// let a = cuprum::ones(3, ())?;
    /// assert_eq!(a.device(), Device::current()?);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Device::open`]. A driver that exists and does not work is an error too: the simulator would take hours for
    /// a program that is written for a GPU.
    pub fn current() -> Result<Device> {
        if let Some(device) = CURRENT.get() {
            return Ok(device);
        }
        let device = match std::env::var("CUPRUM_DEVICE") {
            Ok(id) if !id.is_empty() => Device::open(&id)?,
            _ => Device::default_device()?,
        };
        CURRENT.set(Some(device));
        Ok(device)
    }

    /// Returns the device of a program that names none. If that is the simulator, a warning is printed, once: a program
    /// that is written for a GPU would take hours there.
    fn default_device() -> Result<Device> {
        static WARNED: Once = Once::new();
        let why = match device_count() {
            Ok(0) => "the CUDA driver finds no GPU".into(),
            Ok(_) => return Device::open("cuda:0"),
            Err(_) if cfg!(not(feature = "cuda")) => "the program is built without CUDA".into(),
            Err(e) if e.kind() == ErrorKind::Library => {
                format!("there is {}", e.message().split(". ").next().unwrap_or_default())
            }
            Err(e) => return Err(e),
        };
        let device = Device::open("sim")?;
        WARNED.call_once(|| {
            let slow = if sim_is_optimised() {
                ""
            } else {
                "; it is built without optimisation and some twenty times slower for it (build with --release, or see \
                 `Devices` in the guide for two lines of Cargo.toml)"
            };
            eprintln!("cuprum: running on the simulator, as {why}{slow}. CUPRUM_DEVICE=sim silences this line");
        });
        Ok(device)
    }

    /// Returns the number of CUDA devices: `cuda:0` and so on. CuPy's `getDeviceCount`. It is 0 if there is no driver.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Driver`] if there is a driver that does not work.
    ///
    /// ```
    /// use cuprum::cuda::Device;
    /// for n in 0..Device::count()? {
    ///     println!("{:?}", Device::open(&format!("cuda:{n}"))?.info());
    /// }
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn count() -> Result<usize> {
        counted(device_count())
    }

    /// Returns the number of AMD GPUs: `hip:0` and so on. It is 0 if there is no HIP runtime.
    ///
    /// ```
    /// use cuprum::cuda::Device;
    /// for n in 0..Device::hip_count()? {
    ///     println!("{:?}", Device::open(&format!("hip:{n}"))?.info());
    /// }
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Driver`] if there is a runtime that does not start.
    pub fn hip_count() -> Result<usize> {
        counted(hip_device_count())
    }

    /// Returns the device of this id: `cuda:0`, `cuda:1`, …, or a simulated one: `sim`, `sim:1`, …. AMD GPUs are `hip:0`,
    /// `hip:1`, …; their support is compiled and was never run.
    ///
    /// The device is initialised by the first call for its id: that creates the context on a GPU.
    ///
    /// ```
    /// use cuprum::cuda::Device;
    /// assert_eq!(Device::open("sim:1")?.ordinal(), None);
    /// assert!(Device::open("gpu").is_err());
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for another id, [`ErrorKind::Library`] if the driver is missing, [`ErrorKind::Driver`] if
    /// there is no such device, or if this process was forked from one that had opened a device.
    pub fn open(id: &str) -> Result<Device> {
        fork::check()?;
        let id = canonical(id)?;
        let mut opened = opened().lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(device) = opened.get(&id) {
            return Ok(*device);
        }
        fork::watch()?;
        let driver: Box<dyn Driver> = match ordinal(&id) {
            Some(n) => open_cuda(n)?,
            None => match hip_ordinal(&id) {
                Some(n) => open_hip(n)?,
                None => open_sim(simulated(&id).unwrap_or(0))?,
            },
        };
        let limit = memory_limit(driver.info())?;
        let device = Device::leak(driver, limit, guard::from_environment()?);
        opened.insert(id, device);
        Ok(device)
    }

    /// Creates a device that lives until the process ends, with a limit of its pool and guard zones of some
    /// bytes.
    pub(super) fn leak(driver: Box<dyn Driver>, limit: Option<usize>, guard: Option<usize>) -> Device {
        let memory = driver.info().memory_bytes;
        static OPENED: AtomicUsize = AtomicUsize::new(0);
        let device = Device(Box::leak(Box::new(Inner {
            driver,
            index: OPENED.fetch_add(1, Relaxed),
            usual: next_stream(),
            order: Order::default(),
            aside: Aside::default(),
            lost: Mutex::default(),
            has_lost: AtomicBool::new(false),
            errors: DeviceErrors::default(),
            leaving: Leaving::default(),
            captures: Captures::default(),
            pool: MemoryPool::new(memory, limit, guard),
            disk: DiskCache::from_environment(),
            compiler: Compiler::default(),
            modules: Mutex::default(),
            stats: Counters::default(),
        })));
        device.0.order.begin(device.0.usual, 0);
        device
    }

    /// Returns a second simulated device, which has no id.
    #[cfg(test)]
    pub(crate) fn another_for_test() -> Device {
        Device::leak(open_sim(0).expect("the simulator opens"), None, None)
    }

    /// Calls `f` with this device current on the thread. The current stream of each device does not change.
    ///
    /// On return the device that was current before is current again, also if `f` panics.
    ///
    /// ```
    /// use cuprum::cuda::Device;
    /// let before = Device::current()?;
    /// let device = Device::open("sim:1")?;
    /// assert_eq!(device.with(|| cuprum::zeros(3, ()))?.device(), device);
    /// assert_eq!(Device::current()?, before);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn with<R>(&self, f: impl FnOnce() -> R) -> R {
        /// Restores the previous device, also when `f` panics.
        struct Restore(Option<Device>);
        impl Drop for Restore {
            fn drop(&mut self) {
                CURRENT.set(self.0);
            }
        }
        let _restore = Restore(CURRENT.replace(Some(*self)));
        f()
    }

    /// Makes this device current on the thread, and returns the previous one, if one was set. CuPy's `Device.use`.
    /// [`Device::with`] does so for a scope.
    ///
    /// The setting is of the thread, and lasts until the next call.
    ///
    /// ```
    /// use cuprum::cuda::Device;
    /// let (before, other) = (Device::current()?, Device::open("sim:1")?);
    /// other.make_current();
    /// assert_eq!(Device::current()?, other);
    /// before.make_current();
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn make_current(&self) -> Option<Device> {
        CURRENT.replace(Some(*self))
    }

    /// Returns the current stream of this thread for this device: the one of [`Stream::with`], or the default one.
    /// CuPy's `get_current_stream`.
    ///
    /// ```
    /// use cuprum::cuda::{Device, Stream};
    /// let device = Device::current()?;
    /// let stream = Stream::new(device)?;
    /// assert_eq!(device.current_stream(), device.default_stream());
    /// stream.with(|| assert_eq!(device.current_stream(), stream));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn current_stream(&self) -> Stream {
        stream::current_handle(*self).unwrap_or_else(|| self.default_stream())
    }

    /// Returns the default stream, on which work is queued if no other is current; CuPy's `Stream.null`.
    ///
    /// ```
    /// use cuprum::cuda::Device;
    /// let device = Device::current()?;
    /// assert_eq!(device.default_stream().device(), device);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn default_stream(&self) -> Stream {
        Stream::of(self.default_queue())
    }

    /// Returns the properties of the device.
    ///
    /// They are read once, when the device is opened.
    ///
    /// ```
    /// use cuprum::cuda::Device;
    /// assert!(!Device::current()?.info().name.is_empty());
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn info(&self) -> &'static DeviceInfo {
        self.0.driver.info()
    }

    /// Waits until all work on the device has completed.
    ///
    /// ```
    /// use cuprum::cuda::Device;
    /// let a = cuprum::ones(3, ())?;
    /// a.device().synchronize()?;
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Driver`], also for work queued earlier that has failed; [`ErrorKind::Index`] for an index of an
    /// earlier call of this thread that is out of bounds.
    ///
    /// # Synchronization
    ///
    /// Synchronises with the device.
    pub fn synchronize(&self) -> Result<()> {
        let allowed = self.current_stream().check_wait().and_then(|()| waiting::announce(*self));
        allowed.map_err(|e| e.with_op("Device::synchronize"))?;
        let _span = trace::span(TraceKind::Wait, "Device::synchronize");
        self.driver()?.synchronize()?;
        self.0.leaving.look()?;
        self.check_errors()
    }

    /// Returns the device's memory pool.
    ///
    /// All arrays of the device are allocated from it, unless an allocator is set; CuPy's
    /// `get_default_memory_pool`.
    ///
    /// ```
    /// let pool = cuprum::cuda::Device::current()?.memory_pool();
    /// let _a = cuprum::zeros(1000, ())?;
    /// assert!(pool.stats().used_bytes >= 8000);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn memory_pool(&self) -> &'static MemoryPool {
        &self.0.pool
    }

    /// Returns the free bytes of the device's memory: those that neither this or another process nor the pool has
    /// allocated. The first of CuPy's `Device.mem_info`; the second is `info().memory_bytes`.
    ///
    /// ```
    /// use cuprum::cuda::Device;
    /// let device = Device::current()?;
    /// assert!(device.free_bytes()? <= device.info().memory_bytes);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Driver`], also for work queued earlier that has failed.
    pub fn free_bytes(&self) -> Result<u64> {
        self.driver()?.free_bytes()
    }

    /// Returns the pool's unused memory to the device.
    ///
    /// CuPy's `MemoryPool.free_all_blocks`. Memory of live arrays is not touched.
    ///
    /// ```
    /// use cuprum::cuda::Device;
    /// let device = Device::open("sim:2")?;
    /// drop(device.with(|| cuprum::zeros(1000, ()))?);
    /// device.free_all_blocks()?;
    /// assert_eq!(device.memory_pool().free_blocks(), 0);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Driver`] if the device rejects it.
    ///
    /// # Synchronization
    ///
    /// Synchronises with the device if there is memory to return, and with streams that use memory without an array.
    pub fn free_all_blocks(&self) -> Result<()> {
        waiting::announce(*self).map_err(|e| e.with_op("Device::free_all_blocks"))?;
        self.0.leaving.wait()?;
        self.0.pool.free_all_blocks(self.driver()?)
    }

    /// Returns the statistics of the kernel cache.
    ///
    /// ```
    /// use cuprum::cuda::Device;
    /// let before = Device::current()?.cache_stats().launches;
    /// cuprum::ones(3, ())?;
    /// assert!(Device::current()?.cache_stats().launches > before);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn cache_stats(&self) -> CacheStats {
        let s = &self.0.stats;
        CacheStats {
            compiles: self.0.compiler.texts(),
            compile_us: self.0.compiler.micros(),
            disk_hits: s.disk_hits.load(Relaxed),
            memory_hits: s.memory_hits.load(Relaxed),
            launches: s.launches.load(Relaxed),
        }
    }

    /// Returns the version of NVRTC, which compiles kernels: `13.0`.
    ///
    /// ```
    /// let version = cuprum::cuda::Device::nvrtc_version()?;
    /// assert!(version.contains('.'));
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Library`] if it is missing.
    pub fn nvrtc_version() -> Result<String> {
        Ok(nvrtc()?.version())
    }

    /// Returns the driver, unless this process was forked from the one that opened the device, or work has failed
    /// without its error having been returned.
    pub(crate) fn driver(&self) -> Result<&'static dyn Driver> {
        if self.0.has_lost.load(Relaxed) {
            self.tell_lost()?;
        }
        self.driver_for_drop()
    }

    /// Returns the driver as [`Device::driver`] does, where earlier failures cannot be returned.
    pub(crate) fn driver_for_drop(&self) -> Result<&'static dyn Driver> {
        fork::check()?;
        Ok(&*self.0.driver)
    }

    #[cold]
    fn tell_lost(&self) -> Result<()> {
        self.take_lost().map_or(Ok(()), |e| Err(e.late()))
    }

    /// Returns and clears the error that could not be returned when it occurred.
    pub(super) fn take_lost(&self) -> Option<Error> {
        let mut lost = self.0.lost.lock().unwrap_or_else(PoisonError::into_inner);
        self.0.has_lost.store(false, Relaxed);
        lost.take()
    }

    /// Returns every device that was opened by its id; none if another thread is opening one.
    pub(super) fn opened() -> Vec<Device> {
        opened().try_lock().map(|opened| opened.values().copied().collect()).unwrap_or_default()
    }

    /// Returns a number that identifies the device in keys.
    pub(crate) fn address(&self) -> usize {
        std::ptr::from_ref(self.0) as usize
    }

    pub(super) fn index(&self) -> usize {
        self.0.index
    }

    /// Returns the errors raised by kernels.
    pub(super) fn errors(&self) -> &'static DeviceErrors {
        &self.0.errors
    }

    /// Returns the owners of memory that work still uses.
    pub(super) fn leaving(&self) -> &'static Leaving {
        &self.0.leaving
    }

    /// Returns the graphs that are captured or live.
    pub(super) fn captures(&self) -> &'static Captures {
        &self.0.captures
    }

    /// Returns the stream of asynchronous read-backs.
    pub(super) fn aside(&self) -> &'static Aside {
        &self.0.aside
    }

    /// Returns the live streams and unused events.
    pub(super) fn order(&self) -> &'static Order {
        &self.0.order
    }

    /// Counts a launch in the statistics.
    pub(super) fn count_launch(&self) {
        self.0.stats.launches.fetch_add(1, Relaxed);
    }

    /// Allocates memory of the pool for work on the current stream, uninitialised.
    pub(crate) fn alloc(&self, bytes: usize) -> Result<Buffer> {
        let queue = self.queue();
        self.0.leaving.look()?;
        if foreign::is_special() {
            return self.alloc_special(queue, bytes);
        }
        let addr = if bytes == 0 { 0 } else { self.0.pool.alloc(&queue, bytes)?.addr };
        Ok(Buffer::new(addr, bytes, queue))
    }

    /// Allocates memory for a result of at most this size, for [`Buffer::shrink`]; `None` if that may cost more than to
    /// wait for the size.
    pub(crate) fn alloc_upper_bound(&self, bytes: usize) -> Result<Option<Buffer>> {
        let queue = self.queue();
        self.0.leaving.look()?;
        if foreign::is_special() {
            return Ok(None);
        }
        Ok(self.0.pool.alloc_upper_bound(&queue, bytes)?.map(|addr| Buffer::new(addr, bytes, queue)))
    }

    /// Allocates memory as [`Device::alloc`] does, if there are allocators or hooks.
    #[cold]
    fn alloc_special(&self, queue: Queue, bytes: usize) -> Result<Buffer> {
        if let Some(buffer) = foreign::ask(&queue, bytes)? {
            return Ok(buffer);
        }
        if bytes == 0 {
            return Ok(Buffer::new(0, 0, queue));
        }
        let event = MemoryEvent { device: *self, bytes, given_bytes: rounded(bytes), address: 0 };
        hook::notify(&event, |hook, event| hook.malloc_preprocess(event))?;
        let given = self.0.pool.alloc(&queue, bytes)?;
        let buffer = Buffer::new(given.addr, bytes, queue);
        if given.taken > 0 {
            let taken = MemoryEvent { given_bytes: given.taken, ..event };
            hook::notify(&taken, |hook, event| hook.alloc_preprocess(event))?;
            let taken = MemoryEvent { address: given.addr, ..taken };
            hook::notify(&taken, |hook, event| hook.alloc_postprocess(event))?;
        }
        hook::notify(&MemoryEvent { address: given.addr, ..event }, |hook, event| hook.malloc_postprocess(event))?;
        Ok(buffer)
    }

    /// Returns the stream on which this thread's work for the device is queued.
    pub(crate) fn queue(&self) -> Queue {
        stream::current(*self).unwrap_or_else(|| self.default_queue())
    }

    fn default_queue(&self) -> Queue {
        Queue { device: *self, id: self.0.usual, handle: 0, arena: 0, capture: false }
    }

    /// Creates a stream of the driver and a number for it.
    pub(super) fn begin_stream(&self, non_blocking: bool, priority: i32) -> Result<Queue> {
        let handle = self.driver()?.stream_create_with(non_blocking, priority)?;
        let queue =
            Queue { device: *self, id: next_stream(), handle, arena: self.0.pool.begin_arena(), capture: false };
        self.0.order.begin(queue.id, handle);
        Ok(queue)
    }

    /// Registers a foreign stream, which is destroyed elsewhere.
    pub(super) fn adopt_stream(&self, handle: StreamHandle) -> Queue {
        let queue =
            Queue { device: *self, id: next_stream(), handle, arena: self.0.pool.begin_arena(), capture: false };
        self.0.order.begin(queue.id, handle);
        queue
    }

    /// Returns the queue of a stream, given by its handle, while it is captured.
    pub(super) fn capture_queue(&self, handle: StreamHandle) -> Queue {
        Queue { device: *self, id: next_stream(), handle, arena: self.0.pool.begin_arena(), capture: true }
    }

    /// Stores the error of a panic in a host function for the next call.
    pub(super) fn lose_of_host(&self, said: &str) {
        let e = Error::new(ErrorKind::Driver, format!("a function that a stream called has panicked: {said}"));
        self.0.lost.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(e);
        self.0.has_lost.store(true, Relaxed);
    }

    /// Makes later work on the current stream wait for the queued work of a stream given by the driver's handle.
    ///
    /// # Safety
    ///
    /// The stream is a live one of this device.
    pub(crate) unsafe fn wait_for_handle(&self, handle: StreamHandle) -> Result<()> {
        let queue = self.queue();
        if queue.handle == handle {
            return Ok(());
        }
        // SAFETY: the caller guarantees the stream.
        unsafe { Signal::behind_stream(*self, handle) }?.hold(&queue)
    }

    /// Returns the number among CUDA's devices: CuPy's `Device.id`. The simulator has none, and its addresses and
    /// streams are meaningless to other libraries.
    ///
    /// ```
    /// use cuprum::cuda::Device;
    /// assert_eq!(Device::open("sim")?.ordinal(), None);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn ordinal(&self) -> Option<usize> {
        ordinal(&self.info().id)
    }

    /// Ends a stream after its last handle was dropped. A failure is reported at the next call.
    pub(super) fn end_stream(&self, queue: &Queue, ours: bool) {
        let Ok(driver) = self.driver_for_drop() else { return };
        if queue.id == self.0.usual {
            return;
        }
        // The memory that the stream used is reused by another one, and waits for the stream find that it has ended:
        // its work must have completed.
        let done = match ours {
            // SAFETY: the stream is live.
            true => unsafe { driver.stream_synchronize(queue.handle) },
            // The creator may have destroyed it: its handle is not used.
            false => driver.synchronize(),
        };
        self.0.order.end(queue.id, || {
            if !ours {
                return Ok(());
            }
            // SAFETY: the stream is live, and can no longer be found.
            unsafe { driver.stream_destroy(queue.handle) }
        });
        match done {
            Ok(()) => self.0.pool.end_arena(queue.arena),
            Err(e) => self.lose(&e),
        }
    }

    /// Stores an error that cannot be returned for the next call.
    pub(crate) fn lose(&self, e: &Error) {
        let e = Error::new(e.kind(), format!("when an array or a stream was dropped: {}", e.message()));
        self.0.lost.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(e);
        self.0.has_lost.store(true, Relaxed);
    }
}

/// Returns an unused stream number; 0 is never used.
fn next_stream() -> StreamId {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Relaxed)
}

/// Returns the number of devices, which is 0 if the driver is missing.
fn counted(found: Result<usize>) -> Result<usize> {
    match found {
        Err(e) if e.kind() == ErrorKind::Library => Ok(0),
        found => found,
    }
}

/// Returns the pool's limit: `CUPRUM_MEMORY_LIMIT`, in bytes or as a percentage of the device's memory (`50%`).
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

/// Writes the device's id: `cuda:0`, `sim`.
impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.info().id)
    }
}

impl PartialEq for Device {
    fn eq(&self, other: &Device) -> bool {
        self.address() == other.address()
    }
}

impl Eq for Device {}

#[cfg(test)]
mod tests;
