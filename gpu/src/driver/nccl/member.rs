//! Communicator of a rank, with the number of its calls and of those that have completed.

use std::fmt;
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, TryLockError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use super::supervisor::{self, Report};
use super::{Api, Comm, Slot, failures};
use crate::driver::StreamHandle;
use crate::driver::collectives::{Call, CallKind, call_text, has_ended};
use crate::error::{Error, ErrorKind, Result};

/// Time after which a call that does not return is interrupted by the abort of its communicator.
const INTERRUPTED: Duration = Duration::from_millis(300);

/// NCCL's codes of errors that may follow from the end of another rank: of CUDA, of the system, internal, of a rank.
const MAY_FOLLOW: [i32; 4] = [1, 2, 3, 6];
/// Time in which the supervisor finds out which rank has ended.
const VERDICT: Duration = Duration::from_secs(3);

/// Queues the write of a number after the work of a stream. It returns false where none can be queued, since the
/// stream is captured.
type Write = Box<dyn Fn(StreamHandle, u32) -> Result<bool> + Send + Sync>;

/// Memory of the host in which a device notes the calls that have completed.
pub(in crate::driver) struct Marker {
    /// Queues a note.
    pub(in crate::driver) write: Write,
    /// The memory, which is never freed.
    pub(in crate::driver) done: &'static AtomicU32,
}

impl fmt::Debug for Marker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Marker").field("done", self.done).finish_non_exhaustive()
    }
}

