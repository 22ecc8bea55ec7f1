//! Shared memory of a block, with marks that detect races.
//!
//! Two accesses are ordered if there is a barrier of the block between them, or, within a warp, a synchronisation of
//! the warp. Time is counted in epochs: the block's increases with every barrier, a warp's with every synchronisation
//! of its lanes. A barrier of a part of the block counts as one of all of it: races may be missed there, but none are
//! reported falsely.

use super::Denied;
use super::flight::Flight;
use crate::FaultKind;

/// The thread and the time of the last access. Epoch 0 is never.
#[derive(Clone, Copy, Debug, Default)]
struct Access {
    epoch: u32,
    warp_epoch: u32,
    thread: u16,
    kind: u8,
}

/// Flag of a write: it was atomic.
const ATOMIC: u8 = 1;
/// Flags of reads: several lanes of one warp, or several warps.
const ONE_WARP: u8 = 1;
const MANY_WARPS: u8 = 2;

#[derive(Clone, Copy, Debug, Default)]
struct Marks {
    write: Access,
    read: Access,
}

/// The thread that accesses shared memory, and its warp's epoch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Accessor {
    pub(crate) thread: u16,
    pub(crate) warp_epoch: u32,
    pub(crate) atomic: bool,
}

/// Start and end of a variable.
pub(crate) type Extent = (u64, u64);

/// Bytes between variables that must not be accessed, so that an access past an end is in no variable.
const GUARD: u64 = 256;
/// Maximum alignment of a variable.
const ALIGNMENT: u64 = 1 << 12;

/// The layout of shared variables.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layout {
    pub(crate) extents: Vec<Extent>,
    /// Their size on a GPU, without guards between them.
    pub(crate) bytes: u64,
}

impl Layout {
    /// Places a variable after the others.
    pub(crate) fn place(&mut self, align: u64, bytes: u64) -> u64 {
        let at = self.behind(align);
        self.extents.push((at, at + bytes));
        self.bytes = self.bytes.next_multiple_of(align) + bytes;
        at
    }

    /// Returns the first free offset of an alignment.
    fn behind(&self, align: u64) -> u64 {
        self.extents.last().map_or(0, |e| (e.1 + GUARD).next_multiple_of(align))
    }

    /// Returns the start of a kernel's own variables, after those of the module.
    pub(crate) fn own_start(&self) -> u64 {
        self.behind(ALIGNMENT)
    }

    /// Returns the start of dynamic shared memory.
    pub(crate) fn dynamic_start(&self) -> u64 {
        self.behind(1024)
    }

