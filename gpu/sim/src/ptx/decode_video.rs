//! Decoding of video instructions.

use super::decode::{Decoder, Result};
use super::{Operand, Statement};
use crate::exec::{Code, Src};
use crate::ops::Type;
use crate::ops::video::{Condition, Merge, Part, Video, VideoOp, WHOLE};

/// The part of a register that a suffix names.
fn part_named(suffix: &str) -> Option<Part> {
    Some(match suffix {
        "b0" => (0, 8),
        "b1" => (8, 8),
        "b2" => (16, 8),
        "b3" => (24, 8),
        "h0" => (0, 16),
        "h1" => (16, 16),
        _ => return None,
    })
}

impl Decoder<'_> {
    pub(super) fn video(&mut self, s: &Statement, base: &str, modifiers: &[&str]) -> Result<()> {
        let lanes = match base.as_bytes().last() {
            Some(b'2') => 2,
            Some(b'4') => 4,
            _ => 1,
        };
        let wrap = modifiers.contains(&"wrap");
        let condition = modifiers.iter().find_map(|m| Condition::parse(m));
        let shift = match () {
            () if modifiers.contains(&"shr7") => 7,
            () if modifiers.contains(&"shr15") => 15,
            () => 0,
        };
        let op = match (base.trim_end_matches(['2', '4']), condition) {
            ("vadd", _) => VideoOp::Add,
            ("vsub", _) => VideoOp::Sub,
            ("vabsdiff", _) => VideoOp::AbsDiff,
            ("vmin", _) => VideoOp::Min,
            ("vmax", _) => VideoOp::Max,
            ("vavrg", _) if lanes > 1 => VideoOp::Average,
            ("vshl", _) if lanes == 1 => VideoOp::ShiftLeft { wrap },
            ("vshr", _) if lanes == 1 => VideoOp::ShiftRight { wrap },
            ("vset", Some(c)) => VideoOp::Set(c),
            ("vmad", _) if lanes == 1 && !modifiers.contains(&"po") => VideoOp::Mad { shift },
            _ => return self.unknown(s),
        };
        let types: Vec<Type> = modifiers.iter().filter_map(|m| Type::parse(m)).collect();
        let (ty, of_a, of_b) = match (types.as_slice(), op) {
            (&[a, b], VideoOp::Set(_)) => (Type::U32, a, b),
            (&[d, a, b], _) => (d, a, b),
            _ => return self.unknown(s),
        };
        if [ty, of_a, of_b].iter().any(|t| !matches!(t, Type::U32 | Type::S32)) {
            return self.unknown(s);
        }
        let (d, into) = self.video_operand(self.operand(s, 0)?)?;
        let (a, of_part_a) = self.video_operand(self.operand(s, 1)?)?;
        let (b, of_part_b) = self.video_operand(self.operand(s, 2)?)?;
        let c = match s.operands.get(3) {
            Some(c) => self.video_operand(c)?.0,
            None => a,
        };
        if d & crate::exec::CONSTANT != 0 || lanes > 1 && (into, of_part_a, of_part_b) != (None, None, None) {
            return self.unknown(s);
        }
        let merge = match (into, modifiers.iter().rev().find(|m| matches!(**m, "add" | "min" | "max"))) {
            (Some(part), _) if s.operands.len() > 3 => Merge::Into(part),
            (_, Some(&"add")) => Merge::Add,
            (_, Some(&"min")) => Merge::Min,
            (_, Some(&"max")) => Merge::Max,
            _ => Merge::No,
        };
        let sat = modifiers.contains(&"sat");
        let [a_part, b_part] = [of_part_a, of_part_b].map(|p| p.unwrap_or(WHOLE));
        let video = Video { op, lanes, ty, of_a, of_b, a: a_part, b: b_part, sat, merge };
        self.emit(Code::Video(Box::new(video), d, [a, b, c]));
        Ok(())
    }

    /// A register or immediate, and the part of it that a suffix selects.
    fn video_operand(&mut self, o: &Operand) -> Result<(Src, Option<Part>)> {
        if let Operand::Special(name) = o
            && let Some((register, suffix)) = name.rsplit_once('.')
        {
            let part = part_named(suffix);
            let found = self.text.named.get(register);
            return match (found, part) {
                (Some(r), Some(_)) => Ok((*r, part)),
                _ => self.fail(format!("{name} is no part of a register")),
            };
        }
        Ok((self.source(o, Type::U32)?, None))
    }
}
