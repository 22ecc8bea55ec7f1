//! The memory pool: memory that was freed is kept and handed out again, in the order of the stream that used it.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

use crate::driver::{Driver, Mark, StreamHandle};
use crate::error::{Error, ErrorKind, Result};

/// Sizes are multiples of this.
const UNIT: usize = 512;
/// Requests up to this size are carved from shared segments; larger ones get a segment of their own.
const SMALL: usize = 1 << 20;
/// Bytes of a shared segment; larger segments are multiples of it.
const SEGMENT: usize = 2 << 20;
/// Sizes up to this are kept ready by exact size.
const BINNED: usize = 64 << 10;

/// A block of a segment: in use, or free.
#[derive(Clone, Copy, Debug)]
struct Block {
    bytes: usize,
    /// The neighbours in the same segment.
    before: Option<u64>,
    after: Option<u64>,
    free: bool,
}

/// One stream's memory.
#[derive(Debug)]
struct Arena {
    /// Free blocks of small sizes, ready as they are; their blocks count as used.
    bins: Vec<Vec<u64>>,
    /// Free blocks by size and address.
    free: BTreeSet<(usize, u64)>,
    blocks: FxHashMap<u64, Block>,
}

impl Default for Arena {
    fn default() -> Arena {
        Arena { bins: vec![Vec::new(); BINNED / UNIT + 1], free: BTreeSet::new(), blocks: FxHashMap::default() }
    }
}

#[derive(Debug, Default)]
struct State {
    arenas: FxHashMap<StreamHandle, Arena>,
    used: usize,
    total: usize,
    peak: usize,
    limit: Option<usize>,
    allocations: u64,
}

/// What the pool holds, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PoolStats {
    /// In arrays, rounded up to the pool's unit.
    pub used_bytes: usize,
    /// Taken from the device.
    pub total_bytes: usize,
    /// The most that was in arrays at one time.
    pub peak_bytes: usize,
    /// The limit on `total_bytes`.
    pub limit_bytes: Option<usize>,
    /// Requests served so far.
    pub allocations: u64,
}

/// A device's memory pool; CuPy's `MemoryPool`.
///
/// Memory freed on a stream is used again on the same stream only, so that no synchronisation is needed.
///
/// ```
/// let device = cuprum::cuda::Device::open("sim")?;
/// let pool = device.memory_pool();
/// assert!(pool.stats().used_bytes <= pool.stats().total_bytes);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct MemoryPool {
    state: Mutex<State>,
}

