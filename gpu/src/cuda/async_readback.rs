//! Asynchronous read-back on a side stream, which does not wait for later work.
//!
//! A copy to the host that is ordered after the work so far, but not after work that is queued later: it waits for an
//! event on a stream of its own, so that the host reads a result while the device computes the next one.

use std::sync::{Mutex, PoisonError};

use super::Device;
use super::queue::Queue;
use super::stream_dependencies::Signal;
use crate::driver::StreamHandle;
use crate::error::Result;

/// The side stream of a device, created at the first use and kept. It waits only for the signals that are passed to it.
pub(super) type Aside = Mutex<Option<StreamHandle>>;

/// Signal after the work that is queued on a stream so far.
#[derive(Debug)]
pub(crate) struct StreamSignal {
    /// Device of the stream.
    device: Device,
    /// Event after the work so far.
    signal: Signal,
}

impl Queue {
    /// Returns a signal after the work that is queued on the stream so far.
    pub(crate) fn so_far(&self) -> Result<StreamSignal> {
        // SAFETY: a queue is used only while its stream is live.
        let signal = unsafe { Signal::behind_stream(self.device, self.handle) }?;
        Ok(StreamSignal { device: self.device, signal })
    }
}

impl StreamSignal {
    /// Makes later work on a stream, of any device, wait for the work up to the signal.
    pub(crate) fn hold(&self, queue: &Queue) -> Result<()> {
        self.signal.hold(queue)
    }

    /// Reads device memory. Synchronises with the work up to the signal, but with none that was queued since.
    ///
    /// # Safety
    ///
    /// The memory is live and of this size, and no work that was queued since writes it.
    pub(crate) unsafe fn download(&self, dst: &mut [u8], src: u64) -> Result<()> {
        let driver = self.device.driver()?;
        let mut aside = self.device.aside().lock().unwrap_or_else(PoisonError::into_inner);
        let stream = match *aside {
            Some(stream) => stream,
            None => *aside.insert(driver.stream_create_with(true, 0)?),
        };
        // SAFETY: the stream is of the signal's device and is never destroyed.
        unsafe { self.signal.hold_stream(driver, stream) }?;
        // SAFETY: the stream is live; the caller guarantees the memory.
        unsafe { driver.download(dst, src, stream) }
    }
}
