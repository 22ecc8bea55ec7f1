//! Source of the kernel of multidimensional histograms (`histogramdd`).

use super::{Counters, Unit, body, compute_type, headers};
use crate::DType;
use crate::params::{Read, Written, parameters};

/// Maximum number of coordinates of a point that one launch bins.
pub const POINT_AXES: usize = 4;

parameters! {
    /// Parameters of the kernel `points`.
    PointsParams<P> {
        /// Number of points.
        elements: usize,
        /// Number of cells.
        cells: usize,
        /// Bins along each axis.
        bins: [i64; POINT_AXES],
        /// Stride of the coordinates along each axis, in bytes.
        strides: [i64; POINT_AXES],
        /// The coordinates along each axis.
        columns: [Read<P>; POINT_AXES],
        /// float64: the edges along each axis, one more than its bins.
        edges: [Read<P>; POINT_AXES],
        /// Number of copies of each cell's counter in shared memory.
        copies: u32,
        /// A bit for each axis with bins of equal width.
        even: u32,
        /// Relative rounding unit of the steps that computed the edges, or that of float32 if it is larger; infinite if
        /// nothing is known of them.
        units: [f64; POINT_AXES],
        /// int64: the counts, zeros before the launch.
        out: Written<P>,
        /// Output of each block's counters, if they have 16 bits.
        parts: Written<P>,
    }
}

/// Key of the kernel `points`, with the parameters [`PointsParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Points {
    /// The dtype of the coordinates, all of whose values float64 represents.
    pub element: DType,
    /// Number of coordinates of a point, at most [`POINT_AXES`].
    pub axes: u8,
    /// Location of the counters: not [`Counters::Words`].
    pub counters: Counters,
    /// True if the coordinates along each axis are contiguous and 16-byte aligned.
    pub flat: bool,
}

impl Points {
    /// Returns the kernel's name in messages.
    pub fn name(&self) -> String {
        format!("points/{} coordinates of {}", self.axes, self.element)
    }

    /// Returns the source of the kernel `points`.
    pub fn source(&self) -> String {
        let name = self.element.device_name();
        let value = if compute_type(self.element, false) == name { "(f64)e" } else { "(f64)widen(e)" };
        Unit::new(headers([self.element], false), "points")
            .typed("element", name)
            .choice("AXES", self.axes)
            .switch("FLAT", self.flat)
            .switch("IN_16_BITS", self.counters == Counters::Bits16)
            .params(&PointsParams::<()>::default())
            .with(&format!("DEVICE f64 value_of(element e) {{ return {value}; }}\n"))
            .with(body!("histogram_counters16"))
            .with(body!("histogram_points"))
            .finish()
    }
}
