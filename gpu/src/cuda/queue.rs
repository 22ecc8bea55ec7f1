//! A stream as work sees it: where a launch or a transfer goes.

use super::order::Signal;
use super::{Device, trace};
use crate::driver::{Function, StreamHandle};
use crate::error::Result;

/// A stream's number. No two streams of a process have one, on whatever device; the driver gives its handles again.
pub(super) type StreamId = u64;

/// A stream of a device: where a thread's work goes. It is requested once for each piece of work.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Queue {
    pub(super) device: Device,
    pub(super) id: StreamId,
    pub(super) handle: StreamHandle,
    /// Whose memory it uses again.
    pub(super) arena: u32,
    /// True if a graph keeps the work, and nothing is done.
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

    /// Returns true if a graph keeps the work, and nothing is done.
    pub(crate) fn is_captured(&self) -> bool {
        self.capture
    }

    /// Launches a kernel on the stream, with so many bytes of dynamic shared memory.
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
        if trace::asked() == 0 { launch() } else { trace::launch(self, function, [grid, block], shared, launch) }
    }

    /// As [`Queue::wait_for`], of a stream of another device, whose events this one takes.
    pub(crate) fn wait_for_other(&self, other: &Queue) -> Result<()> {
        // SAFETY: a queue is used only while its stream is live.
        unsafe { Signal::behind_stream(other.device, other.handle) }?.hold(self)
    }

    /// Makes later work here wait for what is queued on another stream of the device so far.
    pub(super) fn wait_for(&self, other: StreamId) -> Result<()> {
        match Signal::behind(self.device, other)? {
            Some(signal) => signal.hold(self),
            None => Ok(()),
        }
    }
}
