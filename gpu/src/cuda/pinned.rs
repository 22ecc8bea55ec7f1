//! Pinned (page-locked) host memory, which a device copies from and to directly.
//!
//! Copies of pageable memory go through a pinned buffer of the driver and occupy the host; copies of pinned memory run
//! on the bus alone, at its full speed, at the same time as kernels and other work of the host. Allocation is slow, hence
//! [`PinnedPool`].

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Device;
use crate::error::{Error, ErrorKind, Result};

/// Pinned host memory, which a GPU copies from and to without the processor; CuPy's `PinnedMemory`. For the simulator
/// it is ordinary memory. Its contents are zeros there, and whatever the driver returns on a GPU.
///
/// ```
/// use cuprum::cuda::{Device, PinnedMemory};
/// let memory = PinnedMemory::new(Device::current()?, 100)?;
/// assert_eq!(memory.bytes(), 100);
/// assert_ne!(memory.pointer(), 0);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Debug)]
pub struct PinnedMemory {
    /// Device whose driver has pinned the memory.
    device: Device,
    /// Address on the host.
    memory: usize,
    /// Size of the memory.
    bytes: usize,
}

impl PinnedMemory {
    /// Allocates pinned memory for copies of a device.
    ///
    /// ```
    /// use cuprum::cuda::{Device, PinnedMemory};
    /// let memory = PinnedMemory::new(Device::current()?, 4096)?;
    /// assert!(memory.bytes() == 4096 && memory.pointer() != 0);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Driver`](crate::ErrorKind::Driver) and [`OutOfMemory`](crate::ErrorKind::OutOfMemory) as reported by the
    /// device.
    pub fn new(device: Device, bytes: usize) -> Result<PinnedMemory> {
        PinnedMemory::allocate(device, bytes, 0).map_err(|e| e.with_op("PinnedMemory::new"))
    }

    /// Allocates pinned memory with CUDA's flags (`cudaHostAllocPortable` and so on), which have no effect on the
    /// simulator.
    ///
    /// ```
    /// use cuprum::cuda::{Device, PinnedMemory};
    /// const PORTABLE: u32 = 1;
    /// assert_eq!(PinnedMemory::with_flags(Device::current()?, 64, PORTABLE)?.bytes(), 64);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`PinnedMemory::new`]; [`Value`](ErrorKind::Value) for unknown flags.
    pub fn with_flags(device: Device, bytes: usize, flags: u32) -> Result<PinnedMemory> {
        let known = check_flags(flags, 7);
        known
            .and_then(|()| PinnedMemory::allocate(device, bytes, flags))
            .map_err(|e| e.with_op("PinnedMemory::with_flags"))
    }

    fn allocate(device: Device, bytes: usize, flags: u32) -> Result<PinnedMemory> {
        Ok(PinnedMemory { device, memory: device.driver()?.host_alloc(bytes, flags)?, bytes })
    }

    /// Returns the address on the host.
    pub fn pointer(&self) -> usize {
        self.memory
    }

    /// Returns the number of bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the bytes, for writing.
    pub(super) fn as_mut(&mut self) -> &mut [u8] {
        let start = std::ptr::with_exposed_provenance_mut::<u8>(self.memory);
        // SAFETY: the memory is of this size, provided by the driver or zeroed, and it is borrowed as a whole.
        unsafe { std::slice::from_raw_parts_mut(start, self.bytes) }
    }
}

impl Drop for PinnedMemory {
    fn drop(&mut self) {
        let Ok(driver) = self.device.driver_for_drop() else { return };
        // SAFETY: the memory is the driver's, of this size, and not used again.
        if let Err(e) = unsafe { driver.host_free(self.memory, self.bytes) } {
            self.device.lose(&e);
        }
    }
}

fn check_flags(flags: u32, all: u32) -> Result<()> {
    if flags & !all == 0 {
        return Ok(());
    }
    Err(Error::new(ErrorKind::Value, format!("the flags are {flags}: those of the bits {all:#x} are there")))
}

/// Existing host memory that is pinned until this is dropped; CuPy's `runtime.hostRegister`. On the simulator it is
/// ordinary memory.
///
/// ```
/// use cuprum::cuda::{Device, RegisteredMemory};
/// let numbers = vec![0f32; 1000];
/// // SAFETY: the numbers live longer.
/// let registered = unsafe { RegisteredMemory::new(Device::current()?, numbers.as_ptr().addr(), 4000, 0)? };
/// assert_eq!(registered.pointer(), numbers.as_ptr().addr());
/// drop(registered);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Debug)]
pub struct RegisteredMemory {
    /// Device whose driver has pinned the memory.
    device: Device,
    /// Address on the host.
    memory: usize,
}

impl RegisteredMemory {
    /// Pins a range of memory, with CUDA's flags (`cudaHostRegisterPortable` and so on), which have no effect on the
    /// simulator.
    ///
    /// CUDA's `cuMemHostRegister`; CuPy's `runtime.hostRegister`. The pages stay where they are, and are
    /// unpinned when this is dropped.
    ///
    /// ```
    /// use cuprum::cuda::{Device, RegisteredMemory};
    /// let words = vec![0_u64; 1024];
    /// let address = words.as_ptr() as usize;
    /// // SAFETY: the vector is dropped after the registration, in the reverse order of their declarations.
    /// let registered = unsafe { RegisteredMemory::new(Device::current()?, address, 8192, 0) }?;
    /// assert_eq!(registered.pointer(), address);
    /// drop(registered);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Value`](ErrorKind::Value) for no bytes and for unknown flags, [`Driver`](ErrorKind::Driver) for memory that is
    /// registered already.
    ///
    /// # Safety
    ///
    /// The memory lives at least as long as this.
    pub unsafe fn new(device: Device, memory: usize, bytes: usize, flags: u32) -> Result<RegisteredMemory> {
        let go = || {
            check_flags(flags, 15)?;
            if memory == 0 || bytes == 0 {
                return Err(Error::new(ErrorKind::Value, format!("{bytes} bytes at {memory:#x}: there is nothing")));
            }
            // SAFETY: the caller guarantees the memory.
            unsafe { device.driver()?.host_register(memory, bytes, flags) }?;
            Ok(RegisteredMemory { device, memory })
        };
        go().map_err(|e: Error| e.with_op("RegisteredMemory::new"))
    }

