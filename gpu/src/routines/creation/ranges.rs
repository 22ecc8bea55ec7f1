//! Evenly and logarithmically spaced numbers: `linspace`, `logspace` and `geomspace`.
//!
//! Scalar ends take one kernel that computes each sample from its index; ends that are arrays are combined by ufuncs.
//! The arithmetic is NumPy's step by step, so that float64 samples are equal to the bit.

use cuprum_kernels::DType;
use cuprum_macros::{Options, routine, unrecorded};
use num_complex::Complex64;

use super::arange::complex;
use super::basic::filled;
use crate::array::{Array, AsOperand, IntoArgument, Operand};
use crate::cuda::Device;
use crate::dtype::result_type;
use crate::engine::{self, Form, Generating};
use crate::error::{Error, ErrorKind, Result};
use crate::index::{Index, s};
use crate::layout::{Order, broadcast_shapes, normalize_axis};
use crate::reduction::Reduce;
use crate::routines::{logic, math, searching};
use crate::scalar::{OperandType, Scalar};

/// Options of [`linspace`](fn@linspace).
///
/// An integer converts to options that set the number of samples alone.
///
/// ```
/// use cuprum::{DType, LinspaceOptions, linspace};
/// let a = linspace(0, 4, LinspaceOptions::new().num(3).dtype(DType::I32))?;
/// assert_eq!(a.to_vec::<i32>()?, [0, 2, 4]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Options)]
pub struct LinspaceOptions {
    /// The number of samples. By default 50.
    #[from]
    pub num: usize,
    /// If true, the last sample is `stop`. By default `true`.
    pub endpoint: bool,
    /// The dtype; by default the floating-point dtype of the ends. Integers are rounded down.
    pub dtype: Option<DType>,
    /// The axis of the samples in the result, if the ends are arrays. By default 0.
    pub axis: isize,
}

impl Default for LinspaceOptions {
    fn default() -> Self {
        LinspaceOptions { num: 50, endpoint: true, dtype: None, axis: 0 }
    }
}

/// Returns evenly spaced numbers from `start` to `stop`; NumPy's `linspace`, bit for bit. The ends may be arrays, which
/// are broadcast.
///
/// The result has the shape of the broadcast ends with a new axis of `num` samples (by default 50) at `axis`; scalar
/// ends give one axis. The dtype is float64, complex128 if an end is complex, the floating-point dtype that arrays are
/// promoted to, or that of the options.
///
/// ```
/// use cuprum::{LinspaceOptions, array, linspace};
/// assert_eq!(linspace(0, 1, 5)?.to_vec::<f64>()?, [0.0, 0.25, 0.5, 0.75, 1.0]);
/// let without = LinspaceOptions::new().num(4).endpoint(false);
/// assert_eq!(linspace(0, 1, without)?.to_vec::<f64>()?, [0.0, 0.25, 0.5, 0.75]);
/// let rows = linspace(array([0.0, 10.0])?, array([1.0, 20.0])?, 2)?;
/// assert_eq!(rows.to_vec::<f64>()?, [0.0, 10.0, 1.0, 20.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Axis`] for an axis that is out of bounds, [`ErrorKind::Type`] for complex numbers in an integer dtype,
/// [`ErrorKind::Value`] for arrays that cannot be broadcast.
pub fn linspace(
    start: impl AsOperand,
    stop: impl AsOperand,
    options: impl IntoArgument<LinspaceOptions>,
) -> Result<Array> {
    let spaced =
        spaced(start.as_operand(), stop.as_operand(), &options.into(), false).map_err(|e| e.with_op("linspace"))?;
    Ok(spaced.0)
}

/// Returns the numbers of [`linspace`](fn@linspace) and their spacing: NumPy's `linspace` with `retstep`. The spacing
/// is NaN where there is none.
///
/// The spacing is a 0-d array for scalar ends, and of the shape of the broadcast ends for arrays.
///
/// ```
/// let (numbers, step) = cuprum::linspace_step(0, 1, 5)?;
/// assert_eq!((numbers.size(), step.item::<f64>()?), (5, 0.25));
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`linspace`](fn@linspace).
#[unrecorded("`numpy.linspace` with `retstep`")]
pub fn linspace_step(
    start: impl AsOperand,
    stop: impl AsOperand,
    options: impl IntoArgument<LinspaceOptions>,
) -> Result<(Array, Array)> {
    let (numbers, step) =
        spaced(start.as_operand(), stop.as_operand(), &options.into(), true).map_err(|e| e.with_op("linspace"))?;
    let step = step.expect("a step is requested");
    Ok((numbers, step))
}

