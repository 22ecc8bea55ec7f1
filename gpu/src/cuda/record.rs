//! The error record: what kernels refuse, told at the next call that waits.
//!
//! A kernel that meets an index out of bounds writes it down in device memory and goes on with another one. Each thread of
//! the host has a record for each device, and not each stream: streams are shared by threads, and a thread is to be told of
//! its own calls and not of another one's. Whatever makes the thread wait for the device looks at its record, on which
//! stream the calls ever were. What a thread that ends leaves unread the next one reads that waits.
//!
//! A thread that has made no such call since it last waited pays for a look at one flag.

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use smallvec::SmallVec;

use super::Device;
use super::buffer::{Access, Buffer};
use super::queue::StreamId;
use crate::error::{Error, ErrorKind, Result};

/// The words of `refusal` in `include/refuse.cuh`, of 64 bits.
const RECORD_WORDS: usize = 6;

/// Why a matrix has not what was asked of it. The number is the kernel's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    Singular,
    Indefinite,
    NotConverged,
    NotFinite,
}

impl Refusal {
    const ALL: [Refusal; 4] = [Refusal::Singular, Refusal::Indefinite, Refusal::NotConverged, Refusal::NotFinite];

    /// The axes from which on a record is of a matrix, and of no index: no array has so many.
    const AXES: u64 = 0xffff_ff00;

    /// The error of a record, where it is of a matrix.
    fn of_record(axis: u64, position: u64, value: i64, count: u64) -> Option<String> {
        let refusal = Refusal::ALL.get(axis.checked_sub(Refusal::AXES)? as usize)?;
        let matrix = if count == 1 { "the matrix".into() } else { format!("matrix {position} of the stack") };
        Some(match refusal {
            Refusal::Singular => format!("{matrix} is singular: its pivot {value} is zero; pinv and lstsq take it"),
            Refusal::Indefinite => {
                format!("{matrix} is not positive definite: its leading minor {value} is not positive")
            }
            Refusal::NotConverged => {
                format!("the decomposition of {matrix} did not converge; look for NaN and infinity in it")
            }
            Refusal::NotFinite => format!("{matrix} has elements that are infinite or NaN: it has no eigenvalues"),
        })
    }
}

/// Functions whose indices are numbers of elements or of arrays: NumPy refuses them as values.
const VALUES: [&str; 3] = ["choose", "ravel_multi_index", "unravel_index"];

/// The size that a kernel writes where it refuses a parameter and no index.
const PARAMETER: u64 = !0;

/// What is said of a parameter that is refused, by the name of the function, the number of the rule and the value. Told by
/// the engine that has such kernels, which stands above.
pub(crate) type Rules = fn(&str, usize, f64) -> String;

static RULES: OnceLock<Rules> = OnceLock::new();

/// A function as errors name it: `take`, or `add` and `.at`.
pub(crate) type Function = (&'static str, &'static str);

thread_local! {
    /// By the device's index.
    static RECORDS: RefCell<Records> = const { RefCell::new(Records(Vec::new())) };
}

struct Records(Vec<Option<Record>>);

struct Record {
    device: Device,
    memory: Arc<Buffer>,
    calls: u64,
    /// Those that were called.
    functions: Vec<Function>,
    /// The streams of the calls since the record was last looked at.
    pending: SmallVec<[StreamId; 2]>,
}

/// Records of threads that have ended.
#[derive(Default)]
pub(super) struct Orphans {
    some: AtomicBool,
    all: Mutex<Vec<Record>>,
}

/// A call whose kernels may refuse an index.
#[derive(Debug)]
pub(crate) struct Checked {
    pub(crate) memory: Arc<Buffer>,
    /// From 1 on.
    pub(crate) call: u64,
    pub(crate) function: u32,
}

/// A record that the kernels of a graph write to, and the functions that they are of.
#[derive(Debug)]
pub(super) struct Kept {
    memory: Arc<Buffer>,
    functions: Vec<Function>,
}

