//! Instructions in which lanes of a warp exchange values.

use super::block::Context;
use super::run::{Flow, row, set};
use super::warp::{Group, Lane, Wait, Warp, first, lanes_of};
use super::{Code, Collective, Function, ReduxKind, ShuffleKind, Src, VoteKind};
use crate::FaultKind;
use crate::ops::{Lanes, Type};

impl Warp {
    /// Executes a collective for the lanes of `mask`, once all lanes of their member masks have arrived.
    #[allow(clippy::too_many_arguments)] // The parts of an instruction, and where it runs.
    #[inline(never)]
    pub(super) fn collective(
        &mut self,
        cx: &mut Context<'_>,
        function: &Function,
        registers: &mut [Lanes],
        group: &mut Group,
        what: &Collective,
        members: Option<Src>,
        mask: u32,
    ) -> Lane<Flow> {
        let Some(members) = members else {
            self.exchange(cx, registers, function, group.frame, what, mask)?;
            return Ok(Flow::Next);
        };
        let rest = group.mask & !mask;
        if rest != 0 {
            self.groups.push(Group { mask: rest, pc: group.pc + 1, ..*group });
            group.mask = mask;
        }
        self.join(group, Wait::Members);
        let mask = group.mask;
        let members = *row(registers, function, members);
        let wanted = lanes_of(mask).fold(0, |all, l| all | members[l] as u32);
        if wanted & self.live & !mask != 0 {
            self.groups.push(Group { wait: Wait::Members, ..*group });
            return Ok(Flow::Gone);
        }
        self.each_team(cx, function, registers, group.frame, what, &members, mask)?;
        if rest == 0 {
            return Ok(Flow::Next);
        }
        self.groups.push(Group { pc: group.pc + 1, ..*group });
        Ok(Flow::Gone)
    }

    /// Executes a collective for each set of lanes with the same members.
    #[allow(clippy::too_many_arguments)] // The parts of an instruction, and where it runs.
    fn each_team(
        &mut self,
        cx: &mut Context<'_>,
        function: &Function,
        registers: &mut [Lanes],
        frame: usize,
        what: &Collective,
        members: &Lanes,
        mask: u32,
    ) -> Lane<()> {
        let mut rest = mask;
        while rest != 0 {
            let named = members[first(rest)] as u32;
            let team = lanes_of(rest).filter(|&l| members[l] as u32 == named).fold(0, |m, l| m | 1 << l);
            if team & !named != 0 {
                let lane = first(team & !named);
                let message = format!("lane {lane} is not in the member mask {named:#010x} that it names itself");
                return Err((lane, (FaultKind::LaneMask, message)));
            }
            if mask & named & !team != 0 {
                let (lane, other) = (first(team), first(mask & named & !team));
                let message = format!(
                    "lane {lane} names the members {named:#010x}, and lane {other} of them names {:#010x}",
                    members[other] as u32
                );
                return Err((lane, (FaultKind::LaneMask, message)));
            }
            self.exchange(cx, registers, function, frame, what, team)?;
            rest &= !team;
        }
        self.epoch += 1;
        Ok(())
    }

    /// Executes a collective for one set of lanes, marks first.
    fn exchange(
        &mut self,
        cx: &mut Context<'_>,
        registers: &mut [Lanes],
        function: &Function,
        frame: usize,
        what: &Collective,
        team: u32,
    ) -> Lane<()> {
        if let Collective::Matrix(matrix) = what {
            return self.matrix(cx, registers, function, frame, matrix, team);
        }
        let absent = match what {
            Collective::Shuffle { kind, sources: [_, b, c], .. } => {
                let [b, c] = [b, c].map(|s| row(registers, function, *s));
                let from = |l: usize| shuffle_source(*kind, l, b[l] as u32, c[l] as u32).0;
                lanes_of(team).any(|l| team >> from(l) & 1 == 0)
            }
            _ => false,
        };
        if self.undefined != 0 || absent {
            self.exchange_marks(cx, registers, function, frame, what, team)?;
        }
        run(registers, function, what, team);
        Ok(())
    }

