//! Decoded code and its execution.

mod access;
mod arguments;
mod atomic;
mod barrier;
mod block;
mod call;
mod collective;
mod copies;
mod defined;
mod defined_exchange;
mod matrix;
mod mbarrier;
mod print;
mod run;
mod sparse;
mod special;
mod texture;
mod warp;

pub(crate) use atomic::{Atomic, AtomicOp};
pub(crate) use block::{Grid, run_block};
pub(crate) use copies::{Async, CopyAsync};
pub(crate) use matrix::{Arrangement, Fragment, Matrix, Multiply, Part, Tile, register_type};
pub(crate) use mbarrier::{Mbarrier, MbarrierKind};
pub(crate) use sparse::Sparse;
pub(crate) use texture::{Geometry, ImageCode, ImageOp, Mip, Outside, Query};
pub(crate) use warp::Arena;

use crate::memory::Layout;
use crate::ops::carry::Carry;
use crate::ops::float::{Modifiers, Scalar};
use crate::ops::undefined::Rule;
use crate::ops::video::Video;
use crate::ops::{Lanes, Map1, Map2, Map3, Type};
use crate::ptx::source::Sources;
use crate::ptx::{Space, Variable};

/// A register's slot, or a constant's index with [`CONSTANT`] set.
pub(crate) type Src = u32;

/// The bit that distinguishes a constant from a register.
pub(crate) const CONSTANT: u32 = 1 << 31;

/// Windows of the spaces other than global memory in the generic address space.
pub(crate) const SHARED_WINDOW: u64 = 1 << 56;
pub(crate) const LOCAL_WINDOW: u64 = 2 << 56;
pub(crate) const PARAM_WINDOW: u64 = 3 << 56;
pub(crate) const FUNCTION_WINDOW: u64 = 4 << 56;
/// Size of each window in bytes.
pub(crate) const WINDOW: u64 = 1 << 40;

/// A guard: an instruction runs for the lanes where `register` is `wanted`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Guard {
    pub(crate) register: u32,
    pub(crate) wanted: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct Instruction {
    pub(crate) guard: Option<Guard>,
    pub(crate) code: Code,
    /// The propagation of undefined bits from its operands to its result.
    pub(crate) rule: Rule,
    pub(crate) line: u32,
}

/// `%lanemask_*`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Mask {
    Eq,
    Le,
    Lt,
    Ge,
    Gt,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum SpecialRegister {
    Zero,
    Tid(usize),
    Ntid(usize),
    Ctaid(usize),
    Nctaid(usize),
    LaneId,
    WarpId,
    NWarpId,
    LaneMask(Mask),
    Clock,
    Clock64,
    GridId,
    SmId,
    NSmId,
    DynamicShared,
    /// The start of dynamic shared memory.
    DynamicStart,
    TotalShared,
    /// One half of the address of the grid barrier of a cooperative launch: the lower (`false`) or the upper.
    Workspace(bool),
}

/// A load of one or more adjacent elements.
#[derive(Clone, Debug)]
pub(crate) struct Load {
    pub(crate) space: Space,
    pub(crate) bytes: u32,
    /// Number of bits to which a signed element is extended; 0 leaves it zero-extended.
    pub(crate) extend: u32,
    pub(crate) targets: Box<[Option<u32>]>,
    pub(crate) address: Src,
    pub(crate) offset: i64,
    /// Volatile, relaxed or acquire: does not race with atomic accesses.
    pub(crate) strong: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Store {
    pub(crate) space: Space,
    pub(crate) bytes: u32,
    pub(crate) sources: Box<[Src]>,
    pub(crate) address: Src,
    pub(crate) offset: i64,
    pub(crate) strong: bool,
}

/// The target of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Callee {
    Function(usize),
    Indirect(Src),
    Printf,
    Assert,
    Malloc,
    Free,
}

#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) callee: Callee,
    pub(crate) arguments: Vec<Variable>,
    pub(crate) results: Vec<Variable>,
}

/// The operation of a block's barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BarrierKind {
    Sync,
    Arrive,
    /// Counts a predicate of all threads, or reduces it by and or or.
    Popc,
    And,
    Or,
}

