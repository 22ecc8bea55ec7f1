//! Large copies between the host and a device by way of pinned memory, which the device reaches by itself.
//!
//! The driver copies pageable memory in one thread, and that, not the bus, is what such a copy takes: a core moves some
//! 10 GB a second and the bus 50. So the copy is cut into parts, which several threads carry between the caller's memory
//! and pinned buffers, each thread filling one of its two while the device works on the other.

use std::ffi::c_uint;
use std::ops::Range;
use std::ptr;
use std::sync::OnceLock;

use cudarc::driver::sys::{CUcontext, CUevent, CUevent_flags, CUstream};

use super::api::Api;
use super::{Fill, StreamHandle, Take};
use crate::error::Result;

/// Bytes of each pinned buffer.
const BUFFER: usize = 2 << 20;
/// From so many bytes on several threads are worth their start.
const SHARED: usize = 8 << 20;
/// The most threads: as many as it takes to keep up with the bus.
const THREADS: usize = 12;

/// The buffers of each thread.
#[derive(Debug, Default)]
pub(super) struct Staging {
    lanes: [Lane; THREADS],
}

/// Two buffers in turn.
#[derive(Debug, Default)]
struct Lane {
    buffers: [Option<Pinned>; 2],
    turn: usize,
}

/// A pinned buffer, and the event behind its last use.
#[derive(Clone, Copy, Debug)]
struct Pinned {
    memory: usize,
    event: usize,
}

/// The device's side of a copy.
#[derive(Clone, Copy)]
pub(super) struct Side<'a> {
    pub(super) api: &'a Api,
    pub(super) context: usize,
    pub(super) addr: u64,
    pub(super) stream: StreamHandle,
}

impl Pinned {
    fn new(api: &Api) -> Result<Pinned> {
        let (mut memory, mut event) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: `memory` is a live variable, and the caller has a context current.
        unsafe { api.alloc_pinned(&mut memory, BUFFER, 0) }?;
        // SAFETY: the driver gave so many bytes.
        unsafe { ptr::write_bytes(memory.cast::<u8>(), 0, BUFFER) };
        // SAFETY: `event` is a live variable, and the caller has a context current.
        unsafe { api.create_event(&mut event, CUevent_flags::CU_EVENT_DISABLE_TIMING as c_uint) }?;
        Ok(Pinned { memory: memory as usize, event: event as usize })
    }

    /// The first bytes of the buffer.
    ///
    /// # Safety
    ///
    /// They are no more than BUFFER, the device has done with them, and nobody else holds them.
    unsafe fn bytes<'a>(self, bytes: usize) -> &'a mut [u8] {
        debug_assert!(bytes <= BUFFER);
        // SAFETY: the driver's memory is never given back, and was written when it was made.
        unsafe { std::slice::from_raw_parts_mut(self.memory as *mut u8, bytes) }
    }

    /// Waits until the device has done with the buffer.
    fn wait(&self, api: &Api) -> Result<()> {
        // SAFETY: the event is never destroyed; one that was never recorded counts as reached.
        unsafe { api.synchronize_event(self.event as CUevent) }
    }

    fn record(&self, side: &Side<'_>) -> Result<()> {
        // SAFETY: the event is never destroyed, and the caller's stream is live.
        unsafe { side.api.record_event(self.event as CUevent, side.stream as CUstream) }
    }
}

impl Lane {
    /// The next buffer; the device has done with it.
    fn next(&mut self, api: &Api) -> Result<Pinned> {
        self.turn ^= 1;
        let slot = &mut self.buffers[self.turn];
        let pinned = match slot {
            Some(pinned) => *pinned,
            None => *slot.insert(Pinned::new(api)?),
        };
        pinned.wait(api)?;
        Ok(pinned)
    }

    /// # Safety
    ///
    /// As for [`Staging::upload`], for each part of the bytes behind the address.
    unsafe fn upload(&mut self, side: Side<'_>, parts: Parts, fill: &Fill<'_>) -> Result<()> {
        for part in parts {
            let pinned = self.next(side.api)?;
            // SAFETY: the device has done with the buffer.
            let memory = unsafe { pinned.bytes(part.len()) };
            fill(part.start, memory)?;
            let (dst, stream) = (side.addr + part.start as u64, side.stream as CUstream);
            // SAFETY: the caller's device memory holds all parts; the buffer is not touched until the event.
            unsafe { side.api.upload(dst, memory.as_ptr().cast(), part.len(), stream) }?;
            pinned.record(&side)?;
        }
        Ok(())
    }

    /// # Safety
    ///
    /// As for [`Staging::download`], for each part of the bytes behind the address.
    unsafe fn download<T>(
        &mut self,
        side: Side<'_>,
        parts: impl Iterator<Item = (Range<usize>, T)>,
        take: &(impl Fn(usize, &[u8], T) -> Result<()> + Sync),
    ) -> Result<()> {
        let finish = |(pinned, part, to): (Pinned, Range<usize>, T)| -> Result<()> {
            pinned.wait(side.api)?;
            // SAFETY: the device has written the buffer, and does no more with it.
            take(part.start, unsafe { pinned.bytes(part.len()) }, to)
        };
        let mut before = None;
        for (part, to) in parts {
            let pinned = self.next(side.api)?;
            let (src, stream) = (side.addr + part.start as u64, side.stream as CUstream);
            // SAFETY: the caller's device memory holds all parts; the buffer is not touched until the event.
            unsafe { side.api.download((pinned.memory as *mut u8).cast(), src, part.len(), stream) }?;
            pinned.record(&side)?;
            if let Some(before) = before.replace((pinned, part, to)) {
                finish(before)?;
            }
        }
        before.map_or(Ok(()), finish)
    }
}