/// Returns the samples, and their spacing if requested.
fn spaced(
    start: Operand<'_>,
    stop: Operand<'_>,
    options: &LinspaceOptions,
    step: bool,
) -> Result<(Array, Option<Array>)> {
    match (start, stop) {
        (Operand::Scalar(start), Operand::Scalar(stop)) => {
            let (numbers, distance) = between_numbers(start, stop, options)?;
            let of = |s: Scalar| engine::make::full(numbers.device(), &[], s, s.own_dtype());
            let distance = step.then(|| of(distance)).transpose()?;
            Ok((numbers, distance))
        }
        _ => between_arrays(start, stop, options),
    }
}

fn check_dtype(from: DType, to: DType) -> Result<()> {
    if from.is_complex() && to.is_integer() {
        let message = format!("complex numbers cannot be rounded down to {to}: take their real part");
        return Err(Error::new(ErrorKind::Type, message));
    }
    Ok(())
}

fn between_numbers(start: Scalar, stop: Scalar, options: &LinspaceOptions) -> Result<(Array, Scalar)> {
    let in_complex = [start, stop].iter().any(|s| matches!(s, Scalar::Complex(_)));
    let found = if in_complex { DType::C128 } else { DType::F64 };
    let dtype = options.dtype.unwrap_or(found);
    check_dtype(found, dtype)?;
    normalize_axis(options.axis, 1)?;
    let parts = if options.endpoint { options.num as f64 - 1.0 } else { options.num as f64 };
    let (a, b) = (complex(start), complex(stop));
    let delta = b - a;
    // NumPy divides complex numbers by multiplication with the reciprocal.
    let step = match parts > 0.0 {
        false => Complex64::new(f64::NAN, 0.0),
        true if in_complex => {
            Complex64::new((delta.re + delta.im * 0.0) * (1.0 / parts), (delta.im - delta.re * 0.0) * (1.0 / parts))
        }
        true => (delta.re / parts).into(),
    };
    let number = |z: Complex64| if in_complex { Scalar::Complex(z) } else { Scalar::Float(z.re) };
    let out = engine::make::empty(Device::current()?, &[options.num], dtype)?;
    // If the step underflows to zero, each sample is a fraction of the whole interval. Without intervals there is one
    // sample.
    let (form, numbers) = match step {
        z if parts > 0.0 && z == Complex64::ZERO && delta != Complex64::ZERO => {
            (Form::Parts, [number(a), number(delta), number(parts.into())])
        }
        _ if parts > 0.0 => (Form::Steps, [number(a), number(step), number(b)]),
        _ => (Form::Steps, [number(a), number(delta), number(b)]),
    };
    let last = if options.endpoint && options.num > 1 { options.num as i64 - 1 } else { -1 };
    let floor = dtype.is_integer();
    Generating { numbers, integers: [last, 0, 0, 0], floor, ..Generating::new(form, 0, &[1], &out) }.run()?;
    if matches!(form, Form::Parts) && last >= 0 {
        filled(out.index(s![-1])?, if floor { Scalar::Float(b.re.floor()) } else { number(b) })?;
    }
    Ok((out, if parts > 0.0 { number(step) } else { Scalar::Float(f64::NAN) }))
}

