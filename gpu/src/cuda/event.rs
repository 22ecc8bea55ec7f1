//! Events, which record positions in the work of streams.
//!
//! ```
//! use cuprum::cuda::{Device, Event};
//! let (start, end) = (Event::new(Device::current()?)?, Event::new(Device::current()?)?);
//! start.record()?;
//! let a = cuprum::ones(1000, ())?;
//! end.record()?;
//! end.synchronize()?;
//! assert!(end.elapsed_ms_since(&start)? >= 0.0 && a.size() == 1000);
//! # Ok::<(), cuprum::Error>(())
//! ```

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::queue::{Queue, StreamId};
use super::{Device, Stream, status, waiting};
use crate::error::{Error, ErrorKind, Result};

/// Event: a position in a stream's work; CuPy's `Event`.
///
/// ```
/// use cuprum::cuda::{Device, Event, Stream};
/// let device = Device::current()?;
/// let (stream, start, end) = (Stream::new(device)?, Event::new(device)?, Event::new(device)?);
/// start.record_on(&stream)?;
/// // Work that is queued on the stream here is measured.
/// end.record_on(&stream)?;
/// end.synchronize()?;
/// assert!(end.elapsed_ms_since(&start)? >= 0.0);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Debug)]
pub struct Event {
    /// The driver's handle.
    handle: usize,
    /// Device of the event.
    device: Device,
    /// The number of the capture that the last record belongs to; 0 for none.
    capture: AtomicU64,
}

impl Event {
    /// Creates an event of the device.
    ///
    /// It measures time, and a thread that waits for it spins.
    ///
    /// ```
    /// use cuprum::cuda::{Device, Event};
    /// let event = Event::new(Device::current()?)?;
    /// event.record()?;
    /// event.synchronize()?;
    /// assert!(event.is_done()?);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Driver`](crate::ErrorKind::Driver) if the device rejects it.
    pub fn new(device: Device) -> Result<Event> {
        Ok(Event::of_handle(device, device.driver()?.event_create()?))
    }

    /// Creates an event of the device with CUDA's options. Without timing the event is cheaper for the device, and
    /// [`Event::elapsed_ms_since`] is an error on a GPU. A blocking event lets a waiting thread sleep.
    ///
    /// CuPy's `Event(block, disable_timing)`.
    ///
    /// ```
    /// use cuprum::cuda::{Device, Event};
    /// let device = Device::current()?;
    /// let order_only = Event::with_options(device, false, false)?;
    /// order_only.record_on(&device.default_stream())?;
    /// assert_eq!(order_only.device(), device);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Event::new`].
    pub fn with_options(device: Device, blocking: bool, timed: bool) -> Result<Event> {
        let flags = u32::from(blocking) | if timed { 0 } else { 2 };
        Ok(Event::of_handle(device, device.driver()?.event_create_with(flags)?))
    }

    /// Wraps an event that the device has created.
    pub(super) fn of_handle(device: Device, handle: usize) -> Event {
        Event { handle, device, capture: AtomicU64::new(0) }
    }

    /// Returns the device of the event.
    pub fn device(&self) -> Device {
        self.device
    }

    /// Records the event after the queued work of the stream that is current on the event's device. On a captured
    /// stream the record is a position in the graph, for which other streams can [wait](Stream::wait_event); it is not
    /// reached.
    ///
    /// # Errors
    ///
    /// [`Driver`](crate::ErrorKind::Driver) if the device rejects it.
    pub fn record(&self) -> Result<()> {
        self.record_in(&self.device.queue()).map_err(|e| e.with_op("Event::record"))
    }

    /// Records the event after a stream's queued work.
    ///
    /// CuPy's `Event.record(stream)`; see [`Event`] for an example.
    ///
    /// # Errors
    ///
    /// [`Value`](crate::ErrorKind::Value) for a stream of another device, [`Driver`](crate::ErrorKind::Driver) if the
    /// device rejects it.
    pub fn record_on(&self, stream: &Stream) -> Result<()> {
        let go = || {
            self.check(stream.device(), "the stream")?;
            self.record_in(&stream.work_queue())
        };
        go().map_err(|e: Error| e.with_op("Event::record_on"))
    }

