//! Decoding of branches, calls, barriers and the instructions of whole warps.

use super::decode::{Decoder, Result};
use super::{Operand, Space, Statement, Variable};
use crate::exec::{Barrier, BarrierKind, Call, Callee, Code, Collective, ReduxKind, ShuffleKind, Src, VoteKind};
use crate::ops::Type;

/// Returns a function that is defined by the device, not by the source.
pub(super) fn system_call(name: &str) -> Option<Callee> {
    Some(match name {
        "vprintf" => Callee::Printf,
        "__assertfail" => Callee::Assert,
        "malloc" => Callee::Malloc,
        "free" => Callee::Free,
        _ => return None,
    })
}

impl Decoder<'_> {
    pub(super) fn other(&mut self, s: &Statement, base: &str, modifiers: &[&str]) -> Result<()> {
        match base {
            "ld" | "ldu" => self.load(s, modifiers),
            "st" => self.store(s, modifiers),
            "cp" => self.copy_async(s, modifiers),
            "mbarrier" => self.mbarrier(s, modifiers),
            "createpolicy" => self.cache_policy(s, modifiers),
            "ldmatrix" => self.load_rows(s, modifiers),
            "movmatrix" => self.turn_matrix(s, modifiers),
            "mma" => self.mma(s, modifiers),
            "wmma" => self.wmma(s, modifiers),
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
                self.emit_branch(Code::BranchTable(index, targets.into_iter().map(|t| t as u32).collect()));
                Ok(())
            }
            "call" => self.call(s),
            "ret" => self.plain(Code::Return),
            "exit" => self.plain(Code::Exit),
            "trap" | "brkpt" => self.plain(Code::Trap),
            "bar" | "barrier" => self.barrier(s, modifiers),
            "membar" | "fence" => self.plain(Code::Fence),
            // Hints, and a sleep that needs no time.
            "nanosleep" | "prefetch" | "prefetchu" | "pmevent" | "discard" | "applypriority" | "griddepcontrol" => {
                self.plain(Code::Nothing)
            }
            "shfl" => self.shuffle(s, modifiers),
            "vote" => self.vote(s, modifiers),
            "match" => self.matching(s, modifiers),
            "redux" => self.redux(s, modifiers),
            "activemask" => {
                let d = self.register(self.operand(s, 0)?)?;
                self.plain(Code::ActiveMask(d))
            }
            "alloca" => {
                let d = self.register(self.operand(s, 0)?)?;
                let [bytes] = self.sources(s, 1, Type::U64)?;
                let align = match s.operands.get(2) {
                    Some(Operand::Int(n)) if n.is_power_of_two() && *n <= 1 << 12 => *n,
                    None => 8,
                    _ => return self.unknown(s),
                };
                self.plain(Code::Alloca(d, bytes, align))
            }
            "stacksave" => {
                let d = self.register(self.operand(s, 0)?)?;
                self.plain(Code::StackSave(d))
            }
            "stackrestore" => {
                let [a] = self.sources(s, 0, Type::U64)?;
                self.plain(Code::StackRestore(a))
            }
            "isspacep" => {
                let space = match modifiers {
                    ["global" | "const"] => Space::Global,
                    ["shared" | "shared::cta"] => Space::Shared,
                    ["local"] => Space::Local,
                    ["param" | "param::entry"] => Space::Param,
                    _ => return self.unknown(s),
                };
                let d = self.register(self.operand(s, 0)?)?;
                let [a] = self.sources(s, 1, Type::B64)?;
                self.plain(Code::IsSpace(space, d, a))
            }
            _ => self.unknown(s),
        }
    }

    fn plain(&mut self, code: Code) -> Result<()> {
        self.emit(code);
        Ok(())
    }

    /// Decodes `d|p`, or `d` alone.
    fn targets(&mut self, s: &Statement) -> Result<(Option<u32>, Option<u32>)> {
        match self.operand(s, 0)? {
            Operand::Pair(d, p) => Ok((self.target(d)?, self.target(p)?)),
            d => Ok((self.target(d)?, None)),
        }
    }

    /// Decodes the member mask of a `.sync` instruction: its last operand; `None` without `.sync`.
    fn members(&mut self, s: &Statement, modifiers: &[&str], at: usize) -> Result<Option<Src>> {
        if modifiers.first() != Some(&"sync") {
            return Ok(None);
        }
        let [mask] = self.sources(s, at, Type::B32)?;
        Ok(Some(mask))
    }

    fn shuffle(&mut self, s: &Statement, modifiers: &[&str]) -> Result<()> {
        let kind = match modifiers {
            ["sync", kind, "b32"] | [kind, "b32"] => *kind,
            _ => return self.unknown(s),
        };
        let kind = match kind {
            "up" => ShuffleKind::Up,
            "down" => ShuffleKind::Down,
            "bfly" => ShuffleKind::Butterfly,
            "idx" => ShuffleKind::Index,
            _ => return self.unknown(s),
        };
        let (d, p) = self.targets(s)?;
        let sources = self.sources(s, 1, Type::B32)?;
        let members = self.members(s, modifiers, 4)?;
        self.plain(Code::Collective(Box::new(Collective::Shuffle { kind, d, p, sources }), members))
    }

    fn vote(&mut self, s: &Statement, modifiers: &[&str]) -> Result<()> {
        let kind = match modifiers {
            ["sync", "all", "pred"] | ["all", "pred"] => VoteKind::All,
            ["sync", "any", "pred"] | ["any", "pred"] => VoteKind::Any,
            ["sync", "uni", "pred"] | ["uni", "pred"] => VoteKind::Uniform,
            ["sync", "ballot", "b32"] | ["ballot", "b32"] => VoteKind::Ballot,
            _ => return self.unknown(s),
        };
        let (d, _) = self.targets(s)?;
        let a = self.source(self.operand(s, 1)?, Type::Pred)?;
        let members = self.members(s, modifiers, 2)?;
        self.plain(Code::Collective(Box::new(Collective::Vote { kind, d, a }), members))
    }

    fn matching(&mut self, s: &Statement, modifiers: &[&str]) -> Result<()> {
        let (d, p) = self.targets(s)?;
        let (["any", "sync", ty] | ["all", "sync", ty]) = modifiers else { return self.unknown(s) };
        let ty = match *ty {
            "b32" => Type::B32,
            "b64" => Type::B64,
            _ => return self.unknown(s),
        };
        let [a] = self.sources(s, 1, ty)?;
        let [members] = self.sources(s, 2, Type::B32)?;
        let what = if modifiers[0] == "any" { Collective::MatchAny { d, a } } else { Collective::MatchAll { d, p, a } };
        self.plain(Code::Collective(Box::new(what), Some(members)))
    }

    fn redux(&mut self, s: &Statement, modifiers: &[&str]) -> Result<()> {
        let ["sync", kind, ty] = modifiers else { return self.unknown(s) };
        let kind = match *kind {
            "add" => ReduxKind::Add,
            "min" => ReduxKind::Min,
            "max" => ReduxKind::Max,
            "and" => ReduxKind::And,
            "or" => ReduxKind::Or,
            "xor" => ReduxKind::Xor,
            _ => return self.unknown(s),
        };
        let ty = match *ty {
            "s32" => Type::S32,
            "u32" | "b32" => Type::U32,
            _ => return self.unknown(s),
        };
        let (d, _) = self.targets(s)?;
        let [a] = self.sources(s, 1, ty)?;
        let members = self.members(s, modifiers, 2)?;
        self.plain(Code::Collective(Box::new(Collective::Redux { kind, ty, d, a }), members))
    }

    fn barrier(&mut self, s: &Statement, modifiers: &[&str]) -> Result<()> {
        let words: Vec<&str> = modifiers.iter().copied().filter(|m| *m != "cta").collect();
        if let ["warp", "sync"] = words.as_slice() {
            let [members] = self.sources(s, 0, Type::B32)?;
            return self.plain(Code::Collective(Box::new(Collective::Sync), Some(members)));
        }
        // `bar` is `barrier.aligned`.
        let aligned = s.opcode.starts_with("bar.") || words.contains(&"aligned");
        let words: Vec<&str> = words.into_iter().filter(|m| *m != "aligned").collect();
        let kind = match words.as_slice() {
            ["sync"] => BarrierKind::Sync,
            ["arrive"] => BarrierKind::Arrive,
            ["red", "popc", "u32"] => BarrierKind::Popc,
            ["red", "and", "pred"] => BarrierKind::And,
            ["red", "or", "pred"] => BarrierKind::Or,
            _ => return self.unknown(s),
        };
        let reduces = !matches!(kind, BarrierKind::Sync | BarrierKind::Arrive);
        let first = usize::from(reduces);
        let last = s.operands.len().saturating_sub(first);
        let target = if reduces { self.target(self.operand(s, 0)?)? } else { None };
        let predicate = if reduces { Some(self.source(self.operand(s, last)?, Type::Pred)?) } else { None };
        let [id] = self.sources(s, first, Type::U32)?;
        let count = match last.saturating_sub(first) {
            0 | 1 if !reduces && last == first + 1 => None,
            _ if last > first + 1 => Some(self.source(self.operand(s, first + 1)?, Type::U32)?),
            _ => None,
        };
        if kind == BarrierKind::Arrive && count.is_none() {
            return self.unknown(s);
        }
        self.plain(Code::Barrier(Box::new(Barrier { kind, aligned, id, count, target, predicate })))
    }

    fn call(&mut self, s: &Statement) -> Result<()> {
        let mut operands = s.operands.iter();
        let mut next = operands.next();
        let variables = |o: &Operand| -> Result<Vec<Variable>> {
            let Operand::List(list) = o else { return Ok(Vec::new()) };
            let variable = |v: &Operand| match v {
                Operand::Var(Space::Param, at) => match self.text.variables.iter().find(|v| v.offset == *at) {
                    Some(v) => Ok(v.clone()),
                    None => self.fail("a call with an argument that is not declared"),
                },
                other => self.fail(format!("{other:?} cannot be passed to a function")),
            };
            list.iter().map(variable).collect()
        };
        let mut results = Vec::new();
        if let Some(list @ Operand::List(_)) = next {
            results = variables(list)?;
            next = operands.next();
        }
        let arguments = match operands.next() {
            Some(list) => variables(list)?,
            None => Vec::new(),
        };
        let callee = match next {
            Some(Operand::Symbol(name)) => match (name.as_str(), self.names.functions.get(name)) {
                (_, Some(index)) => Callee::Function(*index),
                (name, None) => match system_call(name) {
                    Some(callee) => callee,
                    None => return self.fail(format!("function {name} is not known to the simulator")),
                },
            },
            Some(Operand::Reg(r)) => Callee::Indirect(*r),
            _ => return self.unknown(s),
        };
        self.plain(Code::Call(Box::new(Call { callee, arguments, results })))
    }
}
