//! Memory pool: freed memory is cached and reused, in the order of the stream that used it.
//!
//! A request is rounded up to 512 bytes and served by the arena of the stream that is current; memory that an array
//! frees returns to the arena of the stream that it was allocated on, and is reused there without waiting, since later
//! work of that stream runs after the earlier one. Only if no block fits, memory of other streams that is no longer
//! used, and then the device, are asked.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use smallvec::SmallVec;

use super::arena::{Arena, SEGMENT, SMALL, UNIT};
use super::queue::Queue;
use super::stream_dependencies::Signal;
use crate::driver::{Driver, Mark};
use crate::error::{Error, ErrorKind, Result};

/// Slack of the pool: while it holds free segments, it takes no more from the device than twice the peak use plus this.
const SLACK: usize = 256 << 20;

/// The signals that a freed block waits for.
pub(super) type Signals = SmallVec<[Signal; 2]>;

/// Freed block that other streams than its own still use.
#[derive(Debug)]
struct Pending {
    /// Address of the block.
    addr: u64,
    /// Size of the block.
    bytes: usize,
    /// The stream whose arena it returns to.
    home: Queue,
    /// Events after the work of the other streams.
    signals: Signals,
}

/// Arenas and counters of a pool.
#[derive(Debug)]
struct State {
    /// The arenas of the streams, of which the first is that of the default one.
    arenas: Vec<Arena>,
    /// The arenas of streams that have ended, for new streams.
    idle: Vec<u32>,
    /// Freed blocks that other streams still use, the oldest first.
    pending: VecDeque<Pending>,
    /// Bytes of these blocks.
    pending_bytes: usize,
    /// Bytes in arrays.
    used: usize,
    /// Bytes taken from the device.
    total: usize,
    /// Peak of `used`.
    peak: usize,
    /// The most bytes taken from the device.
    limit: Option<usize>,
    /// Number of requests since the process began.
    allocations: u64,
}

/// Statistics of the pool, in bytes.
///
/// ```
/// let device = cuprum::cuda::Device::current()?;
/// let a = cuprum::ones(1000, ())?;
/// let stats = device.memory_pool().stats();
/// assert!(stats.used_bytes >= a.nbytes() && stats.total_bytes >= stats.used_bytes);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PoolStats {
    /// Bytes in arrays, rounded up to the pool's unit.
    pub used_bytes: usize,
    /// Freed bytes that are still in use by streams other than the one that the memory was allocated on.
    pub pending_bytes: usize,
    /// Bytes taken from the device. Those that are neither used nor pending are free.
    pub total_bytes: usize,
    /// Peak number of bytes in arrays.
    pub peak_bytes: usize,
    /// The limit on `total_bytes`.
    pub limit_bytes: Option<usize>,
    /// Number of requests served so far.
    pub allocations: u64,
}

/// Memory pool of a device; CuPy's `MemoryPool`.
///
/// Memory returns to the stream that it was allocated on and is reused there, so that no synchronisation is needed.
/// Memory that other streams used as well is pending until they have completed the last use.
///
/// ```
/// let device = cuprum::cuda::Device::open("sim")?;
/// let stats = device.memory_pool().stats();
/// assert!(stats.used_bytes + stats.pending_bytes <= stats.total_bytes);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Debug)]
pub struct MemoryPool {
    /// The arenas, under one lock.
    state: Mutex<State>,
    /// Total bytes of the device's memory, of which a limit may be a fraction.
    memory: u64,
    /// Bytes of the guard zone on each side of an array, in guard mode.
    guard: Option<usize>,
}

/// Result of an allocation, and the bytes that were taken from the device for it.
#[derive(Clone, Copy, Debug)]
pub(super) struct AllocationResult {
    /// Address of the block.
    pub(super) addr: u64,
    /// Bytes that the device had to provide.
    pub(super) taken: usize,
}

