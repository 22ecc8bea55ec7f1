//! Buffers whose elements are computed once somebody needs them.
//!
//! Whatever needs the bytes asks for the address, and that is when the work is done. What the work reads may not change
//! before: who writes to a buffer has the work done first that reads it ([`Buffer::touch`]).

use std::any::Any;
use std::cell::Cell;
use std::fmt::Debug;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use super::{Buffer, Queue, SEVERAL};
use crate::cuda::Stream;
use crate::error::{Error, ErrorKind, Result};

/// So many readers are looked through for such as are no more; then twice as many.
const LOOKED_THROUGH: usize = 8;

/// Work that gives the elements of a buffer.
pub(crate) trait Work: Any + Debug + Send + Sync {
    /// Does it: the memory that the elements are in.
    fn run(self: Arc<Self>) -> Result<Arc<Buffer>>;

    /// Itself.
    fn as_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync>;
}

/// Work that is to be done, or the memory that it gave.
#[derive(Debug)]
pub(super) struct Deferred {
    work: Mutex<Option<Arc<dyn Work>>>,
    done: OnceLock<Result<Arc<Buffer>>>,
}

/// How many operands of work that is to be done a buffer is, and whether its memory is counted for that.
#[derive(Debug, Default)]
pub(super) struct Held {
    times: AtomicUsize,
    counted: AtomicBool,
}

/// What deferred work is to give, and what memory it holds until then.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct DeferredStats {
    pub(crate) waiting: usize,
    pub(crate) waiting_bytes: usize,
    pub(crate) held_bytes: usize,
}

static WAITING: AtomicUsize = AtomicUsize::new(0);
static WAITING_BYTES: AtomicUsize = AtomicUsize::new(0);
static HELD_BYTES: AtomicUsize = AtomicUsize::new(0);

/// Returns the same of all threads and devices, as it is now.
pub(crate) fn deferred_stats() -> DeferredStats {
    let [waiting, waiting_bytes, held_bytes] =
        [&WAITING, &WAITING_BYTES, &HELD_BYTES].map(|counter| counter.load(Relaxed));
    DeferredStats { waiting, waiting_bytes, held_bytes }
}

