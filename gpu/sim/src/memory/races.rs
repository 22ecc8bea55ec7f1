//! Races between threads on global memory, checked if [`Config::races`](crate::Config) is set.
//!
//! Two accesses of a byte race if one of them is a plain write and nothing orders them. Within a block, barriers order
//! as they do for shared memory; between blocks only atomics, fences and strong accesses do: an access of one block
//! precedes that of another if the first block ran one of these after it and the second one before its own. Which
//! thread waited for which is not tracked: races may be missed where there are atomics, but none are reported falsely.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use super::Denied;
use crate::FaultKind;

/// Maximum number of locations that are recorded in a launch: some 350 MB.
const MOST: usize = 1 << 23;
/// Number of locations that are allocated at once.
const PAGE: usize = 512;

/// The kind of a memory access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    Read,
    Write,
    /// Atomic, or a strong load.
    Atomic,
}

/// The thread and the time of an access.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct By {
    /// The block's index in the grid.
    pub(crate) block: u32,
    pub(crate) thread: u16,
    /// Number of barriers of the block, and of synchronisations of the warp.
    pub(crate) epoch: u32,
    pub(crate) warp_epoch: u32,
    /// Number of atomics, fences and strong accesses of the block.
    pub(crate) syncs: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    write: Option<By>,
    atomic: bool,
    read: Option<By>,
    /// Set if other threads of the same block have read since its last barrier, or other blocks at any time.
    threads: bool,
    blocks: bool,
}

#[derive(Debug, Default)]
struct State {
    pages: HashMap<u64, Box<[Cell]>>,
    /// Number of atomics, fences and strong accesses of each block that had any.
    syncs: HashMap<u32, u32>,
}

#[derive(Debug)]
pub(crate) struct Races {
    state: Mutex<State>,
    grain: u32,
}

impl Races {
    /// Creates the check. `grain`: the smallest access of the program, as a power of two.
    pub(crate) fn new(grain: u32) -> Races {
        Races { state: Mutex::default(), grain }
    }

    /// Records the number of atomics, fences or strong accesses of a block.
    pub(crate) fn sync(&self, block: u32, syncs: u32) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).syncs.insert(block, syncs);
    }

    /// Records an access. `same`: a write that does not change the bytes.
    pub(crate) fn access(&self, addr: u64, bytes: u64, by: By, options: How, same: bool) -> Result<(), Denied> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let State { pages, syncs } = &mut *state;
        for granule in addr >> self.grain..=(addr + bytes - 1) >> self.grain {
            let page = granule / PAGE as u64;
            if !pages.contains_key(&page) && pages.len() >= MOST / PAGE {
                let message = format!(
                    "the check for races remembers {MOST} granules of {} bytes, and the launch touches more",
                    1 << self.grain
                );
                return Err((FaultKind::OutOfMemory, message));
            }
            let page = pages.entry(page).or_insert_with(|| vec![Cell::default(); PAGE].into());
            let cell = &mut page[(granule % PAGE as u64) as usize];
            let apart = |before: &By| unordered(before, &by, syncs);
            if let Some(write) = cell.write
                && !same
                && !(cell.atomic && options == How::Atomic)
                && apart(&write)
            {
                return Err(race(addr, bytes, &write, &by, options, true));
            }
            if let Some(read) = cell.read
                && options == How::Write
                && !same
                && (apart(&read)
                    || cell.threads && read.block == by.block && read.epoch == by.epoch && by.syncs == read.syncs
                    || cell.blocks && by.syncs == 0)
            {
                return Err(race(addr, bytes, &read, &by, options, false));
            }
            if options == How::Read {
                cell.note_read(by);
            } else {
                (cell.write, cell.atomic) = (Some(by), options == How::Atomic);
            }
        }
        Ok(())
    }
}

impl Cell {
    fn note_read(&mut self, by: By) {
        if let Some(read) = self.read {
            self.blocks |= read.block != by.block;
            let together = read.block == by.block && read.epoch == by.epoch;
            self.threads = together && (self.threads || read.thread != by.thread);
        }
        self.read = Some(by);
    }
}

/// Returns true if nothing orders an access before another one.
fn unordered(before: &By, now: &By, syncs: &HashMap<u32, u32>) -> bool {
    let since = syncs.get(&before.block).copied().unwrap_or(0) > before.syncs;
    if before.block != now.block {
        return !(since && now.syncs > 0);
    }
    let warps = (before.thread / 32, now.thread / 32);
    let in_order = warps.0 == warps.1 && before.warp_epoch < now.warp_epoch;
    before.thread != now.thread && before.epoch == now.epoch && !in_order && !since
}

#[cold]
fn race(addr: u64, bytes: u64, before: &By, now: &By, options: How, wrote: bool) -> Denied {
    let here = match options {
        How::Read => "read",
        How::Write => "written",
        How::Atomic => "accessed atomically",
    };
    let other = if before.block == now.block {
        format!("thread {} of the block", before.thread)
    } else {
        format!("thread {} of block {} of the grid", before.thread, before.block)
    };
    let message = format!(
        "race on global memory: {bytes} bytes at {addr:#x} are {here} here, and {other} {} them with nothing between that \
         orders the two",
        if wrote { "wrote" } else { "read" }
    );
    (FaultKind::GlobalRace, message)
}
