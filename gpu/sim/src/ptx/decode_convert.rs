//! Decoding of conversions, and the modifiers of scalar instructions.

use super::Statement;
use super::decode::{Decoder, Result};
use crate::exec::Code;
use crate::ops::float::Modifiers;
use crate::ops::undefined::Rule;
use crate::ops::{Map3, Round, Type, cvt, lanes};

impl Decoder<'_> {
    pub(super) fn modifiers(&self, modifiers: &[&str], ty: Type, from: Type) -> Modifiers {
        let has = |names: &[&str]| modifiers.iter().any(|m| names.contains(m));
        let round = if has(&["rz", "rzi"]) {
            Round::Zero
        } else if has(&["rm", "rmi"]) {
            Round::Down
        } else if has(&["rp", "rpi"]) {
            Round::Up
        } else {
            Round::Nearest
        };
        Modifiers {
            round,
            integral: has(&["rni", "rzi", "rmi", "rpi"]),
            ftz: has(&["ftz"]),
            sat: has(&["sat"]),
            finite: has(&["satfinite"]),
            nan: has(&["NaN"]),
            xorsign: has(&["xorsign"]),
            relu: has(&["relu"]),
            approx: has(&["approx"]),
            ty,
            from,
        }
    }

    pub(super) fn convert(&mut self, s: &Statement, modifiers: &[&str]) -> Result<()> {
        let d = self.register(self.operand(s, 0)?)?;
        let types: Vec<Type> = modifiers.iter().filter_map(|m| Type::parse(m)).collect();
        if modifiers.contains(&"tf32") {
            let [a] = self.sources(s, 1, Type::F32)?;
            let m = self.modifiers(modifiers, Type::F32, Type::F32);
            let f = if modifiers.contains(&"rna") { cvt::tf32_away } else { cvt::tf32_even };
            self.emit(Code::Scalar(f, Box::new(m), d, [a; 3]));
            return Ok(());
        }
        if let ["pack", "sat", to, "s32", ..] = modifiers {
            let Some(f) = pack(to) else { return self.unknown(s) };
            // 16-bit parts leave no room for a third operand.
            let (a, b) = (self.sources(s, 1, Type::S32)?, s.operands.len() > 3);
            let [a, b, c] = match (a, b) {
                ([a, b], true) => [a, b, self.source(self.operand(s, 3)?, Type::B32)?],
                ([a, b], false) => [a, b, a],
            };
            self.emit(Code::Map3(f, d, [a, b, c]));
            return Ok(());
        }
        let &[to, from] = types.as_slice() else { return self.unknown(s) };
        let m = self.modifiers(modifiers, to, from);
        if matches!(to, Type::F16x2 | Type::Bf16x2) {
            let [a, b] = self.sources(s, 1, from)?;
            self.emit_as(Rule::Pack, Code::Scalar(cvt::pack, Box::new(m), d, [a, b, b]));
            return Ok(());
        }
        let [a] = self.sources(s, 1, from)?;
        let is_float = |t| matches!(t, Type::F16 | Type::Bf16 | Type::F32 | Type::F64);
        match cvt::fast(to, from) {
            Some(f) if !is_float(to) && !is_float(from) && !m.sat => self.emit_as(Rule::Move(1), Code::Map1(f, d, a)),
            _ => {
                let rule = Rule::Any(8 * from.bytes() as u8);
                self.emit_as(rule, Code::Scalar(cvt::scalar, Box::new(m), d, [a; 3]));
            }
        }
        if let Some(f) = cvt::extend(to, self.width(d)) {
            self.emit_as(Rule::Move(1), Code::Map1(f, d, d));
        }
        Ok(())
    }
}

fn pack(to: &str) -> Option<Map3> {
    macro_rules! pack {
        ($bits:literal, $signed:literal) => {
            lanes!(|a, b, c| cvt::pack_integers($bits, $signed)(a, b, c))
        };
    }
    Some(match to {
        "s16" => pack!(16, true),
        "u16" => pack!(16, false),
        "s8" => pack!(8, true),
        "u8" => pack!(8, false),
        "s4" => pack!(4, true),
        "u4" => pack!(4, false),
        "s2" => pack!(2, true),
        "u2" => pack!(2, false),
        _ => return None,
    })
}
