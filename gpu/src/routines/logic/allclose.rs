//! Equality and closeness of arrays, each in one pass over the operands.

use cuprum_kernels::DType;
use cuprum_macros::{Options, routine};
use num_complex::Complex64;
use smallvec::SmallVec;

use crate::array::{Array, Operand};
use crate::dtype::result_type;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Layout, Order, broadcast_shapes};
use crate::reduction::is_inexact;
use crate::scalar::{OperandType, Scalar};
use crate::ufunc::{Ufunc, UfuncOptions, fuse, ufunc};

use super::{equal, isfinite, isnan, less_equal, logical_and, logical_or};

/// Options of [`isclose`] and [`allclose`], with NumPy's defaults.
///
/// `rtol` is 1e-5 and `atol` 1e-8 by default, and NaN is not close to NaN.
///
/// ```
/// use cuprum::{CloseOptions, array, isclose};
/// let a = array([1.0, f64::NAN])?;
/// let b = array([1.1, f64::NAN])?;
/// let options = CloseOptions::new().rtol(0.2).equal_nan(true);
/// assert_eq!(isclose(&a, &b, options)?.to_vec::<bool>()?, [true, true]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Options)]
pub struct CloseOptions<'a> {
    /// The relative tolerance, a part of the second operand's magnitude: a number, or an array that is broadcast. By
    /// default 1e-5.
    #[from]
    pub rtol: Operand<'a>,
    /// The absolute tolerance, likewise. By default 1e-8.
    pub atol: Operand<'a>,
    /// If true, NaN is close to NaN. By default `false`.
    pub equal_nan: bool,
}

impl Default for CloseOptions<'_> {
    fn default() -> Self {
        CloseOptions { rtol: 1e-5.into(), atol: 1e-8.into(), equal_nan: false }
    }
}

impl CloseOptions<'_> {
    /// Returns the relative and the absolute tolerance if both are real numbers.
    fn numbers(&self) -> Option<[f64; 2]> {
        let number = |tolerance: Operand<'_>| match tolerance {
            Operand::Scalar(Scalar::Complex(_)) | Operand::Array(_) => None,
            Operand::Scalar(number) => Some(number.real()),
        };
        Some([number(self.rtol)?, number(self.atol)?])
    }
}

/// Tests elementwise for closeness, `|a - b| <= atol + rtol * |b|`; NumPy's `isclose`. Infinities are close to
/// themselves. As in NumPy the formula is not symmetric, and integers are compared as float64.
///
/// ```
/// use cuprum::{CloseOptions, array, isclose};
/// let a = array([1.0, 1.001])?;
/// assert_eq!(isclose(&a, 1.0, CloseOptions::new().rtol(0.01))?.to_vec::<bool>()?, [true, true]);
/// assert_eq!(isclose(&a, 1.0, ())?.to_vec::<bool>()?, [true, false]);
/// let each = array([0.0, 0.01])?;
/// assert_eq!(isclose(&a, 1.0, CloseOptions::new().atol(&each))?.to_vec::<bool>()?, [true, true]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`](crate::ErrorKind::Value) for shapes that cannot be broadcast.
#[routine(method)]
pub fn isclose(a: Operand<'_>, b: Operand<'_>, options: CloseOptions<'_>) -> Result<Array> {
    match options.numbers() {
        Some(tolerances) => Closeness::new(a, b, tolerances, options.equal_nan)?.each(),
        None => close_within_arrays(a, b, &options),
    }
}

