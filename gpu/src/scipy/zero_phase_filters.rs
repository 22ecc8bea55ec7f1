//! Linear filters forwards and backwards along an axis, without a shift of phase.
//!
//! Each pass begins in the state in which a step as high as its first element has settled. The first one reads the
//! signal with its continuation, which is never stored; the second one writes the results of the signal only.
//!
//! Lower bound: two passes of a recurrence, of which each reads its input twice and writes its results once.

use cuprum_kernels::DType;
use cuprum_macros::{signature, unrecorded};
use num_complex::Complex64;

use super::linear_filters::FilterCoefficient;
use crate::array::Array;
use crate::engine::{Filter, PadRule, RecurrencePass, fill, make, recurrence_settled};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Dims, normalize_axis};
use crate::routines::manipulation::flip;
use crate::scalar::Scalar;

/// Continuation of a signal at both ends, by a number of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilterPadding {
    /// Twice the last element less those that are mirrored about it.
    Odd(usize),
    /// Mirrored about the last element.
    Even(usize),
    /// The last element.
    Constant(usize),
}

/// Options of [`filtfilt`] and [`sosfiltfilt`].
///
/// ```
/// use cuprum::scipy::signal::{FilterPadding, ZeroPhaseOptions, filtfilt};
/// let steady = cuprum::ones([20, 2], ())?;
/// let options = ZeroPhaseOptions::new().axis(0).padding(FilterPadding::Even(3));
/// let y = filtfilt(&[0.25], &[1.0, -0.75], &steady, &options)?;
/// assert!(y.to_vec::<f64>()?.iter().all(|y| (y - 1.0).abs() < 1e-14));
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ZeroPhaseOptions {
    axis: isize,
    padding: FilterPadding,
    every: usize,
    dtype: Option<DType>,
}

crate::array::default_options!(ZeroPhaseOptions);

impl Default for ZeroPhaseOptions {
    fn default() -> Self {
        ZeroPhaseOptions { axis: -1, padding: FilterPadding::Odd(0), every: 1, dtype: None }
    }
}

impl ZeroPhaseOptions {
    /// The last axis, without a continuation, and the dtype of the input and the coefficients.
    pub fn new() -> ZeroPhaseOptions {
        ZeroPhaseOptions::default()
    }

    /// Filters along this axis.
    ///
    /// By default the last one; negative ones count from the end.
    pub fn axis(mut self, axis: isize) -> ZeroPhaseOptions {
        self.axis = axis;
        self
    }

    /// Continues the signal at both ends, by fewer elements than it has.
    ///
    /// SciPy continues it by default: oddly, by three times the number of coefficients.
    pub fn padding(mut self, padding: FilterPadding) -> ZeroPhaseOptions {
        self.padding = padding;
        self
    }

    /// Sets the distance along the axis from one result that is returned to the next, from the first on; by default 1.
    ///
    /// ```
    /// use cuprum::scipy::signal::{ZeroPhaseOptions, filtfilt};
    /// let steady = cuprum::ones([20], ())?;
    /// let y = filtfilt(&[0.25], &[1.0, -0.75], &steady, &ZeroPhaseOptions::new().every(3))?;
    /// assert_eq!(y.shape(), [7]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    pub fn every(mut self, every: usize) -> ZeroPhaseOptions {
        self.every = every;
        self
    }

    /// Sets the dtype of the result.
    ///
    /// By default it is that of the input and the coefficients, float64 for integers.
    pub fn dtype(mut self, dtype: DType) -> ZeroPhaseOptions {
        self.dtype = Some(dtype);
        self
    }
}

impl FilterPadding {
    fn parts(self) -> (PadRule, usize) {
        match self {
            FilterPadding::Odd(n) => (PadRule::Odd, n),
            FilterPadding::Even(n) => (PadRule::Even, n),
            FilterPadding::Constant(n) => (PadRule::Constant, n),
        }
    }
}

/// Returns the state in which a step of 1 settles: that of the transposed direct form II whose output is the gain.
fn settled(above: &[Complex64], below: &[Complex64]) -> (Vec<Complex64>, Complex64) {
    let gain = above.iter().sum::<Complex64>() / below.iter().sum::<Complex64>();
    let mut state: Vec<Complex64> = above.iter().zip(below).skip(1).map(|(b, a)| b - a * gain).collect();
    for k in (1..state.len()).rev() {
        let next = state[k];
        state[k - 1] += next;
    }
    (state, gain)
}

