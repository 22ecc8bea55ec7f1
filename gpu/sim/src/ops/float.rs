//! Instructions on float32 and float64.

use super::{Map2, Map3, Round, Type, f32_of, f64_of, lanes, nan, of_f32, of_f64, round};

/// The modifiers of a scalar instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Modifiers {
    pub(crate) round: Round,
    /// Round to an integer (`rni`, `rzi`, `rmi`, `rpi`).
    pub(crate) integral: bool,
    pub(crate) ftz: bool,
    pub(crate) sat: bool,
    /// `satfinite`: numbers that overflow become the largest number.
    pub(crate) finite: bool,
    /// `min` and `max` propagate NaN.
    pub(crate) nan: bool,
    /// `min` and `max` of the magnitudes, with the sign of the product.
    pub(crate) xorsign: bool,
    pub(crate) relu: bool,
    pub(crate) approx: bool,
    pub(crate) ty: Type,
    /// The source type of a conversion.
    pub(crate) from: Type,
}

/// An instruction of up to three operands on one lane.
pub(crate) type Scalar = fn([u64; 3], &Modifiers) -> u64;

/// Returns the common forms: rounded to nearest, subnormals kept.
pub(crate) fn fast_binary(op: &str, ty: Type) -> Option<Map2> {
    Some(match (op, ty) {
        ("add", Type::F32) => lanes!(|a, b| of_f32(f32_of(a) + f32_of(b))),
        ("sub", Type::F32) => lanes!(|a, b| of_f32(f32_of(a) - f32_of(b))),
        ("mul", Type::F32) => lanes!(|a, b| of_f32(f32_of(a) * f32_of(b))),
        ("div", Type::F32) => lanes!(|a, b| of_f32(f32_of(a) / f32_of(b))),
        ("add", Type::F64) => lanes!(|a, b| of_f64(f64_of(a) + f64_of(b), [a, b])),
        ("sub", Type::F64) => lanes!(|a, b| of_f64(f64_of(a) - f64_of(b), [a, b])),
        ("mul", Type::F64) => lanes!(|a, b| of_f64(f64_of(a) * f64_of(b), [a, b])),
        ("div", Type::F64) => lanes!(|a, b| of_f64(f64_of(a) / f64_of(b), [b, a])),
        _ => return None,
    })
}

pub(crate) fn fast_fma(ty: Type) -> Option<Map3> {
    match ty {
        Type::F32 => Some(lanes!(|a, b, c| of_f32(f32_of(a).mul_add(f32_of(b), f32_of(c))))),
        Type::F64 => Some(lanes!(|a, b, c| of_f64(f64_of(a).mul_add(f64_of(b), f64_of(c)), [a, b, c]))),
        _ => None,
    }
}

/// Returns a comparison by the condition's name; the caller handles `ftz`.
pub(crate) fn compare(condition: &str, ty: Type) -> Option<Map2> {
    macro_rules! both {
        (|$x:ident, $y:ident| $e:expr) => {
            match ty {
                Type::F32 => Some(lanes!(|a, b| {
                    let ($x, $y) = (f32_of(a), f32_of(b));
                    u64::from($e)
                })),
                Type::F64 => Some(lanes!(|a, b| {
                    let ($x, $y) = (f64_of(a), f64_of(b));
                    u64::from($e)
                })),
                _ => None,
            }
        };
    }
    match condition {
        "eq" => both!(|x, y| x == y),
        "ne" => both!(|x, y| (x < y) | (x > y)),
        "lt" => both!(|x, y| x < y),
        "le" => both!(|x, y| x <= y),
        "gt" => both!(|x, y| x > y),
        "ge" => both!(|x, y| x >= y),
        "equ" => both!(|x, y| x.is_nan() || y.is_nan() || x == y),
        "neu" => both!(|x, y| x != y),
        "ltu" => both!(|x, y| x.is_nan() || y.is_nan() || x < y),
        "leu" => both!(|x, y| x.is_nan() || y.is_nan() || x <= y),
        "gtu" => both!(|x, y| x.is_nan() || y.is_nan() || x > y),
        "geu" => both!(|x, y| x.is_nan() || y.is_nan() || x >= y),
        "num" => both!(|x, y| !x.is_nan() && !y.is_nan()),
        "nan" => both!(|x, y| x.is_nan() || y.is_nan()),
        _ => None,
    }
}

