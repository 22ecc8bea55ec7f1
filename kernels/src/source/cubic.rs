//! Source of the kernels of cubic splines.

use super::{Unit, body, headers};
use crate::DType;
use crate::params::{Read, Written, parameters};

parameters! {
    /// Parameters of the kernels `cubic_rows` and `cubic_coefficients`.
    CubicParams<P> {
        /// Number of points.
        points: i64,
        /// Number of columns of values.
        columns: usize,
        /// The points.
        x: Read<P> as "const f64 *",
        /// The values, a row for each point.
        y: Read<P> as "const f64 *",
        /// The first derivatives.
        slopes: Read<P> as "const f64 *",
        /// Derivatives at the ends, or 0.
        values: [Read<P>; 2] as "const f64 *",
        /// The elements before the diagonal.
        lower: Written<P> as "f64 *",
        /// The diagonal.
        diagonal: Written<P> as "f64 *",
        /// The elements after the diagonal.
        upper: Written<P> as "f64 *",
        /// The right-hand sides.
        rights: Written<P> as "f64 *",
        /// The coefficients: four rows of elements of each interval.
        out: Written<P> as "f64 *",
        /// Conditions at the ends: 0 not-a-knot, 1 a first derivative, 2 a second derivative.
        kinds: [u32; 2],
    }
}

/// Returns the source of the kernels `cubic_rows` and `cubic_coefficients`.
pub fn cubic_source() -> String {
    Unit::new(headers([DType::F64], false), "cubic_splines")
        .params(&CubicParams::<()>::default())
        .with(body!("cubic"))
        .finish()
}
