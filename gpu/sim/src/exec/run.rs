//! The interpreter loop of a warp.

use super::block::{Context, Pause};
use super::warp::{Group, Lane, Wait, Warp, first, lanes_of};
use super::{CONSTANT, Code, Function, Guard, Instruction, Src};
use crate::FaultKind;
use crate::ops::{Lanes, int};

/// The effect of an instruction on its group.
pub(super) enum Flow {
    Next,
    Jump(u32),
    /// The group was split or suspended.
    Gone,
}

/// Returns the message of `trap`, which the compiler emits for code with undefined behaviour.
fn trap_message(constants: &[String]) -> String {
    let compiled = if constants.is_empty() {
        "code that has no defined behaviour, such as a division by a constant zero".into()
    } else {
        format!("a write to __constant__ memory ({}), which the host alone can write", constants.join(", "))
    };
    format!("the kernel ran trap: __trap() in its source, or {compiled}")
}

static ZERO: Lanes = [0; 32];

/// Returns the lanes of a register or a constant.
#[inline]
pub(super) fn row<'a>(registers: &'a [Lanes], function: &'a Function, s: Src) -> &'a Lanes {
    if s & CONSTANT != 0 { &function.constants[(s & !CONSTANT) as usize] } else { &registers[s as usize] }
}

#[inline]
pub(super) fn set(registers: &mut [Lanes], d: u32, mask: u32, value: impl Fn(usize) -> u64) {
    set_row(&mut registers[d as usize], mask, value);
}

#[inline]
fn set_row(target: &mut Lanes, mask: u32, value: impl Fn(usize) -> u64) {
    if mask == u32::MAX {
        for (l, slot) in target.iter_mut().enumerate() {
            *slot = value(l);
        }
    } else {
        for l in lanes_of(mask) {
            target[l] = value(l);
        }
    }
}

/// Returns the lanes for which a guard is true.
#[inline]
fn holding(registers: &[Lanes], guard: Guard) -> u32 {
    let p = &registers[guard.register as usize];
    let mut set = 0;
    for (l, value) in p.iter().enumerate() {
        set |= ((*value & 1) as u32) << l;
    }
    if guard.wanted == 1 { set } else { !set }
}

/// Borrows a target separately from the other registers. A source that is the target itself is read from a copy.
struct Apart<'a> {
    before: &'a [Lanes],
    target: &'a mut Lanes,
    after: &'a [Lanes],
    d: u32,
    function: &'a Function,
}

impl<'a> Apart<'a> {
    #[inline]
    fn new(registers: &'a mut [Lanes], function: &'a Function, d: u32) -> Option<Apart<'a>> {
        let (before, rest) = registers.split_at_mut(d as usize);
        let (target, after) = rest.split_first_mut()?;
        Some(Apart { before, target, after, d, function })
    }

    #[inline]
    fn find<'b>(before: &'b [Lanes], after: &'b [Lanes], f: &'b Function, d: u32, s: Src, own: &'b Lanes) -> &'b Lanes {
        if s & CONSTANT != 0 {
            &f.constants[(s & !CONSTANT) as usize]
        } else if s < d {
            &before[s as usize]
        } else if s > d {
            &after[(s - d - 1) as usize]
        } else {
            own
        }
    }

    /// Applies `f` to the target and the sources.
    #[inline]
    fn apply<const N: usize>(self, sources: &[Src; N], f: impl FnOnce(&mut Lanes, [&Lanes; N])) {
        let own;
        let own = if sources.contains(&self.d) {
            own = *self.target;
            &own
        } else {
            &ZERO
        };
        let mut rows = [&ZERO; N];
        for (row, s) in rows.iter_mut().zip(sources) {
            *row = Self::find(self.before, self.after, self.function, self.d, *s, own);
        }
        f(self.target, rows);
    }
}

impl Warp {
    pub(super) fn run(&mut self, cx: &mut Context<'_>, slice: u64) -> Lane<Pause> {
        let end = self.instructions + slice;
        loop {
            let Some(mut group) = self.choose() else {
                if self.live == 0 {
                    return Ok(Pause::Done);
                }
                if self.release_members(cx)? {
                    continue;
                }
                return Ok(Pause::Waiting);
            };
            if self.instructions >= end {
                self.groups.push(group);
                self.take_turns();
                return Ok(Pause::Slice);
            }
            let frame = group.frame;
            let mut registers = std::mem::take(&mut self.frames[frame].registers);
            let function = &cx.grid.program.functions[self.frames[frame].function];
            let ran = self.run_group(cx, function, &mut registers, &mut group, end);
            self.frames[frame].registers = registers;
            ran?;
            if std::mem::take(&mut self.tired) {
                self.take_turns();
                return Ok(Pause::Slice);
            }
        }
    }