    /// Returns the address of the memory.
    pub fn pointer(&self) -> usize {
        self.memory
    }
}

impl Drop for RegisteredMemory {
    fn drop(&mut self) {
        // Copies may still be running.
        let ended = self.device.driver_for_drop().and_then(|driver| {
            if !driver.is_capturing() {
                driver.synchronize()?;
            }
            // SAFETY: the memory was registered here.
            unsafe { driver.host_unregister(self.memory) }
        });
        if let Err(e) = ended {
            self.device.lose(&e);
        }
    }
}

/// Smallest size of a block; sizes are powers of two.
const SMALLEST: usize = 512;

/// Pool of pinned memory, which is cached when it is dropped, and reused; CuPy's `PinnedMemoryPool`. The driver takes
/// far longer for pinned memory than for any other.
///
/// Sizes are rounded up to powers of two from 512 on. Cached memory is released only by
/// [`PinnedPool::free_all_blocks`].
///
/// ```
/// use cuprum::cuda::{Device, PinnedPool};
/// let pool = PinnedPool::new(Device::current()?);
/// let first = pool.alloc(1000)?;
/// let address = first.pointer();
/// drop(first);
/// assert_eq!(pool.free_blocks(), 1);
/// assert_eq!(pool.alloc(600)?.pointer(), address);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct PinnedPool(Arc<PoolState>);

/// Free blocks of a pinned pool.
#[derive(Debug)]
struct PoolState {
    device: Device,
    /// Free blocks, by the base-2 logarithm of their size.
    free: Mutex<Vec<Vec<PinnedMemory>>>,
}

/// Memory of a [`PinnedPool`], which returns there when it is dropped.
///
/// It may be larger than requested.
#[derive(Debug)]
pub struct PinnedBlock {
    /// Present until the block is dropped.
    memory: Option<PinnedMemory>,
    /// Requested bytes.
    bytes: usize,
    /// The pool that the block returns to.
    pool: PinnedPool,
}

impl PinnedPool {
    /// Creates a pool of memory for copies of a device.
    ///
    /// Blocks have sizes of powers of two, so that a block serves later requests of other sizes.
    ///
    /// ```
    /// use cuprum::cuda::{Device, PinnedPool};
    /// let pool = PinnedPool::new(Device::current()?);
    /// drop(pool.alloc(100)?);
    /// assert_eq!(pool.free_blocks(), 1);
    /// pool.free_all_blocks();
    /// assert_eq!(pool.free_blocks(), 0);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn new(device: Device) -> PinnedPool {
        PinnedPool(Arc::new(PoolState { device, free: Mutex::default() }))
    }

    /// Allocates at least this many bytes.
    ///
    /// The block returns to the pool when it is dropped; CuPy's `PinnedMemoryPool.malloc`.
    ///
    /// ```
    /// use cuprum::cuda::{Device, PinnedPool};
    /// let pool = PinnedPool::new(Device::current()?);
    /// let block = pool.alloc(100)?;
    /// assert!(block.bytes() == 100 && block.pointer() != 0);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`PinnedMemory::new`].
    pub fn alloc(&self, bytes: usize) -> Result<PinnedBlock> {
        let size = bytes.max(SMALLEST).next_power_of_two();
        let found = self.free().get_mut(class(size)).and_then(Vec::pop);
        let memory = match found {
            Some(memory) => memory,
            None => PinnedMemory::new(self.0.device, size).map_err(|e| e.with_op("PinnedPool::alloc"))?,
        };
        Ok(PinnedBlock { memory: Some(memory), bytes, pool: self.clone() })
    }

    /// Returns the number of free blocks.
    ///
    /// CuPy's `PinnedMemoryPool.n_free_blocks`.
    pub fn free_blocks(&self) -> usize {
        self.free().iter().map(Vec::len).sum()
    }

    /// Releases the free blocks.
    ///
    /// Blocks that are in use return to the pool later.
    pub fn free_all_blocks(&self) {
        let all = std::mem::take(&mut *self.free());
        drop(all);
    }

    fn free(&self) -> MutexGuard<'_, Vec<Vec<PinnedMemory>>> {
        self.0.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the index of the list for blocks of a size.
fn class(size: usize) -> usize {
    size.trailing_zeros() as usize
}

impl PinnedBlock {
    /// Returns the address on the host.
    pub fn pointer(&self) -> usize {
        self.memory.as_ref().map_or(0, PinnedMemory::pointer)
    }

    /// Returns the number of requested bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for PinnedBlock {
    fn drop(&mut self) {
        let Some(memory) = self.memory.take() else { return };
        let (class, mut free) = (class(memory.bytes()), self.pool.free());
        if free.len() <= class {
            free.resize_with(class + 1, Vec::new);
        }
        free[class].push(memory);
    }
}
