//! Warps: frames, and groups of lanes at one instruction.

use super::block::Context;
use super::defined::Rows;
use super::{Function, Grid};
use crate::FaultKind;
use crate::memory::{Denied, Local, Shared};
use crate::ops::Lanes;

/// Maximum depth of calls.
const MAX_DEPTH: u32 = 256;

/// A failure and the lane in which it occurred.
pub(super) type Lane<T> = Result<T, (usize, Denied)>;

pub(super) fn lanes_of(mask: u32) -> impl Iterator<Item = usize> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        let lane = rest.trailing_zeros() as usize;
        rest &= rest.wrapping_sub(1);
        (lane < 32).then_some(lane)
    })
}

pub(super) fn first(mask: u32) -> usize {
    mask.trailing_zeros().min(31) as usize
}

/// A function's activation for the lanes that called it together.
#[derive(Debug, Default)]
pub(super) struct Frame {
    pub(super) function: usize,
    pub(super) registers: Vec<Lanes>,
    /// Marks of the undefined bits of registers and parameters.
    pub(super) marks: Rows,
    /// Index in `marks` of the parameters: after the registers.
    pub(super) params_at: usize,
    /// The param space, in words of 8 bytes.
    pub(super) params: Vec<Lanes>,
    pub(super) local_base: u64,
    /// The end of each lane's local memory: the function's own, and allocations of `alloca`.
    pub(super) stack: Lanes,
    pub(super) depth: u32,
    pub(super) parent: Option<usize>,
    pub(super) return_to: u32,
    /// Lanes that have not returned.
    pub(super) inside: u32,
    /// The call's index in the caller's code.
    pub(super) call: u32,
}

/// The event that a group waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wait {
    No,
    Barrier,
    /// Other lanes of the warp that take part in a collective.
    Members,
}

/// A group of lanes at one instruction of one frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    pub(super) frame: usize,
    pub(super) pc: u32,
    pub(super) mask: u32,
    pub(super) wait: Wait,
    /// The last branch taken: source and target.
    pub(super) jump: (u32, u32),
}

#[derive(Debug, Default)]
pub(crate) struct Warp {
    pub(super) index: u32,
    /// The existing lanes; the last warp of a block may be partial.
    pub(super) lanes: u32,
    /// The lanes that have not exited.
    pub(super) live: u32,
    pub(super) groups: Vec<Group>,
    pub(super) frames: Vec<Frame>,
    /// Frames for reuse.
    pub(super) spare: Vec<usize>,
    pub(super) local: Local,
    /// Number of synchronisations of the warp.
    pub(super) epoch: u32,
    /// Number of barriers of the whole block at which each lane arrived.
    pub(super) arrivals: [u32; 32],
    /// The instruction that each lane ran before it exited.
    pub(super) left_from: [u32; 32],
    /// A lane whose group temporarily runs before all others, so that lanes may wait for each other.
    pub(super) favour: Option<usize>,
    pub(super) line: u32,
    /// Set when the warp has found that it waits: other warps run.
    pub(super) tired: bool,
    /// The mbarrier for which a lane last waited without success.
    pub(super) waits_for: Option<u64>,
    /// Number of rows of marks in all frames: 0 if every bit of every register is defined.
    pub(super) undefined: usize,
    pub(super) instructions: u64,
    pub(super) lane_instructions: u64,
    pub(super) tid: [Lanes; 3],
    /// The block shape for which `tid` was computed.
    shape: [u32; 3],
}

/// State that a worker keeps from block to block.
#[derive(Debug, Default)]
pub(crate) struct Arena {
    pub(super) warps: Vec<Warp>,
    pub(super) shared: Shared,
}

impl Warp {
    /// Initialises the warp at the start of the kernel.
    pub(super) fn start(&mut self, index: u32, grid: &Grid<'_>) {
        let threads = grid.block.iter().product::<u32>();
        let first = index * 32;
        self.lanes = if threads - first >= 32 { u32::MAX } else { (1 << (threads - first)) - 1 };
        self.live = self.lanes;
        self.index = index;
        self.groups.clear();
        self.spare.clear();
        for (i, frame) in self.frames.iter_mut().enumerate().rev() {
            frame.inside = 0;
            frame.marks.clear();
            self.spare.push(i);
        }
        self.undefined = 0;
        self.local.clear();
        self.arrivals = [0; 32];
        self.left_from = [0; 32];
        self.favour = None;
        (self.tired, self.waits_for) = (false, None);
        self.instructions = 0;
        self.lane_instructions = 0;
        if self.shape == grid.block {
            return;
        }
        self.shape = grid.block;
        for l in 0..32 {
            let thread = u64::from(first) + l as u64;
            let [x, y, _] = grid.block.map(u64::from);
            self.tid[0][l] = thread % x;
            self.tid[1][l] = thread / x % y;
            self.tid[2][l] = thread / x / y;
        }
    }

