//! Asynchronous copies from global to shared memory, until their thread waits for them.

use std::collections::VecDeque;

use super::access::aligned;
use super::block::Context;
use super::defined::depends_on;
use super::run::row;
use super::warp::{Lane, Warp, lanes_of};
use super::{Function, Src};
use crate::FaultKind;
use crate::memory::Denied;
use crate::ops::Lanes;
use crate::ptx::Space;

/// `cp.async`: a number of bytes, of which the first are read and the others are zero.
#[derive(Clone, Debug)]
pub(crate) struct CopyAsync {
    pub(crate) bytes: u32,
    pub(crate) to: Src,
    pub(crate) to_offset: i64,
    pub(crate) from: Src,
    pub(crate) from_offset: i64,
    /// The number of bytes that are read; all by default.
    pub(crate) size: Option<Src>,
    /// A predicate: where it is true, nothing is read.
    pub(crate) ignore: Option<Src>,
}

/// Synchronisation of a thread with its copies.
#[derive(Clone, Debug)]
pub(crate) enum Async {
    Copy(CopyAsync),
    /// Groups the copies since the last commit.
    Commit,
    /// Waits for all groups except this number of the newest; without a number for all copies.
    Wait(Option<Src>),
}

/// The copies of the threads of a block, by their numbers.
#[derive(Debug, Default)]
pub(super) struct Copies {
    threads: Vec<OfThread>,
}

#[derive(Clone, Debug, Default)]
struct OfThread {
    open: Vec<u32>,
    groups: VecDeque<Vec<u32>>,
}

impl Copies {
    fn of(&mut self, thread: u16) -> &mut OfThread {
        let at = usize::from(thread);
        if self.threads.len() <= at {
            self.threads.resize(at + 1, OfThread::default());
        }
        &mut self.threads[at]
    }

    /// Returns all copies that a thread has issued, including completed ones.
    pub(super) fn issued(&mut self, thread: u16) -> impl Iterator<Item = u32> {
        let of = self.of(thread);
        of.groups.iter().flatten().chain(&of.open).copied()
    }
}

impl Warp {
    pub(super) fn asynchronous(
        &mut self,
        cx: &mut Context<'_>,
        function: &Function,
        registers: &[Lanes],
        frame: usize,
        what: &Async,
        mask: u32,
    ) -> Lane<()> {
        match what {
            Async::Copy(copy) => {
                for l in lanes_of(mask) {
                    let number =
                        self.copy_async(cx, function, registers, frame, copy, l).map_err(|denied| (l, denied))?;
                    let thread = self.thread(l);
                    cx.copies.of(thread).open.push(number);
                }
            }
            Async::Commit => {
                for l in lanes_of(mask) {
                    let of = cx.copies.of(self.thread(l));
                    let group = std::mem::take(&mut of.open);
                    of.groups.push_back(group);
                }
            }
            Async::Wait(newest) => {
                for l in lanes_of(mask) {
                    let of = cx.copies.of(self.thread(l));
                    let keep = newest.map_or(0, |s| row(registers, function, s)[l] as usize);
                    let mut done = Vec::new();
                    while of.groups.len() > keep {
                        done.extend(of.groups.pop_front().unwrap_or_default());
                    }
                    if newest.is_none() {
                        done.append(&mut of.open);
                    }
                    for number in done {
                        cx.shared.land_copy(number, self.epoch).map_err(|denied| (l, denied))?;
                    }
                }
            }
        }
        Ok(())
    }

    fn copy_async(
        &mut self,
        cx: &mut Context<'_>,
        function: &Function,
        registers: &[Lanes],
        frame: usize,
        copy: &CopyAsync,
        l: usize,
    ) -> Result<u32, Denied> {
        let value = |s: Src| row(registers, function, s)[l];
        for (s, what) in [(copy.size, "how much a cp.async reads"), (copy.ignore, "whether a cp.async reads")] {
            if let Some((marks, origin)) = s.map(|s| self.mark_of(frame, s, l))
                && marks != 0
            {
                return Err(depends_on(cx, what, &origin));
            }
        }
        let to = value(copy.to).wrapping_add_signed(copy.to_offset);
        let from = value(copy.from).wrapping_add_signed(copy.from_offset);
        aligned(to, copy.bytes.into())?;
        aligned(from, copy.bytes.into())?;
        let size = match (copy.size, copy.ignore) {
            (_, Some(p)) if value(p) & 1 == 1 => 0,
            (Some(s), _) => value(s) as u32,
            _ => copy.bytes,
        };
        if size > copy.bytes {
            let message = format!("cp.async is to read {size} bytes, of {} that it copies", copy.bytes);
            return Err((FaultKind::BadOperand, message));
        }
        let unit = copy.bytes.min(8);
        for at in (0..copy.bytes).step_by(unit as usize) {
            let (mut word, mut marks) = (0, 0);
            let left = size.saturating_sub(at).min(unit);
            let step = if left == unit { unit } else { 1 };
            for part in (0..left).step_by(step as usize) {
                let (bits, undefined, _) = self.fetch(cx, l, (Space::Global, from + u64::from(at + part), step))?;
                word |= bits << (8 * part);
                marks |= undefined << (8 * part);
            }
            let by = self.accessor(l, false);
            cx.shared.store(to + u64::from(at), unit, (word, marks), by)?;
        }
        cx.shared.begin_copy(to, copy.bytes, self.thread(l), self.line)
    }
}