/// Tests for closeness within tolerances of which at least one is an array, by the formula in one kernel. A scalar
/// operand has the dtype of an array of it.
fn close_within_arrays(a: Operand<'_>, b: Operand<'_>, options: &CloseOptions<'_>) -> Result<Array> {
    let device = [a, b, options.rtol, options.atol].iter().find_map(Operand::device);
    let (a, b) = (a.strong(device)?, b.strong(device)?);
    fuse(|| {
        let b = b.cast(result_type(&[(&b).into(), Scalar::Float(1.0).into()])?, Order::K)?;
        let two = |name: &str, x: Operand<'_>, y: Operand<'_>| ufunc(name)?.call((x, y), ());
        let magnitude = |x: &Array| ufunc("absolute")?.call((x,), ());
        let relative = two("multiply", options.rtol, (&magnitude(&b)?).into())?;
        let allowed = two("add", options.atol, (&relative).into())?;
        let near = less_equal(magnitude(&two("subtract", (&a).into(), (&b).into())?)?, allowed)?;
        // Infinities are close only to equal ones.
        let close = logical_or(logical_and(near, isfinite(&b)?)?, equal(&a, &b)?)?;
        if options.equal_nan { logical_or(close, logical_and(isnan(&a)?, isnan(&b)?)?) } else { Ok(close) }
    })
}

/// A call of the closeness ufunc: its function, loop and operands.
struct Closeness<'a> {
    function: Ufunc,
    signature: usize,
    operands: [Operand<'a>; 3],
}

impl<'a> Closeness<'a> {
    fn new(a: Operand<'a>, b: Operand<'a>, [rtol, atol]: [f64; 2], equal_nan: bool) -> Result<Self> {
        // The second operand is at least a float: the magnitude of the smallest integer is not representable.
        let (b, own) = match b {
            Operand::Array(x) if is_inexact(x.dtype()) => (b, OperandType::from(x)),
            Operand::Array(_) => (b, OperandType::from(DType::F64)),
            Operand::Scalar(s @ Scalar::Complex(_)) => (b, s.into()),
            Operand::Scalar(s) => (s.real().into(), s.real().into()),
        };
        // The dtype of the difference is that to which both are promoted.
        let common = ufunc("subtract")?.resolve_dtypes(&[OperandType::from(&a), own])?[0];
        let rounded = |x: f64, to: DType| Scalar::decode(&Scalar::Float(x).encode(to), to).real();
        let (own, rtol, atol, b) = match b {
            Operand::Array(_) => (own.array().unwrap_or(common), rtol, atol, b),
            // The tolerance of a scalar is computed in float64, and then cast to the dtype of the difference.
            Operand::Scalar(number) => {
                let size = match number {
                    Scalar::Complex(z) => z.re.hypot(z.im),
                    other => other.real().abs(),
                };
                let atol = atol + rtol * size;
                // A scalar beyond the range of the dtype is finite nonetheless, and close to everything but NaN if its
                // tolerance is beyond the range, too.
                let beyond = |x: f64| x.is_finite() && rounded(x, common.real()).is_infinite();
                (common, 0.0, atol, if beyond(size) && beyond(atol) { 0.0.into() } else { b })
            }
        };
        let rounded = |x: f64| rounded(x, own.real());
        let function = ufunc(if equal_nan { "close_or_nan" } else { "close" })?;
        let signature = function.exact_loop(&[common, own, DType::C128]).ok_or_else(|| {
            Error::new(ErrorKind::NotImplemented, format!("there is no comparison of {common} with {own}"))
        })?;
        let tolerance = Complex64::new(rounded(rtol), rounded(atol));
        Ok(Closeness { function, signature, operands: [a, b, tolerance.into()] })
    }

    fn each(&self) -> Result<Array> {
        let out = self.out()?;
        let options = UfuncOptions { out: out.as_ref(), ..UfuncOptions::default() };
        Ok(self.function.launch(self.signature, &self.operands, &options)?.0)
    }

