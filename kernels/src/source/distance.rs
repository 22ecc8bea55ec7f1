//! Source of the kernels of distance transforms.

use super::{Unit, body, headers};
use crate::DType;
use crate::params::{Read, Sizes, Strides, Value, Width, Written, parameters};

parameters! {
    /// Parameters of the kernels of distance transforms: `value` is the dtype of sums of distances.
    DistanceParams<'a, P> {
        /// Number of elements.
        elements: usize,
        /// Number of lines.
        lines: usize,
        /// Length of a line.
        n: i64,
        /// Distance of adjacent elements of a line of a tile, in elements.
        inner: usize,
        /// The largest power of two that is at most the length.
        half: i64,
        /// Distance between two elements of a line.
        step: Value as "parameter<value>",
        /// The image.
        image: Read<P> as "const char *",
        /// The bits that make an element of the image true.
        image_mask: u64,
        /// The values so far, in lines.
        input: Read<P> as "const value *",
        /// The nearest elements so far, or 0.
        nearest: Read<P> as "const position *",
        /// The results.
        out: Written<P> as "value *",
        /// The nearest elements, or 0.
        out_nearest: Written<P> as "position *",
        /// Positions of the smallest sums if lines are long, or 0.
        found: Written<P> as "u32 *",
        /// A word for each strip of 32 adjacent lines that is not 0 if its lines are searched as a whole, or 0.
        strips: Written<P> as "u32 *",
        /// Distances of float64 or int32, or 0.
        distances: Written<P> as "f64 *",
        /// Coordinates of the nearest elements of int32, or 0.
        coordinates: Written<P> as "i32 *",
        /// Distances between two elements along each axis.
        sampling: Read<P> as "const f64 *",
        /// Sizes of the axes.
        sizes: Sizes<'a>,
        /// Strides of the image in bytes.
        image_steps: Strides<'a>,
        /// Bytes of an element of the image.
        image_bytes: u32,
        /// Number of axes.
        axes: u32,
        /// Euclidean, sum of the axes, or largest of them.
        metric: u32,
        /// Nearest element if there is no background.
        without: u32,
        /// Base-2 logarithm of the number of threads of a line.
        team_log2: u32,
        /// Transpose lines that are contiguous, not those that are adjacent.
        back: bool,
    }
}

/// Elements of a line in a block of the kernel `distance_bands`, and those next to them that it reads too, as in
/// `include/distance_bands.cuh`.
pub const DISTANCE_BAND: [usize; 2] = [128, 2 * 32];

/// Key of the kernels of distance transforms: `distance_begin`, `distance_first`, `distance_lines`,
/// `distance_tiles`, `distance_bands`, `distance_transpose` and `distance_finish`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Distance {
    /// The dtype of sums of distances: int32 below 2^30, int64 or float64.
    pub value: DType,
    /// Width of positions, and number of axes that tables have room for.
    pub width: Width,
}

impl Distance {
    /// Returns the kernels' name in messages.
    pub fn name(&self) -> String {
        format!("distance/{}", self.value)
    }

    /// Returns the source of the kernels.
    pub fn source(&self) -> String {
        let far = match self.value {
            DType::I32 => "1 << 30",
            DType::I64 => "1ll << 62",
            _ => "__longlong_as_double(0x7ff0000000000000ll)",
        };
        Unit::new(headers([], false), "distance")
            .typed("value", self.value.device_name())
            .typed("position", self.width.index())
            .choice("FAR", format!("(value)({far})"))
            .params(&DistanceParams::<()> { width: self.width, ..Default::default() })
            .with(body!("distance"))
            .with(body!("distance_tiles"))
            .with(body!("distance_bands"))
            .finish()
    }
}
