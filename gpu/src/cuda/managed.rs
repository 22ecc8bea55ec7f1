//! Managed memory: the driver moves it between the host and the devices.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{Device, Stream};
use crate::error::{Error, ErrorKind, Result};

/// Memory that the host and all devices reach at one address, and that the driver moves to where it is used; CuPy's
/// `ManagedMemory`. [`Array::from_raw_parts`](crate::Array::from_raw_parts) makes an array of it.
///
/// On the simulator it is memory like any other of the device: the host does not reach it, and there is nothing to move.
///
/// ```
/// use cuprum::cuda::{Advice, Device, ManagedMemory, Place};
/// use cuprum::{Array, DType, RawParts};
/// use std::sync::Arc;
///
/// let device = Device::current()?;
/// let memory = Arc::new(ManagedMemory::new(device, 400)?);
/// memory.advise(Advice::PreferredLocation, Place::Device(device))?;
/// memory.prefetch(&device.current_stream(), Place::Device(device))?;
/// let parts = RawParts::new(device, memory.pointer(), DType::F32, [100]);
/// // SAFETY: the memory is the array's, and lives as long.
/// let a = unsafe { Array::from_raw_parts(parts, memory) }?;
/// a.fill(1)?;
/// assert_eq!(a.to_vec::<f32>()?, [1.0; 100]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Debug)]
pub struct ManagedMemory {
    device: Device,
    addr: u64,
    bytes: usize,
}

/// What the driver is told of managed memory, with CUDA's numbers (`CU_MEM_ADVISE_*`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advice {
    /// It is read often and written rarely: each device may have a copy.
    ReadMostly = 1,
    /// It is not.
    NotReadMostly = 2,
    /// It is best kept there.
    PreferredLocation = 3,
    /// It is kept nowhere in particular.
    NoPreferredLocation = 4,
    /// It is used from there: a mapping is made ahead of time.
    AccessedBy = 5,
    /// It is not.
    NotAccessedBy = 6,
}

impl Advice {
    /// Returns the advice of CUDA's number.
    pub fn of_number(number: i32) -> Option<Advice> {
        use Advice::*;
        let all = [ReadMostly, NotReadMostly, PreferredLocation, NoPreferredLocation, AccessedBy, NotAccessedBy];
        all.into_iter().find(|advice| *advice as i32 == number)
    }
}

/// Where managed memory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// On the host.
    Host,
    /// On a device.
    Device(Device),
}

impl Place {
    /// CUDA's number of it.
    fn number(self) -> i32 {
        match self {
            Place::Host => -1,
            Place::Device(device) => device.number() as i32,
        }
    }
}

/// Returns the managed memory of the process: bytes by address.
fn live() -> MutexGuard<'static, BTreeMap<u64, usize>> {
    static LIVE: Mutex<BTreeMap<u64, usize>> = Mutex::new(BTreeMap::new());
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns true if an address is in managed memory.
pub(crate) fn is_managed(addr: u64) -> bool {
    live().range(..=addr).next_back().is_some_and(|(start, bytes)| addr - start < *bytes as u64)
}

impl ManagedMemory {
    /// So many bytes, unwritten.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::OutOfMemory`], and [`ErrorKind::Driver`] where the device has no such memory.
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
    pub fn pointer(&self) -> u64 {
        self.addr
    }

    /// Returns the number of bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Tells the driver how the memory will be used.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Driver`] when the device rejects.
    pub fn advise(&self, advice: Advice, place: Place) -> Result<()> {
        // SAFETY: the memory is live and of so many bytes.
        unsafe { self.device.driver()?.advise(self.addr, self.bytes, advice as i32, place.number()) }
            .map_err(|e| e.with_op("ManagedMemory::advise"))
    }

    /// Moves the memory in the order of a stream, before it is used there.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Driver`] when the device rejects.
    pub fn prefetch(&self, stream: &Stream, place: Place) -> Result<()> {
        // SAFETY: the memory is live and of so many bytes, and so is the stream.
        unsafe { self.device.driver()?.prefetch(self.addr, self.bytes, place.number(), stream.handle()) }
            .map_err(|e| e.with_op("ManagedMemory::prefetch"))
    }
}

impl Drop for ManagedMemory {
    fn drop(&mut self) {
        live().remove(&self.addr);
        let Ok(driver) = self.device.driver_for_drop() else { return };
        // SAFETY: the memory is the driver's, and used no more.
        if let Err(e) = unsafe { driver.free(self.addr) } {
            self.device.lose(&e);
        }
    }
}
