//! Large copies between the host and a device through pinned staging buffers.
//!
//! The driver copies pageable memory in one thread, which is slower than the bus: a core moves some 10 GB a second and
//! the bus 50. So the copy is divided into parts, which several threads copy between the caller's memory and pinned
//! buffers, each thread filling one of its two while the device processes the other.

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
/// Number of bytes from which several threads are worth their start.
const SHARED: usize = 8 << 20;
/// Maximum number of threads: as many as are needed to saturate the bus.
const THREADS: usize = 12;

/// The buffers of each thread.
#[derive(Debug, Default)]
pub(super) struct Staging {
    /// A lane for each copying thread.
    lanes: [Lane; THREADS],
}

/// Double buffer of a thread.
#[derive(Debug, Default)]
struct Lane {
    /// The two buffers, allocated at the first large copy.
    buffers: [Option<Pinned>; 2],
    /// The buffer that was filled last.
    turn: usize,
}

/// A pinned buffer, and an event after its last use.
#[derive(Clone, Copy, Debug)]
struct Pinned {
    /// Address on the host.
    memory: usize,
    /// Event after the copy that uses the buffer.
    event: usize,
}

/// Device side of a copy.
#[derive(Clone, Copy)]
pub(super) struct Side<'a> {
    /// Functions of the driver.
    pub(super) api: &'a Api,
    /// Context of the device.
    pub(super) context: usize,
    /// Address on the device.
    pub(super) addr: u64,
    /// Stream of the copies.
    pub(super) stream: StreamHandle,
}

impl Pinned {
    fn new(api: &Api) -> Result<Pinned> {
        let (mut memory, mut event) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: `memory` is a live variable, and the caller has a context current.
        unsafe { api.alloc_pinned(&mut memory, BUFFER, 0) }?;
        // SAFETY: the driver has allocated this number of bytes.
        unsafe { ptr::write_bytes(memory.cast::<u8>(), 0, BUFFER) };
        // SAFETY: `event` is a live variable, and the caller has a context current.
        unsafe { api.create_event(&mut event, CUevent_flags::CU_EVENT_DISABLE_TIMING as c_uint) }?;
        Ok(Pinned { memory: memory as usize, event: event as usize })
    }

    /// Returns the first `bytes` bytes of the buffer.
    ///
    /// # Safety
    ///
    /// There are at most BUFFER of them, the device has finished with them, and there is no other reference to them.
    unsafe fn bytes<'a>(self, bytes: usize) -> &'a mut [u8] {
        debug_assert!(bytes <= BUFFER);
        // SAFETY: the driver's memory is never freed, and was initialised when it was allocated.
        unsafe { std::slice::from_raw_parts_mut(self.memory as *mut u8, bytes) }
    }

    /// Waits until the device has finished with the buffer.
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
    /// Returns the next buffer, after the device has finished with it.
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

    /// Copies the parts of a lane to the device.
    ///
    /// # Safety
    ///
    /// As for [`Staging::upload`], for each part of the bytes after the address.
    unsafe fn upload(&mut self, side: Side<'_>, parts: Parts, fill: &Fill<'_>) -> Result<()> {
        for part in parts {
            let pinned = self.next(side.api)?;
            // SAFETY: the device has finished with the buffer.
            let memory = unsafe { pinned.bytes(part.len()) };
            fill(part.start, memory)?;
            let (dst, stream) = (side.addr + part.start as u64, side.stream as CUstream);
            // SAFETY: the caller's device memory holds all parts; the buffer is not accessed until the event.
            unsafe { side.api.upload(dst, memory.as_ptr().cast(), part.len(), stream) }?;
            pinned.record(&side)?;
        }
        Ok(())
    }

