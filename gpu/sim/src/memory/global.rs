//! Global memory: allocations in the device address space, host access, and the view of kernels.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::heap::{HEAP, Heap};
use super::{Allocation, Denied};
use crate::texture::Images;
use crate::{Fault, FaultKind};

/// The state of a range after [`Machine::mark`](crate::Machine::mark).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Accessible and uninitialised.
    Fresh,
    /// Freed: any access is a use after free, or out of bounds where the range was never allocated or written.
    Freed,
}

/// Address of the first allocation.
const FIRST: u64 = 1 << 32;
const ALIGNMENT: u64 = 512;

#[derive(Debug)]
struct State {
    live: Snapshot,
    /// Ranges of freed allocations: start to end. Addresses are not reused.
    freed: BTreeMap<u64, u64>,
    next: u64,
    used: u64,
}

/// The live allocations at one moment, by address.
pub(crate) type Snapshot = Arc<Vec<Arc<Allocation>>>;

#[derive(Debug)]
pub(crate) struct Memory {
    state: Mutex<State>,
    /// Created by the first program that calls `malloc`.
    heap: Mutex<Option<Heap>>,
    pub(crate) images: Images,
    limit: u64,
}

fn fault((kind, message): Denied) -> Fault {
    Fault::new(kind, message)
}

