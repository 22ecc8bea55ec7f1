//! Marks of undefined bits in a warp's registers and parameters.
//!
//! Memory tracks which of its bits are uninitialised. A load of them is no fault: compilers load ahead of a branch, and
//! copies of structs include their padding. The marks follow the value instead, and a fault is raised by what *depends*
//! on it: the direction of a branch, an address, the members of a barrier or a vote, the source lane of a shuffle, a
//! copy to the host.
//!
//! Marks are bits, because programs assemble bit-fields and mask undefined bits away. A register has a row of marks
//! only while some lane of it is undefined; a warp without such a row runs as if there were no marks.
//!
//! A register that is read before it is written is zero, and defined: a compiler may leave one uninitialised and branch
//! on it, if both branches are correct.

use super::block::Context;
use super::run::row;
use super::warp::{Frame, Group, Lane, Warp, lanes_of};
use super::{Async, CONSTANT, Callee, Code, Collective, Function, Instruction, Matrix, Src};
use crate::FaultKind;
use crate::memory::Denied;
use crate::ops::undefined::Rule;
use crate::ops::{Lanes, int};

/// The origin of an undefined value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Source {
    #[default]
    Nowhere,
    /// Memory: its address and the bytes read.
    Global(u64, u32),
    Local(u64, u32),
    /// `true` if it is uninitialised; else an undefined value was stored there.
    Shared(u64, u32, bool),
    /// A shuffle from a lane that does not take part.
    AbsentLane(u32),
    /// Memory of the kernel's parameters or of a call's.
    Param,
}

/// The instruction that read an undefined value, and the thread that ran it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Origin {
    pub(super) source: Source,
    pub(super) line: u32,
    /// The thread's index in its block.
    pub(super) thread: u32,
}

/// The marks of one register.
#[derive(Clone, Debug, Default)]
pub(super) struct Row {
    pub(super) bits: Lanes,
    pub(super) origin: [Origin; 32],
}

/// The marks of a frame: of its registers, followed by those of the words of its param space.
pub(super) type Rows = Vec<Option<Box<Row>>>;

static DEFINED: Lanes = [0; 32];

impl Warp {
    /// Returns the marks of a source; `None` if all bits are defined.
    fn marks(&self, frame: usize, s: Src) -> Option<&Row> {
        if s & CONSTANT != 0 {
            return None;
        }
        self.frames[frame].marks.get(s as usize)?.as_deref()
    }

    /// Returns the undefined bits of a source in one lane, and their origin.
    pub(super) fn mark_of(&self, frame: usize, s: Src, lane: usize) -> (u64, Origin) {
        self.marks(frame, s).map_or((0, Origin::default()), |row| (row.bits[lane], row.origin[lane]))
    }

    /// Returns true if any of these sources has a mark.
    pub(super) fn any_marks(&self, frame: usize, sources: &[Src]) -> bool {
        self.undefined != 0 && sources.iter().any(|&s| self.marks(frame, s).is_some())
    }

    /// Sets the marks of a register's lanes. `at` is a register, or a word of the param space after them.
    #[inline(never)]
    pub(super) fn set_marks(&mut self, frame: usize, at: usize, mask: u32, marks: impl Fn(usize) -> (u64, Origin)) {
        let frame = &mut self.frames[frame];
        let undefined = lanes_of(mask).any(|l| marks(l).0 != 0);
        if !undefined && frame.marks.get(at).is_none_or(Option::is_none) {
            return;
        }
        if frame.marks.len() <= at {
            frame.marks.resize(at + 1, None);
        }
        let slot = &mut frame.marks[at];
        if slot.is_none() {
            self.undefined += 1;
        }
        let row = slot.get_or_insert_default();
        for l in lanes_of(mask) {
            (row.bits[l], row.origin[l]) = marks(l);
        }
        if row.bits == DEFINED {
            *slot = None;
            self.undefined -= 1;
        }
    }