fn between_arrays(start: Operand<'_>, stop: Operand<'_>, options: &LinspaceOptions) -> Result<(Array, Option<Array>)> {
    let found = result_type(&[(&start).into(), (&stop).into(), OperandType::Scalar(1.0.into())])?;
    let dtype = options.dtype.unwrap_or(found);
    check_dtype(found, dtype)?;
    let device = start.device().or(stop.device());
    let end = |o: Operand<'_>| o.strong(device)?.cast(found, Order::K);
    let (start, stop) = (end(start)?, end(stop)?);
    engine::one_device(&start, [&stop])?;
    let delta = math::subtract(&stop, &start)?;
    let axis = normalize_axis(options.axis, delta.ndim() + 1)?;
    let mut along = vec![1; delta.ndim() + 1];
    along[0] = options.num;
    let steps = engine::make::empty(delta.device(), &[options.num], found)?;
    engine::arange(&steps, 0.into(), 1.into())?;
    let steps = steps.with_layout(steps.reshape(along.iter().map(|n| *n as i64).collect::<Vec<_>>())?.layout().clone());
    let parts = if options.endpoint { options.num as f64 - 1.0 } else { options.num as f64 };
    let (numbers, step) = if parts > 0.0 {
        let step = math::divide(&delta, parts)?;
        let by_step = math::multiply(&steps, &step)?;
        // If any step underflows to zero, all samples are fractions of the whole interval, selected on the device
        // without synchronising.
        let vanish = logic::any(&logic::equal(&step, 0)?, Reduce::all())?;
        let by_parts = math::multiply(&math::divide(&steps, parts)?, &delta)?;
        (searching::where_(&vanish, &by_parts, &by_step)?, step)
    } else {
        let step = engine::make::full(delta.device(), &[], f64::NAN, DType::F64)?;
        (math::multiply(&steps, &delta)?, step)
    };
    let mut numbers = math::add(&numbers, &start)?;
    if options.endpoint && options.num > 1 {
        numbers.set([Index::At(-1)], &stop)?;
    }
    if axis != 0 {
        numbers = numbers.moveaxis(0, axis as isize)?;
    }
    if dtype.is_integer() {
        numbers = math::floor(&numbers)?;
    }
    Ok((if numbers.dtype() == dtype { numbers } else { numbers.astype(dtype)? }, Some(step)))
}

/// Options of [`logspace`].
///
/// An integer converts to options that set the number of samples alone.
///
/// ```
/// use cuprum::{LogspaceOptions, logspace};
/// let octaves = logspace(0, 3, LogspaceOptions { num: 4, base: 2.into(), ..Default::default() })?;
/// assert_eq!(octaves.to_vec::<f64>()?, [1.0, 2.0, 4.0, 8.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Options)]
pub struct LogspaceOptions<'a> {
    /// The number of samples. By default 50.
    #[from]
    pub num: usize,
    /// If true, the last sample is `base**stop`. By default `true`.
    pub endpoint: bool,
    /// The base of the powers: a scalar or an array. By default 10.
    pub base: Operand<'a>,
    /// The dtype; by default the floating-point dtype of the ends and the base.
    pub dtype: Option<DType>,
    /// The axis of the samples in the result, if the ends are arrays. By default 0.
    pub axis: isize,
}

impl Default for LogspaceOptions<'_> {
    fn default() -> Self {
        LogspaceOptions { num: 50, endpoint: true, base: Operand::Scalar(Scalar::Float(10.0)), dtype: None, axis: 0 }
    }
}

/// Returns numbers spaced evenly on a log scale, from `base**start` to `base**stop`; NumPy's `logspace`.
///
/// The exponents are those of [`linspace`](fn@linspace), whose shape and dtype the result has; a base that is an array
/// is broadcast with the ends. Samples are powers, each rounded once, so that those that float64 represents exactly are
/// exact.
///
/// ```
/// use cuprum::{LogspaceOptions, logspace};
/// let two = LogspaceOptions::new().num(4).base(2.0);
/// assert_eq!(logspace(0, 3, two)?.to_vec::<f64>()?, [1.0, 2.0, 4.0, 8.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`linspace`](fn@linspace).
#[routine(keywords = "start stop num endpoint base dtype axis")]
pub fn logspace(start: Operand<'_>, stop: Operand<'_>, options: LogspaceOptions<'_>) -> Result<Array> {
    let spaced = LinspaceOptions { num: options.num, endpoint: options.endpoint, dtype: None, axis: options.axis };
    let powers = match options.base {
        Operand::Array(base) if base.ndim() > 0 => {
            // An array base is broadcast with the ends.
            let beside = start.device().or(stop.device()).or(Some(base.device()));
            let (start, stop) = (start.strong(beside)?, stop.strong(beside)?);
            let all = broadcast_shapes(&[start.shape(), stop.shape(), base.shape()])?;
            let front = |a: &Array| {
                let ones = vec![1i64; all.len() - a.ndim()];
                a.reshape([ones, a.shape().iter().map(|n| *n as i64).collect()].concat())
            };
            let exponents = linspace(&front(&start)?, &front(&stop)?, spaced)?;
            math::power(&front(base)?.expand_dims(options.axis)?, &exponents)?
        }
        base => math::power(base, &linspace(start, stop, spaced)?)?,
    };
    match options.dtype {
        Some(dtype) if dtype != powers.dtype() => powers.astype(dtype),
        _ => Ok(powers),
    }
}

