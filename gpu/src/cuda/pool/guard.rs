//! Guard mode: each array has an allocation of its own, with guard zones around it that must not be written.
//!
//! It finds writes out of bounds of user kernels, at the cost of an allocation, two fills and a check for each array;
//! `CUPRUM_MEMORY_GUARD=1` switches it on.

use super::{AllocationResult, MemoryPool, Signals, allocate};
use crate::cuda::queue::Queue;
use crate::driver::Driver;
use crate::error::{Error, ErrorKind, Result};

/// Maximum bytes of a zone, and the value of each byte.
pub(in crate::cuda) const ZONE: usize = 512;
const PATTERN: u8 = 0xcb;

impl MemoryPool {
    /// Allocates memory with a zone before and after it; with zones of no bytes, only the requested bytes.
    #[cold]
    pub(super) fn alloc_guarded(
        &self,
        driver: &dyn Driver,
        queue: &Queue,
        bytes: usize,
        zone: usize,
    ) -> Result<AllocationResult> {
        let whole = bytes.saturating_add(2 * zone);
        let start = {
            let mut state = self.lock();
            let fits = state.limit.is_none_or(|limit| state.total.saturating_add(whole) <= limit);
            let taken = if fits { allocate(driver, whole)? } else { None };
            let Some(start) = taken else { return Err(state.too_much(driver, bytes)) };
            state.total += whole;
            state.used += bytes;
            state.peak = state.peak.max(state.used);
            state.allocations += 1;
            start
        };
        for at in zones(start, bytes, zone) {
            // SAFETY: the zone is within the allocation.
            unsafe { driver.upload(at, &[PATTERN; ZONE][..zone], queue.handle) }?;
        }
        Ok(AllocationResult { addr: start + zone as u64, taken: whole })
    }

    /// Waits for all uses of the memory, checks the zones, and returns it to the device.
    #[cold]
    pub(super) fn free_guarded(
        &self,
        driver: &dyn Driver,
        home: &Queue,
        addr: u64,
        bytes: usize,
        zone: usize,
        signals: Signals,
    ) -> Result<()> {
        signals.iter().try_for_each(|signal| signal.wait())?;
        if home.device.order().is_live(home.id) {
            // SAFETY: the stream is live.
            unsafe { driver.stream_synchronize(home.handle) }?;
        }
        let start = addr - zone as u64;
        let mut wrong = None;
        for (at, side) in zones(start, bytes, zone).into_iter().zip(["before", "after"]) {
            let mut found = [0; ZONE];
            // SAFETY: the zone is within the allocation.
            unsafe { driver.download(&mut found[..zone], at, 0) }?;
            let first = found[..zone].iter().position(|&byte| byte != PATTERN);
            wrong = wrong.or(first.map(|byte| (side, at + byte as u64)));
        }
        let mut state = self.lock();
        state.used -= bytes;
        state.total -= bytes + 2 * zone;
        drop(state);
        // SAFETY: the allocation came from the driver, and all work on it has completed.
        unsafe { driver.free(start) }?;
        let Some((side, at)) = wrong else { return Ok(()) };
        let what =
            format!("the byte at {at:#x} {side} {bytes} bytes at {addr:#x} was written: a kernel left its array");
        Err(Error::new(ErrorKind::Fault, what))
    }
}

/// Returns the addresses of the zones.
fn zones(start: u64, bytes: usize, zone: usize) -> Vec<u64> {
    if zone == 0 { Vec::new() } else { vec![start, start + (zone + bytes) as u64] }
}

/// Returns the bytes of a zone that `CUPRUM_MEMORY_GUARD` requests.
pub(in crate::cuda) fn from_environment() -> Result<Option<usize>> {
    match std::env::var("CUPRUM_MEMORY_GUARD").unwrap_or_default().as_str() {
        "" | "0" => Ok(None),
        "1" => Ok(Some(ZONE)),
        "exact" => Ok(Some(0)),
        other => {
            let what = format!("CUPRUM_MEMORY_GUARD is `{other}`: it is `1`, `exact`, or not set");
            Err(Error::new(ErrorKind::Value, what))
        }
    }
}