impl MemoryPool {
    pub(super) fn new(memory: u64, limit: Option<usize>, guard: Option<usize>) -> MemoryPool {
        MemoryPool {
            memory,
            guard,
            state: Mutex::new(State {
                arenas: vec![Arena::default()],
                idle: Vec::new(),
                pending: VecDeque::new(),
                pending_bytes: 0,
                used: 0,
                total: 0,
                peak: 0,
                limit,
                allocations: 0,
            }),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the statistics.
    ///
    /// CuPy's `used_bytes`, `total_bytes` and `free_bytes` in one struct; see [`PoolStats`] for an example.
    pub fn stats(&self) -> PoolStats {
        self.lock().stats()
    }

    /// Returns the number of free blocks of all streams; CuPy's `n_free_blocks`.
    ///
    /// ```
    /// use cuprum::cuda::Device;
    /// let device = Device::open("sim:4")?;
    /// drop(device.with(|| cuprum::zeros(1000, ()))?);
    /// assert!(device.memory_pool().free_blocks() >= 1);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn free_blocks(&self) -> usize {
        self.lock().arenas.iter().map(Arena::free_blocks).sum()
    }

    /// Sets the limit on the bytes that the pool takes from the device; `None` removes it. Memory that it holds already
    /// is kept.
    ///
    /// Requests that would exceed it first free cached memory, and then fail with
    /// [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory).
    ///
    /// CuPy's `MemoryPool.set_limit(size)`; [`MemoryPool::set_limit_share`] takes a share of the device's
    /// memory, and `CUPRUM_MEMORY_LIMIT` sets a limit for a program.
    ///
    /// ```
    /// use cuprum::cuda::Device;
    /// let device = Device::open("sim:3")?;
    /// device.memory_pool().set_limit(Some(1 << 20));
    /// assert!(device.with(|| cuprum::zeros(1 << 20, ())).is_err());
    /// device.memory_pool().set_limit(None);
    /// assert!(device.with(|| cuprum::zeros(1 << 20, ())).is_ok());
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn set_limit(&self, bytes: Option<usize>) {
        self.lock().limit = bytes;
    }

    /// Sets the limit as a fraction of the device's memory between 0 and 1.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Value`] for a fraction outside of this range.
    ///
    /// ```
    /// let device = cuprum::cuda::Device::current()?;
    /// device.memory_pool().set_limit_share(0.5)?;
    /// assert_eq!(device.memory_pool().stats().limit_bytes, Some(device.info().memory_bytes as usize / 2));
    /// device.memory_pool().set_limit(None);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn set_limit_share(&self, share: f64) -> Result<()> {
        if !(0.0..=1.0).contains(&share) {
            let what = format!("the share of the device's memory is {share}: it is between 0 and 1");
            return Err(Error::of_call(ErrorKind::Value, "set_limit_share", &what));
        }
        self.set_limit(Some((self.memory as f64 * share) as usize));
        Ok(())
    }

    /// Returns the size of the largest free block of any stream.
    ///
    /// A request above it takes memory from the device, also where more bytes are free in smaller blocks: the
    /// difference is fragmentation.
    pub fn largest_free_block(&self) -> usize {
        self.lock().arenas.iter().map(Arena::largest).max().unwrap_or(0)
    }

    /// Marks the arena of a stream as owned by a graph: none of it returns to the device until
    /// [`MemoryPool::end_arena`].
    pub(super) fn keep_arena(&self, arena: u32) {
        self.lock().arenas[arena as usize].kept = true;
    }

    /// Returns an arena for a new stream: that of one that has ended, or an empty one.
    pub(super) fn begin_arena(&self) -> u32 {
        let mut state = self.lock();
        state.idle.pop().unwrap_or_else(|| {
            state.arenas.push(Arena::default());
            state.arenas.len() as u32 - 1
        })
    }

    /// Releases the arena of a stream, whose work has completed, for a new stream.
    pub(super) fn end_arena(&self, arena: u32) {
        let mut state = self.lock();
        state.arenas[arena as usize].kept = false;
        state.idle.push(arena);
    }

    /// Allocates memory for work on the stream.
    pub(super) fn alloc(&self, queue: &Queue, bytes: usize) -> Result<AllocationResult> {
        let driver = queue.device.driver()?;
        let size = bytes.max(1).checked_next_multiple_of(UNIT).ok_or_else(|| self.lock().too_much(driver, bytes))?;
        if let Some(zone) = self.guard.filter(|_| !queue.capture) {
            return self.alloc_guarded(driver, queue, bytes, zone);
        }
        let mut state = self.lock();
        let state = &mut *state;
        if !state.pending.is_empty() {
            state.collect(driver)?;
        }
        let given = match state.arenas[queue.arena as usize].take(size) {
            Some(addr) => AllocationResult { addr, taken: 0 },
            None => state.grow(driver, queue, bytes, size)?,
        };
        state.used += size;
        state.peak = state.peak.max(state.used);
        state.allocations += 1;
        driver.mark(given.addr, bytes, Mark::Fresh, queue.handle)?;
        Ok(given)
    }