    /// Copies the parts of a lane from the device.
    ///
    /// # Safety
    ///
    /// As for [`Staging::download`], for each part of the bytes after the address.
    unsafe fn download<T>(
        &mut self,
        side: Side<'_>,
        parts: impl Iterator<Item = (Range<usize>, T)>,
        take: &(impl Fn(usize, &[u8], T) -> Result<()> + Sync),
    ) -> Result<()> {
        let finish = |(pinned, part, to): (Pinned, Range<usize>, T)| -> Result<()> {
            pinned.wait(side.api)?;
            // SAFETY: the device has written the buffer, and has finished with it.
            take(part.start, unsafe { pinned.bytes(part.len()) }, to)
        };
        let mut before = None;
        for (part, to) in parts {
            let pinned = self.next(side.api)?;
            let (src, stream) = (side.addr + part.start as u64, side.stream as CUstream);
            // SAFETY: the caller's device memory holds all parts; the buffer is not accessed until the event.
            unsafe { side.api.download((pinned.memory as *mut u8).cast(), src, part.len(), stream) }?;
            pinned.record(&side)?;
            if let Some(before) = before.replace((pinned, part, to)) {
                finish(before)?;
            }
        }
        before.map_or(Ok(()), finish)
    }
}

/// The parts that a thread copies.
type Parts = std::vec::IntoIter<Range<usize>>;

/// Returns the parts of a copy of `bytes` bytes.
fn parts(bytes: usize, size: usize) -> impl Iterator<Item = Range<usize>> {
    (0..bytes).step_by(size).map(move |at| at..bytes.min(at + size))
}

impl Staging {
    /// Copies to the device the bytes that `fill` writes, which is called by several threads. All calls have returned
    /// when this returns; the device may still be copying.
    ///
    /// # Safety
    ///
    /// The context is the device's and current, the stream is one of its streams and live, and the address points to
    /// `bytes` bytes of live device memory until the stream has completed the copy.
    pub(super) unsafe fn upload(&mut self, side: Side<'_>, bytes: usize, fill: &Fill<'_>) -> Result<()> {
        let (lanes, size) = split(bytes);
        // SAFETY: as the caller's; the parts are those of the bytes.
        self.share(side, lanes, parts(bytes, size), |lane, parts| unsafe { lane.upload(side, parts, fill) })
    }

    /// Copies from the device, after all work queued on the stream, and synchronises it.
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
        // SAFETY: guaranteed by the caller; the parts are those of `dst`.
        self.share(side, lanes, to, |lane, parts| unsafe { lane.download(side, parts, &copy) })
    }

    /// Copies from the device as [`Staging::download`] does, with the bytes passed to `take`, which is called by
    /// several threads.
    ///
    /// # Safety
    ///
    /// As for [`Staging::upload`].
    pub(super) unsafe fn download_to(&mut self, side: Side<'_>, bytes: usize, take: &Take<'_>) -> Result<()> {
        let (lanes, size) = split(bytes);
        let to = parts(bytes, size).map(|part| (part, ()));
        // SAFETY: guaranteed by the caller; the parts are those of the bytes.
        self.share(side, lanes, to, |lane, parts| unsafe { lane.download(side, parts, &|at, part, ()| take(at, part)) })
    }

    /// Distributes the parts to this number of lanes, each on a thread of its own; one lane runs on the caller's.
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

/// Returns the number of lanes that share a copy, and the bytes of each part.
fn split(bytes: usize) -> (usize, usize) {
    static CORES: OnceLock<usize> = OnceLock::new();
    let cores = *CORES.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from));
    let lanes = if bytes < SHARED { 1 } else { cores.min(THREADS) };
    (lanes, bytes.div_ceil(4 * lanes).next_multiple_of(64 << 10).min(BUFFER))
}

/// Does nothing: pages are the system's choice there.
#[cfg(not(unix))]
fn advise(_: &mut [u8]) {}

