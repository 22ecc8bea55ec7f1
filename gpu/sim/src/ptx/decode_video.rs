//! Decoding of video instructions.

use super::decode::{Decoder, Result};
use super::{Operand, Statement};
use crate::exec::{Code, Src};
use crate::ops::Type;
use crate::ops::video::{Condition, Mad, Merge, Packed, Part, Video, VideoOp, WHOLE};

/// Returns the part of a register that a suffix names.
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

/// Parses the digits of a suffix such as `b7640`, the lowest lane first: `letter` and the largest digit are the lanes'
/// own.
fn digits(suffix: &str, lanes: usize, largest: u8) -> Option<Vec<u8>> {
    let letter = if lanes == 2 { 'h' } else { 'b' };
    let digits: Vec<u8> = suffix.strip_prefix(letter)?.bytes().rev().map(|b| b.wrapping_sub(b'0')).collect();
    digits.iter().all(|d| *d <= largest).then_some(digits)
}

/// An operand with its modifiers: source, sign, suffix.
struct Selected<'s> {
    source: Src,
    negated: bool,
    suffix: Option<&'s str>,
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
            ("vmad", _) if lanes == 1 => VideoOp::Mad(Mad::default()),
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
        let d = self.selected(self.operand(s, 0)?)?;
        let a = self.selected(self.operand(s, 1)?)?;
        let b = self.selected(self.operand(s, 2)?)?;
        let c = match s.operands.get(3) {
            Some(c) => self.selected(c)?,
            None => Selected { source: a.source, negated: false, suffix: None },
        };
        let is_mad = matches!(op, VideoOp::Mad(_));
        if d.source & crate::exec::CONSTANT != 0 || d.negated || c.suffix.is_some() {
            return self.unknown(s);
        }
        if !is_mad && (a.negated || b.negated || c.negated) {
            return self.unknown(s);
        }
        let mut video = Video {
            op,
            ty,
            of_a,
            of_b,
            a: WHOLE,
            b: WHOLE,
            sat: modifiers.contains(&"sat"),
            merge: match modifiers.iter().rev().find(|m| matches!(**m, "add" | "min" | "max")) {
                Some(&"add") => Merge::Add,
                Some(&"min") if lanes == 1 => Merge::Min,
                Some(&"max") if lanes == 1 => Merge::Max,
                Some(_) => return self.unknown(s),
                None => Merge::No,
            },
            packed: None,
        };
        if is_mad {
            video.op = VideoOp::Mad(Mad {
                shift: match () {
                    () if modifiers.contains(&"shr7") => 7,
                    () if modifiers.contains(&"shr15") => 15,
                    () => 0,
                },
                plus_one: modifiers.contains(&"po"),
                minus_product: a.negated != b.negated,
                minus_c: c.negated,
            });
        }
        if lanes == 1 {
            let parts = [d.suffix, a.suffix, b.suffix].map(|suffix| match suffix {
                Some(suffix) => part_named(suffix).map(Some),
                None => Some(None),
            });
            let [Some(into), Some(of_part_a), Some(of_part_b)] = parts else { return self.unknown(s) };
            video.a = of_part_a.unwrap_or(WHOLE);
            video.b = of_part_b.unwrap_or(WHOLE);
            if let Some(part) = into {
                if s.operands.len() < 4 || is_mad {
                    return self.unknown(s);
                }
                video.merge = Merge::Into(part);
            }
        } else {
            let Some(packed) = packed(lanes, d.suffix, a.suffix, b.suffix) else { return self.unknown(s) };
            video.packed = Some(packed);
        }
        self.emit(Code::Video(Box::new(video), d.source, [a.source, b.source, c.source]));
        Ok(())
    }

    /// Decodes a register or immediate with its sign, and the part of it that a suffix selects.
    fn selected<'s>(&mut self, o: &'s Operand) -> Result<Selected<'s>> {
        Ok(match o {
            Operand::Negated(inner) => Selected { negated: true, ..self.selected(inner)? },
            Operand::Part(register, suffix) => {
                Selected { source: *register, negated: false, suffix: Some(suffix.as_str()) }
            }
            other => Selected { source: self.source(other, Type::U32)?, negated: false, suffix: None },
        })
    }
}

/// Returns the lanes of a packed instruction: those that it writes, and those of both operands that it reads.
fn packed(lanes: usize, into: Option<&str>, of_a: Option<&str>, of_b: Option<&str>) -> Option<Packed> {
    let mut packed = Packed { lanes: lanes as u32, a: [0, 1, 2, 3], b: [0; 4], mask: (1 << lanes) - 1 };
    packed.b = packed.a.map(|i| i + lanes as u8);
    for (list, suffix) in [(&mut packed.a, of_a), (&mut packed.b, of_b)] {
        if let Some(suffix) = suffix {
            let picked = digits(suffix, lanes, 2 * lanes as u8 - 1)?;
            list.get_mut(..picked.len()).filter(|l| l.len() == lanes)?.copy_from_slice(&picked);
        }
    }
    if let Some(into) = into {
        packed.mask = digits(into, lanes, lanes as u8 - 1)?.into_iter().fold(0, |mask, lane| mask | 1 << lane);
    }
    Some(packed)
}
