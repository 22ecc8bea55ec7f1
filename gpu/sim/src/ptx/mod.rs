//! The PTX front end: tokens, declarations and statements, then decoded instructions.

pub(crate) mod decode;
mod decode_arithmetic;
mod decode_async;
mod decode_compare;
mod decode_control;
mod decode_convert;
mod decode_matrix;
mod decode_memory;
mod decode_texture;
mod decode_video;
mod lexer;
pub(crate) mod link;
pub(crate) mod mnemonics;
pub(crate) mod parser;
mod registers;
mod scope;
pub(crate) mod source;
mod statements;

use std::collections::HashMap;

use crate::memory::Layout;

/// An address space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
    Generic,
    Global,
    Shared,
    Local,
    Param,
}

/// The start of dynamic shared memory; known at the launch.
pub(crate) const DYNAMIC_SHARED: u64 = u64::MAX;
/// Marks the offset of a shared variable of the kernel's own.
pub(crate) const OWN_SHARED: u64 = 1 << 40;

/// An operand of a statement, with names resolved as far as the source alone allows.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Operand {
    Reg(u32),
    Int(u64),
    F32(u32),
    F64(u64),
    /// A variable of the function or of shared memory: its space and its offset there.
    Var(Space, u64),
    /// A module-level variable in global memory, or a function.
    Symbol(String),
    Special(String),
    Label(usize),
    /// `[base + offset]`.
    Mem(Box<Operand>, i64),
    /// `symbol + offset`.
    Offset(Box<Operand>, i64),
    Vector(Vec<Operand>),
    /// `p|q`.
    Pair(Box<Operand>, Box<Operand>),
    Not(Box<Operand>),
    /// `-a`.
    Negated(Box<Operand>),
    /// A part of a register: `b0`, `h1`, `b7654`.
    Part(u32, String),
    Sink,
    List(Vec<Operand>),
}

#[derive(Clone, Debug)]
pub(crate) struct Statement {
    /// A predicate register and whether it is negated.
    pub(crate) guard: Option<(u32, bool)>,
    pub(crate) opcode: String,
    pub(crate) operands: Vec<Operand>,
    pub(crate) line: u32,
}

/// A variable: its location and size.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub(crate) offset: u64,
    pub(crate) bytes: u64,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct FunctionText {
    pub(crate) name: String,
    pub(crate) entry: bool,
    pub(crate) params: Vec<Variable>,
    pub(crate) returns: Vec<Variable>,
    pub(crate) registers: u32,
    /// The widths of the registers in bits.
    pub(crate) widths: Vec<u8>,
    /// All variables of the param space.
    pub(crate) variables: Vec<Variable>,
    pub(crate) statements: Vec<Statement>,
    /// The position of each label, as an index of a statement.
    pub(crate) labels: Vec<usize>,
    /// The labels of each `.branchtargets` list, by the list's own label.
    pub(crate) tables: HashMap<usize, Vec<usize>>,
    /// Bytes of the function's param space: parameters, results, and arguments of its calls.
    pub(crate) param_bytes: u64,
    pub(crate) local_bytes: u64,
    /// Shared memory that a kernel declares for itself.
    pub(crate) shared: Layout,
    pub(crate) max_threads: Option<u32>,
}

/// A module-level variable in global or constant memory.
#[derive(Clone, Debug)]
pub(crate) struct GlobalText {
    pub(crate) name: String,
    pub(crate) bytes: u64,
    /// In constant memory: kernels may not write to it.
    pub(crate) constant: bool,
    /// The initial value; addresses of other variables are inserted at the given offsets.
    pub(crate) init: Option<Vec<u8>>,
    pub(crate) addresses: Vec<(usize, String, u64)>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct ModuleText {
    pub(crate) functions: Vec<FunctionText>,
    pub(crate) globals: Vec<GlobalText>,
    /// Shared memory of the module and of its device functions, followed by a kernel's own.
    pub(crate) shared: Layout,
    pub(crate) sources: source::Sources,
}
