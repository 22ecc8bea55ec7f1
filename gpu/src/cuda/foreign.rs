//! Foreign memory and custom allocators: the owner of memory, and when it is dropped.
//!
//! An allocator is a function that returns an address and an owner; dropping the owner frees the memory, which happens
//! once all work that uses it has completed. That is how the memory of RMM, PyTorch or a program serves arrays.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::mem;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

use super::pool::Signals;
use super::stream_dependencies::Signal;
use super::{Buffer, Device, Queue};
use crate::error::Result;

/// Owner of memory: dropping it releases the memory.
pub(crate) type Owner = Box<dyn Send + Sync>;

/// Allocator of device memory: returns the address, and an owner that releases it when it is dropped.
///
/// It is called for each array that is created, with the device and the size in bytes; the memory is aligned to
/// 512 bytes.
pub type Allocator = dyn Fn(Device, usize) -> Result<(u64, Box<dyn Send + Sync>)> + Send + Sync;

/// Number of allocators and hooks, without which memory simply comes from the pool.
static SPECIAL: AtomicUsize = AtomicUsize::new(0);
/// The allocator of all threads.
static ALLOCATOR: Mutex<Option<Arc<Allocator>>> = Mutex::new(None);

thread_local! {
    /// True while an allocator runs: its own requests are served by the pool.
    static ASKING: Cell<bool> = const { Cell::new(false) };
    /// The allocator of this thread.
    static OWN: RefCell<ThreadAllocator> = const { RefCell::new(ThreadAllocator::Everyones) };
}

/// Source of a thread's array memory.
///
/// A thread begins with the allocator of all threads.
#[derive(Clone, Default)]
pub enum ThreadAllocator {
    /// The allocator of all threads.
    #[default]
    Everyones,
    /// The pools of the devices.
    Pools,
    /// An allocator of its own.
    Own(Arc<Allocator>),
}

impl fmt::Debug for ThreadAllocator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ThreadAllocator::Everyones => "Everyones",
            ThreadAllocator::Pools => "Pools",
            ThreadAllocator::Own(_) => "Own",
        })
    }
}

/// Returns true if memory may come from elsewhere than the pool, or if there are memory hooks.
#[inline]
pub(super) fn is_special() -> bool {
    SPECIAL.load(Relaxed) != 0
}

pub(super) fn add_special() {
    SPECIAL.fetch_add(1, Relaxed);
}

pub(super) fn remove_special() {
    SPECIAL.fetch_sub(1, Relaxed);
}

/// Sets the allocator of arrays for all threads and devices, or restores the pools; CuPy's `set_allocator`. Existing
/// arrays keep their owners.
///
/// An owner is dropped when all work that uses its memory has completed. Requests that the allocator itself makes to
/// the library are served by the pools.
///
/// # Safety
///
/// The allocator returns live memory of the device, aligned to 512 bytes, that nothing else uses until the owner is
/// dropped.
///
/// ```
/// use std::sync::Arc;
/// use cuprum::{Array, DType, cuda, zeros};
/// let counted = |_: cuda::Device, bytes: usize| {
///     let memory = zeros([bytes], DType::U8)?;
///     Ok((memory.pointer(), Box::new(memory) as Box<dyn Send + Sync>))
/// };
/// // SAFETY: the memory is an array's, which is its owner.
/// unsafe { cuda::set_allocator(Some(Arc::new(counted))) };
/// let a = cuprum::arange(0, 3, 1)?;
/// // SAFETY: there is none to answer for.
/// unsafe { cuda::set_allocator(None) };
/// assert!(a.is_foreign());
/// assert_eq!(a.to_vec::<i64>()?, [0, 1, 2]);
/// # Ok::<(), cuprum::Error>(())
/// ```
pub unsafe fn set_allocator(allocator: Option<Arc<Allocator>>) {
    if allocator.is_some() {
        add_special();
    }
    let before = mem::replace(&mut *ALLOCATOR.lock().unwrap_or_else(PoisonError::into_inner), allocator);
    if before.is_some() {
        remove_special();
    }
    drop(before);
}

/// Sets the source of this thread's memory, and returns the previous one. [`using_allocator`] does so for a scope.
///
/// CuPy's `using_allocator` and `set_allocator` of a thread. Arrays that exist keep the memory that they
/// have.
///
/// # Safety
///
/// As [`set_allocator`].
pub unsafe fn set_thread_allocator(choice: ThreadAllocator) -> ThreadAllocator {
    let is_special = |choice: &ThreadAllocator| !matches!(choice, ThreadAllocator::Everyones);
    if is_special(&choice) {
        add_special();
    }
    let before = OWN.replace(choice);
    if is_special(&before) {
        remove_special();
    }
    before
}

