//! A warp: groups of lanes that stand at one instruction, and the loop that runs them.

use std::sync::Arc;

use super::block::Environment;
use super::shared::Shared;
use super::{BarrierKind, CONSTANT, Callee, Code, FUNCTION_WINDOW, Function, Instruction, Mask, SpecialRegister, Src};
use crate::memory::Allocation;
use crate::ops::Lanes;
use crate::{Fault, FaultKind};

/// Calls deeper than this overflow the stack.
const MAX_DEPTH: u32 = 512;
/// After so many instructions a group that waits to be met gets its turn, so that lanes may wait for each other.
const PATIENCE: u32 = 4096;

/// A function's activation for the lanes that called it together.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) function: usize,
    pub(super) registers: Vec<Lanes>,
    /// The param space: `param_bytes` for each lane.
    pub(super) params: Vec<u8>,
    pub(super) local_base: u64,
    parent: Option<usize>,
    return_to: u32,
    /// Where the caller takes the results.
    results: Vec<u64>,
    depth: u32,
    live: u32,
}

/// Lanes at one instruction of one frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    pub(super) mask: u32,
    pub(super) pc: u32,
    pub(super) frame: usize,
    /// At a barrier of the block.
    pub(super) waiting: bool,
    /// At an instruction that other lanes of the warp must reach too.
    pub(super) stalled: bool,
}

/// A fault and the lane that it befell.
pub(super) type Lane<T> = Result<T, (usize, Fault)>;

/// Why a warp stopped running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    Done,
    /// All lanes that are left wait at a barrier.
    Waiting,
    /// Its slice is used up.
    Slice,
}

/// A barrier that a warp's lanes have reached.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrival {
    pub(super) kind: BarrierKind,
    pub(super) id: u64,
    pub(super) threads: Option<u64>,
    pub(super) line: u32,
}

#[derive(Debug)]
pub(super) struct Warp {
    pub(super) index: u32,
    /// The lanes that exist: the last warp of a block may be short.
    pub(super) lanes: u32,
    pub(super) groups: Vec<Group>,
    pub(super) frames: Vec<Frame>,
    free_frames: Vec<usize>,
    pub(super) local: Vec<Local>,
    pub(super) arrival: Option<Arrival>,
    /// Warp-level synchronisations passed.
    pub(super) step: u32,
    pub(super) instructions: u64,
    pub(super) lane_instructions: u64,
    /// The allocation that the last global access hit.
    pub(super) last: Option<Arc<Allocation>>,
    pub(super) line: u32,
}

/// One lane's local memory, with a mark for each byte written.
#[derive(Clone, Debug, Default)]
pub(super) struct Local {
    pub(super) data: Vec<u8>,
    pub(super) written: Vec<bool>,
}

enum Flow {
    Next,
    Jump(u32),
    /// The group was split, moved or taken apart; choose anew.
    Choose,
}

impl Warp {
    pub(super) fn new(index: u32, lanes: u32, env: &Environment<'_>) -> Warp {
        let mut warp = Warp {
            index,
            lanes,
            groups: Vec::new(),
            frames: Vec::new(),
            free_frames: Vec::new(),
            local: vec![Local::default(); 32],
            arrival: None,
            step: 0,
            instructions: 0,
            lane_instructions: 0,
            last: None,
            line: 0,
        };
        let frame = warp.enter(env, env.entry, None, 0, lanes, Vec::new());
        warp.groups.push(Group { mask: lanes, pc: 0, frame, waiting: false, stalled: false });
        warp
    }

    fn enter(
        &mut self,
        env: &Environment<'_>,
        function: usize,
        parent: Option<usize>,
        return_to: u32,
        live: u32,
        results: Vec<u64>,
    ) -> usize {
        let f = &env.program.functions[function];
        let (depth, local_base) = match parent {
            Some(p) => {
                let caller = &self.frames[p];
                let local = env.program.functions[caller.function].local_bytes;
                (caller.depth + 1, (caller.local_base + local).next_multiple_of(16))
            }
            None => (0, 0),
        };
        let params = if f.entry { 0 } else { f.param_bytes as usize * 32 };
        let at = self.free_frames.pop().unwrap_or(self.frames.len());
        if at == self.frames.len() {
            self.frames.push(Frame {
                function,
                registers: Vec::new(),
                params: Vec::new(),
                local_base,
                parent,
                return_to,
                results: Vec::new(),
                depth,
                live,
            });
        }
        let frame = &mut self.frames[at];
        (frame.function, frame.local_base, frame.parent, frame.return_to) = (function, local_base, parent, return_to);
        (frame.depth, frame.live, frame.results) = (depth, live, results);
        frame.registers.clear();
        frame.registers.resize(f.registers as usize, [0; 32]);
        frame.params.clear();
        // An entry's own parameters are the launch's; what it passes to others stands behind them.
        let bytes = if f.entry { f.param_bytes as usize * 32 } else { params };
        frame.params.resize(bytes, 0);
        if f.local_bytes > 0 {
            let end = (local_base + f.local_bytes) as usize;
            for local in &mut self.local {
                local.data.resize(local.data.len().max(end), 0);
                local.written.resize(local.data.len(), false);
                local.written[local_base as usize..end].fill(false);
            }
        }
        at
    }

