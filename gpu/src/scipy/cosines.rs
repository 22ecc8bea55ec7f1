//! Cosine and sine transforms, each by one Fourier transform between two passes.
//!
//! The second type is a real transform of the same length, of the elements at even places and those at odd ones backwards
//! (J. Makhoul, "A fast cosine transform in one and two dimensions", 1980); the third is its inverse. The fourth is a complex
//! transform of half the length, or where that is odd of twice the length. The first type is a real transform of the line and
//! its mirror image. Sines are cosines of the line with every second sign turned, or backwards.

use cuprum_kernels::DType;
use cuprum_kernels::source::SpectralForm;

use crate::array::Array;
use crate::driver::Turning;
use crate::engine::{Spectrum, make};
use crate::error::{Error, ErrorKind, Result};
use crate::fft::Norm;
use crate::fft::lengths::Lengths;
use crate::fft::transforms::{lines, new_lines, pass, spectrum_dtype};

/// A cosine or sine transform.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cosine {
    /// From 1 to 4.
    pub(super) kind: u8,
    pub(super) sine: bool,
    pub(super) norm: Norm,
    pub(super) orthogonal: bool,
}

/// The transform along each of the axes; real and imaginary parts each by themselves.
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
    /// Transforms real numbers along an axis, `n` of each line.
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
        // The element, or the result, that an orthogonal matrix weights: the first of cosines, the last of sines.
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
            let told = pass(form, x, to, axis, n);
            Spectrum { weights, alternate: folded && sine, backwards, ..told }.run()
        };
        let after = |form, from: &Array| -> Result<()> {
            let turned = form == CosineTurn;
            let scale = norm.factor(false, size as f64);
            let told = pass(form, from, out, axis, n);
            Spectrum { factors, scale, reversed: turned && sine, alternate: sine && !turned, ..told }.run()
        };
        let by_half = |length: usize, fold: SpectralForm, turn: SpectralForm| -> Result<()> {
            let (line, placed) = new_lines(out, axis, length, real)?;
            before(fold, &placed)?;
            let (half, half_placed) = new_lines(out, axis, length / 2 + 1, spectrum)?;
            lines(Turning::Forward, false, &line, &half)?;
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
                lines(Turning::Backward, true, &half, &line)?;
                after(InverseUnfold, &placed)
            }
            _ => {
                let even = n.is_multiple_of(2);
                let (length, fold, unfold) =
                    if even { (n / 2, FourthFold, FourthUnfold) } else { (2 * n, FourthPad, FourthCut) };
                let (line, placed) = new_lines(out, axis, length, spectrum)?;
                before(fold, &placed)?;
                lines(Turning::Complex, false, &line, &line)?;
                after(unfold, &placed)
            }
        }
    }
}
