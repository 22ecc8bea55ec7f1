//! Integer and bit instructions.

use super::{Map1, Map2, Map3, Type, lanes};

/// Instantiates an expression for the six integer types; the operands are of the type.
macro_rules! typed {
    ($ty:expr, |$($x:ident),+| $e:expr) => {
        match $ty {
            Type::S16 => Some(lanes!(|$($x),+| { $(let $x = $x as i16;)+ ($e) as u16 as u64 })),
            Type::U16 | Type::B16 => Some(lanes!(|$($x),+| { $(let $x = $x as u16;)+ ($e) as u16 as u64 })),
            Type::S32 => Some(lanes!(|$($x),+| { $(let $x = $x as i32;)+ ($e) as u32 as u64 })),
            Type::U32 | Type::B32 => Some(lanes!(|$($x),+| { $(let $x = $x as u32;)+ ($e) as u32 as u64 })),
            Type::S64 => Some(lanes!(|$($x),+| { $(let $x = $x as i64;)+ ($e) as u64 })),
            Type::U64 | Type::B64 => Some(lanes!(|$($x),+| ($e) as u64)),
            _ => None,
        }
    };
}

/// Instantiates an expression like `typed!`, for signed types only.
macro_rules! signed {
    ($ty:expr, |$x:ident| $e:expr) => {
        match $ty {
            Type::S16 => Some(lanes!(|$x| {
                let $x = $x as i16;
                ($e) as u16 as u64
            })),
            Type::S32 => Some(lanes!(|$x| {
                let $x = $x as i32;
                ($e) as u32 as u64
            })),
            Type::S64 => Some(lanes!(|$x| {
                let $x = $x as i64;
                ($e) as u64
            })),
            _ => None,
        }
    };
}

pub(crate) fn unary(op: &str, ty: Type) -> Option<Map1> {
    match op {
        "abs" => signed!(ty, |a| a.wrapping_abs()),
        "neg" => signed!(ty, |a| a.wrapping_neg()),
        "not" if ty == Type::Pred => Some(lanes!(|a| a ^ 1)),
        "not" => typed!(ty, |a| !a),
        "cnot" => typed!(ty, |a| u8::from(a == 0)),
        "popc" => typed!(ty, |a| a.count_ones() as u16),
        "clz" => typed!(ty, |a| a.leading_zeros() as u16),
        "brev" => typed!(ty, |a| a.reverse_bits()),
        _ => None,
    }
}

