//! Decoding of statements to instructions: every opcode is resolved to the function that computes it.

use std::collections::HashMap;

pub(crate) use super::decode_memory::grain;
use super::mnemonics::{self, Family};
use super::{DYNAMIC_SHARED, FunctionText, OWN_SHARED, Operand, Space, Statement};
use crate::PtxError;
use crate::exec::{
    CONSTANT, Code, FUNCTION_WINDOW, Function, Guard, Instruction, Mask, PARAM_WINDOW, SHARED_WINDOW, SpecialRegister,
    Src,
};
use crate::memory::Layout;
use crate::ops::undefined::Rule;
use crate::ops::{Type, lanes};

pub(super) type Result<T> = std::result::Result<T, PtxError>;

/// The meaning of names outside a function.
pub(crate) struct Names {
    pub(crate) globals: HashMap<String, u64>,
    pub(crate) functions: HashMap<String, usize>,
    pub(crate) shared: Layout,
}

pub(crate) fn function(text: &FunctionText, names: &Names) -> Result<Function> {
    let mut d = Decoder {
        names,
        text,
        code: Vec::new(),
        constants: Vec::new(),
        known: HashMap::new(),
        registers: text.registers,
        carry: None,
        line: 0,
        guard: None,
        branches: Vec::new(),
    };
    let mut starts = Vec::with_capacity(text.statements.len() + 1);
    for statement in &text.statements {
        starts.push(d.code.len() as u32);
        d.statement(statement)?;
    }
    starts.push(d.code.len() as u32);
    d.line = text.statements.last().map_or(0, |s| s.line);
    d.guard = None;
    d.emit(Code::Return);
    let target = |label: usize| match text.labels[label] {
        usize::MAX => Err(PtxError::new(0, "a branch goes to a label that is not defined")),
        at => Ok(starts[at]),
    };
    for &at in &d.branches {
        match &mut d.code[at].code {
            Code::Branch(to) => *to = target(*to as usize)?,
            Code::BranchTable(_, to) => {
                for t in to {
                    *t = target(*t as usize)?;
                }
            }
            _ => {}
        }
    }
    let shared = if text.entry { names.shared.with(&text.shared) } else { Layout::default() };
    let mut function = Function {
        name: text.name.clone(),
        entry: text.entry,
        code: d.code,
        constants: d.constants.into_iter().map(|c| [c; 32]).collect(),
        cleared: Vec::new(),
        registers: d.registers,
        params: text.params.clone(),
        returns: text.returns.clone(),
        param_bytes: text.param_bytes,
        local_bytes: text.local_bytes,
        shared_bytes: if text.entry { shared.bytes } else { 0 },
        shared,
        max_threads: text.max_threads,
    };
    super::registers::compact(&mut function);
    Ok(function)
}

pub(super) struct Decoder<'a> {
    pub(super) names: &'a Names,
    pub(super) text: &'a FunctionText,
    code: Vec<Instruction>,
    constants: Vec<u64>,
    known: HashMap<u64, Src>,
    registers: u32,
    carry: Option<u32>,
    line: u32,
    guard: Option<Guard>,
    branches: Vec<usize>,
}