/// Requests huge pages for memory that has no pages yet: a fault for each small one takes longer than its copy.
#[cfg(unix)]
fn advise(memory: &mut [u8]) {
    const LARGE: usize = 2 << 20;
    let start = memory.as_ptr() as usize;
    let (from, to) = (start.next_multiple_of(LARGE), (start + memory.len()) / LARGE * LARGE);
    if from < to {
        // SAFETY: the range is within the slice, and the advice changes no byte of it. If it is ignored, the copy is
        // only slower.
        unsafe { libc::madvise(from as *mut libc::c_void, to - from, libc::MADV_HUGEPAGE) };
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::{c_int, c_void};
    use std::sync::Mutex;

    use cudarc::driver::sys::CUdeviceptr;

    use super::*;
    use crate::error::{Error, ErrorKind};

    // A mock driver whose device memory is the host's, and which copies immediately.

    unsafe extern "C" fn alloc_pinned(memory: *mut *mut c_void, bytes: usize, _: c_uint) -> c_int {
        let buffer = vec![0xee_u8; bytes].leak();
        // SAFETY: the variable is live.
        unsafe { *memory = buffer.as_mut_ptr().cast() };
        0
    }

    unsafe extern "C" fn create_event(event: *mut CUevent, _: c_uint) -> c_int {
        // SAFETY: the variable is live.
        unsafe { *event = ptr::null_mut() };
        0
    }

    unsafe extern "C" fn reached(_: CUevent) -> c_int {
        0
    }

    unsafe extern "C" fn recorded(_: CUevent, _: CUstream) -> c_int {
        0
    }

    unsafe extern "C" fn set_context(_: CUcontext) -> c_int {
        0
    }

    unsafe extern "C" fn upload(dst: CUdeviceptr, src: *const c_void, bytes: usize, _: CUstream) -> c_int {
        // SAFETY: the caller passes live memory of this size.
        unsafe { ptr::copy_nonoverlapping(src.cast::<u8>(), dst as *mut u8, bytes) };
        0
    }

    unsafe extern "C" fn download(dst: *mut c_void, src: CUdeviceptr, bytes: usize, _: CUstream) -> c_int {
        // SAFETY: the caller passes live memory of this size.
        unsafe { ptr::copy_nonoverlapping(src as *const u8, dst.cast::<u8>(), bytes) };
        0
    }

    fn api() -> Api {
        Api {
            alloc_pinned: Ok(alloc_pinned),
            create_event: Ok(create_event),
            synchronize_event: Ok(reached),
            record_event: Ok(recorded),
            set_context: Ok(set_context),
            upload: Ok(upload),
            download: Ok(download),
            ..Api::absent()
        }
    }

    #[test]
    fn every_part_is_copied_to_its_offset_both_ways() {
        let api = api();
        let byte = |at: usize| (at * 31 % 251) as u8;
        for bytes in [1, BUFFER + 1, SHARED + 3 * BUFFER + 12_345] {
            let mut staging = Staging::default();
            let mut device = vec![0_u8; bytes];
            let side = Side { api: &api, context: 0, addr: device.as_mut_ptr() as u64, stream: 0 };
            let fill = |at: usize, part: &mut [u8]| {
                part.iter_mut().enumerate().for_each(|(i, to)| *to = byte(at + i));
                Ok(())
            };
            // SAFETY: the device's memory is that of the vector.
            unsafe { staging.upload(side, bytes, &fill) }.unwrap();
            let found = Mutex::new(vec![0_u8; bytes]);
            let take = |at: usize, part: &[u8]| {
                found.lock().unwrap()[at..at + part.len()].copy_from_slice(part);
                Ok(())
            };
            // SAFETY: as above.
            unsafe { staging.download_to(side, bytes, &take) }.unwrap();
            let mut whole = vec![0_u8; bytes];
            // SAFETY: as above.
            unsafe { staging.download(side, &mut whole) }.unwrap();
            let expected: Vec<u8> = (0..bytes).map(byte).collect();
            assert!(device == expected && *found.lock().unwrap() == expected && whole == expected, "{bytes}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_the_error_of_the_copy() {
        let (api, mut device) = (api(), vec![0_u8; SHARED + 1]);
        let side = Side { api: &api, context: 0, addr: device.as_mut_ptr() as u64, stream: 0 };
        let fill = |at: usize, _: &mut [u8]| match at {
            0 => Ok(()),
            _ => Err(Error::new(ErrorKind::Io, "the disk is gone")),
        };
        // SAFETY: the device's memory is that of the vector.
        let e = unsafe { Staging::default().upload(side, SHARED + 1, &fill) }.unwrap_err();
        assert_eq!((e.kind(), e.message()), (ErrorKind::Io, "the disk is gone"));
    }

    #[test]
    fn parts_fit_their_buffers_and_a_small_copy_has_one_thread() {
        for bytes in [1, 65 << 10, SHARED - 1, SHARED, 1 << 30, 1 << 40] {
            let (lanes, size) = split(bytes);
            assert!(size <= BUFFER && size > 0 && (1..=THREADS).contains(&lanes), "{bytes}: {lanes}, {size}");
            assert!(bytes >= SHARED || lanes == 1, "{bytes}: {lanes}");
        }
    }
}
