//! Clipping, and replacement of values that are not finite.
//!
//! Each function is one kernel: bounds, replacements and casts are part of one pass over the elements.

use cuprum_kernels::DType;
use cuprum_macros::{Options, routine};
use num_complex::Complex64;

use crate::array::{Array, Operand};
use crate::dtype::Casting;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::Order;
use crate::routines::dtypes::finfo;
use crate::routines::{logic, math};
use crate::scalar::{Scalar, integer_range};
use crate::ufunc::{UfuncOptions, ufunc};

/// Clips the elements to an interval, in one pass; NumPy's `clip`. A bound is an array or a scalar, and `()` means no
/// bound; where the bounds cross, the upper one counts. NaN is kept, and a NaN bound results in NaN. An integer bound
/// that is beyond the range of the array's dtype has no effect.
///
/// ```
/// use cuprum::{UfuncOptions, array};
/// let a = array([-1.5, 0.25, 7.0])?;
/// assert_eq!(a.clip(0, 1, ())?.to_vec::<f64>()?, [0.0, 0.25, 1.0]);
/// assert_eq!(a.clip(0, (), ())?.to_vec::<f64>()?, [0.0, 0.25, 7.0]);
/// a.clip(-1, 1, UfuncOptions::new().out(&a))?;
/// assert_eq!(a.to_vec::<f64>()?, [-1.0, 0.25, 1.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`Ufunc::call`](crate::Ufunc::call); booleans without bounds are rejected.
#[routine(
    method, names = "a a_min a_max", keywords = "a a_min a_max out where casting order dtype",
    python(
        keyword_only = 4, together = ["a_min", "a_max"],
        extras = [("min", Extra::Alias("a_min")), ("max", Extra::Alias("a_max"))]
    )
)]
pub fn clip(a: &Array, min: Option<Operand<'_>>, max: Option<Operand<'_>>, options: UfuncOptions<'_>) -> Result<Array> {
    // Elements are within such a bound by themselves, and it may not be representable in the dtype.
    let (low, high) = match integer_range(a.dtype()).filter(|_| a.dtype().is_integer()) {
        Some((low, high)) => (Some(low), Some(high)),
        None => (None, None),
    };
    let is = |bound: &Operand<'_>, beyond: &dyn Fn(i128) -> bool| matches!(bound, Operand::Scalar(Scalar::Int(n)) if beyond(*n));
    let min = min.filter(|bound| !is(bound, &|n| low.is_some_and(|low| n <= low)));
    let max = max.filter(|bound| !is(bound, &|n| high.is_some_and(|high| n >= high)));
    let call = |name, operands: &[Operand<'_>]| ufunc(name)?.called(operands, &options);
    match (min, max) {
        (Some(min), Some(max)) => call("clip", &[a.into(), min, max]),
        (Some(min), None) => call("maximum", &[a.into(), min]),
        (None, Some(max)) => call("minimum", &[a.into(), max]),
        (None, None) => call("positive", &[a.into()]),
    }
}

/// Options of [`nan_to_num`].
///
/// Replacements may be arrays, which are broadcast with `x`. A boolean converts to options that set `copy`.
///
/// ```
/// use cuprum::{NanToNumOptions, array, nan_to_num};
/// let a = array([1.0, f64::NAN, f64::INFINITY])?;
/// let b = nan_to_num(&a, NanToNumOptions::new().nan(-1.0).posinf(9.0))?;
/// assert_eq!(b.to_vec::<f64>()?, [1.0, -1.0, 9.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Options)]
pub struct NanToNumOptions<'a> {
    /// If true, the result is a new array; otherwise the elements are replaced in place. By default `true`.
    pub copy: bool,
    /// The replacement of NaN; by default 0.
    pub nan: Operand<'a>,
    /// The replacement of positive infinity; by default the largest number of the dtype.
    pub posinf: Option<Operand<'a>>,
    /// The replacement of negative infinity; by default the smallest number of the dtype.
    pub neginf: Option<Operand<'a>>,
}

impl Default for NanToNumOptions<'_> {
    fn default() -> Self {
        NanToNumOptions { copy: true, nan: Operand::Scalar(Scalar::Float(0.0)), posinf: None, neginf: None }
    }
}

