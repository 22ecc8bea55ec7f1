//! An allocation: its bytes as atomic words, with marks of written and freed bytes.

use crate::fault::Site;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Words that several threads read and write. Plain accesses are relaxed atomics, which compile to plain moves.
#[derive(Debug)]
pub(crate) struct Allocation {
    pub(crate) base: u64,
    pub(crate) bytes: u64,
    pub(crate) constant: bool,
    data: Vec<AtomicU64>,
    /// A bit for each byte: it was written, and all its bits are defined.
    written: Vec<AtomicU64>,
    /// The undefined bits of partly defined bytes, as of bit-fields; by offset. A byte that is marked as written may
    /// still have an entry, which is meaningless then.
    partial: Mutex<HashMap<u64, u8>>,
    any_partial: AtomicBool,
    /// A bit for each byte: the pool above freed it.
    freed: Vec<AtomicU64>,
    /// Instructions that stored undefined values, up to [`STORES`]: the range of offsets, and the latest location.
    stores: Mutex<Vec<(u64, u64, Site)>>,
    any_freed: AtomicBool,
    /// A bit for each freed byte: it had been allocated before. Others are a pool's reserve.
    used: Vec<AtomicU64>,
}

/// Number of remembered instructions that stored undefined values.
const STORES: usize = 64;

fn words(count: u64) -> Vec<AtomicU64> {
    (0..count).map(|_| AtomicU64::new(0)).collect()
}

/// Returns the bits of `bytes` bytes from `offset` on, which are in one word of marks.
fn bits(offset: u64, bytes: u32) -> u64 {
    (u64::MAX >> (64 - bytes)) << (offset % 64)
}

/// Returns the bits of a data word that `bytes` bytes from `offset` on occupy.
fn lanes_of(offset: u64, bytes: u32) -> (u32, u64) {
    (8 * (offset % 8) as u32, u64::MAX >> (64 - 8 * bytes))
}

impl Allocation {
    pub(crate) fn new(base: u64, bytes: u64, constant: bool) -> Allocation {
        let marks = bytes.div_ceil(64);
        Allocation {
            base,
            bytes,
            constant,
            data: words(bytes.div_ceil(8)),
            written: words(marks),
            freed: words(marks),
            used: words(marks),
            any_freed: AtomicBool::new(false),
            partial: Mutex::default(),
            any_partial: AtomicBool::new(false),
            stores: Mutex::default(),
        }
    }

    fn partial(&self) -> MutexGuard<'_, HashMap<u64, u8>> {
        self.partial.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the undefined bits of `bytes` (1 to 8, aligned) bytes.
    #[cold]
    pub(crate) fn undefined(&self, offset: u64, bytes: u32) -> u64 {
        let partial = self.any_partial.load(Relaxed).then(|| self.partial());
        let byte = |i: u64| match &partial {
            _ if self.is_written(offset + i, 1) => 0,
            Some(partial) => partial.get(&(offset + i)).copied().unwrap_or(0xff),
            None => 0xff,
        };
        (0..u64::from(bytes)).map(|i| u64::from(byte(i)) << (8 * i)).sum()
    }

    fn stores(&self) -> MutexGuard<'_, Vec<(u64, u64, Site)>> {
        self.stores.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records the location that stored an undefined value.
    pub(crate) fn note_store(&self, offset: u64, site: Site) {
        let mut stores = self.stores();
        let known = stores.iter().position(|(_, _, s)| s.line == site.line && s.kernel == site.kernel);
        match known {
            Some(i) => stores[i] = (stores[i].0.min(offset), stores[i].1.max(offset), site),
            None if stores.len() < STORES => stores.push((offset, offset, site)),
            None => {}
        }
    }

    /// Returns the location that stored undefined values in a range, if it is recorded.
    pub(crate) fn stored_by(&self, offset: u64, bytes: u64) -> Option<Site> {
        let about = |from: u64, to: u64| from < offset + bytes && to >= offset;
        self.stores().iter().find(|(from, to, _)| about(*from, *to)).map(|(_, _, site)| site.clone())
    }

    /// Marks which bits of `bytes` (1 to 8, aligned) bytes are undefined.
    #[cold]
    pub(crate) fn set_undefined(&self, offset: u64, bytes: u32, undefined: u64) {
        let mut partial = None;
        for i in 0..u64::from(bytes) {
            let (at, byte) = (offset + i, (undefined >> (8 * i)) as u8);
            if byte == 0 {
                self.mark_written(at / 64, bits(at, 1));
                continue;
            }
            self.written[(at / 64) as usize].fetch_and(!bits(at, 1), Relaxed);
            if byte != 0xff {
                partial.get_or_insert_with(|| self.partial()).insert(at, byte);
                self.any_partial.store(true, Relaxed);
            } else if self.any_partial.load(Relaxed) {
                partial.get_or_insert_with(|| self.partial()).remove(&at);
            }
        }
    }

