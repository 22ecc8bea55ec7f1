//! Rounding functions.

use cuprum_kernels::DType;
use cuprum_macros::{Options, routine};

use crate::array::{Array, Operand};
use crate::dtype::Casting;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Layout, Order, shape_text};
use crate::routines::manipulation::copyto;
use crate::ufunc::{UfuncOptions, ufunc, unary};

unary! {
    rint,
    floor,
    ceil,
    trunc,
    fix,
}

/// Options of [`round`].
///
/// An integer converts to options that set the number of decimals, by default 0.
///
/// ```
/// use cuprum::{RoundOptions, array, round};
/// let a = array([1.25, 2.75])?;
/// assert_eq!(round(&a, RoundOptions::new().decimals(0))?.to_vec::<f64>()?, [1.0, 3.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, Options)]
pub struct RoundOptions<'a> {
    /// The number of decimals; a negative number counts digits before the decimal point. By default 0.
    #[from]
    pub decimals: isize,
    /// The output array, of the operand's shape; by default a new one.
    pub out: Option<&'a Array>,
}

/// Rounds to a number of decimals, with ties to even; NumPy's `round`.
///
/// As in NumPy, a float is multiplied by a power of ten, rounded to an integer and divided again, each step rounded in
/// its dtype, so that the result may differ from the nearest decimal by a unit in the last place. Integers are
/// unchanged, except for negative `decimals`, where they are rounded as float64. Complex numbers are rounded by
/// component. Booleans become float16, and are rejected with `decimals`.
///
/// ```
/// use cuprum::{RoundOptions, array, round};
/// let a = array([0.5, 1.5, 2.345])?;
/// assert_eq!(round(&a, ())?.to_vec::<f64>()?, [0.0, 2.0, 2.0]);
/// assert_eq!(a.round(2)?.to_vec::<f64>()?, [0.5, 1.5, 2.35]);
/// assert_eq!(array([1234, 1250])?.round(-2)?.to_vec::<i32>()?, [1200, 1200]);
/// a.round(RoundOptions::new().decimals(1).out(&a))?;
/// assert_eq!(a.to_vec::<f64>()?, [0.5, 1.5, 2.3]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for an `out` of another shape, [`ErrorKind::Type`] for booleans with `decimals` and for an
/// `out` to which the results cannot be cast by the `same_kind` rule.
#[routine(method)]
pub fn round(a: &Array, options: RoundOptions<'_>) -> Result<Array> {
    rounded(a, options)
}

/// Rounds to a number of decimals; another name of [`round`].
///
/// Result, options and errors are those of [`round`].
///
/// ```
/// assert_eq!(cuprum::around(&cuprum::array([1.25, 2.75])?, 1)?.to_vec::<f64>()?, [1.2, 2.8]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`round`].
#[routine]
pub fn around(a: &Array, options: RoundOptions<'_>) -> Result<Array> {
    rounded(a, options)
}

/// Rounds to a number of decimals; the name of [`round`] in CuPy, and in NumPy before version 2.
///
/// Result, options and errors are those of [`round`].
///
/// ```
/// assert_eq!(cuprum::round_(&cuprum::array([0.5, 1.5])?, ())?.to_vec::<f64>()?, [0.0, 2.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`round`].
#[routine(name = "round_")]
pub fn round_(a: &Array, options: RoundOptions<'_>) -> Result<Array> {
    rounded(a, options)
}

fn rounded(a: &Array, options: RoundOptions<'_>) -> Result<Array> {
    let (dtype, RoundOptions { decimals, out }) = (a.dtype(), options);
    if let Some(out) = out {
        out.check_writable()?;
        if out.shape() != a.shape() {
            let (has, of) = (shape_text(out.shape()), shape_text(a.shape()));
            return Err(Error::new(ErrorKind::Value, format!("out has the shape {has}, the operand {of}")));
        }
        if dtype.is_complex() && !out.dtype().is_complex() {
            let message = format!("an out of {} has no imaginary parts for results of {dtype}", out.dtype());
            return Err(Error::new(ErrorKind::Type, message));
        }
    }
    if dtype.is_integer() && decimals >= 0 {
        return match out {
            None => a.copy(Order::K),
            Some(out) => copyto(out, a, ()).map(|()| out.clone()),
        };
    }
    if out.is_none() && dtype.is_complex() {
        // The layout is that of a copy, whose components are rounded.
        let out = Array::of_layout(a.device(), a.layout().in_order(dtype.size(), Order::K), dtype)?;
        return rounded(a, RoundOptions { decimals, out: Some(&out) });
    }
    let ufunc_options = UfuncOptions { out, ..UfuncOptions::default() };
    if decimals == 0 {
        return ufunc("rint")?.called(&[a.into()], &ufunc_options);
    }
    if dtype == DType::Bool && out.is_none() {
        return Err(Error::new(
            ErrorKind::Type,
            format!("booleans have no {decimals} decimals: cast them to integers"),
        ));
    }
    let factor: f64 = format!("1e{}", decimals.unsigned_abs()).parse().unwrap_or(f64::INFINITY);
    let factor = Operand::from(factor);
    let (there, back, fused) = if decimals > 0 {
        ("multiply", "true_divide", "round_fine")
    } else {
        ("true_divide", "multiply", "round_coarse")
    };
    match out {
        // Intermediate results are rounded to the dtype of the computation, not of `out`.
        Some(out) if out.dtype() != dtype => {
            let parts = if dtype.is_complex() {
                vec![(a.real(), out.real()), (a.imag()?, out.imag()?)]
            } else {
                vec![(a.clone(), out.clone())]
            };
            for (a, out) in &parts {
                let ufunc_options = UfuncOptions { out: Some(out), ..UfuncOptions::default() };
                ufunc(there)?.called(&[a.into(), factor], &ufunc_options)?;
                ufunc("rint")?.called(&[out.into()], &ufunc_options)?;
                ufunc(back)?.called(&[out.into(), factor], &ufunc_options)?;
            }
            Ok(out.clone())
        }
        Some(_) => ufunc(fused)?.called(&[a.into(), factor], &ufunc_options),
        None => {
            let order = if a.is_f_contiguous() && !a.is_c_contiguous() { Order::F } else { Order::C };
            let out = Array::of_layout(
                a.device(),
                Layout::c_order(a.shape(), dtype.size()).in_order(dtype.size(), order),
                dtype,
            )?;
            // Integers are rounded in float64 and cast back in the same kernel.
            let wide = if dtype.is_integer() { DType::F64 } else { dtype };
            let ufunc_options =
                UfuncOptions { out: Some(&out), dtype: Some(wide), casting: Casting::Unsafe, ..ufunc_options };
            ufunc(fused)?.called(&[a.into(), factor], &ufunc_options)
        }
    }
}