    /// Runs until the warp is done, waits, or has used up `slice` instructions.
    pub(super) fn run(&mut self, env: &Environment<'_>, shared: &mut Shared, slice: u64) -> Lane<Stop> {
        let limit = self.instructions + slice;
        let mut patience = PATIENCE;
        loop {
            let Some(mut group) = self.choose(patience == 0)? else {
                return Ok(if self.groups.is_empty() { Stop::Done } else { Stop::Waiting });
            };
            if patience == 0 {
                patience = PATIENCE;
            }
            // The nearest instruction at which another group may join.
            let meet = self
                .groups
                .iter()
                .filter(|g| !g.waiting && g.frame == group.frame && g.pc > group.pc)
                .map(|g| g.pc)
                .min();
            let alone = self.groups.is_empty();
            let meet = meet.unwrap_or(u32::MAX);
            let function: &Function = &env.program.functions[self.frames[group.frame].function];
            loop {
                if self.instructions >= limit {
                    self.groups.push(group);
                    return Ok(Stop::Slice);
                }
                if !alone {
                    patience = patience.saturating_sub(1);
                    if patience == 0 {
                        self.groups.push(group);
                        break;
                    }
                }
                let Some(instruction) = function.code.get(group.pc as usize) else {
                    return Err((
                        group.mask.trailing_zeros() as usize,
                        Fault::new(FaultKind::BadOperand, "execution ran past the end of the function"),
                    ));
                };
                self.line = instruction.line;
                let active = match instruction.guard {
                    None => group.mask,
                    Some(g) => {
                        let p = &self.frames[group.frame].registers[g.register as usize];
                        let mut holds = 0u32;
                        for (l, value) in p.iter().enumerate() {
                            holds |= u32::from(value & 1 == g.wanted) << l;
                        }
                        group.mask & holds
                    }
                };
                self.instructions += 1;
                self.lane_instructions += u64::from(active.count_ones());
                if active == 0 {
                    group.pc += 1;
                } else {
                    match self.step(env, shared, function, instruction, &group, active)? {
                        Flow::Next => group.pc += 1,
                        Flow::Jump(to) => {
                            group.pc = to;
                            if !alone {
                                self.groups.push(group);
                                break;
                            }
                        }
                        Flow::Choose => break,
                    }
                }
                if group.pc >= meet {
                    self.groups.push(group);
                    break;
                }
            }
        }
    }

    /// Takes the group to run next: the deepest, and of those the one furthest behind, joined by all at its place.
    fn choose(&mut self, longest_waiting: bool) -> Lane<Option<Group>> {
        let runnable = || self.groups.iter().enumerate().filter(|(_, g)| !g.waiting && !g.stalled);
        let at = if longest_waiting {
            // New and moved groups are pushed at the end.
            runnable().map(|(i, _)| i).next()
        } else {
            runnable().min_by_key(|(_, g)| (u32::MAX - self.frames[g.frame].depth, g.pc)).map(|(i, _)| i)
        };
        let Some(at) = at else {
            return match self.groups.iter().find(|g| g.stalled) {
                Some(g) => Err((
                    g.mask.trailing_zeros() as usize,
                    Fault::new(FaultKind::BarrierDivergence, "lanes wait for others of their warp that never come"),
                )),
                None => Ok(None),
            };
        };
        let mut group = self.groups.remove(at);
        self.groups.retain(|g| {
            let joins = !g.waiting && g.frame == group.frame && g.pc == group.pc;
            if joins {
                group.mask |= g.mask;
            }
            !joins
        });
        Ok(Some(group))
    }