impl Memory {
    pub(crate) fn new(limit: u64) -> Memory {
        let state = State { live: Arc::default(), freed: BTreeMap::new(), next: FIRST, used: 0 };
        Memory { state: Mutex::new(state), heap: Mutex::default(), images: Images::default(), limit }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn free_bytes(&self) -> u64 {
        self.limit - self.state().used
    }

    pub(crate) fn alloc(&self, bytes: u64, constant: bool) -> Result<u64, Fault> {
        let mut state = self.state();
        let left = self.limit - state.used;
        if bytes > left {
            return Err(Fault::new(
                FaultKind::OutOfMemory,
                format!("{bytes} bytes requested, {left} of {} are left", self.limit),
            ));
        }
        let base = state.next;
        // There is at least one unit between allocations, so that an access past an end is in no allocation.
        state.next += (bytes / ALIGNMENT + 2) * ALIGNMENT;
        state.used += bytes;
        Arc::make_mut(&mut state.live).push(Arc::new(Allocation::new(base, bytes, constant)));
        Ok(base)
    }

    pub(crate) fn free(&self, addr: u64) -> Result<(), Fault> {
        let mut state = self.state();
        let Ok(at) = state.live.binary_search_by_key(&addr, |a| a.base) else {
            let kind = if state.freed.contains_key(&addr) { FaultKind::UseAfterFree } else { FaultKind::OutOfBounds };
            return Err(Fault::new(kind, format!("no allocation to free starts at {addr:#x}")));
        };
        let gone = Arc::make_mut(&mut state.live).remove(at);
        state.used -= gone.bytes;
        state.freed.insert(gone.base, gone.base + gone.bytes.max(1));
        Ok(())
    }

    fn heap(&self) -> MutexGuard<'_, Option<Heap>> {
        self.heap.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Allocates the heap of kernels.
    pub(crate) fn open_heap(&self) -> Result<(), Fault> {
        let mut heap = self.heap();
        if heap.is_none() {
            let base = self.alloc(HEAP, false)?;
            self.mark(base, HEAP, Mark::Freed)?;
            *heap = Some(Heap::new(base));
        }
        Ok(())
    }

    /// Executes `malloc` of a kernel: returns an address, or 0 if the heap is full.
    pub(crate) fn heap_alloc(&self, bytes: u64) -> Result<u64, Denied> {
        let addr = self.heap().as_mut().and_then(|heap| heap.take(bytes)).unwrap_or(0);
        if addr != 0 {
            self.mark(addr, bytes, Mark::Fresh).map_err(|f| (f.kind, f.message))?;
        }
        Ok(addr)
    }

    /// Executes `free` of a kernel.
    pub(crate) fn heap_free(&self, addr: u64) -> Result<(), Denied> {
        if addr == 0 {
            return Ok(());
        }
        match self.heap().as_mut().and_then(|heap| heap.give_back(addr)) {
            Some(bytes) => self.mark(addr, bytes, Mark::Freed).map_err(|f| (f.kind, f.message)),
            None => {
                Err((FaultKind::UseAfterFree, format!("free of {addr:#x}, which malloc did not give or free took")))
            }
        }
    }

    pub(crate) fn snapshot(&self) -> Snapshot {
        self.state().live.clone()
    }

    /// Returns the reason why an address is in no live allocation.
    pub(crate) fn missing(&self, addr: u64, bytes: u64) -> Denied {
        let state = self.state();
        if let Some((base, end)) = state.freed.range(..=addr).next_back()
            && addr < *end
        {
            let message = format!("{bytes} bytes at {addr:#x} are in the allocation at {base:#x}, which was freed");
            return (FaultKind::UseAfterFree, message);
        }
        let near = state.live.iter().rev().find(|a| a.base <= addr);
        let message = match near {
            Some(a) => format!(
                "{bytes} bytes at {addr:#x} are in no allocation; the nearest below starts at {:#x} and has {} bytes",
                a.base, a.bytes
            ),
            None => format!("{bytes} bytes at {addr:#x} are in no allocation"),
        };
        (FaultKind::OutOfBounds, message)
    }

    /// Returns the allocation that contains a range accessed by the host, and the offset.
    fn range(&self, addr: u64, bytes: u64) -> Result<(Arc<Allocation>, u64), Fault> {
        let live = self.snapshot();
        match find(&live, addr, bytes) {
            Some(a) => Ok((a.clone(), addr - a.base)),
            None => Err(fault(self.missing(addr, bytes))),
        }
    }

    fn usable(&self, addr: u64, bytes: u64) -> Result<(Arc<Allocation>, u64), Fault> {
        let (a, offset) = self.range(addr, bytes)?;
        if a.any_freed(offset, bytes) {
            return Err(fault(View::freed(&a, offset, bytes)));
        }
        Ok((a, offset))
    }

    pub(crate) fn mark(&self, addr: u64, bytes: u64, mark: Mark) -> Result<(), Fault> {
        if bytes > 0 {
            let (a, offset) = self.range(addr, bytes)?;
            a.set_freed(offset, bytes, mark == Mark::Freed);
            a.set_written(offset, bytes, false);
        }
        Ok(())
    }

    pub(crate) fn write(&self, addr: u64, data: &[u8]) -> Result<(), Fault> {
        if !data.is_empty() {
            let (a, offset) = self.usable(addr, data.len() as u64)?;
            a.write(offset, data);
        }
        Ok(())
    }

    pub(crate) fn read(&self, addr: u64, out: &mut [u8]) -> Result<(), Fault> {
        if !out.is_empty() {
            let (a, offset) = self.usable(addr, out.len() as u64)?;
            a.read(offset, out);
        }
        Ok(())
    }

    pub(crate) fn check_defined(&self, addr: u64, bytes: u64) -> Result<(), Fault> {
        if bytes == 0 {
            return Ok(());
        }
        let (a, offset) = self.usable(addr, bytes)?;
        let Some(at) = a.first_undefined(offset, bytes) else { return Ok(()) };
        let at = a.base + at;
        let why = match a.stored_by(offset, bytes) {
            Some(site) => format!("undefined values were stored about there{}", site.text()),
            None => "it was never written".into(),
        };
        Err(Fault::new(
            FaultKind::Unwritten,
            format!("{bytes} bytes at {addr:#x} are copied to the host, and the one at {at:#x} is undefined: {why}"),
        ))
    }

    pub(crate) fn copy(&self, dst: u64, src: u64, bytes: u64) -> Result<(), Fault> {
        if bytes == 0 {
            return Ok(());
        }
        let (to, to_offset) = self.usable(dst, bytes)?;
        let (from, from_offset) = self.usable(src, bytes)?;
        let mut data = vec![0; bytes as usize];
        from.read(from_offset, &mut data);
        let undefined = from.first_undefined(from_offset, bytes);
        let partial = from.partial_in(from_offset, bytes);
        // The marks of written bytes are copied; runs of them are marked at once.
        let marks: Vec<bool> = match undefined {
            None => vec![true; bytes as usize],
            Some(_) => (0..bytes).map(|i| from.is_written(from_offset + i, 1)).collect(),
        };
        to.write(to_offset, &data);
        let mut at = 0;
        for run in marks.chunk_by(|a, b| a == b) {
            if !run[0] {
                to.set_written(to_offset + at, run.len() as u64, false);
            }
            at += run.len() as u64;
        }
        for (at, bits) in partial {
            to.set_undefined(at - from_offset + to_offset, 1, bits.into());
        }
        Ok(())
    }

    pub(crate) fn fill(&self, addr: u64, pattern: &[u8], bytes: u64) -> Result<(), Fault> {
        if bytes == 0 {
            return Ok(());
        }
        if !matches!(pattern.len(), 1 | 2 | 4 | 8 | 16) || !bytes.is_multiple_of(pattern.len() as u64) {
            return Err(Fault::new(
                FaultKind::BadLaunch,
                format!("a pattern of {} bytes cannot fill {bytes} bytes", pattern.len()),
            ));
        }
        let (a, offset) = self.usable(addr, bytes)?;
        let chunk: Vec<u8> = pattern.iter().copied().cycle().take(bytes.min(1 << 16) as usize).collect();
        let mut at = 0;
        while at < bytes {
            let n = (bytes - at).min(chunk.len() as u64);
            a.write(offset + at, &chunk[..n as usize]);
            at += n;
        }
        Ok(())
    }
}

fn find(live: &[Arc<Allocation>], addr: u64, bytes: u64) -> Option<&Arc<Allocation>> {
    let after = live.partition_point(|a| a.base <= addr);
    let a = live.get(after.checked_sub(1)?)?;
    let offset = addr - a.base;
    (offset <= a.bytes && bytes <= a.bytes - offset).then_some(a)
}

/// Global memory as one block sees it: the allocations that were live when the launch began.
#[derive(Debug)]
pub(crate) struct View<'a> {
    live: &'a [Arc<Allocation>],
    memory: &'a Memory,
    /// The allocation of the last access, which the next one is likely to hit again.
    last: usize,
}

