//! The NaNs that instructions return: a GPU has rules of its own, which are not those of the processor that simulates
//! it. All of them stand here, as recordings of a GPU show them.

/// The NaN of float32 results.
pub(crate) const SINGLE: u64 = 0x7fff_ffff;
/// The NaN of float16 and bfloat16 results.
pub(crate) const HALF: u64 = 0x7fff;
/// The NaN of a float64 operation that is invalid, its operands being numbers.
const INVALID: u64 = 0xfff8_0000_0000_0000;
/// The bit that makes a float64 NaN a quiet one.
const QUIET: u64 = 1 << 51;

/// The bits of a float32 result.
#[inline]
pub(crate) fn of_f32(x: f32) -> u64 {
    if x.is_nan() { SINGLE } else { u64::from(x.to_bits()) }
}

/// The bits of a float64 result: a NaN among the operands passes through, made quiet.
#[inline]
pub(crate) fn of_f64<const N: usize>(x: f64, operands: [u64; N]) -> u64 {
    if x.is_nan() { passed_on(&operands) } else { x.to_bits() }
}

/// Of several NaNs, that of the second operand is the result, then that of the third, then that of the first. (A quotient
/// is made of other instructions, and has them the other way round.)
#[cold]
fn passed_on(operands: &[u64]) -> u64 {
    let order = [1, 2, 0].into_iter().filter_map(|i| operands.get(i));
    let nan = order.copied().find(|bits| f64::from_bits(*bits).is_nan());
    nan.map_or(INVALID, |bits| bits | QUIET)
}

/// The sum that an atomic addition to global memory leaves: as any, but that NaNs stay signalling.
pub(crate) fn of_atomic_f64(x: f64, old: u64, a: u64) -> u64 {
    match (x.is_nan(), f64::from_bits(a).is_nan(), f64::from_bits(old).is_nan()) {
        (true, true, _) => a,
        (true, _, true) => old,
        _ => of_f64(x, []),
    }
}

/// `abs` and `neg` of float64, `x` being the operand and `result` the one by bits: NaNs keep their sign.
#[inline]
pub(crate) fn sign_of_f64(x: u64, result: u64) -> u64 {
    if f64::from_bits(x).is_nan() { x | QUIET } else { result }
}

/// A NaN with `from` bits of fraction as one of another format, quiet, the highest bits of its payload kept. `to` is
/// its bits of fraction, `width` those of all.
fn converted(sign: bool, fraction: u64, from: u32, to: u32, width: u32) -> u64 {
    let fraction = if from < to { fraction << (to - from) } else { fraction >> (from - to) };
    let ones = (1u64 << (width - 1)) - (1 << to);
    u64::from(sign) << (width - 1) | ones | fraction | 1 << (to - 1)
}

/// A float32 NaN as a float64.
pub(crate) fn f64_of_f32(bits: u64) -> u64 {
    converted(bits >> 31 & 1 == 1, bits & 0x7f_ffff, 23, 52, 64)
}

/// A NaN of a 16-bit format with `fraction` bits of fraction as a float64.
pub(crate) fn f64_of_half(bits: u64, fraction: u32) -> u64 {
    converted(bits >> 15 & 1 == 1, bits & ((1 << fraction) - 1), fraction, 52, 64)
}

/// A float64 NaN as a float32.
pub(crate) fn f32_of_f64(bits: u64) -> u64 {
    converted(bits >> 63 == 1, bits & ((1 << 52) - 1), 52, 23, 32)
}

/// A float64 NaN in a 16-bit format with `fraction` bits of fraction.
pub(crate) fn half_of_f64(bits: u64, fraction: u32) -> u64 {
    converted(bits >> 63 == 1, bits & ((1 << 52) - 1), 52, fraction, 16)
}
