//! Sampling: values of a spline through the elements of an array at any coordinates.
//!
//! [`spline_coefficients`] computes the coefficients of a B-spline along axes, and [`Sampling`] evaluates it at
//! coordinates that are an affine map of the indices of the results or the elements of an array; [`AxisByAxis`] does
//! both for each axis in turn, where that moves fewer bytes. Orders, modes, maps
//! and sizes are data of a launch: a kernel is compiled for a pair of dtypes, for up to three sampled axes or any
//! number, and for the orders 0, 1 and 3 or any.
//!
//! Lower bound: the bytes of input and output once for each axis of the prefilter, and once for the samples.

mod axis_by_axis;
mod evaluate;
mod prefilter;

pub(crate) use axis_by_axis::AxisByAxis;
pub(crate) use evaluate::{Coordinates, Sampling};
pub(crate) use prefilter::spline_coefficients;

use cuprum_macros::Choice;

use super::window::BorderRule;

/// Continuation of an array at coordinates outside it, numbered as `sample_mode` of `include/sample.cuh`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Choice)]
pub enum SampleMode {
    /// A constant; there is no interpolation beyond the first and the last element.
    #[default]
    Constant = 0,
    /// The nearest element.
    Nearest = 1,
    /// Mirrored about the centre of the last element.
    Mirror = 2,
    /// Mirrored about the edge of the last element.
    Reflect = 3,
    /// Periodic with one element less than the length of the axis: the first and the last element coincide.
    Wrap = 4,
    /// Periodic with the length of the axis.
    #[name("grid-wrap")]
    GridWrap = 5,
    /// A constant, with interpolation between it and the elements.
    #[name("grid-constant")]
    GridConstant = 6,
}

/// Elements by which modes whose splines have no boundary condition in closed form are continued, as in SciPy.
const PAD: usize = 12;

impl SampleMode {
    /// Returns the rule by which coefficients outside the array follow from those in it.
    fn taps(self) -> BorderRule {
        match self {
            SampleMode::Constant | SampleMode::Wrap | SampleMode::Mirror => BorderRule::Mirror,
            SampleMode::Nearest => BorderRule::Nearest,
            SampleMode::Reflect => BorderRule::Reflect,
            SampleMode::GridWrap => BorderRule::Wrap,
            SampleMode::GridConstant => BorderRule::Constant,
        }
    }

    /// Returns the continuation of the samples whose spline is computed.
    fn samples(self) -> BorderRule {
        match self {
            SampleMode::Nearest | SampleMode::Reflect => BorderRule::Reflect,
            SampleMode::GridWrap => BorderRule::Wrap,
            _ => BorderRule::Mirror,
        }
    }

    /// Returns the number of elements by which the samples are continued before their spline is computed.
    pub(crate) fn pad(self) -> usize {
        if matches!(self, SampleMode::Nearest | SampleMode::GridConstant) { PAD } else { 0 }
    }
}
