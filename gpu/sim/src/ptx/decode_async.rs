//! Decoding of asynchronous copies, of mbarriers and of cache policies.

use super::decode::{Decoder, Result};
use super::decode_memory::is_hint;
use super::{Operand, Space, Statement};
use crate::exec::{Async, Code, CopyAsync, Mbarrier, MbarrierKind};
use crate::ops::{Type, lanes};

impl Decoder<'_> {
    /// Decodes `cp.async`: an asynchronous copy from global to shared memory, and the instructions that wait for it.
    pub(super) fn copy_async(&mut self, s: &Statement, modifiers: &[&str]) -> Result<()> {
        let hints = match modifiers {
            ["async", "commit_group"] => return self.asynchronous(Async::Commit),
            ["async", "wait_all"] => return self.asynchronous(Async::Wait(None)),
            ["async", "wait_group"] => {
                let [newest] = self.sources(s, 0, Type::U32)?;
                return self.asynchronous(Async::Wait(Some(newest)));
            }
            ["async", "mbarrier", "arrive", rest @ ..] => {
                let (counted, rest) = match rest {
                    ["noinc", rest @ ..] => (true, rest),
                    rest => (false, rest),
                };
                let Some(space) = mbarrier_space(rest) else { return self.unknown(s) };
                let (address, offset) = self.address_of(self.operand(s, 0)?, space)?;
                let kind = MbarrierKind::Copies { counted };
                return self.mbarrier_code(Mbarrier { kind, space, address, offset, target: None, operand: None });
            }
            ["async", "ca" | "cg", "shared" | "shared::cta", "global", hints @ ..]
                if hints.iter().all(|h| is_hint(h)) =>
            {
                hints
            }
            _ => return self.unknown(s),
        };
        let Operand::Int(bytes @ (4 | 8 | 16)) = *self.operand(s, 2)? else { return self.unknown(s) };
        if bytes != 16 && modifiers[1] == "cg" {
            return self.unknown(s);
        }
        let (to, to_offset) = self.address_of(self.operand(s, 0)?, Space::Shared)?;
        let (from, from_offset) = self.address_of(self.operand(s, 1)?, Space::Global)?;
        let mut copy = CopyAsync { bytes: bytes as u32, to, to_offset, from, from_offset, size: None, ignore: None };
        // A cache policy is the last operand, and does not affect the result.
        let policy = usize::from(hints.contains(&"L2::cache_hint"));
        match s.operands.get(3..s.operands.len().saturating_sub(policy)) {
            None | Some([]) => {}
            Some([Operand::Reg(p)]) if self.width(*p) == 1 => copy.ignore = Some(*p),
            Some([Operand::Not(p)]) => copy.ignore = Some(self.source(&Operand::Not(p.clone()), Type::Pred)?),
            Some([size]) => copy.size = Some(self.source(size, Type::U32)?),
            Some(_) => return self.unknown(s),
        }
        self.asynchronous(Async::Copy(copy))
    }

    fn asynchronous(&mut self, what: Async) -> Result<()> {
        self.emit(Code::Async(Box::new(what)));
        Ok(())
    }

    fn mbarrier_code(&mut self, what: Mbarrier) -> Result<()> {
        self.emit(Code::Mbarrier(Box::new(what)));
        Ok(())
    }

    pub(super) fn mbarrier(&mut self, s: &Statement, modifiers: &[&str]) -> Result<()> {
        let [name, rest @ ..] = modifiers else { return self.unknown(s) };
        if *name == "pending_count" {
            let target = self.target(self.operand(s, 0)?)?;
            let [state] = self.sources(s, 1, Type::B64)?;
            let kind = MbarrierKind::Pending;
            let (space, address) = (Space::Shared, self.constant(0));
            return self.mbarrier_code(Mbarrier { kind, space, address, offset: 0, target, operand: Some(state) });
        }
        let (whole, rest) = match rest {
            ["noComplete", rest @ ..] => (false, rest),
            rest => (true, rest),
        };
        let (parity, rest) = match rest {
            ["parity", rest @ ..] => (true, rest),
            rest => (false, rest),
        };
        // Memory order and scope: here all accesses are in order.
        let rest: Vec<&str> =
            rest.iter().copied().filter(|m| !matches!(*m, "release" | "acquire" | "relaxed" | "cta")).collect();
        let kind = match *name {
            "init" => MbarrierKind::Init,
            "inval" => MbarrierKind::Invalidate,
            "arrive" => MbarrierKind::Arrive { drop: false, whole },
            "arrive_drop" => MbarrierKind::Arrive { drop: true, whole },
            "test_wait" | "try_wait" if parity => MbarrierKind::TestParity,
            "test_wait" | "try_wait" => MbarrierKind::Test,
            _ => return self.unknown(s),
        };
        let arrives = matches!(kind, MbarrierKind::Arrive { .. });
        let tests = matches!(kind, MbarrierKind::Test | MbarrierKind::TestParity);
        let (Some(space), true) = (mbarrier_space(&rest), (whole || arrives) && (!parity || tests)) else {
            return self.unknown(s);
        };
        let first = usize::from(arrives || tests);
        let target = if first == 1 { self.target(self.operand(s, 0)?)? } else { None };
        let (address, offset) = self.address_of(self.operand(s, first)?, space)?;
        let wanted = match kind {
            MbarrierKind::Init | MbarrierKind::TestParity => Some(Type::U32),
            MbarrierKind::Test => Some(Type::B64),
            MbarrierKind::Arrive { .. } if s.operands.len() > 2 => Some(Type::U32),
            _ => None,
        };
        let operand = match wanted {
            Some(ty) => Some(self.source(self.operand(s, first + 1)?, ty)?),
            None => None,
        };
        self.mbarrier_code(Mbarrier { kind, space, address, offset, target, operand })
    }

    /// Decodes `createpolicy`: a policy is a number that only hints use.
    pub(super) fn cache_policy(&mut self, s: &Statement, modifiers: &[&str]) -> Result<()> {
        let ["fractional" | "range" | "cvt", rest @ .., "b64"] = modifiers else { return self.unknown(s) };
        if !rest.iter().all(|m| *m == "global" || m.starts_with("L2")) {
            return self.unknown(s);
        }
        let d = self.register(self.operand(s, 0)?)?;
        let policy = self.constant(0x10f0_0000_0000_0000);
        self.emit(Code::Map1(lanes!(|a| a), d, policy));
        Ok(())
    }
}

/// Returns the space that an mbarrier's modifiers name; `None` for other modifiers.
fn mbarrier_space(modifiers: &[&str]) -> Option<Space> {
    match modifiers {
        ["b64"] => Some(Space::Generic),
        ["shared" | "shared::cta", "b64"] => Some(Space::Shared),
        _ => None,
    }
}