pub(crate) fn binary(op: &str, ty: Type) -> Option<Map2> {
    match op {
        "add" => typed!(ty, |a, b| a.wrapping_add(b)),
        "sub" => typed!(ty, |a, b| a.wrapping_sub(b)),
        "mul.lo" => typed!(ty, |a, b| a.wrapping_mul(b)),
        "mul.hi" => match ty {
            Type::S16 => Some(lanes!(|a, b| ((i32::from(a as i16) * i32::from(b as i16)) >> 16) as u16 as u64)),
            Type::U16 => Some(lanes!(|a, b| u64::from(((a as u16 as u32 * b as u16 as u32) >> 16) as u16))),
            Type::S32 => Some(lanes!(|a, b| ((i64::from(a as i32) * i64::from(b as i32)) >> 32) as u32 as u64)),
            Type::U32 => Some(lanes!(|a, b| (u64::from(a as u32) * u64::from(b as u32)) >> 32)),
            Type::S64 => Some(lanes!(|a, b| ((i128::from(a as i64) * i128::from(b as i64)) >> 64) as u64)),
            Type::U64 => Some(lanes!(|a, b| ((u128::from(a) * u128::from(b)) >> 64) as u64)),
            _ => None,
        },
        "mul.wide" => match ty {
            Type::S16 => Some(lanes!(|a, b| (i32::from(a as i16) * i32::from(b as i16)) as u32 as u64)),
            Type::U16 => Some(lanes!(|a, b| u64::from(a as u16 as u32 * b as u16 as u32))),
            Type::S32 => Some(lanes!(|a, b| (i64::from(a as i32) * i64::from(b as i32)) as u64)),
            Type::U32 => Some(lanes!(|a, b| u64::from(a as u32) * u64::from(b as u32))),
            _ => None,
        },
        "mul24.lo" => match ty {
            Type::S32 => Some(lanes!(|a, b| (low24(a) * low24(b)) as u32 as u64)),
            Type::U32 => Some(lanes!(|a, b| u64::from(((a & 0xff_ffff) * (b & 0xff_ffff)) as u32))),
            _ => None,
        },
        "mul24.hi" => match ty {
            Type::S32 => Some(lanes!(|a, b| ((low24(a) * low24(b)) >> 16) as u32 as u64)),
            Type::U32 => Some(lanes!(|a, b| u64::from((((a & 0xff_ffff) * (b & 0xff_ffff)) >> 16) as u32))),
            _ => None,
        },
        // Division by zero gives all ones, and so does its remainder.
        "div" => typed!(ty, |a, b| if b == 0 { !0 } else { a.wrapping_div(b) }),
        "rem" => typed!(ty, |a, b| if b == 0 { !0 } else { a.wrapping_rem(b) }),
        "min" => typed!(ty, |a, b| a.min(b)),
        "max" => typed!(ty, |a, b| a.max(b)),
        "and" if ty == Type::Pred => Some(lanes!(|a, b| a & b)),
        "or" if ty == Type::Pred => Some(lanes!(|a, b| a | b)),
        "xor" if ty == Type::Pred => Some(lanes!(|a, b| a ^ b)),
        "and" => typed!(ty, |a, b| a & b),
        "or" => typed!(ty, |a, b| a | b),
        "xor" => typed!(ty, |a, b| a ^ b),
        // A shift by the width or more leaves 0, or the sign.
        "shl" => match ty {
            Type::B16 => Some(lanes!(|a, b| u64::from((a as u16).checked_shl(b as u32).unwrap_or(0)))),
            Type::B32 => Some(lanes!(|a, b| u64::from((a as u32).checked_shl(b as u32).unwrap_or(0)))),
            Type::B64 => Some(lanes!(|a, b| a.checked_shl(b as u32).unwrap_or(0))),
            _ => None,
        },
        "shr" => match ty {
            Type::S16 => Some(lanes!(|a, b| ((a as i16) >> (b as u32).min(15)) as u16 as u64)),
            Type::S32 => Some(lanes!(|a, b| ((a as i32) >> (b as u32).min(31)) as u32 as u64)),
            Type::S64 => Some(lanes!(|a, b| ((a as i64) >> (b as u32).min(63)) as u64)),
            Type::U16 | Type::B16 => Some(lanes!(|a, b| u64::from((a as u16).checked_shr(b as u32).unwrap_or(0)))),
            Type::U32 | Type::B32 => Some(lanes!(|a, b| u64::from((a as u32).checked_shr(b as u32).unwrap_or(0)))),
            Type::U64 | Type::B64 => Some(lanes!(|a, b| a.checked_shr(b as u32).unwrap_or(0))),
            _ => None,
        },
        "bfind" => match ty {
            Type::U32 => Some(lanes!(|a, _b| highest_bit(a as u32 as u64))),
            Type::S32 => Some(lanes!(|a, _b| highest_bit((a as i32 ^ (a as i32 >> 31)) as u32 as u64))),
            Type::U64 => Some(lanes!(|a, _b| highest_bit(a))),
            Type::S64 => Some(lanes!(|a, _b| highest_bit((a as i64 ^ (a as i64 >> 63)) as u64))),
            _ => None,
        },
        "bfind.shiftamt" => match ty {
            Type::U32 => Some(lanes!(|a, _b| shift_amount(highest_bit(a as u32 as u64), 31))),
            Type::S32 => {
                Some(lanes!(|a, _b| shift_amount(highest_bit((a as i32 ^ (a as i32 >> 31)) as u32 as u64), 31)))
            }
            Type::U64 => Some(lanes!(|a, _b| shift_amount(highest_bit(a), 63))),
            Type::S64 => Some(lanes!(|a, _b| shift_amount(highest_bit((a as i64 ^ (a as i64 >> 63)) as u64), 63))),
            _ => None,
        },
        "bmsk.clamp" => Some(lanes!(|a, b| {
            let (a, b) = (a as u32, (b as u32).min(32));
            let ones = if b == 32 { u32::MAX } else { (1 << b) - 1 };
            u64::from(ones.checked_shl(a).unwrap_or(0))
        })),
        "bmsk.wrap" => Some(lanes!(|a, b| u64::from((((1u64 << (b & 31)) - 1) as u32) << (a & 31)))),
        "szext.clamp" => match ty {
            Type::U32 => Some(lanes!(|a, b| if b as u32 >= 32 { a } else { low_bits(a, b) })),
            Type::S32 => Some(lanes!(|a, b| if b as u32 >= 32 { a } else { low_bits_signed(a, b) })),
            _ => None,
        },
        "szext.wrap" => match ty {
            Type::U32 => Some(lanes!(|a, b| low_bits(a, b & 31))),
            Type::S32 => Some(lanes!(|a, b| low_bits_signed(a, b & 31))),
            _ => None,
        },
        "min.relu" if ty == Type::S32 => Some(lanes!(|a, b| (a as i32).min(b as i32).max(0) as u64)),
        "max.relu" if ty == Type::S32 => Some(lanes!(|a, b| (a as i32).max(b as i32).max(0) as u64)),
        _ => None,
    }
}