    /// Frees memory for the stream that it was allocated on, immediately or when the signals are reached.
    pub(super) fn free(&self, home: &Queue, addr: u64, bytes: usize, signals: Signals) -> Result<()> {
        let driver = home.device.driver_for_drop()?;
        if let Some(zone) = self.guard.filter(|_| !home.capture) {
            return self.free_guarded(driver, home, addr, bytes, zone, signals);
        }
        let size = bytes.max(1).next_multiple_of(UNIT);
        let mut state = self.lock();
        state.used -= size;
        let block = Pending { addr, bytes, home: *home, signals };
        if block.signals.is_empty() {
            return state.put_back(driver, block);
        }
        state.pending_bytes += size;
        state.pending.push_back(block);
        Ok(())
    }

    /// Returns all segments without arrays to the device.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Driver`] if the device rejects it.
    pub(super) fn free_all_blocks(&self, driver: &dyn Driver) -> Result<()> {
        let mut state = self.lock();
        state.collect_all(driver, Signal::wait)?;
        state.give_back(driver)
    }
}

/// Returns the size of the block for a request.
pub(super) fn rounded(bytes: usize) -> usize {
    bytes.max(1).next_multiple_of(UNIT)
}

impl State {
    fn stats(&self) -> PoolStats {
        PoolStats {
            used_bytes: self.used,
            pending_bytes: self.pending_bytes,
            total_bytes: self.total,
            peak_bytes: self.peak,
            limit_bytes: self.limit,
            allocations: self.allocations,
        }
    }

    /// Returns the error of a request that cannot be served.
    fn too_much(&self, driver: &dyn Driver, bytes: usize) -> Error {
        let (device, held) = (driver.info(), self.total);
        let limit = self.limit.map_or(String::new(), |l| format!(", the limit is {l}"));
        let pending = match self.pending_bytes {
            0 => String::new(),
            pending => format!(" and {pending} are still used by streams"),
        };
        let largest = self.arenas.iter().map(Arena::largest).max().unwrap_or(0);
        let free = driver.free_bytes().map_or("an unknown number of".into(), |free| free.to_string());
        let others = match driver.free_bytes() {
            Ok(free) => device.memory_bytes.saturating_sub(free).saturating_sub(held as u64),
            Err(_) => 0,
        };
        let used = self.used;
        Error::new(
            ErrorKind::OutOfMemory,
            format!(
                "out of memory: {bytes} bytes are requested; the pool holds {held}, of which {used} are in \
                 arrays{pending}{limit}; its largest free block has {largest}. Of the {} bytes of {} {free} are free, and \
                 {others} are taken by others. Drop arrays, or work on parts",
                device.memory_bytes, device.id
            ),
        )
    }

    /// Returns a block that no other stream uses to its stream's arena.
    fn put_back(&mut self, driver: &dyn Driver, block: Pending) -> Result<()> {
        // Memory of a graph is written again when it runs, even if no array has it.
        if !block.home.capture || !block.home.device.captures().is_of_graph(block.home.id) {
            driver.mark(block.addr, block.bytes, Mark::Freed, block.home.handle)?;
        }
        let size = block.bytes.max(1).next_multiple_of(UNIT);
        self.arenas[block.home.arena as usize].give(block.addr, size);
        Ok(())
    }

    /// Returns pending blocks, up to the first that is still used; the next call begins after it.
    fn collect(&mut self, driver: &dyn Driver) -> Result<()> {
        for _ in 0..self.pending.len() {
            if !self.collect_first(driver, |signal| signal.is_done())? {
                break;
            }
        }
        Ok(())
    }

    /// Returns all pending blocks whose signals `wait` finds reached.
    fn collect_all(&mut self, driver: &dyn Driver, wait: impl Fn(&Signal) -> Result<()>) -> Result<()> {
        for _ in 0..self.pending.len() {
            self.collect_first(driver, |signal| wait(signal).map(|()| true))?;
        }
        Ok(())
    }