    /// Returns these variables of the module followed by a kernel's own.
    pub(crate) fn with(&self, own: &Layout) -> Layout {
        let start = self.own_start();
        let moved = own.extents.iter().map(|(from, to)| (start + from, start + to));
        Layout {
            extents: self.extents.iter().copied().chain(moved).collect(),
            bytes: self.bytes.next_multiple_of(256) + own.bytes,
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Shared {
    data: Vec<u64>,
    marks: Vec<Marks>,
    /// The undefined bits of each word; empty until an undefined value is stored. They are meaningless for
    /// uninitialised bytes.
    undefined: Vec<u64>,
    /// The variables: start and end of each, in order. There are guards between them.
    extents: Vec<Extent>,
    /// The variable of the last access, which the next one is likely to hit again.
    last: Extent,
    grain: u32,
    epoch: u32,
    /// The epoch in which this block began; older marks are of other blocks.
    start: u32,
    /// Copies that have not been waited for.
    flight: Flight,
}

impl Shared {
    /// Resets the memory for a block: the variables that its kernel can access, in order, and the dynamic bytes.
    pub(crate) fn reset(&mut self, layout: &Layout, dynamic: u64, grain: u32) {
        self.extents.clear();
        self.extents.extend_from_slice(&layout.extents);
        if dynamic > 0 {
            let start = layout.dynamic_start();
            self.extents.push((start, start + dynamic));
        }
        let bytes = self.extents.last().map_or(0, |e| e.1);
        let count = (bytes >> grain) as usize + 1;
        if self.epoch > u32::MAX / 2 || self.grain != grain {
            self.marks.clear();
            self.epoch = 0;
        }
        self.grain = grain;
        self.last = self.extents.first().copied().unwrap_or_default();
        self.undefined.clear();
        self.flight.clear();
        self.data.resize(bytes.div_ceil(8) as usize, 0);
        self.marks.resize(count.max(self.marks.len()), Marks::default());
        self.epoch += 1;
        self.start = self.epoch;
    }

    /// Returns the number of barriers of blocks.
    pub(crate) fn epoch(&self) -> u32 {
        self.epoch
    }

    /// Records a barrier of the block: earlier accesses are ordered before later ones.
    pub(crate) fn barrier(&mut self) {
        self.epoch += 1;
    }

    #[inline]
    fn range(&mut self, addr: u64, bytes: u32) -> Result<std::ops::Range<usize>, Denied> {
        if addr < self.last.0 || addr >= self.last.1 || u64::from(bytes) > self.last.1 - addr {
            self.find(addr, bytes.into())?;
        }
        let start = (addr >> self.grain) as usize;
        // No access is smaller than a grain.
        Ok(start..start + (bytes >> self.grain) as usize)
    }

    #[cold]
    fn find(&mut self, addr: u64, bytes: u64) -> Result<(), Denied> {
        let after = self.extents.partition_point(|e| e.0 <= addr);
        let below = after.checked_sub(1).map(|i| self.extents[i]);
        if let Some(e) = below
            && addr < e.1
            && bytes <= e.1 - addr
        {
            self.last = e;
            return Ok(());
        }
        let total: u64 = self.extents.iter().map(|e| e.1 - e.0).sum();
        let message = match below {
            Some((start, end)) => format!(
                "{bytes} bytes at {addr:#x} of shared memory are in no variable; the nearest below has {} bytes at \
                 {start:#x}, and all have {total}",
                end - start
            ),
            None => format!("{bytes} bytes at {addr:#x} of shared memory are in no variable; all have {total} bytes"),
        };
        Err((FaultKind::OutOfBounds, message))
    }

    fn ordered(&self, before: &Access, now: Accessor) -> bool {
        before.epoch < self.epoch || before.thread / 32 == now.thread / 32 && before.warp_epoch < now.warp_epoch
    }

    fn race(&self, addr: u64, bytes: u32, before: &Access, wrote: bool, writes: bool) -> Denied {
        let message = format!(
            "race on shared memory: {bytes} bytes at {addr:#x} are {} here, and thread {} of the block {} them with no \
             synchronisation between",
            if writes { "written" } else { "read" },
            before.thread,
            if wrote { "wrote" } else { "read" },
        );
        (FaultKind::SharedRace, message)
    }

    /// Returns a value and its undefined bits.
    pub(crate) fn load(&mut self, addr: u64, bytes: u32, by: Accessor) -> Result<(u64, u64), Denied> {
        let (word, shift, ones) = ((addr / 8) as usize, 8 * (addr % 8), u64::MAX >> (64 - 8 * bytes));
        let mut unwritten = 0;
        let grains = self.range(addr, bytes)?;
        if self.flight.any() {
            self.flight.check(grains.clone(), (addr, bytes), "read")?;
        }
        for at in grains {
            let Marks { write, read } = self.marks[at];
            if write.epoch < self.start {
                // A grain is no larger than a word.
                let grain = u64::MAX >> (64 - (8 << self.grain));
                unwritten |= grain << (8 * (((at as u64) << self.grain) % 8));
            } else if write.thread != by.thread && write.kind != ATOMIC && !self.ordered(&write, by) {
                return Err(self.race(addr, bytes, &write, true, false));
            }
            if !by.atomic {
                self.marks[at].read = self.merged(read, by);
            }
        }
        if !self.undefined.is_empty() {
            unwritten |= self.undefined[word];
        }
        Ok((self.data[word] >> shift & ones, unwritten >> shift & ones))
    }

    /// Returns true if some of the bytes of a variable are uninitialised.
    pub(crate) fn is_unwritten(&self, addr: u64, bytes: u32) -> bool {
        let grains = (addr >> self.grain) as usize..=((addr + u64::from(bytes) - 1) >> self.grain) as usize;
        self.marks[grains].iter().any(|m| m.write.epoch < self.start)
    }

    /// Returns the mark of the previous reads and this one.
    fn merged(&self, read: Access, by: Accessor) -> Access {
        let mut now = Access { epoch: self.epoch, warp_epoch: by.warp_epoch, thread: by.thread, kind: 0 };
        let same_warp = read.thread / 32 == by.thread / 32;
        // Reads of the warp before its last synchronisation are ordered before all that it does now.
        let past = same_warp && read.kind != MANY_WARPS && read.warp_epoch < by.warp_epoch;
        if read.epoch == self.epoch && !past {
            if !same_warp || read.kind == MANY_WARPS {
                now.kind = MANY_WARPS;
            } else if read.thread != by.thread || read.kind == ONE_WARP {
                now.kind = ONE_WARP;
            }
        }
        now
    }

    /// Checks a write. `same`: the bytes do not change. Threads that store the same value do not conflict.
    fn check_write(&mut self, addr: u64, bytes: u32, by: Accessor, same: bool) -> Result<(), Denied> {
        let grains = self.range(addr, bytes)?;
        if self.flight.any() {
            self.flight.check(grains.clone(), (addr, bytes), "written")?;
        }
        for at in grains {
            let Marks { write, read } = self.marks[at];
            // The contents of uninitialised memory are arbitrary.
            let same = same && write.epoch >= self.start;
            if write.epoch >= self.start
                && write.thread != by.thread
                && !(by.atomic && write.kind == ATOMIC)
                && !same
                && !self.ordered(&write, by)
            {
                return Err(self.race(addr, bytes, &write, true, true));
            }
            if !by.atomic && !same && read.epoch == self.epoch {
                let races = match read.kind {
                    MANY_WARPS => true,
                    ONE_WARP => !self.ordered(&read, by),
                    _ => read.thread != by.thread && !self.ordered(&read, by),
                };
                if races {
                    return Err(self.race(addr, bytes, &read, false, true));
                }
            }
            let kind = if by.atomic { ATOMIC } else { 0 };
            self.marks[at].write = Access { epoch: self.epoch, warp_epoch: by.warp_epoch, thread: by.thread, kind };
        }
        Ok(())
    }

    pub(crate) fn store(
        &mut self,
        addr: u64,
        bytes: u32,
        (value, undefined): (u64, u64),
        by: Accessor,
    ) -> Result<(), Denied> {
        let (word, shift) = ((addr / 8) as usize, 8 * (addr % 8));
        let mask = u64::MAX >> (64 - 8 * bytes) << shift;
        let old = self.data.get(word).copied().unwrap_or(0);
        let new = old & !mask | value << shift & mask;
        let marked = undefined != 0 || !self.undefined.is_empty();
        let stays =
            old == new && (!marked || self.undefined.get(word).is_some_and(|u| (u ^ undefined << shift) & mask == 0));
        self.check_write(addr, bytes, by, stays)?;
        self.data[word] = new;
        if marked {
            self.mark(word, mask, undefined << shift);
        }
        Ok(())
    }

    #[cold]
    fn mark(&mut self, word: usize, mask: u64, undefined: u64) {
        if self.undefined.is_empty() {
            self.undefined.resize(self.data.len(), 0);
        }
        self.undefined[word] = self.undefined[word] & !mask | undefined & mask;
    }

    /// Records the bytes that a thread has just stored as those of a pending copy; returns the copy's number.
    pub(crate) fn begin_copy(&mut self, addr: u64, bytes: u32, thread: u16, line: u32) -> Result<u32, Denied> {
        let grains = self.range(addr, bytes)?;
        Ok(self.flight.begin(grains, self.marks.len(), (addr, bytes), (thread, line)))
    }

    /// Completes a copy: its bytes count as stored now, by its thread.
    pub(crate) fn land_copy(&mut self, number: u32, warp_epoch: u32) -> Result<(), Denied> {
        let Some((addr, bytes, thread)) = self.flight.land(number) else { return Ok(()) };
        let grains = self.range(addr, bytes)?;
        self.flight.release(grains.clone());
        for marks in &mut self.marks[grains] {
            marks.write = Access { epoch: self.epoch, warp_epoch, thread, kind: 0 };
        }
        Ok(())
    }

    /// Returns true if a copy has not been waited for.
    pub(crate) fn is_under_way(&self, number: u32) -> bool {
        self.flight.is_under_way(number)
    }

    /// Replaces a value and its undefined bits by a function of them; returns the old ones.
    pub(crate) fn update(
        &mut self,
        addr: u64,
        bytes: u32,
        by: Accessor,
        f: impl Fn(u64, u64) -> (u64, u64),
    ) -> Result<(u64, u64), Denied> {
        let (old, undefined) = self.load(addr, bytes, by)?;
        self.store(addr, bytes, f(old, undefined), by)?;
        Ok((old, undefined))
    }
}