    fn run_group(
        &mut self,
        cx: &mut Context<'_>,
        function: &Function,
        registers: &mut [Lanes],
        group: &mut Group,
        end: u64,
    ) -> Lane<()> {
        let meeting = self.meeting(group);
        let alone = self.groups.is_empty();
        loop {
            if self.instructions >= end || group.pc >= meeting {
                self.groups.push(*group);
                return Ok(());
            }
            let Some(instruction) = function.code.get(group.pc as usize) else {
                return Err((
                    first(group.mask),
                    (FaultKind::BadOperand, "execution ran past the function's end".into()),
                ));
            };
            let mask = match instruction.guard {
                None => group.mask,
                Some(guard) => group.mask & holding(registers, guard),
            };
            self.instructions += 1;
            self.lane_instructions += u64::from(mask.count_ones());
            if self.undefined != 0 {
                self.follow(cx, function, registers, group, instruction, mask)?;
            }
            if mask == 0 {
                group.pc += 1;
                continue;
            }
            self.line = instruction.line;
            match self.step(cx, function, registers, instruction, group, mask)? {
                Flow::Next => group.pc += 1,
                Flow::Jump(to) => {
                    group.jump = (group.pc, to);
                    group.pc = to;
                    if !alone {
                        self.groups.push(*group);
                        return Ok(());
                    }
                }
                Flow::Gone => return Ok(()),
            }
        }
    }

