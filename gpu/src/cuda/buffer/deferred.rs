//! Deferred buffers, whose elements are computed when they are needed.
//!
//! The work is done when the address is requested. The operands of the work may not change before: a write to a buffer
//! first does the pending work that reads it ([`Buffer::touch`]).

use std::any::Any;
use std::cell::Cell;
use std::fmt::Debug;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use super::{Buffer, Queue, SEVERAL};
use crate::cuda::Stream;
use crate::error::{Error, ErrorKind, Result};

/// Number of readers from which completed ones are removed; then twice as many.
const LOOKED_THROUGH: usize = 8;

/// Deferred work that computes the elements of a buffer.
pub(crate) trait Work: Any + Debug + Send + Sync {
    /// Does the work and returns the memory of the elements.
    fn run(self: Arc<Self>) -> Result<Arc<Buffer>>;

    /// Returns itself, for downcasts.
    fn as_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync>;
}

/// Pending work, or the memory of its result.
#[derive(Debug)]
pub(super) struct Deferred {
    /// The work, until it is done.
    work: Mutex<Option<Arc<dyn Work>>>,
    /// The memory of the result, or the error of the work.
    done: OnceLock<Result<Arc<Buffer>>>,
}

/// Number of pending works of which a buffer is an operand, and a flag that its memory is counted for that.
#[derive(Debug, Default)]
pub(super) struct PendingCount {
    /// Number of pending works.
    times: AtomicUsize,
    /// True if the memory is part of [`DeferredStats::held_bytes`].
    counted: AtomicBool,
}

/// Statistics of pending work: its number, the size of its results, and the memory that it holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct DeferredStats {
    /// Number of pending works.
    pub(crate) waiting: usize,
    /// Bytes of their results.
    pub(crate) waiting_bytes: usize,
    /// Bytes of memory that is alive only for their operands.
    pub(crate) held_bytes: usize,
}

static WAITING: AtomicUsize = AtomicUsize::new(0);
static WAITING_BYTES: AtomicUsize = AtomicUsize::new(0);
static HELD_BYTES: AtomicUsize = AtomicUsize::new(0);

/// Returns the current statistics of all threads and devices.
pub(crate) fn deferred_stats() -> DeferredStats {
    let [waiting, waiting_bytes, held_bytes] =
        [&WAITING, &WAITING_BYTES, &HELD_BYTES].map(|counter| counter.load(Relaxed));
    DeferredStats { waiting, waiting_bytes, held_bytes }
}

