//! Decoding of arithmetic and of instructions on bits.

use super::decode::{Decoder, Result};
use super::{Operand, Statement};
use crate::exec::{Code, Src};
use crate::ops::undefined::Rule;
use crate::ops::{Map3, Round, Type, carry, float, half, int, lanes};

impl Decoder<'_> {
    pub(super) fn integer(&mut self, s: &Statement, base: &str, modifiers: &[&str]) -> Result<()> {
        let has = |m: &str| modifiers.contains(&m);
        let ty = match modifiers.iter().rev().find_map(|m| Type::parse(m)) {
            Some(ty) => ty,
            None => return self.unknown(s),
        };
        if base == "lop3" {
            return self.lop3(s, modifiers);
        }
        let d = self.target(self.operand(s, 0)?)?;
        if has("cc") || matches!(base, "addc" | "subc" | "madc") {
            return self.carried(s, base, modifiers, ty);
        }
        let d = match d {
            Some(d) => d,
            None => self.temporary(),
        };
        match base {
            "bfi" => {
                let [a, b] = self.sources(s, 1, ty)?;
                let [c, e] = self.sources(s, 3, Type::U32)?;
                self.emit_as(Rule::Move(2), Code::Bfi(8 * ty.bytes() as u64, d, [a, b, c, e]));
            }
            "bfe" => {
                let [a] = self.sources(s, 1, ty)?;
                let [b, c] = self.sources(s, 2, Type::U32)?;
                let Some(f) = int::ternary("bfe", ty) else { return self.unknown(s) };
                self.emit_as(Rule::Move(1), Code::Map3(f, d, [a, b, c]));
            }
            "selp" => {
                let [a, b] = self.sources(s, 1, ty)?;
                let c = self.source(self.operand(s, 3)?, Type::Pred)?;
                let Some(f) = int::ternary("selp", ty) else { return self.unknown(s) };
                self.emit_as(Rule::Select, Code::Map3(f, d, [a, b, c]));
            }
            "slct" => {
                let value = modifiers.iter().find_map(|m| Type::parse(m)).unwrap_or(ty);
                let [a, b] = self.sources(s, 1, value)?;
                let [c] = self.sources(s, 3, ty)?;
                let f = match ty {
                    Type::S32 => lanes!(|a, b, c| if c as i32 >= 0 { a } else { b }),
                    // A flushed negative subnormal is zero.
                    Type::F32 if has("ftz") => {
                        lanes!(|a, b, c| if f32::from_bits(c as u32) > -f32::MIN_POSITIVE { a } else { b })
                    }
                    Type::F32 => lanes!(|a, b, c| if f32::from_bits(c as u32) >= 0.0 { a } else { b }),
                    _ => return self.unknown(s),
                };
                self.emit_as(Rule::Select, Code::Map3(f, d, [a, b, c]));
            }
            "shl" | "shr" => {
                let [a] = self.sources(s, 1, ty)?;
                let [b] = self.sources(s, 2, Type::U32)?;
                let Some(f) = int::binary(base, ty) else { return self.unknown(s) };
                self.emit_as(Rule::Move(1), Code::Map2(f, d, [a, b]));
            }
            "bfind" => {
                let name = if has("shiftamt") { "bfind.shiftamt" } else { base };
                let [a] = self.sources(s, 1, ty)?;
                let Some(f) = int::binary(name, ty) else { return self.unknown(s) };
                self.emit(Code::Map2(f, d, [a, a]));
            }
            "dp2a" => {
                let sources = self.sources(s, 1, Type::B32)?;
                let Some(f) = dot2(modifiers) else { return self.unknown(s) };
                self.emit(Code::Map3(f, d, sources));
            }
            _ => {
                let mut name = base.to_string();
                for m in modifiers {
                    let keep = match base {
                        "prmt" | "shf" | "bmsk" | "dp4a" => *m != "b32",
                        "szext" => matches!(*m, "wrap" | "clamp"),
                        "mul24" | "mad24" => matches!(*m, "lo" | "hi" | "sat"),
                        _ => false,
                    };
                    if keep {
                        name = format!("{name}.{m}");
                    }
                }
                let rule = Rule::of_integer(&name, ty);
                if let Some(f) = int::unary(&name, ty) {
                    let [a] = self.sources(s, 1, ty)?;
                    self.emit_as(rule, Code::Map1(f, d, a));
                } else if let Some(f) = int::binary(&name, ty) {
                    let sources = self.sources(s, 1, ty)?;
                    self.divisor(base, ty, sources[1]);
                    self.emit_as(rule, Code::Map2(f, d, sources));
                } else if let Some(f) = int::ternary(&name, ty) {
                    let sources = self.sources(s, 1, ty)?;
                    self.emit_as(rule, Code::Map3(f, d, sources));
                } else {
                    return self.unknown(s);
                }
            }
        }
        Ok(())
    }

    /// Decodes `lop3.b32 d, ...`; `lop3.or.b32 d|p, ..., q` also tests whether the result is not zero, and combines the
    /// predicate with `q`.
    fn lop3(&mut self, s: &Statement, modifiers: &[&str]) -> Result<()> {
        let (d, p) = match self.operand(s, 0)? {
            Operand::Pair(d, p) => (self.target(d)?, self.target(p)?),
            d => (self.target(d)?, None),
        };
        let sources = self.sources(s, 1, Type::B32)?;
        let Operand::Int(table) = *self.operand(s, 4)? else { return self.unknown(s) };
        let join = match modifiers {
            ["b32"] => None,
            [join @ ("and" | "or"), "b32"] => int::binary(join, Type::Pred),
            _ => return self.unknown(s),
        };
        let (Some(join), Some(p)) = (join, p) else {
            let d = d.unwrap_or_else(|| self.temporary());
            self.emit_as(Rule::Bitwise, Code::Lop3(table as u8, d, sources));
            return Ok(());
        };
        // Sources are read before any result is written.
        let q = self.source(self.operand(s, 5)?, Type::Pred)?;
        let (result, joined) = (self.temporary(), self.temporary());
        self.emit_as(Rule::Bitwise, Code::Lop3(table as u8, result, sources));
        self.emit_as(Rule::Equal, Code::Map1(lanes!(|a| u64::from(a != 0)), joined, result));
        self.emit_as(Rule::Bitwise, Code::Map2(join, p, [joined, q]));
        if let Some(d) = d {
            self.emit_as(Rule::Move(1), Code::Map1(lanes!(|a| a), d, result));
        }
        Ok(())
    }

    fn carried(&mut self, s: &Statement, base: &str, modifiers: &[&str], ty: Type) -> Result<()> {
        let d = self.target(self.operand(s, 0)?)?;
        let part = modifiers.iter().find(|m| matches!(**m, "lo" | "hi"));
        let name = part.map_or(base.to_string(), |p| format!("{base}.{p}"));
        let Some(f) = carry::carry(&name, ty) else { return self.unknown(s) };
        let sources = if s.operands.len() > 3 {
            self.sources(s, 1, ty)?
        } else {
            let [a, b] = self.sources(s, 1, ty)?;
            [a, b, b]
        };
        let cc = self.carry();
        let takes = matches!(base, "addc" | "subc" | "madc");
        self.emit(Code::Carry { f, d, s: sources, cc, takes, set: modifiers.contains(&"cc") });
        Ok(())
    }

    pub(super) fn arithmetic(&mut self, s: &Statement, base: &str, modifiers: &[&str]) -> Result<()> {
        let ty = self.last_type(s, modifiers)?;
        let d = match self.operand(s, 0)? {
            Operand::Pair(p, _) => self.register(p)?,
            o => match self.target(o)? {
                Some(d) => d,
                None => self.temporary(),
            },
        };
        if modifiers.contains(&"cc") {
            return self.carried(s, base, modifiers, ty);
        }
        if matches!(ty, Type::Pred | Type::B8 | Type::B16 | Type::B32 | Type::B64) {
            return self.unknown(s);
        }
        let m = self.modifiers(modifiers, ty, ty);
        let plain = m.round == Round::Nearest && !m.ftz && !m.sat && !m.approx;
        let scalar = match ty {
            Type::F32 | Type::F64 => {
                if base == "testp" {
                    let question = modifiers.first().copied().unwrap_or_default();
                    let Some(f) = float::test(question, ty) else { return self.unknown(s) };
                    let [a] = self.sources(s, 1, ty)?;
                    self.emit(Code::Scalar(f, Box::new(m), d, [a; 3]));
                    return Ok(());
                }
                if let (true, Some(f)) = (plain, float::fast_binary(base, ty)) {
                    let sources = self.sources(s, 1, ty)?;
                    self.emit(Code::Map2(f, d, sources));
                    return Ok(());
                }
                if let (true, "fma" | "mad", Some(f)) = (plain, base, float::fast_fma(ty)) {
                    let sources = self.sources(s, 1, ty)?;
                    self.emit(Code::Map3(f, d, sources));
                    return Ok(());
                }
                if ty == Type::F32 { float::scalar32(base) } else { float::scalar64(base) }
            }
            Type::F16 | Type::Bf16 => half::scalar(base),
            Type::F16x2 | Type::Bf16x2 => half::packed(base),
            _ => {
                let part = modifiers.iter().find(|m| matches!(**m, "lo" | "hi" | "wide"));
                let mut name = part.map_or(base.to_string(), |p| format!("{base}.{p}"));
                if m.relu {
                    name += ".relu";
                }
                if m.sat && ty != Type::S32 {
                    return self.unknown(s);
                }
                if m.sat && base == "mad" {
                    name += ".sat";
                } else if m.sat {
                    return self.saturating(s, base, d);
                }
                let rule = Rule::of_integer(&name, ty);
                if let Some(f) = int::unary(&name, ty) {
                    let [a] = self.sources(s, 1, ty)?;
                    self.emit_as(rule, Code::Map1(f, d, a));
                } else if let Some(f) = int::binary(&name, ty) {
                    let sources = self.sources(s, 1, ty)?;
                    self.divisor(base, ty, sources[1]);
                    self.emit_as(rule, Code::Map2(f, d, sources));
                } else if let Some(f) = int::ternary(&name, ty) {
                    let [a, b] = self.sources(s, 1, ty)?;
                    let wide = if name == "mad.wide" && ty.bytes() == 4 { Type::B64 } else { ty };
                    let [c] = self.sources(s, 3, wide)?;
                    self.emit_as(rule, Code::Map3(f, d, [a, b, c]));
                } else {
                    return self.unknown(s);
                }
                return Ok(());
            }
        };
        let Some(f) = scalar else { return self.unknown(s) };
        let count = match base {
            "fma" | "mad" => 3,
            "add" | "sub" | "mul" | "div" | "min" | "max" | "copysign" => 2,
            _ => 1,
        };
        if s.operands.len() != count + 1 {
            return self.unknown(s);
        }
        let mut sources = [0; 3];
        for i in 0..3 {
            sources[i] = if i < count { self.source(self.operand(s, 1 + i)?, ty)? } else { sources[0] };
        }
        let rule = if matches!(ty, Type::F16x2 | Type::Bf16x2) { Rule::Halves } else { Rule::Any(64) };
        self.emit_as(rule, Code::Scalar(f, Box::new(m), d, sources));
        Ok(())
    }

    /// Emits the check of a divisor: division by zero is a fault, because PTX leaves its result undefined.
    fn divisor(&mut self, base: &str, ty: Type, b: Src) {
        if matches!(base, "div" | "rem") {
            self.emit(Code::Divisor(b, ty.mask()));
        }
    }

    fn saturating(&mut self, s: &Statement, base: &str, d: u32) -> Result<()> {
        let f = match base {
            "add" => lanes!(|a, b| (a as i32).saturating_add(b as i32) as u32 as u64),
            "sub" => lanes!(|a, b| (a as i32).saturating_sub(b as i32) as u32 as u64),
            _ => return self.unknown(s),
        };
        let sources = self.sources(s, 1, Type::S32)?;
        self.emit(Code::Map2(f, d, sources));
        Ok(())
    }
}

fn dot2(modifiers: &[&str]) -> Option<Map3> {
    macro_rules! dot {
        ($a:ty, $b:ty, $shift:literal) => {
            lanes!(|a, b, c| {
                let part = |i: u32| (a >> (16 * i)) as $a as i64 * (b >> (8 * i + $shift)) as $b as i64;
                u64::from((c as u32).wrapping_add((part(0) + part(1)) as u32))
            })
        };
    }
    Some(match modifiers {
        ["lo", "u32", "u32"] => dot!(u16, u8, 0),
        ["hi", "u32", "u32"] => dot!(u16, u8, 16),
        ["lo", "s32", "s32"] => dot!(i16, i8, 0),
        ["hi", "s32", "s32"] => dot!(i16, i8, 16),
        ["lo", "u32", "s32"] => dot!(u16, i8, 0),
        ["hi", "u32", "s32"] => dot!(u16, i8, 16),
        ["lo", "s32", "u32"] => dot!(i16, u8, 0),
        ["hi", "s32", "u32"] => dot!(i16, u8, 16),
        _ => return None,
    })
}