    #[inline]
    fn step(
        &mut self,
        cx: &mut Context<'_>,
        function: &Function,
        registers: &mut [Lanes],
        instruction: &Instruction,
        group: &mut Group,
        mask: u32,
    ) -> Lane<Flow> {
        match &instruction.code {
            Code::Map1(f, d, a) => {
                if let Some(apart) = Apart::new(registers, function, *d) {
                    apart.apply(&[*a], |target, [a]| f(target, a, mask));
                }
            }
            Code::Map2(f, d, s) => {
                if let Some(apart) = Apart::new(registers, function, *d) {
                    apart.apply(s, |target, [a, b]| f(target, a, b, mask));
                }
            }
            Code::Map3(f, d, s) => {
                if let Some(apart) = Apart::new(registers, function, *d) {
                    apart.apply(s, |target, [a, b, c]| f(target, a, b, c, mask));
                }
            }
            Code::Scalar(f, m, d, s) => {
                if let Some(apart) = Apart::new(registers, function, *d) {
                    apart.apply(s, |target, [a, b, c]| set_row(target, mask, |l| f([a[l], b[l], c[l]], m)));
                }
            }
            Code::Lop3(table, d, s) => {
                if let Some(apart) = Apart::new(registers, function, *d) {
                    let table = *table;
                    apart.apply(s, |target, [a, b, c]| {
                        set_row(target, mask, |l| int::lop3(a[l], b[l], c[l], table));
                    });
                }
            }
            Code::Bfi(width, d, s) => {
                let [a, b, c, e] = s.map(|s| *row(registers, function, s));
                set(registers, *d, mask, |l| int::insert(a[l], b[l], c[l], e[l], *width));
            }
            Code::Video(video, d, s) => {
                let [a, b, c] = s.map(|s| *row(registers, function, s));
                set(registers, *d, mask, |l| video.apply(a[l], b[l], c[l]));
            }
            Code::Carry { f, d, s, cc, set: sets, .. } => {
                let [a, b, c] = s.map(|s| *row(registers, function, s));
                let carry = *row(registers, function, *cc);
                if let Some(d) = d {
                    set(registers, *d, mask, |l| f(a[l], b[l], c[l], carry[l]).0);
                }
                if *sets {
                    set(registers, *cc, mask, |l| f(a[l], b[l], c[l], carry[l]).1);
                }
            }
            Code::Pack(d, parts, ty) => {
                let mut out = [0u64; 32];
                for (i, part) in parts.iter().enumerate() {
                    let a = row(registers, function, *part);
                    for l in 0..32 {
                        out[l] |= (a[l] & ty.mask()) << (8 * ty.bytes() * i);
                    }
                }
                set(registers, *d, mask, |l| out[l]);
            }
            Code::Unpack(targets, a, bits) => {
                let a = *row(registers, function, *a);
                for (i, d) in targets.iter().enumerate() {
                    if let Some(d) = d {
                        set(registers, *d, mask, |l| a[l] >> (bits * i as u64) & u64::MAX >> (64 - bits));
                    }
                }
            }
            Code::Special(d, special) => {
                let values = self.special(cx, *special);
                set(registers, *d, mask, |l| values[l]);
            }
            Code::LocalAddress(d, offset) => {
                let at = self.frames[group.frame].local_base + offset;
                set(registers, *d, mask, |_| at);
            }
            Code::Alloca(d, bytes, align) => {
                let bytes = *row(registers, function, *bytes);
                let addresses = self.alloca(group.frame, &bytes, *align, mask)?;
                set(registers, *d, mask, |l| addresses[l]);
            }
            Code::StackSave(d) => {
                let stack = self.frames[group.frame].stack;
                set(registers, *d, mask, |l| stack[l]);
            }
            Code::StackRestore(a) => self.stack_restore(group.frame, row(registers, function, *a), mask),
            Code::IsSpace(space, d, a) => {
                let a = *row(registers, function, *a);
                set(registers, *d, mask, |l| u64::from(super::access::space_of(a[l]) == *space));
            }
            Code::Load(load) => self.load(cx, function, registers, group.frame, load, mask)?,
            Code::Store(store) => self.store(cx, function, registers, group.frame, store, mask)?,
            Code::Atomic(atomic) => self.atomic(cx, function, registers, group.frame, atomic, mask)?,
            Code::Image(image) => self.image(cx, function, registers, group.frame, image, mask)?,
            Code::Branch(target) => {
                if mask == group.mask {
                    return Ok(Flow::Jump(*target));
                }
                self.split(cx, function, group, mask, *target);
                self.groups.push(Group { mask: group.mask & !mask, pc: group.pc + 1, ..*group });
                return Ok(Flow::Gone);
            }
            Code::BranchTable(index, targets) => {
                let index = *row(registers, function, *index);
                let mut rest = mask;
                while rest != 0 {
                    let l = first(rest);
                    let Some(&pc) = targets.get(index[l] as u32 as usize) else {
                        let message = format!("a branch to entry {} of a table of {}", index[l] as u32, targets.len());
                        return Err((l, (FaultKind::BadOperand, message)));
                    };
                    let same =
                        lanes_of(rest).filter(|&k| index[k] as u32 == index[l] as u32).fold(0, |m, k| m | 1 << k);
                    self.split(cx, function, group, same, pc);
                    rest &= !same;
                }
                if group.mask != mask {
                    self.groups.push(Group { mask: group.mask & !mask, pc: group.pc + 1, ..*group });
                }
                return Ok(Flow::Gone);
            }
            Code::Call(call) => return self.call(cx, function, registers, group, call, mask),
            Code::Return | Code::Exit => {
                let rest = group.mask & !mask;
                if matches!(instruction.code, Code::Exit) || self.frames[group.frame].parent.is_none() {
                    self.exit(group, mask);
                } else {
                    self.give_back(cx, group, mask);
                }
                if rest == 0 {
                    return Ok(Flow::Gone);
                }
                group.mask = rest;
            }
            Code::Trap => return Err((first(mask), (FaultKind::Trap, trap_message(&cx.grid.program.constants)))),
            Code::Barrier(barrier) => {
                if barrier.kind == super::BarrierKind::Arrive {
                    self.arrive(cx, function, registers, barrier, mask)?;
                    return Ok(Flow::Next);
                }
                let rest = group.mask & !mask;
                if rest != 0 {
                    self.groups.push(Group { mask: rest, pc: group.pc + 1, ..*group });
                    group.mask = mask;
                }
                self.join(group, Wait::Barrier);
                self.groups.push(Group { wait: Wait::Barrier, ..*group });
                return Ok(Flow::Gone);
            }
            Code::Collective(what, members) => {
                return self.collective(cx, function, registers, group, what, *members, mask);
            }
            Code::Divisor(b, ones) => {
                let b = row(registers, function, *b);
                if let Some(l) = lanes_of(mask).find(|&l| b[l] & ones == 0) {
                    self.divided_by_zero(group.frame, instruction, l)?;
                }
            }
            Code::Async(what) => self.asynchronous(cx, function, registers, group.frame, what, mask)?,
            Code::Mbarrier(what) => return self.mbarrier(cx, function, registers, group, what, mask),
            Code::ActiveMask(d) => set(registers, *d, mask, |_| mask.into()),
            Code::Fence => {
                cx.sync();
                std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst);
            }
            Code::Nothing => {}
        }
        Ok(Flow::Next)
    }

    /// Sends lanes to a branch target; lanes that branch to the end of the kernel exit at once.
    fn split(&mut self, cx: &Context<'_>, function: &Function, group: &Group, mask: u32, to: u32) {
        let there = Group { mask, pc: to, jump: (group.pc, to), ..*group };
        let ends = function
            .code
            .get(to as usize)
            .is_some_and(|i| i.guard.is_none() && matches!(i.code, Code::Return | Code::Exit));
        if ends && self.frames[group.frame].parent.is_none() && cx.grid.program.functions[cx.grid.entry].entry {
            self.exit(&there, mask);
        } else {
            self.groups.push(there);
        }
    }
}
