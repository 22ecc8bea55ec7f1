//! NaN results of instructions: a GPU has rules of its own, which differ from those of the host's processor. All of
//! them are defined here, as recordings of a GPU show them.

/// The NaN of float32 results.
pub(crate) const SINGLE: u64 = 0x7fff_ffff;
/// The NaN of float16 and bfloat16 results.
pub(crate) const HALF: u64 = 0x7fff;
/// The NaN of an invalid float64 operation on numbers.
const INVALID: u64 = 0xfff8_0000_0000_0000;
/// The quiet bit of a float64 NaN.
const QUIET: u64 = 1 << 51;

/// Returns the bits of a float32 result.
#[inline]
pub(crate) fn of_f32(x: f32) -> u64 {
    if x.is_nan() { SINGLE } else { u64::from(x.to_bits()) }
}

/// Returns the bits of a float64 result: a NaN operand is propagated, made quiet.
#[inline]
pub(crate) fn of_f64<const N: usize>(x: f64, operands: [u64; N]) -> u64 {
    if x.is_nan() { passed_on(&operands) } else { x.to_bits() }
}

/// Chooses among several NaNs: that of the second operand, then that of the third, then that of the first. (A quotient
/// is computed by other instructions, which exchange the order.)
#[cold]
fn passed_on(operands: &[u64]) -> u64 {
    let order = [1, 2, 0].into_iter().filter_map(|i| operands.get(i));
    let nan = order.copied().find(|bits| f64::from_bits(*bits).is_nan());
    nan.map_or(INVALID, |bits| bits | QUIET)
}

/// Returns the result of an atomic addition to global memory: like any, except that NaNs stay signalling.
pub(crate) fn of_atomic_f64(x: f64, old: u64, a: u64) -> u64 {
    match (x.is_nan(), f64::from_bits(a).is_nan(), f64::from_bits(old).is_nan()) {
        (true, true, _) => a,
        (true, _, true) => old,
        _ => of_f64(x, []),
    }
}

/// Returns the result of `abs` and `neg` of float64, `x` being the operand and `result` the bitwise one: NaNs keep
/// their sign.
#[inline]
pub(crate) fn sign_of_f64(x: u64, result: u64) -> u64 {
    if f64::from_bits(x).is_nan() { x | QUIET } else { result }
}

/// Converts a NaN with `from` bits of fraction to another format, quiet, with the highest bits of its payload. `to` is
/// the number of its fraction bits, `width` that of all bits.
fn converted(sign: bool, fraction: u64, from: u32, to: u32, width: u32) -> u64 {
    let fraction = if from < to { fraction << (to - from) } else { fraction >> (from - to) };
    let ones = (1u64 << (width - 1)) - (1 << to);
    u64::from(sign) << (width - 1) | ones | fraction | 1 << (to - 1)
}

/// Converts a float32 NaN to float64.
pub(crate) fn f64_of_f32(bits: u64) -> u64 {
    converted(bits >> 31 & 1 == 1, bits & 0x7f_ffff, 23, 52, 64)
}

/// Converts a NaN of a 16-bit format with `fraction` bits of fraction to float64.
pub(crate) fn f64_of_half(bits: u64, fraction: u32) -> u64 {
    converted(bits >> 15 & 1 == 1, bits & ((1 << fraction) - 1), fraction, 52, 64)
}

/// Converts a float64 NaN to float32.
pub(crate) fn f32_of_f64(bits: u64) -> u64 {
    converted(bits >> 63 == 1, bits & ((1 << 52) - 1), 52, 23, 32)
}

/// Converts a float64 NaN to a 16-bit format with `fraction` bits of fraction.
pub(crate) fn half_of_f64(bits: u64, fraction: u32) -> u64 {
    converted(bits >> 63 == 1, bits & ((1 << 52) - 1), 52, fraction, 16)
}