    /// Returns the output array if its layout may differ from that of the operands: NumPy computes the result in steps,
    /// and the tolerance from a copy of the second operand, in which an axis along which it was broadcast varies
    /// fastest. Integers are copied before.
    fn out(&self) -> Result<Option<Array>> {
        let Operand::Array(b) = self.operands[1] else { return Ok(None) };
        if !b.strides().contains(&0) {
            return Ok(None);
        }
        let copied = b.layout().in_order(DType::F64.size(), Order::K);
        let second = if is_inexact(b.dtype()) { b.layout() } else { &copied };
        let (shape, first) = match self.operands[0] {
            Operand::Array(a) => (broadcast_shapes(&[a.shape(), b.shape()])?, Some(a.layout())),
            Operand::Scalar(_) => (b.shape().into(), None),
        };
        let strides: SmallVec<[_; 2]> =
            first.into_iter().chain([second]).map(|layout| layout.broadcast_strides(&shape)).collect();
        let operands: SmallVec<[&[i64]; 2]> = strides.iter().map(|s| s.as_slice()).collect();
        let magnitudes = Layout::like(&second.shape, DType::F64.size(), &[&second.strides]);
        let allowed = magnitudes.broadcast_strides(&shape);
        let like = |operands: &[&[i64]]| Layout::like(&shape, DType::Bool.size(), operands);
        // The layouts of the difference or equality, then of the comparison with the tolerance and the finiteness test,
        // then of their disjunction.
        let distance = like(&operands);
        let mut result = like(&[&distance.strides, &allowed]);
        result = like(&[&result.strides, &allowed]);
        result = like(&[&result.strides, &distance.strides]);
        Array::of_layout(b.device(), result, DType::Bool).map(Some)
    }

    fn all(&self) -> Result<bool> {
        self.function.all_of_loop(self.signature, &self.operands)
    }
}

/// Returns whether all elements are close; NumPy's `allclose`.
///
/// The operands are broadcast; the result is `all(|a - b| <= atol + rtol * |b|)`, which is not symmetric in `a` and
/// `b`. One pass reads both operands and stops at nothing: no array of booleans is written.
///
/// ```
/// use cuprum::{allclose, array};
/// assert!(allclose(array([1.0, 2.0])?, array([1.0, 2.0 + 1e-9])?, ())?);
/// assert!(!allclose(array([1.0, 2.0])?, array([1.0, 2.1])?, ())?);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`isclose`].
///
/// # Synchronization
///
/// Synchronises to read the result.
#[routine(method)]
pub fn allclose(a: Operand<'_>, b: Operand<'_>, options: CloseOptions<'_>) -> Result<bool> {
    match options.numbers() {
        Some(tolerances) => Closeness::new(a, b, tolerances, options.equal_nan)?.all(),
        None => super::all(&close_within_arrays(a, b, &options)?, ())?.item(),
    }
}

/// Options of [`array_equal`].
///
/// By default NaN is not equal to NaN.
///
/// ```
/// use cuprum::{EqualOptions, array, array_equal};
/// let a = array([1.0, f64::NAN])?;
/// assert!(!array_equal(&a, &a, ())?);
/// assert!(array_equal(&a, &a, EqualOptions::new().equal_nan(true))?);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Options)]
pub struct EqualOptions {
    /// If true, NaN is equal to NaN. By default `false`.
    pub equal_nan: bool,
}

/// Returns whether two arrays have the same shape and equal elements; NumPy's `array_equal`. NaN is equal to NaN with
/// `equal_nan`.
///
/// ```
/// use cuprum::{EqualOptions, array, array_equal};
/// let a = array([1.0, f64::NAN])?;
/// assert!(!array_equal(&a, &a, ())?);
/// assert!(array_equal(&a, &a, EqualOptions::new().equal_nan(true))?);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Errors of the device.
///
/// # Synchronization
///
/// Synchronises to read the result.
#[routine(names = "a1 a2")]
pub fn array_equal(a: &Array, b: &Array, options: EqualOptions) -> Result<bool> {
    let go = || {
        if a.shape() != b.shape() {
            return Ok(false);
        }
        if options.equal_nan && [a, b].iter().any(|x| is_inexact(x.dtype())) {
            // No number is within a NaN tolerance.
            return Closeness::new(a.into(), b.into(), [f64::NAN; 2], true)?.all();
        }
        ufunc("equal")?.all_of(&[a.into(), b.into()])
    };
    go().map_err(|e: Error| e.with_op("array_equal"))
}

