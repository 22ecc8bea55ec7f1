//! Integer instructions that read or write a carry.

use super::Type;

/// An instruction of the carry chain: operands and the carry in, result and the carry out.
pub(crate) type Carry = fn(u64, u64, u64, u64) -> (u64, u64);

/// Returns the function of `add.cc`, `addc`, `sub.cc`, `subc`, `mad.lo.cc`, `madc.hi` and so on, without their `.cc`.
pub(crate) fn carry(op: &str, ty: Type) -> Option<Carry> {
    if ty.bytes() < 4 {
        return None;
    }
    let wide = ty.bytes() == 8;
    let signed = ty.is_signed();
    Some(match (op, wide, signed) {
        ("add", false, _) => |a, b, _, _| split32(low(a) + low(b)),
        ("addc", false, _) => |a, b, _, cc| split32(low(a) + low(b) + cc),
        ("sub", false, _) => |a, b, _, _| (u64::from((a as u32).wrapping_sub(b as u32)), u64::from(low(a) < low(b))),
        ("subc", false, _) => |a, b, _, cc| {
            (u64::from((a as u32).wrapping_sub(b as u32).wrapping_sub(cc as u32)), u64::from(low(a) < low(b) + cc))
        },
        ("add", true, _) => |a, b, _, _| split64(u128::from(a) + u128::from(b)),
        ("addc", true, _) => |a, b, _, cc| split64(u128::from(a) + u128::from(b) + u128::from(cc)),
        ("sub", true, _) => |a, b, _, _| (a.wrapping_sub(b), u64::from(a < b)),
        ("subc", true, _) => |a, b, _, cc| {
            (a.wrapping_sub(b).wrapping_sub(cc), u64::from(u128::from(a) < u128::from(b) + u128::from(cc)))
        },
        ("mad.lo", false, _) => |a, b, c, _| split32(low(low(a) * low(b)) + low(c)),
        ("madc.lo", false, _) => |a, b, c, cc| split32(low(low(a) * low(b)) + low(c) + cc),
        ("mad.hi", false, false) => |a, b, c, _| split32(((low(a) * low(b)) >> 32) + low(c)),
        ("madc.hi", false, false) => |a, b, c, cc| split32(((low(a) * low(b)) >> 32) + low(c) + cc),
        ("mad.hi", false, true) => |a, b, c, _| split32(signed_high(a, b) + low(c)),
        ("madc.hi", false, true) => |a, b, c, cc| split32(signed_high(a, b) + low(c) + cc),
        ("mad.lo", true, _) => |a, b, c, _| split64(u128::from(a.wrapping_mul(b)) + u128::from(c)),
        ("madc.lo", true, _) => |a, b, c, cc| split64(u128::from(a.wrapping_mul(b)) + u128::from(c) + u128::from(cc)),
        ("mad.hi", true, false) => |a, b, c, _| split64(((u128::from(a) * u128::from(b)) >> 64) + u128::from(c)),
        ("madc.hi", true, false) => {
            |a, b, c, cc| split64(((u128::from(a) * u128::from(b)) >> 64) + u128::from(c) + u128::from(cc))
        }
        ("mad.hi", true, true) => |a, b, c, _| split64(u128::from(signed_high64(a, b)) + u128::from(c)),
        ("madc.hi", true, true) => {
            |a, b, c, cc| split64(u128::from(signed_high64(a, b)) + u128::from(c) + u128::from(cc))
        }
        _ => return None,
    })
}

/// Returns the low 32 bits of an operand, whatever register holds it.
fn low(x: u64) -> u64 {
    x & 0xffff_ffff
}

fn split32(x: u64) -> (u64, u64) {
    (x & 0xffff_ffff, x >> 32 & 1)
}

fn split64(x: u128) -> (u64, u64) {
    (x as u64, (x >> 64) as u64 & 1)
}

fn signed_high(a: u64, b: u64) -> u64 {
    u64::from(((i64::from(a as i32) * i64::from(b as i32)) >> 32) as u32)
}

fn signed_high64(a: u64, b: u64) -> u64 {
    ((i128::from(a as i64) * i128::from(b as i64)) >> 64) as u64
}