pub(crate) fn ternary(op: &str, ty: Type) -> Option<Map3> {
    match op {
        "mad.lo" => typed!(ty, |a, b, c| a.wrapping_mul(b).wrapping_add(c)),
        "mad.hi" => match ty {
            Type::S16 => Some(lanes!(|a, b, c| {
                let high = ((i32::from(a as i16) * i32::from(b as i16)) >> 16) as u16;
                u64::from(high.wrapping_add(c as u16))
            })),
            Type::U16 => Some(lanes!(|a, b, c| {
                let high = ((u32::from(a as u16) * u32::from(b as u16)) >> 16) as u16;
                u64::from(high.wrapping_add(c as u16))
            })),
            Type::S32 => Some(lanes!(|a, b, c| {
                let high = ((i64::from(a as i32) * i64::from(b as i32)) >> 32) as u32;
                u64::from(high.wrapping_add(c as u32))
            })),
            Type::U32 => Some(lanes!(|a, b, c| {
                let high = ((u64::from(a as u32) * u64::from(b as u32)) >> 32) as u32;
                u64::from(high.wrapping_add(c as u32))
            })),
            Type::S64 => Some(lanes!(|a, b, c| {
                (((i128::from(a as i64) * i128::from(b as i64)) >> 64) as u64).wrapping_add(c)
            })),
            Type::U64 => Some(lanes!(|a, b, c| (((u128::from(a) * u128::from(b)) >> 64) as u64).wrapping_add(c))),
            _ => None,
        },
        "mad.wide" => match ty {
            Type::S16 => Some(lanes!(|a, b, c| {
                u64::from(((i32::from(a as i16) * i32::from(b as i16)) as u32).wrapping_add(c as u32))
            })),
            Type::U16 => Some(lanes!(|a, b, c| u64::from((a as u16 as u32 * b as u16 as u32).wrapping_add(c as u32)))),
            Type::S32 => Some(lanes!(|a, b, c| ((i64::from(a as i32) * i64::from(b as i32)) as u64).wrapping_add(c))),
            Type::U32 => Some(lanes!(|a, b, c| (u64::from(a as u32) * u64::from(b as u32)).wrapping_add(c))),
            _ => None,
        },
        "mad24.lo" => match ty {
            Type::S32 => Some(lanes!(|a, b, c| u64::from(((low24(a) * low24(b)) as u32).wrapping_add(c as u32)))),
            Type::U32 => Some(lanes!(|a, b, c| {
                u64::from((((a & 0xff_ffff) * (b & 0xff_ffff)) as u32).wrapping_add(c as u32))
            })),
            _ => None,
        },
        "mad.hi.sat" if ty == Type::S32 => Some(lanes!(|a, b, c| {
            let high = ((i64::from(a as i32) * i64::from(b as i32)) >> 32) as i32;
            u64::from(high.saturating_add(c as i32) as u32)
        })),
        "mad24.hi" => match ty {
            Type::S32 => Some(lanes!(|a, b, c| u64::from(((low24(a) * low24(b)) >> 16) as u32).wrapping_add(c) & ONES)),
            Type::U32 => Some(lanes!(|a, b, c| {
                u64::from((((a & 0xff_ffff) * (b & 0xff_ffff)) >> 16) as u32).wrapping_add(c) & ONES
            })),
            _ => None,
        },
        "mad24.hi.sat" if ty == Type::S32 => Some(lanes!(|a, b, c| {
            let high = ((low24(a) * low24(b)) >> 16) as i32;
            u64::from(high.saturating_add(c as i32) as u32)
        })),
        "fns" => Some(lanes!(|a, b, c| find_nth_set(a, b, c as i32))),
        "sad" => typed!(ty, |a, b, c| {
            let far = if a < b { b.wrapping_sub(a) } else { a.wrapping_sub(b) };
            c.wrapping_add(far)
        }),
        "bfe" => match ty {
            Type::U32 => Some(lanes!(|a, b, c| extract(a as u32 as u64, b, c, 32))),
            Type::U64 => Some(lanes!(|a, b, c| extract(a, b, c, 64))),
            Type::S32 => Some(lanes!(|a, b, c| extract_signed(a as i32 as i64, b, c, 32) as u32 as u64)),
            Type::S64 => Some(lanes!(|a, b, c| extract_signed(a as i64, b, c, 64) as u64)),
            _ => None,
        },
        "selp" if ty == Type::F32 => ternary(op, Type::B32),
        "selp" if ty == Type::F64 => ternary(op, Type::B64),
        "selp" => typed!(ty, |a, b, c| if c as u8 & 1 == 1 { a } else { b }),
        "prmt" => Some(lanes!(|a, b, c| permute(a, b, c))),
        "prmt.f4e" => Some(lanes!(|a, b, c| permute_by(a, b, |i| i + (c & 3)))),
        "prmt.b4e" => Some(lanes!(|a, b, c| permute_by(a, b, |i| (c & 3).wrapping_sub(i) & 7))),
        "prmt.rc8" => Some(lanes!(|a, b, c| permute_by(a, b, |_| c & 3))),
        "prmt.ecl" => Some(lanes!(|a, b, c| permute_by(a, b, |i| i.max(c & 3)))),
        "prmt.ecr" => Some(lanes!(|a, b, c| permute_by(a, b, |i| i.min(c & 3)))),
        "prmt.rc16" => Some(lanes!(|a, b, c| permute_by(a, b, |i| (i & 1) + 2 * (c & 1)))),
        "shf.l.wrap" => Some(lanes!(|a, b, c| (pair(a, b) << (c & 31)) >> 32)),
        "shf.r.wrap" => Some(lanes!(|a, b, c| u64::from((pair(a, b) >> (c & 31)) as u32))),
        "shf.l.clamp" => Some(lanes!(|a, b, c| (pair(a, b) << (c as u32).min(32)) >> 32)),
        "shf.r.clamp" => Some(lanes!(|a, b, c| u64::from((pair(a, b) >> (c as u32).min(32)) as u32))),
        "dp4a.u32.u32" => Some(lanes!(|a, b, c| dot(a, b, c, 4, |x| x as u8 as i64, |x| x as u8 as i64))),
        "dp4a.s32.s32" => Some(lanes!(|a, b, c| dot(a, b, c, 4, |x| x as i8 as i64, |x| x as i8 as i64))),
        "dp4a.u32.s32" => Some(lanes!(|a, b, c| dot(a, b, c, 4, |x| x as u8 as i64, |x| x as i8 as i64))),
        "dp4a.s32.u32" => Some(lanes!(|a, b, c| dot(a, b, c, 4, |x| x as i8 as i64, |x| x as u8 as i64))),
        _ => None,
    }
}

