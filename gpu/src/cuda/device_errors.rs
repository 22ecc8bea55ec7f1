//! Errors raised by kernels: an index out of bounds, a matrix without a solution, a parameter out of range.
//!
//! A kernel that detects one writes it into an error record in device memory and continues with a substitute. Records
//! belong to a host thread and a device, not to a stream: threads share streams, and each thread gets the errors of its
//! own calls. A synchronising call of the thread reads the records, on whichever streams the calls were, and returns
//! the first error by call and position. Errors of a thread that has ended are returned to the next thread that
//! synchronises.
//!
//! An error that is only displayed, by printing an array, is kept for the next call. Errors that no call has returned
//! when the process ends are written to the standard error.
//!
//! A thread without such a call since its last synchronisation only reads one flag.

mod message;

use std::cell::RefCell;
use std::panic::catch_unwind;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, Once, OnceLock, PoisonError};

use smallvec::SmallVec;

use super::Device;
use super::buffer::{Access, Buffer};
use super::queue::StreamId;
use crate::driver::fork;
use crate::error::{Error, ErrorKind, Result};

pub(crate) use message::{Rejection, Rules};

/// Number of 64-bit words of `error_record` in `include/device_errors.cuh`.
const RECORD_WORDS: usize = 16;

/// The number of the last call of a record: it has 12 bits, and the largest number represents no call.
const LAST_CALL: u64 = (1 << 12) - 2;

/// Name of a function in errors: `take`, or `add` and `.at`.
pub(crate) type Function = (&'static str, &'static str);

/// A call whose kernels may report an error.
#[derive(Debug)]
pub(crate) struct Checked {
    /// Memory of the record.
    pub(crate) memory: Arc<Buffer>,
    /// Number of the call, by which the first error is found.
    pub(crate) call: u64,
    /// Number of the function, from which the message has its name.
    pub(crate) function: u32,
}

/// Error record in device memory, and the functions that report there. Kernels of a graph keep the one of their
/// capture.
#[derive(Clone, Debug)]
pub(super) struct Record {
    /// Memory of the record on the device.
    memory: Arc<Buffer>,
    /// The functions, by the number that kernels write.
    functions: Arc<Mutex<Vec<Function>>>,
}

/// Errors of a host thread on a device.
#[derive(Debug, Default)]
struct ThreadErrors {
    /// True if there is anything to read, or an error that was displayed.
    any: AtomicBool,
    /// Records and pending calls of the thread.
    state: Mutex<State>,
}

/// Records of a thread.
#[derive(Debug, Default)]
struct State {
    /// The record of the next call, and the number of calls that have reported there.
    current: Option<Record>,
    /// See `current`.
    calls: u64,
    /// Other records with calls that have not been read: those of graphs, and those whose numbers are used up.
    others: Vec<Record>,
    /// The streams of the calls since the records were last read.
    pending: SmallVec<[StreamId; 2]>,
    /// An error that was displayed and that no call has returned.
    shown: Option<Error>,
}

/// Errors of all threads on a device.
#[derive(Debug, Default)]
pub(super) struct DeviceErrors {
    /// Errors of each thread that has called a checked kernel.
    threads: Mutex<Vec<Arc<ThreadErrors>>>,
    /// Errors of threads that have ended.
    orphans: Mutex<Vec<Arc<ThreadErrors>>>,
    /// True if `orphans` is not empty: it is tested without the lock.
    any_orphan: AtomicBool,
}

/// Errors of this thread, by the index of the device.
struct Own(Vec<Option<(Device, Arc<ThreadErrors>)>>);

thread_local! {
    static OWN: RefCell<Own> = const { RefCell::new(Own(Vec::new())) };
}

impl Drop for Own {
    fn drop(&mut self) {
        self.0.drain(..).flatten().for_each(|(device, errors)| device.errors().orphan(errors));
    }
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

impl DeviceErrors {
    /// Keeps the errors of a thread that ends for another one.
    fn orphan(&self, errors: Arc<ThreadErrors>) {
        lock(&self.threads).retain(|other| !Arc::ptr_eq(other, &errors));
        if errors.any.load(Relaxed) {
            lock(&self.orphans).push(errors);
            self.any_orphan.store(true, Relaxed);
        }
    }
}

impl State {
    fn is_empty(&self) -> bool {
        self.pending.is_empty() && self.shown.is_none()
    }

    /// Returns the records that calls may have reported to, and the streams of those calls.
    fn take_pending(&mut self) -> (Vec<Record>, SmallVec<[StreamId; 2]>) {
        self.calls = 0;
        let mut records = std::mem::take(&mut self.others);
        records.extend(self.current.clone());
        (records, std::mem::take(&mut self.pending))
    }
}

impl Record {
    fn new(device: Device) -> Result<Record> {
        let memory = device.alloc(8 * RECORD_WORDS)?;
        clear(device, &memory)?;
        Ok(Record { memory: Arc::new(memory), functions: Arc::default() })
    }

