//! Decoding of comparisons.

use super::decode::{Decoder, Result};
use super::{Operand, Statement};
use crate::exec::{Code, Src};
use crate::ops::undefined::Rule;
use crate::ops::{Map1, Map2, Type, float, half, int, lanes};

impl Decoder<'_> {
    pub(super) fn compare(&mut self, s: &Statement, base: &str, modifiers: &[&str]) -> Result<()> {
        let ty = self.last_type(s, modifiers)?;
        let condition = modifiers.first().copied().unwrap_or_default();
        let [a, b] = self.sources(s, 1, ty)?;
        let packed = matches!(ty, Type::F16x2 | Type::Bf16x2);
        let (a, b) = if modifiers.contains(&"ftz") { (self.flushed(a, ty), self.flushed(b, ty)) } else { (a, b) };
        let low = self.condition(s, condition, ty, [a, b])?;
        let high = if packed {
            let halves = [self.upper(a), self.upper(b)];
            Some(self.condition(s, condition, ty, halves)?)
        } else {
            None
        };
        if base == "set" {
            return self.set(s, modifiers, low, high);
        }
        let (p, q) = match self.operand(s, 0)? {
            Operand::Pair(p, q) => (self.target(p)?, self.target(q)?),
            p => (self.target(p)?, None),
        };
        // Both results are computed before either is written: a target may be a source as well.
        let yes = self.combined(s, modifiers, low)?;
        let no = match (q, high) {
            (Some(_), Some(high)) => Some(self.combined(s, modifiers, high)?),
            (Some(_), None) => {
                let negated = self.temporary();
                self.emit_as(Rule::Bitwise, Code::Map1(lanes!(|a| a ^ 1), negated, low));
                Some(self.combined(s, modifiers, negated)?)
            }
            (None, _) => None,
        };
        for (target, value) in [(p, Some(yes)), (q, no)] {
            if let (Some(target), Some(value)) = (target, value) {
                self.emit_as(Rule::Move(1), Code::Map1(lanes!(|a| a), target, value));
            }
        }
        Ok(())
    }

    /// Decodes `set`: all ones, or the number one if the result is a float, for each part of the result.
    fn set(&mut self, s: &Statement, modifiers: &[&str], low: Src, high: Option<Src>) -> Result<()> {
        let to = modifiers.iter().find_map(|m| Type::parse(m));
        let yes: Map1 = match to {
            Some(Type::F32) => lanes!(|a| a * 0x3f80_0000),
            Some(Type::F16 | Type::F16x2) => lanes!(|a| a * 0x3c00),
            Some(Type::Bf16 | Type::Bf16x2) => lanes!(|a| a * 0x3f80),
            Some(Type::U16 | Type::S16) => lanes!(|a| a * 0xffff),
            // Each half of a packed pair is a mask of its own.
            Some(Type::U32 | Type::S32) if high.is_some() => lanes!(|a| a * 0xffff),
            Some(Type::U32 | Type::S32) => lanes!(|a| a * 0xffff_ffff),
            _ => return self.unknown(s),
        };
        let low = self.combined(s, modifiers, low)?;
        let high = high.map(|high| self.combined(s, modifiers, high)).transpose()?;
        let d = self.register(self.operand(s, 0)?)?;
        let Some(high) = high else {
            self.emit(Code::Map1(yes, d, low));
            return Ok(());
        };
        let (below, above) = (self.temporary(), self.temporary());
        self.emit(Code::Map1(yes, below, low));
        self.emit(Code::Map1(yes, above, high));
        self.emit_as(Rule::Bitwise, Code::Map2(lanes!(|a, b| a | b << 16), d, [below, above]));
        Ok(())
    }

    /// Emits a comparison of the low parts.
    fn condition(&mut self, s: &Statement, condition: &str, ty: Type, sources: [Src; 2]) -> Result<Src> {
        let f = match ty {
            Type::F32 | Type::F64 => float::compare(condition, ty),
            Type::F16 | Type::Bf16 | Type::F16x2 | Type::Bf16x2 => half_compare(condition, ty),
            _ => int::compare(condition, ty),
        };
        let Some(f) = f else { return self.unknown(s) };
        let rule = match ty {
            Type::F16 | Type::Bf16 | Type::F16x2 | Type::Bf16x2 => Rule::Any(16),
            Type::F32 | Type::F64 => Rule::Any(64),
            _ => Rule::of_comparison(condition, ty),
        };
        let result = self.temporary();
        self.emit_as(rule, Code::Map2(f, result, sources));
        Ok(result)
    }

    /// Combines a result with the predicate of the instruction, if any.
    fn combined(&mut self, s: &Statement, modifiers: &[&str], value: Src) -> Result<Src> {
        let Some(op) = modifiers.iter().find(|m| matches!(**m, "and" | "or" | "xor")) else { return Ok(value) };
        let c = self.source(self.operand(s, 3)?, Type::Pred)?;
        let Some(f) = int::binary(op, Type::Pred) else { return self.unknown(s) };
        let out = self.temporary();
        self.emit_as(Rule::Bitwise, Code::Map2(f, out, [value, c]));
        Ok(out)
    }

    fn upper(&mut self, a: Src) -> Src {
        let d = self.temporary();
        self.emit_as(Rule::Move(1), Code::Map1(lanes!(|a| a >> 16 & 0xffff), d, a));
        d
    }

    /// Flushes subnormals to zeros of their sign.
    fn flushed(&mut self, a: Src, ty: Type) -> Src {
        let (f, rule): (Map1, Rule) = match ty {
            Type::F32 => (lanes!(|a| float::flush(f32::from_bits(a as u32)).to_bits().into()), Rule::Any(64)),
            Type::F16 | Type::F16x2 => (lanes!(|a| half::flush_pair(a)), Rule::Halves),
            _ => return a,
        };
        let d = self.temporary();
        self.emit_as(rule, Code::Map1(f, d, a));
        d
    }
}

fn half_compare(condition: &str, ty: Type) -> Option<Map2> {
    macro_rules! conditions {
        ($($name:literal),+) => {
            match (condition, ty) {
                $(
                    ($name, Type::F16 | Type::F16x2) => Some(lanes!(|a, b| {
                        let value = |x: u64| half::F16.decode(x & 0xffff);
                        u64::from(half::compare($name, value(a), value(b)) == Some(true))
                    })),
                    ($name, _) => Some(lanes!(|a, b| {
                        let value = |x: u64| half::BF16.decode(x & 0xffff);
                        u64::from(half::compare($name, value(a), value(b)) == Some(true))
                    })),
                )+
                _ => None,
            }
        };
    }
    conditions!("eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan")
}