/// Flushes a subnormal to zero of its sign.
pub(crate) fn flush(x: f32) -> f32 {
    if x.is_subnormal() { 0.0f32.copysign(x) } else { x }
}

fn of32(x: f32, m: &Modifiers) -> u64 {
    let x = if m.ftz { flush(x) } else { x };
    let x = if m.sat { if x > 0.0 { x.min(1.0) } else { 0.0 } } else { x };
    of_f32(x)
}

fn in32(bits: u64, m: &Modifiers) -> f32 {
    let x = f32_of(bits);
    if m.ftz { flush(x) } else { x }
}

fn minmax<T: PartialOrd + Copy>(a: T, b: T, larger: bool, negative: fn(T) -> bool) -> T {
    let pick_a = if a == b { negative(a) != larger } else { (a > b) == larger };
    if pick_a { a } else { b }
}

/// 2^126.
const TWO_126: f32 = f32::from_bits(0x7e80_0000);

/// Returns all forms of a float32 instruction.
pub(crate) fn scalar32(op: &str) -> Option<Scalar> {
    Some(match op {
        "add" => |[a, b, _], m| of32(round::add32(in32(a, m), in32(b, m), m.round), m),
        "sub" => |[a, b, _], m| of32(round::add32(in32(a, m), -in32(b, m), m.round), m),
        "mul" => |[a, b, _], m| of32(round::mul32(in32(a, m), in32(b, m), m.round), m),
        "fma" | "mad" => |[a, b, c], m| of32(round::fma32(in32(a, m), in32(b, m), in32(c, m), m.round), m),
        "div" => |[a, b, _], m| {
            let (x, y) = (in32(a, m), in32(b, m));
            // A product with the reciprocal, which is flushed for the largest divisors.
            let flushed = m.approx && y.is_finite() && y.abs() > TWO_126;
            of32(if flushed { x * 0.0f32.copysign(y) } else { round::div32(x, y, m.round) }, m)
        },
        "rcp" => |[a, _, _], m| of32(round::div32(1.0, in32(a, m), m.round), m),
        "sqrt" => |[a, _, _], m| of32(round::sqrt32(in32(a, m), m.round), m),
        "rsqrt" => |[a, _, _], m| of32((1.0 / f64::from(in32(a, m)).sqrt()) as f32, m),
        "abs" => |[a, _, _], m| of_f32(in32(a, m).abs()),
        "neg" => |[a, _, _], m| of_f32(-in32(a, m)),
        "min" => |[a, b, _], m| min_max32(a, b, m, false),
        "max" => |[a, b, _], m| min_max32(a, b, m, true),
        "ex2" => |[a, _, _], m| of32(f64::from(in32(a, m)).exp2() as f32, m),
        "lg2" => |[a, _, _], m| of32(f64::from(in32(a, m)).log2() as f32, m),
        "sin" => |[a, _, _], m| of32(f64::from(in32(a, m)).sin() as f32, m),
        "cos" => |[a, _, _], m| of32(f64::from(in32(a, m)).cos() as f32, m),
        "tanh" => |[a, _, _], m| of32(f64::from(in32(a, m)).tanh() as f32, m),
        "copysign" => |[a, b, _], _| (b & 0x7fff_ffff) | (a & 0x8000_0000),
        _ => return None,
    })
}

fn min_max32(a: u64, b: u64, m: &Modifiers, larger: bool) -> u64 {
    let (x, y) = (in32(a, m), in32(b, m));
    let negative = m.xorsign && (a ^ b) >> 31 & 1 == 1;
    let (x, y) = if m.xorsign { (x.abs(), y.abs()) } else { (x, y) };
    if m.nan && (x.is_nan() || y.is_nan()) {
        return of_f32(f32::NAN);
    }
    let result = match (x.is_nan(), y.is_nan()) {
        (true, _) => y,
        (_, true) => x,
        _ => minmax(x, y, larger, f32::is_sign_negative),
    };
    of32(if negative { -result } else { result }, m)
}

