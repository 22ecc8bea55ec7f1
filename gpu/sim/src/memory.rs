//! Device memory: allocations of 32-bit words, and for every byte whether it may be used and whether it was written.

use std::sync::atomic::{AtomicU8, AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use crate::{Fault, FaultKind};

/// Every allocation starts at a multiple of this many bytes.
const ALIGN: u64 = 512;
/// Between allocations lies memory of nobody, so that a small overrun hits none.
const GAP: u64 = 4096;
const FIRST: u64 = 0x7_0000_0000;

/// The state that [`Machine::mark`](crate::Machine::mark) gives a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// In use, nothing written yet.
    Fresh,
    /// Freed: every access is a fault.
    Freed,
}

/// One allocation. A word's shadow has a bit for each byte written (low four) and each byte usable (high four).
#[derive(Debug)]
pub(crate) struct Allocation {
    pub(crate) base: u64,
    pub(crate) bytes: u64,
    words: Box<[AtomicU32]>,
    shadow: Box<[AtomicU8]>,
}

impl Allocation {
    fn new(base: u64, bytes: u64) -> Allocation {
        let words = bytes.div_ceil(4) as usize;
        Allocation {
            base,
            bytes,
            words: (0..words).map(|_| AtomicU32::new(0xcdcd_cdcd)).collect(),
            shadow: (0..words).map(|_| AtomicU8::new(0xf0)).collect(),
        }
    }

    /// The place of an access: its word, and the mask of its bytes within the word (8 bytes: both whole words).
    fn place(&self, addr: u64, size: u64) -> Result<(usize, u8), Fault> {
        let offset = addr.wrapping_sub(self.base);
        if offset >= self.bytes || size > self.bytes - offset {
            return Err(Fault::new(
                FaultKind::OutOfBounds,
                format!("{size} bytes at {addr:#x} are {}", self.beyond(addr)),
            ));
        }
        let mask = if size >= 4 { 0xf } else { (((1u32 << size) - 1) << (offset & 3)) as u8 };
        Ok(((offset / 4) as usize, mask))
    }

    fn beyond(&self, addr: u64) -> String {
        format!(
            "out of bounds: the nearest allocation is {:#x} of {} bytes, {} bytes away",
            self.base,
            self.bytes,
            if addr < self.base { self.base - addr } else { (addr - self.base).saturating_sub(self.bytes) }
        )
    }

    fn usable(&self, word: usize, mask: u8, addr: u64) -> Result<u8, Fault> {
        let shadow = self.shadow[word].load(Relaxed);
        if shadow >> 4 & mask != mask {
            return Err(Fault::new(
                FaultKind::UseAfterFree,
                format!("address {addr:#x} lies in memory that was freed"),
            ));
        }
        Ok(shadow)
    }

    /// A value of 1, 2, 4 or 8 bytes, naturally aligned.
    pub(crate) fn load(&self, addr: u64, size: u64) -> Result<u64, Fault> {
        let (word, mask) = self.place(addr, size)?;
        let mut value = 0;
        for i in 0..size.div_ceil(4) as usize {
            let shadow = self.usable(word + i, mask, addr)?;
            if shadow & mask != mask {
                return Err(unwritten(addr, size));
            }
            value |= u64::from(self.words[word + i].load(Relaxed)) << (32 * i);
        }
        Ok(if size >= 4 { value } else { value >> (8 * (addr & 3)) & ((1 << (8 * size)) - 1) })
    }

    /// Stores a value of 1, 2, 4 or 8 bytes, naturally aligned.
    pub(crate) fn store(&self, addr: u64, size: u64, value: u64) -> Result<(), Fault> {
        let (word, mask) = self.place(addr, size)?;
        for i in 0..size.div_ceil(4) as usize {
            let shadow = self.usable(word + i, mask, addr)?;
            let cell = &self.words[word + i];
            if mask == 0xf {
                cell.store((value >> (32 * i)) as u32, Relaxed);
            } else {
                let bits = byte_bits(mask);
                let shifted = (value as u32) << (8 * (addr & 3));
                let _ = cell.fetch_update(Relaxed, Relaxed, |old| Some(old & !bits | shifted & bits));
            }
            if shadow & mask != mask {
                self.shadow[word + i].fetch_or(mask, Relaxed);
            }
        }
        Ok(())
    }

