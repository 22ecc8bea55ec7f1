//! Memory arena of a stream: segments that are split into blocks.
//!
//! A segment is memory of one request to the device; a block is a part of it, in units of 512 bytes. Requests of up to
//! 1 MiB share segments of 2 MiB, larger ones have segments that are multiples of it. Free blocks are found by size in
//! an ordered set, split where they are larger, and merged with free neighbours: a request costs O(log n) for n free
//! blocks.

use std::collections::BTreeSet;
use std::ops::Range;

use rustc_hash::FxHashMap;

/// Unit of block sizes.
pub(super) const UNIT: usize = 512;
/// Requests up to this size are carved from shared segments; larger ones get a segment of their own.
pub(super) const SMALL: usize = 1 << 20;
/// Bytes of a shared segment; larger segments are multiples of it.
pub(super) const SEGMENT: usize = 2 << 20;
/// Sizes up to this have free lists by exact size.
const BINNED: usize = 64 << 10;
/// Number of segment classes, from the smallest sufficient one on, that a request may split: no segment is larger than
/// 16 times its size.
const CLASSES: usize = 4;

/// A block of a segment: in use, or free.
#[derive(Clone, Copy, Debug)]
struct Block {
    /// Size of the block, a multiple of 512.
    bytes: usize,
    /// The neighbours in the same segment.
    before: Option<u64>,
    /// See `before`.
    after: Option<u64>,
    /// True if the block is in a list of free blocks.
    free: bool,
    /// The class of the segment.
    class: u8,
}

/// Returns the class of a segment: 0 up to [`SEGMENT`], and one more for each doubling.
fn class_of(bytes: usize) -> usize {
    bytes.div_ceil(SEGMENT).next_power_of_two().trailing_zeros() as usize
}

/// Memory arena of a stream.
///
/// The device memory that a request holds is bounded: one up to [`SMALL`] is carved from a segment of [`SEGMENT`]
/// bytes, a larger one from a segment of at most 16 times its size. A larger segment is split only if the device is
/// full.
#[derive(Debug)]
pub(super) struct Arena {
    /// Free lists by exact size; their blocks are not coalesced and count as used.
    bins: Vec<Vec<u64>>,
    /// Free blocks by size and address, for each class of segments.
    free: Vec<BTreeSet<(usize, u64)>>,
    /// All blocks by their address.
    blocks: FxHashMap<u64, Block>,
    /// True if a graph owns the memory: no segment is returned to the device.
    pub(super) kept: bool,
}

impl Default for Arena {
    fn default() -> Arena {
        let bins = vec![Vec::new(); BINNED / UNIT + 1];
        Arena { bins, free: Vec::new(), blocks: FxHashMap::default(), kept: false }
    }
}

impl Arena {
    /// Returns a free block of `size` bytes.
    pub(super) fn take(&mut self, size: usize) -> Option<u64> {
        self.bins.get_mut(size / UNIT).and_then(Vec::pop).or_else(|| self.best_fit(size))
    }

    /// Returns the number of free blocks.
    pub(super) fn free_blocks(&self) -> usize {
        self.bins.iter().map(Vec::len).sum::<usize>() + self.free.iter().map(BTreeSet::len).sum::<usize>()
    }

    /// Returns the size of the largest free block.
    pub(super) fn largest(&self) -> usize {
        let bin = self.bins.iter().rposition(|bin| !bin.is_empty()).map_or(0, |index| index * UNIT);
        self.free.iter().filter_map(BTreeSet::last).map(|&(bytes, _)| bytes).fold(bin, usize::max)
    }

    /// Returns a free block when the device is full: neighbours are coalesced, and any segment may be split.
    pub(super) fn take_any(&mut self, size: usize) -> Option<u64> {
        self.join();
        self.fit(size, 0..self.free.len())
    }

    /// Returns a block to the arena.
    pub(super) fn give(&mut self, addr: u64, size: usize) {
        match self.bins.get_mut(size / UNIT) {
            Some(bin) => bin.push(addr),
            None => self.release(addr),
        }
    }

    /// Adds a segment of device memory.
    pub(super) fn add_segment(&mut self, addr: u64, bytes: usize) {
        let class = class_of(bytes) as u8;
        self.blocks.insert(addr, Block { bytes, before: None, after: None, free: true, class });
        self.free_of(class).insert((bytes, addr));
    }

