//! A block's shared memory, and the record of who touched which byte since when.

use crate::{Fault, FaultKind};

/// The last accesses of a byte. Epochs count the block's barriers, steps the warp's own synchronisations.
#[derive(Clone, Copy, Debug, Default)]
struct Byte {
    write: Access,
    read: Access,
    /// The block in which it was last written: shared memory starts unwritten.
    written_in: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Access {
    epoch: u64,
    thread: u32,
    step: u32,
    /// More than one thread, so that any other access conflicts.
    several: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Shared {
    data: Vec<u8>,
    bytes: Vec<Byte>,
    /// Grows for ever, over barriers and blocks: records of earlier epochs are void without being cleared.
    epoch: u64,
    block: u64,
}

/// Who accesses: a thread of the block, and how many warp-level synchronisations it has passed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Accessor {
    pub(crate) thread: u32,
    pub(crate) step: u32,
    pub(crate) atomic: bool,
}

impl Shared {
    pub(crate) fn start_block(&mut self, bytes: usize) {
        self.data.clear();
        self.data.resize(bytes, 0);
        self.bytes.resize(bytes, Byte::default());
        self.epoch += 1;
        self.block += 1;
    }

    /// A barrier of the whole block: what came before is ordered with what comes after.
    pub(crate) fn barrier(&mut self) {
        self.epoch += 1;
    }

    fn place(&self, addr: u64, size: u64) -> Result<usize, Fault> {
        match addr.checked_add(size) {
            Some(end) if end <= self.data.len() as u64 => Ok(addr as usize),
            _ => Err(Fault::new(
                FaultKind::OutOfBounds,
                format!(
                    "{size} bytes at {addr:#x} of shared memory are out of bounds: the block has {}",
                    self.data.len()
                ),
            )),
        }
    }

    /// Whether an earlier access is unordered with one by `by`.
    fn conflicts(&self, earlier: &Access, by: Accessor) -> bool {
        if earlier.epoch != self.epoch {
            return false;
        }
        if earlier.several {
            return true;
        }
        let same_warp = earlier.thread / 32 == by.thread / 32;
        earlier.thread != by.thread && !(same_warp && earlier.step < by.step)
    }

    fn race(&self, addr: u64, earlier: &Access, by: Accessor, what: &str) -> Fault {
        let other = if earlier.several { "other threads".into() } else { format!("thread {}", earlier.thread) };
        Fault::new(
            FaultKind::SharedRace,
            format!("byte {addr:#x} of shared memory: thread {} {what} {other}, with no barrier between", by.thread),
        )
    }

    pub(crate) fn load(&mut self, addr: u64, size: u64, by: Accessor) -> Result<u64, Fault> {
        let at = self.place(addr, size)?;
        let mut value = 0;
        for i in 0..size as usize {
            let byte = &self.bytes[at + i];
            if byte.written_in != self.block {
                return Err(Fault::new(
                    FaultKind::Unwritten,
                    format!("{size} bytes at {addr:#x} of shared memory are read but were never written"),
                ));
            }
            if !by.atomic && self.conflicts(&byte.write, by) {
                return Err(self.race(addr + i as u64, &byte.write, by, "reads what was written by"));
            }
            let read = byte.read;
            let several =
                read.epoch == self.epoch && (read.several || read.thread != by.thread && self.conflicts(&read, by));
            self.bytes[at + i].read = Access { epoch: self.epoch, thread: by.thread, step: by.step, several };
            value |= u64::from(self.data[at + i]) << (8 * i);
        }
        Ok(value)
    }

    pub(crate) fn store(&mut self, addr: u64, size: u64, value: u64, by: Accessor) -> Result<(), Fault> {
        let at = self.place(addr, size)?;
        for i in 0..size as usize {
            let new = (value >> (8 * i)) as u8;
            let byte = &self.bytes[at + i];
            if !by.atomic {
                // Threads that store the same value agree, whoever is last.
                if self.conflicts(&byte.write, by) && self.data[at + i] != new {
                    return Err(self.race(addr + i as u64, &byte.write, by, "writes what was written by"));
                }
                if self.conflicts(&byte.read, by) && byte.written_in == self.block && self.data[at + i] != new {
                    return Err(self.race(addr + i as u64, &byte.read, by, "writes what was read by"));
                }
            }
            let byte = &mut self.bytes[at + i];
            // Atomic accesses do not race with each other: only a plain one is recorded.
            if !by.atomic {
                byte.write = Access { epoch: self.epoch, thread: by.thread, step: by.step, several: false };
            }
            byte.written_in = self.block;
            self.data[at + i] = new;
        }
        Ok(())
    }
}