/// Computes `lop3`: the table's bit for each triple of bits, selected by one operand after the other.
#[inline]
pub(crate) fn lop3(a: u64, b: u64, c: u64, table: u8) -> u64 {
    let ones = |i: u8| u64::from(table >> i & 1).wrapping_neg();
    let select = |x: u64, one: u64, zero: u64| zero ^ x & (one ^ zero);
    let of_c = |i: u8| select(c, ones(i + 1), ones(i));
    select(a, select(b, of_c(6), of_c(4)), select(b, of_c(2), of_c(0))) & 0xffff_ffff
}

/// Returns the position and the length of a field: of 32-bit operands 8 bits are used, of 64-bit ones all.
fn field(pos: u64, len: u64, width: u64) -> (u64, u64) {
    if width == 32 { (pos & 0xff, len & 0xff) } else { (pos, len) }
}

/// Computes `bfi`: inserts the `len` low bits of `a` in `b` from bit `pos` on.
pub(crate) fn insert(a: u64, b: u64, pos: u64, len: u64, width: u64) -> u64 {
    let (pos, len) = field(pos, len, width);
    if pos >= width || len == 0 {
        return b;
    }
    let ones = if len >= 64 { u64::MAX } else { (1 << len) - 1 };
    let field = ones << pos & (u64::MAX >> (64 - width));
    b & !field | a << pos & field
}

