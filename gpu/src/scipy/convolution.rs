//! N-dimensional convolution and correlation, computed directly or by the FFT, whichever is expected to be faster.
//!
//! The method is chosen from shapes and dtypes alone, without reading elements: the time of the multiplications is
//! compared with the time to move the bytes of the transforms. Integers are transformed only if no sum of products of
//! their dtype can exceed the precision of float64.

use cuprum_kernels::{DType, Kind};
use cuprum_macros::{Choice, Options, routine};

use super::fft::next_fast_len;
use super::signal::{Task, transformed};
use crate::array::Array;
use crate::dtype::promote_types;
use crate::engine::{self, AxesCorrelation, Correlation, make};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Dims, Strides, shape_text};
use crate::routines::creation::arange;
use crate::routines::math::rint;
use crate::routines::statistics::CorrelateMode;
use crate::table::{Output, Returned};
use crate::ufunc::apply;

/// Method of a convolution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Choice)]
pub enum ConvolveMethod {
    /// The method that [`choose_conv_method`] returns.
    #[default]
    Auto,
    /// Sums of products.
    Direct,
    /// Product of Fourier transforms.
    Fft,
}

impl Returned for ConvolveMethod {
    fn outputs(self) -> Result<Vec<Output>> {
        let name = match self {
            ConvolveMethod::Auto => "auto",
            ConvolveMethod::Direct => "direct",
            ConvolveMethod::Fft => "fft",
        };
        Ok(vec![Output::Text(name.into())])
    }
}

/// Options of [`convolve`] and [`correlate`].
///
/// ```
/// use cuprum::{CorrelateMode, array, scipy::signal::{ConvolveMethod, ConvolveOptions, convolve}};
/// let (a, v) = (array([1.0, 2.0, 3.0])?, array([1.0, 1.0])?);
/// let options = ConvolveOptions::new().mode(CorrelateMode::Valid).method(ConvolveMethod::Direct);
/// assert_eq!(convolve(&a, &v, options)?.to_vec::<f64>()?, [3.0, 5.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Options)]
pub struct ConvolveOptions {
    /// The extent of the result; by default the full convolution.
    #[from]
    pub mode: CorrelateMode,
    /// The method; by default the one expected to be faster.
    pub method: ConvolveMethod,
}

impl Default for ConvolveOptions {
    fn default() -> Self {
        ConvolveOptions { mode: CorrelateMode::Full, method: ConvolveMethod::Auto }
    }
}

/// Options of [`choose_conv_method`] and [`correlation_lags`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Options)]
pub struct LagsOptions {
    /// The extent of the result; by default the full convolution.
    #[from]
    pub mode: CorrelateMode,
}

impl Default for LagsOptions {
    fn default() -> Self {
        LagsOptions { mode: CorrelateMode::Full }
    }
}

/// Convolves two arrays with the same number of axes; SciPy's `scipy.signal.convolve`. The result has the dtype to
/// which both are promoted; sums of integers wrap.
///
/// ```
/// use cuprum::{CorrelateMode, array, scipy::signal::convolve};
/// let image = array([[1, 2, 3], [4, 5, 6], [7, 8, 9]])?;
/// let cross = array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])?;
/// assert_eq!(convolve(&image, &cross, CorrelateMode::Valid)?.to_vec::<i32>()?, [20]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] if the numbers of axes differ, if an operand is empty, and in the mode valid if neither operand
/// is at least as large as the other along every axis.
#[routine(namespace = "scipy.signal", no_programs = "a transform does not resolve large integers")]
pub fn convolve(in1: &Array, in2: &Array, options: ConvolveOptions) -> Result<Array> {
    let Some(task) = begun(in1, in2, options.mode)? else { return apply("multiply", [in1.into(), in2.into()]) };
    convolved(&task, options)
}

/// Cross-correlates two arrays: sums the products of `in1` with the conjugate of `in2` at each lag; SciPy's
/// `scipy.signal.correlate`.
///
/// The result has the shape that the mode determines, as of [`convolve`], and the promoted dtype.
///
/// ```
/// use cuprum::{array, scipy::signal::{correlate, correlation_lags}};
/// let (echo, call) = (array([0.0, 0.0, 1.0, 2.0])?, array([1.0, 2.0])?);
/// let match_ = cuprum::argmax(correlate(&echo, &call, ())?, ())?.item::<i64>()?;
/// assert_eq!(correlation_lags(4, 2, ())?.to_vec::<i64>()?[match_ as usize], 2);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as for [`convolve`].
#[routine(namespace = "scipy.signal", no_programs = "a transform does not resolve large integers")]
pub fn correlate(in1: &Array, in2: &Array, options: ConvolveOptions) -> Result<Array> {
    let conjugate = if in2.dtype().is_complex() { apply("conjugate", [in2.into()])? } else { in2.clone() };
    let Some(task) = begun(in1, &reversed(&conjugate), options.mode)? else {
        return apply("multiply", [in1.into(), (&conjugate).into()]);
    };
    convolved(&task, options)
}