/// A communicator of NCCL. Its calls come from one thread at a time.
#[derive(Debug)]
pub(super) struct Member {
    /// Functions of the library.
    pub(super) api: &'static Api,
    /// The communicator; empty while the group is formed.
    comm: Slot,
    /// Context of the device.
    context: usize,
    /// Held in calls of NCCL.
    lock: Mutex<()>,
    /// True once the membership has ended.
    ended: AtomicBool,
    /// True once NCCL has formed the group.
    formed: AtomicBool,
    /// True if it ended by an abort, which other ranks learn from the closed connection.
    aborted: AtomicBool,
    /// Connection to the supervisor.
    connection: OnceLock<TcpStream>,
    /// True if a call was captured, whose replays are not counted.
    captured: AtomicBool,
    /// Why the group has failed.
    failure: OnceLock<Error>,
    /// Number of calls.
    calls: AtomicU64,
    /// Number of those whose completion is not marked yet.
    unmarked: AtomicU64,
    /// The last of them.
    last: Mutex<Option<Call>>,
    /// Memory in which the device notes completed calls.
    marker: Option<Marker>,
    /// The communicators that were split off, which fail together with this one.
    children: Mutex<Vec<Weak<Member>>>,
    /// The communicator from which this one was split off; its supervision lasts as long.
    _parent: Option<Arc<Member>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Member {
    pub(super) fn new(api: &'static Api, comm: Slot, context: usize, marker: Option<Marker>) -> Member {
        Member {
            api,
            comm,
            context,
            lock: Mutex::default(),
            ended: AtomicBool::new(false),
            formed: AtomicBool::new(false),
            aborted: AtomicBool::new(false),
            connection: OnceLock::new(),
            captured: AtomicBool::new(false),
            failure: OnceLock::new(),
            calls: AtomicU64::new(0),
            unmarked: AtomicU64::new(0),
            last: Mutex::default(),
            marker,
            children: Mutex::default(),
            _parent: None,
        }
    }

    /// Returns the member of a communicator that was split off. Its calls are not counted.
    pub(super) fn child(parent: &Arc<Member>, comm: Slot) -> Arc<Member> {
        let new = Member::new(parent.api, comm, parent.context, None);
        let child = Arc::new(Member { _parent: Some(Arc::clone(parent)), ..new });
        child.set_formed();
        lock(&parent.children).push(Arc::downgrade(&child));
        child
    }

    pub(super) fn set_formed(&self) {
        self.formed.store(true, Ordering::Release);
    }

    pub(super) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    pub(super) fn was_aborted(&self) -> bool {
        self.aborted.load(Ordering::Acquire)
    }

    /// Sets the connection to the supervisor, by which the member leaves the group.
    pub(super) fn set_connection(&self, connection: TcpStream) {
        let _ = self.connection.set(connection);
    }

    /// Forms the group by a call of NCCL that writes the communicator.
    pub(super) fn form(&self, call: impl FnOnce(*mut Comm) -> Result<()>) -> Result<()> {
        let _lock = lock(&self.lock);
        call(self.comm.as_ptr()).map_err(|e| self.cause(e))
    }

    /// Returns the failure of the group in place of an error that follows from it. Where NCCL notices first that another
    /// rank has ended, it waits for the supervisor, which knows the rank.
    fn cause(&self, e: Error) -> Error {
        let begin = Instant::now();
        while self.connection.get().is_some()
            && e.status().is_some_and(|code| MAY_FOLLOW.contains(&code))
            && self.failure.get().is_none()
            && begin.elapsed() < VERDICT
        {
            thread::sleep(Duration::from_millis(5));
        }
        self.returned().unwrap_or(e)
    }

    /// Returns the failure of the group for a call that returns it; no wait for the device reports it then.
    fn returned(&self) -> Option<Error> {
        let failure = self.failure.get()?;
        failures::forget(self.context, failure);
        Some(failure.clone())
    }

    fn is_live(&self) -> Result<Comm> {
        if let Some(failure) = self.returned() {
            return Err(failure);
        }
        if self.has_ended() { Err(has_ended()) } else { Ok(self.comm.load(Ordering::Relaxed)) }
    }

    /// Makes a call of NCCL with the communicator while it lives.
    pub(super) fn with_live(&self, call: impl FnOnce(Comm) -> Result<()>) -> Result<()> {
        let _lock = lock(&self.lock);
        call(self.is_live()?).map_err(|e| self.cause(e))
    }

    /// Makes a collective call, which is counted.
    pub(super) fn begin_call(&self, call: &Call, made: impl FnOnce(Comm) -> Result<()>) -> Result<()> {
        let _lock = lock(&self.lock);
        let comm = self.is_live()?;
        if self.marker.is_some() {
            *lock(&self.last) = Some(*call);
            self.unmarked.fetch_add(1, Ordering::Relaxed);
            self.calls.fetch_add(1, Ordering::Release);
        }
        made(comm).map_err(|e| self.cause(e))
    }

    /// Marks the completion of all calls after the work of the stream of the last one, if they were queued.
    pub(super) fn end_calls(&self, stream: Option<StreamHandle>, queued: Result<()>) -> Result<()> {
        let Some(stream) = stream else {
            if queued.is_ok() {
                self.set_formed();
            }
            return queued.map_err(|e| self.cause(e));
        };
        let Some(marker) = &self.marker else { return queued.map_err(|e| self.cause(e)) };
        let (calls, unmarked) = (self.calls.load(Ordering::Acquire), self.unmarked.swap(0, Ordering::Relaxed));
        let marked = queued.and_then(|()| (marker.write)(stream, calls as u32));
        match marked {
            Ok(true) => return Ok(()),
            Ok(false) => self.captured.store(true, Ordering::Release),
            Err(_) => {}
        }
        // These calls are not counted.
        self.calls.fetch_sub(unmarked, Ordering::Release);
        marked.map(|_| ()).map_err(|e| self.cause(e))
    }

    /// Returns the number of calls that have completed. The device notes the low half of it.
    fn done(&self) -> u64 {
        let calls = self.calls.load(Ordering::Acquire);
        let Some(marker) = &self.marker else { return calls };
        let open = (calls as u32).wrapping_sub(marker.done.load(Ordering::Acquire));
        calls.saturating_sub(u64::from(open))
    }

    /// Returns the state of this rank for the supervisor.
    pub(super) fn report(&self) -> Report {
        // The completed calls first: those that are made meanwhile are open.
        let done = self.done();
        let (calls, last) = (self.calls.load(Ordering::Acquire), *lock(&self.last));
        Report {
            formed: self.formed.load(Ordering::Acquire),
            collective: last.is_some_and(|call| !matches!(call.kind, CallKind::Send(_) | CallKind::Recv(_))),
            calls,
            done,
            last: last.map(|call| call_text(call.kind, call.count, call.dtype)).unwrap_or_default(),
        }
    }

    fn is_pending(&self) -> bool {
        self.captured.load(Ordering::Acquire) || self.done() < self.calls.load(Ordering::Acquire)
    }

    /// Fails the membership: pending calls end without results, which the next wait for the device reports.
    pub(super) fn fail(&self, message: &str) {
        let error = Error::new(ErrorKind::Driver, format!("the group of ranks has failed: {message}"));
        if self.has_ended() || self.failure.get().is_some() {
            return;
        }
        // Recorded before a call can return it, which forgets it.
        if self.formed.load(Ordering::Acquire) && self.is_pending() {
            failures::add(self.context, error.clone());
        }
        if self.failure.set(error.clone()).is_err() {
            return failures::forget(self.context, &error);
        }
        for child in std::mem::take(&mut *lock(&self.children)).iter().filter_map(Weak::upgrade) {
            child.fail(message);
        }
        let begin = Instant::now();
        loop {
            match self.lock.try_lock() {
                // A thread that waits in a call of NCCL has the lock. The abort ends the call.
                Err(TryLockError::WouldBlock) if begin.elapsed() < INTERRUPTED => {
                    thread::sleep(Duration::from_millis(5))
                }
                // The call that forms the group has not created the communicator yet.
                Err(TryLockError::WouldBlock) if self.comm.load(Ordering::Acquire).is_null() => {
                    thread::sleep(Duration::from_millis(5));
                }
                _lock => {
                    let comm = self.comm.load(Ordering::Acquire);
                    if !comm.is_null() && !self.ended.swap(true, Ordering::AcqRel) {
                        // SAFETY: the communicator is live, and not used again by this library.
                        let _ = unsafe { self.api.abort(comm) };
                    }
                    return;
                }
            }
        }
    }

    /// Ends the membership without waiting.
    pub(super) fn abort(&self) -> Result<()> {
        let _lock = lock(&self.lock);
        self.aborted.store(true, Ordering::Release);
        if let Some(connection) = self.connection.get() {
            // A connection that is closed already is no error.
            let _ = connection.shutdown(Shutdown::Both);
        }
        if self.ended.swap(true, Ordering::AcqRel) {
            return Ok(());
        }
        // SAFETY: the communicator is live, and not used again.
        unsafe { self.api.abort(self.comm.load(Ordering::Relaxed)) }
    }

    /// Ends the membership after the calls have completed.
    pub(super) fn leave(&self) -> Result<()> {
        let _lock = lock(&self.lock);
        if self.has_ended() {
            return Ok(());
        }
        // NCCL's function would wait without a limit.
        while self.done() < self.calls.load(Ordering::Acquire) {
            if let Some(failure) = self.returned() {
                return Err(failure);
            }
            thread::sleep(Duration::from_micros(200));
        }
        if self.ended.swap(true, Ordering::AcqRel) {
            return Ok(());
        }
        if let Some(connection) = self.connection.get() {
            // The process may end before the thread of the connection runs.
            let _ = supervisor::leave(connection);
        }
        // SAFETY: the communicator is live, and not used again.
        unsafe { self.api.destroy(self.comm.load(Ordering::Relaxed)) }
    }
}

#[cfg(test)]
mod tests;
