//! Source of the kernels of radial basis functions and of nearest points.

use super::{Unit, body, headers};
use crate::DType;
use crate::params::{Read, Written, parameters};

/// Threads of a block: as in `include/radial.cuh`.
pub const RADIAL_THREADS: usize = 128;
/// Results of a thread: as in the header.
pub const RADIAL_EACH: usize = 4;

parameters! {
    /// Parameters of the kernels `radial_matrix`, `radial_sum` and `nearest_centre`.
    RadialParams<P> {
        /// Number of points.
        points: usize,
        /// Number of centres.
        centres: usize,
        /// Number of columns of the coefficients.
        columns: usize,
        /// Factor of the distances.
        scale: f64,
        /// The points.
        x: Read<P> as "const f64 *",
        /// The centres.
        y: Read<P> as "const f64 *",
        /// The coefficients, a row for each centre.
        coefficients: Read<P> as "const f64 *",
        /// The results in C order.
        out: Written<P> as "f64 *",
        /// The number of the nearest centre of each point.
        nearest: Written<P> as "i64 *",
        /// Number of coordinates.
        axes: u32,
        /// Number of the radial function.
        kind: u32,
    }
}

/// Returns the source of the kernels `radial_matrix`, `radial_sum` and `nearest_centre`.
pub fn radial_source() -> String {
    Unit::new(headers([DType::F64], false), "radial_functions")
        .params(&RadialParams::<()>::default())
        .with(body!("radial"))
        .finish()
}
