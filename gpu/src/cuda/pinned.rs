//! Memory of the host that a device copies from and to by itself.

use super::Device;
use crate::error::Result;

/// Memory of the host that stays where it is, so that a GPU copies from and to it without the processor's help; CuPy's
/// `PinnedMemory`. For the simulator it is memory like any other. It begins with zeros there, and as the driver gives it on
/// a GPU.
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
    device: Device,
    memory: usize,
    bytes: usize,
}

impl PinnedMemory {
    /// So many bytes, for copies of a device.
    ///
    /// # Errors
    ///
    /// [`Driver`](crate::ErrorKind::Driver) and [`OutOfMemory`](crate::ErrorKind::OutOfMemory) as the device gives them.
    pub fn new(device: Device, bytes: usize) -> Result<PinnedMemory> {
        let memory = device.driver()?.host_alloc(bytes).map_err(|e| e.with_op("PinnedMemory::new"))?;
        Ok(PinnedMemory { device, memory, bytes })
    }

    /// The address on the host.
    pub fn pointer(&self) -> usize {
        self.memory
    }

    /// How many bytes there are.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for PinnedMemory {
    fn drop(&mut self) {
        let Ok(driver) = self.device.driver_for_drop() else { return };
        // SAFETY: the memory is the driver's, of so many bytes, and used no more.
        if let Err(e) = unsafe { driver.host_free(self.memory, self.bytes) } {
            self.device.lose(&e);
        }
    }
}
