//! Linear interpolation; NumPy's `interp`.
//!
//! Each element of `x` is found among the sample points by a binary search on the device, and interpolated with NumPy's
//! steps in float64.

use cuprum_kernels::DType;
use cuprum_macros::{Options, routine};
use num_complex::Complex64;

use crate::array::{Array, Operand};
use crate::engine::{Interpolation, make, one_device};
use crate::error::{Error, ErrorKind, Result};
use crate::index::s;
use crate::layout::{Order, shape_text};
use crate::routines::{indexing, math, sorting};
use crate::scalar::Scalar;

/// Options of [`interp`].
///
/// All are absent by default.
///
/// ```
/// use cuprum::{InterpOptions, array, interp};
/// let (xp, fp) = (array([0.0, 1.0])?, array([0.0, 10.0])?);
/// let y = interp(array([-1.0, 0.5])?, &xp, &fp, InterpOptions::new().left(7.0))?;
/// assert_eq!(y.to_vec::<f64>()?, [7.0, 5.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, Options)]
pub struct InterpOptions {
    /// The value before the first sample point; by default that of the first point.
    pub left: Option<Scalar>,
    /// The value after the last sample point; by default that of the last point.
    pub right: Option<Scalar>,
    /// The period of `x`: with it there is nothing outside the sample points, which need not be sorted.
    #[from]
    pub period: Option<f64>,
}

/// One-dimensional linear interpolation; NumPy's `interp`. The sample points `xp` must be increasing, `fp` are the
/// values there; otherwise the result is meaningless. The result is float64, or complex128 for complex values.
///
/// The result has the shape of `x`. A NaN in `x` results in NaN.
///
/// ```
/// use cuprum::{InterpOptions, array, interp};
/// let (xp, fp) = (array([1.0, 2.0, 3.0])?, array([3.0, 2.0, 0.0])?);
/// assert_eq!(interp(array([0.0, 1.5, 2.72, 3.14])?, &xp, &fp, ())?.to_vec::<f64>()?[1], 2.5);
/// let options = InterpOptions::new().right(-99);
/// assert_eq!(interp(3.14, &xp, &fp, options)?.item::<f64>()?, -99.0);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for sample points that do not have one axis, are empty, or do not match their values in number,
/// and for a period of 0; [`ErrorKind::Type`] for complex `x`, and for a complex `left` or `right` of real values.
#[routine]
pub fn interp(x: Operand<'_>, xp: &Array, fp: &Array, options: InterpOptions) -> Result<Array> {
    let device = one_device(xp, [fp])?;
    let x = x.strong(Some(device))?;
    one_device(&x, [xp])?;
    let complex = fp.dtype().is_complex();
    for (name, knots) in [("x", &x), ("xp", xp)] {
        if knots.dtype().is_complex() {
            let message =
                format!("{name} of {}: its numbers must be ordered, and complex numbers are not", knots.dtype());
            return Err(Error::new(ErrorKind::Type, message));
        }
    }
    if xp.ndim() != 1 || fp.ndim() != 1 {
        let (xp, fp) = (shape_text(xp.shape()), shape_text(fp.shape()));
        return Err(Error::new(
            ErrorKind::Value,
            format!("xp and fp have one axis each, not the shapes {xp} and {fp}"),
        ));
    }
    if xp.size() != fp.size() {
        let message = format!("there are {} knots in xp and {} values in fp", xp.size(), fp.size());
        return Err(Error::new(ErrorKind::Value, message));
    }
    if xp.is_empty() {
        return Err(Error::new(ErrorKind::Value, "xp has no knots: there is nothing to interpolate between"));
    }
    let end = |name: &str, end: Option<Scalar>| match end {
        None => Ok(None),
        Some(Scalar::Complex(_)) if !complex => {
            let message = format!("{name} is a complex number, the values are of {}", fp.dtype());
            Err(Error::new(ErrorKind::Type, message))
        }
        Some(Scalar::Complex(z)) => Ok(Some(z)),
        Some(real) => Ok(Some(Complex64::from(real.real()))),
    };
    let dtype = if complex { DType::C128 } else { DType::F64 };
    let values = |a: &Array, dtype| {
        if a.dtype() == dtype && a.is_c_contiguous() { Ok(a.clone()) } else { a.cast(dtype, Order::C) }
    };
    let (mut xs, mut ys) = (values(xp, DType::F64)?, values(fp, dtype)?);
    let (mut left, mut right) = (end("left", options.left)?, end("right", options.right)?);
    let mut arguments = x.clone();
    if let Some(period) = options.period {
        if period == 0.0 {
            return Err(Error::new(ErrorKind::Value, "a period of 0 has no end: it is any other number"));
        }
        let period = period.abs();
        (left, right) = (None, None);
        let wide = if x.dtype() == DType::F64 { x } else { x.astype(DType::F64)? };
        arguments = math::remainder(&wide, period)?;
        xs = math::remainder(&xs, period)?;
        let order = sorting::argsort(&xs, ())?;
        let n = xs.size();
        let around = |a: &Array, by: Option<f64>| -> Result<Array> {
            let sorted = indexing::take(a, &order, ())?;
            let out = make::empty(device, &[n + 2], a.dtype())?;
            out.index(s![1..-1])?.assign(&sorted)?;
            let (first, last) = (sorted.index(s![0])?, sorted.index(s![-1])?);
            out.index(s![0])?.assign(by.map_or(Ok(last.clone()), |by| math::subtract(&last, by))?)?;
            out.index(s![-1])?.assign(by.map_or(Ok(first.clone()), |by| math::add(&first, by))?)?;
            Ok(out)
        };
        (xs, ys) = (around(&xs, Some(period))?, around(&ys, None)?);
    }
    let out = make::empty(device, arguments.shape(), dtype)?;
    Interpolation { x: &arguments, xs: &xs, ys: &ys, left, right, out: &out }.run()?;
    Ok(out)
}
