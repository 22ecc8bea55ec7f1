//! The NaNs that instructions return: a GPU has rules of its own, which are not those of the processor that simulates
//! it. All of them stand here.

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

/// The bits of a float64 result: the first NaN among the operands passes through, made quiet.
#[inline]
pub(crate) fn of_f64<const N: usize>(x: f64, operands: [u64; N]) -> u64 {
    if x.is_nan() { passed_on(operands) } else { x.to_bits() }
}

#[cold]
fn passed_on<const N: usize>(operands: [u64; N]) -> u64 {
    let nan = operands.into_iter().find(|bits| f64::from_bits(*bits).is_nan());
    nan.map_or(INVALID, |bits| bits | QUIET)
}

/// `abs` and `neg` of float32: `x` is the result by bits, which NaNs keep.
#[inline]
pub(crate) fn sign_of_f32(x: f32) -> u64 {
    u64::from(x.to_bits())
}

/// A float32 NaN as a float64.
pub(crate) fn widened(bits: u64) -> u64 {
    let sign = (bits & 0x8000_0000) << 32;
    sign | 0x7ff0_0000_0000_0000 | (bits & 0x7f_ffff) << 29 | QUIET
}
