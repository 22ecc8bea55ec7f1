//! Events: marks in the work of streams.

use super::{Device, Stream, waiting};
use crate::error::{Error, ErrorKind, Result};

/// A mark in a stream's work; CuPy's `Event`.
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
    handle: usize,
    device: Device,
}

impl Event {
    /// A new event of the device.
    ///
    /// # Errors
    ///
    /// [`Driver`](crate::ErrorKind::Driver) when the device refuses.
    pub fn new(device: Device) -> Result<Event> {
        Ok(Event { handle: device.driver()?.event_create()?, device })
    }

    /// As [`Event::new`], with CUDA's options. Without time the device takes less for it, and [`Event::elapsed_ms_since`] is an
    /// error on a GPU. One that blocks lets a thread that waits sleep.
    ///
    /// # Errors
    ///
    /// As [`Event::new`].
    pub fn with_options(device: Device, blocking: bool, timed: bool) -> Result<Event> {
        let flags = u32::from(blocking) | if timed { 0 } else { 2 };
        Ok(Event { handle: device.driver()?.event_create_with(flags)?, device })
    }

    /// An event that the device has made.
    pub(super) fn of_handle(device: Device, handle: usize) -> Event {
        Event { handle, device }
    }

    /// The device that the event is of.
    pub fn device(&self) -> Device {
        self.device
    }

    /// Sets the mark behind the work so far of the stream that is current on the event's device.
    ///
    /// # Errors
    ///
    /// [`Driver`](crate::ErrorKind::Driver) when the device refuses.
    pub fn record(&self) -> Result<()> {
        let queue = self.device.queue();
        let go = || {
            refuse_capture(queue.capture)?;
            // SAFETY: the event is live, and the current stream is.
            unsafe { self.device.driver()?.event_record(self.handle, queue.handle) }
        };
        go().map_err(|e: Error| e.with_op("Event::record"))
    }

    /// Sets the mark behind a stream's work so far.
    ///
    /// # Errors
    ///
    /// [`Value`](crate::ErrorKind::Value) for a stream of another device,
    /// [`Driver`](crate::ErrorKind::Driver) when the device refuses.
    pub fn record_on(&self, stream: &Stream) -> Result<()> {
        let go = || {
            self.check(stream.device(), "the stream")?;
            refuse_capture(stream.is_capturing())?;
            // SAFETY: event and stream are live.
            unsafe { self.device.driver()?.event_record(self.handle, stream.queue().handle) }
        };
        go().map_err(|e: Error| e.with_op("Event::record_on"))
    }

    /// Whether the work before the mark is done; so it is where none was set. CuPy's `done`.
    ///
    /// # Errors
    ///
    /// [`Driver`](crate::ErrorKind::Driver), also for work queued earlier that has failed.
    pub fn is_done(&self) -> Result<bool> {
        // SAFETY: the event is live.
        unsafe { self.device.driver()?.event_query(self.handle) }.map_err(|e| e.with_op("Event::is_done"))
    }

    /// Waits until the work before the mark is done.
    ///
    /// # Errors
    ///
    /// [`Driver`](crate::ErrorKind::Driver), also for work queued earlier that has failed;
    /// [`Index`](crate::ErrorKind::Index) for an index that an earlier call of this thread found out of bounds.
    ///
    /// # Synchronization
    ///
    /// The host waits for the event, and where calls of this thread may have met an index out of bounds for those.
    pub fn synchronize(&self) -> Result<()> {
        waiting::announce(self.device)
            // SAFETY: the event is live.
            .and_then(|()| unsafe { self.device.driver()?.event_synchronize(self.handle) })
            .and_then(|()| self.device.tell_refused())
            .map_err(|e| e.with_op("Event::synchronize"))
    }

    /// Milliseconds from the mark of `start` to this one; both must have been reached.
    ///
    /// # Errors
    ///
    /// [`Value`](crate::ErrorKind::Value) for events of two devices, [`Driver`](crate::ErrorKind::Driver) when one of
    /// them has not been reached.
    pub fn elapsed_ms_since(&self, start: &Event) -> Result<f32> {
        let go = || {
            self.check(start.device, "the start")?;
            // SAFETY: both events are live.
            unsafe { self.device.driver()?.event_elapsed_ms(start.handle, self.handle) }
        };
        go().map_err(|e: Error| e.with_op("Event::elapsed_ms_since"))
    }

    /// The driver's handle of the event, a `CUevent` as a number; CuPy's `Event.ptr`.
    pub fn handle(&self) -> usize {
        self.handle
    }

    /// Refuses another device than the event's own.
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

/// An event in a graph is the driver's way to fork a capture, which the library does not take.
fn refuse_capture(captured: bool) -> Result<()> {
    if !captured {
        return Ok(());
    }
    let what = "an event cannot be captured: set it before the launch of the graph or behind it";
    Err(Error::new(ErrorKind::Driver, what))
}

impl Drop for Event {
    fn drop(&mut self) {
        // There is no one to tell of a failure.
        // SAFETY: the event is live, and used no more.
        let _ = self.device.driver_for_drop().and_then(|driver| unsafe { driver.event_destroy(self.handle) });
    }
}
