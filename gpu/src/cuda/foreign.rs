//! Memory that belongs to somebody else: who keeps it alive, and when that one is let go.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::mem;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

use super::order::Signal;
use super::pool::Signals;
use super::{Buffer, Device, Queue};
use crate::error::Result;

/// What keeps memory alive: dropping it lets the memory go.
pub(crate) type Owner = Box<dyn Send + Sync>;

/// Gives memory of a device of so many bytes: its address, and what lets it go when it is dropped.
pub type Allocator = dyn Fn(Device, usize) -> Result<(u64, Box<dyn Send + Sync>)> + Send + Sync;

/// Number of allocators and hooks, so that memory does not simply come from the pool.
static SPECIAL: AtomicUsize = AtomicUsize::new(0);
/// The allocator of all threads.
static ALLOCATOR: Mutex<Option<Arc<Allocator>>> = Mutex::new(None);

thread_local! {
    /// Memory is being requested: what the allocator itself asks for comes from the pool.
    static ASKING: Cell<bool> = const { Cell::new(false) };
    /// The allocator of this thread.
    static OWN: RefCell<ThreadAllocator> = const { RefCell::new(ThreadAllocator::Everyones) };
}

/// Where a thread takes the memory of arrays from.
#[derive(Clone, Default)]
pub enum ThreadAllocator {
    /// Where all threads do.
    #[default]
    Everyones,
    /// From the pools of the devices.
    Pools,
    /// From an allocator of its own.
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

/// Returns true if memory may come from elsewhere than the pool, or somebody is to be told of it.
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

/// Takes memory for arrays from an allocator, on all threads and devices, or from the pools again; CuPy's `set_allocator`.
/// What an array has keeps the owner that it has.
///
/// An owner is dropped when all work that uses its memory is done. What the allocator itself asks of the library comes from
/// the pools.
///
/// # Safety
///
/// The allocator gives live memory of the device, aligned to 512 bytes, that nobody else uses until the owner is dropped.
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

/// Chooses where this thread takes memory from; what it chose before. [`using_allocator`] does so for a scope.
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

/// Calls `f` with an allocator that gives memory on this thread alone, or with the pools giving it; CuPy's
/// `using_allocator`.
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
    /// Puts the choice back, also after a panic.
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

/// Calls `f` with the pools giving memory on this thread, whatever allocator is set.
///
/// ```
/// let a = cuprum::cuda::from_pool(|| cuprum::arange(0, 3, 1))?;
/// assert!(!a.is_foreign());
/// # Ok::<(), cuprum::Error>(())
/// ```
pub fn from_pool<R>(f: impl FnOnce() -> R) -> R {
    let _asked = Asked(ASKING.replace(true));
    f()
}

/// Puts back whether the thread asks, also after a panic.
struct Asked(bool);

impl Drop for Asked {
    fn drop(&mut self) {
        ASKING.set(self.0);
    }
}

/// Memory of the allocator; nothing where there is none, or where it is the one that asks. A graph has memory of its own.
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

/// What a buffer of somebody else's memory knows of it.
pub(super) struct Foreign {
    pub(super) read_only: bool,
    pub(super) owner: Owner,
}

impl fmt::Debug for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Foreign").field("read_only", &self.read_only).finish_non_exhaustive()
    }
}

/// Owners of memory that no array has any more, but that work which is queued still uses.
///
/// Nobody waits for that work: the next allocation, and whoever waits for the device, looks whether it is done.
#[derive(Default)]
pub(super) struct Leaving {
    some: AtomicBool,
    all: Mutex<Vec<(Signals, Owner)>>,
}

impl Leaving {
    /// Lets the owner go as soon as all signals are reached.
    pub(super) fn leave(&self, signals: Signals, owner: Owner) -> Result<()> {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.push((signals, owner));
        self.some.store(true, Relaxed);
        drop(all);
        self.look()
    }

    /// Lets those owners go whose memory is used no more.
    #[inline]
    pub(super) fn look(&self) -> Result<()> {
        if self.some.load(Relaxed) { self.collect(Signal::is_done) } else { Ok(()) }
    }

    /// Lets all owners go, and waits for the work that uses their memory.
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