/// The parts that a lane is dealt.
type Parts = std::vec::IntoIter<Range<usize>>;

/// The parts of so many bytes.
fn parts(bytes: usize, size: usize) -> impl Iterator<Item = Range<usize>> {
    (0..bytes).step_by(size).map(move |at| at..bytes.min(at + size))
}

impl Staging {
    /// Copies to the device what `fill` writes, which is called by several threads. All has been written when this
    /// returns; the device may still be copying.
    ///
    /// # Safety
    ///
    /// The context is the device's and current, the stream is one of its streams and live, and at the address lie as many
    /// bytes of live device memory until the stream has come past.
    pub(super) unsafe fn upload(&mut self, side: Side<'_>, bytes: usize, fill: &Fill<'_>) -> Result<()> {
        let (lanes, size) = split(bytes);
        // SAFETY: as the caller's; the parts are those of the bytes.
        self.share(side, lanes, parts(bytes, size), |lane, parts| unsafe { lane.upload(side, parts, fill) })
    }

    /// Copies from the device, after all that is queued on the stream, and waits for it.
    ///
    /// # Safety
    ///
    /// As for [`Staging::upload`].
    pub(super) unsafe fn download(&mut self, side: Side<'_>, dst: &mut [u8]) -> Result<()> {
        advise(dst);
        let (lanes, size) = split(dst.len());
        let to = parts(dst.len(), size).zip(dst.chunks_mut(size));
        let copy = |_: usize, part: &[u8], to: &mut [u8]| {
            to.copy_from_slice(part);
            Ok(())
        };
        // SAFETY: as the caller's; the parts are those of `dst`.
        self.share(side, lanes, to, |lane, parts| unsafe { lane.download(side, parts, &copy) })
    }

    /// As [`Staging::download`], to where `take` puts it, which is called by several threads.
    ///
    /// # Safety
    ///
    /// As for [`Staging::upload`].
    pub(super) unsafe fn download_to(&mut self, side: Side<'_>, bytes: usize, take: &Take<'_>) -> Result<()> {
        let (lanes, size) = split(bytes);
        let to = parts(bytes, size).map(|part| (part, ()));
        // SAFETY: as the caller's; the parts are those of the bytes.
        self.share(side, lanes, to, |lane, parts| unsafe { lane.download(side, parts, &|at, part, ()| take(at, part)) })
    }

    /// Deals the parts out to so many lanes, each on a thread of its own; one lane works on the caller's.
    fn share<T: Send>(
        &mut self,
        side: Side<'_>,
        lanes: usize,
        parts: impl Iterator<Item = T>,
        work: impl Fn(&mut Lane, std::vec::IntoIter<T>) -> Result<()> + Sync,
    ) -> Result<()> {
        let mut dealt: Vec<Vec<T>> = (0..lanes).map(|_| vec![]).collect();
        for (i, part) in parts.enumerate() {
            dealt[i % lanes].push(part);
        }
        let mut dealt = dealt.into_iter().zip(&mut self.lanes);
        let Some((first, lane)) = dealt.next() else { return Ok(()) };
        std::thread::scope(|scope| {
            let work = &work;
            let others: Vec<_> = dealt
                .map(|(parts, lane)| {
                    scope.spawn(move || {
                        // SAFETY: the context is the device's, which is never released.
                        unsafe { side.api.set_context(side.context as CUcontext) }?;
                        work(lane, parts.into_iter())
                    })
                })
                .collect();
            let mut done = work(lane, first.into_iter());
            for other in others {
                let other = other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                done = done.and(other);
            }
            done
        })
    }
}

/// How many lanes share a copy, and the bytes of each part.
fn split(bytes: usize) -> (usize, usize) {
    static CORES: OnceLock<usize> = OnceLock::new();
    let cores = *CORES.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from));
    let lanes = if bytes < SHARED { 1 } else { cores.min(THREADS) };
    (lanes, bytes.div_ceil(4 * lanes).next_multiple_of(64 << 10).min(BUFFER))
}

/// Asks for large pages where the memory has none yet: a fault for each small one takes longer than its copy.
fn advise(memory: &mut [u8]) {
    const LARGE: usize = 2 << 20;
    let start = memory.as_ptr() as usize;
    let (from, to) = (start.next_multiple_of(LARGE), (start + memory.len()) / LARGE * LARGE);
    if from < to {
        // SAFETY: the range lies within the slice, and the advice changes no byte of it. Where it is not taken, nothing
        // is lost but time.
        unsafe { libc::madvise(from as *mut libc::c_void, to - from, libc::MADV_HUGEPAGE) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_fit_their_buffers_and_a_small_copy_has_one_thread() {
        for bytes in [1, 65 << 10, SHARED - 1, SHARED, 1 << 30, 1 << 40] {
            let (lanes, size) = split(bytes);
            assert!(size <= BUFFER && size > 0 && (1..=THREADS).contains(&lanes), "{bytes}: {lanes}, {size}");
            assert!(bytes >= SHARED || lanes == 1, "{bytes}: {lanes}");
        }
    }
}
