//! Pending random numbers: for a distribution with a fixed number of words for each element, a call is an expression of
//! the element's index.
//!
//! The numbers are the same as those of a call outside a scope, bit for bit, since both compute element `i` from the
//! state and `i`.

use cuprum_kernels::DType;
use cuprum_kernels::distributions::DistributionId;
use cuprum_kernels::source::Bits;

use super::{Input, defer};
use crate::array::{Array, Operand};
use crate::cuda::Device;
use crate::engine::{DrawNumber, RandomFill, internal};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::Layout;
use crate::scalar::Scalar;

/// Random numbers of a distribution without parameters, from Philox.
pub(crate) struct PendingSamples {
    /// `random`, `standard_normal` or `standard_exponential`.
    pub(crate) distribution: &'static str,
    /// The state of the generator.
    pub(crate) state: [u32; 6],
    /// The first generator block, and the number of its words that belong to earlier calls.
    pub(crate) first: u64,
    /// Words of the first block that belong to earlier calls.
    pub(crate) lane: u32,
}

/// Returns the name of the expression of a distribution for a dtype, if it has one.
fn expression(distribution: &str, dtype: DType) -> Option<&'static str> {
    Some(match (distribution, dtype) {
        ("random", DType::F32) => "uniform_single",
        ("random", DType::F64) => "uniform_double",
        ("standard_normal", DType::F32) => "normal_single",
        ("standard_normal", DType::F64) => "normal_double",
        ("standard_exponential", DType::F32) => "exponential_single",
        ("standard_exponential", DType::F64) => "exponential_double",
        _ => return None,
    })
}

/// Returns the pending array of the numbers, or `None` if they cannot be deferred.
///
/// # Errors
///
/// As [`defer`].
pub(crate) fn defer_samples(
    samples: &PendingSamples,
    device: Device,
    shape: &[usize],
    dtype: DType,
) -> Result<Option<Array>> {
    let Some(name) = expression(samples.distribution, dtype) else { return Ok(None) };
    let words = dtype.size() as u64 / 4;
    let per = 4 / words;
    // Elements are counted in 64 bits: the sequence has more of them.
    let size = shape.iter().try_fold(1u64, |n, &k| n.checked_mul(k as u64));
    let start = samples.first.checked_mul(per).and_then(|e| e.checked_add(u64::from(samples.lane) / words));
    let (Some(start), Some(size)) = (start, size) else { return Ok(None) };
    if start.checked_add(size).is_none() {
        return Ok(None);
    }
    let (op, signature) = internal(name, dtype)?;
    let key = u64::from(samples.state[0]) | u64::from(samples.state[1]) << 32;
    let ins = [key, start, samples.state[2].into()].map(|word: u64| Operand::Scalar(Scalar::Int(word.into())));
    defer(op, signature, &ins, device, &Layout::c_order(shape, dtype.size()))
}

/// Generates the numbers now. Returns false for operands that are not scalars: those are not of this module.
pub(super) fn alone(distribution: &'static str, ins: &[Input], out: &Array) -> Result<bool> {
    let word = |bytes: &[u8; 16]| bytes[..8].iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
    let [Input::Value(key), Input::Value(start), Input::Value(stream)] = ins else { return Ok(false) };
    let (key, start, stream) = (word(key), word(start), word(stream));
    let unknown = || Error::new(ErrorKind::NotImplemented, format!("there is no distribution {distribution}"));
    let id = DistributionId::named(distribution).ok_or_else(unknown)?;
    let words = out.itemsize() as u64 / 4;
    let per = 4 / words;
    let fill = RandomFill {
        function: distribution,
        distribution: id,
        bits: Bits::Philox,
        state: [key as u32, (key >> 32) as u32, stream as u32, 0, 0, 0],
        first: start / per,
        lane: (start % per * words) as u32,
        table: None,
        numbers: [DrawNumber::One(Scalar::Int(0)); 3],
        out,
    };
    fill.run()?;
    Ok(true)
}
