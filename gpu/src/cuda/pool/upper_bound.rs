//! Memory for a result whose size the device computes: an upper bound first, of which the rest is returned in place.
//!
//! The kernel that writes the result is launched before the host knows the size. The bound is allocated only if it costs
//! little: from free blocks, or from a device most of whose memory the pool has not taken.

use super::{MemoryPool, SEGMENT, SMALL, State, allocate, rounded};
use crate::cuda::queue::Queue;
use crate::driver::{Driver, Mark};
use crate::error::Result;

/// Largest share of the device's memory, or of the pool's limit, that the pool holds after it has taken memory for a
/// bound, and the largest share of one bound.
const HELD_SHARE: usize = 4;
const BOUND_SHARE: usize = 32;

impl MemoryPool {
    /// Allocates memory for work on the stream as [`MemoryPool::alloc`] does, from free blocks, or from a device with much
    /// free memory; `None` otherwise. It frees no cached memory, and waits for no work.
    pub(in crate::cuda) fn alloc_upper_bound(&self, queue: &Queue, bytes: usize) -> Result<Option<u64>> {
        if self.guard.is_some() || queue.capture || bytes == 0 || bytes > self.memory as usize / BOUND_SHARE {
            return Ok(None);
        }
        let (driver, size) = (queue.device.driver()?, rounded(bytes));
        let mut state = self.lock();
        let state = &mut *state;
        if !state.pending.is_empty() {
            state.collect(driver)?;
        }
        let addr = match state.arenas[queue.arena as usize].take(size) {
            Some(addr) => addr,
            None => match self.grow_by(state, driver, queue, size)? {
                Some(addr) => addr,
                None => return Ok(None),
            },
        };
        state.used += size;
        state.peak = state.peak.max(state.used);
        state.allocations += 1;
        driver.mark(addr, bytes, Mark::Fresh, queue.handle)?;
        Ok(Some(addr))
    }

    /// Takes a segment for a block of this size from a device with much free memory.
    fn grow_by(&self, state: &mut State, driver: &dyn Driver, queue: &Queue, size: usize) -> Result<Option<u64>> {
        let segment = if size <= SMALL { SEGMENT } else { size.next_multiple_of(SEGMENT) };
        let total = state.total.saturating_add(segment);
        let most = state.limit.unwrap_or(usize::MAX).min(self.memory as usize) / HELD_SHARE;
        if total > most || total > state.usual_total(size) {
            return Ok(None);
        }
        let Some(addr) = allocate(driver, segment)? else { return Ok(None) };
        state.add_segment(driver, queue, addr, segment)?;
        Ok(state.arenas[queue.arena as usize].take(size))
    }

    /// Returns all bytes of an allocation after the first `kept` to the arena of the stream that it was allocated on;
    /// only that stream has used it. Returns false if the allocation must stay whole: smaller blocks have other segments,
    /// which a large one is not held for.
    pub(in crate::cuda) fn shrink(&self, home: &Queue, addr: u64, bytes: usize, kept: usize) -> Result<bool> {
        if self.guard.is_some() || home.capture || kept == 0 {
            return Ok(false);
        }
        let (driver, [size, less]) = (home.device.driver()?, [bytes, kept].map(rounded));
        let mut state = self.lock();
        if size > less && !state.arenas[home.arena as usize].shrink(addr, less) {
            return Ok(false);
        }
        state.used -= size - less;
        if bytes > kept {
            driver.mark(addr + kept as u64, bytes - kept, Mark::Freed, home.handle)?;
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use crate::cuda::Device;

    const MIB: usize = 1 << 20;

    /// Checks that the rest of a bound is a free block again, that statistics count it so, and that the whole segment is
    /// free once the kept part is.
    #[test]
    fn the_rest_of_a_bound_is_free_and_joins_again() {
        let device = Device::another_for_test();
        let pool = device.memory_pool();
        let mut buffer = device.alloc_upper_bound(8 * MIB).unwrap().expect("the pool is empty and the device is not");
        let (addr, total) = (buffer.addr(), pool.stats().total_bytes);
        assert_eq!((pool.stats().used_bytes, total), (8 * MIB, 8 * MIB));
        assert!(buffer.shrink(3 * MIB - 100).unwrap());
        assert_eq!((buffer.bytes(), pool.stats().used_bytes), (3 * MIB - 100, 3 * MIB));
        let rest = device.alloc(5 * MIB).unwrap();
        assert_eq!((rest.addr(), pool.stats().total_bytes), (addr + 3 * MIB as u64, total));
        drop((buffer, rest));
        assert_eq!(pool.stats().used_bytes, 0);
        let whole = device.alloc_upper_bound(8 * MIB).unwrap().expect("a free block fits");
        assert_eq!((whole.addr(), pool.stats().total_bytes), (addr, total));
        drop(whole);
        device.free_all_blocks().unwrap();
        assert_eq!(pool.stats().total_bytes, 0);
    }

    /// Checks that bytes after the kept ones are no memory of the array any more.
    #[test]
    fn the_rest_of_a_bound_is_guarded() {
        let device = Device::another_for_test();
        let mut buffer = device.alloc_upper_bound(4 * MIB).unwrap().unwrap();
        assert!(buffer.shrink(2 * MIB).unwrap());
        let (end, driver) = (buffer.addr() + 2 * MIB as u64, device.driver().unwrap());
        // SAFETY: on the simulator an access outside live memory is rejected.
        unsafe {
            driver.upload(end - 1, &[1], 0).unwrap();
            driver.upload(end, &[1], 0).unwrap_err();
        }
    }

    /// Checks that a large segment is not held by a small part of it, and that a bound takes no memory that the device or
    /// the limit may need.
    #[test]
    fn bounds_that_cost_much_are_rejected() {
        let device = Device::another_for_test();
        let mut buffer = device.alloc_upper_bound(8 * MIB).unwrap().unwrap();
        for kept in [0, 1, MIB / 2] {
            assert!(!buffer.shrink(kept).unwrap(), "{kept}");
        }
        assert_eq!((buffer.bytes(), device.memory_pool().stats().used_bytes), (8 * MIB, 8 * MIB));
        assert!(device.alloc_upper_bound(device.info().memory_bytes as usize / 16).unwrap().is_none());
        device.memory_pool().set_limit(Some(40 * MIB));
        assert!(device.alloc_upper_bound(4 * MIB).unwrap().is_none(), "12 of 40 MiB are more than a quarter");
        drop(buffer);
        assert!(device.alloc_upper_bound(4 * MIB).unwrap().is_some(), "a free block costs nothing");
    }
}
