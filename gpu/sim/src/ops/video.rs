//! Video instructions: on a byte or half-word of each operand (`vadd` and so on), or on all of them at once (`vadd4`).
//!
//! GPUs since compute capability 5.0 have no such instructions: the assembler expands them into others, and in some
//! cases deviates from the PTX manual. The implementation follows recordings of a GPU (compute capability 9.0).

use super::Type;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VideoOp {
    Add,
    Sub,
    AbsDiff,
    Min,
    Max,
    Average,
    ShiftLeft { wrap: bool },
    ShiftRight { wrap: bool },
    Set(Condition),
    Mad(Mad),
}

/// Multiply and add, with signs and a shift of the result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mad {
    pub(crate) shift: u32,
    /// `.po`: one more than the sum.
    pub(crate) plus_one: bool,
    pub(crate) minus_product: bool,
    pub(crate) minus_c: bool,
}

/// The lanes of a packed instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Packed {
    /// Lanes of a register: 2 or 4.
    pub(crate) lanes: u32,
    /// The lane of the pair of operands (`a` below `b`) that each lane of the result reads.
    pub(crate) a: [u8; 4],
    pub(crate) b: [u8; 4],
    /// The lanes that are written; the others are those of the third operand.
    pub(crate) mask: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Condition {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl Condition {
    pub(crate) fn parse(word: &str) -> Option<Condition> {
        Some(match word {
            "eq" => Condition::Eq,
            "ne" => Condition::Ne,
            "lt" => Condition::Lt,
            "le" => Condition::Le,
            "gt" => Condition::Gt,
            "ge" => Condition::Ge,
            _ => return None,
        })
    }
}

/// A part of a 32-bit register: its start and its number of bits.
pub(crate) type Part = (u32, u32);
pub(crate) const WHOLE: Part = (0, 32);

/// The use of the third operand of a scalar video instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Merge {
    No,
    Add,
    Min,
    Max,
    /// The result is inserted in a part of it.
    Into(Part),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Video {
    pub(crate) op: VideoOp,
    pub(crate) ty: Type,
    pub(crate) of_a: Type,
    pub(crate) of_b: Type,
    pub(crate) a: Part,
    pub(crate) b: Part,
    pub(crate) sat: bool,
    pub(crate) merge: Merge,
    pub(crate) packed: Option<Packed>,
}

fn part(x: u64, (start, bits): Part, ty: Type) -> i128 {
    let shift = 64 - bits;
    let raw = x >> start << shift;
    if ty.is_signed() { i128::from(raw as i64 >> shift) } else { i128::from(raw >> shift) }
}

fn clamp(x: i128, bits: u32, ty: Type) -> i128 {
    if ty.is_signed() { x.clamp(-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { x.clamp(0, (1 << bits) - 1) }
}

fn compute(op: VideoOp, a: i128, b: i128, bits: u32) -> i128 {
    match op {
        VideoOp::Add => a + b,
        VideoOp::Sub => a - b,
        VideoOp::AbsDiff => (a - b).abs(),
        VideoOp::Min => a.min(b),
        VideoOp::Max => a.max(b),
        VideoOp::Average => (a + b + i128::from(a + b >= 0)) >> 1,
        VideoOp::ShiftLeft { wrap } => {
            let by = if wrap { b & 31 } else { b.clamp(0, i128::from(bits)) };
            a << by
        }
        VideoOp::ShiftRight { wrap } => {
            let by = if wrap { b & 31 } else { b.clamp(0, i128::from(bits)) };
            a >> by
        }
        VideoOp::Set(condition) => i128::from(match condition {
            Condition::Eq => a == b,
            Condition::Ne => a != b,
            Condition::Lt => a < b,
            Condition::Le => a <= b,
            Condition::Gt => a > b,
            Condition::Ge => a >= b,
        }),
        VideoOp::Mad(_) => a * b,
    }
}

impl Video {
    pub(crate) fn apply(&self, a: u64, b: u64, c: u64) -> u64 {
        match (&self.packed, self.op) {
            (Some(packed), _) => self.lanes(packed, a, b, c),
            (None, VideoOp::Mad(mad)) => self.mad(mad, a, b, c),
            _ => self.scalar(a, b, c),
        }
    }

    /// Computes the undefined bits of the result from those of the operands: each computed part is undefined as a
    /// whole.
    pub(crate) fn marks(&self, a: u64, b: u64, c: u64) -> u64 {
        let all = |undefined: bool, bits: u64| if undefined { bits } else { 0 };
        let c = c & 0xffff_ffff;
        let Some(packed) = &self.packed else {
            let read = |x: u64, (start, bits): Part| x >> start << (64 - bits) != 0;
            let x = read(a, self.a) || read(b, self.b);
            return match (self.merge, self.op) {
                (Merge::Into((start, bits)), _) => {
                    let ones = u64::from(u32::MAX >> (32 - bits)) << start;
                    c & !ones | all(x, ones)
                }
                (Merge::No, op) if !matches!(op, VideoOp::Mad(_)) => all(x, 0xffff_ffff),
                _ => all(x || c != 0, 0xffff_ffff),
            };
        };
        let bits = 32 / packed.lanes;
        let ones = (1u64 << bits) - 1;
        let both = a & 0xffff_ffff | b << 32;
        let (mut d, mut any) = (c, c != 0);
        for i in (0..packed.lanes).filter(|i| packed.mask >> i & 1 == 1) {
            let read = |picks: [u8; 4]| both >> (u32::from(picks[i as usize]) * bits) & ones != 0;
            let x = read(packed.a) || read(packed.b);
            d = d & !(ones << (i * bits)) | all(x, ones << (i * bits));
            any |= x;
        }
        if self.merge == Merge::Add { all(any, 0xffff_ffff) } else { d }
    }

    fn scalar(&self, a: u64, b: u64, c: u64) -> u64 {
        let x = compute(self.op, part(a, self.a, self.of_a), part(b, self.b, self.of_b), 32);
        // Of a left-shifted value 64 bits are kept, and 34 if it is to be saturated.
        let x = match self.op {
            VideoOp::ShiftLeft { .. } if self.sat => x << 94 >> 94,
            VideoOp::ShiftLeft { .. } => i128::from(x as i64),
            _ => x,
        };
        if let Merge::Into(part) = self.merge {
            return self.merged(x, part, c);
        }
        let x = if self.sat { self.saturated(x) } else { x };
        let d = match self.merge {
            Merge::Add => x + i128::from(c),
            Merge::Min | Merge::Max => {
                let addend = part(c, WHOLE, self.ty);
                let key = self.compared(x);
                if (key < addend) == (self.merge == Merge::Min) { x } else { addend }
            }
            _ => x,
        };
        u64::from(d as u32)
    }

    /// Saturates to a whole register. A sum beyond the unsigned range wraps.
    fn saturated(&self, x: i128) -> i128 {
        match self.op {
            VideoOp::Add | VideoOp::Sub | VideoOp::AbsDiff if !self.ty.is_signed() => i128::from(x.max(0) as u32),
            _ => clamp(x, 32, self.ty),
        }
    }

    /// Returns the result as it is compared with the third operand. Some have lost their upper bits by then, and an
    /// unsigned one with its top bit set compares larger than any operand.
    fn compared(&self, x: i128) -> i128 {
        let cut = i128::from(x as i32);
        let sums = matches!(self.op, VideoOp::Add | VideoOp::Sub);
        let shifts = matches!(self.op, VideoOp::ShiftLeft { .. } | VideoOp::ShiftRight { .. });
        match (self.ty.is_signed(), sums || shifts && self.sat) {
            (true, _) if sums => cut,
            (true, _) => x,
            (false, true) => i128::from(cut as u64),
            (false, false) => i128::from(x as u64),
        }
    }

    /// Inserts the result in a part of the third operand: saturated as an unsigned 64-bit number; a shifted one only to
    /// the whole register. The upper half receives the result's upper half.
    fn merged(&self, x: i128, (start, bits): Part, c: u64) -> u64 {
        let x = match self.op {
            _ if !self.sat => x as u32,
            VideoOp::ShiftLeft { .. } | VideoOp::ShiftRight { .. } => clamp(x, 32, self.ty) as u32,
            _ => (x as u64).min(u64::MAX >> (64 - bits + u32::from(self.ty.is_signed()))) as u32,
        };
        let ones = (u32::MAX >> (32 - bits)) << start;
        let placed = if bits == 16 { x } else { x << start };
        u64::from(c as u32 & !ones | placed & ones)
    }

    /// Computes `vmad`. Whole registers and the third operand are signed, whatever their types; these determine how
    /// parts are extended and the kind of saturation. A shifted unsigned sum saturates as its 64 bits.
    fn mad(&self, mad: Mad, a: u64, b: u64, c: u64) -> u64 {
        let signed = self.of_a.is_signed() || self.of_b.is_signed() || mad.minus_product || mad.minus_c;
        let factor = |x, at, ty| part(x, at, if at == WHOLE { Type::S32 } else { ty });
        let product = factor(a, self.a, self.of_a) * factor(b, self.b, self.of_b);
        let c = part(c, WHOLE, Type::S32);
        let sum = match mad {
            Mad { plus_one: true, .. } => product + c + 1,
            Mad { minus_product: true, .. } => c - product,
            Mad { minus_c: true, .. } => product - c,
            _ => product + c,
        };
        let x = match (signed, mad.shift) {
            (_, 0) | (true, _) => sum >> mad.shift,
            (false, shift) => i128::from(sum as u64 >> shift),
        };
        u64::from(if self.sat { clamp(x, 32, if signed { Type::S32 } else { Type::U32 }) } else { x } as u32)
    }

    fn lanes(&self, packed: &Packed, a: u64, b: u64, c: u64) -> u64 {
        let bits = 32 / packed.lanes;
        let both = a & 0xffff_ffff | b << 32;
        let ones = (1u64 << bits) - 1;
        let (mut d, mut sum) = (c & 0xffff_ffff, i128::from(c as u32));
        for i in (0..packed.lanes).filter(|i| packed.mask >> i & 1 == 1) {
            let pick = |picks: [u8; 4], ty| part(both >> (u32::from(picks[i as usize]) * bits), (0, bits), ty);
            let x = compute(self.op, pick(packed.a, self.of_a), pick(packed.b, self.of_b), bits);
            let x = if self.sat { clamp(x, bits, self.ty) } else { x };
            d = d & !(ones << (i * bits)) | (x as u64 & ones) << (i * bits);
            sum += x;
        }
        if self.merge == Merge::Add { u64::from(sum as u32) } else { d }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: Video = Video {
        op: VideoOp::AbsDiff,
        ty: Type::U32,
        of_a: Type::U32,
        of_b: Type::U32,
        a: WHOLE,
        b: WHOLE,
        sat: false,
        merge: Merge::No,
        packed: Some(Packed { lanes: 4, a: [0, 1, 2, 3], b: [4, 5, 6, 7], mask: 15 }),
    };

    #[test]
    fn packed_bytes() {
        assert_eq!(BASE.apply(0x01ff_7f80, 0x0200_807f, 0), 0x01ff_0101);
        assert_eq!(Video { merge: Merge::Add, ..BASE }.apply(0x01ff_7f80, 0x0200_807f, 10), 10 + 1 + 255 + 1 + 1);
        let signed = Video { op: VideoOp::Add, ty: Type::S32, of_a: Type::S32, of_b: Type::S32, sat: true, ..BASE };
        assert_eq!(signed.apply(0x7f80_01ff, 0x0180_01ff, 0), 0x7f80_02fe);
    }

    #[test]
    fn parts_and_merges() {
        let v =
            Video { op: VideoOp::Sub, packed: None, ty: Type::S32, of_a: Type::S32, a: (8, 8), b: (16, 16), ..BASE };
        assert_eq!(v.apply(0x0000_8000, 0x0002_0000, 0) as u32 as i32, -128 - 2);
        let v = Video { merge: Merge::Into((8, 8)), ..v };
        assert_eq!(v.apply(0x0000_0500, 0x0002_0000, 0xaabb_ccdd), 0xaabb_03dd);
    }
}