/// Returns all forms of a float64 instruction.
pub(crate) fn scalar64(op: &str) -> Option<Scalar> {
    Some(match op {
        "add" => |[a, b, _], m| of_f64(round::add64(f64_of(a), f64_of(b), m.round), [a, b]),
        "sub" => |[a, b, _], m| of_f64(round::add64(f64_of(a), -f64_of(b), m.round), [a, b]),
        "mul" => |[a, b, _], m| of_f64(round::mul64(f64_of(a), f64_of(b), m.round), [a, b]),
        "fma" | "mad" => |[a, b, c], m| of_f64(round::fma64(f64_of(a), f64_of(b), f64_of(c), m.round), [a, b, c]),
        "div" => |[a, b, _], m| of_f64(round::div64(f64_of(a), f64_of(b), m.round), [b, a]),
        "rcp" => |[a, _, _], m| {
            if m.approx { gross(f64_of(a), |x| 1.0 / x) } else { of_f64(round::div64(1.0, f64_of(a), m.round), [a]) }
        },
        "sqrt" => |[a, _, _], m| of_f64(round::sqrt64(f64_of(a), m.round), [a]),
        "rsqrt" => |[a, _, _], m| {
            if m.ftz { gross(f64_of(a), |x| 1.0 / x.sqrt()) } else { of_f64(1.0 / f64_of(a).sqrt(), [a]) }
        },
        "abs" => |[a, _, _], _| nan::sign_of_f64(a, a & !(1 << 63)),
        "neg" => |[a, _, _], _| nan::sign_of_f64(a, a ^ 1 << 63),
        "min" => |[a, b, _], m| min_max64(a, b, m, false),
        "max" => |[a, b, _], m| min_max64(a, b, m, true),
        "copysign" => |[a, b, _], _| (b & !(1 << 63)) | (a & 1 << 63),
        _ => return None,
    })
}

fn min_max64(a: u64, b: u64, _m: &Modifiers, larger: bool) -> u64 {
    let (x, y) = (f64_of(a), f64_of(b));
    let result = match (x.is_nan(), y.is_nan()) {
        (true, _) => y,
        (_, true) => x,
        _ => minmax(x, y, larger, f64::is_sign_negative),
    };
    of_f64(result, [a, b])
}

/// Computes the coarse approximations of float64: from the upper 32 bits of the operand to the upper 32 bits of the
/// result.
fn gross(x: f64, f: fn(f64) -> f64) -> u64 {
    let upper = f64::from_bits(x.to_bits() & !0xffff_ffff);
    let upper = if upper.is_subnormal() { 0.0f64.copysign(upper) } else { upper };
    let y = f(upper);
    if y.is_nan() {
        return 0x7fff_ffff_0000_0000;
    }
    let y = if y.is_subnormal() { 0.0f64.copysign(y) } else { y };
    y.to_bits() & !0xffff_ffff
}

/// Returns `testp`: tests of a float32 or float64.
pub(crate) fn test(question: &str, ty: Type) -> Option<Scalar> {
    macro_rules! both {
        (|$x:ident| $e:expr) => {
            match ty {
                Type::F32 => Some(|[a, _, _]: [u64; 3], _: &Modifiers| {
                    let $x = f32_of(a);
                    u64::from($e)
                }),
                Type::F64 => Some(|[a, _, _]: [u64; 3], _: &Modifiers| {
                    let $x = f64_of(a);
                    u64::from($e)
                }),
                _ => None,
            }
        };
    }
    match question {
        "finite" => both!(|x| x.is_finite()),
        "infinite" => both!(|x| x.is_infinite()),
        "number" => both!(|x| !x.is_nan()),
        "notanumber" => both!(|x| x.is_nan()),
        // Zeros count as normal here.
        "normal" => both!(|x| x.is_normal() || x == 0.0),
        "subnormal" => both!(|x| x.is_subnormal()),
        _ => None,
    }
}