impl MemoryPool {
    pub(super) fn with_limit(limit: Option<usize>) -> MemoryPool {
        MemoryPool { state: Mutex::new(State { limit, ..State::default() }) }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the pool holds.
    pub fn stats(&self) -> PoolStats {
        let s = self.lock();
        PoolStats {
            used_bytes: s.used,
            total_bytes: s.total,
            peak_bytes: s.peak,
            limit_bytes: s.limit,
            allocations: s.allocations,
        }
    }

    /// Bounds the bytes that the pool takes from the device; `None` lifts the bound. What it holds already it keeps.
    pub fn set_limit(&self, bytes: Option<usize>) {
        self.lock().limit = bytes;
    }

    pub(super) fn alloc(&self, driver: &dyn Driver, bytes: usize, stream: StreamHandle) -> Result<u64> {
        let size = bytes.max(1).checked_next_multiple_of(UNIT).ok_or_else(|| too_much(bytes, &PoolStats::default()))?;
        let mut state = self.lock();
        let state = &mut *state;
        let arena = state.arenas.entry(stream).or_default();
        let ready = arena.bins.get_mut(size / UNIT).and_then(Vec::pop);
        let addr = match ready.or_else(|| arena.best_fit(size)) {
            Some(addr) => addr,
            None => state.grow(driver, bytes, size, stream)?,
        };
        state.used += size;
        state.peak = state.peak.max(state.used);
        state.allocations += 1;
        driver.mark(addr, bytes, Mark::Fresh, stream)?;
        Ok(addr)
    }

    pub(super) fn free(&self, driver: &dyn Driver, addr: u64, bytes: usize, stream: StreamHandle) -> Result<()> {
        let size = bytes.max(1).next_multiple_of(UNIT);
        driver.mark(addr, bytes, Mark::Freed, stream)?;
        let mut state = self.lock();
        state.used -= size;
        let arena = state.arenas.entry(stream).or_default();
        match arena.bins.get_mut(size / UNIT) {
            Some(bin) => bin.push(addr),
            None => arena.release(addr),
        }
        Ok(())
    }

    /// Gives all segments that hold no array back to the device.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Driver`] when the device refuses.
    pub(super) fn free_all_blocks(&self, driver: &dyn Driver) -> Result<()> {
        self.lock().give_back(driver)
    }
}

fn too_much(bytes: usize, s: &PoolStats) -> Error {
    let limit = s.limit_bytes.map_or(String::new(), |l| format!(", the limit is {l}"));
    Error::new(
        ErrorKind::OutOfMemory,
        format!(
            "out of memory: {bytes} bytes are asked for; the pool holds {}, of which {} are in arrays{limit}",
            s.total_bytes, s.used_bytes
        ),
    )
}

impl State {
    /// Takes a segment from the device and carves the request from it.
    fn grow(&mut self, driver: &dyn Driver, bytes: usize, size: usize, stream: StreamHandle) -> Result<u64> {
        let segment = if size <= SMALL { SEGMENT } else { size.next_multiple_of(SEGMENT) };
        let fits = |s: &State, more: usize| s.limit.is_none_or(|l| s.total + more <= l);
        let full = |s: &State| {
            too_much(
                bytes,
                &PoolStats { used_bytes: s.used, total_bytes: s.total, limit_bytes: s.limit, ..PoolStats::default() },
            )
        };
        // Near the limit a segment is only as large as it must be.
        let mut segment = if fits(self, segment) { segment } else { size };
        if !fits(self, segment) {
            self.give_back(driver)?;
            if !fits(self, segment) {
                return Err(full(self));
            }
        }
        let addr = match driver.alloc(segment) {
            Ok(addr) => addr,
            Err(e) if e.kind() == ErrorKind::OutOfMemory => {
                self.give_back(driver)?;
                segment = size;
                driver.alloc(segment).map_err(|_| full(self))?
            }
            Err(e) => return Err(e),
        };
        driver.mark(addr, segment, Mark::Freed, stream)?;
        self.total += segment;
        let arena = self.arenas.entry(stream).or_default();
        arena.blocks.insert(addr, Block { bytes: segment, before: None, after: None, free: true });
        arena.free.insert((segment, addr));
        arena.best_fit(size).ok_or_else(|| full(self))
    }

    fn give_back(&mut self, driver: &dyn Driver) -> Result<()> {
        let mut segments = Vec::new();
        for arena in self.arenas.values_mut() {
            for addr in std::mem::take(&mut arena.bins).into_iter().flatten() {
                arena.release(addr);
            }
            arena.bins = vec![Vec::new(); BINNED / UNIT + 1];
            let whole = |b: &Block| b.free && b.before.is_none() && b.after.is_none();
            let found: Vec<(u64, usize)> =
                arena.blocks.iter().filter(|(_, b)| whole(b)).map(|(a, b)| (*a, b.bytes)).collect();
            for (addr, bytes) in found {
                arena.blocks.remove(&addr);
                arena.free.remove(&(bytes, addr));
                segments.push((addr, bytes));
            }
        }
        if !segments.is_empty() {
            // Work that uses the memory may still be queued.
            driver.synchronize()?;
        }
        for (addr, bytes) in segments {
            self.total -= bytes;
            // SAFETY: the segment came from the driver and holds no array, and all work is done.
            unsafe { driver.free(addr) }?;
        }
        Ok(())
    }
}

impl Arena {
    /// The smallest free block that holds `size` bytes; what is left of it stays free.
    fn best_fit(&mut self, size: usize) -> Option<u64> {
        let &(bytes, addr) = self.free.range((size, 0)..).next()?;
        // A small request does not break up a large segment: it would keep all of it from the device.
        if size <= SMALL && bytes > SEGMENT {
            return None;
        }
        self.free.remove(&(bytes, addr));
        let block = self.blocks.get_mut(&addr)?;
        block.free = false;
        if bytes > size {
            let rest = addr + size as u64;
            let after = block.after.replace(rest);
            block.bytes = size;
            self.blocks.insert(rest, Block { bytes: bytes - size, before: Some(addr), after, free: true });
            self.free.insert((bytes - size, rest));
            if let Some(next) = after.and_then(|a| self.blocks.get_mut(&a)) {
                next.before = Some(rest);
            }
        }
        Some(addr)
    }

