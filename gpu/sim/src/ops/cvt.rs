//! Conversions between types.

use super::float::{Modifiers, flush};
use super::{Map1, Round, Type, f32_of, f64_of, half, lanes, nan, of_f32, of_f64, round};

/// Returns conversions that only extend or truncate integers.
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
        // A signed result narrower than its register is sign-extended.
        (_, 1) if to == S8 => lanes!(|a| a as i8 as u32 as u64),
        (_, 1) => lanes!(|a| a & 0xff),
        (_, 2) => lanes!(|a| a & 0xffff),
        _ => lanes!(|a| a & 0xffff_ffff),
    })
}

/// Returns the sign extension of a value to its register.
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

/// Computes a conversion of one value.
pub(crate) fn scalar([a, ..]: [u64; 3], m: &Modifiers) -> u64 {
    use Type::*;
    match (m.from, m.ty) {
        // A copy, also of NaNs.
        (F32, F32) if !m.ftz && !m.integral && !m.sat => a & 0xffff_ffff,
        (F64, F64) if !m.integral && !m.sat => a,
        (F32, F32) => {
            let x = if m.ftz { flush(f32_of(a)) } else { f32_of(a) };
            let x = if m.integral { integral(x.into(), m.round) as f32 } else { x };
            saturated32(x, m)
        }
        (F64, F64) => {
            let x = f64_of(a);
            let x = if m.integral { integral(x, m.round) } else { x };
            if m.sat { if x > 0.0 { x.min(1.0).to_bits() } else { 0 } } else { of_f64(x, [a]) }
        }
        (F32, F64) => {
            let x = if m.ftz { flush(f32_of(a)) } else { f32_of(a) };
            let wide = f64::from(x);
            if m.sat {
                return if wide > 0.0 { wide.min(1.0).to_bits() } else { 0 };
            }
            match (wide.is_nan(), m.ftz) {
                (true, true) => nan::f64_of_f32(nan::SINGLE),
                (true, false) => nan::f64_of_f32(a),
                _ => wide.to_bits(),
            }
        }
        (F64, F32) if f64_of(a).is_nan() && !m.sat => nan::f32_of_f64(a),
        (F64, F32) => {
            let x = f64_of(a);
            let near = x as f32;
            saturated32(if m.round == Round::Nearest { near } else { round::narrow(x, m.round) }, m)
        }
        // The upper half of a float32, also of NaNs.
        (Bf16, F32) if !m.ftz && !m.sat => (a & 0xffff) << 16,
        (F16 | Bf16, F32) => {
            let x = half::format(m.from).decode(a & 0xffff) as f32;
            saturated32(if m.integral { integral(x.into(), m.round) as f32 } else { x }, m)
        }
        (F16 | Bf16, F64) => {
            let x = half::format(m.from).decode(a & 0xffff);
            if m.sat {
                return if x > 0.0 { x.min(1.0).to_bits() } else { 0 };
            }
            if x.is_nan() { nan::f64_of_half(a, half::format(m.from).fraction_bits()) } else { x.to_bits() }
        }
        (F64, F16 | Bf16) if f64_of(a).is_nan() && !m.sat => nan::half_of_f64(a, half::format(m.ty).fraction_bits()),
        (F32 | F64 | F16 | Bf16, F16 | Bf16) => {
            let x = float_value(a, m);
            let x = if m.integral { integral(x, m.round) } else { x };
            let x = if m.sat { if x > 0.0 { x.min(1.0) } else { 0.0 } } else { x };
            let x = if m.relu && x <= 0.0 { 0.0 } else { x };
            let largest = half::format(m.ty).largest();
            let x = if m.finite && !x.is_nan() { x.clamp(-largest, largest) } else { x };
            half::format(m.ty).encode(x, if m.integral { Round::Nearest } else { m.round })
        }
        (F32 | F64 | F16 | Bf16, _) => to_integer(float_value(a, m), m),
        (_, F16 | Bf16) => {
            let x = half::odd_integer(integer_value(a, m.from));
            half::format(m.ty).encode(if m.sat { x.clamp(0.0, 1.0) } else { x }, m.round)
        }
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
        // A conversion to float16 ignores it.
        Type::F32 if m.ftz && m.ty != Type::F16 => flush(f32_of(a)).into(),
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

/// Converts floats to integers clamped to the type's range. NaN gives 0; from float64 or to 64 bits only the top bit.
fn to_integer(x: f64, m: &Modifiers) -> u64 {
    if x.is_nan() {
        let top = m.ty.bytes() == 8 || m.from == Type::F64;
        return if top { 1 << (8 * m.ty.bytes() - 1) } else { 0 };
    }
    clamp(integral(x, m.round) as i128, m.ty) as u64 & m.ty.mask()
}

/// Computes `cvt.*.tf32.f32`: ten bits of fraction; `away`: `rna`, whose ties are rounded away from zero.
fn tf32(a: u64, m: &Modifiers, away: bool) -> u64 {
    let x = f32_of(a);
    if x.is_nan() && !away {
        return 0x7fff_e000;
    }
    if m.relu && x <= 0.0 {
        return 0;
    }
    let (sign, magnitude) = (a & 0x8000_0000, a & 0x7fff_ffff);
    let rounded = match m.round {
        _ if !x.is_finite() => magnitude,
        _ if away => magnitude + 0x1000,
        Round::Nearest => magnitude + 0xfff + (magnitude >> 13 & 1),
        _ => magnitude,
    } & 0x7fff_e000;
    // One unit below infinity is the largest number; NaNs are decremented likewise.
    sign | if m.finite && rounded >= 0x7f80_0000 { rounded - 0x2000 } else { rounded }
}

pub(crate) fn tf32_away([a, ..]: [u64; 3], m: &Modifiers) -> u64 {
    tf32(a, m, true)
}

pub(crate) fn tf32_even([a, ..]: [u64; 3], m: &Modifiers) -> u64 {
    tf32(a, m, false)
}

/// Returns `cvt.pack`: two integers saturated to `bits` and packed, with the low bits of the third above them.
pub(crate) fn pack_integers(bits: u32, signed: bool) -> impl Fn(u64, u64, u64) -> u64 {
    let (low, high) = if signed { (-(1i64 << (bits - 1)), (1i64 << (bits - 1)) - 1) } else { (0, (1i64 << bits) - 1) };
    let part = move |x: u64| i64::from(x as i32).clamp(low, high) as u64 & ((1 << bits) - 1);
    move |a, b, c| u64::from((c << (2 * bits) | part(a) << bits | part(b)) as u32)
}

/// Converts two float32 to a packed pair, the first operand being the upper half.
pub(crate) fn pack([a, b, _]: [u64; 3], m: &Modifiers) -> u64 {
    let ty = if m.ty == Type::Bf16x2 { Type::Bf16 } else { Type::F16 };
    let one = Modifiers { ty, from: Type::F32, ..*m };
    scalar([a, 0, 0], &one) << 16 | scalar([b, 0, 0], &one)
}
