//! Decoding of loads, stores and atomics.

use super::decode::{Decoder, Result};
use super::{Operand, Space, Statement};
use crate::exec::{Async, Atomic, AtomicOp, Code, Collective, Function, Load, Src, Store};
use crate::ops::Type;

/// Returns the smallest access of code outside of parameters, as a power of two.
pub(crate) fn grain(functions: &[Function]) -> u32 {
    let smallest = functions.iter().flat_map(|f| &f.code).filter_map(|i| match &i.code {
        Code::Load(l) if l.space != Space::Param => Some(l.bytes),
        Code::Store(s) if s.space != Space::Param => Some(s.bytes),
        Code::Atomic(a) => Some(a.ty.bytes() as u32),
        Code::Call(_) | Code::Image(_) => Some(1),
        Code::Async(what) => match &**what {
            Async::Copy(copy) => Some(copy.bytes),
            _ => None,
        },
        Code::Mbarrier(_) => Some(8),
        Code::Collective(what, _) => match &**what {
            Collective::Matrix(matrix) => matrix.access(),
            _ => None,
        },
        _ => None,
    });
    smallest.min().unwrap_or(8).min(8).trailing_zeros()
}

/// Modifiers of loads and stores that do not affect the result: cache hints and scopes.
const HINTS: [&str; 27] = [
    "ca",
    "cg",
    "cs",
    "cv",
    "lu",
    "wb",
    "wt",
    "nc",
    "cta",
    "cluster",
    "gpu",
    "sys",
    "L1::evict_normal",
    "L1::evict_unchanged",
    "L1::evict_first",
    "L1::evict_last",
    "L1::no_allocate",
    "L2::64B",
    "L2::128B",
    "L2::256B",
    "L2::cache_hint",
    "L2::evict_last",
    "L2::evict_normal",
    "L2::evict_first",
    "weak",
    "noftz",
    "global",
];

/// Modifiers of accesses that do not race with atomics.
const STRONG: [&str; 6] = ["volatile", "relaxed", "acquire", "release", "acq_rel", "mmio"];

pub(super) fn is_hint(word: &str) -> bool {
    HINTS.contains(&word)
}

pub(super) fn space_named(word: &str) -> Option<Space> {
    Some(match word {
        "global" | "const" => Space::Global,
        "shared" | "shared::cta" => Space::Shared,
        "local" => Space::Local,
        "param" | "param::entry" | "param::func" => Space::Param,
        _ => return None,
    })
}