/// Returns a geometric progression from `start` to `stop`; NumPy's `geomspace`. Negative and complex ends are rotated
/// to the positive real axis and back.
///
/// The result has the shape of the broadcast ends with a new axis of `num` samples (by default 50) at `axis`, and dtype
/// float64, complex128 if an end is complex, or that of the options. The ends are exactly `start` and `stop`.
///
/// ```
/// assert_eq!(cuprum::geomspace(1, 1000, 4)?.to_vec::<f64>()?, [1.0, 10.0, 100.0, 1000.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for an end that is 0, and those of [`linspace`](fn@linspace).
///
/// # Synchronization
///
/// If an end is an array, synchronises to check that no element is 0.
#[routine(keywords = "start stop num endpoint dtype axis")]
pub fn geomspace(start: Operand<'_>, stop: Operand<'_>, options: LinspaceOptions) -> Result<Array> {
    for end in [start, stop] {
        let zero = match end {
            Operand::Scalar(s) => !s.is_true(),
            Operand::Array(a) => !logic::all(a, Reduce::all())?.item::<bool>()?,
        };
        if zero {
            return Err(Error::new(ErrorKind::Value, "an end is 0: no ratio leads there"));
        }
    }
    let beside = start.device().or(stop.device());
    let (start, stop) = (start.strong(beside)?, stop.strong(beside)?);
    let dtype_of_result = OperandType::Array(options.dtype.unwrap_or(DType::F64));
    let found = result_type(&[(&start).into(), (&stop).into(), OperandType::Scalar(1.0.into()), dtype_of_result])?;
    let (start, stop) = (start.cast(found, Order::K)?, stop.cast(found, Order::K)?);
    let sign = math::sign(&start)?;
    let (first, last) = (math::divide(&start, &sign)?, math::divide(&stop, &sign)?);
    let (log_first, log_last) = (math::log10(&first)?, math::log10(&last)?);
    let logs =
        LogspaceOptions { num: options.num, endpoint: options.endpoint, dtype: Some(found), ..Default::default() };
    let numbers = logspace(&log_first, &log_last, logs)?;
    // The ends are exact, and not powers of their logarithms.
    if options.num > 0 {
        numbers.set([Index::At(0)], &first)?;
        if options.num > 1 && options.endpoint {
            numbers.set([Index::At(-1)], &last)?;
        }
    }
    let mut numbers = math::multiply(&numbers, &sign)?;
    let axis = normalize_axis(options.axis, numbers.ndim())?;
    if axis != 0 {
        numbers = numbers.moveaxis(0, axis as isize)?;
    }
    match options.dtype {
        Some(dtype) if dtype != numbers.dtype() => numbers.astype(dtype),
        _ => Ok(numbers),
    }
}

/// NumPy's signature, for the call table.
mod forms {
    use super::*;

    /// Returns evenly spaced numbers from `start` to `stop`, and with `retstep` their spacing.
    #[routine(
        retstep = false, keywords = "start stop num endpoint retstep dtype axis",
        python(extras = [("device", Extra::Device)])
    )]
    fn linspace(
        start: Operand<'_>,
        stop: Operand<'_>,
        options: LinspaceOptions,
        retstep: bool,
    ) -> Result<(Array, Option<Array>)> {
        let (numbers, step) = spaced(start, stop, &options, retstep)?;
        Ok((numbers, step.filter(|_| retstep)))
    }
}
