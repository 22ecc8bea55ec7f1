//! The source text of the interpolation between knots.

use std::fmt::Write;

use super::{Unit, Width, body, cast, headers};
use crate::DType;
use crate::params::{Read, Sizes, Strides, Written, parameters};

/// Parts of the way from the first knot to the last, of which shared memory holds where their knots begin.
pub const INTERP_BUCKETS: usize = 8192;

parameters! {
    /// Parameters of the kernel `interp`.
    InterpParams<'a, P> {
        /// Number of results.
        results: usize,
        /// Number of knots.
        knots: usize,
        /// Where values are wanted.
        input: Read<P>,
        /// Where the knots are: float64, one after the other.
        xs: Read<P> as "const f64 *",
        /// The values there, one after the other.
        ys: Read<P> as "const value *",
        /// The results, in C order.
        out: Written<P> as "value *",
        /// What stands before the first knot, where that is said: its two parts.
        left: [f64; 2],
        /// What stands behind the last one.
        right: [f64; 2],
        /// True if it is said.
        has_left: bool,
        /// The same of what stands behind.
        has_right: bool,
        /// Of the input.
        axes: u32,
        /// Of the input's axes.
        sizes: Sizes<'a>,
        /// Of the input.
        strides: Strides<'a>,
    }
}

/// The key of the kernel `interp`, with the parameters [`InterpParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Interp {
    /// The dtype of the places.
    pub given: DType,
    /// True if the values are complex128, and not float64.
    pub complex: bool,
    /// True if shared memory holds where the knots of each part begin.
    pub buckets: bool,
    /// True if it holds the knots, too.
    pub shared: bool,
    /// Of indices and axes.
    pub width: Width,
}

impl Interp {
    /// Returns the kernel's name in messages.
    pub fn name(&self) -> String {
        format!("interp/{}", self.given)
    }

    /// Returns the source of the kernel `interp`.
    pub fn source(&self) -> String {
        let value = if self.complex { DType::C128 } else { DType::F64 };
        let unit = Unit::new(headers([self.given, value], false), "interp")
            .typed("given", self.given.device_name())
            .typed("value", value.device_name())
            .indexed(self.width)
            .switch("COMPLEX", self.complex)
            .choice("BUCKETS", if self.buckets { INTERP_BUCKETS } else { 0 })
            .switch("SHARED", self.shared)
            .params(&InterpParams::<()> { width: self.width, ..Default::default() });
        let mut text = String::new();
        let _ = writeln!(
            text,
            "DEVICE f64 place_of({} e) {{ return {}; }}",
            self.given.device_name(),
            cast(self.given, DType::F64, "e")
        );
        unit.with(&text).with(body!("interp")).finish()
    }
}
