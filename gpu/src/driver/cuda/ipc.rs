//! Interprocess communication: memory and events of a CUDA device that other processes open.
//!
//! A handle belongs to an allocation of the driver, which may contain many arrays: their offset is sent with it.

use std::ffi::c_char;
use std::ptr;

use cudarc::driver::sys::{CUevent, CUipcEventHandle, CUipcMemHandle};

use super::Cuda;
use crate::driver::runtime_api::IpcHandle;
use crate::error::Result;

fn bytes(all: [c_char; 64]) -> IpcHandle {
    all.map(|b| b as u8)
}

fn chars(all: IpcHandle) -> [c_char; 64] {
    all.map(|b| b as c_char)
}

impl Cuda {
    /// Returns a handle of the allocation that contains an address, and the offset of the address in it.
    ///
    /// # Safety
    ///
    /// The address is in live memory of the device.
    pub(super) unsafe fn share_memory(&self, addr: u64) -> Result<(IpcHandle, u64)> {
        let _bound = self.bind()?;
        let mut handle = CUipcMemHandle { reserved: [0; 64] };
        // SAFETY: the variable is live; the caller guarantees the address.
        unsafe { self.shown.ipc_memory(&mut handle, addr) }?;
        let (mut base, mut size) = (0, 0);
        // SAFETY: as above.
        unsafe { self.shown.address_range(&mut base, &mut size, addr) }?;
        Ok((bytes(handle.reserved), addr - base))
    }

    pub(super) fn open_memory(&self, handle: IpcHandle, flags: u32) -> Result<u64> {
        let _bound = self.bind()?;
        let mut addr = 0;
        // SAFETY: the variable is live; the driver rejects an invalid handle.
        unsafe { self.shown.ipc_open_memory(&mut addr, CUipcMemHandle { reserved: chars(handle) }, flags) }?;
        Ok(addr)
    }

    /// Closes memory of another process.
    ///
    /// # Safety
    ///
    /// The address was opened here, and is not used again.
    pub(super) unsafe fn close_memory(&self, addr: u64) -> Result<()> {
        let _bound = self.bind()?;
        // SAFETY: the caller guarantees the address.
        unsafe { self.shown.ipc_close_memory(addr) }
    }

    /// Returns a handle of an event for other processes.
    ///
    /// # Safety
    ///
    /// The event is live.
    pub(super) unsafe fn share_event(&self, event: usize) -> Result<IpcHandle> {
        let _bound = self.bind()?;
        let mut handle = CUipcEventHandle { reserved: [0; 64] };
        // SAFETY: the variable is live; the caller guarantees the event.
        unsafe { self.shown.ipc_event(&mut handle, event as CUevent) }?;
        Ok(bytes(handle.reserved))
    }

    pub(super) fn open_event(&self, handle: IpcHandle) -> Result<usize> {
        let _bound = self.bind()?;
        let mut event = ptr::null_mut();
        // SAFETY: the variable is live; the driver rejects an invalid handle.
        unsafe { self.shown.ipc_open_event(&mut event, CUipcEventHandle { reserved: chars(handle) }) }?;
        Ok(event as usize)
    }
}
