//! Source of the kernels for exact float32 sums of the ufunc method `at`.

use super::{At, AtParams, Unit, body, headers};
use crate::DType;

/// Key of the kernels `begin`, `add` and `finish`, with the parameters [`AtParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AtExact {
    /// The updates.
    pub at: At,
    /// Number of bits between consecutive limbs of an element.
    pub shift: u32,
}

impl AtExact {
    /// Returns the key for this number of additions or subtractions of float32 or complex64 numbers. Returns `None` for
    /// another loop or for too many additions.
    pub fn of(at: At, additions: usize) -> Option<AtExact> {
        let of_floats = matches!(at.array, DType::F32 | DType::C64) && at.operand == Some(at.array);
        let found = at.op.loops()[at.signature as usize];
        let own = found.ins[..2] == [at.array; 2] && found.out() == at.array;
        if !of_floats || !own || !matches!(at.op.record().name, "add" | "subtract") {
            return None;
        }
        // The element itself is one more addend; each addend is an integer of 24 bits, shifted by less than `shift`.
        let fits = |shift: u32| ((additions as u128 + 1) * ((1 << 24) - 1)) << (shift - 1) <= i64::MAX as u128;
        let shift = [20, 14, 8].into_iter().find(|&shift| fits(shift))?;
        Some(AtExact { at, shift })
    }

    /// Returns the number of real numbers in an element.
    pub fn parts(&self) -> usize {
        if self.at.array.is_complex() { 2 } else { 1 }
    }

    /// Returns the number of limbs for each real number: up to the largest exponent, 253 above the smallest.
    pub fn limbs(&self) -> usize {
        253 / self.shift as usize + 1
    }

    /// Returns the kernels' name in messages: `add.at/float32/exact`.
    pub fn name(&self) -> String {
        format!("{}/exact", self.at.name())
    }

    /// Returns the source of the kernels.
    pub fn source(&self) -> String {
        let dtype = self.at.array;
        Unit::new(headers([dtype], false), "at_exact")
            .typed("element", dtype.device_name())
            .typed("item", dtype.device_name())
            .typed("cell", self.at.cell())
            .indexed(self.at.width)
            .switch("FLAT", self.at.flat)
            .number("SHIFT", self.shift as usize)
            .number("PARTS", self.parts())
            .number("NEGATED", (self.at.op.record().name == "subtract").into())
            .params(&AtParams::<()> { width: self.at.width, ..Default::default() })
            .with(body!("at_targets"))
            .with(body!("at_exact"))
            .finish()
    }
}