    /// Clears the marks of lanes of a register that are written with a defined value.
    pub(super) fn define(&mut self, frame: usize, d: u32, mask: u32) {
        if self.undefined != 0 {
            self.set_marks(frame, d as usize, mask, |_| (0, Origin::default()));
        }
    }

    /// Discards the marks of a frame.
    pub(super) fn forget(&mut self, frame: usize) {
        if self.undefined != 0 {
            let marks = &mut self.frames[frame].marks;
            self.undefined -= marks.iter().flatten().count();
            marks.clear();
        }
    }

    /// Returns the undefined bits of some bytes of a param space.
    pub(super) fn param_marks(&self, frame: usize, lane: usize, at: u64, bytes: u32) -> (u64, Origin) {
        let (bits, mut origin) = self.mark_of(frame, param_register(&self.frames[frame], at) as u32, lane);
        if origin.source == Source::Nowhere {
            origin.source = Source::Param;
        }
        (bits >> (8 * (at % 8)) & u64::MAX >> (64 - 8 * bytes), origin)
    }

    pub(super) fn set_param_marks(
        &mut self,
        frame: usize,
        lane: usize,
        at: u64,
        bytes: u32,
        (bits, origin): (u64, Origin),
    ) {
        let register = param_register(&self.frames[frame], at);
        let (old, from) = self.mark_of(frame, register as u32, lane);
        let shift = 8 * (at % 8);
        let ones = u64::MAX >> (64 - 8 * bytes) << shift;
        let origin = if bits != 0 { origin } else { from };
        self.set_marks(frame, register, 1 << lane, |_| (old & !ones | bits << shift & ones, origin));
    }

    /// Raises a fault where lanes depend on an undefined source. `bits`: those that matter.
    fn depends(&self, cx: &Context<'_>, frame: usize, s: Src, bits: u64, mask: u32, what: &str) -> Lane<()> {
        let Some(row) = self.marks(frame, s) else { return Ok(()) };
        match lanes_of(mask).find(|&l| row.bits[l] & bits != 0) {
            Some(l) => Err((l, depends_on(cx, what, &row.origin[l]))),
            None => Ok(()),
        }
    }

