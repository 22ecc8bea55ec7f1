//! Managed memory, which the driver migrates between the host and the devices.
//!
//! The address is valid on the host and on every device; a page moves to where it is accessed. Arrays over it are
//! created with [`Array::from_raw_parts`](crate::Array::from_raw_parts).

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{Device, Stream};
use crate::error::{Error, ErrorKind, Result};

/// Managed memory, which the host and all devices access at one address, and which the driver migrates to where it is
/// used; CuPy's `ManagedMemory`. [`Array::from_raw_parts`](crate::Array::from_raw_parts) creates an array of it.
///
/// On the simulator it is ordinary device memory: the host cannot access it, and nothing is migrated.
///
/// ```
/// use cuprum::cuda::{Advice, Device, ManagedMemory, MemLocation};
/// use cuprum::{Array, DType, RawParts};
/// use std::sync::Arc;
///
/// let device = Device::current()?;
/// let memory = Arc::new(ManagedMemory::new(device, 400)?);
/// memory.advise(Advice::PreferredLocation, MemLocation::Device(device))?;
/// memory.prefetch(&device.current_stream(), MemLocation::Device(device))?;
/// let parts = RawParts::new(device, memory.pointer(), DType::F32, [100]);
/// // SAFETY: the memory is the array's, and lives as long.
/// let a = unsafe { Array::from_raw_parts(parts, memory) }?;
/// a.fill(1)?;
/// assert_eq!(a.to_vec::<f32>()?, [1.0; 100]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Debug)]
pub struct ManagedMemory {
    /// Device whose driver owns the memory.
    device: Device,
    /// Address on the host and on all devices.
    addr: u64,
    /// Size of the memory.
    bytes: usize,
}

/// Advice about managed memory, with CUDA's numbers (`CU_MEM_ADVISE_*`).
///
/// An advice changes where pages are kept, never what they contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advice {
    /// The memory is read often and written rarely: each device may have a copy.
    ReadMostly = 1,
    /// Undoes `ReadMostly`.
    NotReadMostly = 2,
    /// The memory is best kept at this location.
    PreferredLocation = 3,
    /// Undoes `PreferredLocation`.
    NoPreferredLocation = 4,
    /// The memory is accessed from this location: a mapping is created in advance.
    AccessedBy = 5,
    /// Undoes `AccessedBy`.
    NotAccessedBy = 6,
}

impl Advice {
    /// Returns the advice with CUDA's number.
    ///
    /// ```
    /// use cuprum::cuda::Advice;
    /// assert_eq!(Advice::of_number(3), Some(Advice::PreferredLocation));
    /// assert_eq!(Advice::of_number(99), None);
    /// ```
    pub fn of_number(number: i32) -> Option<Advice> {
        use Advice::*;
        let all = [ReadMostly, NotReadMostly, PreferredLocation, NoPreferredLocation, AccessedBy, NotAccessedBy];
        all.into_iter().find(|advice| *advice as i32 == number)
    }
}

/// Location of managed memory.
///
/// The location does not matter for [`Advice::ReadMostly`] and its opposite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemLocation {
    /// Host memory.
    Host,
    /// Memory of a device.
    Device(Device),
}

impl MemLocation {
    /// Returns CUDA's number of the location.
    fn number(self) -> i32 {
        match self {
            MemLocation::Host => -1,
            MemLocation::Device(device) => device.number() as i32,
        }
    }
}

/// Returns the managed memory of the process: sizes by address.
fn live() -> MutexGuard<'static, BTreeMap<u64, usize>> {
    static LIVE: Mutex<BTreeMap<u64, usize>> = Mutex::new(BTreeMap::new());
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns true if an address is in managed memory.
pub(crate) fn is_managed(addr: u64) -> bool {
    live().range(..=addr).next_back().is_some_and(|(start, bytes)| addr - start < *bytes as u64)
}

impl ManagedMemory {
    /// Allocates managed memory, uninitialised.
    ///
    /// CUDA's `cuMemAllocManaged`; CuPy's `malloc_managed`. It is freed when this is dropped, after the work of
    /// the device that may use it.
    ///
    /// ```
    /// use cuprum::cuda::{Device, ManagedMemory};
    /// let memory = ManagedMemory::new(Device::current()?, 64)?;
    /// assert!(memory.bytes() == 64 && memory.pointer() != 0);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ErrorKind::OutOfMemory`], and [`ErrorKind::Driver`] if the device has no such memory.
    pub fn new(device: Device, bytes: usize) -> Result<ManagedMemory> {
        if bytes == 0 {
            return Err(Error::of_call(
                ErrorKind::Value,
                "ManagedMemory::new",
                "0 bytes are requested: there is no such memory",
            ));
        }
        let addr = device.driver()?.alloc_managed(bytes).map_err(|e| e.with_op("ManagedMemory::new"))?;
        live().insert(addr, bytes);
        Ok(ManagedMemory { device, addr, bytes })
    }

    /// Returns the address, on the host as well as on the devices.
    ///
    /// The host may access it while no kernel of a device uses it, on devices without concurrent access.
    pub fn pointer(&self) -> u64 {
        self.addr
    }

    /// Returns the number of bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Advises the driver about the use of the memory.
    ///
    /// CUDA's `cuMemAdvise`; CuPy's `runtime.memAdvise`. See [`ManagedMemory`] for an example.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Driver`] if the device rejects it.
    pub fn advise(&self, advice: Advice, location: MemLocation) -> Result<()> {
        // SAFETY: the memory is live and of this size.
        unsafe { self.device.driver()?.advise(self.addr, self.bytes, advice as i32, location.number()) }
            .map_err(|e| e.with_op("ManagedMemory::advise"))
    }

    /// Migrates the memory in the order of a stream, before it is used there.
    ///
    /// Without it pages move one by one as they are first accessed.
    ///
    /// CUDA's `cuMemPrefetchAsync`; CuPy's `runtime.memPrefetchAsync`. See [`ManagedMemory`] for an example.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Driver`] if the device rejects it.
    pub fn prefetch(&self, stream: &Stream, location: MemLocation) -> Result<()> {
        // SAFETY: the memory is live and of this size, and the stream is live.
        unsafe { self.device.driver()?.prefetch(self.addr, self.bytes, location.number(), stream.handle()) }
            .map_err(|e| e.with_op("ManagedMemory::prefetch"))
    }
}

impl Drop for ManagedMemory {
    fn drop(&mut self) {
        live().remove(&self.addr);
        let Ok(driver) = self.device.driver_for_drop() else { return };
        // SAFETY: the memory is the driver's, and not used again.
        if let Err(e) = unsafe { driver.free(self.addr) } {
            self.device.lose(&e);
        }
    }
}