    /// Reads the record and clears it.
    fn read(&self, device: Device) -> Result<Option<Error>> {
        let (queue, driver) = (device.queue(), device.driver()?);
        let mut bytes = [0; 8 * RECORD_WORDS];
        self.memory.touch(&queue, Access::Read)?;
        // SAFETY: the record is live and of this size; its buffer records the stream.
        unsafe { driver.download(&mut bytes, self.memory.addr(), queue.handle) }?;
        let words: [u64; RECORD_WORDS] = std::array::from_fn(|k| {
            let word: [u8; 8] = std::array::from_fn(|i| bytes[8 * k + i]);
            u64::from_le_bytes(word)
        });
        let Some(found) = message::DecodedError::of(&words) else { return Ok(None) };
        clear(device, &self.memory)?;
        // Later calls may be on other streams, which do not wait for this one.
        // SAFETY: the stream is live.
        unsafe { driver.stream_synchronize(queue.handle) }?;
        let function = lock(&self.functions).get(found.function).copied().unwrap_or_default();
        Ok(Some(found.error(function).late()))
    }
}

/// Clears the memory of a record, in the order of the current stream.
fn clear(device: Device, memory: &Buffer) -> Result<()> {
    let queue = device.queue();
    memory.touch(&queue, Access::Write)?;
    // SAFETY: the memory is live and of this size; its buffer records the stream.
    unsafe { device.driver()?.upload(memory.addr(), &[0xff; 8 * RECORD_WORDS], queue.handle) }
}

impl Device {
    /// Returns the errors of this thread, if it has made calls that report any; `None` while the thread ends.
    fn own_errors(&self) -> Option<Arc<ThreadErrors>> {
        let found = OWN.try_with(|own| own.borrow().0.get(self.index())?.as_ref().map(|(_, errors)| errors.clone()));
        found.ok().flatten()
    }

    /// Returns the errors of this thread, created if there are none.
    fn own_errors_or_new(&self) -> Arc<ThreadErrors> {
        static AT_EXIT: Once = Once::new();
        self.own_errors().unwrap_or_else(|| {
            AT_EXIT.call_once(|| {
                // Without it errors that no call has returned are lost when the process ends.
                let _ = fork::at_exit(report_at_exit);
            });
            let errors = Arc::<ThreadErrors>::default();
            lock(&self.errors().threads).push(errors.clone());
            let kept = OWN.try_with(|own| {
                let own = &mut own.borrow_mut().0;
                if own.len() <= self.index() {
                    own.resize_with(self.index() + 1, || None);
                }
                own[self.index()] = Some((*self, errors.clone()));
            });
            if kept.is_err() {
                self.errors().orphan(errors.clone());
            }
            errors
        })
    }

    /// Creates the record of this thread, unless it exists.
    pub(super) fn prepare_record(&self) -> Result<()> {
        let errors = self.own_errors_or_new();
        if lock(&errors.state).current.is_none() {
            let record = Record::new(*self)?;
            lock(&errors.state).current = Some(record);
        }
        Ok(())
    }

    /// Registers a call of a function whose kernels may report an error of this thread.
    pub(crate) fn checked_call(&self, function: Function) -> Result<Checked> {
        let (errors, queue) = (self.own_errors_or_new(), self.queue());
        let full = {
            let state = lock(&errors.state);
            // A record that is created while a graph is captured would be cleared by each launch.
            state.current.is_none() || (state.calls >= LAST_CALL && !queue.capture)
        };
        let fresh = if full { Some(Record::new(*self)?) } else { None };
        let mut state = lock(&errors.state);
        if let Some(fresh) = fresh {
            state.calls = 0;
            let used = state.current.replace(fresh);
            state.others.extend(used);
        }
        state.calls = (state.calls + 1).min(LAST_CALL);
        if !state.pending.contains(&queue.id) {
            state.pending.push(queue.id);
        }
        errors.any.store(true, Relaxed);
        let record = state.current.as_ref().expect("the record was made above");
        let mut functions = lock(&record.functions);
        let known = functions.iter().position(|f| *f == function);
        let at = known.unwrap_or_else(|| {
            functions.push(function);
            functions.len() - 1
        });
        Ok(Checked { memory: record.memory.clone(), call: state.calls, function: at as u32 })
    }

    /// Registers a call of a function whose kernels validate parameters.
    pub(crate) fn checked_parameters(&self, function: &'static str, rules: Rules) -> Result<Checked> {
        message::set_rules(rules);
        self.checked_call((function, ""))
    }

    /// Returns the records of this thread that calls on a captured stream report to. The graph makes these calls,
    /// later.
    pub(super) fn take_records(&self, captured: StreamId) -> Vec<Record> {
        let Some(errors) = self.own_errors() else { return Vec::new() };
        let mut state = lock(&errors.state);
        let Some(at) = state.pending.iter().position(|id| *id == captured) else { return Vec::new() };
        state.pending.remove(at);
        errors.any.store(!state.is_empty(), Relaxed);
        state.current.iter().chain(&state.others).cloned().collect()
    }

