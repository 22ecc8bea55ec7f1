//! Uploads by way of pinned memory, which the device reads by itself while the host goes on.

use std::ffi::c_void;
use std::ptr;

use cudarc::driver::sys::{self, CUresult};

use super::StreamHandle;
use super::cuda::failed;
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

fn check(call: &str, code: CUresult) -> Result<()> {
    if code == CUresult::CUDA_SUCCESS { Ok(()) } else { Err(failed(call, code)) }
}

impl Pinned {
    fn new() -> Result<Pinned> {
        let (mut memory, mut event) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: both are live variables; a context is current.
        check("cuMemHostAlloc", unsafe { sys::cuMemHostAlloc(&mut memory, CHUNK, 0) })?;
        // SAFETY: as above; the flag turns timing off.
        check("cuEventCreate", unsafe { sys::cuEventCreate(&mut event, 2) })?;
        Ok(Pinned { memory: memory as usize, event: event as usize })
    }
}

impl Staging {
    /// Copies `src` to the device. It has been read when this returns; the device may still be writing.
    pub(super) fn upload(&mut self, dst: u64, src: &[u8], stream: StreamHandle) -> Result<()> {
        let mut at = dst;
        for part in src.chunks(CHUNK) {
            self.turn ^= 1;
            let slot = &mut self.buffers[self.turn];
            let pinned = match slot {
                Some(pinned) => pinned,
                None => slot.insert(Pinned::new()?),
            };
            let event = pinned.event as sys::CUevent;
            // SAFETY: the event is live; one that was never recorded counts as reached.
            check("cuEventSynchronize", unsafe { sys::cuEventSynchronize(event) })?;
            let memory = pinned.memory as *mut u8;
            // SAFETY: the buffer holds CHUNK bytes, which no part exceeds, and the device has done with it.
            unsafe { ptr::copy_nonoverlapping(part.as_ptr(), memory, part.len()) };
            // SAFETY: the caller's device memory holds all of `src`; the buffer is not touched until the event.
            check("cuMemcpyHtoDAsync", unsafe {
                sys::cuMemcpyHtoDAsync_v2(at, memory.cast::<c_void>(), part.len(), stream as sys::CUstream)
            })?;
            // SAFETY: event and stream are live.
            check("cuEventRecord", unsafe { sys::cuEventRecord(event, stream as sys::CUstream) })?;
            at += part.len() as u64;
        }
        Ok(())
    }
}
