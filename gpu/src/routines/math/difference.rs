//! Discrete differences, and integration by the trapezoidal rule.
//!
//! Differences of order 1 are one kernel on two shifted views; higher orders repeat it. `trapezoid` is a sum of
//! products, whose order of additions depends on the shape alone.

use cuprum_kernels::DType;
use cuprum_macros::{Options, routine};
use smallvec::SmallVec;

use crate::array::{Array, Operand};
use crate::dtype::{Casting, can_cast};
use crate::engine;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Dims, Layout, normalize_axis};
use crate::routines::manipulation::joined;
use crate::routines::{logic, math};
use crate::scalar::Scalar;
use crate::scan::part;
use crate::ufunc::{UfuncOptions, ufunc};

/// Options of [`diff`].
///
/// An integer converts to options that set the order `n`, by default 1; the axis is the last by default.
///
/// ```
/// use cuprum::{DiffOptions, array, diff};
/// let a = array([1, 4, 9, 16])?;
/// assert_eq!(diff(&a, DiffOptions::new().n(2))?.to_vec::<i32>()?, [2, 2]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Options)]
pub struct DiffOptions<'a> {
    /// The order of the differences. By default 1.
    #[from]
    pub n: usize,
    /// The axis. By default the last one.
    pub axis: isize,
    /// Values prepended to the elements: an array that matches the operand in the other axes, or a scalar, which is not
    /// weak.
    pub prepend: Option<Operand<'a>>,
    /// Values appended to the elements.
    pub append: Option<Operand<'a>>,
}

impl Default for DiffOptions<'_> {
    fn default() -> Self {
        DiffOptions { n: 1, axis: -1, prepend: None, append: None }
    }
}

/// Discrete difference along an axis, `a[i + 1] - a[i]`; NumPy's `diff`. Integers wrap; for booleans the result is
/// whether the neighbours differ.
///
/// ```
/// use cuprum::{DiffOptions, array, diff};
/// let a = array([1, 2, 4, 7, 0])?;
/// assert_eq!(diff(&a, ())?.to_vec::<i32>()?, [1, 2, 3, -7]);
/// assert_eq!(diff(&a, 2)?.to_vec::<i32>()?, [1, 1, -10]);
/// let from_zero = DiffOptions::new().prepend(0);
/// assert_eq!(diff(&a, from_zero)?.to_vec::<i64>()?, [1, 1, 2, 3, -7]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for a 0-d array and for `prepend` or `append` of another shape, [`ErrorKind::Axis`].
#[routine(method)]
pub fn diff(a: &Array, options: DiffOptions<'_>) -> Result<Array> {
    differences(a, &options)
}

pub(super) fn differences(a: &Array, options: &DiffOptions<'_>) -> Result<Array> {
    if options.n == 0 {
        return Ok(a.clone());
    }
    if a.ndim() == 0 {
        return Err(Error::new(ErrorKind::Value, "an array of shape () has no neighbours"));
    }
    let axis = normalize_axis(options.axis, a.ndim())?;
    let edge = |edge: &Option<Operand<'_>>| -> Result<Option<Array>> {
        let Some(operand) = edge else { return Ok(None) };
        let edge = operand.strong(Some(a.device()))?;
        if edge.ndim() > 0 {
            return Ok(Some(edge));
        }
        let mut shape: Dims = a.shape().into();
        shape[axis] = 1;
        edge.broadcast_to(&shape[..]).map(Some)
    };
    let (before, after) = (edge(&options.prepend)?, edge(&options.append)?);
    let mut a = match (&before, &after) {
        (None, None) => a.clone(),
        _ => joined(&before.iter().chain([a]).chain(&after).collect::<SmallVec<[&Array; 3]>>(), axis)?,
    };
    for _ in 0..options.n {
        let (later, earlier) = (part(&a, axis, 1..)?, part(&a, axis, ..-1)?);
        a = match a.dtype() {
            DType::Bool => logic::not_equal(&later, &earlier)?,
            _ => math::subtract(&later, &earlier)?,
        };
    }
    Ok(a)
}

/// Options of [`ediff1d`].
///
/// Both are cast to the dtype of the array, if NumPy's rule `same_kind` allows it.
///
/// ```
/// use cuprum::{Ediff1dOptions, array, ediff1d};
/// let a = array([1, 4, 9])?;
/// let with_start = Ediff1dOptions { to_begin: Some(0.into()), ..Default::default() };
/// assert_eq!(ediff1d(&a, with_start)?.to_vec::<i32>()?, [0, 3, 5]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, Options)]
pub struct Ediff1dOptions<'a> {
    /// Values appended to the differences, flattened in C order.
    #[from]
    pub to_end: Option<Operand<'a>>,
    /// Values prepended to the differences.
    pub to_begin: Option<Operand<'a>>,
}