/// Chooses the faster of direct and FFT convolution; SciPy's `scipy.signal.choose_conv_method`. It reads no element,
/// and therefore chooses the direct method for integers if the largest sum that their dtype allows exceeds the
/// precision of float64.
///
/// ```
/// use cuprum::{DType, ones, scipy::signal::{ConvolveMethod, choose_conv_method}};
/// let (image, small) = (ones([1000, 1000], DType::F32)?, ones([3, 3], DType::F32)?);
/// assert_eq!(choose_conv_method(&image, &small, ())?, ConvolveMethod::Direct);
/// assert_eq!(choose_conv_method(&image, &image, ())?, ConvolveMethod::Fft);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as for [`convolve`].
#[routine(
    namespace = "scipy.signal",
    no_cases = "depends on the speed of the device",
    no_programs = "depends on the speed of the device"
)]
pub fn choose_conv_method(in1: &Array, in2: &Array, options: LagsOptions) -> Result<ConvolveMethod> {
    Ok(begun(in1, in2, options.mode)?.map_or(ConvolveMethod::Direct, |task| chosen(&task)))
}

/// Lags of the results of a 1-D [`correlate`]; SciPy's `scipy.signal.correlation_lags`. The result is a 1-D array of
/// int64.
///
/// ```
/// assert_eq!(cuprum::scipy::signal::correlation_lags(3, 2, ())?.to_vec::<i64>()?, [-1, 0, 1, 2]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for a length less than one.
#[routine(namespace = "scipy.signal", no_programs = "takes host scalars only, which its conformance cases pass")]
pub fn correlation_lags(in1_len: isize, in2_len: isize, options: LagsOptions) -> Result<Array> {
    if in1_len < 1 || in2_len < 1 {
        return wrong(format!("sequences of {in1_len} and {in2_len} elements: each needs at least one"));
    }
    let (n, k) = (in1_len as i64, in2_len as i64);
    let (first, end) = match options.mode {
        CorrelateMode::Full => (1 - k, n),
        // The central `n` of the full results.
        CorrelateMode::Same => {
            let first = 1 - k + (n + k - 1) / 2 - n / 2;
            (first, (first + n).min(n))
        }
        CorrelateMode::Valid => ((n - k).min(0), (n - k).max(0) + 1),
    };
    arange(first, end, 1)
}

fn wrong<T>(message: String) -> Result<T> {
    Err(Error::new(ErrorKind::Value, message))
}

/// Returns a view with all axes reversed.
fn reversed(a: &Array) -> Array {
    let mut layout = a.layout().clone();
    let mut offset = layout.offset as i64;
    for (stride, n) in layout.strides.iter_mut().zip(&layout.shape) {
        offset += *stride * (*n as i64 - 1).max(0);
        *stride = -*stride;
    }
    layout.offset = offset as usize;
    a.with_layout(layout)
}

/// Builds the task of a convolution along all axes; `None` for 0-d operands.
fn begun(in1: &Array, in2: &Array, mode: CorrelateMode) -> Result<Option<Task>> {
    engine::one_device(in1, [in2])?;
    if in1.ndim() != in2.ndim() {
        let (one, two) = (shape_text(in1.shape()), shape_text(in2.shape()));
        return wrong(format!("operands of shapes {one} and {two} have other numbers of axes"));
    }
    if in1.ndim() == 0 {
        return Ok(None);
    }
    if in1.size() == 0 || in2.size() == 0 {
        let (one, two) = (shape_text(in1.shape()), shape_text(in2.shape()));
        return wrong(format!("operands of shapes {one} and {two}: one of them has no elements to convolve"));
    }
    Task::along((0..in1.ndim()).collect(), in1, in2, mode).map(Some)
}

fn convolved(task: &Task, options: ConvolveOptions) -> Result<Array> {
    let dtype = promote_types(task.first.dtype(), task.second.dtype());
    let method = if options.method == ConvolveMethod::Auto { chosen(task) } else { options.method };
    if method == ConvolveMethod::Direct {
        return direct(task, dtype);
    }
    let result = transformed(task)?;
    match dtype.kind() {
        _ if result.dtype() == dtype => Ok(result),
        // Exact integers below 2^63; the conversion keeps the low bits, as wrapping sums do.
        Kind::Bool | Kind::Signed | Kind::Unsigned => rint(&result)?.astype(DType::I64)?.astype(dtype),
        _ => result.astype(dtype),
    }
}

