//! Memory of the pool as such.

use super::{Buffer, Device};
use crate::error::Result;

/// Memory of a device's pool, for raw kernels and other libraries; CuPy's `cuda.alloc`. It goes back when it is dropped.
///
/// What uses it the library does not see: it is for work on the stream that was current when it was taken, or its user
/// orders the others.
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
    /// So many bytes of the device, unwritten.
    ///
    /// # Errors
    ///
    /// [`OutOfMemory`](crate::ErrorKind::OutOfMemory) where the device is full or the pool's limit is reached.
    pub fn new(device: Device, bytes: usize) -> Result<Memory> {
        device.alloc(bytes).map(Memory)
    }

    /// Returns the address on the device; 0 of no bytes.
    pub fn pointer(&self) -> u64 {
        self.0.addr()
    }

    /// Returns the number of bytes.
    pub fn bytes(&self) -> usize {
        self.0.bytes()
    }

    /// Returns the device.
    pub fn device(&self) -> Device {
        self.0.device()
    }
}