/// The low 32 bits.
const ONES: u64 = 0xffff_ffff;

/// Returns the low `n` bits, fewer than 32.
fn low_bits(a: u64, n: u64) -> u64 {
    a & ((1 << n) - 1)
}

/// Returns the low `n` bits, fewer than 32, as a signed number.
fn low_bits_signed(a: u64, n: u64) -> u64 {
    if n == 0 { 0 } else { ((a as i32) << (32 - n) >> (32 - n)) as u32 as u64 }
}

/// Computes `fns`: the position of the `n`th set bit, counted from the base up or, if negative, down.
fn find_nth_set(mask: u64, base: u64, n: i32) -> u64 {
    let set = |at: i64| mask >> at & 1 == 1;
    let base = i64::from(base as u32);
    if base > 31 {
        return ONES;
    }
    let found = match n {
        0 => Some(base).filter(|&at| set(at)),
        1.. => (base..32).filter(|&at| set(at)).nth(n as usize - 1),
        _ => (0..=base).rev().filter(|&at| set(at)).nth(n.unsigned_abs() as usize - 1),
    };
    found.map_or(ONES, |at| at as u64)
}

fn low24(x: u64) -> i64 {
    i64::from((x as i32) << 8 >> 8)
}

fn highest_bit(x: u64) -> u64 {
    if x == 0 { 0xffff_ffff } else { u64::from(63 - x.leading_zeros()) }
}

fn shift_amount(bit: u64, top: u64) -> u64 {
    if bit == 0xffff_ffff { bit } else { top - bit }
}

fn extract(a: u64, pos: u64, len: u64, width: u64) -> u64 {
    let (pos, len) = field(pos, len, width);
    if pos >= width || len == 0 {
        return 0;
    }
    let shifted = a >> pos;
    if len >= 64 { shifted } else { shifted & ((1 << len) - 1) }
}

fn extract_signed(a: i64, pos: u64, len: u64, width: u64) -> i64 {
    let (pos, len) = field(pos, len, width);
    if len == 0 {
        return 0;
    }
    let available = width.saturating_sub(pos).min(len);
    if available == 0 {
        return a >> 63;
    }
    let up = 64 - available;
    if len > available { a >> pos } else { (a >> pos) << up >> up }
}

fn permute(a: u64, b: u64, selector: u64) -> u64 {
    let bytes = pair(a, b).to_le_bytes();
    let mut d = 0;
    for i in 0..4 {
        let s = selector >> (4 * i) & 0xf;
        let byte = bytes[(s & 7) as usize];
        let byte = if s & 8 == 0 { byte } else { ((byte as i8) >> 7) as u8 };
        d |= u64::from(byte) << (8 * i);
    }
    d
}

fn permute_by(a: u64, b: u64, select: impl Fn(u64) -> u64) -> u64 {
    let bytes = pair(a, b).to_le_bytes();
    (0..4).map(|i| u64::from(bytes[(select(i) & 7) as usize]) << (8 * i)).sum()
}

/// Combines two 32-bit words to 64 bits, `a` being the lower.
fn pair(a: u64, b: u64) -> u64 {
    a & 0xffff_ffff | b << 32
}

fn dot(a: u64, b: u64, c: u64, n: u32, of_a: fn(u64) -> i64, of_b: fn(u64) -> i64) -> u64 {
    let sum: i64 = (0..n).map(|i| of_a(a >> (8 * i)) * of_b(b >> (8 * i))).sum();
    u64::from((c as u32).wrapping_add(sum as u32))
}

/// Returns an integer comparison by the condition's name.
pub(crate) fn compare(condition: &str, ty: Type) -> Option<Map2> {
    match condition {
        "eq" => typed!(ty, |a, b| u8::from(a == b)),
        "ne" => typed!(ty, |a, b| u8::from(a != b)),
        "lt" | "lo" => typed!(ty, |a, b| u8::from(a < b)),
        "le" | "ls" => typed!(ty, |a, b| u8::from(a <= b)),
        "gt" | "hi" => typed!(ty, |a, b| u8::from(a > b)),
        "ge" | "hs" => typed!(ty, |a, b| u8::from(a >= b)),
        _ => None,
    }
}
