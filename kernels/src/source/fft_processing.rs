//! Source of the kernel that prepares the input of Fourier transforms and post-processes their output.

use super::{Unit, body, cast, headers};
use crate::DType;
use crate::params::{Read, Sizes, Strides, Width, Written, parameters};

parameters! {
    /// Parameters of the kernel `spectral`: strides in bytes.
    SpectralParams<'a, P> {
        /// Number of results.
        elements: usize,
        /// The operand's first element.
        input: Read<P>,
        /// The results' first element.
        out: Written<P>,
        /// Length of the transform.
        n: i64,
        /// Number of elements of the operand along the transformed axis: the others are 0.
        given: i64,
        /// Stride of the operand along the transformed axis.
        step: i64,
        /// Index of the last result along the transformed axis.
        last: i64,
        /// Factor of all results.
        scale: f64,
        /// Factor of the first element along the axis.
        first_in: f64,
        /// Factor of the last element along the axis.
        last_in: f64,
        /// Additional factor of the first result along the axis.
        first_out: f64,
        /// Additional factor of the last result along the axis.
        last_out: f64,
        /// True if copied elements are conjugated.
        conjugate: bool,
        /// True if the operand is read in reverse along the axis.
        backwards: bool,
        /// True if every second element is negated.
        alternate: bool,
        /// True if the results are written in reverse along the axis.
        reversed: bool,
        /// The transformed axis.
        axis: u32,
        /// Number of axes of the results.
        axes: u32,
        /// Sizes of the results' axes.
        sizes: Sizes<'a>,
        /// Sizes of the operand's axes: from this coordinate on it is 0.
        limits: Strides<'a>,
        /// Strides of the operand; 0 along the transformed axis.
        in_steps: Strides<'a>,
        /// Strides of the results.
        out_steps: Strides<'a>,
    }
}

/// Formula of a result from the elements along the transformed axis: see `include/fft_processing.cuh`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SpectralForm {
    /// Copies the element at the same index.
    Copy,
    /// Input of DCT-II: even indices, then odd ones in reverse.
    CosineFold,
    /// Output of DCT-II, from a half-length spectrum.
    CosineTurn,
    /// Input of DCT-III: a half-length spectrum.
    InverseTurn,
    /// Output of DCT-III.
    InverseUnfold,
    /// Input of DCT-I: the even extension.
    EvenAround,
    /// Input of DST-I: the odd extension.
    OddAround,
    /// Output of DCT-I: the real parts.
    RealPart,
    /// Output of DST-I: the imaginary parts.
    ImaginaryPart,
    /// Input of DCT-IV of even length: pairs.
    FourthFold,
    /// Output of DCT-IV of even length.
    FourthUnfold,
    /// Input of DCT-IV of odd length: zero-padded to twice the length.
    FourthPad,
    /// Output of DCT-IV of odd length.
    FourthCut,
}

/// Key of the kernel `spectral`, with the parameters [`SpectralParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Spectral {
    /// The formula.
    pub form: SpectralForm,
    /// The dtype of the operand.
    pub input: DType,
    /// The dtype of the results.
    pub out: DType,
    /// True if it computes in float64, false for float32.
    pub wide: bool,
    /// Width of indices, and number of axes that tables have room for.
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
            .with(body!("fft_processing"))
            .finish()
    }
}