#[derive(Clone, Debug)]
pub(crate) struct Barrier {
    pub(crate) kind: BarrierKind,
    /// True if all threads of a warp must arrive together.
    pub(crate) aligned: bool,
    pub(crate) id: Src,
    pub(crate) count: Option<Src>,
    pub(crate) target: Option<u32>,
    /// The predicate of a reduction, and whether it is negated.
    pub(crate) predicate: Option<Src>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ShuffleKind {
    Up,
    Down,
    Butterfly,
    Index,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VoteKind {
    All,
    Any,
    Uniform,
    Ballot,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReduxKind {
    Add,
    Min,
    Max,
    And,
    Or,
    Xor,
}

/// An instruction on the lanes of a warp; `members` are the lanes that take part.
#[derive(Clone, Debug)]
pub(crate) enum Collective {
    Sync,
    Shuffle {
        kind: ShuffleKind,
        d: Option<u32>,
        p: Option<u32>,
        sources: [Src; 3],
    },
    Vote {
        kind: VoteKind,
        d: Option<u32>,
        a: Src,
    },
    MatchAny {
        d: Option<u32>,
        a: Src,
    },
    MatchAll {
        d: Option<u32>,
        p: Option<u32>,
        a: Src,
    },
    Redux {
        kind: ReduxKind,
        ty: Type,
        d: Option<u32>,
        a: Src,
    },
    /// An instruction on matrices that a warp holds together.
    Matrix(Box<Matrix>),
}

#[derive(Clone, Debug)]
pub(crate) enum Code {
    Map1(Map1, u32, Src),
    Map2(Map2, u32, [Src; 2]),
    Map3(Map3, u32, [Src; 3]),
    Scalar(Scalar, Box<Modifiers>, u32, [Src; 3]),
    Carry {
        f: Carry,
        d: Option<u32>,
        s: [Src; 3],
        cc: u32,
        /// True if the carry is read, and true if it is written.
        takes: bool,
        set: bool,
    },
    Lop3(u8, u32, [Src; 3]),
    Bfi(u64, u32, [Src; 4]),
    Pack(u32, Box<[Src]>, Type),
    Unpack(Box<[Option<u32>]>, Src, u64),
    Video(Box<Video>, u32, [Src; 3]),
    Special(u32, SpecialRegister),
    LocalAddress(u32, u64),
    /// `alloca`: allocates local memory of a size and an alignment.
    Alloca(u32, Src, u64),
    StackSave(u32),
    StackRestore(Src),
    /// Tests whether a generic address is in a space.
    IsSpace(Space, u32, Src),
    Load(Box<Load>),
    Store(Box<Store>),
    Atomic(Box<Atomic>),
    Image(Box<ImageCode>),
    Branch(u32),
    BranchTable(Src, Vec<u32>),
    Call(Box<Call>),
    Return,
    Exit,
    Trap,
    Barrier(Box<Barrier>),
    /// A collective and its member mask; `None` for the active lanes.
    Collective(Box<Collective>, Option<Src>),
    Async(Box<Async>),
    Mbarrier(Box<Mbarrier>),
    ActiveMask(u32),
    /// The divisor of an integer division: its bits must not all be zero.
    Divisor(Src, u64),
    Fence,
    Nothing,
}

#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) entry: bool,
    pub(crate) code: Vec<Instruction>,
    pub(crate) constants: Vec<Lanes>,
    pub(crate) registers: u32,
    /// Registers that may be read before they are written: they start as zero.
    pub(crate) cleared: Vec<u32>,
    pub(crate) params: Vec<Variable>,
    pub(crate) returns: Vec<Variable>,
    pub(crate) param_bytes: u64,
    pub(crate) local_bytes: u64,
    /// Bytes of shared memory, as a GPU counts them.
    pub(crate) shared_bytes: u64,
    /// The layout of the shared variables that it can access.
    pub(crate) shared: Layout,
    pub(crate) max_threads: Option<u32>,
}

/// A loaded program: the functions and their common data.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) functions: Vec<Function>,
    /// The smallest access of any instruction outside of param space, as a power of two: the granularity of the marks
    /// of shared memory.
    pub(crate) grain: u32,
    /// True if any function prints.
    pub(crate) prints: bool,
    /// The names of the variables in constant memory.
    pub(crate) constants: Vec<String>,
    /// The source information.
    pub(crate) sources: Sources,
}