/// Calls `f` with an allocator, or the pools, as the source of memory on this thread only; CuPy's `using_allocator`.
///
/// # Safety
///
/// As [`set_allocator`].
///
/// ```
/// use cuprum::cuda::{ThreadAllocator, using_allocator};
/// // SAFETY: the pools are always right.
/// let a = unsafe { using_allocator(ThreadAllocator::Pools, || cuprum::arange(0, 3, 1)) }?;
/// assert!(!a.is_foreign());
/// # Ok::<(), cuprum::Error>(())
/// ```
pub unsafe fn using_allocator<R>(choice: ThreadAllocator, f: impl FnOnce() -> R) -> R {
    /// Restores the previous choice, also after a panic.
    struct Restore(ThreadAllocator);
    impl Drop for Restore {
        fn drop(&mut self) {
            // SAFETY: it was chosen before.
            unsafe { set_thread_allocator(mem::take(&mut self.0)) };
        }
    }
    // SAFETY: the caller guarantees the allocator.
    let _restore = Restore(unsafe { set_thread_allocator(choice) });
    f()
}

/// Calls `f` with the pools as the source of memory on this thread, whatever allocator is set.
///
/// ```
/// let a = cuprum::cuda::from_pool(|| cuprum::arange(0, 3, 1))?;
/// assert!(!a.is_foreign());
/// # Ok::<(), cuprum::Error>(())
/// ```
pub fn from_pool<R>(f: impl FnOnce() -> R) -> R {
    let _asked = RestoreFlag(ASKING.replace(true));
    f()
}

/// Restores the flag of a running allocator, also after a panic.
struct RestoreFlag(bool);

impl Drop for RestoreFlag {
    fn drop(&mut self) {
        ASKING.set(self.0);
    }
}

/// Requests memory from the allocator; `None` if there is none, or if it makes the request itself. A graph has memory
/// of its own.
#[cold]
pub(super) fn ask(queue: &Queue, bytes: usize) -> Result<Option<Buffer>> {
    if bytes == 0 || ASKING.get() || queue.capture {
        return Ok(None);
    }
    let found = match OWN.with_borrow(Clone::clone) {
        ThreadAllocator::Everyones => ALLOCATOR.lock().unwrap_or_else(PoisonError::into_inner).clone(),
        ThreadAllocator::Pools => None,
        ThreadAllocator::Own(allocator) => Some(allocator),
    };
    let Some(allocator) = found else { return Ok(None) };
    let (addr, owner) = from_pool(|| allocator(queue.device, bytes))?;
    Ok(Some(Buffer::of_other(addr, bytes, *queue, false, owner)))
}

/// Properties of a buffer of foreign memory.
pub(super) struct Foreign {
    /// True if arrays of the memory cannot be written to.
    pub(super) read_only: bool,
    /// Dropped when no work uses the memory any more.
    pub(super) owner: Owner,
}

impl fmt::Debug for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Foreign").field("read_only", &self.read_only).finish_non_exhaustive()
    }
}

/// Owners of memory without arrays, which queued work still uses.
///
/// Nothing waits for that work: the next allocation and the next synchronisation test if it has completed.
#[derive(Default)]
pub(super) struct Leaving {
    /// True if there is an owner: it is tested without the lock.
    some: AtomicBool,
    /// Owners, and the events after the last work that uses their memory.
    all: Mutex<Vec<(Signals, Owner)>>,
}

impl Leaving {
    /// Drops the owner as soon as all signals are reached.
    pub(super) fn leave(&self, signals: Signals, owner: Owner) -> Result<()> {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.push((signals, owner));
        self.some.store(true, Relaxed);
        drop(all);
        self.look()
    }

    /// Drops those owners whose memory is not in use any more.
    #[inline]
    pub(super) fn look(&self) -> Result<()> {
        if self.some.load(Relaxed) { self.collect(Signal::is_done) } else { Ok(()) }
    }

    /// Drops all owners, after waiting for the work that uses their memory.
    pub(super) fn wait(&self) -> Result<()> {
        if self.some.load(Relaxed) { self.collect(|signal| signal.wait().map(|()| true)) } else { Ok(()) }
    }

    #[cold]
    fn collect(&self, is_done: impl Fn(&Signal) -> Result<bool>) -> Result<()> {
        let mut free = Vec::new();
        let result = {
            let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
            let mut result = Ok(());
            for (mut signals, owner) in mem::take(&mut *all) {
                while result.is_ok()
                    && let Some(signal) = signals.last()
                {
                    match is_done(signal) {
                        Ok(true) => drop(signals.pop()),
                        Ok(false) => break,
                        Err(e) => result = Err(e),
                    }
                }
                if signals.is_empty() { free.push(owner) } else { all.push((signals, owner)) }
            }
            self.some.store(!all.is_empty(), Relaxed);
            result
        };
        // An owner may be code of another language, which may call the library: no lock is held.
        drop(free);
        result
    }
}