    /// Checks the operands on which an instruction depends, and marks its result. It runs before the instruction, and
    /// only while the warp has marks. Loads, stores, atomics, calls and collectives mark their results themselves.
    #[cold]
    #[inline(never)]
    pub(super) fn follow(
        &mut self,
        cx: &Context<'_>,
        function: &Function,
        registers: &[Lanes],
        group: &Group,
        instruction: &Instruction,
        mask: u32,
    ) -> Lane<()> {
        self.line = instruction.line;
        let frame = group.frame;
        if let Some(guard) = instruction.guard {
            let what = match instruction.code {
                Code::Branch(_) => "a branch",
                Code::Barrier(_) => "who comes to a barrier",
                Code::Collective(..) => "who takes part in an exchange between lanes",
                Code::Return | Code::Exit => "a return",
                _ => "whether an instruction runs",
            };
            self.depends(cx, frame, guard.register, 1, group.mask, what)?;
        }
        let check = |s: Src, what: &str| self.depends(cx, frame, s, u64::MAX, mask, what);
        let rule = instruction.rule;
        match &instruction.code {
            Code::Map1(f, d, a) => {
                self.carry(frame, *d, mask, rule, [*a], function, registers, |d, [a]| f(d, a, u32::MAX))
            }
            Code::Map2(f, d, s) => {
                self.carry(frame, *d, mask, rule, *s, function, registers, |d, [a, b]| f(d, a, b, u32::MAX))
            }
            Code::Map3(f, d, s) => {
                self.carry(frame, *d, mask, rule, *s, function, registers, |d, [a, b, c]| f(d, a, b, c, u32::MAX));
            }
            // No rule of a scalar instruction uses the instruction itself.
            Code::Scalar(_, _, d, s) => self.carry(frame, *d, mask, rule, *s, function, registers, |_, _| ()),
            Code::Video(video, d, s) => {
                // It is applied to marks, not to operands.
                self.carry(frame, *d, mask, Rule::Move(3), *s, function, registers, |d, [a, b, c]| {
                    *d = std::array::from_fn(|l| video.marks(a[l], b[l], c[l]));
                });
            }
            Code::Lop3(table, d, s) => {
                self.carry(frame, *d, mask, rule, *s, function, registers, |d, [a, b, c]| {
                    *d = std::array::from_fn(|l| int::lop3(a[l], b[l], c[l], *table));
                });
            }
            Code::Bfi(width, d, s) => {
                self.carry(frame, *d, mask, rule, *s, function, registers, |d, [a, b, c, e]| {
                    *d = std::array::from_fn(|l| int::insert(a[l], b[l], c[l], e[l], *width));
                });
            }
            Code::Carry { d, s, cc, takes, set, .. } => {
                let [a, b, c] = *s;
                let four = [a, b, c, if *takes { *cc } else { a }];
                // The carry is marked first: the result may be one of the operands.
                for target in [set.then_some(*cc), *d].into_iter().flatten() {
                    self.carry(frame, target, mask, Rule::Any(64), four, function, registers, |_, _| ());
                }
            }
            Code::Pack(d, parts, ty) => {
                let bits = 8 * ty.bytes();
                let all: Vec<Option<Row>> = parts.iter().map(|s| self.marks(frame, *s).cloned()).collect();
                self.set_marks(frame, *d as usize, mask, |l| {
                    all.iter().enumerate().fold((0, Origin::default()), |(marks, origin), (i, part)| match part {
                        Some(row) if row.bits[l] & ty.mask() != 0 => {
                            (marks | (row.bits[l] & ty.mask()) << (bits * i), row.origin[l])
                        }
                        _ => (marks, origin),
                    })
                });
            }
            Code::Unpack(targets, a, bits) => {
                let whole = self.marks(frame, *a).cloned().unwrap_or_default();
                for (i, d) in targets.iter().enumerate() {
                    if let Some(d) = d {
                        let part = |l: usize| whole.bits[l] >> (bits * i as u64) & u64::MAX >> (64 - bits);
                        self.set_marks(frame, *d as usize, mask, |l| (part(l), whole.origin[l]));
                    }
                }
            }
            Code::IsSpace(_, d, a) => self.carry(frame, *d, mask, Rule::Any(64), [*a], function, registers, |_, _| ()),
            Code::Special(d, _) | Code::LocalAddress(d, _) | Code::StackSave(d) | Code::ActiveMask(d) => {
                self.define(frame, *d, mask);
            }
            Code::Alloca(d, bytes, _) => {
                check(*bytes, "the size of an alloca")?;
                self.define(frame, *d, mask);
            }
            Code::StackRestore(a) => check(*a, "the stack pointer")?,
            Code::Load(load) => check(load.address, "the address of a load")?,
            Code::Store(store) => check(store.address, "the address of a store")?,
            Code::Atomic(atomic) => check(atomic.address, "the address of an atomic")?,
            Code::Image(image) => {
                for s in Warp::image_depends_on(image) {
                    check(s, "the coordinates in a texture or a surface")?;
                }
            }
            Code::BranchTable(index, _) => check(*index, "a branch")?,
            Code::Call(call) => {
                if let Callee::Indirect(pointer) = call.callee {
                    check(pointer, "the function that is called")?;
                }
            }
            Code::Barrier(barrier) => {
                check(barrier.id, "which barrier threads come to")?;
                if let Some(count) = barrier.count {
                    check(count, "how many threads come to a barrier")?;
                }
            }
            Code::Async(what) => match &**what {
                Async::Copy(copy) => {
                    check(copy.to, "the address that a cp.async stores to")?;
                    check(copy.from, "the address that a cp.async reads")?;
                }
                Async::Wait(Some(newest)) => check(*newest, "how many copies are waited for")?,
                Async::Wait(None) | Async::Commit => {}
            },
            Code::Mbarrier(what) => check(what.address, "the address of an mbarrier")?,
            Code::Collective(what, Some(members)) => {
                check(*members, "who takes part in an exchange between lanes")?;
                if let Collective::Matrix(matrix) = &**what {
                    match &**matrix {
                        Matrix::Rows { address, .. } => check(*address, "the address of a row of a matrix")?,
                        Matrix::Load(tile) | Matrix::Store(tile) => {
                            check(tile.address, "the address of a matrix")?;
                            tile.stride.map_or(Ok(()), |s| check(s, "the stride of a matrix"))?;
                        }
                        _ => {}
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Marks a result by a rule.
    #[allow(clippy::too_many_arguments)] // The parts of an instruction, and where it runs.
    fn carry<const N: usize>(
        &mut self,
        frame: usize,
        d: u32,
        mask: u32,
        rule: Rule,
        sources: [Src; N],
        function: &Function,
        registers: &[Lanes],
        f: impl Fn(&mut Lanes, [&Lanes; N]),
    ) {
        let rows = sources.map(|s| self.marks(frame, s));
        if rows.iter().all(Option::is_none) {
            return self.define(frame, d, mask);
        }
        let values = sources.map(|s| row(registers, function, s));
        let marks = rule.marks(f, values, rows.map(|r| r.map_or(&DEFINED, |r| &r.bits)));
        let origin: [Origin; 32] = std::array::from_fn(|l| {
            rows.iter().flatten().find(|r| r.bits[l] != 0).map_or(Origin::default(), |r| r.origin[l])
        });
        self.set_marks(frame, d as usize, mask, |l| (marks[l], origin[l]));
    }

    /// Handles an integer division by zero: if the zero is undefined, so is the quotient, and there is no fault yet.
    #[cold]
    pub(super) fn divided_by_zero(&self, frame: usize, instruction: &Instruction, lane: usize) -> Lane<()> {
        match instruction.code {
            Code::Divisor(b, _) if self.mark_of(frame, b, lane).0 != 0 => Ok(()),
            _ => Err((lane, (FaultKind::DivisionByZero, "an integer is divided by zero".into()))),
        }
    }

    /// Returns the origin of the value that a lane reads here.
    pub(super) fn origin(&self, source: Source, lane: usize) -> Origin {
        Origin { source, line: self.line, thread: self.index * 32 + lane as u32 }
    }
}

/// Returns the index of the marks of a word of the param space.
fn param_register(frame: &Frame, at: u64) -> usize {
    frame.params_at + (at / 8) as usize
}

/// Returns the fault of an instruction that depends on an undefined value.
#[cold]
pub(super) fn depends_on(cx: &Context<'_>, what: &str, origin: &Origin) -> Denied {
    let [x, y, _] = cx.grid.block;
    let t = origin.thread;
    let by = format!("thread ({}, {}, {}) at PTX line {}", t % x, t / x % y, t / x / y, origin.line);
    let from = match origin.source {
        Source::Global(at, bytes) => format!(
            "{bytes} bytes at {at:#x} of global memory, which {by} read, and which were never written, or written with an undefined value"
        ),
        Source::Local(at, bytes) => format!(
            "{bytes} bytes at {at:#x} of local memory, which {by} read, and which were never written, or written with an undefined value"
        ),
        Source::Shared(at, bytes, true) => format!(
            "{bytes} bytes at {at:#x} of shared memory, which {by} read and no thread of the block has written: where \
             another thread is to write them, a barrier is missing between its store and this load"
        ),
        Source::Shared(at, bytes, false) => {
            format!(
                "{bytes} bytes at {at:#x} of shared memory, which {by} read and where an undefined value was stored"
            )
        }
        Source::AbsentLane(lane) => {
            format!("a value that {by} took from lane {lane} of its warp, which takes no part in the exchange")
        }
        Source::Param | Source::Nowhere => "a parameter that was passed undefined".into(),
    };
    (FaultKind::Unwritten, format!("{what} depends on undefined bits: they come from {from}"))
}
