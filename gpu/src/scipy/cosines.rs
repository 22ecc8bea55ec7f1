//! Discrete cosine and sine transforms (DCT, DST) of types I to IV, each by one FFT between two elementwise passes.
//!
//! DCT-II is a real FFT of the same length, of the elements at even indices followed by those at odd indices in reverse
//! (J. Makhoul, "A fast cosine transform in one and two dimensions", 1980); DCT-III is its inverse. DCT-IV is a complex
//! FFT of half the length, or of twice the length if that is odd. DCT-I is a real FFT of the 1-D slice and its mirror
//! image. Sine transforms are cosine transforms of the slice with alternating signs or in reverse order.

use cuprum_kernels::DType;
use cuprum_kernels::source::SpectralForm;

use crate::array::Array;
use crate::driver::TransformKind;
use crate::engine::{Spectrum, make};
use crate::error::{Error, ErrorKind, Result};
use crate::fft::Norm;
use crate::fft::lengths::Lengths;
use crate::fft::transforms::{lines, new_lines, pass, spectrum_dtype};

/// Parameters of a cosine or sine transform.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cosine {
    /// The type of the transform, from 1 to 4.
    pub(super) kind: u8,
    /// True for a sine transform.
    pub(super) sine: bool,
    /// Normalisation.
    pub(super) norm: Norm,
    /// True if the first and the last element are scaled so that the matrix is orthogonal.
    pub(super) orthogonal: bool,
}

/// Transforms along each of the axes; the real and the imaginary parts of complex operands are transformed separately.
pub(super) fn cosines(x: &Array, of: &Lengths, options: Cosine) -> Result<Array> {
    if of.repeats() {
        return Err(Error::new(ErrorKind::Value, "an axis is named twice: each is transformed once"));
    }
    if options.kind == 1
        && !options.sine
        && let Some(n) = of.n.iter().find(|n| **n < 2)
    {
        let message = format!("cosines of the first type of {n} elements: they need at least two");
        return Err(Error::new(ErrorKind::Value, message));
    }
    if of.axes.is_empty() {
        return Ok(x.clone());
    }
    let dtype = spectrum_dtype(x.dtype());
    let complex = x.dtype().is_complex();
    let mut from = x.clone();
    for (&axis, &n) in of.axes.iter().zip(&of.n) {
        let mut shape: crate::layout::Dims = from.shape().into();
        shape[axis] = n;
        let out = make::empty(x.device(), &shape, if complex { dtype } else { dtype.real() })?;
        if out.size() > 0 {
            if complex {
                options.along(&from.real(), axis, n, &out.real(), dtype)?;
                options.along(&from.imag()?, axis, n, &out.imag()?, dtype)?;
            } else {
                options.along(&from, axis, n, &out, dtype)?;
            }
        }
        from = out;
    }
    Ok(from)
}

impl Cosine {
    /// Transforms the 1-D slices of a real array along an axis, with `n` elements each.
    fn along(self, x: &Array, axis: usize, n: usize, out: &Array, spectrum: DType) -> Result<()> {
        use SpectralForm::*;
        let Cosine { kind, sine, norm, orthogonal } = self;
        let real = spectrum.real();
        let size = match (kind, sine) {
            (1, false) => 2 * (n - 1),
            (1, true) => 2 * (n + 1),
            _ => 2 * n,
        };
        let root = std::f64::consts::SQRT_2;
        // The element of the operand or of the result that an orthogonal matrix weights: the first of a DCT, the last
        // of a DST.
        let end = |by: f64| if sine { [1.0, by] } else { [by, 1.0] };
        let (weights, factors) = match (kind, sine) {
            (1, false) if orthogonal => ([root; 2], [1.0 / root; 2]),
            (2, _) if orthogonal => ([1.0; 2], end(1.0 / root)),
            (3, _) if orthogonal => (end(root), [1.0; 2]),
            _ => ([1.0; 2], [1.0; 2]),
        };
        let before = |form, to: &Array| -> Result<()> {
            let folded = form == CosineFold;
            let backwards = sine && matches!(form, InverseTurn | FourthFold | FourthPad);
            let base = pass(form, x, to, axis, n);
            Spectrum { weights, alternate: folded && sine, backwards, ..base }.run()
        };
        let after = |form, from: &Array| -> Result<()> {
            let rotates = form == CosineTurn;
            let scale = norm.factor(false, size as f64);
            let base = pass(form, from, out, axis, n);
            Spectrum { factors, scale, reversed: rotates && sine, alternate: sine && !rotates, ..base }.run()
        };
        let by_half = |length: usize, fold: SpectralForm, turn: SpectralForm| -> Result<()> {
            let (line, placed) = new_lines(out, axis, length, real)?;
            before(fold, &placed)?;
            let (half, half_placed) = new_lines(out, axis, length / 2 + 1, spectrum)?;
            lines(TransformKind::Forward, false, &line, &half)?;
            after(turn, &half_placed)
        };
        match (kind, sine) {
            (1, false) => by_half(size, EvenAround, RealPart),
            (1, true) => by_half(size, OddAround, ImaginaryPart),
            (2, _) => by_half(n, CosineFold, CosineTurn),
            (3, _) => {
                let (half, half_placed) = new_lines(out, axis, n / 2 + 1, spectrum)?;
                before(InverseTurn, &half_placed)?;
                let (line, placed) = new_lines(out, axis, n, real)?;
                lines(TransformKind::Backward, true, &half, &line)?;
                after(InverseUnfold, &placed)
            }
            _ => {
                let even = n.is_multiple_of(2);
                let (length, fold, unfold) =
                    if even { (n / 2, FourthFold, FourthUnfold) } else { (2 * n, FourthPad, FourthCut) };
                let (line, placed) = new_lines(out, axis, length, spectrum)?;
                before(fold, &placed)?;
                lines(TransformKind::Complex, false, &line, &line)?;
                after(unfold, &placed)
            }
        }
    }
}
