//! Propagation of undefined bits: which bits of an instruction's result are undefined when some of its operands' are.
//!
//! Marks are bits, set where a value's bit is undefined. A mark must not be lost where the bit matters; where an exact
//! result costs nothing, marks that do not matter are dropped, so that a program that masks, shifts or selects
//! undefined bits away raises no fault. Arithmetic is not analysed: floats and products are undefined as a whole.

use super::{Lanes, Type};

/// All bits.
const ALL: u64 = u64::MAX;

/// The rule by which marks propagate through an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    /// One undefined bit among this many low bits of any operand makes the whole result undefined.
    Any(u8),
    /// Equivalent to `Any` for each half of 32 bits.
    Halves,
    /// Equivalent to `Any`, but the upper half depends on the first operand and the lower on the second.
    Pack,
    /// Each bit depends on the operands' bits at its position: it is defined where all choices of the undefined ones
    /// agree.
    Bitwise,
    /// The bits of this many first operands are moved as the others specify. So are their marks.
    Move(u8),
    /// One of the first two operands, selected by the third.
    Select,
    /// Carries propagate upwards: bits below the lowest undefined bit are defined, in a result of this many bits.
    Upwards(u8),
    /// Equality: two operands that differ in a defined bit are not equal. A missing operand is zero.
    Equal,
    /// An order of integers of this many bits, signed or not: defined where the extremes agree.
    Order(u8, bool),
}

/// Returns a mask of this many low bits.
fn low(bits: u8) -> u64 {
    ALL >> (64 - bits)
}

fn all_if(undefined: bool) -> u64 {
    if undefined { ALL } else { 0 }
}

impl Rule {
    /// Returns the rule of an integer or bit instruction, by the name of its function.
    pub(crate) fn of_integer(name: &str, ty: Type) -> Rule {
        let bits = 8 * ty.bytes() as u8;
        match name.split('.').next().unwrap_or_default() {
            "and" | "or" | "xor" | "not" => Rule::Bitwise,
            "add" | "sub" | "neg" => Rule::Upwards(bits),
            "mul" | "mad" if name.ends_with(".lo") => Rule::Upwards(bits),
            "shl" | "shr" | "bfe" | "szext" | "brev" => Rule::Move(1),
            "shf" | "prmt" => Rule::Move(2),
            "selp" => Rule::Select,
            _ => Rule::Any(64),
        }
    }

    /// Returns the rule of a comparison of integers.
    pub(crate) fn of_comparison(condition: &str, ty: Type) -> Rule {
        match condition {
            "eq" | "ne" => Rule::Equal,
            _ => Rule::Order(8 * ty.bytes() as u8, ty.is_signed()),
        }
    }

