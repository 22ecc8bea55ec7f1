//! Barriers of a block.

use super::block::{BARRIERS, Block, Context};
use super::defined_exchange::Votes;
use super::run::row;
use super::warp::{Group, Lane, Wait, Warp, first, lanes_of};
use super::{Barrier, Code, Function, Src};
use crate::memory::Denied;
use crate::ops::Lanes;
use crate::{Fault, FaultKind};

/// A group that waits at a barrier, with the barrier's operands.
struct Waiter {
    warp: usize,
    group: Group,
    id: usize,
    count: Option<u32>,
    barrier: Barrier,
    /// The function's index: with the group's `pc`, the instruction.
    function: usize,
}

impl Warp {
    /// Executes `bar.arrive`: counts the warp's lanes without waiting.
    pub(super) fn arrive(
        &mut self,
        cx: &mut Context<'_>,
        function: &Function,
        registers: &[Lanes],
        barrier: &Barrier,
        mask: u32,
    ) -> Lane<()> {
        let lane = first(mask);
        let id = identify(row(registers, function, barrier.id)[lane]).map_err(|e| (lane, e))?;
        cx.arrived[id] +=
            if barrier.aligned { self.lanes.count_ones().next_multiple_of(32) } else { mask.count_ones() };
        Ok(())
    }
}

fn identify(id: u64) -> Result<usize, Denied> {
    match usize::try_from(id) {
        Ok(id) if id < BARRIERS => Ok(id),
        _ => Err((FaultKind::BadOperand, format!("there is no barrier {id}"))),
    }
}

impl Block<'_, '_> {
    /// Opens the barriers that all threads have reached. `stuck`: no warp can run; then one must open.
    pub(super) fn open_barriers(&mut self, stuck: bool) -> Result<(), Fault> {
        let waiters = self.waiters()?;
        let mut opened = false;
        for id in 0..BARRIERS {
            let here: Vec<&Waiter> = waiters.iter().filter(|w| w.id == id).collect();
            let Some(one) = here.first() else { continue };
            let complete = match one.count {
                Some(count) => self.counted(&here) + self.cx.arrived[id] >= count,
                None => self.warps.iter().enumerate().all(|(i, warp)| {
                    let waiting = here.iter().filter(|w| w.warp == i).fold(0, |m, w| m | w.group.mask);
                    waiting == warp.live
                }),
            };
            if complete {
                self.check_together(&here)?;
                self.open(id, &here);
                opened = true;
            }
        }
        if stuck && !opened {
            return Err(self.never(&waiters));
        }
        Ok(())
    }

    fn waiters(&mut self) -> Result<Vec<Waiter>, Fault> {
        let mut waiters = Vec::new();
        for (i, warp) in self.warps.iter().enumerate() {
            for group in warp.groups.iter().filter(|g| g.wait == Wait::Barrier) {
                let frame = &warp.frames[group.frame];
                let function = &self.cx.grid.program.functions[frame.function];
                let Code::Barrier(barrier) = &function.code[group.pc as usize].code else { continue };
                let lane = first(group.mask);
                let value = |s: Src| row(&frame.registers, function, s)[lane];
                let id = match identify(value(barrier.id)) {
                    Ok(id) => id,
                    Err(e) => return Err(self.fault(i, group, e)),
                };
                let count = barrier.count.map(|c| value(c) as u32);
                let barrier = (**barrier).clone();
                waiters.push(Waiter { warp: i, group: *group, id, count, barrier, function: frame.function });
            }
        }
        Ok(waiters)
    }

    /// Returns the number of waiting threads; where a whole warp must arrive, it counts as 32.
    fn counted(&self, here: &[&Waiter]) -> u32 {
        let mut total = 0;
        for (i, warp) in self.warps.iter().enumerate() {
            let of_warp = here.iter().filter(|w| w.warp == i);
            let mask = of_warp.clone().fold(0, |m, w| m | w.group.mask);
            let aligned = of_warp.clone().any(|w| w.barrier.aligned);
            total += if aligned && mask == warp.live { 32 } else { mask.count_ones() };
        }
        total
    }

