//! Streams and events.

use std::cell::Cell;

use super::Device;
use crate::driver::StreamHandle;
use crate::error::Result;

thread_local! {
    static CURRENT: Cell<StreamHandle> = const { Cell::new(0) };
}

/// The stream that this thread queues its work on; 0 is the default stream.
pub(crate) fn current_stream() -> StreamHandle {
    CURRENT.get()
}

/// Calls `f` with this stream of the current device current on the thread.
pub(super) fn with_stream<R>(handle: StreamHandle, f: impl FnOnce() -> R) -> R {
    /// Puts the old stream back, also when `f` panics.
    struct Restore(StreamHandle);
    impl Drop for Restore {
        fn drop(&mut self) {
            CURRENT.set(self.0);
        }
    }
    let _restore = Restore(CURRENT.replace(handle));
    f()
}

/// A queue of work on a device; CuPy's `Stream`. Work on one stream is done in order.
///
/// ```
/// use cuprum::cuda::{Device, Stream};
/// let device = Device::open("sim")?;
/// let stream = Stream::new(device)?;
/// stream.with(|| { /* arrays made here are made on the stream */ });
/// stream.synchronize()?;
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Debug)]
pub struct Stream {
    handle: StreamHandle,
    device: Device,
}

impl Stream {
    /// A new stream of the device.
    ///
    /// # Errors
    ///
    /// [`Driver`](crate::ErrorKind::Driver) when the device refuses.
    pub fn new(device: Device) -> Result<Stream> {
        Ok(Stream { handle: device.driver().stream_create()?, device })
    }

    /// Calls `f` with this stream current on the thread.
    pub fn with<R>(&self, f: impl FnOnce() -> R) -> R {
        self.device.with(|| with_stream(self.handle, f))
    }

    /// Waits until the stream's work is done.
    ///
    /// # Errors
    ///
    /// [`Driver`](crate::ErrorKind::Driver), also for work queued earlier that has failed.
    ///
    /// # Synchronization
    ///
    /// The host waits for the stream.
    pub fn synchronize(&self) -> Result<()> {
        self.device.driver().stream_synchronize(self.handle)
    }

    /// Makes later work on this stream wait for the event; the host goes on.
    ///
    /// # Errors
    ///
    /// [`Driver`](crate::ErrorKind::Driver) when the device refuses.
    pub fn wait_event(&self, event: &Event) -> Result<()> {
        self.device.driver().stream_wait(self.handle, event.handle)
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // The driver may give the handle to the next stream, which then gets the memory that this one used: its work
        // must be done. There is no one to tell of a failure.
        let _ = self.device.driver().stream_synchronize(self.handle);
        let _ = self.device.driver().stream_destroy(self.handle);
    }
}

/// A mark in a stream's work; CuPy's `Event`.
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
        Ok(Event { handle: device.driver().event_create()?, device })
    }

    /// Sets the mark behind the current stream's work so far.
    ///
    /// # Errors
    ///
    /// [`Driver`](crate::ErrorKind::Driver) when the device refuses.
    pub fn record(&self) -> Result<()> {
        self.device.driver().event_record(self.handle, current_stream())
    }

    /// Waits until the work before the mark is done.
    ///
    /// # Errors
    ///
    /// [`Driver`](crate::ErrorKind::Driver), also for work queued earlier that has failed.
    ///
    /// # Synchronization
    ///
    /// The host waits for the event.
    pub fn synchronize(&self) -> Result<()> {
        self.device.driver().event_synchronize(self.handle)
    }

    /// Milliseconds from the mark of `start` to this one; both must have been reached.
    ///
    /// # Errors
    ///
    /// [`Driver`](crate::ErrorKind::Driver) when one of them has not.
    pub fn elapsed_ms_since(&self, start: &Event) -> Result<f32> {
        self.device.driver().event_elapsed_ms(start.handle, self.handle)
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // There is no one to tell of a failure.
        let _ = self.device.driver().event_destroy(self.handle);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_is_current_in_its_scope_and_on_its_device_only() {
        let device = Device::open("sim").unwrap();
        let stream = Stream::new(device).unwrap();
        stream.with(|| {
            assert_eq!(current_stream(), stream.handle);
            device.with(|| assert_eq!(current_stream(), stream.handle, "the same device lost its stream"));
            Device::another_for_test().with(|| assert_eq!(current_stream(), 0, "another device took the stream"));
            assert_eq!(current_stream(), stream.handle);
        });
        assert_eq!(current_stream(), 0);
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| stream.with(|| panic!("on purpose")))).unwrap_err();
        assert_eq!(current_stream(), 0, "a panic left the stream current");
    }
}
