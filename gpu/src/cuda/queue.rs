//! Queue of work: the stream that a launch or a transfer is queued on.

use super::stream_dependencies::Signal;
use super::{Device, trace};
use crate::driver::{Function, StreamHandle};
use crate::error::Result;

/// A stream's number, unique in the process over all devices; the driver reuses its handles.
pub(super) type StreamId = u64;

/// A stream of a device on which a thread queues work. It is determined once for each piece of work.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Queue {
    /// Device of the stream.
    pub(super) device: Device,
    /// Number of the stream, or of the graph that captures it: unique in the process.
    pub(super) id: StreamId,
    /// The driver's handle of the stream.
    pub(super) handle: StreamHandle,
    /// The arena of its memory.
    pub(super) arena: u32,
    /// True if a graph captures the work instead of running it.
    pub(super) capture: bool,
}

impl Queue {
    pub(crate) fn device(&self) -> Device {
        self.device
    }

    /// Returns the driver's handle of the stream.
    pub(crate) fn handle(&self) -> StreamHandle {
        self.handle
    }

    /// Returns true if a graph captures the work instead of running it.
    pub(crate) fn is_captured(&self) -> bool {
        self.capture
    }

    /// Launches a kernel on the stream, with `shared` bytes of dynamic shared memory.
    ///
    /// # Safety
    ///
    /// As [`Driver::launch`](crate::driver::Driver::launch).
    #[inline]
    pub(crate) unsafe fn launch(
        &self,
        function: Function,
        grid: [u32; 3],
        block: [u32; 3],
        shared: u32,
        params: &[u8],
    ) -> Result<()> {
        self.device.count_launch();
        let driver = self.device.driver()?;
        // SAFETY: the caller guarantees the parameters.
        let launch = || unsafe { driver.launch(function, grid, block, shared, self.handle, params) };
        if trace::active_bits() == 0 { launch() } else { trace::launch(self, function, [grid, block], shared, launch) }
    }

    /// Makes later work here wait for the queued work of a stream of another device, whose events this one accepts.
    pub(crate) fn wait_for_other(&self, other: &Queue) -> Result<()> {
        // SAFETY: a queue is used only while its stream is live.
        unsafe { Signal::behind_stream(other.device, other.handle) }?.hold(self)
    }

    /// Makes later work here wait for the queued work of another stream of the device.
    pub(super) fn wait_for(&self, other: StreamId) -> Result<()> {
        match Signal::behind(self.device, other)? {
            Some(signal) => signal.hold(self),
            None => Ok(()),
        }
    }
}
