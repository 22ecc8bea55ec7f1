//! Device memory buffers, and the streams that use them.
//!
//! A buffer is an allocation and what the order of streams needs to know of it: the last write, and the reads since
//! then, by stream. Before a use on another stream than theirs the stream waits for them; uses on one stream cost a
//! comparison.

mod deferred;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use smallvec::SmallVec;

use super::Device;
use super::foreign::{self, Foreign, Owner};
use super::graph::GraphMemory;
use super::hook::{self, MemoryEvent};
use super::queue::{Queue, StreamId};
use super::stream_dependencies::Signal;
use crate::driver::{StreamHandle, fork};
use crate::error::{Error, ErrorKind, Result};

use deferred::{Deferred, PendingCount};
pub(crate) use deferred::{Work, alone, deferred_stats};

/// Not a stream's number: several streams use the buffer.
const SEVERAL: StreamId = 0;
/// Number of streams from which destroyed ones are removed.
const MANY: usize = 8;

/// Device memory buffer. Dropping it returns the memory to the pool, for the stream that it was allocated on, or drops
/// the owner of foreign memory.
///
/// Every use of the memory is recorded before the work is queued ([`Buffer::touch`]). That orders the work of several
/// streams: a reader waits for the last writer, a writer waits for the last writer and for all readers since. And it
/// determines the work that must complete before the memory is reused.
#[derive(Debug)]
pub(crate) struct Buffer {
    /// Address on the device; 0 for no bytes.
    addr: u64,
    /// Size of the memory.
    bytes: usize,
    /// The stream that the memory was allocated on and returns to.
    home: Queue,
    /// The stream that all uses so far are ordered before, or [`SEVERAL`]. It changes only under the lock of `uses`.
    sole: AtomicU64,
    /// The uses that later work must be ordered after.
    uses: Mutex<Uses>,
    /// The owner of the memory, if it is not the pool's.
    foreign: Option<Box<Foreign>>,
    /// True if the address was passed outside of the library.
    exposed: AtomicBool,
    /// True if booleans in the memory may have other bytes than 0 and 1.
    any_bytes: AtomicBool,
    /// The deferred work that computes the elements, if the buffer was created for it: the memory is then in another
    /// buffer.
    deferred: Option<Box<Deferred>>,
    /// Bookkeeping of the memory that deferred work holds.
    held: PendingCount,
}

/// Kind of access of work to a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
}

/// Uses of a buffer, by stream.
#[derive(Debug)]
struct Uses {
    /// The stream of the last write, and those that have read since.
    writer: StreamId,
    /// See `writer`.
    readers: SmallVec<[StreamId; 2]>,
    /// Every stream except the home that has ever used the buffer. A write removes none of them: another thread may be
    /// about to queue work that it recorded before the write.
    guests: SmallVec<[StreamId; 2]>,
    /// The graphs that use the buffer.
    graphs: Vec<Weak<GraphMemory>>,
    /// Buffers whose pending work reads this one, and some whose work has completed.
    waiting: Vec<Weak<Buffer>>,
}

impl Buffer {
    pub(super) fn new(addr: u64, bytes: usize, home: Queue) -> Buffer {
        let (readers, guests) = (SmallVec::new(), SmallVec::new());
        let uses = Uses { writer: home.id, readers, guests, graphs: Vec::new(), waiting: Vec::new() };
        let (sole, uses) = (AtomicU64::new(home.id), Mutex::new(uses));
        let (exposed, any_bytes) = (AtomicBool::new(false), AtomicBool::new(false));
        Buffer {
            addr,
            bytes,
            home,
            sole,
            uses,
            foreign: None,
            exposed,
            any_bytes,
            deferred: None,
            held: PendingCount::default(),
        }
    }

    /// Creates a buffer of foreign memory, whose owner is dropped when the last work that uses it has completed.
    /// Earlier writes are ordered before work that is queued on `home` from now on.
    pub(crate) fn of_other(addr: u64, bytes: usize, home: Queue, read_only: bool, owner: Owner) -> Buffer {
        let mut buffer = Buffer::new(addr, bytes, home);
        if read_only {
            // Every use takes the slow path, which does not write.
            buffer.sole = AtomicU64::new(SEVERAL);
        }
        buffer.foreign = Some(Box::new(Foreign { read_only, owner }));
        buffer
    }

    /// Records that code other than the library's kernels may write the memory: a kernel of the user, another library,
    /// or a view of another dtype.
    pub(crate) fn allow_any_bytes(&self) {
        self.any_bytes.store(true, Relaxed);
    }

    /// Returns true if booleans in the memory may have other bytes than 0 and 1.
    pub(crate) fn allows_any_bytes(&self) -> bool {
        self.any_bytes.load(Relaxed) || self.exposed.load(Relaxed)
    }

    /// Returns true if the memory is read-only.
    pub(crate) fn is_read_only(&self) -> bool {
        self.foreign.as_ref().is_some_and(|f| f.read_only)
    }