impl Decoder<'_> {
    /// Returns the space, the type and whether the access is strong; every modifier has to be known.
    fn access(&self, s: &Statement, modifiers: &[&str]) -> Result<(Space, Type, bool, usize)> {
        let (mut space, mut ty, mut strong, mut vector) = (Space::Generic, None, false, 1);
        for m in modifiers {
            if let Some(named) = space_named(m) {
                space = named;
            } else if STRONG.contains(m) {
                strong = true;
            } else if let Some(named) = Type::parse(m) {
                ty = Some(named);
            } else if let Some(n) = m.strip_prefix('v') {
                vector = n.parse().unwrap_or(0);
            } else if !HINTS.contains(m) && AtomicOp::parse(m).is_none() && *m != "unified" {
                return self.unknown(s);
            }
        }
        match ty {
            Some(ty) if ty != Type::Pred && matches!(vector, 1 | 2 | 4 | 8) => Ok((space, ty, strong, vector)),
            _ => self.unknown(s),
        }
    }

    /// Decodes `[base + offset]`.
    pub(super) fn address_of(&mut self, o: &Operand, space: Space) -> Result<(Src, i64)> {
        let Operand::Mem(base, offset) = o else { return self.fail(format!("{o:?} is no address")) };
        // A parameter named in a generic or shared access would be another space's address.
        if let Operand::Var(of, _) = **base
            && of != space
        {
            return self.fail(format!("a variable of {of:?} space in an access to {space:?} space"));
        }
        Ok((self.source(base, Type::B64)?, *offset))
    }

    pub(super) fn load(&mut self, s: &Statement, modifiers: &[&str]) -> Result<()> {
        let (space, ty, strong, vector) = self.access(s, modifiers)?;
        let targets: Vec<Option<u32>> = match self.operand(s, 0)? {
            Operand::Vector(parts) => parts.iter().map(|p| self.target(p)).collect::<Result<_>>()?,
            d => vec![self.target(d)?],
        };
        if targets.len() != vector || ty.bytes() * vector > 32 {
            return self.unknown(s);
        }
        // A signed element fills its register; all elements have registers of one width.
        let extend = match (ty.is_signed(), targets.iter().flatten().next()) {
            (true, Some(&d)) => self.width(d),
            _ => 0,
        };
        let extend = if extend > 8 * ty.bytes() as u32 { extend } else { 0 };
        let (address, offset) = self.address_of(self.operand(s, 1)?, space)?;
        let bytes = ty.bytes() as u32;
        self.emit(Code::Load(Box::new(Load {
            space,
            bytes,
            extend,
            targets: targets.into(),
            address,
            offset,
            strong,
        })));
        Ok(())
    }

    pub(super) fn store(&mut self, s: &Statement, modifiers: &[&str]) -> Result<()> {
        let (space, ty, strong, vector) = self.access(s, modifiers)?;
        let (address, offset) = self.address_of(self.operand(s, 0)?, space)?;
        let sources: Vec<Src> = match self.operand(s, 1)? {
            Operand::Vector(parts) => parts.iter().map(|p| self.source(p, ty)).collect::<Result<_>>()?,
            a => vec![self.source(a, ty)?],
        };
        if sources.len() != vector || ty.bytes() * vector > 32 {
            return self.unknown(s);
        }
        let bytes = ty.bytes() as u32;
        self.emit(Code::Store(Box::new(Store { space, bytes, sources: sources.into(), address, offset, strong })));
        Ok(())
    }

    pub(super) fn atomic(&mut self, s: &Statement, base: &str, modifiers: &[&str]) -> Result<()> {
        let (space, ty, _, vector) = self.access(s, modifiers)?;
        let Some(op) = modifiers.iter().find_map(|m| AtomicOp::parse(m)) else { return self.unknown(s) };
        if vector != 1 || !takes(op, ty) {
            return self.unknown(s);
        }
        let first = usize::from(base == "atom");
        let target = if first == 1 { self.target(self.operand(s, 0)?)? } else { None };
        let (address, offset) = self.address_of(self.operand(s, first)?, space)?;
        let [a] = self.sources(s, first + 1, ty)?;
        let b = if op == AtomicOp::CompareSwap { self.source(self.operand(s, first + 2)?, ty)? } else { a };
        self.emit(Code::Atomic(Box::new(Atomic { op, ty, space, target, address, offset, sources: [a, b] })));
        Ok(())
    }
}

/// Returns true if an atomic operation exists for a type.
fn takes(op: AtomicOp, ty: Type) -> bool {
    use Type::*;
    match op {
        AtomicOp::Add => matches!(ty, U32 | S32 | U64 | S64 | F16 | F16x2 | Bf16 | Bf16x2 | F32 | F64),
        AtomicOp::Min | AtomicOp::Max => matches!(ty, U32 | S32 | U64 | S64),
        AtomicOp::And | AtomicOp::Or | AtomicOp::Xor => matches!(ty, B32 | B64),
        AtomicOp::Exchange => matches!(ty, B32 | B64 | U32 | S32 | U64 | S64 | F32 | F64),
        AtomicOp::CompareSwap => matches!(ty, B16 | B32 | B64 | U32 | S32 | U64 | S64 | F32 | F64 | U16 | S16),
        AtomicOp::Increment | AtomicOp::Decrement => ty == U32,
    }
}