    pub(super) fn source<'a>(&'a self, function: &'a Function, frame: usize, s: Src) -> &'a Lanes {
        if s & CONSTANT != 0 {
            &function.constants[(s & !CONSTANT) as usize]
        } else {
            &self.frames[frame].registers[s as usize]
        }
    }

    pub(super) fn set(&mut self, frame: usize, d: u32, mask: u32, value: impl Fn(usize) -> u64) {
        let target = &mut self.frames[frame].registers[d as usize];
        for l in lanes_of(mask) {
            target[l] = value(l);
        }
    }

    fn step(
        &mut self,
        env: &Environment<'_>,
        shared: &mut Shared,
        function: &Function,
        instruction: &Instruction,
        group: &Group,
        mask: u32,
    ) -> Lane<Flow> {
        let frame = group.frame;
        match &instruction.code {
            Code::Map1(f, d, a) => {
                let a = *self.source(function, frame, *a);
                f(&mut self.frames[frame].registers[*d as usize], &a, mask);
            }
            Code::Map2(f, d, [a, b]) => {
                let (a, b) = (*self.source(function, frame, *a), *self.source(function, frame, *b));
                f(&mut self.frames[frame].registers[*d as usize], &a, &b, mask);
            }
            Code::Map3(f, d, [a, b, c]) => {
                let (a, b) = (*self.source(function, frame, *a), *self.source(function, frame, *b));
                let c = *self.source(function, frame, *c);
                f(&mut self.frames[frame].registers[*d as usize], &a, &b, &c, mask);
            }
            Code::Scalar(f, m, d, s) => {
                let [a, b, c] = s.map(|s| *self.source(function, frame, s));
                self.set(frame, *d, mask, |l| f([a[l], b[l], c[l]], m));
            }
            Code::Lop3(table, d, s) => {
                let [a, b, c] = s.map(|s| *self.source(function, frame, s));
                self.set(frame, *d, mask, |l| crate::ops::int::lop3(a[l], b[l], c[l], *table));
            }
            Code::Bfi(width, d, s) => {
                let [a, b, c, e] = s.map(|s| *self.source(function, frame, s));
                self.set(frame, *d, mask, |l| crate::ops::int::insert(a[l], b[l], c[l], e[l], *width));
            }
            Code::Carry { f, d, s, cc, set } => {
                let [a, b, c] = s.map(|s| *self.source(function, frame, s));
                let carry = *self.source(function, frame, *cc);
                if let Some(d) = d {
                    self.set(frame, *d, mask, |l| f(a[l], b[l], c[l], carry[l]).0);
                }
                if *set {
                    self.set(frame, *cc, mask, |l| f(a[l], b[l], c[l], carry[l]).1);
                }
            }
            Code::Special(d, special) => {
                let values = self.special(env, *special);
                self.set(frame, *d, mask, |l| values[l]);
            }
            Code::LocalAddress(d, offset) => {
                let at = self.frames[frame].local_base + offset;
                self.set(frame, *d, mask, |_| at);
            }
            Code::Pack(d, parts, ty) => {
                let mut out = [0u64; 32];
                for (i, part) in parts.iter().enumerate() {
                    let a = self.source(function, frame, *part);
                    for l in 0..32 {
                        out[l] |= (a[l] & ty.mask()) << (8 * ty.bytes() * i);
                    }
                }
                self.set(frame, *d, mask, |l| out[l]);
            }
            Code::Unpack(targets, a, bits) => {
                let a = *self.source(function, frame, *a);
                for (i, d) in targets.iter().enumerate() {
                    if let Some(d) = d {
                        self.set(frame, *d, mask, |l| a[l] >> (bits * i as u64) & (u64::MAX >> (64 - bits)));
                    }
                }
            }
            Code::Load { .. } | Code::Store { .. } | Code::Atomic { .. } | Code::IsSpace(..) => {
                self.memory(env, shared, function, &instruction.code, frame, mask)?;
            }
            Code::Shuffle { .. }
            | Code::Vote { .. }
            | Code::Match { .. }
            | Code::Redux { .. }
            | Code::ActiveMask(_)
            | Code::WarpSync(_) => {
                if !self.converged(function, &instruction.code, group, mask) {
                    return Ok(Flow::Choose);
                }
                self.across(function, &instruction.code, frame, mask);
            }
            Code::Barrier { kind, id, threads } => {
                if mask != group.mask {
                    let lane = mask.trailing_zeros() as usize;
                    let message = "a barrier stands under a predicate that its lanes do not share";
                    return Err((lane, Fault::new(FaultKind::BarrierDivergence, message)));
                }
                return self.reach(function, group, *kind, *id, *threads, instruction.line);
            }
            Code::Branch(target) => {
                if mask == group.mask {
                    return Ok(Flow::Jump(*target));
                }
                self.groups.push(Group { mask: group.mask & !mask, pc: group.pc + 1, ..*group });
                self.groups.push(Group { mask, pc: *target, ..*group });
                return Ok(Flow::Choose);
            }
            Code::BranchTable(index, targets) => {
                let index = *self.source(function, frame, *index);
                for l in lanes_of(mask) {
                    let Some(&pc) = targets.get(index[l] as u32 as usize) else {
                        let message = format!("branch to entry {} of a table of {}", index[l], targets.len());
                        return Err((l, Fault::new(FaultKind::BadOperand, message)));
                    };
                    self.groups.push(Group { mask: 1 << l, pc, ..*group });
                }
                self.rest(group, mask);
                return Ok(Flow::Choose);
            }
            Code::Call { callee, args, results } => {
                return self.call(env, function, group, mask, callee, args, results);
            }
            Code::Return => {
                self.leave(env, group, mask);
                return Ok(Flow::Choose);
            }
            Code::Exit => {
                let mut at = Some(frame);
                while let Some(f) = at {
                    at = self.frames[f].parent;
                    self.release(f, mask);
                }
                self.rest(group, mask);
                return Ok(Flow::Choose);
            }
            Code::Trap => {
                return Err((mask.trailing_zeros() as usize, Fault::new(FaultKind::Trap, "the kernel ran trap")));
            }
            Code::Nop => {}
        }
        Ok(Flow::Next)
    }

