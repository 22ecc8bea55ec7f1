//! Uploads by way of pinned memory, which the device reads by itself while the host goes on.

use std::ffi::c_uint;
use std::ptr;

use cudarc::driver::sys::{CUevent, CUevent_flags, CUstream};

use super::StreamHandle;
use super::api::Api;
use crate::error::Result;

/// Bytes of each pinned buffer.
const CHUNK: usize = 4 << 20;

/// Two buffers in turn: one is filled while the device reads the other.
#[derive(Debug, Default)]
pub(super) struct Staging {
    buffers: [Option<Pinned>; 2],
    turn: usize,
}

/// A pinned buffer, and the event behind its last use.
#[derive(Debug)]
struct Pinned {
    memory: usize,
    event: usize,
}

impl Pinned {
    fn new(api: &Api) -> Result<Pinned> {
        let (mut memory, mut event) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: `memory` is a live variable, and the caller has a context current.
        unsafe { api.alloc_pinned(&mut memory, CHUNK, 0) }?;
        // SAFETY: `event` is a live variable, and the caller has a context current.
        unsafe { api.create_event(&mut event, CUevent_flags::CU_EVENT_DISABLE_TIMING as c_uint) }?;
        Ok(Pinned { memory: memory as usize, event: event as usize })
    }
}

impl Staging {
    /// Copies `src` to the device. It has been read when this returns; the device may still be writing.
    ///
    /// # Safety
    ///
    /// The device's context is current, and `dst` is live memory of as many bytes until the stream has come past.
    pub(super) unsafe fn upload(&mut self, api: &Api, dst: u64, src: &[u8], stream: StreamHandle) -> Result<()> {
        let mut at = dst;
        for part in src.chunks(CHUNK) {
            self.turn ^= 1;
            let slot = &mut self.buffers[self.turn];
            let pinned = match slot {
                Some(pinned) => pinned,
                None => slot.insert(Pinned::new(api)?),
            };
            let (memory, event) = (pinned.memory as *mut u8, pinned.event as CUevent);
            // SAFETY: the event is never destroyed; one that was never recorded counts as reached.
            unsafe { api.synchronize_event(event) }?;
            // SAFETY: the buffer holds CHUNK bytes, which no part exceeds, and the device has done with it.
            unsafe { ptr::copy_nonoverlapping(part.as_ptr(), memory, part.len()) };
            // SAFETY: the caller's device memory holds all of `src`; the buffer is not touched until the event.
            unsafe { api.upload(at, memory.cast(), part.len(), stream as CUstream) }?;
            // SAFETY: the event is never destroyed, and the caller's stream is live.
            unsafe { api.record_event(event, stream as CUstream) }?;
            at += part.len() as u64;
        }
        Ok(())
    }
}
