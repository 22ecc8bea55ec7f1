//! Sample frequencies and shifts of the zero frequency: `fftfreq`, `rfftfreq`, `fftshift` and `ifftshift`.

use cuprum_kernels::DType;
use cuprum_macros::routine;

use crate::array::{Array, Axes};
use crate::cuda::Device;
use crate::engine::{self, Form, Formula, Generating, remap};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Layout, normalize_axis};

/// Writes frequencies: element `i` is `(i + first) / (n * d)`.
fn frequencies(out: &Array, first: i64, n: usize, d: f64) -> Result<()> {
    if n == 0 || d == 0.0 {
        let message = format!("frequencies of {n} samples at a distance of {d}: both must be other than 0");
        return Err(Error::new(ErrorKind::ZeroDivision, message));
    }
    // Adding -0 keeps the sign of a zero.
    let numbers = [-0.0, 1.0 / (n as f64 * d), 0.0].map(Into::into);
    // No index is the one at which the form has another value.
    let integers = [i64::MIN, 0, 0, 0];
    Generating { numbers, integers, ..Generating::new(Form::Steps, first, &[1], out) }.run()
}

fn samples(n: isize) -> Result<usize> {
    usize::try_from(n).map_err(|_| Error::new(ErrorKind::Value, format!("{n} samples are fewer than none")))
}

/// Sample frequencies of a transform of `n` samples with spacing `d`, by default 1; NumPy's `fft.fftfreq`: from zero
/// upwards, then the negative ones.
///
/// The result has one axis of `n` elements in float64, in units of cycles for each unit of `d`.
///
/// ```
/// assert_eq!(cuprum::fft::fftfreq(4, 1.0)?.to_vec::<f64>()?, [0.0, 0.25, -0.5, -0.25]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::ZeroDivision`] for no samples, and for a spacing of 0; [`ErrorKind::Value`] for a negative number of
/// samples.
#[routine(namespace = "numpy.fft", d = 1.0, python(extras = [("device", Extra::Device), ("dtype", Extra::Cast)]))]
pub fn fftfreq(n: isize, d: f64) -> Result<Array> {
    of_all(n, d)
}

pub(crate) fn of_all(n: isize, d: f64) -> Result<Array> {
    let n = samples(n)?;
    let out = engine::make::empty(Device::current()?, &[n], DType::F64)?;
    let positive = n.div_ceil(2);
    let part = |from: usize, to: usize| {
        let layout = Layout { shape: [to - from].into_iter().collect(), offset: 8 * from, ..out.layout().clone() };
        out.with_layout(layout)
    };
    frequencies(&part(0, positive), 0, n, d)?;
    frequencies(&part(positive, n), -((n / 2) as i64), n, d)?;
    Ok(out)
}

/// Sample frequencies of a half spectrum; NumPy's `fft.rfftfreq`.
///
/// The result has one axis of `n / 2 + 1` elements in float64, from 0 upwards.
///
/// ```
/// assert_eq!(cuprum::fft::rfftfreq(4, 0.5)?.to_vec::<f64>()?, [0.0, 0.5, 1.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`fftfreq`].
#[routine(namespace = "numpy.fft", d = 1.0, python(extras = [("device", Extra::Device), ("dtype", Extra::Cast)]))]
pub fn rfftfreq(n: isize, d: f64) -> Result<Array> {
    of_half(n, d)
}

pub(crate) fn of_half(n: isize, d: f64) -> Result<Array> {
    let n = samples(n)?;
    let out = engine::make::empty(Device::current()?, &[n / 2 + 1], DType::F64)?;
    frequencies(&out, 0, n, d)?;
    Ok(out)
}

/// Shifts the zero frequency to the centre of each axis; NumPy's `fft.fftshift`.
///
/// The result has the shape and the dtype of `x`; by default all axes are shifted. It is a copy.
///
/// ```
/// let a = cuprum::fft::fftshift(cuprum::array([0, 1, 2, 3, 4])?, ())?;
/// assert_eq!(a.to_vec::<i32>()?, [3, 4, 0, 1, 2]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Axis`].
#[routine(namespace = "numpy.fft")]
pub fn fftshift(x: &Array, axes: Axes) -> Result<Array> {
    shifted(x, &axes, |n| n / 2)
}

/// Inverse of [`fftshift`]; NumPy's `fft.ifftshift`.
///
/// The result has the shape and the dtype of `x`. It differs from [`fftshift`] for axes of odd length.
///
/// ```
/// let a = cuprum::fft::ifftshift(cuprum::array([3, 4, 0, 1, 2])?, ())?;
/// assert_eq!(a.to_vec::<i32>()?, [0, 1, 2, 3, 4]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Axis`].
#[routine(namespace = "numpy.fft")]
pub fn ifftshift(x: &Array, axes: Axes) -> Result<Array> {
    shifted(x, &axes, |n| n - n / 2)
}

pub(crate) fn shifted(x: &Array, axes: &Axes, by: fn(usize) -> usize) -> Result<Array> {
    let mut shifts = vec![0; x.ndim()];
    match axes.as_slice() {
        None => shifts.iter_mut().zip(x.shape()).for_each(|(shift, &n)| *shift = by(n)),
        Some(axes) => {
            for &axis in axes {
                let axis = normalize_axis(axis, x.ndim())?;
                shifts[axis] += by(x.shape()[axis]);
            }
        }
    }
    let out = Array::of_layout(x.device(), x.layout().in_order(x.itemsize(), crate::layout::Order::K), x.dtype())?;
    if x.size() > 0 {
        let formulas: Vec<Formula> = shifts
            .iter()
            .map(|&shift| if shift == 0 { Formula::Same } else { Formula::Wrapped(-(shift as i64)) })
            .collect();
        remap(x, &formulas, None, [0; 16], &out)?;
    }
    Ok(out)
}