    /// The lanes of the group that an instruction's predicate left out go on behind it.
    fn rest(&mut self, group: &Group, mask: u32) {
        if group.mask & !mask != 0 {
            self.groups.push(Group { mask: group.mask & !mask, pc: group.pc + 1, ..*group });
        }
    }

    fn release(&mut self, frame: usize, mask: u32) {
        self.frames[frame].live &= !mask;
        if self.frames[frame].live == 0 {
            self.free_frames.push(frame);
        }
    }

    fn leave(&mut self, env: &Environment<'_>, group: &Group, mask: u32) {
        let frame = group.frame;
        if let Some(parent) = self.frames[frame].parent {
            let f = &env.program.functions[self.frames[frame].function];
            let results = std::mem::take(&mut self.frames[frame].results);
            for (to, from) in results.iter().zip(&f.returns) {
                self.copy_params((frame, from.offset), (parent, *to), from.bytes, mask, env);
            }
            self.frames[frame].results = results;
            let pc = self.frames[frame].return_to;
            self.groups.push(Group { mask, pc, frame: parent, waiting: false, stalled: false });
        }
        self.rest(group, mask);
        self.release(frame, mask);
    }

    fn copy_params(&mut self, from: (usize, u64), to: (usize, u64), bytes: u64, mask: u32, env: &Environment<'_>) {
        let stride = |w: &Warp, f: usize| env.program.functions[w.frames[f].function].param_bytes as usize;
        let (from_stride, to_stride) = (stride(self, from.0), stride(self, to.0));
        for l in lanes_of(mask) {
            let start = l * from_stride + from.1 as usize;
            let end = (start + bytes as usize).min((l + 1) * from_stride);
            let taken = self.frames[from.0].params[start.min(end)..end].to_vec();
            let start = l * to_stride + to.1 as usize;
            let room = ((l + 1) * to_stride).saturating_sub(start).min(taken.len());
            self.frames[to.0].params[start..start + room].copy_from_slice(&taken[..room]);
        }
    }

