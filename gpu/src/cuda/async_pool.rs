//! The driver's stream-ordered memory pools.
//!
//! `cudaMallocAsync` and its pools, for programs that share memory with other libraries through the driver. The
//! library's own pool ([`MemoryPool`](super::MemoryPool)) needs no call of the driver for a request that it can serve,
//! and is the default.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::{Allocator, Device, Stream};
use crate::driver::runtime_api::PoolAttribute;
use crate::error::{Error, ErrorKind, Result};

/// Stream-ordered memory pool of the driver (`cuMemPool`); CuPy's `MemoryAsyncPool`. Other libraries that use the
/// driver's pools share its memory.
///
/// The simulator's pool caches nothing: memory is released immediately.
///
/// ```
/// use cuprum::cuda::{self, AsyncPool, Device, ThreadAllocator};
/// let pool = AsyncPool::new(Device::current()?)?;
/// // SAFETY: the pool gives memory of the device that is not shared.
/// let a = unsafe { cuda::using_allocator(ThreadAllocator::Own(pool.allocator()), || cuprum::arange(0, 3, 1)) }?;
/// assert!(pool.used_bytes()? >= 24);
/// assert_eq!((&a + 1).to_vec::<i64>()?, [1, 2, 3]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct AsyncPool(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    device: Device,
    handle: usize,
    /// True if the pool is destroyed with its last handle.
    ours: bool,
    /// The limit; the maximum value if there is none.
    limit: AtomicUsize,
}

impl Drop for Inner {
    fn drop(&mut self) {
        if !self.ours {
            return;
        }
        let Ok(driver) = self.device.driver_for_drop() else { return };
        // SAFETY: no memory of the pool is live, since it would hold a handle of the pool.
        if let Err(e) = unsafe { driver.destroy_pool(self.handle) } {
            self.device.lose(&e);
        }
    }
}

impl AsyncPool {
    /// Creates a pool of the device.
    ///
    /// The pool is the caller's, and is destroyed with its last handle.
    ///
    /// ```
    /// use cuprum::cuda::{AsyncPool, Device};
    /// let pool = AsyncPool::new(Device::current()?)?;
    /// assert_eq!(pool.used_bytes()?, 0);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Driver`] if the driver has no pools.
    pub fn new(device: Device) -> Result<AsyncPool> {
        let made = device.driver().and_then(|driver| driver.create_pool());
        Ok(AsyncPool::of(device, made.map_err(|e| e.with_op("AsyncPool::new"))?, true))
    }

    /// Returns the pool in use by the driver for the device.
    ///
    /// CUDA's `cuDeviceGetMemPool`. It is that of [`AsyncPool::usual`] unless [`AsyncPool::make_current`] has
    /// set another one.
    ///
    /// # Errors
    ///
    /// As [`AsyncPool::new`].
    pub fn current(device: Device) -> Result<AsyncPool> {
        let found = device.driver().and_then(|driver| driver.current_pool());
        Ok(AsyncPool::of(device, found.map_err(|e| e.with_op("AsyncPool::current"))?, false))
    }