    /// Creates a frame; `None` if calls nest too deep or local memory is exhausted.
    pub(super) fn enter(
        &mut self,
        functions: &[Function],
        function: usize,
        caller: Option<usize>,
        mask: u32,
    ) -> Option<usize> {
        let f = &functions[function];
        let (depth, local_base) = match caller {
            Some(c) => {
                let top = lanes_of(mask).map(|l| self.frames[c].stack[l]).max().unwrap_or(0);
                (self.frames[c].depth + 1, top.next_multiple_of(16))
            }
            None => (0, 0),
        };
        if depth > MAX_DEPTH || !self.local.push(local_base, f.local_bytes, mask) {
            return None;
        }
        // The kernel's frame is the first, where generic addresses of its parameters are looked up.
        let of_function = |&s: &usize| caller.is_some() && self.frames[s].function == function;
        let at = match self.spare.iter().rposition(of_function) {
            Some(i) => self.spare.swap_remove(i),
            None => match self.spare.pop() {
                Some(at) => at,
                None => {
                    self.frames.push(Frame::default());
                    self.frames.len() - 1
                }
            },
        };
        let frame = &mut self.frames[at];
        frame.function = function;
        frame.registers.resize(f.registers as usize, [0; 32]);
        for r in &f.cleared {
            frame.registers[*r as usize] = [0; 32];
        }
        frame.params_at = frame.registers.len();
        frame.params.resize(f.param_bytes.div_ceil(8) as usize, [0; 32]);
        frame.stack = [local_base + f.local_bytes; 32];
        (frame.local_base, frame.depth, frame.parent, frame.inside) = (local_base, depth, caller, mask);
        Some(at)
    }

    /// Allocates local memory after each lane's current end; returns the addresses.
    pub(super) fn alloca(&mut self, frame: usize, bytes: &Lanes, align: u64, mask: u32) -> Lane<Lanes> {
        let mut addresses = [0; 32];
        for l in lanes_of(mask) {
            let at = self.frames[frame].stack[l].next_multiple_of(align.max(8));
            if !self.local.push(at, bytes[l], 1 << l) {
                return Err((l, (FaultKind::OutOfMemory, "alloca: the stack is full".into())));
            }
            self.frames[frame].stack[l] = at + bytes[l];
            addresses[l] = at;
        }
        Ok(addresses)
    }

    pub(super) fn stack_restore(&mut self, frame: usize, to: &Lanes, mask: u32) {
        let frame = &mut self.frames[frame];
        for l in lanes_of(mask) {
            // The function's own variables are kept.
            frame.stack[l] = to[l].clamp(frame.local_base, frame.stack[l]);
        }
    }

    /// Creates the kernel's own frame, with its parameters.
    pub(super) fn enter_kernel(&mut self, cx: &Context<'_>) -> Lane<()> {
        let Some(frame) = self.enter(&cx.grid.program.functions, cx.grid.entry, None, self.lanes) else {
            return Err((0, (FaultKind::OutOfMemory, "the kernel needs more local memory than a thread has".into())));
        };
        for (word, chunk) in self.frames[frame].params.iter_mut().zip(cx.grid.params.chunks(8)) {
            let mut bytes = [0; 8];
            bytes[..chunk.len()].copy_from_slice(chunk);
            *word = [u64::from_le_bytes(bytes); 32];
        }
        self.groups.push(Group { frame, pc: 0, mask: self.lanes, wait: Wait::No, jump: (0, 0) });
        Ok(())
    }

    /// Chooses the group to run next: the favoured, else the deepest, and of those the one furthest behind; groups at
    /// the same instruction are merged with it.
    pub(super) fn choose(&mut self) -> Option<Group> {
        let mut best: Option<(u32, u32, usize)> = None;
        for (i, g) in self.groups.iter().enumerate() {
            if g.wait != Wait::No {
                continue;
            }
            if let Some(lane) = self.favour
                && g.mask >> lane & 1 == 1
            {
                best = Some((0, 0, i));
                break;
            }
            let key = (u32::MAX - self.frames[g.frame].depth, g.pc);
            if best.is_none_or(|(depth, pc, _)| key < (depth, pc)) {
                best = Some((key.0, key.1, i));
            }
        }
        let mut group = self.groups.swap_remove(best?.2);
        self.join(&mut group, Wait::No);
        Some(group)
    }

    /// Merges the groups that are at the same instruction and wait for the same.
    pub(super) fn join(&mut self, group: &mut Group, wait: Wait) {
        self.groups.retain(|g| {
            let joins = g.wait == wait && g.frame == group.frame && g.pc == group.pc;
            if joins {
                group.mask |= g.mask;
            }
            !joins
        });
    }

    /// Returns the next instruction at which another group may be merged.
    pub(super) fn meeting(&self, group: &Group) -> u32 {
        let ahead = |g: &&Group| g.wait == Wait::No && g.frame == group.frame && g.pc > group.pc;
        self.groups.iter().filter(ahead).map(|g| g.pc).min().unwrap_or(u32::MAX)
    }

    /// Lets another group than the last one run first for a time slice.
    pub(super) fn take_turns(&mut self) {
        let runnable = |g: &&Group| g.wait == Wait::No;
        if self.groups.iter().filter(runnable).count() < 2 {
            self.favour = None;
            return;
        }
        // The lanes are favoured in order, and occasionally none of them.
        let after = self.favour.map_or(0, |l| l + 1);
        self.favour = self.groups.iter().filter(runnable).map(|g| first(g.mask)).filter(|&l| l >= after).min();
    }

    /// Lets lanes exit the kernel.
    pub(super) fn exit(&mut self, group: &Group, mask: u32) {
        self.live &= !mask;
        let from = if group.jump.1 == group.pc { group.jump.0 } else { group.pc.saturating_sub(1) };
        for l in lanes_of(mask) {
            self.left_from[l] = from;
        }
        let mut at = Some(group.frame);
        while let Some(f) = at {
            at = self.frames[f].parent;
            self.leave(f, mask);
        }
    }

    /// Lets lanes leave a frame; the last ones free it.
    pub(super) fn leave(&mut self, frame: usize, mask: u32) {
        let f = &mut self.frames[frame];
        f.inside &= !mask;
        if f.inside == 0 {
            self.forget(frame);
            self.spare.push(frame);
        }
    }
}
