//! The source text of counts of points.

use super::{Counters, Unit, body, compute_type, headers};
use crate::DType;
use crate::params::{Read, Written, parameters};

/// The most coordinates of a point that is counted in one launch.
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
        /// Bytes from a coordinate to that of the next point.
        strides: [i64; POINT_AXES],
        /// The coordinates along each axis.
        columns: [Read<P>; POINT_AXES],
        /// float64: the edges along each axis, one more than its bins.
        edges: [Read<P>; POINT_AXES],
        /// Counters of each cell in shared memory.
        copies: u32,
        /// A bit for each axis whose bins are equally wide.
        even: u32,
        /// The part by which a step is rounded that makes these edges, or float32's if that is more; infinite where nothing is known of it.
        units: [f64; POINT_AXES],
        /// int64: the counts, which begin at 0.
        out: Written<P>,
        /// Where each block leaves its counters, if they are halves of words.
        parts: Written<P>,
    }
}

/// The key of the kernel `points`, with the parameters [`PointsParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Points {
    /// The dtype of the coordinates, which float64 holds.
    pub element: DType,
    /// How many coordinates a point has, at most [`POINT_AXES`].
    pub axes: u8,
    /// Where counts are made: no words.
    pub counters: Counters,
    /// True if the coordinates along each axis lie side by side from a multiple of 16 bytes on.
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
            .switch("IN_HALVES", self.counters == Counters::Halves)
            .params(&PointsParams::<()>::default())
            .with(&format!("DEVICE f64 value_of(element e) {{ return {value}; }}\n"))
            .with(body!("tally_halves"))
            .with(body!("tally_points"))
            .finish()
    }
}