    /// Returns true if the memory is foreign.
    pub(crate) fn is_foreign(&self) -> bool {
        self.foreign.is_some()
    }

    /// Records that foreign code has used the memory on the default stream.
    pub(crate) fn used_on_default(&self) {
        if let Some(Ok(memory)) = self.settled() {
            return memory.used_on_default();
        }
        let device = self.device();
        let id = device.default_stream().queue().id;
        if id != self.home.id {
            let mut uses = self.uses.lock().unwrap_or_else(PoisonError::into_inner);
            note(device, &mut uses.guests, id);
        }
    }

    /// Makes later work of a stream, given by the driver's handle, wait for all work that uses the memory now.
    ///
    /// # Safety
    ///
    /// The stream is a live one of the device.
    pub(crate) unsafe fn ready_for(&self, handle: StreamHandle) -> Result<()> {
        if self.bytes == 0 {
            return Ok(());
        }
        self.expose();
        if let Some(memory) = self.settled() {
            // SAFETY: the caller guarantees the stream.
            return unsafe { memory?.ready_for(handle) };
        }
        let driver = self.device().driver()?;
        let uses = self.uses.lock().unwrap_or_else(PoisonError::into_inner);
        for &id in uses.readers.iter().chain([&uses.writer]) {
            if let Some(signal) = Signal::behind(self.device(), id)? {
                // SAFETY: the caller guarantees the stream; the event is live.
                unsafe { signal.hold_stream(driver, handle) }?;
            }
        }
        Ok(())
    }

    /// Records a use of the buffer by work that is about to be queued. It must be called before every use of the
    /// address.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for a stream of another device, and errors of the device.
    #[inline]
    pub(crate) fn touch(&self, queue: &Queue, access: Access) -> Result<()> {
        // Relaxed is sufficient: a thread that sees an old value is not ordered after the thread that changed it.
        if self.sole.load(Relaxed) == queue.id { Ok(()) } else { self.touch_several(queue, access) }
    }

    #[cold]
    fn touch_several(&self, queue: &Queue, access: Access) -> Result<()> {
        if queue.device != self.device() {
            return Err(Error::new(
                ErrorKind::Value,
                format!(
                    "an array of {} is used on a stream of {}: operands must be arrays of one device; to_device brings one to another",
                    self.device().info().id,
                    queue.device.info().id
                ),
            ));
        }
        if self.bytes == 0 {
            return Ok(());
        }
        if access == Access::Write {
            self.settle_readers();
        }
        if let Some(memory) = self.settled() {
            return memory?.touch(queue, access);
        }
        let read_only = self.is_read_only();
        if read_only && access == Access::Write {
            return Err(read_only_error());
        }
        let mut uses = self.uses.lock().unwrap_or_else(PoisonError::into_inner);
        let uses = &mut *uses;
        if (queue.capture || self.home.capture || !uses.graphs.is_empty()) && self.touch_in_graphs(uses, queue)? {
            return Ok(());
        }
        if queue.id != self.home.id {
            note(self.device(), &mut uses.guests, queue.id);
        }
        match access {
            Access::Read => {
                if uses.writer != queue.id && !uses.readers.contains(&queue.id) {
                    queue.wait_for(uses.writer)?;
                    note(self.device(), &mut uses.readers, queue.id);
                }
            }
            Access::Write => {
                for other in uses.readers.iter().copied().chain([uses.writer]).filter(|&other| other != queue.id) {
                    queue.wait_for(other)?;
                }
                uses.writer = queue.id;
                uses.readers.clear();
            }
        }
        deferred::forget_done(&mut uses.waiting);
        let alone = uses.readers.is_empty() && uses.graphs.is_empty() && uses.waiting.is_empty() && !read_only;
        self.sole.store(if alone { uses.writer } else { SEVERAL }, Relaxed);
        Ok(())
    }

    /// Orders a use, and the graphs that use the buffer, too. Returns true if that is all: a use that a graph records
    /// is not one yet.
    #[cold]
    fn touch_in_graphs(&self, uses: &mut Uses, queue: &Queue) -> Result<bool> {
        let captures = self.device().captures();
        let home = if self.home.capture { captures.find(self.home.id) } else { None };
        if let Some(graph) = home.filter(|_| uses.graphs.is_empty()) {
            uses.graphs.push(Arc::downgrade(&graph));
        }
        uses.graphs.retain(|graph| graph.strong_count() > 0);
        let graphs: Vec<_> = uses.graphs.iter().filter_map(Weak::upgrade).collect();
        if !queue.capture {
            graphs.iter().try_for_each(|graph| graph.used_by(queue, self.home.id))?;
            return Ok(false);
        }
        let ended = || Error::new(ErrorKind::Value, "work is queued for a graph whose capture has ended");
        let own = captures.find(queue.id).ok_or_else(ended)?;
        if graphs.iter().all(|graph| !Arc::ptr_eq(graph, &own)) {
            own.follows(uses.readers.iter().chain([&uses.writer]).copied());
            graphs.iter().for_each(|graph| GraphMemory::meet(graph, &own));
            uses.graphs.push(Arc::downgrade(&own));
            self.sole.store(SEVERAL, Relaxed);
        }
        Ok(true)
    }