    /// Frees a block and joins it with its free neighbours.
    fn release(&mut self, mut addr: u64) {
        let Some(mut block) = self.blocks.remove(&addr) else { return };
        if let Some(after) = block.after.filter(|a| self.blocks.get(a).is_some_and(|b| b.free))
            && let Some(next) = self.blocks.remove(&after)
        {
            self.free.remove(&(next.bytes, after));
            block.bytes += next.bytes;
            block.after = next.after;
        }
        if let Some(before) = block.before.filter(|a| self.blocks.get(a).is_some_and(|b| b.free))
            && let Some(previous) = self.blocks.remove(&before)
        {
            self.free.remove(&(previous.bytes, before));
            addr = before;
            block.bytes += previous.bytes;
            block.before = previous.before;
        }
        if let Some(next) = block.after.and_then(|a| self.blocks.get_mut(&a)) {
            next.before = Some(addr);
        }
        if let Some(previous) = block.before.and_then(|a| self.blocks.get_mut(&a)) {
            previous.after = Some(addr);
        }
        block.free = true;
        self.free.insert((block.bytes, addr));
        self.blocks.insert(addr, block);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::sim::Sim;

    #[test]
    fn small_blocks_come_back_and_segments_are_shared() {
        let (driver, pool) = (Sim::open().unwrap(), MemoryPool::default());
        let a = pool.alloc(&driver, 100, 0).unwrap();
        let b = pool.alloc(&driver, 100, 0).unwrap();
        assert_eq!(b - a, UNIT as u64);
        assert_eq!(pool.stats().total_bytes, SEGMENT);
        pool.free(&driver, a, 100, 0).unwrap();
        assert_eq!(pool.alloc(&driver, 300, 0).unwrap(), a, "the block of the same class is not used again");
        assert_ne!(pool.alloc(&driver, 100, 7).unwrap(), a, "another stream took memory of this one");
    }

    #[test]
    fn neighbours_join_and_whole_segments_go_back() {
        let (driver, pool) = (Sim::open().unwrap(), MemoryPool::default());
        let sizes = [200 << 10, 300 << 10, 400 << 10];
        let addrs = sizes.map(|s| pool.alloc(&driver, s, 0).unwrap());
        for i in [0, 2, 1] {
            pool.free(&driver, addrs[i], sizes[i], 0).unwrap();
        }
        assert_eq!(pool.stats().used_bytes, 0);
        assert_eq!(pool.alloc(&driver, 900 << 10, 0).unwrap(), addrs[0], "the neighbours have not joined");
        pool.free(&driver, addrs[0], 900 << 10, 0).unwrap();
        pool.free_all_blocks(&driver).unwrap();
        assert_eq!(pool.stats().total_bytes, 0);
    }

    #[test]
    fn a_full_pool_says_what_it_holds() {
        let (driver, pool) = (Sim::open().unwrap(), MemoryPool::with_limit(Some(3 << 20)));
        let a = pool.alloc(&driver, 2 << 20, 0).unwrap();
        let e = pool.alloc(&driver, 2 << 20, 0).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::OutOfMemory);
        assert!(e.message().contains("2097152 bytes are asked for") && e.message().contains("limit is 3145728"), "{e}");
        pool.free(&driver, a, 2 << 20, 0).unwrap();
        pool.alloc(&driver, 3 << 20, 0).expect("free blocks were not given back for a larger one");
    }

    #[test]
    fn a_freed_part_of_a_segment_is_guarded() {
        let (driver, pool) = (Sim::open().unwrap(), MemoryPool::default());
        let a = pool.alloc(&driver, 100, 0).unwrap();
        // SAFETY: on the simulator an access outside live memory is refused.
        let upload = |bytes: &[u8]| unsafe { driver.upload(a, bytes, 0) };
        upload(&[1; 100]).unwrap();
        assert_eq!(upload(&[1; 101]).unwrap_err().kind(), ErrorKind::Fault);
        pool.free(&driver, a, 100, 0).unwrap();
        // SAFETY: as above.
        let read = unsafe { driver.download(&mut [0; 4], a, 0) };
        assert_eq!(read.unwrap_err().kind(), ErrorKind::Fault);
    }
}