    /// Returns the first pending block if it is not in use any more, or moves it to the end of the queue.
    fn collect_first(&mut self, driver: &dyn Driver, is_done: impl Fn(&Signal) -> Result<bool>) -> Result<bool> {
        let Some(mut block) = self.pending.pop_front() else { return Ok(false) };
        while let Some(signal) = block.signals.last() {
            match is_done(signal) {
                Ok(true) => drop(block.signals.pop()),
                unreached => {
                    self.pending.push_back(block);
                    return unreached;
                }
            }
        }
        self.pending_bytes -= block.bytes.max(1).next_multiple_of(UNIT);
        self.put_back(driver, block)?;
        Ok(true)
    }

    /// Takes a segment from the device and carves the request from it.
    fn grow(&mut self, driver: &dyn Driver, queue: &Queue, bytes: usize, size: usize) -> Result<AllocationResult> {
        let found = |addr| Ok(AllocationResult { addr, taken: 0 });
        let arena = queue.arena as usize;
        // Testing each pending block is cheaper than allocating device memory.
        for _ in 0..self.pending.len() {
            if self.collect_first(driver, |signal| signal.is_done())?
                && let Some(addr) = self.arenas[arena].take(size)
            {
                return found(addr);
            }
        }
        let fits = |s: &State, more: usize| s.limit.is_none_or(|l| s.total + more <= l);
        // A program with varying sizes would leave a segment of each size.
        if size > SMALL && self.total.saturating_add(size) > self.usual_total(size) && !driver.is_capturing() {
            self.give_back(driver)?;
        }
        // Near the limit a segment is only as large as necessary.
        let usual = if size <= SMALL { SEGMENT } else { size.next_multiple_of(SEGMENT) };
        let mut segment = if fits(self, usual) { usual } else { size };
        let mut taken = if fits(self, segment) { allocate(driver, segment)? } else { None };
        if taken.is_none() {
            self.collect_all(driver, Signal::wait)?;
            if let Some(addr) = self.arenas[arena].take_any(size) {
                return found(addr);
            }
            // Memory that work may still use is returned after a device synchronisation, which a capture does not
            // allow.
            if !driver.is_capturing() {
                self.give_back(driver)?;
            }
            segment = size;
            taken = if fits(self, segment) { allocate(driver, segment)? } else { None };
        }
        let Some(addr) = taken else { return Err(self.too_much(driver, bytes)) };
        self.add_segment(driver, queue, addr, segment)?;
        let addr = self.arenas[arena].take(size);
        addr.map(|addr| AllocationResult { addr, taken: segment }).ok_or_else(|| self.too_much(driver, bytes))
    }

    /// Returns the bytes that the pool holds at most with a new block of this size while it has free segments.
    fn usual_total(&self, size: usize) -> usize {
        self.peak.max(self.used.saturating_add(size)).saturating_mul(2).saturating_add(SLACK)
    }

    /// Adds a segment of device memory to the stream's arena.
    fn add_segment(&mut self, driver: &dyn Driver, queue: &Queue, addr: u64, bytes: usize) -> Result<()> {
        // A graph's use of the memory is not ordered after any queued work: no position of a stream is right for a
        // state mark.
        if !queue.capture {
            driver.mark(addr, bytes, Mark::Freed, queue.handle)?;
        }
        self.total += bytes;
        self.arenas[queue.arena as usize].add_segment(addr, bytes);
        Ok(())
    }

    fn give_back(&mut self, driver: &dyn Driver) -> Result<()> {
        let mut segments = Vec::new();
        self.arenas.iter_mut().for_each(|arena| arena.remove_empty(&mut segments));
        if !segments.is_empty() {
            // Work that uses the memory may still be queued.
            driver.synchronize()?;
        }
        for (addr, bytes) in segments {
            self.total -= bytes;
            // SAFETY: the segment came from the driver and contains no array, and all work has completed.
            unsafe { driver.free(addr) }?;
        }
        Ok(())
    }
}

/// Allocates a segment of device memory; `None` if the device is full.
fn allocate(driver: &dyn Driver, bytes: usize) -> Result<Option<u64>> {
    match driver.alloc(bytes) {
        Ok(addr) => Ok(Some(addr)),
        Err(e) if e.kind() == ErrorKind::OutOfMemory => Ok(None),
        Err(e) => Err(e),
    }
}

pub(super) mod guard;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod trace_tests;
mod upper_bound;
