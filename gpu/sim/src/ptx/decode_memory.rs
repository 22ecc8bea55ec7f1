//! Decoding of memory accesses, synchronisation and control flow.

use super::decode::{Decoder, Result};
use super::{Operand, Space, Statement};
use crate::exec::{AtomicOp, BarrierKind, Callee, Code, ShuffleMode, Src, SystemCall, VoteMode};
use crate::ops::Type;

impl Decoder<'_> {
    pub(super) fn other(&mut self, s: &Statement, base: &str, modifiers: &[&str]) -> Result<()> {
        let has = |m: &str| modifiers.contains(&m);
        match base {
            "ld" | "ldu" => self.load(s, modifiers),
            "st" => self.store(s, modifiers),
            "atom" | "red" => self.atomic(s, base, modifiers),
            "bra" => {
                let Operand::Label(label) = self.operand(s, 0)? else { return self.unknown(s) };
                self.emit_branch(Code::Branch(*label as u32));
                Ok(())
            }
            "brx" => {
                let [index] = self.sources(s, 0, Type::U32)?;
                let targets = match self.operand(s, 1)? {
                    Operand::Label(list) => self.text.tables.get(list).cloned(),
                    _ => None,
                };
                let Some(targets) = targets else { return self.fail("a list of branch targets is not declared") };
                let targets: Vec<u32> = targets.into_iter().map(|t| t as u32).collect();
                self.emit_branch(Code::BranchTable(index, targets.into()));
                Ok(())
            }
            "call" => self.call(s),
            "ret" => {
                self.emit(Code::Return);
                Ok(())
            }
            "exit" => {
                self.emit(Code::Exit);
                Ok(())
            }
            "trap" | "brkpt" => {
                self.emit(Code::Trap);
                Ok(())
            }
            "bar" | "barrier" if has("warp") => {
                let [mask] = self.sources(s, 0, Type::B32)?;
                self.emit(Code::WarpSync(mask));
                Ok(())
            }
            "bar" | "barrier" => self.barrier(s, modifiers),
            "shfl" => self.shuffle(s, modifiers),
            "vote" => {
                let mode = match modifiers {
                    ["sync", "all", "pred"] => VoteMode::All,
                    ["sync", "any", "pred"] => VoteMode::Any,
                    ["sync", "uni", "pred"] => VoteMode::Uni,
                    ["sync", "ballot", "b32"] => VoteMode::Ballot,
                    _ => return self.unknown(s),
                };
                let d = self.register(self.operand(s, 0)?)?;
                let p = self.source(self.operand(s, 1)?, Type::Pred)?;
                let [mask] = self.sources(s, 2, Type::B32)?;
                self.emit(Code::Vote { mode, d, p, mask });
                Ok(())
            }
            "match" => {
                let ty = if has("b64") { Type::B64 } else { Type::B32 };
                let (d, p) = match self.operand(s, 0)? {
                    Operand::Pair(d, p) => (self.register(d)?, self.target(p)?),
                    d => (self.register(d)?, None),
                };
                let [a] = self.sources(s, 1, ty)?;
                let [mask] = self.sources(s, 2, Type::B32)?;
                self.emit(Code::Match { all: has("all"), d, p, a, mask });
                Ok(())
            }
            "redux" => {
                let ty = modifiers.iter().rev().find_map(|m| Type::parse(m)).unwrap_or(Type::U32);
                let Some(op) = modifiers.iter().find_map(|m| atomic_op(m)) else { return self.unknown(s) };
                let d = self.register(self.operand(s, 0)?)?;
                let [a] = self.sources(s, 1, ty)?;
                let [mask] = self.sources(s, 2, Type::B32)?;
                self.emit(Code::Redux { op, ty, d, a, mask });
                Ok(())
            }
            "activemask" => {
                let d = self.register(self.operand(s, 0)?)?;
                self.emit(Code::ActiveMask(d));
                Ok(())
            }
            "isspacep" => {
                let space = match modifiers.first() {
                    Some(&"global") => Space::Global,
                    Some(&"shared" | &"shared::cta") => Space::Shared,
                    Some(&"local") => Space::Local,
                    Some(&"param" | &"param::entry") => Space::Param,
                    _ => return self.unknown(s),
                };
                let d = self.register(self.operand(s, 0)?)?;
                let [a] = self.sources(s, 1, Type::B64)?;
                self.emit(Code::IsSpace(space, d, a));
                Ok(())
            }
            // Blocks see each other's stores in order already; hints change nothing.
            "membar" | "fence" | "nanosleep" | "prefetch" | "prefetchu" | "discard" | "applypriority"
            | "griddepcontrol" | "pmevent" => {
                self.emit(Code::Nop);
                Ok(())
            }
            _ => self.unknown(s),
        }
    }

    fn space(&self, modifiers: &[&str]) -> Space {
        for m in modifiers {
            match *m {
                "global" | "const" => return Space::Global,
                "shared" | "shared::cta" => return Space::Shared,
                "local" => return Space::Local,
                "param" | "param::entry" | "param::func" => return Space::Param,
                _ => {}
            }
        }
        Space::Generic
    }

    /// The address of `[base + offset]`: a source and a byte offset.
    fn address_of(&mut self, o: &Operand) -> Result<(Src, i64)> {
        match o {
            Operand::Mem(base, offset) => Ok((self.source(base, Type::B64)?, *offset)),
            other => self.fail(format!("{other:?} is no address")),
        }
    }

    fn load(&mut self, s: &Statement, modifiers: &[&str]) -> Result<()> {
        let Some(ty) = modifiers.iter().rev().find_map(|m| Type::parse(m)) else { return self.unknown(s) };
        let d: Vec<_> = match self.operand(s, 0)? {
            Operand::Vector(parts) => parts.iter().map(|p| self.target(p)).collect::<Result<_>>()?,
            d => vec![self.target(d)?],
        };
        let (addr, offset) = self.address_of(self.operand(s, 1)?)?;
        self.emit(Code::Load { space: self.space(modifiers), ty, d: d.into(), addr, offset });
        Ok(())
    }

    fn store(&mut self, s: &Statement, modifiers: &[&str]) -> Result<()> {
        let Some(ty) = modifiers.iter().rev().find_map(|m| Type::parse(m)) else { return self.unknown(s) };
        let sources: Vec<_> = match self.operand(s, 1)? {
            Operand::Vector(parts) => parts.iter().map(|p| self.source(p, ty)).collect::<Result<_>>()?,
            a => vec![self.source(a, ty)?],
        };
        let (addr, offset) = self.address_of(self.operand(s, 0)?)?;
        self.emit(Code::Store { space: self.space(modifiers), ty, s: sources.into(), addr, offset });
        Ok(())
    }

    fn atomic(&mut self, s: &Statement, base: &str, modifiers: &[&str]) -> Result<()> {
        let Some(ty) = modifiers.iter().rev().find_map(|m| Type::parse(m)) else { return self.unknown(s) };
        let Some(op) = modifiers.iter().find_map(|m| atomic_op(m)) else { return self.unknown(s) };
        let float = matches!(ty, Type::F16 | Type::F16x2 | Type::Bf16 | Type::Bf16x2 | Type::F32 | Type::F64);
        let op = if float && op == AtomicOp::Add { AtomicOp::FAdd } else { op };
        let first = usize::from(base == "atom");
        let d = if first == 1 { self.target(self.operand(s, 0)?)? } else { None };
        let (addr, offset) = self.address_of(self.operand(s, first)?)?;
        let [a] = self.sources(s, first + 1, ty)?;
        let b = if op == AtomicOp::Cas { self.sources::<1>(s, first + 2, ty)?[0] } else { a };
        self.emit(Code::Atomic { space: self.space(modifiers), op, ty, d, addr, offset, s: [a, b] });
        Ok(())
    }

    fn barrier(&mut self, s: &Statement, modifiers: &[&str]) -> Result<()> {
        let reduces = modifiers.contains(&"red");
        let first = usize::from(reduces);
        let mut count = s.operands.len().saturating_sub(first);
        let mut kind = if modifiers.contains(&"arrive") { BarrierKind::Arrive } else { BarrierKind::Sync };
        if reduces {
            let d = self.register(self.operand(s, 0)?)?;
            let p = self.source(self.operand(s, s.operands.len().saturating_sub(1))?, Type::Pred)?;
            count = count.saturating_sub(1);
            kind = match modifiers.iter().find(|m| matches!(**m, "popc" | "and" | "or")) {
                Some(&"popc") => BarrierKind::Popc { d, p },
                Some(&"and") => BarrierKind::And { d, p },
                Some(&"or") => BarrierKind::Or { d, p },
                _ => return self.unknown(s),
            };
        }
        let id = if count > 0 { self.source(self.operand(s, first)?, Type::U32)? } else { self.constant(0) };
        let threads = if count > 1 { Some(self.source(self.operand(s, first + 1)?, Type::U32)?) } else { None };
        self.emit(Code::Barrier { kind, id, threads });
        Ok(())
    }

    fn shuffle(&mut self, s: &Statement, modifiers: &[&str]) -> Result<()> {
        let mode = match modifiers {
            ["sync", "up", "b32"] => ShuffleMode::Up,
            ["sync", "down", "b32"] => ShuffleMode::Down,
            ["sync", "bfly", "b32"] => ShuffleMode::Bfly,
            ["sync", "idx", "b32"] => ShuffleMode::Idx,
            _ => return self.unknown(s),
        };
        let (d, p) = match self.operand(s, 0)? {
            Operand::Pair(d, p) => (self.register(d)?, self.target(p)?),
            d => (self.register(d)?, None),
        };
        let [a, b, c, mask] = self.sources(s, 1, Type::B32)?;
        self.emit(Code::Shuffle { mode, d, p, a, b, c, mask });
        Ok(())
    }

    fn call(&mut self, s: &Statement) -> Result<()> {
        let mut operands = s.operands.iter().peekable();
        let mut results = Vec::new();
        if let Some(Operand::List(list)) = operands.peek() {
            results = list.clone();
            operands.next();
        }
        let callee = match operands.next() {
            Some(Operand::Symbol(name)) => match (name.as_str(), self.names.functions.get(name)) {
                ("vprintf", _) => Callee::System(SystemCall::Printf),
                ("__assertfail", _) => Callee::System(SystemCall::AssertFail),
                ("malloc", _) => Callee::System(SystemCall::Malloc),
                ("free", _) => Callee::System(SystemCall::Free),
                (_, Some(&f)) => Callee::Function(f),
                _ => return self.fail(format!("function {name} is not declared")),
            },
            Some(Operand::Reg(r)) => Callee::Indirect(*r),
            other => return self.fail(format!("{other:?} cannot be called")),
        };
        let args = match operands.next() {
            Some(Operand::List(list)) => list.clone(),
            _ => Vec::new(),
        };
        let places = |list: &[Operand]| -> Result<Box<[u64]>> {
            list.iter()
                .map(|o| match o {
                    Operand::Var(Space::Param, offset) => Ok(*offset),
                    other => self.fail(format!("{other:?} is no parameter variable")),
                })
                .collect()
        };
        let (args, results) = (places(&args)?, places(&results)?);
        self.emit(Code::Call { callee, args, results });
        Ok(())
    }
}

fn atomic_op(word: &str) -> Option<AtomicOp> {
    Some(match word {
        "add" => AtomicOp::Add,
        "min" => AtomicOp::Min,
        "max" => AtomicOp::Max,
        "and" => AtomicOp::And,
        "or" => AtomicOp::Or,
        "xor" => AtomicOp::Xor,
        "exch" => AtomicOp::Exch,
        "cas" => AtomicOp::Cas,
        "inc" => AtomicOp::Inc,
        "dec" => AtomicOp::Dec,
        _ => return None,
    })
}