    /// Computes the marks of a result, lane by lane. `f` is the instruction itself.
    pub(crate) fn marks<const N: usize>(
        self,
        f: impl Fn(&mut Lanes, [&Lanes; N]),
        values: [&Lanes; N],
        marks: [&Lanes; N],
    ) -> Lanes {
        let union: Lanes = std::array::from_fn(|l| marks.iter().fold(0, |u, m| u | m[l]));
        let each = |of: &dyn Fn(usize) -> u64| std::array::from_fn(of);
        match self {
            Rule::Any(bits) => each(&|l| all_if(union[l] & low(bits) != 0)),
            Rule::Halves => each(&|l| {
                let half = |of: u64| if union[l] & of != 0 { of } else { 0 };
                half(0xffff) | half(0xffff_0000)
            }),
            Rule::Pack => each(&|l| {
                let [upper, lower] = [0, 1].map(|i| marks.get(i).is_some_and(|m| m[l] != 0));
                (u64::from(upper) * 0xffff_0000) | (u64::from(lower) * 0xffff)
            }),
            Rule::Upwards(bits) => {
                each(&|l| if union[l] == 0 { 0 } else { ALL << union[l].trailing_zeros() & low(bits) })
            }
            Rule::Bitwise => {
                let (mut any, mut every) = ([0; 32], [ALL; 32]);
                for choice in 0..1 << N {
                    let chosen: [Lanes; N] = std::array::from_fn(|i| {
                        std::array::from_fn(|l| {
                            values[i][l] & !marks[i][l] | marks[i][l] & all_if(choice >> i & 1 == 1)
                        })
                    });
                    let mut out = [0; 32];
                    f(&mut out, chosen.each_ref());
                    for l in 0..32 {
                        any[l] |= out[l];
                        every[l] &= out[l];
                    }
                }
                each(&|l| any[l] ^ every[l])
            }
            Rule::Move(moved) => {
                let operands = std::array::from_fn(|i| if i < usize::from(moved) { marks[i] } else { values[i] });
                let mut out = [0; 32];
                f(&mut out, operands);
                let lost = |l: usize| marks.iter().skip(moved.into()).any(|m| m[l] != 0);
                each(&|l| if lost(l) { ALL } else { out[l] })
            }
            Rule::Select => {
                let operands = std::array::from_fn(|i| if i < 2 { marks[i] } else { values[i] });
                let mut out = [0; 32];
                f(&mut out, operands);
                each(&|l| {
                    // Where both are equal, the selection does not matter.
                    let either = || marks[0][l] | marks[1][l] | values[0][l] ^ values[1][l];
                    if marks[2][l] == 0 { out[l] } else { either() }
                })
            }
            Rule::Equal => each(&|l| {
                let other = values.get(1).map_or(0, |b| b[l]);
                all_if(union[l] != 0 && (values[0][l] ^ other) & !union[l] == 0)
            }),
            Rule::Order(bits, signed) => {
                let sign = if signed { 1 << (bits - 1) } else { 0 };
                let extreme = |i: usize, high: bool| -> Lanes {
                    std::array::from_fn(|l| {
                        let (value, mark) = (values[i][l], marks[i][l] & low(bits));
                        // The sign bit counts in the opposite direction.
                        let set = if high { mark & !sign } else { mark & sign };
                        value & !mark | set
                    })
                };
                let answer = |high: bool| {
                    let operands: [Lanes; N] = std::array::from_fn(|i| extreme(i, high != (i == 1)));
                    let mut out = [0; 32];
                    f(&mut out, operands.each_ref());
                    out
                };
                let (a, b) = (answer(false), answer(true));
                each(&|l| all_if(a[l] != b[l]))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::{Map2, Map3, int};

    /// Computes the marks of a rule for two operands, in every lane.
    fn two(rule: Rule, f: Map2, [a, b]: [u64; 2], [ua, ub]: [u64; 2]) -> u64 {
        rule.marks(|d, [a, b]| f(d, a, b, u32::MAX), [&[a; 32], &[b; 32]], [&[ua; 32], &[ub; 32]])[7]
    }

    fn integer(name: &str, ty: Type, values: [u64; 2], marks: [u64; 2]) -> u64 {
        two(Rule::of_integer(name, ty), int::binary(name, ty).unwrap(), values, marks)
    }

    /// Tries all choices of the undefined bits of bytes: bits in which they differ must be marked.
    fn truth(f: Map2, [a, b]: [u64; 2], [ua, ub]: [u64; 2]) -> u64 {
        let run = |a: u64, b: u64| {
            let mut d = [0; 32];
            f(&mut d, &[a; 32], &[b; 32], u32::MAX);
            d[0]
        };
        let first = run(a, b);
        let mut differs = 0;
        for i in 0..=0xff {
            for j in 0..=0xff {
                if i & !ua == 0 && j & !ub == 0 {
                    differs |= first ^ run(a & !ua | i, b & !ub | j);
                }
            }
        }
        differs
    }

    #[test]
    fn no_mark_is_lost_and_exact_rules_are_exact() {
        let operands = [[0x5a, 0x0f], [0x80, 0x80], [0xff, 1], [0, 0x33]];
        let marks = [[0, 0], [0x0f, 0], [0, 0x81], [0x10, 0x30], [0xff, 0xff], [0x80, 0]];
        for values in operands {
            for mark in marks {
                for op in ["and", "or", "xor", "add", "sub", "mul.lo", "min", "max"] {
                    for ty in [Type::U16, Type::S32, Type::U64] {
                        let (got, want) =
                            (integer(op, ty, values, mark), truth(int::binary(op, ty).unwrap(), values, mark));
                        assert_eq!(want & !got, 0, "{op} {values:x?} {mark:x?}: {got:x}, not {want:x}");
                        if matches!(op, "and" | "or" | "xor") {
                            assert_eq!(got, want, "{op} {values:x?} {mark:x?}");
                        }
                    }
                }
                for condition in ["eq", "ne", "lt", "le", "gt", "ge"] {
                    for ty in [Type::S16, Type::U16, Type::S32, Type::U64] {
                        let f = int::compare(condition, ty).unwrap();
                        let got = two(Rule::of_comparison(condition, ty), f, values, mark) & 1;
                        assert_eq!(got, truth(f, values, mark), "{condition} {ty:?} {values:x?} {mark:x?}");
                    }
                }
            }
        }
    }

    #[test]
    fn moved_bits_take_their_marks_along() {
        assert_eq!(integer("shl", Type::B32, [1, 8], [0xff, 0]), 0xff00);
        assert_eq!(integer("shl", Type::B32, [1, 8], [0, 1]), u64::MAX);
        assert_eq!(integer("shr", Type::S32, [1, 4], [0x8000_0000, 0]), 0xf800_0000);
        assert_eq!(integer("shr", Type::U32, [1, 4], [0x8000_0000, 0]), 0x0800_0000);
        let three = |name: &str, ty, values: [u64; 3], marks: [u64; 3]| {
            let f: Map3 = int::ternary(name, ty).unwrap();
            let [values, marks] = [values, marks].map(|v| v.map(|x| [x; 32]));
            let rule = Rule::of_integer(name, ty);
            rule.marks(|d, [a, b, c]| f(d, a, b, c, u32::MAX), values.each_ref(), marks.each_ref())[0]
        };
        assert_eq!(three("prmt", Type::B32, [0, 0, 0x5410], [0xffff_0000, 0x00ff, 0]), 0x00ff_0000);
        assert_eq!(three("bfe", Type::U32, [0, 8, 8], [0xff, 0, 0]), 0);
        assert_eq!(three("bfe", Type::S32, [0, 0, 8], [0x80, 0, 0]), 0xffff_ff80);
        assert_eq!(three("selp", Type::B32, [5, 6, 1], [0, 0xff, 0]), 0);
        assert_eq!(three("selp", Type::B32, [5, 6, 0], [0, 0xff, 0]), 0xff);
        assert_eq!(three("selp", Type::B32, [5, 6, 0], [0, 0, 1]), 3);
    }
}