    fn record_in(&self, queue: &Queue) -> Result<()> {
        // SAFETY: the event is live, and so is the stream.
        unsafe { self.device.driver()?.event_record(self.handle, queue.handle) }?;
        self.capture.store(if queue.capture { queue.id } else { 0 }, Relaxed);
        Ok(())
    }

    /// Returns the number of the capture that the last record belongs to; 0 for none.
    pub(super) fn capture(&self) -> StreamId {
        self.capture.load(Relaxed)
    }

    /// Rejects an event that was recorded in a capture, if it must have been reached.
    fn check_not_captured(&self) -> Result<()> {
        if self.capture() == 0 {
            return Ok(());
        }
        let what = "the event was recorded in a capture, where it marks a position in the graph: record it anew";
        Err(Error::new(ErrorKind::Driver, what).with_status(status::CAPTURED_EVENT))
    }

    /// Returns true if the work before the event has completed; also if it was never recorded. CuPy's `done`.
    ///
    /// It does not wait.
    ///
    /// ```
    /// use cuprum::cuda::{Device, Event};
    /// assert!(Event::new(Device::current()?)?.is_done()?);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Driver`](crate::ErrorKind::Driver), also for work queued earlier that has failed.
    pub fn is_done(&self) -> Result<bool> {
        // SAFETY: the event is live.
        let query = || unsafe { self.device.driver()?.event_query(self.handle) };
        self.check_not_captured().and_then(|()| query()).map_err(|e| e.with_op("Event::is_done"))
    }

    /// Waits until the work before the event has completed.
    ///
    /// CuPy's `Event.synchronize`. See [`Event`] for an example.
    ///
    /// # Errors
    ///
    /// [`Driver`](crate::ErrorKind::Driver), also for work queued earlier that has failed;
    /// [`Index`](crate::ErrorKind::Index) for an index of an earlier call of this thread that is out of bounds.
    ///
    /// # Synchronization
    ///
    /// Synchronises with the event, and, if calls of this thread may have raised an error, with those.
    pub fn synchronize(&self) -> Result<()> {
        self.check_not_captured()
            .and_then(|()| waiting::announce(self.device))
            // SAFETY: the event is live.
            .and_then(|()| unsafe { self.device.driver()?.event_synchronize(self.handle) })
            .and_then(|()| self.device.check_errors())
            .map_err(|e| e.with_op("Event::synchronize"))
    }

    /// Returns the milliseconds from the event `start` to this one; both must have been reached.
    ///
    /// The resolution is half a microsecond on a GPU.
    ///
    /// CuPy's `get_elapsed_time(start, end)`. See [`Event`] for an example.
    ///
    /// # Errors
    ///
    /// [`Value`](crate::ErrorKind::Value) for events of two devices, [`Driver`](crate::ErrorKind::Driver) if one of
    /// them has not been reached.
    pub fn elapsed_ms_since(&self, start: &Event) -> Result<f32> {
        let go = || {
            self.check(start.device, "the start")?;
            self.check_not_captured()?;
            start.check_not_captured()?;
            // SAFETY: both events are live.
            unsafe { self.device.driver()?.event_elapsed_ms(start.handle, self.handle) }
        };
        go().map_err(|e: Error| e.with_op("Event::elapsed_ms_since"))
    }

    /// Returns the driver's handle of the event, a `CUevent` as a number; CuPy's `Event.ptr`.
    ///
    /// It is valid as long as this event; another library may record it and wait for it.
    pub fn handle(&self) -> usize {
        self.handle
    }

    /// Rejects another device than the event's own.
    fn check(&self, other: Device, what: &str) -> Result<()> {
        if other == self.device {
            return Ok(());
        }
        let (ours, theirs) = (&self.device.info().id, &other.info().id);
        Err(Error::new(
            ErrorKind::Value,
            format!("the event is of {ours}, {what} of {theirs}: make the event with Event::new on that device"),
        ))
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // A failure cannot be reported here.
        // SAFETY: the event is live, and not used again.
        let _ = self.device.driver_for_drop().and_then(|driver| unsafe { driver.event_destroy(self.handle) });
    }
}
