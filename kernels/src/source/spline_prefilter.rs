//! Source of the kernel that computes the coefficients of splines.

use super::sample::rounded;
use super::{Unit, body, cast, headers, window};
use crate::DType;
use crate::params::{Read, Sizes, Strides, Width, Written, parameters};

/// Elements of a thread of the kernel `spline_prefilter`: `SEGMENT` of `include/spline_prefilter.cuh`.
pub const SPLINE_SEGMENT: usize = 16;

parameters! {
    /// Parameters of the kernel `spline_prefilter`: sizes in elements, strides in bytes.
    SplinePrefilterParams<'a, P> {
        /// Number of lines.
        lines: usize,
        /// Length of a line of results.
        n: i64,
        /// Length of a line of samples.
        samples: i64,
        /// Number of results before the first sample.
        pad: i64,
        /// Value of a constant padding.
        cval: f64,
        /// The samples.
        src: Read<P> as "const char *",
        /// The coefficients.
        dst: Written<P> as "char *",
        /// Stride of the samples along the line.
        src_step: i64,
        /// Stride of the coefficients along the line.
        dst_step: i64,
        /// The poles, of which there are one or two.
        poles: [f64; 2],
        /// Gains of the poles.
        gains: [f64; 2],
        /// Powers of the poles with the length of a segment.
        decays: [f64; 2],
        /// The first of the results that a sampled spline has.
        low: i64,
        /// One more than the last of them.
        high: i64,
        /// Summand of their indices.
        before: f64,
        /// Scale of their coordinates.
        scale: f64,
        /// Summand of their coordinates.
        after: f64,
        /// Sizes of the other axes.
        sizes: Sizes<'a>,
        /// Strides of the samples along the other axes.
        src_steps: Strides<'a>,
        /// Strides of the coefficients along the other axes.
        dst_steps: Strides<'a>,
        /// Number of the other axes.
        axes: u32,
        /// Rule of the border of the padded line.
        rule: u32,
        /// Base-2 logarithm of the number of lanes of a line.
        lanes_log2: u32,
        /// Number of poles.
        pole_count: u32,
        /// Number of segments that determine a state.
        halo: u32,
        /// True if the padding is a constant, false if it is the nearest sample.
        constant: bool,
        /// Order of the spline that is sampled.
        order: u32,
    }
}

/// Key of the kernel `spline_prefilter`, with the parameters [`SplinePrefilterParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SplinePrefilter {
    /// The dtype of the samples, which is not complex.
    pub from: DType,
    /// The dtype of the coefficients, which is not complex.
    pub to: DType,
    /// True if lanes have adjacent segments of a line, false if they have adjacent lines.
    pub along: bool,
    /// True if the results are values of the spline, false if they are its coefficients.
    pub sampled: bool,
    /// Width of indices, and number of axes that tables have room for.
    pub width: Width,
}

impl SplinePrefilter {
    /// Returns the kernel's name in messages.
    pub fn name(&self) -> String {
        format!("spline_prefilter/{}/{}", self.from, self.to)
    }

    /// Returns the source of the kernel `spline_prefilter`.
    pub fn source(&self) -> String {
        let unit = Unit::new(headers([self.from, self.to], false), "spline_prefilter")
            .typed("element", self.from.device_name())
            .typed("result", self.to.device_name())
            .indexed(self.width)
            .switch("ALONG", self.along)
            .switch("SAMPLED", self.sampled)
            .params(&SplinePrefilterParams::<()> { width: self.width, ..Default::default() })
            .with(body!("window_border"))
            .with(&format!("DEVICE f64 value_of(element e) {{ return {}; }}\n", cast(self.from, DType::F64, "e")));
        let unit = if self.sampled {
            unit.with(&format!("DEVICE result result_of(f64 v) {{\n  {}\n}}\n", rounded(self.to)))
                .choice("ORDER", -1)
                .with(body!("spline_weights"))
                .with(body!("spline_resample"))
        } else {
            let value = window::result_cast(DType::F64, self.to);
            unit.with(&format!("DEVICE result result_of(f64 v) {{ return {value}; }}\n"))
        };
        unit.with(body!("spline_prefilter")).finish()
    }
}