    /// Records that this thread has launched a graph whose kernels report to the records.
    pub(super) fn give_records(&self, records: &[Record], stream: StreamId) {
        if records.is_empty() {
            return;
        }
        let errors = self.own_errors_or_new();
        let mut state = lock(&errors.state);
        for record in records {
            let is = |known: &Record| Arc::ptr_eq(&known.memory, &record.memory);
            if !state.current.iter().chain(&state.others).any(is) {
                state.others.push(record.clone());
            }
        }
        if !state.pending.contains(&stream) {
            state.pending.push(stream);
        }
        errors.any.store(true, Relaxed);
    }

    /// Returns the first error of this thread's calls since the last check. The device waits for the calls that may
    /// have raised one, and the host for the device; if there are none, nothing is done.
    pub(crate) fn check_errors(&self) -> Result<()> {
        if let Some(own) = self.own_errors() {
            self.take_errors(&own)?;
        }
        if self.errors().any_orphan.load(Relaxed) { self.take_orphans() } else { Ok(()) }
    }

    /// Checks for errors as [`Device::check_errors`] does, if `CUPRUM_CHECK=now` requests it after every call.
    pub(crate) fn check_errors_now(&self) -> Result<()> {
        // A graph makes its calls later.
        if checks_now()? && !self.queue().capture { self.check_errors() } else { Ok(()) }
    }

    /// Keeps a displayed error for the next call, if it is one of earlier work.
    pub(crate) fn keep_displayed(&self, e: &Error) {
        if e.is_late() {
            let errors = self.own_errors_or_new();
            lock(&errors.state).shown.get_or_insert_with(|| e.clone());
            errors.any.store(true, Relaxed);
        }
    }

    fn take_errors(&self, errors: &ThreadErrors) -> Result<()> {
        if !errors.any.load(Relaxed) {
            return Ok(());
        }
        let (shown, (records, pending)) = {
            let mut state = lock(&errors.state);
            errors.any.store(false, Relaxed);
            (state.shown.take(), if state.pending.is_empty() { Default::default() } else { state.take_pending() })
        };
        let queue = self.queue();
        for &other in pending.iter().filter(|id| **id != queue.id) {
            queue.wait_for(other)?;
        }
        // All records are cleared, and the first error is returned.
        let mut first = shown;
        for record in &records {
            let found = record.read(*self)?;
            first = first.or(found);
        }
        first.map_or(Ok(()), Err)
    }

    #[cold]
    fn take_orphans(&self) -> Result<()> {
        loop {
            let next = {
                let mut orphans = lock(&self.errors().orphans);
                let next = orphans.pop();
                self.errors().any_orphan.store(!orphans.is_empty(), Relaxed);
                next
            };
            let Some(errors) = next else { return Ok(()) };
            self.take_errors(&errors)?;
        }
    }

    /// Takes the errors of all threads that no call has returned.
    fn take_untaken(&self, into: &mut Vec<Error>) {
        into.extend(self.take_lost());
        // A captured stream cannot read the records.
        if self.queue().capture {
            return;
        }
        let mut all = Vec::new();
        // A thread that holds a lock may no longer exist.
        for threads in [&self.errors().threads, &self.errors().orphans] {
            all.extend(threads.try_lock().iter().flat_map(|threads| threads.iter().cloned()));
        }
        into.extend(all.iter().filter_map(|errors| self.take_errors(errors).err()));
    }
}

/// Returns and clears the errors of earlier work that no call of any thread has returned, on all open devices: those
/// that would be written to the standard error when the process ends.
///
/// # Synchronization
///
/// Synchronises with the streams of calls that may have raised an error.
///
/// ```
/// let a = cuprum::arange(0, 3, 1)?;
/// a.set(cuprum::s![[9]], 1)?;
/// let errors = cuprum::cuda::take_untaken_errors();
/// assert_eq!(errors[0].message(), "set: index 9 at position 0 is out of bounds for axis 0 with size 3");
/// assert!(cuprum::cuda::take_untaken_errors().is_empty());
/// # Ok::<(), cuprum::Error>(())
/// ```
pub fn take_untaken_errors() -> Vec<Error> {
    let mut errors = Vec::new();
    if !fork::forked() {
        Device::opened().iter().for_each(|device| device.take_untaken(&mut errors));
    }
    errors
}

/// Writes the errors that no call has returned to the standard error.
extern "C" fn report_at_exit() {
    // The thread-local values may be destroyed, and a panic must not unwind out of a C function.
    let written = catch_unwind(|| {
        for e in take_untaken_errors() {
            eprintln!("cuprum: an error that no call has returned: {}: {e}", e.kind().exception());
        }
    });
    drop(written);
}

/// Returns true if `CUPRUM_CHECK` requests reading the records after every call.
fn checks_now() -> Result<bool> {
    static NOW: OnceLock<Result<bool>> = OnceLock::new();
    let read = || match std::env::var("CUPRUM_CHECK").unwrap_or_default().as_str() {
        "" => Ok(false),
        "now" => Ok(true),
        other => Err(Error::new(ErrorKind::Value, format!("CUPRUM_CHECK is `{other}`: it is `now`, or not set"))),
    };
    NOW.get_or_init(read).clone()
}
