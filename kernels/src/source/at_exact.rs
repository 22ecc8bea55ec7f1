//! Source of the kernels for exact float32 sums of the ufunc method `at`.

use super::{At, AtParams, Unit, body};
use crate::DType;
use crate::params::Written;

/// Key of the kernels of exact sums, with the parameters [`AtParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AtExact {
    /// The updates.
    pub at: At,
    /// Number of bits between consecutive limbs of an element.
    pub shift: u32,
    /// The dtype of the indices of one axis, in place of positions: the kernels check and convert them.
    pub indices: Option<DType>,
    /// True for the kernels `link`, `walk` and `many`, which add in the order of the indices where an element has few
    /// additions; false for `begin`, `add` and `finish`.
    pub linked: bool,
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
        Some(AtExact { at, shift, indices: None, linked: false })
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
        format!("{}/{}", self.at.name(), if self.linked { "linked" } else { "exact" })
    }

    /// Returns the parameters without values, with the fields that these kernels have.
    pub fn params(&self) -> AtParams<'_, ()> {
        let mut params = AtParams::<()> { width: self.at.width, ..Default::default() };
        if self.linked {
            (params.heads, params.links, params.room) = (Some(Written(None)), Some(Written(None)), Some(0));
        }
        if self.indices.is_some() {
            (params.bound, params.record, params.call) = (Some(0), Some(Written(None)), Some(0));
            (params.function, params.axis) = (Some(0), Some(0));
        }
        params
    }

    /// Returns the source of the kernels.
    pub fn source(&self) -> String {
        let (dtype, checked) = (self.at.array, self.indices.is_some());
        let unit = Unit::new(self.at.headers(), "at_exact")
            .typed("element", dtype.device_name())
            .typed("item", dtype.device_name())
            .typed("cell", self.indices.map_or(self.at.cell(), DType::device_name))
            .indexed(self.at.width)
            .switch("FLAT", self.at.flat)
            .number("SHIFT", self.shift as usize)
            .number("PARTS", self.parts())
            .number("NEGATED", (self.at.op.record().name == "subtract").into())
            .switch("CHECKED", checked)
            .params(&self.params())
            .with(if checked { body!("device_errors") } else { "" })
            .with(body!("at_targets"))
            .with(body!("at_positions"))
            .with(body!("at_limbs"));
        if self.linked {
            unit.with(&self.at.step()).with(body!("at_linked")).finish()
        } else {
            unit.with(body!("at_exact")).finish()
        }
    }
}