    /// Checks that a barrier of all threads is the same instruction for all, and that no thread has bypassed it.
    fn check_together(&self, here: &[&Waiter]) -> Result<(), Fault> {
        let Some(one) = here.first() else { return Ok(()) };
        if !one.barrier.aligned || one.count.is_some() {
            return Ok(());
        }
        if let Some(other) = here.iter().find(|w| (w.function, w.group.pc) != (one.function, one.group.pc)) {
            let line = self.line_of(one);
            let message = format!("threads wait at different barriers: others of the block are at PTX line {line}");
            return Err(self.fault(other.warp, &other.group, (FaultKind::BarrierDivergence, message)));
        }
        let passed = self.warps[one.warp].arrivals[first(one.group.mask)] + 1;
        for (i, warp) in self.warps.iter().enumerate() {
            for l in lanes_of(warp.lanes & !warp.live) {
                // An early return is permitted; bypassing the barrier by another path is not.
                if warp.arrivals[l] < passed && warp.left_from[l] > one.group.pc {
                    let line = self.line_of(one);
                    let message = format!("the thread went around the barrier at PTX line {line} that others wait at");
                    let group = Group { mask: 1 << l, ..one.group };
                    return Err(self.fault(i, &group, (FaultKind::BarrierDivergence, message)));
                }
            }
        }
        Ok(())
    }

    fn line_of(&self, w: &Waiter) -> u32 {
        self.cx.grid.program.functions[w.function].code[w.group.pc as usize].line
    }

    fn open(&mut self, id: usize, here: &[&Waiter]) {
        self.cx.arrived[id] = 0;
        self.cx.shared.barrier();
        let mut votes = Votes::default();
        for w in here {
            let Some(s) = w.barrier.predicate else { continue };
            let warp = &self.warps[w.warp];
            let frame = &warp.frames[w.group.frame];
            let p = row(&frame.registers, &self.cx.grid.program.functions[frame.function], s);
            for l in lanes_of(w.group.mask) {
                match warp.mark_of(w.group.frame, s, l) {
                    (marks, origin) if marks & 1 != 0 => votes.unknown = Some(origin),
                    _ if p[l] & 1 == 1 => votes.yes += 1,
                    _ => votes.no += 1,
                }
            }
        }
        for w in here {
            let warp = &mut self.warps[w.warp];
            if w.count.is_none() {
                for l in lanes_of(w.group.mask) {
                    warp.arrivals[l] += 1;
                }
            }
            if let Some(d) = w.barrier.target {
                let value = votes.value(w.barrier.kind);
                warp.set_marks(w.group.frame, d as usize, w.group.mask, |_| votes.marks(w.barrier.kind));
                super::run::set(&mut warp.frames[w.group.frame].registers, d, w.group.mask, |_| value);
            }
            for group in &mut warp.groups {
                if group.mask == w.group.mask && group.frame == w.group.frame {
                    group.wait = Wait::No;
                    group.pc += 1;
                }
            }
        }
    }

    /// Returns the fault of a block whose threads all wait for ever.
    fn never(&self, waiters: &[Waiter]) -> Fault {
        let Some(one) = waiters.first() else {
            return Fault::new(FaultKind::BarrierDivergence, "the block's threads wait for each other");
        };
        let elsewhere = waiters.iter().find(|w| (w.function, w.group.pc) != (one.function, one.group.pc));
        let message = match elsewhere {
            Some(other) => format!(
                "threads wait at different barriers: this one, and thread {} of the block at PTX line {}",
                other.warp * 32 + first(other.group.mask),
                self.line_of(other)
            ),
            None => "threads wait at a barrier for others that never come".into(),
        };
        self.fault(one.warp, &one.group, (FaultKind::BarrierDivergence, message))
    }

    /// Returns a fault at the current instruction of a group.
    fn fault(&self, warp: usize, group: &Group, denied: Denied) -> Fault {
        let warp = &self.warps[warp];
        let function = &self.cx.grid.program.functions[warp.frames[group.frame].function];
        let line = function.code[group.pc as usize].line;
        self.cx.fault(warp.index, first(group.mask), line, denied)
    }
}
