//! Asynchronous copies to shared memory that are pending.
//!
//! The bytes are stored when the copy is issued. Until the copy is waited for, no thread may access them: a GPU may
//! store them at any time between.

use std::ops::Range;

use super::Denied;
use crate::FaultKind;

/// A copy of a thread, and the line of PTX that issued it.
#[derive(Clone, Copy, Debug)]
struct Copy {
    at: u64,
    bytes: u32,
    thread: u16,
    line: u32,
    landed: bool,
}

#[derive(Debug, Default)]
pub(super) struct Flight {
    /// The number of the copy that fills each grain, from 1, or 0 if there is none. Empty until the first copy.
    owners: Vec<u32>,
    copies: Vec<Copy>,
    under_way: usize,
}

impl Flight {
    /// Discards the copies of the previous block.
    pub(super) fn clear(&mut self) {
        if !self.copies.is_empty() {
            self.owners.clear();
            self.copies.clear();
            self.under_way = 0;
        }
    }

    /// Returns true if any copy is pending.
    #[inline]
    pub(super) fn any(&self) -> bool {
        self.under_way != 0
    }

    /// Records a copy to these grains, of a total number of grains; returns its number.
    pub(super) fn begin(
        &mut self,
        grains: Range<usize>,
        all: usize,
        (at, bytes): (u64, u32),
        (thread, line): (u16, u32),
    ) -> u32 {
        if self.owners.len() < all {
            self.owners.resize(all, 0);
        }
        self.copies.push(Copy { at, bytes, thread, line, landed: false });
        let number = self.copies.len() as u32;
        self.owners[grains].fill(number);
        self.under_way += 1;
        number
    }

    /// Completes a copy: returns its destination and thread. `None` if it was complete before.
    pub(super) fn land(&mut self, number: u32) -> Option<(u64, u32, u16)> {
        let copy = self.copies.get_mut(number as usize - 1).filter(|copy| !copy.landed)?;
        copy.landed = true;
        self.under_way -= 1;
        Some((copy.at, copy.bytes, copy.thread))
    }

    pub(super) fn release(&mut self, grains: Range<usize>) {
        self.owners[grains].fill(0);
    }

    pub(super) fn is_under_way(&self, number: u32) -> bool {
        !self.copies[number as usize - 1].landed
    }

    /// Rejects an access to the destination of a pending copy.
    pub(super) fn check(&self, grains: Range<usize>, (at, bytes): (u64, u32), verb: &str) -> Result<(), Denied> {
        let owners = self.owners.get(grains).unwrap_or_default();
        let Some(&number) = owners.iter().find(|&&owner| owner != 0) else { return Ok(()) };
        let copy = self.copies[number as usize - 1];
        let message = format!(
            "{bytes} bytes at {at:#x} of shared memory are {verb} here, and the cp.async that thread {} of the block issued at \
             PTX line {} may still be storing there: it has not been waited for (cp.async.wait_group, or the mbarrier that it \
             arrives on)",
            copy.thread, copy.line
        );
        Err((FaultKind::MissingWait, message))
    }
}