impl Decoder<'_> {
    pub(super) fn fail<T>(&self, message: impl Into<String>) -> Result<T> {
        Err(PtxError::new(self.line, message))
    }

    pub(super) fn unknown<T>(&self, s: &Statement) -> Result<T> {
        self.fail(format!("instruction {} is not known to the simulator", s.opcode))
    }

    /// Emits an instruction whose result is entirely undefined unless all of its operands are defined.
    pub(super) fn emit(&mut self, code: Code) {
        self.emit_as(Rule::Any(64), code);
    }

    pub(super) fn emit_as(&mut self, rule: Rule, code: Code) {
        self.code.push(Instruction { guard: self.guard, code, rule, line: self.line });
    }

    pub(super) fn emit_branch(&mut self, code: Code) {
        self.branches.push(self.code.len());
        self.emit(code);
    }

    pub(super) fn temporary(&mut self) -> u32 {
        self.registers += 1;
        self.registers - 1
    }

    pub(super) fn constant(&mut self, value: u64) -> Src {
        if let Some(&at) = self.known.get(&value) {
            return at;
        }
        let at = CONSTANT | self.constants.len() as u32;
        self.constants.push(value);
        self.known.insert(value, at);
        at
    }

    pub(super) fn operand<'s>(&self, s: &'s Statement, i: usize) -> Result<&'s Operand> {
        match s.operands.get(i) {
            Some(o) => Ok(o),
            None => self.fail(format!("{} has too few operands", s.opcode)),
        }
    }

    pub(super) fn register(&self, o: &Operand) -> Result<u32> {
        match o {
            Operand::Reg(r) => Ok(*r),
            other => self.fail(format!("{other:?} is no register")),
        }
    }

    /// Decodes a destination: a register, or none for `_`.
    pub(super) fn target(&self, o: &Operand) -> Result<Option<u32>> {
        match o {
            Operand::Sink => Ok(None),
            other => self.register(other).map(Some),
        }
    }

    /// Decodes a source of the given type; immediates are converted to the type.
    pub(super) fn source(&mut self, o: &Operand, ty: Type) -> Result<Src> {
        let value = match o {
            Operand::Reg(r) => return Ok(*r),
            Operand::Int(n) => match ty {
                Type::F32 => u64::from((*n as i64 as f32).to_bits()),
                Type::F64 => (*n as i64 as f64).to_bits(),
                _ => n & ty.mask(),
            },
            Operand::F32(b) if ty == Type::F64 => f64::from(f32::from_bits(*b)).to_bits(),
            Operand::F32(b) => u64::from(*b),
            Operand::F64(b) if ty == Type::F32 => u64::from((f64::from_bits(*b) as f32).to_bits()),
            Operand::F64(b) => *b,
            Operand::Not(inner) => {
                let inner = self.source(inner, Type::Pred)?;
                let d = self.temporary();
                self.emit_as(Rule::Bitwise, Code::Map1(lanes!(|a| a ^ 1), d, inner));
                return Ok(d);
            }
            Operand::Special(name) => {
                let d = self.temporary();
                let special = self.special(name)?;
                self.emit(Code::Special(d, special));
                return Ok(d);
            }
            Operand::Var(Space::Local, offset) => {
                let d = self.temporary();
                self.emit(Code::LocalAddress(d, *offset));
                return Ok(d);
            }
            Operand::Var(Space::Shared, DYNAMIC_SHARED) => {
                let d = self.temporary();
                self.emit(Code::Special(d, SpecialRegister::DynamicStart));
                return Ok(d);
            }
            Operand::Offset(base, offset)
                if matches!(**base, Operand::Var(Space::Local, _) | Operand::Var(Space::Shared, DYNAMIC_SHARED)) =>
            {
                let base = self.source(base, ty)?;
                let offset = self.constant(*offset as u64);
                let d = self.temporary();
                self.emit_as(Rule::Upwards(64), Code::Map2(lanes!(|a, b| a.wrapping_add(b)), d, [base, offset]));
                return Ok(d);
            }
            other => self.address(other)?,
        };
        Ok(self.constant(value))
    }

    /// Returns the constant address of a symbol in its own space.
    fn address(&self, o: &Operand) -> Result<u64> {
        match o {
            Operand::Var(Space::Shared, at) if at & OWN_SHARED != 0 => {
                Ok(self.names.shared.own_start() + (at ^ OWN_SHARED))
            }
            Operand::Var(_, offset) => Ok(*offset),
            Operand::Offset(base, offset) => Ok(self.address(base)?.wrapping_add_signed(*offset)),
            Operand::Symbol(name) => match (self.names.globals.get(name), self.names.functions.get(name)) {
                (Some(at), _) => Ok(*at),
                (_, Some(f)) => Ok(FUNCTION_WINDOW + *f as u64),
                _ => self.fail(format!("{name} is not declared")),
            },
            other => self.fail(format!("{other:?} is no source")),
        }
    }

    pub(super) fn sources<const N: usize>(&mut self, s: &Statement, first: usize, ty: Type) -> Result<[Src; N]> {
        let mut out = [0; N];
        for (i, slot) in out.iter_mut().enumerate() {
            *slot = self.source(self.operand(s, first + i)?, ty)?;
        }
        Ok(out)
    }

    /// Returns the width of a register in bits.
    pub(super) fn width(&self, register: u32) -> u32 {
        self.text.widths.get(register as usize).map_or(64, |w| u32::from(*w))
    }

    pub(super) fn carry(&mut self) -> u32 {
        let fresh = self.carry.unwrap_or(self.registers);
        if self.carry.is_none() {
            self.registers += 1;
            self.carry = Some(fresh);
        }
        fresh
    }

    fn special(&self, name: &str) -> Result<SpecialRegister> {
        use SpecialRegister::*;
        let (base, axis) = match name.rsplit_once('.') {
            Some((base, "x")) => (base, 0),
            Some((base, "y")) => (base, 1),
            Some((base, "z")) => (base, 2),
            Some((base, "w")) => (base, 3),
            _ => (name, 0),
        };
        Ok(match base {
            _ if axis == 3 => Zero,
            "%tid" => Tid(axis),
            "%ntid" => Ntid(axis),
            "%ctaid" => Ctaid(axis),
            "%nctaid" => Nctaid(axis),
            "%laneid" => LaneId,
            "%warpid" => WarpId,
            "%nwarpid" => NWarpId,
            "%lanemask_eq" => LaneMask(Mask::Eq),
            "%lanemask_le" => LaneMask(Mask::Le),
            "%lanemask_lt" => LaneMask(Mask::Lt),
            "%lanemask_ge" => LaneMask(Mask::Ge),
            "%lanemask_gt" => LaneMask(Mask::Gt),
            "%clock" | "%globaltimer_lo" => Clock,
            "%clock64" | "%globaltimer" => Clock64,
            "%clock_hi" | "%globaltimer_hi" => Zero,
            "%gridid" => GridId,
            "%smid" => SmId,
            "%nsmid" => NSmId,
            "%dynamic_smem_size" => DynamicShared,
            "%total_smem_size" => TotalShared,
            "%envreg1" => Workspace(true),
            "%envreg2" => Workspace(false),
            // Values that a driver may provide, and does not; performance counters that count nothing.
            name if name.starts_with("%envreg") || name.starts_with("%pm") => Zero,
            _ => return self.fail(format!("register {name} is not declared")),
        })
    }

    fn statement(&mut self, s: &Statement) -> Result<()> {
        self.line = s.line;
        self.guard = s.guard.map(|(register, negated)| Guard { register, wanted: u64::from(!negated) });
        let mut parts = s.opcode.split('.');
        let base = parts.next().unwrap_or_default();
        let modifiers: Vec<&str> = parts.collect();
        let family = mnemonics::family(base);
        if let Some(m) = modifiers.iter().find(|m| !mnemonics::takes(family, m)) {
            return self.fail(format!("instruction {} is not known to the simulator (.{m})", s.opcode));
        }
        match family {
            Some(Family::Move) if base == "mov" => self.mov(s, &modifiers),
            Some(Family::Move) => self.cvta(s, &modifiers),
            Some(Family::Convert) => self.convert(s, &modifiers),
            Some(Family::Compare) => self.compare(s, base, &modifiers),
            Some(Family::Bits) => self.integer(s, base, &modifiers),
            Some(Family::Arithmetic) => self.arithmetic(s, base, &modifiers),
            Some(Family::Video) => self.video(s, base, &modifiers),
            Some(Family::Texture) => self.texture(s, base, &modifiers),
            Some(Family::Warp | Family::Memory | Family::Control | Family::Hint) => self.other(s, base, &modifiers),
            None => self.unknown(s),
        }
    }

    pub(super) fn last_type(&self, s: &Statement, modifiers: &[&str]) -> Result<Type> {
        match modifiers.iter().rev().find_map(|m| Type::parse(m)) {
            Some(ty) => Ok(ty),
            None => self.fail(format!("{} names no type", s.opcode)),
        }
    }

    fn mov(&mut self, s: &Statement, modifiers: &[&str]) -> Result<()> {
        let ty = self.last_type(s, modifiers)?;
        match (self.operand(s, 0)?, self.operand(s, 1)?) {
            (Operand::Vector(parts), a) => {
                let a = self.source(a, ty)?;
                let targets: Vec<_> = parts.iter().map(|p| self.target(p)).collect::<Result<_>>()?;
                if targets.is_empty() {
                    return self.unknown(s);
                }
                let bits = 8 * ty.bytes() as u64 / targets.len() as u64;
                self.emit(Code::Unpack(targets.into(), a, bits));
            }
            (d, Operand::Vector(parts)) => {
                let d = self.register(d)?;
                let part = match ty.bytes() / parts.len().max(1) {
                    1 => Type::B8,
                    2 => Type::B16,
                    4 => Type::B32,
                    _ => return self.unknown(s),
                };
                let sources: Vec<_> = parts.iter().map(|p| self.source(p, part)).collect::<Result<_>>()?;
                self.emit(Code::Pack(d, sources.into(), part));
            }
            (d, Operand::Special(name)) => {
                let (d, special) = (self.register(d)?, self.special(name)?);
                self.emit(Code::Special(d, special));
            }
            (d, a) => {
                let d = self.register(d)?;
                let a = self.source(a, ty)?;
                self.emit_as(Rule::Move(1), Code::Map1(lanes!(|a| a), d, a));
            }
        }
        Ok(())
    }

    /// Decodes `cvta`. Generic addresses are those of global memory; the other spaces have windows.
    fn cvta(&mut self, s: &Statement, modifiers: &[&str]) -> Result<()> {
        let d = self.register(self.operand(s, 0)?)?;
        let [a] = self.sources(s, 1, Type::B64)?;
        let to = modifiers.contains(&"to");
        let f = match modifiers.iter().find(|m| matches!(**m, "global" | "const" | "shared" | "local" | "param")) {
            Some(&"shared") if to => lanes!(|a| a.wrapping_sub(SHARED_WINDOW)),
            Some(&"shared") => lanes!(|a| a.wrapping_add(SHARED_WINDOW)),
            Some(&"local") if to => lanes!(|a| a.wrapping_sub(crate::exec::LOCAL_WINDOW)),
            Some(&"local") => lanes!(|a| a.wrapping_add(crate::exec::LOCAL_WINDOW)),
            Some(&"param") if to => lanes!(|a| a.wrapping_sub(PARAM_WINDOW)),
            Some(&"param") => lanes!(|a| a.wrapping_add(PARAM_WINDOW)),
            Some(_) => lanes!(|a| a),
            None => return self.unknown(s),
        };
        self.emit_as(Rule::Upwards(64), Code::Map1(f, d, a));
        Ok(())
    }
}
