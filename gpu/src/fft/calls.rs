//! Transforms with complex, half-spectrum or real results, shared by NumPy's and SciPy's functions.
//!
//! NumPy's and SciPy's functions differ in names of options, in the treatment of float16 and long double, and in
//! `overwrite_x`; what both compute is here.

use cuprum_kernels::DType;

use super::callbacks::are_in_force;
use super::lengths::Lengths;
use super::multi_gpu::shared;
use super::sharing::devices;
use super::transforms::{Factors, Like, Norm, Results, backward, complex, forward, results, spectrum_dtype};
use crate::array::Array;
use crate::error::{Error, ErrorKind, Result};

/// Options of a transform besides its axes and lengths.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallOptions<'a> {
    /// True for an inverse transform.
    pub(crate) inverse: bool,
    /// Normalisation.
    pub(crate) norm: Norm,
    /// Memory order of the result.
    pub(crate) like: Like,
    /// Array that gets the result.
    pub(crate) out: Option<&'a Array>,
}

/// Rejects callbacks if an axis is repeated: they would be called twice.
fn check_repeats(of: &Lengths) -> Result<()> {
    if !(of.repeats() && are_in_force()) {
        return Ok(());
    }
    let message = "an axis is named twice, for two transforms one after the other: callbacks are those of one";
    Err(Error::new(ErrorKind::Value, message))
}

/// Computes complex results; of one axis on the devices of [`set_devices`](super::sharing::set_devices), if there are
/// any.
pub(crate) fn to_complex_anywhere(a: &Array, of: &Lengths, call_options: CallOptions<'_>) -> Result<Array> {
    let devices = if of.axes.len() == 1 { devices() } else { vec![] };
    if devices.is_empty() { to_complex(a, of, call_options) } else { shared(a, &devices, of, call_options) }
}

/// Computes complex results of numbers of any dtype.
pub(crate) fn to_complex(a: &Array, of: &Lengths, call_options: CallOptions<'_>) -> Result<Array> {
    if of.axes.is_empty() {
        return Ok(a.clone());
    }
    check_repeats(of)?;
    if of.repeats() {
        // Repeated axes are transformed one after the other, the last one first.
        let mut result = a.clone();
        for (&axis, &n) in of.axes.iter().zip(&of.n).rev() {
            let one = Lengths::alone(axis, n);
            result = to_complex(&result, &one, CallOptions { out: None, ..call_options })?;
        }
        return copied_to_out(result, call_options);
    }
    let dtype = spectrum_dtype(a.dtype());
    let shape = of.shape(a, false);
    let options = Factors {
        inverse: call_options.inverse,
        scale: call_options.norm.factor(call_options.inverse, of.size()),
        conjugate: false,
    };
    let shown = Results { dtype, shape: &shape, like: call_options.like, out: call_options.out };
    results(a, shown, dtype, |out| complex(a, &of.axes, options, out))
}

/// Returns the result, copied to `out` if there is one.
fn copied_to_out(result: Array, call_options: CallOptions<'_>) -> Result<Array> {
    if call_options.out.is_none() {
        return Ok(result);
    }
    let dtype = result.dtype();
    let shown = Results { dtype, shape: result.shape(), like: call_options.like, out: call_options.out };
    results(&result, shown, dtype, |out| crate::engine::copy(&result, out))
}

/// Computes the half spectrum of real numbers; with `conjugate`, that of the other direction.
pub(crate) fn to_half(a: &Array, of: &Lengths, conjugate: bool, call_options: CallOptions<'_>) -> Result<Array> {
    if a.dtype().is_complex() {
        let message = format!("elements of {} are not real: take `fft`, or the real part first", a.dtype());
        return Err(Error::new(ErrorKind::Type, message));
    }
    let n = of.halved()?;
    check_repeats(of)?;
    if let (true, Some((others, last))) = (of.repeats(), of.apart()) {
        let half = to_half(a, &last, conjugate, CallOptions { out: None, ..call_options })?;
        return to_complex(&half, &others, call_options);
    }
    let dtype = spectrum_dtype(a.dtype());
    let shape = of.shape(a, true);
    let options = Factors { inverse: false, scale: call_options.norm.factor(false, of.size()), conjugate };
    let shown = Results { dtype, shape: &shape, like: call_options.like, out: call_options.out };
    results(a, shown, dtype, |out| forward(a, &of.axes, n, options, out))
}

/// Computes real results, in a dtype, of a half spectrum; with `conjugate`, of that of the other direction.
pub(crate) fn to_real(
    a: &Array,
    of: &Lengths,
    conjugate: bool,
    dtype: DType,
    call_options: CallOptions<'_>,
) -> Result<Array> {
    of.halved()?;
    check_repeats(of)?;
    if let (true, Some((others, last))) = (of.repeats(), of.apart()) {
        let half = to_complex(a, &others, CallOptions { out: None, ..call_options })?;
        return to_real(&half, &last, conjugate, dtype, call_options);
    }
    let shape = of.shape(a, false);
    let options = Factors { inverse: true, scale: call_options.norm.factor(true, of.size()), conjugate };
    let shown = Results { dtype, shape: &shape, like: call_options.like, out: call_options.out };
    results(a, shown, spectrum_dtype(a.dtype()).real(), |out| backward(a, &of.axes, options, out))
}

/// Returns NumPy's dtype of real results: the component dtype of the operand if it is a float, otherwise float64.
pub(crate) fn real_dtype(dtype: DType) -> DType {
    match dtype.real() {
        d if d.is_float() => d,
        _ => DType::F64,
    }
}