    /// Returns the driver's default pool of the device.
    ///
    /// CUDA's `cuDeviceGetDefaultMemPool`. It lives as long as the device, and other libraries of the process
    /// use it too.
    ///
    /// ```
    /// use cuprum::cuda::{AsyncPool, Device};
    /// let device = Device::current()?;
    /// assert_eq!(AsyncPool::usual(device)?.handle(), AsyncPool::current(device)?.handle());
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`AsyncPool::new`].
    pub fn usual(device: Device) -> Result<AsyncPool> {
        let found = device.driver().and_then(|driver| driver.usual_pool());
        Ok(AsyncPool::of(device, found.map_err(|e| e.with_op("AsyncPool::usual"))?, false))
    }

    /// Wraps an existing pool, from the driver's handle of it.
    ///
    /// # Safety
    ///
    /// The pool is one of the device, and lives as long as this handle and all memory that is taken from it.
    pub unsafe fn from_handle(device: Device, handle: usize) -> AsyncPool {
        AsyncPool::of(device, handle, false)
    }

    fn of(device: Device, handle: usize, ours: bool) -> AsyncPool {
        AsyncPool(Arc::new(Inner { device, handle, ours, limit: AtomicUsize::new(usize::MAX) }))
    }

    /// Returns the driver's handle, a `CUmemoryPool` as a number.
    ///
    /// Other libraries allocate from the pool through it, with `cuMemAllocFromPoolAsync`. It is valid as long
    /// as a handle of the pool exists.
    pub fn handle(&self) -> usize {
        self.0.handle
    }

    /// Makes this the driver's current pool for the device.
    ///
    /// CUDA's `cuDeviceSetMemPool`: `cudaMallocAsync` of all libraries of the process then takes memory from
    /// this pool. This library does so only for arrays of [`AsyncPool::allocator`].
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Driver`] if the device rejects it.
    pub fn make_current(&self) -> Result<()> {
        // SAFETY: the pool is live.
        unsafe { self.0.device.driver()?.set_current_pool(self.0.handle) }
            .map_err(|e| e.with_op("AsyncPool::make_current"))
    }

    /// Allocates memory for work on the current stream.
    ///
    /// The memory returns to the pool in the order of the stream when its owner is dropped.
    ///
    /// ```
    /// use cuprum::cuda::{AsyncPool, Device};
    /// let pool = AsyncPool::new(Device::current()?)?;
    /// let memory = pool.alloc(1000)?;
    /// assert!(memory.bytes() == 1000 && memory.pointer() != 0 && pool.used_bytes()? >= 1000);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::OutOfMemory`] if the device is full or the limit is reached.
    pub fn alloc(&self, bytes: usize) -> Result<AsyncMemory> {
        let go = || {
            let (device, stream) = (self.0.device, self.0.device.current_stream());
            let (used, limit) = (self.used_bytes()?, self.0.limit.load(Relaxed));
            if used.saturating_add(bytes) > limit {
                let what = format!("out of memory: {bytes} bytes are requested, {used} are used, the limit is {limit}");
                return Err(Error::new(ErrorKind::OutOfMemory, what));
            }
            // SAFETY: pool and stream are live.
            let addr = unsafe { device.driver()?.alloc_from_pool(self.0.handle, bytes.max(1), stream.handle()) }?;
            Ok(AsyncMemory { pool: self.clone(), addr, bytes, stream })
        };
        go().map_err(|e: Error| e.with_op("AsyncPool::alloc"))
    }

    /// Returns an allocator of arrays from this pool: for [`set_allocator`](super::set_allocator) and
    /// [`using_allocator`](super::using_allocator).
    ///
    /// Memory returns to this pool when the last handle of its array is dropped.
    ///
    /// See [`AsyncPool`] for an example.
    pub fn allocator(&self) -> Arc<Allocator> {
        let pool = self.clone();
        Arc::new(move |device: Device, bytes: usize| {
            if device != pool.0.device {
                let (ours, theirs) = (&pool.0.device.info().id, &device.info().id);
                let what = format!("the pool is of {ours}, and memory of {theirs} is requested");
                return Err(Error::new(ErrorKind::Value, what));
            }
            let memory = pool.alloc(bytes)?;
            Ok((memory.pointer(), Box::new(memory) as Box<dyn Send + Sync>))
        })
    }

    /// Sets the limit on the used bytes; `None` removes it.
    ///
    /// Requests beyond it fail with [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory).
    ///
    /// The driver has no such limit: requests are counted here.
    ///
    /// ```
    /// use cuprum::cuda::{AsyncPool, Device};
    /// let pool = AsyncPool::new(Device::current()?)?;
    /// pool.set_limit(Some(1 << 20));
    /// assert_eq!(pool.limit(), Some(1 << 20));
    /// assert!(pool.alloc(1 << 21).is_err());
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn set_limit(&self, bytes: Option<usize>) {
        self.0.limit.store(bytes.unwrap_or(usize::MAX), Relaxed);
    }

    /// Returns the limit on the used bytes.
    ///
    /// It is `None` unless [`AsyncPool::set_limit`] has set one.
    pub fn limit(&self) -> Option<usize> {
        Some(self.0.limit.load(Relaxed)).filter(|&limit| limit != usize::MAX)
    }

    /// Returns the number of used bytes.
    ///
    /// CUDA's `CU_MEMPOOL_ATTR_USED_MEM_CURRENT`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Driver`] if the device rejects it.
    pub fn used_bytes(&self) -> Result<usize> {
        self.attribute(PoolAttribute::Used)
    }

    /// Returns the number of bytes that the pool holds, used or not.
    ///
    /// CUDA's `CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT`; it is at least [`AsyncPool::used_bytes`].
    ///
    /// ```
    /// use cuprum::cuda::{AsyncPool, Device};
    /// let pool = AsyncPool::new(Device::current()?)?;
    /// let _memory = pool.alloc(1000)?;
    /// assert!(pool.reserved_bytes()? >= pool.used_bytes()?);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Driver`] if the device rejects it.
    pub fn reserved_bytes(&self) -> Result<usize> {
        self.attribute(PoolAttribute::Reserved)
    }

    /// Returns the peak numbers of used bytes and of held bytes.
    ///
    /// They are counted since the pool was created, or since [`AsyncPool::reset_peaks`].
    ///
    /// ```
    /// use cuprum::cuda::{AsyncPool, Device};
    /// let pool = AsyncPool::new(Device::current()?)?;
    /// drop(pool.alloc(1000)?);
    /// let (used, reserved) = pool.peak_bytes()?;
    /// assert!(used >= 1000 && reserved >= used);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Driver`] if the device rejects it.
    pub fn peak_bytes(&self) -> Result<(usize, usize)> {
        Ok((self.attribute(PoolAttribute::UsedHigh)?, self.attribute(PoolAttribute::ReservedHigh)?))
    }

    /// Resets the peaks.
    ///
    /// The new peaks are the current numbers of bytes.
    ///
    /// ```
    /// use cuprum::cuda::{AsyncPool, Device};
    /// let pool = AsyncPool::new(Device::current()?)?;
    /// drop(pool.alloc(1000)?);
    /// pool.reset_peaks()?;
    /// assert!(pool.peak_bytes()?.0 < 1000);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Driver`] if the device rejects it.
    pub fn reset_peaks(&self) -> Result<()> {
        self.set_attribute(PoolAttribute::UsedHigh, 0)?;
        self.set_attribute(PoolAttribute::ReservedHigh, 0)
    }

    /// Returns the number of bytes that the driver keeps when a stream is synchronised; 0 by default.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Driver`] if the device rejects it.
    pub fn release_threshold(&self) -> Result<usize> {
        self.attribute(PoolAttribute::ReleaseThreshold)
    }

    /// Sets the number of bytes of [`AsyncPool::release_threshold`].
    ///
    /// A larger threshold makes allocation after a synchronisation cheaper, and keeps memory from other
    /// processes.
    ///
    /// ```
    /// use cuprum::cuda::{AsyncPool, Device};
    /// let pool = AsyncPool::new(Device::current()?)?;
    /// pool.set_release_threshold(1 << 30)?;
    /// assert_eq!(pool.release_threshold()?, 1 << 30);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Driver`] if the device rejects it.
    pub fn set_release_threshold(&self, bytes: usize) -> Result<()> {
        self.set_attribute(PoolAttribute::ReleaseThreshold, bytes as u64)
    }

    /// Returns unused memory to the device, except for `keep` bytes.
    ///
    /// Memory in use is not touched.
    ///
    /// CUDA's `cuMemPoolTrimTo`. Memory that was freed in the order of a stream is returned once the stream has
    /// reached that point.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Driver`] if the device rejects it.
    pub fn trim_to(&self, keep: usize) -> Result<()> {
        // SAFETY: the pool is live.
        unsafe { self.0.device.driver()?.trim_pool(self.0.handle, keep) }.map_err(|e| e.with_op("AsyncPool::trim_to"))
    }

    fn attribute(&self, attribute: PoolAttribute) -> Result<usize> {
        // SAFETY: the pool is live.
        Ok(unsafe { self.0.device.driver()?.pool_attribute(self.0.handle, attribute) }? as usize)
    }

    fn set_attribute(&self, attribute: PoolAttribute, value: u64) -> Result<()> {
        // SAFETY: the pool is live.
        unsafe { self.0.device.driver()?.set_pool_attribute(self.0.handle, attribute, value) }
    }
}

/// Memory of an [`AsyncPool`], which is freed there when it is dropped, in the order of the stream that it was
/// allocated on.
#[derive(Debug)]
pub struct AsyncMemory {
    /// The pool, which is kept alive.
    pool: AsyncPool,
    /// Address on the device.
    addr: u64,
    /// Requested bytes.
    bytes: usize,
    /// The stream of the allocation, which is kept alive by the memory.
    stream: Stream,
}

impl AsyncMemory {
    /// Returns the address on the device.
    pub fn pointer(&self) -> u64 {
        self.addr
    }

    /// Returns the number of bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for AsyncMemory {
    fn drop(&mut self) {
        let device = self.pool.0.device;
        let Ok(driver) = device.driver_for_drop() else { return };
        // SAFETY: the memory is the pool's, and not used after the stream's queued work; the stream is live.
        if let Err(e) = unsafe { driver.free_to_pool(self.pool.0.handle, self.addr, self.stream.handle()) } {
            device.lose(&e);
        }
    }
}
