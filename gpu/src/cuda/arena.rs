//! One stream's memory: segments that are carved into blocks.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

/// Sizes are multiples of this.
pub(super) const UNIT: usize = 512;
/// Requests up to this size are carved from shared segments; larger ones get a segment of their own.
pub(super) const SMALL: usize = 1 << 20;
/// Bytes of a shared segment; larger segments are multiples of it.
pub(super) const SEGMENT: usize = 2 << 20;
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
pub(super) struct Arena {
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

impl Arena {
    /// A free block of `size` bytes.
    pub(super) fn take(&mut self, size: usize) -> Option<u64> {
        self.bins.get_mut(size / UNIT).and_then(Vec::pop).or_else(|| self.best_fit(size))
    }

    /// How many blocks are free.
    pub(super) fn free_blocks(&self) -> usize {
        self.bins.iter().map(Vec::len).sum::<usize>() + self.free.len()
    }

    /// Takes a block back.
    pub(super) fn give(&mut self, addr: u64, size: usize) {
        match self.bins.get_mut(size / UNIT) {
            Some(bin) => bin.push(addr),
            None => self.release(addr),
        }
    }

    /// Adds a segment of the device's memory.
    pub(super) fn add_segment(&mut self, addr: u64, bytes: usize) {
        self.blocks.insert(addr, Block { bytes, before: None, after: None, free: true });
        self.free.insert((bytes, addr));
    }

    /// Takes out the segments that hold no array: their addresses and sizes.
    pub(super) fn remove_empty(&mut self, segments: &mut Vec<(u64, usize)>) {
        for addr in std::mem::take(&mut self.bins).into_iter().flatten() {
            self.release(addr);
        }
        self.bins = vec![Vec::new(); BINNED / UNIT + 1];
        let whole = |b: &Block| b.free && b.before.is_none() && b.after.is_none();
        let first = segments.len();
        segments.extend(self.blocks.iter().filter(|(_, b)| whole(b)).map(|(a, b)| (*a, b.bytes)));
        for (addr, bytes) in &segments[first..] {
            self.blocks.remove(addr);
            self.free.remove(&(*bytes, *addr));
        }
    }

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