/// Differences of consecutive elements of the flattened array; NumPy's `ediff1d`.
///
/// ```
/// use cuprum::{Array, Ediff1dOptions, ediff1d};
/// let a = Array::from_slice(&[1, 2, 4, 7], [2, 2])?;
/// assert_eq!(ediff1d(&a, ())?.to_vec::<i32>()?, [1, 2, 3]);
/// assert_eq!(ediff1d(&a, Ediff1dOptions::new().to_begin(-1))?.to_vec::<i32>()?, [-1, 1, 2, 3]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Type`] for booleans, and for ends that cannot be cast to the operand's dtype by the `same_kind` rule.
#[routine(names = "ary", python(aliases = [("arr", "ary")]))]
pub fn ediff1d(a: &Array, options: Ediff1dOptions<'_>) -> Result<Array> {
    let go = || {
        let a = a.in_one_axis()?;
        let edge = |edge: &Option<Operand<'_>>, name: &str| -> Result<Option<Array>> {
            let Some(operand) = edge else { return Ok(None) };
            let edge = operand.strong(Some(a.device()))?;
            if !can_cast(edge.dtype(), a.dtype(), Casting::SameKind) {
                let message = format!("{name} of {} does not go with {}", edge.dtype(), a.dtype());
                return Err(Error::new(ErrorKind::Type, message));
            }
            edge.in_one_axis().map(Some)
        };
        let (before, after) = (edge(&options.to_begin, "to_begin")?, edge(&options.to_end, "to_end")?);
        let size = |edge: &Option<Array>| edge.as_ref().map_or(0, Array::size);
        let (start, count) = (size(&before), a.size().saturating_sub(1));
        let n = start + count + size(&after);
        let out = Array::of_layout(a.device(), Layout::c_order(&[n], a.itemsize()), a.dtype())?;
        let (start, end) = (start as i64, (start + count) as i64);
        let target = part(&out, 0, start..end)?;
        let ufunc_options = UfuncOptions { out: Some(&target), ..UfuncOptions::default() };
        let (later, earlier) = (part(&a, 0, 1..)?, part(&a, 0, ..-1)?);
        ufunc("subtract")?.called(&[(&later).into(), (&earlier).into()], &ufunc_options)?;
        for (edge, target) in [(before, part(&out, 0, ..start)?), (after, part(&out, 0, end..)?)] {
            if let Some(edge) = edge {
                engine::copy(&edge, &target)?;
            }
        }
        Ok(out)
    };
    go().map_err(|e: Error| e.with_op("ediff1d"))
}

/// Options of [`trapezoid`].
///
/// By default the spacing is 1 and the axis the last. An array converts to options that set `x`.
///
/// ```
/// use cuprum::{TrapezoidOptions, array, trapezoid};
/// let (x, y) = (array([0.0, 1.0, 3.0])?, array([2.0, 2.0, 2.0])?);
/// assert_eq!(trapezoid(&y, TrapezoidOptions::new().x(&x))?.item::<f64>()?, 6.0);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Options)]
pub struct TrapezoidOptions<'a> {
    /// The sample positions: along the axis, or of each element.
    #[from]
    pub x: Option<&'a Array>,
    /// The spacing, if there are no positions. By default 1.
    pub dx: Scalar,
    /// The axis. By default the last one.
    pub axis: isize,
}

impl Default for TrapezoidOptions<'_> {
    fn default() -> Self {
        TrapezoidOptions { x: None, dx: Scalar::Float(1.0), axis: -1 }
    }
}

/// Integral along an axis by the trapezoidal rule; NumPy's `trapezoid`. float16 and bfloat16 are accumulated in
/// float32.
///
/// The result has the shape of `y` without the axis, and the floating-point or complex dtype to which values and
/// positions are promoted: float64 for integers.
///
/// ```
/// use cuprum::{Array, TrapezoidOptions, trapezoid};
/// let y = Array::from_slice(&[1.0, 2.0, 3.0], 3)?;
/// assert_eq!(trapezoid(&y, ())?.item::<f64>()?, 4.0);
/// let x = Array::from_slice(&[4.0, 6.0, 8.0], 3)?;
/// assert_eq!(trapezoid(&y, &x)?.item::<f64>()?, 8.0);
/// assert_eq!(trapezoid(&y, TrapezoidOptions::new().dx(0.5))?.item::<f64>()?, 2.0);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Index`] for an axis that is out of bounds, [`ErrorKind::Value`] where `x` does not match the elements
/// or has no axis.
#[routine]
pub fn trapezoid(y: &Array, options: TrapezoidOptions<'_>) -> Result<Array> {
    area(y, &options)
}

/// Integral along an axis by the trapezoidal rule; the name of [`trapezoid`] before NumPy 2.
///
/// Result, options and errors are those of [`trapezoid`].
///
/// ```
/// assert_eq!(cuprum::trapz(&cuprum::array([1.0, 2.0, 3.0])?, ())?.item::<f64>()?, 4.0);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`trapezoid`].
#[routine(no_cases = "an alias of `trapezoid`")]
pub fn trapz(y: &Array, options: TrapezoidOptions<'_>) -> Result<Array> {
    area(y, &options)
}

fn area(y: &Array, options: &TrapezoidOptions<'_>) -> Result<Array> {
    if options.x.is_some_and(|x| x.ndim() == 0) {
        return Err(Error::new(ErrorKind::Value, "x has the shape (): one number has no distances"));
    }
    let missing = || {
        Error::new(
            ErrorKind::Index,
            format!("axis {} is out of bounds for an array of {} axes", options.axis, y.ndim()),
        )
    };
    let axis = normalize_axis(options.axis, y.ndim()).map_err(|_| missing())?;
    let along = |x: &Array, axis: isize| differences(x, &DiffOptions { axis, ..DiffOptions::default() });
    let widths = match options.x {
        None => None,
        Some(x) if x.ndim() == 1 => {
            let d = along(x, 0)?;
            let mut shape = vec![1; y.ndim()];
            shape[axis] = d.size() as i64;
            Some(d.reshape(shape)?)
        }
        Some(x) => Some(along(x, options.axis)?),
    };
    let width = widths.as_ref().map_or(Operand::Scalar(options.dx), Operand::Array);
    let twice = math::multiply(width, &math::add(&part(y, axis, 1..)?, &part(y, axis, ..-1)?)?)?;
    // The product may have more axes than `y`: a negative axis counts from the last of them.
    math::sum(&math::true_divide(&twice, 2.0)?, options.axis)
}
