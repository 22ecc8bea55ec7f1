//! Decoded code, and how warps and blocks run it.

pub(crate) mod block;
mod memory_ops;
mod shared;
mod system;
mod warp;
mod warp_ops;

use crate::ops::float::{Modifiers, Scalar};
use crate::ops::int::Carry;
use crate::ops::{Lanes, Map1, Map2, Map3, Type};
use crate::ptx::{Space, Variable};

/// A source operand: a register, or with the top bit set a constant of the function.
pub(crate) type Src = u32;
pub(crate) const CONSTANT: u32 = 1 << 31;

/// The spaces' windows in generic addresses. Everything else is global memory.
pub(crate) const SHARED_WINDOW: u64 = 0x0100_0000_0000_0000;
pub(crate) const LOCAL_WINDOW: u64 = 0x0200_0000_0000_0000;
pub(crate) const PARAM_WINDOW: u64 = 0x0300_0000_0000_0000;
/// "Addresses" of functions: this plus the index in the module.
pub(crate) const FUNCTION_WINDOW: u64 = 0x0400_0000_0000_0000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SpecialRegister {
    Tid(usize),
    Ntid(usize),
    Ctaid(usize),
    Nctaid(usize),
    LaneId,
    WarpId,
    NWarpId,
    LaneMask(Mask),
    Clock,
    GridId,
    SmId,
    NSmId,
    DynamicShared,
    TotalShared,
    Zero,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mask {
    Eq,
    Le,
    Lt,
    Ge,
    Gt,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AtomicOp {
    Add,
    FAdd,
    Min,
    Max,
    And,
    Or,
    Xor,
    Exch,
    Cas,
    Inc,
    Dec,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ShuffleMode {
    Up,
    Down,
    Bfly,
    Idx,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VoteMode {
    All,
    Any,
    Uni,
    Ballot,
}

/// What a barrier does beside waiting: `bar.red` reduces a predicate over the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BarrierKind {
    Sync,
    Arrive,
    Popc { d: u32, p: Src },
    And { d: u32, p: Src },
    Or { d: u32, p: Src },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SystemCall {
    Printf,
    AssertFail,
    Malloc,
    Free,
}

#[derive(Clone, Debug)]
pub(crate) enum Callee {
    Function(usize),
    Indirect(Src),
    System(SystemCall),
}

#[derive(Clone, Debug)]
pub(crate) enum Code {
    Map1(Map1, u32, Src),
    Map2(Map2, u32, [Src; 2]),
    Map3(Map3, u32, [Src; 3]),
    Scalar(Scalar, Box<Modifiers>, u32, [Src; 3]),
    Lop3(u8, u32, [Src; 3]),
    Bfi(u64, u32, [Src; 4]),
    Carry { f: Carry, d: Option<u32>, s: [Src; 3], cc: u32, set: bool },
    Special(u32, SpecialRegister),
    LocalAddress(u32, u64),
    Pack(u32, Box<[Src]>, Type),
    Unpack(Box<[Option<u32>]>, Src, u64),
    Load { space: Space, ty: Type, d: Box<[Option<u32>]>, addr: Src, offset: i64 },
    Store { space: Space, ty: Type, s: Box<[Src]>, addr: Src, offset: i64 },
    Atomic { space: Space, op: AtomicOp, ty: Type, d: Option<u32>, addr: Src, offset: i64, s: [Src; 2] },
    Shuffle { mode: ShuffleMode, d: u32, p: Option<u32>, a: Src, b: Src, c: Src, mask: Src },
    Vote { mode: VoteMode, d: u32, p: Src, mask: Src },
    Match { all: bool, d: u32, p: Option<u32>, a: Src, mask: Src },
    Redux { op: AtomicOp, ty: Type, d: u32, a: Src, mask: Src },
    ActiveMask(u32),
    WarpSync(Src),
    Barrier { kind: BarrierKind, id: Src, threads: Option<Src> },
    IsSpace(Space, u32, Src),
    Branch(u32),
    BranchTable(Src, Box<[u32]>),
    Call { callee: Callee, args: Box<[u64]>, results: Box<[u64]> },
    Return,
    Exit,
    Trap,
    Nop,
}

/// The predicate in front of an instruction: a register that must hold `wanted`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Guard {
    pub(crate) register: u32,
    pub(crate) wanted: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct Instruction {
    pub(crate) guard: Option<Guard>,
    pub(crate) code: Code,
    pub(crate) line: u32,
}

#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) entry: bool,
    pub(crate) code: Vec<Instruction>,
    pub(crate) constants: Vec<Lanes>,
    pub(crate) registers: u32,
    pub(crate) params: Vec<Variable>,
    pub(crate) returns: Vec<Variable>,
    pub(crate) param_bytes: u64,
    pub(crate) local_bytes: u64,
    pub(crate) max_threads: Option<u32>,
}

/// The code of a module: what a launch runs.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) functions: Vec<Function>,
    pub(crate) shared_bytes: u64,
}