    /// Returns true if `bytes` (1 to 8, aligned) bytes were all written.
    #[inline]
    pub(crate) fn is_written(&self, offset: u64, bytes: u32) -> bool {
        let wanted = bits(offset, bytes);
        self.written[(offset / 64) as usize].load(Relaxed) & wanted == wanted
    }

    #[inline]
    pub(crate) fn is_freed(&self, offset: u64, bytes: u32) -> bool {
        self.any_freed.load(Relaxed) && self.freed[(offset / 64) as usize].load(Relaxed) & bits(offset, bytes) != 0
    }

    #[inline]
    pub(crate) fn load(&self, offset: u64, bytes: u32) -> u64 {
        let (shift, mask) = lanes_of(offset, bytes);
        self.data[(offset / 8) as usize].load(Relaxed) >> shift & mask
    }

    /// Returns true if a whole range was written.
    #[inline]
    pub(crate) fn run_written(&self, offset: u64, bytes: u64) -> bool {
        let mut all = true;
        Self::pieces(offset, bytes, |word, bits| all &= self.written[word].load(Relaxed) & bits == bits);
        all
    }

    /// Returns the 32 values of `bytes` bytes each from `offset` on.
    #[inline]
    pub(crate) fn load_run(&self, offset: u64, bytes: u32, out: &mut [u64; 32]) {
        let start = (offset / 8) as usize;
        if bytes == 8 {
            for (value, word) in out.iter_mut().zip(&self.data[start..start + 32]) {
                *value = word.load(Relaxed);
            }
        } else if bytes == 4 && offset.is_multiple_of(8) {
            for (pair, word) in out.chunks_exact_mut(2).zip(&self.data[start..start + 16]) {
                let word = word.load(Relaxed);
                (pair[0], pair[1]) = (word & 0xffff_ffff, word >> 32);
            }
        } else {
            for (l, value) in out.iter_mut().enumerate() {
                *value = self.load(offset + l as u64 * u64::from(bytes), bytes);
            }
        }
    }

    /// Stores 32 values of 4 or 8 bytes each from `offset`, a multiple of 8, on.
    #[inline]
    pub(crate) fn store_run(&self, offset: u64, bytes: u32, values: &[u64; 32]) {
        let start = (offset / 8) as usize;
        if bytes == 8 {
            for (word, value) in self.data[start..start + 32].iter().zip(values) {
                word.store(*value, Relaxed);
            }
        } else {
            for (word, pair) in self.data[start..start + 16].iter().zip(values.chunks_exact(2)) {
                word.store(pair[0] & 0xffff_ffff | pair[1] << 32, Relaxed);
            }
        }
        Self::pieces(offset, 32 * u64::from(bytes), |word, bits| self.mark_written(word as u64, bits));
    }

    /// Stores the bits of `mask` in a word; a part of a word needs an atomic update, as neighbours may be written
    /// concurrently.
    #[inline]
    pub(crate) fn merge(&self, word: u64, mask: u64, value: u64) {
        let cell = &self.data[word as usize];
        if mask == u64::MAX {
            cell.store(value, Relaxed);
            return;
        }
        let mut old = cell.load(Relaxed);
        while let Err(now) = cell.compare_exchange_weak(old, old & !mask | value, Relaxed, Relaxed) {
            old = now;
        }
    }

    /// Marks bytes of one word of marks as written.
    #[inline]
    pub(crate) fn mark_written(&self, word: u64, bits: u64) {
        let cell = &self.written[word as usize];
        if cell.load(Relaxed) & bits != bits {
            cell.fetch_or(bits, Relaxed);
        }
    }

    /// Replaces a value by a function of it, atomically; returns the old one.
    pub(crate) fn update(&self, offset: u64, bytes: u32, f: impl Fn(u64) -> u64) -> u64 {
        let (shift, mask) = lanes_of(offset, bytes);
        let cell = &self.data[(offset / 8) as usize];
        let mut old = cell.load(Relaxed);
        loop {
            let value = old >> shift & mask;
            let new = old & !(mask << shift) | (f(value) & mask) << shift;
            match cell.compare_exchange(old, new, std::sync::atomic::Ordering::SeqCst, Relaxed) {
                Ok(_) => return value,
                Err(now) => old = now,
            }
        }
    }

