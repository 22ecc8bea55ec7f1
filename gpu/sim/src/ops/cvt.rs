//! Conversions between types.

use super::float::{Modifiers, flush};
use super::{Map1, Round, Type, f32_of, f64_of, half, lanes, of_f32, round};

/// Conversions that only extend or cut integers.
pub(crate) fn fast(to: Type, from: Type) -> Option<Map1> {
    use Type::*;
    Some(match (from, to.bytes()) {
        (U8 | B8, _) => lanes!(|a| a & 0xff),
        (U16 | B16, 1) | (U32 | B32, 1) | (U64 | B64, 1) => lanes!(|a| a & 0xff),
        (U16 | B16, _) | (U32 | B32, 2) | (U64 | B64, 2) => lanes!(|a| a & 0xffff),
        (U32 | B32, _) | (U64 | B64, 4) => lanes!(|a| a & 0xffff_ffff),
        (U64 | B64, _) => lanes!(|a| a),
        (S8, 2) => lanes!(|a| a as i8 as u16 as u64),
        (S8, 4) => lanes!(|a| a as i8 as u32 as u64),
        (S8, 8) => lanes!(|a| a as i8 as u64),
        (S16, 4) => lanes!(|a| a as i16 as u32 as u64),
        (S16, 8) => lanes!(|a| a as i16 as u64),
        (S32, 8) => lanes!(|a| a as i32 as u64),
        (S64, 8) => lanes!(|a| a),
        // A signed result narrower than its register is extended by its own sign.
        (_, 1) if to == S8 => lanes!(|a| a as i8 as u32 as u64),
        (_, 1) => lanes!(|a| a & 0xff),
        (_, 2) => lanes!(|a| a & 0xffff),
        _ => lanes!(|a| a & 0xffff_ffff),
    })
}

/// Extends a signed value to the register that holds it.
pub(crate) fn extend(ty: Type, width: u32) -> Option<Map1> {
    match (ty, width) {
        (Type::S8, 16) => Some(lanes!(|a| a as i8 as u16 as u64)),
        (Type::S8, 32) => Some(lanes!(|a| a as i8 as u32 as u64)),
        (Type::S8, 64) => Some(lanes!(|a| a as i8 as u64)),
        (Type::S16, 32) => Some(lanes!(|a| a as i16 as u32 as u64)),
        (Type::S16, 64) => Some(lanes!(|a| a as i16 as u64)),
        (Type::S32, 64) => Some(lanes!(|a| a as i32 as u64)),
        _ => None,
    }
}

/// Every conversion of one value.
pub(crate) fn scalar([a, ..]: [u64; 3], m: &Modifiers) -> u64 {
    use Type::*;
    match (m.from, m.ty) {
        (F32, F32) => {
            let x = if m.ftz { flush(f32_of(a)) } else { f32_of(a) };
            let x = if m.integral { integral(x.into(), m.round) as f32 } else { x };
            saturated32(x, m)
        }
        (F64, F64) => {
            let x = f64_of(a);
            let x = if m.integral { integral(x, m.round) } else { x };
            if m.sat { if x > 0.0 { x.min(1.0).to_bits() } else { 0 } } else { x.to_bits() }
        }
        (F32, F64) => {
            let x = if m.ftz { flush(f32_of(a)) } else { f32_of(a) };
            f64::from(x).to_bits()
        }
        (F64, F32) => {
            let x = f64_of(a);
            let near = x as f32;
            saturated32(if m.round == Round::Nearest { near } else { round::narrow(x, m.round) }, m)
        }
        (F16 | Bf16, F32) => {
            let x = half::format(m.from).decode(a & 0xffff) as f32;
            saturated32(if m.integral { integral(x.into(), m.round) as f32 } else { x }, m)
        }
        (F16 | Bf16, F64) => half::format(m.from).decode(a & 0xffff).to_bits(),
        (F32 | F64 | F16 | Bf16, F16 | Bf16) => {
            let x = float_value(a, m);
            let x = if m.integral { integral(x, m.round) } else { x };
            let x = if m.sat { if x > 0.0 { x.min(1.0) } else { 0.0 } } else { x };
            let x = if m.relu && x <= 0.0 { 0.0 } else { x };
            half::format(m.ty).encode(x, if m.integral { Round::Nearest } else { m.round })
        }
        (F32 | F64 | F16 | Bf16, _) => to_integer(float_value(a, m), m),
        (_, F16 | Bf16) => half::format(m.ty).encode(half::odd_integer(integer_value(a, m.from)), m.round),
        (_, F32) => {
            let n = integer_value(a, m.from);
            let near = n as f32;
            let x = if m.round == Round::Nearest { near } else { round::narrow(half::odd_integer(n), m.round) };
            saturated32(x, m)
        }
        (_, F64) => {
            let n = integer_value(a, m.from);
            round::integer64(n, m.round).to_bits()
        }
        _ => {
            let n = integer_value(a, m.from);
            let n = if m.sat { clamp(n, m.ty) } else { n };
            n as u64 & m.ty.mask()
        }
    }
}

