//! Shared memory of a block, with marks that find races.
//!
//! Two accesses are ordered if a barrier of the block lies between them, or, within a warp, a synchronisation of the
//! warp. Time is counted in epochs: the block's grows with every barrier, a warp's with every synchronisation of its
//! lanes. A barrier of a part of the block counts as one of all of it: races may be missed there, none are invented.

use super::Denied;
use crate::FaultKind;

/// Who accessed last, and when. Epoch 0 is never.
#[derive(Clone, Copy, Debug, Default)]
struct Access {
    epoch: u32,
    warp_epoch: u32,
    thread: u16,
    kind: u8,
}

/// Of a write: it was atomic.
const ATOMIC: u8 = 1;
/// Of reads: several lanes of one warp, or several warps.
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

#[derive(Debug, Default)]
pub(crate) struct Shared {
    data: Vec<u64>,
    marks: Vec<Marks>,
    bytes: u64,
    grain: u32,
    epoch: u32,
    /// The epoch in which this block began; older marks are of other blocks.
    start: u32,
}

impl Shared {
    /// Fresh memory for a block.
    pub(crate) fn reset(&mut self, bytes: u64, grain: u32) {
        let count = (bytes >> grain) as usize + 1;
        if self.epoch > u32::MAX / 2 || self.grain != grain {
            self.marks.clear();
            self.epoch = 0;
        }
        self.grain = grain;
        self.bytes = bytes;
        self.data.resize(bytes.div_ceil(8) as usize, 0);
        self.marks.resize(count.max(self.marks.len()), Marks::default());
        self.epoch += 1;
        self.start = self.epoch;
    }

    /// A barrier of the block: what was before is ordered before what comes.
    pub(crate) fn barrier(&mut self) {
        self.epoch += 1;
    }

    fn range(&self, addr: u64, bytes: u32) -> Result<std::ops::RangeInclusive<usize>, Denied> {
        if addr >= self.bytes || u64::from(bytes) > self.bytes - addr {
            let message = format!("{bytes} bytes at {addr:#x} of shared memory, which has {} bytes", self.bytes);
            return Err((FaultKind::OutOfBounds, message));
        }
        Ok((addr >> self.grain) as usize..=((addr + u64::from(bytes) - 1) >> self.grain) as usize)
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

    pub(crate) fn load(&mut self, addr: u64, bytes: u32, by: Accessor) -> Result<u64, Denied> {
        for at in self.range(addr, bytes)? {
            let Marks { write, read } = self.marks[at];
            if write.epoch < self.start {
                let message = format!("{bytes} bytes at {addr:#x} of shared memory are read, but nobody wrote them");
                return Err((FaultKind::Unwritten, message));
            }
            if write.thread != by.thread && write.kind != ATOMIC && !self.ordered(&write, by) {
                return Err(self.race(addr, bytes, &write, true, false));
            }
            if !by.atomic {
                self.marks[at].read = self.merged(read, by);
            }
        }
        Ok(self.data[(addr / 8) as usize] >> (8 * (addr % 8)) & u64::MAX >> (64 - 8 * bytes))
    }

    /// The mark of the reads so far and this one.
    fn merged(&self, read: Access, by: Accessor) -> Access {
        let mut now = Access { epoch: self.epoch, warp_epoch: by.warp_epoch, thread: by.thread, kind: 0 };
        if read.epoch == self.epoch {
            let same_warp = read.thread / 32 == by.thread / 32;
            if !same_warp || read.kind == MANY_WARPS {
                now.kind = MANY_WARPS;
            } else if read.thread != by.thread || read.kind == ONE_WARP {
                now.kind = ONE_WARP;
            }
        }
        now
    }

    /// `same`: the bytes stay as they are. Threads that store one value agree, whoever is last.
    fn check_write(&mut self, addr: u64, bytes: u32, by: Accessor, same: bool) -> Result<(), Denied> {
        for at in self.range(addr, bytes)? {
            let Marks { write, read } = self.marks[at];
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

    pub(crate) fn store(&mut self, addr: u64, bytes: u32, value: u64, by: Accessor) -> Result<(), Denied> {
        let shift = 8 * (addr % 8);
        let mask = u64::MAX >> (64 - 8 * bytes) << shift;
        let old = self.data.get((addr / 8) as usize).copied().unwrap_or(0);
        let new = old & !mask | value << shift & mask;
        self.check_write(addr, bytes, by, old == new)?;
        self.data[(addr / 8) as usize] = new;
        Ok(())
    }

    /// Replaces a value by a function of it; gives the old one.
    pub(crate) fn update(
        &mut self,
        addr: u64,
        bytes: u32,
        by: Accessor,
        f: impl Fn(u64) -> u64,
    ) -> Result<u64, Denied> {
        let old = self.load(addr, bytes, by)?;
        self.store(addr, bytes, f(old), by)?;
        Ok(old)
    }
}
