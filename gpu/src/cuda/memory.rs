//! Raw memory of the pool.
//!
//! For kernels and libraries that take addresses and are not about arrays.

use super::{Buffer, Device};
use crate::error::Result;

/// Memory of a device's pool, for raw kernels and other libraries; CuPy's `cuda.alloc`. It returns to the pool when it
/// is dropped.
///
/// The library does not see its uses: it is for work on the stream that was current when it was allocated, or the user
/// must order the others.
///
/// ```
/// use cuprum::cuda::{Device, Memory};
/// let memory = Memory::new(Device::current()?, 1000)?;
/// assert!(memory.pointer() % 256 == 0 && memory.bytes() == 1000);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Debug)]
pub struct Memory(Buffer);

impl Memory {
    /// Allocates device memory, uninitialised.
    ///
    /// ```
    /// use cuprum::cuda::{Device, Memory};
    /// let memory = Memory::new(Device::current()?, 256)?;
    /// assert_eq!(memory.bytes(), 256);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`OutOfMemory`](crate::ErrorKind::OutOfMemory) if the device is full or the pool's limit is reached.
    pub fn new(device: Device, bytes: usize) -> Result<Memory> {
        device.alloc(bytes).map(Memory)
    }

    /// Returns the address on the device; 0 for no bytes.
    pub fn pointer(&self) -> u64 {
        self.0.addr()
    }

    /// Returns the number of bytes.
    ///
    /// ```
    /// use cuprum::cuda::{Device, Memory};
    /// let memory = Memory::new(Device::current()?, 100)?;
    /// assert!(memory.bytes() == 100 && memory.pointer() != 0);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn bytes(&self) -> usize {
        self.0.bytes()
    }

    /// Returns the device.
    pub fn device(&self) -> Device {
        self.0.device()
    }
}