    /// Releases the lanes whose members have all arrived, possibly at different instructions, when no group can run.
    /// Returns false if all remaining lanes wait at barriers.
    pub(super) fn release_members(&mut self, cx: &mut Context<'_>) -> Lane<bool> {
        let waiting: Vec<Group> = self.groups.iter().copied().filter(|g| g.wait == Wait::Members).collect();
        if waiting.is_empty() {
            return Ok(false);
        }
        // Lanes at a plain synchronisation match those at any other one; every other collective requires the same
        // instruction.
        let mut synced = 0;
        let mut named = [0u32; 32];
        let mut positions = [(0, 0); 32];
        for g in &waiting {
            let frame = &self.frames[g.frame];
            let function = &cx.grid.program.functions[frame.function];
            let Code::Collective(what, Some(members)) = &function.code[g.pc as usize].code else { continue };
            let plain = matches!(**what, Collective::Sync);
            for l in lanes_of(g.mask) {
                named[l] = row(&frame.registers, function, *members)[l] as u32 & self.live;
                positions[l] = if plain { (usize::MAX, 0) } else { (g.frame, g.pc) };
                synced |= 1 << l;
            }
        }
        let ready = lanes_of(synced)
            .filter(|&l| {
                lanes_of(named[l]).all(|k| synced >> k & 1 == 1 && positions[k] == positions[l] && named[k] == named[l])
            })
            .fold(0u32, |m, l| m | 1 << l);
        if ready == 0 {
            let g = waiting[0];
            self.line = cx.grid.program.functions[self.frames[g.frame].function].code[g.pc as usize].line;
            let missing = named[first(g.mask)] & !synced;
            let message = match missing {
                0 => "lanes of a warp wait for each other at different instructions".to_string(),
                _ => format!("lanes wait for lane {} of their warp, which does not come", first(missing)),
            };
            return Err((first(g.mask), (FaultKind::BarrierDivergence, message)));
        }
        self.groups.retain(|g| g.wait != Wait::Members);
        for g in waiting {
            let now = g.mask & ready;
            if g.mask != now {
                self.groups.push(Group { mask: g.mask & !now, ..g });
            }
            if now == 0 {
                continue;
            }
            let mut registers = std::mem::take(&mut self.frames[g.frame].registers);
            let function = &cx.grid.program.functions[self.frames[g.frame].function];
            if let Code::Collective(what, Some(members)) = &function.code[g.pc as usize].code {
                let members = *row(&registers, function, *members);
                self.line = function.code[g.pc as usize].line;
                self.each_team(cx, function, &mut registers, g.frame, what, &members, now)?;
            }
            self.frames[g.frame].registers = registers;
            self.groups.push(Group { mask: now, pc: g.pc + 1, wait: Wait::No, ..g });
        }
        Ok(true)
    }
}

fn run(registers: &mut [Lanes], function: &Function, what: &Collective, mask: u32) {
    match what {
        // Matrix instructions are executed before this, with access to the block's memory.
        Collective::Sync | Collective::Matrix(_) => {}
        Collective::Shuffle { kind, d, p, sources } => {
            let [a, b, c] = sources.map(|s| *row(registers, function, s));
            let from: [(usize, bool); 32] = std::array::from_fn(|l| shuffle_source(*kind, l, b[l] as u32, c[l] as u32));
            set_both(registers, [*d, *p], mask, |l| a[from[l].0], |l| from[l].1.into());
        }
        Collective::Vote { kind, d, a } => {
            let a = *row(registers, function, *a);
            let ballot = lanes_of(mask).filter(|&l| a[l] & 1 == 1).fold(0u32, |m, l| m | 1 << l);
            let value = match kind {
                VoteKind::All => u64::from(ballot == mask),
                VoteKind::Any => u64::from(ballot != 0),
                VoteKind::Uniform => u64::from(ballot == 0 || ballot == mask),
                VoteKind::Ballot => ballot.into(),
            };
            set_both(registers, [*d, None], mask, |_| value, |_| 0);
        }
        Collective::MatchAny { d, a } => {
            let a = *row(registers, function, *a);
            let same = |l: usize| lanes_of(mask).filter(|&k| a[k] == a[l]).fold(0u64, |m, k| m | 1 << k);
            set_both(registers, [*d, None], mask, same, |_| 0);
        }
        Collective::MatchAll { d, p, a } => {
            let a = *row(registers, function, *a);
            let same = lanes_of(mask).all(|l| a[l] == a[first(mask)]);
            set_both(registers, [*d, *p], mask, |_| if same { mask.into() } else { 0 }, |_| same.into());
        }
        Collective::Redux { kind, ty, d, a } => {
            let a = *row(registers, function, *a);
            let value = lanes_of(mask).map(|l| a[l] as u32).reduce(|x, y| redux(*kind, *ty, x, y)).unwrap_or(0);
            set_both(registers, [*d, None], mask, |_| value.into(), |_| 0);
        }
    }
}

fn set_both(
    registers: &mut [Lanes],
    [d, p]: [Option<u32>; 2],
    mask: u32,
    value: impl Fn(usize) -> u64,
    truth: impl Fn(usize) -> u64,
) {
    if let Some(d) = d {
        set(registers, d, mask, value);
    }
    if let Some(p) = p {
        set(registers, p, mask, truth);
    }
}

/// Returns the source lane of a shuffle, and whether it is in range; out of range a lane reads itself.
pub(crate) fn shuffle_source(kind: ShuffleKind, lane: usize, b: u32, c: u32) -> (usize, bool) {
    let lane = lane as u32;
    let (b, clamp, segment) = (b & 31, c & 31, c >> 8 & 31);
    let last = (lane & segment) | (clamp & !segment);
    let start = lane & segment;
    let (from, inside) = match kind {
        ShuffleKind::Up => (lane.wrapping_sub(b), lane as i32 - b as i32 >= last as i32),
        ShuffleKind::Down => (lane + b, lane + b <= last),
        ShuffleKind::Butterfly => (lane ^ b, (lane ^ b) <= last),
        ShuffleKind::Index => {
            let from = start | (b & !segment);
            (from, from <= last)
        }
    };
    if inside { ((from & 31) as usize, true) } else { (lane as usize, false) }
}

fn redux(kind: ReduxKind, ty: Type, x: u32, y: u32) -> u32 {
    match kind {
        ReduxKind::Add => x.wrapping_add(y),
        ReduxKind::And => x & y,
        ReduxKind::Or => x | y,
        ReduxKind::Xor => x ^ y,
        ReduxKind::Min if ty == Type::S32 => (x as i32).min(y as i32) as u32,
        ReduxKind::Max if ty == Type::S32 => (x as i32).max(y as i32) as u32,
        ReduxKind::Min => x.min(y),
        ReduxKind::Max => x.max(y),
    }
}
