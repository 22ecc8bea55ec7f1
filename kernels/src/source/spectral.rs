//! The source text of what goes into Fourier transforms and comes out of them.

use super::{Unit, body, cast, headers};
use crate::DType;
use crate::params::{Read, Sizes, Strides, Width, Written, parameters};

parameters! {
    /// What the kernel `spectral` is told: steps in bytes.
    SpectralParams<'a, P> {
        /// Number of results.
        elements: usize,
        /// The operand's first element.
        input: Read<P>,
        /// The results' first element.
        out: Written<P>,
        /// How many elements a line of the transform has.
        n: i64,
        /// How many of them the operand has: the others are 0.
        given: i64,
        /// From an element of a line of the operand to the next.
        step: i64,
        /// The place of the last result of a line.
        last: i64,
        /// What results are multiplied by.
        scale: f64,
        /// What the first element of a line counts.
        first_in: f64,
        /// What the last one counts.
        last_in: f64,
        /// What the first result of a line is multiplied by, too.
        first_out: f64,
        /// What the last one is.
        last_out: f64,
        /// True if what is copied is conjugated.
        conjugate: bool,
        /// True if the operand's lines are read from their ends.
        backwards: bool,
        /// True if the sign of every second element is turned.
        alternate: bool,
        /// True if the results of a line stand from its end on.
        reversed: bool,
        /// Which axis is that of the lines.
        axis: u32,
        /// Of the results.
        axes: u32,
        /// Of the results' axes.
        sizes: Sizes<'a>,
        /// Along each axis, from this coordinate on there is no operand.
        limits: Strides<'a>,
        /// Of the operand; 0 along the axis of the lines.
        in_steps: Strides<'a>,
        /// Of the results.
        out_steps: Strides<'a>,
    }
}

/// How a result is made of the elements of its line: see `include/spectral.cuh`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SpectralForm {
    /// Of the one at its place.
    Copy,
    /// For cosines of the second kind: even places, then odd ones backwards.
    CosineFold,
    /// Cosines of the second kind, of a half.
    CosineTurn,
    /// For cosines of the third kind: a half.
    InverseTurn,
    /// Cosines of the third kind.
    InverseUnfold,
    /// For cosines of the first kind: the line and back.
    EvenAround,
    /// For sines of the first kind: the line, and back with other signs.
    OddAround,
    /// Cosines of the first kind.
    RealPart,
    /// Sines of the first kind.
    ImaginaryPart,
    /// For the fourth kind of even length: pairs.
    FourthFold,
    /// The fourth kind of even length.
    FourthUnfold,
    /// For the fourth kind of odd length: the line and as many zeros.
    FourthPad,
    /// The fourth kind of odd length.
    FourthCut,
}

/// The key of the kernel `spectral`, with the parameters [`SpectralParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Spectral {
    /// How results are made.
    pub form: SpectralForm,
    /// The dtype of the operand.
    pub input: DType,
    /// The dtype of the results.
    pub out: DType,
    /// True if it is computed in float64, not in float32.
    pub wide: bool,
    /// Of indices and axes.
    pub width: Width,
}

/// Results of a block of the kernel `spectral`.
pub const SPECTRAL_TILE: usize = 1024;

impl Spectral {
    /// Returns the kernel's name in messages.
    pub fn name(&self) -> String {
        format!("spectral/{:?}/{}-{}", self.form, self.input, self.out)
    }

    /// Returns the source of the kernel `spectral`.
    pub fn source(&self) -> String {
        let (real, complex) = if self.wide { (DType::F64, DType::C128) } else { (DType::F32, DType::C64) };
        let (input, out) = (self.input.device_name(), self.out.device_name());
        let functions = format!(
            "DEVICE value load(const char *at) {{\n  const {input} x = *(const {input} *)at;\n  return {};\n}}\n\
             DEVICE void store(char *at, value y) {{ *({out} *)at = {}; }}\n",
            cast(self.input, complex, "x"),
            cast(complex, self.out, "y"),
        );
        Unit::new(headers([self.input, self.out, complex], false), "spectral")
            .typed("part", real.device_name())
            .typed("value", complex.device_name())
            .indexed(self.width)
            .choice("FORM", self.form as u8)
            .choice("TURN", if self.wide { "sincospi" } else { "sincospif" })
            .params(&SpectralParams::<()> { width: self.width, ..Default::default() })
            .with(&functions)
            .with(body!("spectral"))
            .finish()
    }
}