thread_local! {
    /// Nesting depth of deferred work on this thread.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// Calls `f` while no other thread does deferred work, since the work of two threads may have common operands. `f` may
/// do further deferred work.
pub(crate) fn alone<R>(f: impl FnOnce() -> R) -> R {
    static TURN: Mutex<()> = Mutex::new(());
    struct Deep;
    impl Drop for Deep {
        fn drop(&mut self) {
            DEPTH.set(DEPTH.get() - 1);
        }
    }
    let turn = (DEPTH.get() == 0).then(|| TURN.lock().unwrap_or_else(PoisonError::into_inner));
    DEPTH.set(DEPTH.get() + 1);
    let deep = Deep;
    let result = f();
    drop(deep);
    drop(turn);
    result
}

/// Removes readers whose work is done, if there are few: uses of the buffer then take the fast path again.
pub(super) fn forget_done(waiting: &mut Vec<Weak<Buffer>>) {
    if waiting.len() <= LOOKED_THROUGH {
        waiting.retain(|reader| reader.upgrade().is_some_and(|r| r.work().is_some()));
    }
}

impl Buffer {
    /// Creates a deferred buffer of this size. The stream determines the device.
    pub(crate) fn deferred(bytes: usize, home: Queue, work: Arc<dyn Work>) -> Buffer {
        let mut buffer = Buffer::new(0, bytes, home);
        // Every use takes the slow path, which does the work.
        buffer.sole = SEVERAL.into();
        let work = Mutex::new(Some(work));
        buffer.deferred = Some(Box::new(Deferred { work, done: OnceLock::new() }));
        WAITING.fetch_add(1, Relaxed);
        WAITING_BYTES.fetch_add(bytes, Relaxed);
        buffer
    }

    /// Returns the memory of a deferred buffer, after its work is done; `None` for any other buffer.
    pub(super) fn settled(&self) -> Option<Result<&Arc<Buffer>>> {
        let deferred = self.deferred.as_ref()?;
        if deferred.done.get().is_none() {
            let work = || {
                alone(|| {
                    let work = deferred.work.lock().unwrap_or_else(PoisonError::into_inner).clone();
                    if let Some(work) = work {
                        let result = work.run();
                        self.give(result);
                    }
                });
            };
            match self.waits_beside(&self.device().queue()) {
                false => work(),
                true => {
                    if let Err(e) = self.beside_capture(work) {
                        return Some(Err(e));
                    }
                }
            }
        }
        // The work has stored its result.
        deferred.done.get().map(|done| done.as_ref().map_err(Clone::clone))
    }

    /// Returns true if the buffer is pending on another stream, and that stream or this one is captured.
    pub(crate) fn waits_beside(&self, queue: &Queue) -> bool {
        let waits = self.deferred.as_ref().is_some_and(|d| d.done.get().is_none());
        waits && self.home.id != queue.id && (self.home.capture || queue.capture)
    }

    /// Does work that was deferred before a capture, while the capture continues: its elements are the current ones,
    /// whatever the graph does later.
    #[cold]
    fn beside_capture(&self, work: impl FnOnce()) -> Result<()> {
        if self.home.capture {
            let what = "the array is made by a capture of another stream or thread, or by one that has failed: it has \
                        elements when its graph is launched";
            return Err(Error::new(ErrorKind::Value, what));
        }
        // The default stream may not be used while a stream is captured that synchronises with it.
        Stream::with_options(self.device(), true, 0)?.with(work);
        Ok(())
    }

    /// Does the work of the buffer, if it is pending. An error is stored, and is returned when the elements are needed.
    pub(crate) fn settle(&self) {
        let _ = self.settled();
    }

    /// Stores the result of this buffer's work, which was done together with that of others; to be called under
    /// [`alone`].
    pub(crate) fn give(&self, result: Result<Arc<Buffer>>) {
        if let Some(deferred) = &self.deferred {
            // Work is done once, and a later result is the same.
            if deferred.done.set(result).is_ok() {
                self.wait_no_more();
                if self.held() > 0 {
                    self.count_held();
                }
            }
            let work = deferred.work.lock().unwrap_or_else(PoisonError::into_inner).take();
            drop(work);
        }
    }

    /// Returns the work if it is pending.
    pub(crate) fn work(&self) -> Option<Arc<dyn Work>> {
        let deferred = self.deferred.as_ref().filter(|d| d.done.get().is_none())?;
        deferred.work.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns true if deferred work may read the buffer: only this library can write to it.
    pub(crate) fn may_be_read_later(&self) -> bool {
        self.foreign.is_none() && !self.exposed.load(Relaxed)
    }

    /// Records that deferred work of another buffer reads this buffer's current elements.
    pub(crate) fn read_later_by(&self, reader: Weak<Buffer>) {
        let first = self.held.times.fetch_add(1, Relaxed) == 0;
        if first && self.deferred.as_ref().is_none_or(|d| d.done.get().is_some()) {
            self.count_held();
        }
        let mut uses = self.uses.lock().unwrap_or_else(PoisonError::into_inner);
        let waiting = &mut uses.waiting;
        if waiting.len() >= LOOKED_THROUGH && waiting.len().is_power_of_two() {
            waiting.retain(|reader| reader.strong_count() > 0);
        }
        waiting.push(reader);
        // Writes take the slow path from now on.
        self.sole.store(SEVERAL, Relaxed);
    }

    /// Records that deferred work which was to read the buffer was dropped or done.
    pub(crate) fn read_no_more(&self) {
        if self.held.times.fetch_sub(1, Relaxed) == 1 {
            self.uncount_held();
        }
    }

    /// Counts the memory as held by deferred work.
    fn count_held(&self) {
        if !self.held.counted.swap(true, Relaxed) {
            HELD_BYTES.fetch_add(self.bytes, Relaxed);
        }
    }

    fn uncount_held(&self) {
        // Tested first: most buffers are never counted.
        if self.held.counted.load(Relaxed) && self.held.counted.swap(false, Relaxed) {
            HELD_BYTES.fetch_sub(self.bytes, Relaxed);
        }
    }

    fn wait_no_more(&self) {
        WAITING.fetch_sub(1, Relaxed);
        WAITING_BYTES.fetch_sub(self.bytes, Relaxed);
    }

    /// Removes a dropped buffer from the statistics.
    pub(super) fn forget_held(&self) {
        self.uncount_held();
        if self.deferred.as_ref().is_some_and(|d| d.done.get().is_none()) {
            self.wait_no_more();
        }
    }

    /// Returns the number of pending works of which the buffer is an operand.
    pub(crate) fn held(&self) -> usize {
        self.held.times.load(Relaxed)
    }

    /// Does all pending work that reads the buffer, before it changes.
    pub(crate) fn settle_readers(&self) {
        let uses = || self.uses.lock().unwrap_or_else(PoisonError::into_inner);
        let readers: Vec<Arc<Buffer>> = uses().waiting.iter().filter_map(Weak::upgrade).collect();
        readers.iter().for_each(|reader| reader.settle());
        // Until then they stay in the list: another thread that is about to write waits for them too.
        let done = |w: &Weak<Buffer>| readers.iter().any(|r| std::ptr::eq(w.as_ptr(), Arc::as_ptr(r)));
        uses().waiting.retain(|w| w.strong_count() > 0 && !done(w));
    }

    /// Records that the address is passed outside of the library, so that unseen writes are possible.
    pub(crate) fn expose(&self) {
        if !self.exposed.swap(true, Relaxed) {
            self.settle_readers();
        }
    }

    /// Returns the address of a deferred buffer; 0 if its work failed, which [`Buffer::touch`] reports.
    #[cold]
    pub(super) fn settled_addr(&self) -> u64 {
        match self.settled() {
            Some(Ok(buffer)) => buffer.addr(),
            _ => 0,
        }
    }
}