    fn free_of(&mut self, class: u8) -> &mut BTreeSet<(usize, u64)> {
        let class = usize::from(class);
        if self.free.len() <= class {
            self.free.resize_with(class + 1, BTreeSet::new);
        }
        &mut self.free[class]
    }

    /// Coalesces the blocks of the free lists by size with their neighbours.
    fn join(&mut self) {
        for bin in 0..self.bins.len() {
            for addr in std::mem::take(&mut self.bins[bin]) {
                self.release(addr);
            }
        }
    }

    /// Removes the segments without arrays, and appends their addresses and sizes.
    pub(super) fn remove_empty(&mut self, segments: &mut Vec<(u64, usize)>) {
        if self.kept {
            return;
        }
        self.join();
        let whole = |b: &Block| b.free && b.before.is_none() && b.after.is_none();
        let first = segments.len();
        segments.extend(self.blocks.iter().filter(|(_, b)| whole(b)).map(|(a, b)| (*a, b.bytes)));
        for (addr, bytes) in &segments[first..] {
            self.blocks.remove(addr);
            self.free[class_of(*bytes)].remove(&(*bytes, *addr));
        }
    }

    /// Returns the smallest free block of at least `size` bytes, in a segment that the request may split.
    fn best_fit(&mut self, size: usize) -> Option<u64> {
        let class = class_of(size);
        self.fit(size, class..if size <= SMALL { 1 } else { class + CLASSES })
    }

    /// Returns the smallest free block of these classes of at least `size` bytes; the remainder stays free.
    fn fit(&mut self, size: usize, classes: Range<usize>) -> Option<u64> {
        let classes = self.free.iter().enumerate().take(classes.end).skip(classes.start);
        let fitting = |(class, free): (usize, &BTreeSet<(usize, u64)>)| Some((*free.range((size, 0)..).next()?, class));
        let ((bytes, addr), class) = classes.filter_map(fitting).min()?;
        self.free[class].remove(&(bytes, addr));
        let block = self.blocks.get_mut(&addr)?;
        block.free = false;
        if bytes > size {
            let rest = addr + size as u64;
            let after = block.after.replace(rest);
            block.bytes = size;
            let left = Block { bytes: bytes - size, before: Some(addr), after, free: true, class: class as u8 };
            self.blocks.insert(rest, left);
            self.free[class].insert((bytes - size, rest));
            if let Some(next) = after.and_then(|a| self.blocks.get_mut(&a)) {
                next.before = Some(rest);
            }
        }
        Some(addr)
    }

    /// Shortens a block that is in use to `size` bytes and frees the rest; returns false if a request of that size would
    /// have another segment, or a block of a free list by size.
    pub(super) fn shrink(&mut self, addr: u64, size: usize) -> bool {
        let allowed = |class: u8| size > SMALL && class_of(size) + CLASSES > usize::from(class);
        let Some(block) = self.blocks.get_mut(&addr).filter(|b| allowed(b.class) && b.bytes > size) else {
            return false;
        };
        let rest = addr + size as u64;
        let left = Block { bytes: block.bytes - size, before: Some(addr), free: false, ..*block };
        (block.bytes, block.after) = (size, Some(rest));
        if let Some(next) = left.after.and_then(|a| self.blocks.get_mut(&a)) {
            next.before = Some(rest);
        }
        self.blocks.insert(rest, left);
        self.release(rest);
        true
    }

    /// Frees a block and coalesces it with its free neighbours.
    fn release(&mut self, mut addr: u64) {
        let Some(mut block) = self.blocks.remove(&addr) else { return };
        if let Some(after) = block.after.filter(|a| self.blocks.get(a).is_some_and(|b| b.free))
            && let Some(next) = self.blocks.remove(&after)
        {
            self.free_of(next.class).remove(&(next.bytes, after));
            block.bytes += next.bytes;
            block.after = next.after;
        }
        if let Some(before) = block.before.filter(|a| self.blocks.get(a).is_some_and(|b| b.free))
            && let Some(previous) = self.blocks.remove(&before)
        {
            self.free_of(previous.class).remove(&(previous.bytes, before));
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
        self.free_of(block.class).insert((block.bytes, addr));
        self.blocks.insert(addr, block);
    }
}