    /// A byte and whether it was written; what a host or a copy reads.
    fn byte(&self, offset: u64) -> (u8, bool) {
        let (word, at) = ((offset / 4) as usize, offset % 4);
        let written = self.shadow[word].load(Relaxed) >> at & 1 == 1;
        ((self.words[word].load(Relaxed) >> (8 * at)) as u8, written)
    }

    fn set_byte(&self, offset: u64, value: u8, written: bool) {
        let (word, at) = ((offset / 4) as usize, offset % 4);
        let bits = 0xffu32 << (8 * at);
        let _ = self.words[word].fetch_update(Relaxed, Relaxed, |w| Some(w & !bits | u32::from(value) << (8 * at)));
        if written {
            self.shadow[word].fetch_or(1 << at, Relaxed);
        } else {
            self.shadow[word].fetch_and(!(1 << at), Relaxed);
        }
    }

    fn mark(&self, offset: u64, bytes: u64, mark: Mark) {
        let end = offset + bytes;
        let mut at = offset;
        while at < end {
            let word = (at / 4) as usize;
            if at.is_multiple_of(4) && at + 4 <= end {
                self.shadow[word].store(if mark == Mark::Fresh { 0xf0 } else { 0 }, Relaxed);
                at += 4;
            } else {
                let bit = 0x11 << (at % 4);
                let set = if mark == Mark::Fresh { bit & 0xf0 } else { 0 };
                let _ = self.shadow[word].fetch_update(Relaxed, Relaxed, |s| Some(s & !bit | set));
                at += 1;
            }
        }
    }
}

fn unwritten(addr: u64, size: u64) -> Fault {
    Fault::new(FaultKind::Unwritten, format!("{size} bytes at {addr:#x} are read but were never written"))
}

fn byte_bits(mask: u8) -> u32 {
    (0..4).filter(|i| mask >> i & 1 == 1).map(|i| 0xff << (8 * i)).sum()
}

/// All allocations, sorted by address. A launch works on a snapshot.
#[derive(Debug)]
pub(crate) struct Memory {
    state: Mutex<State>,
    limit: u64,
    /// Serialises atomic operations wider than a word, and read-modify-writes that the host has none for.
    pub(crate) atomics: Mutex<()>,
}

#[derive(Debug)]
struct State {
    live: Arc<Vec<Arc<Allocation>>>,
    next: u64,
    used: u64,
}