    /// Iterates over `bytes` bytes from `offset` on in pieces that are in one word of marks.
    fn pieces(offset: u64, bytes: u64, mut f: impl FnMut(usize, u64)) {
        let mut at = offset;
        while at < offset + bytes {
            let n = (64 - at % 64).min(offset + bytes - at);
            f((at / 64) as usize, bits(at, n as u32));
            at += n;
        }
    }

    pub(crate) fn set_written(&self, offset: u64, bytes: u64, written: bool) {
        Self::pieces(offset, bytes, |word, bits| {
            if written {
                self.written[word].fetch_or(bits, Relaxed);
            } else {
                self.written[word].fetch_and(!bits, Relaxed);
            }
        });
        if !written {
            self.stores().retain(|(from, to, _)| *from < offset || *to >= offset + bytes);
        }
        if !written && self.any_partial.load(Relaxed) {
            self.partial().retain(|at, _| !(offset..offset + bytes).contains(at));
        }
    }

    pub(crate) fn set_freed(&self, offset: u64, bytes: u64, freed: bool) {
        if freed {
            self.any_freed.store(true, Relaxed);
        }
        Self::pieces(offset, bytes, |word, bits| {
            if freed {
                // Written bytes were in use, regardless of how they were allocated.
                self.used[word].fetch_or(self.written[word].load(Relaxed) & bits, Relaxed);
                self.freed[word].fetch_or(bits, Relaxed);
            } else {
                self.freed[word].fetch_and(!bits, Relaxed);
                self.used[word].fetch_or(bits, Relaxed);
            }
        });
    }

    /// Returns the end of the memory that begins at an offset: the first guarded byte, or the allocation's end.
    pub(crate) fn end_of(&self, offset: u64) -> u64 {
        if !self.any_freed.load(Relaxed) {
            return self.bytes;
        }
        (offset..self.bytes).find(|&at| self.is_freed(at, 1)).unwrap_or(self.bytes)
    }

    /// Returns true if all guarded bytes of a range were allocated before.
    pub(crate) fn was_used(&self, offset: u64, bytes: u64) -> bool {
        let mut all = true;
        Self::pieces(offset, bytes, |word, bits| {
            let guarded = self.freed[word].load(Relaxed) & bits;
            all &= guarded & !self.used[word].load(Relaxed) == 0;
        });
        all
    }

    /// Returns true if any byte of a range was freed.
    pub(crate) fn any_freed(&self, offset: u64, bytes: u64) -> bool {
        let mut any = false;
        if self.any_freed.load(Relaxed) {
            Self::pieces(offset, bytes, |word, bits| any |= self.freed[word].load(Relaxed) & bits != 0);
        }
        any
    }

    /// Copies from the host to the device.
    pub(crate) fn write(&self, offset: u64, data: &[u8]) {
        let mut at = offset;
        let mut rest = data;
        while !rest.is_empty() {
            let n = (8 - at % 8).min(rest.len() as u64) as usize;
            let mut word = [0; 8];
            word[..n].copy_from_slice(&rest[..n]);
            let (shift, mask) = lanes_of(at, n as u32);
            self.merge(at / 8, mask << shift, u64::from_le_bytes(word) << shift);
            at += n as u64;
            rest = &rest[n..];
        }
        self.set_written(offset, data.len() as u64, true);
    }

    /// Copies from the device to the host, including undefined bytes.
    pub(crate) fn read(&self, offset: u64, out: &mut [u8]) {
        let mut at = offset;
        let end = offset + out.len() as u64;
        while at < end {
            let n = (8 - at % 8).min(end - at);
            let word = self.load(at, n as u32).to_le_bytes();
            let start = (at - offset) as usize;
            out[start..start + n as usize].copy_from_slice(&word[..n as usize]);
            at += n;
        }
    }

    /// Returns the offset of the first byte of a range that is not entirely defined, if there is one.
    pub(crate) fn first_undefined(&self, offset: u64, bytes: u64) -> Option<u64> {
        if self.run_written(offset, bytes) {
            return None;
        }
        (offset..offset + bytes).find(|&at| !self.is_written(at, 1))
    }

    /// Returns the undefined bits of the partly defined bytes in a range.
    pub(crate) fn partial_in(&self, offset: u64, bytes: u64) -> Vec<(u64, u8)> {
        if !self.any_partial.load(Relaxed) {
            return Vec::new();
        }
        let partial = self.partial();
        let here = |at: &u64| (offset..offset + bytes).contains(at) && !self.is_written(*at, 1);
        partial.iter().filter(|(at, _)| here(at)).map(|(at, bits)| (*at, *bits)).collect()
    }
}