/// Replaces NaN and infinities by finite numbers, in each component of complex numbers; NumPy's `nan_to_num`. Integers
/// and booleans are unchanged.
///
/// The result has the shape and the dtype of `x`; with `copy` false it is `x` itself, changed in place. A replacement
/// is cast to the dtype of `x` (its real part for complex numbers).
///
/// ```
/// use cuprum::{NanToNumOptions, array, nan_to_num};
/// let a = array([1.5, f64::NAN, f64::INFINITY])?;
/// assert_eq!(nan_to_num(&a, ())?.to_vec::<f64>()?, [1.5, 0.0, f64::MAX]);
/// let options = NanToNumOptions::new().nan(-1).posinf(9).copy(false);
/// nan_to_num(&a, options)?;
/// assert_eq!(a.to_vec::<f64>()?, [1.5, -1.0, 9.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Type`] for a replacement that is not real, [`ErrorKind::Value`] for arrays of replacements that cannot
/// be broadcast to the elements.
#[routine(python(returns_same))]
pub fn nan_to_num<'a>(x: &Array, options: NanToNumOptions<'a>) -> Result<Array> {
    let dtype = x.dtype();
    if !dtype.is_float() && !dtype.is_complex() {
        return if options.copy { x.copy(Order::K) } else { Ok(x.clone()) };
    }
    if !options.copy {
        x.check_writable()?;
    }
    let limits = finfo(dtype)?;
    // A scalar is written as a float, however large an integer it is.
    let floated = |o: Operand<'a>| match o {
        Operand::Scalar(s) if !matches!(s, Scalar::Complex(_)) => Operand::Scalar(Scalar::Float(s.real())),
        other => other,
    };
    let (nan, posinf, neginf) = (
        floated(options.nan),
        floated(options.posinf.unwrap_or(Operand::Scalar(Scalar::Float(limits.max)))),
        floated(options.neginf.unwrap_or(Operand::Scalar(Scalar::Float(limits.min)))),
    );
    if let (Operand::Scalar(nan), Operand::Scalar(high), Operand::Scalar(low)) = (nan, posinf, neginf) {
        for (name, value) in [("nan", nan), ("posinf", high), ("neginf", low)] {
            if matches!(value, Scalar::Complex(_)) {
                let message = format!("{name} is a real number, which replaces a component: {value} is none");
                return Err(Error::new(ErrorKind::Type, message));
            }
        }
        let f = ufunc("nan_to_num")?;
        let at = f.exact_loop(&[dtype, dtype, DType::C128]);
        let at = at.expect("every dtype of floats has a loop");
        let infinities = Scalar::Complex(Complex64::new(high.real(), low.real()));
        let copied = options.copy.then(|| x.layout().in_order(x.itemsize(), Order::K));
        let new = copied.map(|layout| Array::of_layout(x.device(), layout, dtype)).transpose()?;
        let ufunc_options = UfuncOptions { out: Some(new.as_ref().unwrap_or(x)), ..UfuncOptions::default() };
        return Ok(f.launch(at, &[x.into(), Operand::Scalar(nan), Operand::Scalar(infinities)], &ufunc_options)?.0);
    }
    // Masks are computed before any replacement is written.
    let out = if options.copy { x.copy(Order::K)? } else { x.clone() };
    let parts = if dtype.is_complex() { vec![out.real(), out.imag()?] } else { vec![out.clone()] };
    for part in &parts {
        let infinite = logic::isinf(part)?;
        let masks = [
            (logic::isnan(part)?, nan),
            (logic::logical_and(&infinite, logic::greater(part, 0)?)?, posinf),
            (logic::logical_and(&infinite, logic::less(part, 0)?)?, neginf),
        ];
        for (mask, value) in &masks {
            let ufunc_options = UfuncOptions { out: Some(part), where_: Some(mask), ..UfuncOptions::default() };
            ufunc("copy")?.called(&[*value], &UfuncOptions { casting: Casting::SameKind, ..ufunc_options })?;
        }
    }
    Ok(out)
}

/// Options of [`real_if_close`].
///
/// A float converts to options that set the tolerance.
#[derive(Clone, Copy, Debug, PartialEq, Options)]
pub struct RealIfCloseOptions {
    /// The tolerance of imaginary parts: an absolute one, or above 1 a multiple of the machine epsilon of the dtype. By
    /// default 100.
    #[from]
    pub tol: f64,
}

impl Default for RealIfCloseOptions {
    fn default() -> Self {
        RealIfCloseOptions { tol: 100.0 }
    }
}

/// Returns a view of the real parts if all imaginary parts are close to zero, otherwise the array itself; NumPy's
/// `real_if_close`.
///
/// ```
/// use cuprum::num_complex::Complex64;
/// let z = cuprum::array([Complex64::new(2.1, 4e-14), Complex64::new(5.2, 3e-15)])?;
/// assert_eq!(cuprum::real_if_close(&z, 1000.0)?.to_vec::<f64>()?, [2.1, 5.2]);
/// assert!(cuprum::real_if_close(&z, ())?.dtype().is_complex());
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Errors of the device.
///
/// # Synchronization
///
/// For complex numbers, synchronises to check the imaginary parts.
#[routine(python(returns_same))]
pub fn real_if_close(a: &Array, options: RealIfCloseOptions) -> Result<Array> {
    if !a.dtype().is_complex() {
        return Ok(a.clone());
    }
    let tol = if options.tol > 1.0 { finfo(a.dtype())?.eps * options.tol } else { options.tol };
    let near = logic::less(math::absolute(a.imag()?)?, tol)?;
    Ok(if logic::all(&near, ())?.item::<bool>()? { a.real() } else { a.clone() })
}
