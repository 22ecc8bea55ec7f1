//! Interprocess communication: CUDA's handles for memory and events that other processes open.
//!
//! A process creates a handle of memory or of an event, sends its 64 bytes to another one by any means, and the other
//! one opens it. The memory is owned by the first process: it must keep the array alive as long as others have it open,
//! and the others must close it before. A process cannot open its own handles.
//!
//! The simulator's memory is private to a process: there the calls return an error.

use super::{Device, Event};
use crate::array::Array;
use crate::error::{Error, ErrorKind, Result};

/// Handle that is passed between processes.
///
/// It is opaque: send it as it is.
pub type Handle = [u8; 64];

/// Description of an array's memory for another process.
///
/// The other process opens the handle and adds the offset to the address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedMemory {
    /// The handle of the allocation that contains the array.
    pub handle: Handle,
    /// The offset of the first element in it.
    pub offset: u64,
}

/// Returns the handle of an array's memory for another process; CuPy's `runtime.ipcGetMemHandle`.
///
/// The pool has allocated the memory together with that of other arrays: the other process can access all of it, and
/// finds the array at the offset. Work that writes the elements must have completed, or must be ordered before an
/// [`Event`] that the other process waits for.
///
/// ```
/// use cuprum::cuda::{Device, ipc};
/// use cuprum::{DType, ErrorKind, zeros};
/// let a = zeros(10, DType::F32)?;
/// match ipc::share(&a) {
///     Ok(shared) => assert!(shared.handle.iter().any(|&b| b != 0)),
///     Err(e) => assert!(e.kind() == ErrorKind::NotImplemented && Device::current()?.ordinal().is_none()),
/// }
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`Value`](ErrorKind::Value) for an array without elements, [`Driver`](ErrorKind::Driver) for memory that cannot be
/// shared (of the driver's own pools, or managed), [`NotImplemented`](ErrorKind::NotImplemented) on the simulator.
pub fn share(a: &Array) -> Result<SharedMemory> {
    let go = || {
        if a.nbytes() == 0 {
            return Err(Error::new(ErrorKind::Value, "the array has no elements: there is no memory to share"));
        }
        share_address(a.device(), a.pointer())
    };
    go().map_err(|e: Error| e.with_op("ipc::share"))
}

fn share_address(device: Device, addr: u64) -> Result<SharedMemory> {
    // SAFETY: the driver rejects an address outside of its own memory.
    let (handle, offset) = unsafe { device.driver()?.ipc_memory(addr) }?;
    Ok(SharedMemory { handle, offset })
}

/// Returns the handle of the memory at a device address from another library, as [`share`] does for an array.
///
/// CuPy's `runtime.ipcGetMemHandle`. The address need not be the beginning of an allocation: the offset is
/// part of the result.
///
/// # Errors
///
/// As [`share`].
pub fn share_pointer(device: Device, addr: u64) -> Result<SharedMemory> {
    share_address(device, addr).map_err(|e| e.with_op("ipc::share_pointer"))
}

/// Memory of another process, open in this one until it is dropped; CuPy's `runtime.ipcOpenMemHandle`.
/// [`Array::from_raw_parts`] creates an array of it.
#[derive(Debug)]
pub struct OpenMemory {
    /// Device that the memory was opened on.
    device: Device,
    /// Address of the allocation in this process.
    addr: u64,
}

impl OpenMemory {
    /// Opens memory of another process; `lazily` lets the driver enable peer access when it is needed.
    ///
    /// CuPy's `runtime.ipcOpenMemHandle`. The memory is closed when this is dropped.
    ///
    /// ```
    /// use cuprum::{ErrorKind, cuda::{Device, ipc::OpenMemory}};
    /// // The handle is not one of CUDA's.
    /// let error = OpenMemory::open(Device::open("sim")?, [0; 64], false).unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::NotImplemented);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Driver`](ErrorKind::Driver) for an invalid handle or one of this process,
    /// [`NotImplemented`](ErrorKind::NotImplemented) on the simulator.
    pub fn open(device: Device, handle: Handle, lazily: bool) -> Result<OpenMemory> {
        let go = || Ok(OpenMemory { device, addr: device.driver()?.ipc_open_memory(handle, u32::from(lazily))? });
        go().map_err(|e: Error| e.with_op("OpenMemory::open"))
    }

    /// Returns the address of the allocation in this process.
    pub fn pointer(&self) -> u64 {
        self.addr
    }

    /// Returns the device that it was opened on.
    pub fn device(&self) -> Device {
        self.device
    }
}

impl Drop for OpenMemory {
    fn drop(&mut self) {
        // Work of this process may still use it.
        let closed = self.device.driver_for_drop().and_then(|driver| {
            driver.synchronize()?;
            // SAFETY: the memory was opened here, and is not used again.
            unsafe { driver.ipc_close_memory(self.addr) }
        });
        if let Err(e) = closed {
            self.device.lose(&e);
        }
    }
}

impl Event {
    /// Creates an event that can be shared with other processes. It records no time.
    ///
    /// # Errors
    ///
    /// [`NotImplemented`](ErrorKind::NotImplemented) on the simulator.
    pub fn interprocess(device: Device) -> Result<Event> {
        const UNTIMED: u32 = 2;
        const INTERPROCESS: u32 = 4;
        let go = || Ok(Event::of_handle(device, device.driver()?.event_create_with(UNTIMED | INTERPROCESS)?));
        go().map_err(|e: Error| e.with_op("Event::interprocess"))
    }

    /// Returns the handle for another process; CuPy's `runtime.ipcGetEventHandle`.
    ///
    /// # Errors
    ///
    /// [`Driver`](ErrorKind::Driver) for an event that is not of [`Event::interprocess`],
    /// [`NotImplemented`](ErrorKind::NotImplemented) on the simulator.
    pub fn ipc_handle(&self) -> Result<Handle> {
        // SAFETY: the event is live.
        unsafe { self.device().driver()?.ipc_event(self.handle()) }.map_err(|e| e.with_op("Event::ipc_handle"))
    }

    /// Returns an event of another process; CuPy's `runtime.ipcOpenEventHandle`.
    ///
    /// # Errors
    ///
    /// [`Driver`](ErrorKind::Driver) for an invalid handle, [`NotImplemented`](ErrorKind::NotImplemented) on the
    /// simulator.
    pub fn from_ipc_handle(device: Device, handle: Handle) -> Result<Event> {
        let go = || Ok(Event::of_handle(device, device.driver()?.ipc_open_event(handle)?));
        go().map_err(|e: Error| e.with_op("Event::from_ipc_handle"))
    }
}