    #[expect(clippy::too_many_arguments, reason = "a call is made of all of these")]
    fn call(
        &mut self,
        env: &Environment<'_>,
        function: &Function,
        group: &Group,
        mask: u32,
        callee: &Callee,
        args: &[u64],
        results: &[u64],
    ) -> Lane<Flow> {
        let targets: Vec<(usize, u32)> = match callee {
            Callee::Function(f) => vec![(*f, mask)],
            Callee::System(which) => {
                self.system(env, *which, group.frame, mask, args, results)?;
                return Ok(Flow::Next);
            }
            Callee::Indirect(s) => {
                let addresses = *self.source(function, group.frame, *s);
                let mut targets: Vec<(usize, u32)> = Vec::new();
                for l in lanes_of(mask) {
                    let f = addresses[l].wrapping_sub(FUNCTION_WINDOW) as usize;
                    if f >= env.program.functions.len() || env.program.functions[f].entry {
                        let message = format!("call of {:#x}, which is no function", addresses[l]);
                        return Err((l, Fault::new(FaultKind::BadOperand, message)));
                    }
                    match targets.iter_mut().find(|t| t.0 == f) {
                        Some(t) => t.1 |= 1 << l,
                        None => targets.push((f, 1 << l)),
                    }
                }
                targets
            }
        };
        if self.frames[group.frame].depth >= MAX_DEPTH {
            let lane = mask.trailing_zeros() as usize;
            return Err((
                lane,
                Fault::new(FaultKind::OutOfBounds, format!("calls are nested deeper than {MAX_DEPTH}")),
            ));
        }
        for (f, lanes) in targets {
            let frame = self.enter(env, f, Some(group.frame), group.pc + 1, lanes, results.to_vec());
            for (from, to) in args.iter().zip(&env.program.functions[f].params) {
                self.copy_params((group.frame, *from), (frame, to.offset), to.bytes, lanes, env);
            }
            self.groups.push(Group { mask: lanes, pc: 0, frame, waiting: false, stalled: false });
        }
        self.rest(group, mask);
        Ok(Flow::Choose)
    }

    /// A group has reached a barrier: it waits until the warp's other lanes have come there too.
    fn reach(
        &mut self,
        function: &Function,
        group: &Group,
        kind: BarrierKind,
        id: Src,
        threads: Option<Src>,
        line: u32,
    ) -> Lane<Flow> {
        let lane = group.mask.trailing_zeros() as usize;
        let id = self.source(function, group.frame, id)[lane];
        let threads = threads.map(|t| self.source(function, group.frame, t)[lane]);
        self.groups.push(Group { waiting: true, ..*group });
        if self.groups.iter().all(|g| g.waiting) {
            if self.groups.iter().any(|g| g.pc != group.pc || g.frame != group.frame) {
                let message = "lanes of one warp wait at different barriers";
                return Err((lane, Fault::new(FaultKind::BarrierDivergence, message)));
            }
            self.arrival = Some(Arrival { kind, id, threads, line });
        }
        Ok(Flow::Choose)
    }

    /// The barrier is open: every group goes on behind it.
    pub(super) fn proceed(&mut self) {
        self.arrival = None;
        for g in &mut self.groups {
            g.waiting = false;
            g.pc += 1;
        }
    }

    fn special(&self, env: &Environment<'_>, special: SpecialRegister) -> Lanes {
        let mut out = [0u64; 32];
        for (l, value) in out.iter_mut().enumerate() {
            let thread = env.thread(self.index * 32 + l as u32);
            *value = match special {
                SpecialRegister::Tid(axis) => thread[axis].into(),
                SpecialRegister::Ntid(axis) => env.block_size[axis].into(),
                SpecialRegister::Ctaid(axis) => env.block[axis].into(),
                SpecialRegister::Nctaid(axis) => env.grid[axis].into(),
                SpecialRegister::LaneId => l as u64,
                SpecialRegister::WarpId => self.index.into(),
                SpecialRegister::NWarpId => env.threads().div_ceil(32).into(),
                SpecialRegister::LaneMask(Mask::Eq) => 1 << l,
                SpecialRegister::LaneMask(Mask::Lt) => (1 << l) - 1,
                SpecialRegister::LaneMask(Mask::Le) => (2 << l) - 1,
                SpecialRegister::LaneMask(Mask::Ge) => 0xffff_ffff & !((1u64 << l) - 1),
                SpecialRegister::LaneMask(Mask::Gt) => 0xffff_ffff & !((2u64 << l) - 1),
                SpecialRegister::Clock => self.instructions,
                SpecialRegister::DynamicShared => env.dynamic_shared.into(),
                SpecialRegister::TotalShared => env.shared_bytes as u64,
                SpecialRegister::NSmId => 1,
                SpecialRegister::GridId | SpecialRegister::SmId | SpecialRegister::Zero => 0,
            };
        }
        out
    }
}

/// The lanes of a mask, in order.
pub(super) fn lanes_of(mask: u32) -> impl Iterator<Item = usize> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        if rest == 0 {
            return None;
        }
        let l = rest.trailing_zeros() as usize;
        rest &= rest - 1;
        Some(l)
    })
}
