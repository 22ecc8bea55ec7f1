//! Source of the kernel that evaluates splines at coordinates.

use super::{Unit, body, cast, headers};
use crate::params::{Read, Sizes, Strides, Width, Written, parameters};
use crate::{DType, Kind};

parameters! {
    /// Parameters of the kernel `sample`: sizes in elements, strides in bytes. Numbers of axes are `f64`, passed as their bits.
    SampleParams<'a, P> {
        /// Number of warps with results.
        warps: usize,
        /// Number of results along the second to last axis.
        height: i64,
        /// Number of results along the last axis.
        across: i64,
        /// Number that is added to each coordinate: the elements before the first sample.
        pad: f64,
        /// Value of the constant border.
        cval: f64,
        /// Distance of a thread's results along the second to last axis.
        pitch: f64,
        /// Stride of the coefficients over this distance.
        src_pitch: i64,
        /// Stride of the results over this distance.
        dst_pitch: i64,
        /// Stride of the coordinates over this distance.
        coordinates_pitch: i64,
        /// Bits of the sampled axes whose coordinates are affine and depend on the second to last index.
        moving: u64,
        /// The coefficients of the spline.
        src: Read<P> as "const char *",
        /// The results.
        dst: Written<P> as "char *",
        /// The coordinates, or 0.
        coordinates: Read<P> as "const char *",
        /// The matrix, with a row for each sampled axis and a column for each axis of the results, or 0.
        matrix: Read<P> as "const f64 *",
        /// Stride of the coordinates from one sampled axis to the next.
        coordinate_step: i64,
        /// Numbers of results along the axes, in tiles along the last two.
        sizes: Sizes<'a>,
        /// Strides of the coefficients along the axes of the results that are not sampled.
        batch_steps: Strides<'a>,
        /// Strides of the results.
        dst_steps: Strides<'a>,
        /// Strides of the coordinates along the axes of the results.
        coordinate_steps: Strides<'a>,
        /// Lengths of the sampled axes.
        lengths: Strides<'a>,
        /// Least number whose floor is the middle tap if all taps are within the axis.
        inner_first: Strides<'a> as "f64",
        /// Greatest such number.
        inner_last: Strides<'a> as "f64",
        /// Strides of the coefficients along the sampled axes.
        src_steps: Strides<'a>,
        /// Axis of the results from whose index the coordinate of a sampled axis follows.
        axis_of: Strides<'a>,
        /// Summands of the index before it is scaled.
        before: Strides<'a> as "f64",
        /// Scales of the index.
        scales: Strides<'a> as "f64",
        /// Summands of the coordinate.
        after: Strides<'a> as "f64",
        /// Number of axes of the results.
        axes: u32,
        /// Number of sampled axes.
        sampled: u32,
        /// Order of the spline.
        order: u32,
        /// Mode of coordinates outside the input.
        mode: u32,
        /// Rule of the border for taps outside the input.
        rule: u32,
        /// 0 for a scale of each axis, 1 for a matrix, 2 for an array of coordinates.
        form: u32,
        /// Base-2 logarithm of the width of a warp's tile.
        tile_log2: u32,
        /// Number of results of a thread along the second to last axis.
        reach: u32,
        /// True if only the second to last sampled axis depends on the second to last index.
        shared: bool,
        /// True if coefficients along the last sampled axis are adjacent.
        dense: bool,
    }
}

/// Key of the kernel `sample`, with the parameters [`SampleParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sample {
    /// The dtype of the coefficients, which is not complex.
    pub from: DType,
    /// The dtype of the results, which is not complex.
    pub to: DType,
    /// The dtype of the coordinates.
    pub coordinates: DType,
    /// Order of the spline if it is one of [`Sample::ORDERS`].
    pub order: Option<usize>,
    /// Number of sampled axes up to [`Sample::AXES`], or 0 for any number.
    pub sampled: usize,
    /// 64-bit offsets within the coefficients.
    pub far: bool,
    /// Width of indices, and number of axes that tables have room for.
    pub width: Width,
}

/// Returns the conversion of a value `v`: integers are rounded half away from zero and saturate; booleans are the low byte.
pub(super) fn rounded(to: DType) -> String {
    match to.kind() {
        Kind::Signed => {
            let (t, most) = (to.device_name(), i64::MAX >> (64 - 8 * to.size()));
            let end = most as f64 + 1.0;
            format!(
                "v = v > 0 ? v + 0.5 : v - 0.5;\n  \
                 return v >= {end:e} ? ({t}){most}ll : v <= -{end:e} ? ({t})(-{most}ll - 1) : ({t})__double2ll_rz(v);"
            )
        }
        Kind::Unsigned => {
            let end = 2f64.powi(8 * to.size() as i32);
            format!(
                "v = v > 0 ? v + 0.5 : 0.0;\n  return v >= {end:e} ? ({t})~({t})0 : ({t})__double2ull_rz(v);",
                t = to.device_name()
            )
        }
        _ if to == DType::Bool => "return (__double2ll_rz(v) & 255) != 0;".into(),
        _ => format!("return {};", cast(DType::F64, to, "v")),
    }
}

impl Sample {
    /// Orders with a kernel of their own.
    pub const ORDERS: [usize; 3] = [0, 1, 3];

    /// Maximum number of sampled axes with a kernel of their own.
    pub const AXES: usize = 3;

    /// Returns the kernel's name in messages.
    pub fn name(&self) -> String {
        format!("sample/{}/{}/{:?}/{}", self.from, self.to, self.order, self.sampled)
    }

    /// Returns the source of the kernel `sample`.
    pub fn source(&self) -> String {
        Unit::new(headers([self.from, self.to], false), "sample")
            .typed("element", self.from.device_name())
            .typed("result", self.to.device_name())
            .typed("coordinate", self.coordinates.device_name())
            .typed("offset", if self.far { "i64" } else { "i32" })
            .indexed(self.width)
            .number("ROOM", self.width.axes())
            .choice("ORDER", self.order.map_or(-1, |order| order as i64))
            .choice("SAMPLED", self.sampled)
            .params(&SampleParams::<()> { width: self.width, ..Default::default() })
            .with(body!("window_border"))
            .with(&format!(
                "DEVICE f64 value_of(element e) {{ return {}; }}\nDEVICE result result_of(f64 v) {{\n  {}\n}}\n",
                cast(self.from, DType::F64, "e"),
                rounded(self.to)
            ))
            .with(body!("spline_weights"))
            .with(body!("sample"))
            .finish()
    }
}