fn reversed(a: &Array, axis: usize) -> Result<Array> {
    flip(a, axis as isize)
}

/// Filters forwards and backwards, in float64 for each part of a complex array, or in complex128 with complex
/// coefficients.
fn run(
    function: &str,
    filter: &Filter,
    state: &[Complex64],
    x: &Array,
    options: &ZeroPhaseOptions,
    complex: bool,
) -> Result<Array> {
    let axis = normalize_axis(options.axis, x.ndim())?;
    let (rule, pad) = options.padding.parts();
    let n = x.shape()[axis];
    if n <= pad {
        let message =
            format!("{function}: the length of the axis, {n}, must be greater than that of the padding, {pad}");
        return Err(Error::new(ErrorKind::Value, message));
    }
    if filter.states() == 0 || filter.states() > Filter::most(filter.is_complex()) {
        let (states, most) = (filter.states(), Filter::most(filter.is_complex()));
        let message =
            format!("{function}: a filter of {states} states is not in 1 to {most}: filter with lfilter or sosfilt");
        return Err(Error::new(ErrorKind::NotImplemented, message));
    }
    if state.iter().any(|z| !z.re.is_finite() || !z.im.is_finite()) {
        let message = format!("{function}: the coefficients of the results add up to 0: no step settles");
        return Err(Error::new(ErrorKind::Value, message));
    }
    let dtype = match x.dtype() {
        DType::F32 if complex => DType::C64,
        own if own.is_complex() || (own.is_float() && !complex) => own,
        _ if complex => DType::C128,
        _ => DType::F64,
    };
    let dtype = options.dtype.unwrap_or(dtype);
    if (complex || x.dtype().is_complex()) && !dtype.is_complex() {
        let message = format!("{function}: the result is complex, and {dtype} is not: pass a complex dtype");
        return Err(Error::new(ErrorKind::Type, message));
    }
    if options.every == 0 {
        return Err(Error::new(ErrorKind::Value, format!("{function}: the step of the results must be positive")));
    }
    let mut shape: Dims = x.shape().into();
    shape[axis] = n.div_ceil(options.every);
    let out = make::empty(x.device(), &shape, dtype)?;
    if out.size() == 0 {
        return Ok(out);
    }
    shape[axis] = n + 2 * pad;
    // The last result is that of the last element that is a multiple of the step.
    let skip = pad + (n - 1) % options.every;
    let forth = make::empty(x.device(), &shape, dtype)?;
    let both = |x: &Array, forth: &Array, out: &Array| {
        recurrence_settled(x, axis, filter, state, &RecurrencePass { pad, rule, ..Default::default() }, forth)?;
        let [back, out] = [forth, out].map(|a| reversed(a, axis));
        recurrence_settled(
            &back?,
            axis,
            filter,
            state,
            &RecurrencePass { skip, every: options.every, ..Default::default() },
            &out?,
        )
    };
    if filter.is_complex() || !dtype.is_complex() {
        both(x, &forth, &out)?;
        return Ok(out);
    }
    both(&x.real(), &forth.real(), &out.real())?;
    if x.dtype().is_complex() {
        both(&x.imag()?, &forth.imag()?, &out.imag()?)?;
    } else {
        fill(&out.imag()?, Scalar::from(0))?;
    }
    Ok(out)
}

