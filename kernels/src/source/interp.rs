//! Source of the kernel of piecewise linear interpolation.

use std::fmt::Write;

use super::{Unit, Width, body, cast, headers};
use crate::DType;
use crate::params::{Read, Sizes, Strides, Written, parameters};

/// Number of equal intervals between the first knot and the last, for each of which shared memory holds its first knot.
pub const INTERP_BUCKETS: usize = 8192;

parameters! {
    /// Parameters of the kernel `interp`.
    InterpParams<'a, P> {
        /// Number of results.
        results: usize,
        /// Number of knots.
        knots: usize,
        /// The points of evaluation.
        input: Read<P>,
        /// float64, contiguous: the abscissas of the knots.
        xs: Read<P> as "const f64 *",
        /// The contiguous values at the knots.
        ys: Read<P> as "const value *",
        /// The results, in C order.
        out: Written<P> as "value *",
        /// Value to the left of the first knot, if given: real and imaginary part.
        left: [f64; 2],
        /// Value to the right of the last knot, if given.
        right: [f64; 2],
        /// True if `left` is given.
        has_left: bool,
        /// True if `right` is given.
        has_right: bool,
        /// Number of axes of the input.
        axes: u32,
        /// Sizes of the input's axes.
        sizes: Sizes<'a>,
        /// Strides of the input.
        strides: Strides<'a>,
    }
}

/// Key of the kernel `interp`, with the parameters [`InterpParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Interp {
    /// The dtype of the points.
    pub given: DType,
    /// True if the values are complex128, false if they are float64.
    pub complex: bool,
    /// True if shared memory holds the first knot of each interval.
    pub buckets: bool,
    /// True if shared memory also holds the knots.
    pub shared: bool,
    /// Width of indices, and number of axes that tables have room for.
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
            "DEVICE f64 argument_of({} e) {{ return {}; }}",
            self.given.device_name(),
            cast(self.given, DType::F64, "e")
        );
        unit.with(&text).with(body!("interp")).finish()
    }
}
