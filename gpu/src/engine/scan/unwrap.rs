//! Phase unwrapping (`unwrap`) in one scan: the correction of each discontinuity is computed as the elements are read,
//! and the running sum of corrections is added to them as they are written.
//!
//! Lower bound of memory traffic: the elements once and the results once. Predecessors, and the elements that the sums
//! are added to, are read again from the caches.

use cuprum_kernels::Kind;
use cuprum_kernels::source::{JumpFrom, Jumps};

use super::{ROUNDS, ROUNDS_AHEAD, Scanning, Tuning};
use crate::array::Array;
use crate::engine::internal;
use crate::error::Result;
use crate::scalar::Scalar;

/// Phase unwrapping of an array.
pub(crate) struct Unwrapping<'a> {
    /// Real numbers or booleans.
    pub(crate) p: &'a Array,
    /// The scanned axis.
    pub(crate) axis: usize,
    /// The period.
    pub(crate) period: Scalar,
    /// The bounds of corrected differences, which are half of the period if `halved`.
    pub(crate) low: Scalar,
    /// See `low`.
    pub(crate) high: Scalar,
    /// True if the bounds are half of the period.
    pub(crate) halved: bool,
    /// The discontinuity threshold, a real number.
    pub(crate) least: Scalar,
    /// The results: of the shape of `p`, of real numbers, sharing no memory with it.
    pub(crate) out: &'a Array,
}

/// Returns the first 64 bits of a number in a dtype.
fn bits(number: Scalar, dtype: cuprum_kernels::DType) -> u64 {
    let [a, b, c, d, e, f, g, h, ..] = number.encode(dtype);
    u64::from_le_bytes([a, b, c, d, e, f, g, h])
}

impl Unwrapping<'_> {
    pub(crate) fn run(&self) -> Result<()> {
        let half = |n: usize| n.div_ceil(2);
        self.run_tuned(Tuning { rounds: ROUNDS.map(half), rounds_ahead: half(ROUNDS_AHEAD), ..Tuning::default() })
    }

    pub(super) fn run_tuned(&self, tuning: Tuning) -> Result<()> {
        let (given, dtype) = (self.p.dtype(), self.out.dtype());
        let (from, least) = match self.least {
            // Integers are compared exactly, whatever the number's size.
            Scalar::Int(n) if !given.is_float() => match given.kind() {
                Kind::Unsigned if n <= u64::MAX.into() => (JumpFrom::Whole, n.max(0) as u64),
                Kind::Bool | Kind::Signed if n <= i64::MAX.into() => (JumpFrom::Whole, n.max(i64::MIN.into()) as u64),
                _ => (JumpFrom::Nowhere, 0),
            },
            // With floats a number is of their dtype, with integers a double.
            number if given.is_float() => {
                let own = Scalar::decode(&number.encode(given), given);
                (JumpFrom::Float, own.real().to_bits())
            }
            number => (JumpFrom::Float, number.real().to_bits()),
        };
        let numbers = [bits(self.period, dtype), bits(self.low, dtype), bits(self.high, dtype), least];
        let (op, signature) = internal("add", dtype)?;
        Scanning {
            op,
            signature: signature.into(),
            skip_nan: false,
            a: self.p,
            axis: self.axis,
            out: self.out,
            jumps: Some((Jumps { halved: self.halved, from }, numbers)),
        }
        .run_tuned(tuning)
    }
}