    /// Returns the address on the device; for a deferred buffer the work is done first.
    #[inline]
    pub(crate) fn addr(&self) -> u64 {
        if self.deferred.is_none() { self.addr } else { self.settled_addr() }
    }

    /// Returns the size of the memory.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the device.
    pub(crate) fn device(&self) -> Device {
        self.home.device
    }

    /// Returns all bytes after the first `kept` to the pool, for later work of the stream that the memory was allocated
    /// on. Returns false, and changes nothing, for memory that must stay whole, and if another stream has used it.
    pub(crate) fn shrink(&mut self, kept: usize) -> Result<bool> {
        let alone = *self.sole.get_mut() == self.home.id && self.foreign.is_none() && self.deferred.is_none();
        debug_assert!(kept <= self.bytes);
        let shrunk = alone && self.device().memory_pool().shrink(&self.home, self.addr, self.bytes, kept)?;
        if shrunk {
            self.bytes = kept;
        }
        Ok(shrunk)
    }
}

impl Buffer {
    /// Frees the memory, and calls the memory hooks.
    #[cold]
    fn with_hooks(&self, free: impl FnOnce() -> Result<()>) -> Result<()> {
        let (device, bytes, address) = (self.device(), self.bytes, self.addr);
        let event = MemoryEvent { device, bytes, given_bytes: super::pool::rounded(bytes), address };
        let called = hook::notify(&event, |hook, event| hook.free_preprocess(event));
        free()?;
        called.and_then(|()| hook::notify(&event, |hook, event| hook.free_postprocess(event)))
    }
}

/// Returns the error for a write to read-only memory.
pub(crate) fn read_only_error() -> Error {
    Error::new(
        ErrorKind::Value,
        "the destination is read-only: its memory belongs to another library, which gave it for reading. Write to a copy of it",
    )
}

/// Adds a stream to a list.
fn note(device: Device, streams: &mut SmallVec<[StreamId; 2]>, id: StreamId) {
    if streams.contains(&id) {
        return;
    }
    if streams.len() >= MANY {
        streams.retain(|id| device.order().is_live(*id));
    }
    streams.push(id);
}

impl Drop for Buffer {
    fn drop(&mut self) {
        self.forget_held();
        // In a forked process the pool's lock may be held by a thread that no longer exists.
        if fork::forked() {
            // The owner stays in the process that owns the memory.
            return std::mem::forget(self.foreign.take());
        }
        if self.bytes == 0 || self.deferred.is_some() {
            return;
        }
        let uses = self.uses.get_mut().unwrap_or_else(PoisonError::into_inner);
        let device = self.home.device;
        // Memory that was allocated in a capture stays with the graph, unless another stream of its capture may use it.
        let own =
            if self.home.capture { device.captures().find(self.home.id).filter(|own| own.is_forked()) } else { None };
        if own.is_some() || !uses.graphs.is_empty() && !self.home.capture {
            let graphs = uses.graphs.drain(..).filter_map(|graph| graph.upgrade());
            let graphs: Vec<_> = if own.is_some() { own.into_iter().collect() } else { graphs.collect() };
            if !graphs.is_empty() {
                let guests = std::mem::take(&mut uses.guests);
                let mut moved = Buffer::new(self.addr, self.bytes, self.home);
                moved.uses.get_mut().unwrap_or_else(PoisonError::into_inner).guests = guests;
                moved.foreign = self.foreign.take();
                let moved = Arc::new(moved);
                return graphs.iter().for_each(|graph| graph.keep(Box::new(moved.clone())));
            }
        }
        let signals: Result<SmallVec<[Signal; 2]>> =
            uses.guests.iter().filter_map(|&id| Signal::behind(device, id).transpose()).collect();
        if let Some(foreign) = self.foreign.take() {
            // The home stream may have been used by foreign code.
            let left = signals.and_then(|mut signals| {
                signals.extend(Signal::behind(device, self.home.id)?);
                Ok(signals)
            });
            let left = match left {
                Ok(signals) => device.leaving().leave(signals, foreign.owner),
                // The end of the work on the memory is unknown: the owner is leaked.
                Err(e) => {
                    std::mem::forget(foreign);
                    Err(e)
                }
            };
            return left.unwrap_or_else(|e| device.lose(&e));
        }
        let free = |signals| device.memory_pool().free(&self.home, self.addr, self.bytes, signals);
        let freed = signals
            .and_then(|signals| if foreign::is_special() { self.with_hooks(|| free(signals)) } else { free(signals) });
        if let Err(e) = freed {
            // The end of the work on the memory is unknown: it is never reused.
            device.lose(&e);
        }
    }
}

#[cfg(test)]
mod tests;