fn float_value(a: u64, m: &Modifiers) -> f64 {
    match m.from {
        Type::F32 if m.ftz => flush(f32_of(a)).into(),
        Type::F32 => f32_of(a).into(),
        Type::F64 => f64_of(a),
        other => half::format(other).decode(a & 0xffff),
    }
}

fn saturated32(x: f32, m: &Modifiers) -> u64 {
    let x = if m.ftz { flush(x) } else { x };
    of_f32(if m.sat { if x > 0.0 { x.min(1.0) } else { 0.0 } } else { x })
}

fn integer_value(a: u64, ty: Type) -> i128 {
    match ty {
        Type::S8 => (a as i8).into(),
        Type::S16 => (a as i16).into(),
        Type::S32 => (a as i32).into(),
        Type::S64 => (a as i64).into(),
        other => (a & other.mask()).into(),
    }
}

fn integral(x: f64, mode: Round) -> f64 {
    match mode {
        Round::Nearest => x.round_ties_even(),
        Round::Zero => x.trunc(),
        Round::Down => x.floor(),
        Round::Up => x.ceil(),
    }
}

fn range(ty: Type) -> (i128, i128) {
    let bits = 8 * ty.bytes() as u32;
    if ty.is_signed() { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
}

fn clamp(n: i128, ty: Type) -> i128 {
    let (low, high) = range(ty);
    n.clamp(low, high)
}

/// Floats become integers clamped to the type's range. NaN gives 0; from float64 or to 64 bits the top bit alone.
fn to_integer(x: f64, m: &Modifiers) -> u64 {
    if x.is_nan() {
        let top = m.ty.bytes() == 8 || m.from == Type::F64;
        return if top { 1 << (8 * m.ty.bytes() - 1) } else { 0 };
    }
    clamp(integral(x, m.round) as i128, m.ty) as u64 & m.ty.mask()
}

/// `cvt.rna.tf32.f32`: ten bits of fraction, ties away from zero.
pub(crate) fn tf32([a, ..]: [u64; 3], _: &Modifiers) -> u64 {
    if f32_of(a).is_nan() {
        return 0x7fff_ffff;
    }
    if f32_of(a).is_infinite() {
        return a & 0xffff_ffff;
    }
    (a & 0xffff_ffff).wrapping_add(0x1000) & 0xffff_e000
}

/// Two float32 as a packed pair, the first operand being the upper half.
pub(crate) fn pack([a, b, _]: [u64; 3], m: &Modifiers) -> u64 {
    let ty = if m.ty == Type::Bf16x2 { Type::Bf16 } else { Type::F16 };
    let one = Modifiers { ty, from: Type::F32, ..*m };
    scalar([a, 0, 0], &one) << 16 | scalar([b, 0, 0], &one)
}
