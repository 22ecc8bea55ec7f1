//! Stream dependencies: the live streams of a device, and the events that order their work.
//!
//! A dependency is an event that one stream records and another waits for. One is recorded for a stream only if another
//! stream needs what it did, so that programs of one stream record none.

use std::sync::{Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

use super::Device;
use super::queue::{Queue, StreamId};
use crate::driver::{Driver, StreamHandle};
use crate::error::Result;

/// Live streams of a device, and unused events.
#[derive(Debug, Default)]
pub(super) struct Order {
    /// Handles of the live streams, by number.
    live: Mutex<FxHashMap<StreamId, StreamHandle>>,
    /// Events that nothing uses, for the next dependency.
    events: Mutex<Vec<usize>>,
}

impl Order {
    fn live(&self) -> MutexGuard<'_, FxHashMap<StreamId, StreamHandle>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn events(&self) -> MutexGuard<'_, Vec<usize>> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a stream to the live ones.
    pub(super) fn begin(&self, id: StreamId, handle: StreamHandle) {
        self.live().insert(id, handle);
    }

    /// Ends a stream whose work has completed. `destroy` runs while no one can use the handle.
    pub(super) fn end(&self, id: StreamId, destroy: impl FnOnce() -> Result<()>) {
        let mut live = self.live();
        live.remove(&id);
        // A failure cannot be reported, and nothing depends on it.
        let _ = destroy();
    }

    /// Returns true if the stream has not ended.
    pub(super) fn is_live(&self, id: StreamId) -> bool {
        self.live().contains_key(&id)
    }
}

/// Position after the work of a stream: an event of the device, which is reused when this is dropped.
#[derive(Debug)]
pub(super) struct Signal {
    /// Device of the event.
    device: Device,
    /// The driver's handle of the event.
    event: usize,
}

impl Signal {
    /// Returns a signal after all work queued on a stream. There is none for a stream that has ended, whose work has
    /// completed.
    pub(super) fn behind(device: Device, id: StreamId) -> Result<Option<Signal>> {
        let order = device.order();
        // The stream cannot end before the event is recorded.
        let live = order.live();
        let Some(&handle) = live.get(&id) else { return Ok(None) };
        // SAFETY: the stream is live.
        unsafe { Signal::behind_stream(device, handle) }.map(Some)
    }

    /// Makes later work on a stream wait for the signal; the stream is of the same device, or of one that accepts its
    /// events.
    pub(super) fn hold(&self, queue: &Queue) -> Result<()> {
        // SAFETY: the event is live, and a queue is used only while its stream is.
        unsafe { queue.device.driver()?.stream_wait(queue.handle, self.event) }
    }

    /// Makes later work on a stream that only the driver knows wait for the signal.
    ///
    /// # Safety
    ///
    /// The stream is a live one of the signal's device, whose driver this is.
    pub(super) unsafe fn hold_stream(&self, driver: &dyn Driver, stream: StreamHandle) -> Result<()> {
        // SAFETY: the event is live; the caller guarantees the stream.
        unsafe { driver.stream_wait(stream, self.event) }
    }

    /// Returns a signal after all work queued on a stream that only the driver knows.
    ///
    /// # Safety
    ///
    /// The stream is a live one of the device.
    pub(super) unsafe fn behind_stream(device: Device, stream: StreamHandle) -> Result<Signal> {
        let driver = device.driver_for_drop()?;
        let idle = device.order().events().pop();
        let event = match idle {
            Some(event) => event,
            None => driver.event_create_untimed()?,
        };
        let signal = Signal { device, event };
        // SAFETY: the event is not used otherwise; the caller guarantees the stream.
        unsafe { driver.event_record(event, stream) }?;
        Ok(signal)
    }

    /// Returns true if the work before the signal has completed.
    pub(super) fn is_done(&self) -> Result<bool> {
        // SAFETY: the event is live.
        unsafe { self.device.driver()?.event_query(self.event) }
    }

    /// Waits until the work before the signal has completed.
    pub(super) fn wait(&self) -> Result<()> {
        // SAFETY: the event is live.
        unsafe { self.device.driver()?.event_synchronize(self.event) }
    }
}

impl Drop for Signal {
    fn drop(&mut self) {
        // Waits for the signal refer to its record at that time: the event may be recorded again.
        self.device.order().events().push(self.event);
    }
}