impl Memory {
    pub(crate) fn new(limit: u64) -> Memory {
        let state = State { live: Arc::default(), next: FIRST, used: 0 };
        Memory { state: Mutex::new(state), limit, atomics: Mutex::new(()) }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        // A panic while the lock is held leaves the state whole: every change is a single assignment.
        self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    pub(crate) fn snapshot(&self) -> Arc<Vec<Arc<Allocation>>> {
        self.lock().live.clone()
    }

    pub(crate) fn alloc(&self, bytes: u64) -> Result<u64, Fault> {
        let mut state = self.lock();
        if bytes > self.limit.saturating_sub(state.used) {
            return Err(Fault::new(
                FaultKind::OutOfMemory,
                format!("{bytes} bytes are asked for; {} of {} are in use", state.used, self.limit),
            ));
        }
        let base = state.next;
        state.next = (base + bytes + GAP).next_multiple_of(ALIGN);
        state.used += bytes;
        // Addresses only grow, so the list stays sorted.
        Arc::make_mut(&mut state.live).push(Arc::new(Allocation::new(base, bytes)));
        Ok(base)
    }

    pub(crate) fn free(&self, addr: u64) -> Result<(), Fault> {
        let mut state = self.lock();
        let Some(at) = state.live.iter().position(|a| a.base == addr) else {
            return Err(Fault::new(
                FaultKind::UseAfterFree,
                format!("{addr:#x} is no allocation, or was freed before"),
            ));
        };
        state.used -= state.live[at].bytes;
        Arc::make_mut(&mut state.live).remove(at);
        Ok(())
    }

    /// The allocation that holds a range.
    fn holding(&self, addr: u64, bytes: u64) -> Result<(Arc<Allocation>, u64), Fault> {
        let live = self.snapshot();
        let a = find(&live, addr)?;
        if bytes > a.bytes - (addr - a.base) {
            return Err(Fault::new(
                FaultKind::OutOfBounds,
                format!("{bytes} bytes at {addr:#x} are {}", a.beyond(addr)),
            ));
        }
        Ok((a.clone(), addr - a.base))
    }

    pub(crate) fn mark(&self, addr: u64, bytes: u64, mark: Mark) -> Result<(), Fault> {
        if bytes > 0 {
            let (a, offset) = self.holding(addr, bytes)?;
            a.mark(offset, bytes, mark);
        }
        Ok(())
    }

    pub(crate) fn write(&self, addr: u64, data: &[u8]) -> Result<(), Fault> {
        if data.is_empty() {
            return Ok(());
        }
        let (a, offset) = self.holding(addr, data.len() as u64)?;
        let mut at = 0;
        while at < data.len() {
            let here = offset + at as u64;
            if here % 4 == 0 && at + 4 <= data.len() {
                let word = (here / 4) as usize;
                a.usable(word, 0xf, addr + at as u64)?;
                a.words[word].store(u32::from_le_bytes([data[at], data[at + 1], data[at + 2], data[at + 3]]), Relaxed);
                a.shadow[word].fetch_or(0xf, Relaxed);
                at += 4;
            } else {
                a.usable((here / 4) as usize, 1 << (here % 4), addr + at as u64)?;
                a.set_byte(here, data[at], true);
                at += 1;
            }
        }
        Ok(())
    }

    pub(crate) fn read(&self, addr: u64, out: &mut [u8]) -> Result<(), Fault> {
        if out.is_empty() {
            return Ok(());
        }
        let (a, offset) = self.holding(addr, out.len() as u64)?;
        let mut i = 0;
        while i < out.len() {
            let at = offset + i as u64;
            let word = (at / 4) as usize;
            if at.is_multiple_of(4) && i + 4 <= out.len() && a.shadow[word].load(Relaxed) == 0xff {
                out[i..i + 4].copy_from_slice(&a.words[word].load(Relaxed).to_le_bytes());
                i += 4;
                continue;
            }
            a.usable((at / 4) as usize, 1 << (at % 4), addr + i as u64)?;
            let (byte, written) = a.byte(at);
            out[i] = if written { byte } else { 0xcd };
            i += 1;
        }
        Ok(())
    }

    pub(crate) fn copy(&self, dst: u64, src: u64, bytes: u64) -> Result<(), Fault> {
        if bytes == 0 {
            return Ok(());
        }
        let (from, from_offset) = self.holding(src, bytes)?;
        let (to, to_offset) = self.holding(dst, bytes)?;
        for (a, offset, addr) in [(&from, from_offset, src), (&to, to_offset, dst)] {
            for i in 0..bytes {
                a.usable(((offset + i) / 4) as usize, 1 << ((offset + i) % 4), addr + i)?;
            }
        }
        let taken: Vec<(u8, bool)> = (0..bytes).map(|i| from.byte(from_offset + i)).collect();
        for (i, (byte, written)) in taken.into_iter().enumerate() {
            to.set_byte(to_offset + i as u64, byte, written);
        }
        Ok(())
    }
}

/// The live allocation that an address lies in.
pub(crate) fn find(live: &[Arc<Allocation>], addr: u64) -> Result<&Arc<Allocation>, Fault> {
    let after = live.partition_point(|a| a.base <= addr);
    let before = after.checked_sub(1).map(|i| &live[i]);
    match before {
        Some(a) if addr - a.base < a.bytes => Ok(a),
        _ => {
            let near = match (before, live.get(after)) {
                (Some(a), Some(b)) if b.base - addr < addr - a.base => b.beyond(addr),
                (Some(a), _) => a.beyond(addr),
                (None, Some(b)) => b.beyond(addr),
                (None, None) => "out of bounds: nothing is allocated".into(),
            };
            Err(Fault::new(FaultKind::OutOfBounds, format!("address {addr:#x} is {near}")))
        }
    }
}