/// Filters along an axis forwards and backwards by the coefficients of a difference equation; SciPy's
/// `scipy.signal.filtfilt` with the method `pad`.
///
/// The result has the shape of `x` unless a step is set; dtypes are those of [`lfilter`](crate::scipy::signal::lfilter). Each pass begins in the state in
/// which a step as high as its first element has settled.
///
/// ```
/// use cuprum::scipy::signal::{FilterPadding, ZeroPhaseOptions, filtfilt};
/// let steady = cuprum::ones([20], ())?;
/// let options = ZeroPhaseOptions::new().padding(FilterPadding::Odd(6));
/// let y = filtfilt(&[0.25], &[1.0, -0.75], &steady, &options)?;
/// assert!(y.to_vec::<f64>()?.iter().all(|y| (y - 1.0).abs() < 1e-14));
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for coefficients that are empty, that begin with `a[0] = 0` or in which no step settles, for an
/// axis that is not longer than the padding, and for a step of 0; [`ErrorKind::Type`] for a real dtype of a complex result;
/// [`ErrorKind::NotImplemented`] for filters without feedback, and of more than 17
/// coefficients, or 9 complex ones; [`ErrorKind::Axis`].
#[signature]
pub fn filtfilt<T: FilterCoefficient>(b: &[T], a: &[T], x: &Array, options: &ZeroPhaseOptions) -> Result<Array> {
    let lists: [Vec<Complex64>; 2] = [b, a].map(|list| list.iter().map(|c| c.to_complex()).collect());
    let [b, a] = lists;
    let zero = Complex64::default();
    if b.is_empty() || a.first().is_none_or(|first| *first == zero) {
        let message = "filtfilt: b and a must have coefficients, and a[0] must not be 0".to_string();
        return Err(Error::new(ErrorKind::Value, message));
    }
    let states = if a.len() > 1 { a.len().max(b.len()) - 1 } else { 0 };
    // A quotient of real numbers is rounded once.
    let quotient = |c: &Complex64| if a[0].im == 0.0 { c.unscale(a[0].re) } else { c / a[0] };
    let scaled = |list: &[Complex64]| -> Vec<Complex64> {
        list.iter().map(quotient).chain(std::iter::repeat(zero)).take(states + 1).collect()
    };
    let (above, below) = (scaled(&b), scaled(&a));
    let (state, _) = settled(&above, &below);
    run("filtfilt", &Filter::Rational { above, below }, &state, x, options, T::IS_COMPLEX)
}

/// Filters along an axis forwards and backwards by a cascade of sections of order 2; SciPy's `scipy.signal.sosfiltfilt`.
///
/// The result has the shape of `x` unless a step is set; dtypes are those of [`sosfilt`](crate::scipy::signal::sosfilt).
///
/// ```
/// use cuprum::scipy::signal::{ZeroPhaseOptions, sosfiltfilt};
/// let steady = cuprum::ones([20], ())?;
/// let section = [0.25, 0.0, 0.0, 1.0, -0.75, 0.0];
/// let y = sosfiltfilt(&[section], &steady, &ZeroPhaseOptions::new())?;
/// assert!(y.to_vec::<f64>()?.iter().all(|y| (y - 1.0).abs() < 1e-14));
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] without a section, for a section whose fourth coefficient is not 1 or in which no step settles, and
/// for an axis that is not longer than the padding; [`ErrorKind::Type`] for a real dtype of a complex result;
/// [`ErrorKind::NotImplemented`] for more than 8 sections, or 4 complex
/// ones; [`ErrorKind::Axis`].
#[unrecorded("takes coefficients from the host: compared with SciPy's in `gpu/python/tests/test_signal_filters.py`")]
#[signature]
pub fn sosfiltfilt<T: FilterCoefficient>(sos: &[[T; 6]], x: &Array, options: &ZeroPhaseOptions) -> Result<Array> {
    let sos: Vec<[Complex64; 6]> = sos.iter().map(|section| section.map(T::to_complex)).collect();
    if sos.iter().any(|section| section[3] != Complex64::from(1.0)) {
        return Err(Error::new(ErrorKind::Value, "sosfiltfilt: sos[:, 3] must be ones".to_string()));
    }
    let (mut state, mut scale) = (Vec::with_capacity(2 * sos.len()), Complex64::from(1.0));
    for section in &sos {
        let (own, gain) = settled(&section[..3], &section[3..]);
        state.extend(own.iter().map(|z| z * scale));
        scale *= gain;
    }
    let sections = sos.iter().map(|s| [s[0], s[1], s[2], s[4], s[5]]).collect();
    run("sosfiltfilt", &Filter::Cascade(sections), &state, x, options, T::IS_COMPLEX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_settled_state_does_not_change() {
        let [b, a] = [[0.5, 0.25, 0.125, 1.0], [1.0, -0.5, 0.25, -0.125]].map(|list| list.map(Complex64::from));
        let (state, gain) = settled(&b, &a);
        let y = b[0] + state[0];
        assert!((y - gain).norm() < 1e-15);
        for k in 0..3 {
            let next = b[k + 1] - a[k + 1] * y + state.get(k + 1).copied().unwrap_or_default();
            assert!((next - state[k]).norm() < 1e-15, "state {k}");
        }
    }
}