/// Computes sums of products. The operand with fewer elements is the kernel, the other is the signal.
fn direct(task: &Task, dtype: DType) -> Result<Array> {
    let cast = |x: &Array| if x.dtype() == dtype { Ok(x.clone()) } else { x.astype(dtype) };
    let (first, second) = (cast(&task.first)?, cast(&task.second)?);
    let (long, short) = if second.size() > first.size() { (second, first) } else { (first, second) };
    let short = reversed(&short);
    let (shape, starts) = task.visible_part();
    // In the mode same, the first result may come after the first complete overlap, which makes the lead negative.
    let lead: Strides = short.shape().iter().zip(&starts).map(|(k, start)| *k as i64 - 1 - *start as i64).collect();
    let out = make::empty(long.device(), &shape, dtype)?;
    match (long.shape(), short.shape(), lead.as_slice()) {
        (&[n], &[k], &[lead]) if n >= k && lead >= 0 => {
            Correlation { long: &long, short: &short, lead: lead as usize, out: &out }.run()?;
        }
        _ => AxesCorrelation { long: &long, short: &short, lead: &lead, out: &out }.run()?,
    }
    Ok(out)
}

/// Memory bandwidth of an H200 in bytes per second, and a lower bound in seconds for the launches of an FFT
/// convolution.
const BYTES: f64 = 4.0e12;
const LAUNCHES: f64 = 50e-6;

/// Chooses the method whose estimated time, of arithmetic or of memory traffic, is less.
fn chosen(task: &Task) -> ConvolveMethod {
    let dtype = promote_types(task.first.dtype(), task.second.dtype());
    let (shape, _) = task.visible_part();
    let least = task.first.size().min(task.second.size()) as f64;
    if !is_exact(dtype, (task.first.size() as f64 * task.second.size() as f64).sqrt()) {
        return ConvolveMethod::Direct;
    }
    // 1-D products read registers, N-d products the L1 cache.
    let one = task.first.ndim() == 1;
    let products = match (one, dtype.kind(), dtype.size()) {
        (true, Kind::Float, ..=4) => 1.5e13,
        (true, Kind::Float, _) => 0.8e13,
        (true, Kind::Complex, 8) => 0.35e13,
        (true, Kind::Complex, _) => 0.2e13,
        (true, ..) => 0.5e13,
        (false, Kind::Complex, 16) => 0.15e13,
        (false, ..) => 0.3e13,
    };
    let by_products = least * shape.iter().map(|n| *n as f64).product::<f64>() / products;
    let real = !dtype.is_complex();
    let fast = |axis: usize| next_fast_len(task.full(axis) as isize, real).map_or(task.full(axis), |n| n as usize);
    let elements: f64 = (0..task.first.ndim()).map(|axis| fast(axis) as f64).product();
    // Three transforms, the copies before them and the product between: about 24 passes over all elements.
    let item = if matches!(dtype, DType::F16 | DType::BF16 | DType::F32 | DType::C64) { 4.0 } else { 8.0 };
    let parts = if real { 1.0 } else { 2.0 };
    let by_transforms = LAUNCHES + 24.0 * elements * item * parts / BYTES;
    if by_transforms < by_products { ConvolveMethod::Fft } else { ConvolveMethod::Direct }
}

/// Returns whether FFTs in float64 are accurate enough for a dtype: for integers, whether every sum can be rounded to
/// the exact one. The error of a sum is a few units in the last place of the largest possible sum of as many products
/// as the geometric mean of both sizes.
fn is_exact(dtype: DType, mean: f64) -> bool {
    match dtype.kind() {
        Kind::Bool => false,
        Kind::Signed | Kind::Unsigned => {
            let bits = 8 * dtype.size() as i32 - i32::from(dtype.kind() == Kind::Signed);
            mean * 2f64.powi(2 * bits) < 2f64.powi(43)
        }
        _ => true,
    }
}

impl Task {
    /// Returns the shape of the result and, along each axis, its offset in the full result.
    fn visible_part(&self) -> (Dims, Dims) {
        let one = |axis: usize| {
            let size = self.size(axis);
            (size, (self.full(axis) - size) / 2)
        };
        (0..self.first.ndim()).map(one).unzip()
    }
}
