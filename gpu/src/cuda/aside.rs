//! Readings of what work has left so far, which go on beside later work.

use std::sync::{Mutex, PoisonError};

use super::Device;
use super::order::Signal;
use super::queue::Queue;
use crate::driver::StreamHandle;
use crate::error::Result;

/// The stream of a device that such readings go by, made for the first of them and kept. It waits for nothing that it is not told of.
pub(super) type Aside = Mutex<Option<StreamHandle>>;

/// What is queued on a stream so far.
#[derive(Debug)]
pub(crate) struct SoFar {
    device: Device,
    signal: Signal,
}

impl Queue {
    /// What is queued on the stream so far.
    pub(crate) fn so_far(&self) -> Result<SoFar> {
        // SAFETY: a queue is used only while its stream is live.
        let signal = unsafe { Signal::behind_stream(self.device, self.handle) }?;
        Ok(SoFar { device: self.device, signal })
    }
}

impl SoFar {
    /// Reads memory of the device. The host waits for the work so far, and for none that was queued since.
    ///
    /// # Safety
    ///
    /// The memory is live and of so many bytes, and no work that was queued since writes it.
    pub(crate) unsafe fn download(&self, dst: &mut [u8], src: u64) -> Result<()> {
        let driver = self.device.driver()?;
        let mut aside = self.device.aside().lock().unwrap_or_else(PoisonError::into_inner);
        let stream = match *aside {
            Some(stream) => stream,
            None => *aside.insert(driver.stream_create_with(true, 0)?),
        };
        // SAFETY: the stream is of the signal's device and never ends.
        unsafe { self.signal.hold_stream(driver, stream) }?;
        // SAFETY: the stream is live; the caller guarantees the memory.
        unsafe { driver.download(dst, src, stream) }
    }
}