impl<'a> View<'a> {
    pub(crate) fn new(live: &'a [Arc<Allocation>], memory: &'a Memory) -> View<'a> {
        View { live, memory, last: 0 }
    }

    /// Returns the allocation that contains a whole range, and the offset of its start.
    #[inline]
    pub(crate) fn find(&mut self, addr: u64, bytes: u64) -> Result<(&'a Allocation, u64), Denied> {
        if let Some(a) = self.live.get(self.last) {
            let offset = addr.wrapping_sub(a.base);
            if offset < a.bytes && bytes <= a.bytes - offset {
                return Ok((a, offset));
            }
        }
        self.search(addr, bytes)
    }

    #[cold]
    fn search(&mut self, addr: u64, bytes: u64) -> Result<(&'a Allocation, u64), Denied> {
        match find(self.live, addr, bytes) {
            Some(a) if addr - a.base < a.bytes => {
                self.last = self.live.partition_point(|a| a.base <= addr) - 1;
                Ok((a, addr - a.base))
            }
            _ => Err(self.memory.missing(addr, bytes)),
        }
    }

    /// Returns the reason why an access to guarded bytes fails.
    #[cold]
    pub(crate) fn freed(a: &Allocation, offset: u64, bytes: u64) -> Denied {
        let addr = a.base + offset;
        if a.was_used(offset, bytes) {
            return (FaultKind::UseAfterFree, format!("{bytes} bytes at {addr:#x} were freed"));
        }
        (
            FaultKind::OutOfBounds,
            format!("{bytes} bytes at {addr:#x} reach into a pool's reserve, which was never allocated"),
        )
    }
}