/// Returns whether two arrays can be broadcast and then have equal elements; NumPy's `array_equiv`.
///
/// Shapes that cannot be broadcast result in `false`, not in an error.
///
/// ```
/// use cuprum::{array, array_equiv};
/// assert!(array_equiv(array([[1, 2], [1, 2]])?, array([1, 2])?)?);
/// assert!(!array_equiv(array([1, 2])?, array([1, 2, 3])?)?);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Errors of the device.
///
/// # Synchronization
///
/// Synchronises to read the result.
#[routine(names = "a1 a2")]
pub fn array_equiv(a: &Array, b: &Array) -> Result<bool> {
    if broadcast_shapes(&[a.shape(), b.shape()]).is_err() {
        return Ok(false);
    }
    let go = || ufunc("equal")?.all_of(&[a.into(), b.into()]);
    go().map_err(|e: Error| e.with_op("array_equiv"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{arange, array, full, s};

    fn close() -> CloseOptions<'static> {
        CloseOptions::default()
    }

    /// A single different element is found at any position: in a whole vector, in the tail, in every layout.
    #[test]
    fn one_element_that_differs_is_found() -> Result<()> {
        for dtype in [DType::F16, DType::F32, DType::F64, DType::C128] {
            for n in [1i64, 3, 255, 1024, 4097] {
                let a = full([n as usize], 2.0, dtype)?;
                let b = a.copy(Order::C)?;
                assert!(allclose(&a, &b, close())? && array_equal(&a, &b, ())? && array_equiv(&a, &b)?);
                for at in [0, n / 2, n - 1] {
                    b.index(s![at])?.fill(3)?;
                    assert!(!allclose(&a, &b, close())?, "{dtype} {n} {at}");
                    assert!(
                        !array_equal(&a, &b, EqualOptions::new().equal_nan(true))? && !array_equiv(&a, &b)?,
                        "{dtype} {n} {at}"
                    );
                    b.index(s![at])?.fill(2)?;
                }
            }
        }
        let a = arange(0, 64 * 65, 1)?.reshape([64, 65])?;
        let b = a.t().copy(Order::C)?;
        assert!(allclose(&a, b.t(), close())? && array_equal(&a, b.t(), EqualOptions::new().equal_nan(true))?);
        assert!(!allclose(&a, &a.index(s![..;-1])?, close())?);
        b.index(s![64, 63])?.fill(0)?;
        assert!(!allclose(&a, b.t(), close())? && !array_equal(&a, b.t(), EqualOptions::new().equal_nan(true))?);
        assert!(allclose(&a.index(s![.., ..;2])?, &a.index(s![.., ..;2])?, close())?);
        assert!(allclose(&a, &a.index(s![0])?, close().atol(5000.0))?);
        assert!(!allclose(&a, &a.index(s![0])?, close())?);
        Ok(())
    }

    /// The tolerance is rounded to the dtype of the second operand, the difference to the promoted dtype.
    #[test]
    fn steps_round_to_their_dtypes() -> Result<()> {
        // In float16, 1e-8 rounds to zero.
        let none = close().rtol(0.0);
        let half = |x: f64| full([2], x, DType::F16);
        assert!(!allclose(&full([2], 1e-9, DType::F32)?, &half(0.0)?, none)?);
        assert!(allclose(&half(0.0)?, &full([2], 1e-9, DType::F32)?, none)?);
        // A scalar's tolerance has the dtype of the difference.
        assert!(allclose(&full([2], 1e-9, DType::F32)?, 0, none)?);
        assert!(!allclose(&half(6e-8)?, 0.0, none)?);
        // Integers and booleans are compared as float64.
        let bytes = array(&[-128i8, 127][..])?;
        assert_eq!(isclose(127, &bytes, close())?.to_vec::<bool>()?, [false, true]);
        assert!(allclose(&array(&[true, true][..])?, true, close())?);
        Ok(())
    }
}