impl Drop for Records {
    fn drop(&mut self) {
        for record in self.0.drain(..).flatten().filter(|r| !r.pending.is_empty()) {
            let orphans = record.device.orphans();
            orphans.all.lock().unwrap_or_else(PoisonError::into_inner).push(record);
            orphans.some.store(true, Relaxed);
        }
    }
}

impl Device {
    /// Makes the record of this thread, unless it has one.
    pub(super) fn prepare_record(&self) -> Result<()> {
        RECORDS.with_borrow_mut(|Records(all)| self.record_of(all).map(|_| ()))
    }

    fn record_of<'a>(&self, all: &'a mut Vec<Option<Record>>) -> Result<&'a mut Record> {
        if all.len() <= self.index() {
            all.resize_with(self.index() + 1, || None);
        }
        Ok(match &mut all[self.index()] {
            Some(record) => record,
            none => none.insert(Record::new(*self)?),
        })
    }

    /// The record of this thread, if calls on a stream that was captured write to it. They have not been made yet.
    pub(super) fn take_record(&self, captured: StreamId) -> Option<Kept> {
        RECORDS.with_borrow_mut(|Records(all)| {
            let record = all.get_mut(self.index())?.as_mut()?;
            let at = record.pending.iter().position(|id| *id == captured)?;
            record.pending.remove(at);
            Some(Kept { memory: record.memory.clone(), functions: record.functions.clone() })
        })
    }

    /// Says that a graph was launched whose kernels may write to the record.
    pub(super) fn give_record(&self, kept: &Kept, stream: StreamId) {
        let own = RECORDS.try_with(|records| {
            let mut records = records.borrow_mut();
            let record = records.0.get_mut(self.index()).and_then(Option::as_mut);
            let Some(record) = record.filter(|record| Arc::ptr_eq(&record.memory, &kept.memory)) else { return false };
            if !record.pending.contains(&stream) {
                record.pending.push(stream);
            }
            true
        });
        if own != Ok(true) {
            // It is another thread's: who waits next looks at it.
            let (memory, functions) = (kept.memory.clone(), kept.functions.clone());
            let record =
                Record { device: *self, memory, calls: 0, functions, pending: SmallVec::from_slice(&[stream]) };
            let orphans = self.orphans();
            orphans.all.lock().unwrap_or_else(PoisonError::into_inner).push(record);
            orphans.some.store(true, Relaxed);
        }
    }

    /// Announces a call of a function whose kernels write to the record of this thread.
    pub(crate) fn checked_call(&self, function: Function) -> Result<Checked> {
        let queue = self.queue();
        RECORDS.with_borrow_mut(|Records(all)| {
            let record = self.record_of(all)?;
            record.calls += 1;
            if !record.pending.contains(&queue.id) {
                record.pending.push(queue.id);
            }
            let known = record.functions.iter().position(|f| *f == function);
            let at = known.unwrap_or_else(|| {
                record.functions.push(function);
                record.functions.len() - 1
            });
            Ok(Checked { memory: record.memory.clone(), call: record.calls, function: at as u32 })
        })
    }

    /// The same of a function whose kernels look at parameters.
    pub(crate) fn checked_parameters(&self, function: &'static str, rules: Rules) -> Result<Checked> {
        RULES.get_or_init(|| rules);
        self.checked_call((function, ""))
    }

    /// Tells of what kernels have refused since this thread last asked. The device waits for the work that may do so, and
    /// the host for the device; where there is none, nothing is done.
    pub(crate) fn tell_refused(&self) -> Result<()> {
        let own = RECORDS.try_with(|records| {
            let mut records = records.borrow_mut();
            let record = records.0.get_mut(self.index())?.as_mut().filter(|r| !r.pending.is_empty())?;
            let pending = std::mem::take(&mut record.pending);
            Some((record.memory.clone(), pending, record.functions.clone()))
        });
        if let Ok(Some((memory, pending, functions))) = own {
            self.look(&memory, &pending, &functions)?;
        }
        if self.orphans().some.load(Relaxed) { self.tell_orphans() } else { Ok(()) }
    }

    /// As [`Device::tell_refused`] where the user asks for it at every call.
    pub(crate) fn tell_refused_now(&self) -> Result<()> {
        // What a graph keeps has not been done yet.
        if checks_now()? && !self.queue().capture { self.tell_refused() } else { Ok(()) }
    }

    #[cold]
    fn tell_orphans(&self) -> Result<()> {
        let orphans = self.orphans();
        loop {
            let next = {
                let mut all = orphans.all.lock().unwrap_or_else(PoisonError::into_inner);
                let next = all.pop();
                orphans.some.store(!all.is_empty(), Relaxed);
                next
            };
            let Some(record) = next else { return Ok(()) };
            self.look(&record.memory, &record.pending, &record.functions)?;
        }
    }

    /// Reads a record and clears it.
    fn look(&self, memory: &Buffer, pending: &[StreamId], functions: &[Function]) -> Result<()> {
        let (queue, driver) = (self.queue(), self.driver()?);
        for &other in pending.iter().filter(|id| **id != queue.id) {
            queue.wait_for(other)?;
        }
        let mut bytes = [0; 8 * RECORD_WORDS];
        memory.touch(&queue, Access::Read)?;
        // SAFETY: the record is live and of so many bytes; its buffer knows the stream.
        unsafe { driver.download(&mut bytes, memory.addr(), queue.handle) }?;
        let word = |k: usize| u64::from_le_bytes(std::array::from_fn(|i| bytes[8 * k + i]));
        if word(1) == 0 {
            return Ok(());
        }
        memory.touch(&queue, Access::Write)?;
        // SAFETY: as above.
        unsafe { driver.upload(memory.addr(), &[0; 8 * RECORD_WORDS], queue.handle) }?;
        // Later calls may be on other streams, which wait for nothing.
        // SAFETY: the stream is live.
        unsafe { driver.stream_synchronize(queue.handle) }?;
        let (name, method) = functions.get((word(0) >> 32) as usize).copied().unwrap_or_default();
        let (position, value, axis, size) = (word(2), word(3) as i64, word(4), word(5));
        if let Some(what) = Refusal::of_record(axis, position, value, size) {
            return Err(Error::of_call(ErrorKind::LinAlg, &format!("{name}{method}"), &what));
        }
        if let (PARAMETER, Some(rules)) = (size, RULES.get()) {
            let what = format!("at position {position} {}", rules(name, axis as usize, f64::from_bits(word(3))));
            return Err(Error::of_call(ErrorKind::Value, name, &what));
        }
        let what = format!("index {value} at position {position} is out of bounds for axis {axis} with size {size}");
        let kind = if VALUES.contains(&name) { ErrorKind::Value } else { ErrorKind::Index };
        Err(Error::of_call(kind, &format!("{name}{method}"), &what))
    }
}

impl Record {
    fn new(device: Device) -> Result<Record> {
        let (queue, memory) = (device.queue(), device.alloc(8 * RECORD_WORDS)?);
        memory.touch(&queue, Access::Write)?;
        // SAFETY: the memory is live and of so many bytes; its buffer knows the stream.
        unsafe { device.driver()?.upload(memory.addr(), &[0; 8 * RECORD_WORDS], queue.handle) }?;
        Ok(Record { device, memory: Arc::new(memory), calls: 0, functions: Vec::new(), pending: SmallVec::new() })
    }
}

/// Whether `CUPRUM_CHECK` asks for a look at every call.
fn checks_now() -> Result<bool> {
    static NOW: OnceLock<Result<bool>> = OnceLock::new();
    let read = || match std::env::var("CUPRUM_CHECK").unwrap_or_default().as_str() {
        "" => Ok(false),
        "now" => Ok(true),
        other => Err(Error::new(ErrorKind::Value, format!("CUPRUM_CHECK is `{other}`: it is `now`, or not set"))),
    };
    NOW.get_or_init(read).clone()
}
