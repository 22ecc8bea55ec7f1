//! Video instructions: on a byte or half-word of each operand (`vadd` and so on), or on all of them at once (`vadd4`).

use super::Type;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VideoOp {
    Add,
    Sub,
    AbsDiff,
    Min,
    Max,
    Average,
    ShiftLeft {
        wrap: bool,
    },
    ShiftRight {
        wrap: bool,
    },
    Set(Condition),
    /// Multiply and add, with a shift of the result.
    Mad {
        shift: u32,
    },
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

/// A part of a 32-bit register: where it starts and how many bits it has.
pub(crate) type Part = (u32, u32);
pub(crate) const WHOLE: Part = (0, 32);

/// What a scalar video instruction does with its third operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Merge {
    No,
    Add,
    Min,
    Max,
    /// The result goes into a part of it.
    Into(Part),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Video {
    pub(crate) op: VideoOp,
    /// Lanes of a register: 1, 2 or 4.
    pub(crate) lanes: u32,
    pub(crate) ty: Type,
    pub(crate) of_a: Type,
    pub(crate) of_b: Type,
    pub(crate) a: Part,
    pub(crate) b: Part,
    pub(crate) sat: bool,
    pub(crate) merge: Merge,
}

fn part(x: u64, (start, bits): Part, ty: Type) -> i128 {
    let shift = 64 - bits;
    let raw = x >> start << shift;
    if ty.is_signed() { i128::from(raw as i64 >> shift) } else { i128::from(raw >> shift) }
}

fn clamp(x: i128, bits: u32, ty: Type) -> i128 {
    if ty.is_signed() { x.clamp(-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { x.clamp(0, (1 << bits) - 1) }
}

fn compute(op: VideoOp, a: i128, b: i128, c: i128, bits: u32) -> i128 {
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
        VideoOp::Mad { shift } => (a * b + c) >> shift,
    }
}

impl Video {
    pub(crate) fn apply(&self, a: u64, b: u64, c: u64) -> u64 {
        if self.lanes > 1 { self.packed(a, b, c) } else { self.scalar(a, b, c) }
    }

    fn scalar(&self, a: u64, b: u64, c: u64) -> u64 {
        let addend = part(c, WHOLE, self.ty);
        let x = compute(self.op, part(a, self.a, self.of_a), part(b, self.b, self.of_b), addend, 32);
        let x = if self.sat { clamp(x, 32, self.ty) } else { x };
        let cut = part(x as u64, WHOLE, self.ty);
        let d = match self.merge {
            Merge::No => x,
            Merge::Add => cut + addend,
            Merge::Min => cut.min(addend),
            Merge::Max => cut.max(addend),
            Merge::Into((start, bits)) => {
                let x = if self.sat { clamp(x, bits, self.ty) } else { x };
                let ones = ((1i128 << bits) - 1) << start;
                c as i128 & !ones | x << start & ones
            }
        };
        u64::from(d as u32)
    }

    fn packed(&self, a: u64, b: u64, c: u64) -> u64 {
        let bits = 32 / self.lanes;
        let (mut d, mut sum) = (0u64, c as u32 as i128);
        for i in 0..self.lanes {
            let at = (i * bits, bits);
            let x = compute(self.op, part(a, at, self.of_a), part(b, at, self.of_b), 0, bits);
            let x = if self.sat { clamp(x, bits, self.ty) } else { x };
            let cut = part(x as u64, (0, bits), self.ty);
            d |= (cut as u64 & ((1 << bits) - 1)) << at.0;
            sum += if self.sat { cut } else { x };
        }
        if self.merge == Merge::Add { u64::from(sum as u32) } else { d }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: Video = Video {
        op: VideoOp::AbsDiff,
        lanes: 4,
        ty: Type::U32,
        of_a: Type::U32,
        of_b: Type::U32,
        a: WHOLE,
        b: WHOLE,
        sat: false,
        merge: Merge::No,
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
        let v = Video { op: VideoOp::Sub, lanes: 1, ty: Type::S32, of_a: Type::S32, a: (8, 8), b: (16, 16), ..BASE };
        assert_eq!(v.apply(0x0000_8000, 0x0002_0000, 0) as u32 as i32, -128 - 2);
        let v = Video { merge: Merge::Into((8, 8)), ..v };
        assert_eq!(v.apply(0x0000_0500, 0x0002_0000, 0xaabb_ccdd), 0xaabb_03dd);
    }
}