thread_local! {
    /// How deep this thread is in deferred work.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// Calls `f` while no other thread does deferred work: work of two threads may be made of the same work. `f` may need
/// more of it.
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

/// Forgets readers whose work is done, where there are few: uses of the buffer then go the short way again.
pub(super) fn forget_done(waiting: &mut Vec<Weak<Buffer>>) {
    if waiting.len() <= LOOKED_THROUGH {
        waiting.retain(|reader| reader.upgrade().is_some_and(|r| r.work().is_some()));
    }
}

impl Buffer {
    /// So many bytes that work will give. The stream says of which device they are.
    pub(crate) fn deferred(bytes: usize, home: Queue, work: Arc<dyn Work>) -> Buffer {
        let mut buffer = Buffer::new(0, bytes, home);
        // Every use goes the long way, which has the work done.
        buffer.sole = SEVERAL.into();
        let work = Mutex::new(Some(work));
        buffer.deferred = Some(Box::new(Deferred { work, done: OnceLock::new() }));
        WAITING.fetch_add(1, Relaxed);
        WAITING_BYTES.fetch_add(bytes, Relaxed);
        buffer
    }

    /// Returns the memory of a buffer that was deferred, once the work is done; of any other, nothing.
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
        // It is there: who did the work gave it.
        deferred.done.get().map(|done| done.as_ref().map_err(Clone::clone))
    }

    /// Returns true if the buffer waits and a capture lies between it and work on this stream: one of the two is a
    /// graph's.
    pub(crate) fn waits_beside(&self, queue: &Queue) -> bool {
        let waits = self.deferred.as_ref().is_some_and(|d| d.done.get().is_none());
        waits && self.home.id != queue.id && (self.home.capture || queue.capture)
    }

    /// Does work that was put off before a capture, while the capture goes on: its elements are those of now, whatever the
    /// graph does later.
    #[cold]
    fn beside_capture(&self, work: impl FnOnce()) -> Result<()> {
        if self.home.capture {
            let what = "the array is made by a capture of another stream or thread, or by one that has failed: it has \
                        elements when its graph is launched";
            return Err(Error::new(ErrorKind::Value, what));
        }
        // The default stream may not be used while one is captured that waits for it.
        Stream::with_options(self.device(), true, 0)?.with(work);
        Ok(())
    }

    /// Has the work of the buffer done, where it has any. An error stays, and is told to who needs the elements.
    pub(crate) fn settle(&self) {
        let _ = self.settled();
    }

    /// The memory that the work of this buffer gave, done together with that of others; under [`alone`].
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

    /// Returns the work that is still to be done.
    pub(crate) fn work(&self) -> Option<Arc<dyn Work>> {
        let deferred = self.deferred.as_ref().filter(|d| d.done.get().is_none())?;
        deferred.work.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns true if work may read the buffer later: nobody but this library can write to it.
    pub(crate) fn may_be_read_later(&self) -> bool {
        self.foreign.is_none() && !self.exposed.load(Relaxed)
    }

    /// Says that work reads the buffer, as it is now, to give another one.
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
        // Writing goes the long way from now on.
        self.sole.store(SEVERAL, Relaxed);
    }

    /// Says that work which was to read the buffer is no more.
    pub(crate) fn read_no_more(&self) {
        if self.held.times.fetch_sub(1, Relaxed) == 1 {
            self.uncount_held();
        }
    }

    /// Counts the memory among what work holds.
    fn count_held(&self) {
        if !self.held.counted.swap(true, Relaxed) {
            HELD_BYTES.fetch_add(self.bytes, Relaxed);
        }
    }

    fn uncount_held(&self) {
        // Looked at first: most buffers are never counted.
        if self.held.counted.load(Relaxed) && self.held.counted.swap(false, Relaxed) {
            HELD_BYTES.fetch_sub(self.bytes, Relaxed);
        }
    }

    fn wait_no_more(&self) {
        WAITING.fetch_sub(1, Relaxed);
        WAITING_BYTES.fetch_sub(self.bytes, Relaxed);
    }

    /// Takes a buffer that is no more out of what is counted.
    pub(super) fn forget_held(&self) {
        self.uncount_held();
        if self.deferred.as_ref().is_some_and(|d| d.done.get().is_none()) {
            self.wait_no_more();
        }
    }

    /// How many operands of work that is to be done the buffer is.
    pub(crate) fn held(&self) -> usize {
        self.held.times.load(Relaxed)
    }

    /// Has all work done that reads the buffer, before it changes.
    pub(crate) fn settle_readers(&self) {
        let uses = || self.uses.lock().unwrap_or_else(PoisonError::into_inner);
        let readers: Vec<Arc<Buffer>> = uses().waiting.iter().filter_map(Weak::upgrade).collect();
        readers.iter().for_each(|reader| reader.settle());
        // Until then they stay in the list: another thread that is about to write waits for them too.
        let done = |w: &Weak<Buffer>| readers.iter().any(|r| std::ptr::eq(w.as_ptr(), Arc::as_ptr(r)));
        uses().waiting.retain(|w| w.strong_count() > 0 && !done(w));
    }

    /// Says that others learn where the memory is and may write to it unseen.
    pub(crate) fn expose(&self) {
        if !self.exposed.swap(true, Relaxed) {
            self.settle_readers();
        }
    }

    /// Returns the address of a buffer that was deferred; 0 where its work failed, which [`Buffer::touch`] tells.
    #[cold]
    pub(super) fn settled_addr(&self) -> u64 {
        match self.settled() {
            Some(Ok(buffer)) => buffer.addr(),
            _ => 0,
        }
    }
}
