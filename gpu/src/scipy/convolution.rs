//! Convolutions and correlations of arrays, as sums of products or by transforms, whichever is faster.
//!
//! Which one that is follows from counts alone, without a look at the elements: products, and what of a device's time one of
//! them takes, beside the bytes that the transforms move. Integers are transformed only where no sum of their dtype can be
//! more than float64 counts.

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

/// How a convolution is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Choice)]
pub enum ConvolveMethod {
    /// As [`choose_conv_method`] says.
    #[default]
    Auto,
    /// By sums of products.
    Direct,
    /// By Fourier transforms.
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

/// How [`convolve`] and [`correlate`] go about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Options)]
pub struct ConvolveOptions {
    /// Which results there are: by default all.
    #[from]
    pub mode: CorrelateMode,
    /// By sums of products, or by transforms: by default whichever is faster.
    pub method: ConvolveMethod,
}

impl Default for ConvolveOptions {
    fn default() -> Self {
        ConvolveOptions { mode: CorrelateMode::Full, method: ConvolveMethod::Auto }
    }
}

/// Which results [`choose_conv_method`] is asked about, and those of [`correlation_lags`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Options)]
pub struct LagsOptions {
    /// By default all.
    #[from]
    pub mode: CorrelateMode,
}

impl Default for LagsOptions {
    fn default() -> Self {
        LagsOptions { mode: CorrelateMode::Full }
    }
}

/// The convolution of two arrays of as many axes; SciPy's `scipy.signal.convolve`. The result has the dtype to which both are
/// promoted; sums of integers wrap.
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
/// [`ErrorKind::Value`] for operands of other numbers of axes, for an empty one, and with the mode valid where neither operand
/// covers the other.
#[routine(namespace = "scipy.signal")]
pub fn convolve(in1: &Array, in2: &Array, options: ConvolveOptions) -> Result<Array> {
    let Some(task) = begun(in1, in2, options.mode)? else { return apply("multiply", [in1.into(), in2.into()]) };
    convolved(&task, options)
}

/// The sums of the products of one array with the conjugate of the other, shifted along it; SciPy's
/// `scipy.signal.correlate`.
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
/// As [`convolve`].
#[routine(namespace = "scipy.signal")]
pub fn correlate(in1: &Array, in2: &Array, options: ConvolveOptions) -> Result<Array> {
    let conjugate = if in2.dtype().is_complex() { apply("conjugate", [in2.into()])? } else { in2.clone() };
    let Some(task) = begun(in1, &turned(&conjugate), options.mode)? else {
        return apply("multiply", [in1.into(), (&conjugate).into()]);
    };
    convolved(&task, options)
}

/// By sums of products or by transforms, whichever is faster for a convolution; SciPy's `scipy.signal.choose_conv_method`.
/// It looks at no element, and so takes products for integers whose sums may have more than 52 bits.
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
/// As [`convolve`].
#[routine(namespace = "scipy.signal")]
pub fn choose_conv_method(in1: &Array, in2: &Array, options: LagsOptions) -> Result<ConvolveMethod> {
    Ok(begun(in1, in2, options.mode)?.map_or(ConvolveMethod::Direct, |task| chosen(&task)))
}

/// How far the second operand is shifted for each result of [`correlate`] of one axis; SciPy's
/// `scipy.signal.correlation_lags`.
///
/// ```
/// assert_eq!(cuprum::scipy::signal::correlation_lags(3, 2, ())?.to_vec::<i64>()?, [-1, 0, 1, 2]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for a length of less than one.
#[routine(namespace = "scipy.signal")]
pub fn correlation_lags(in1_len: isize, in2_len: isize, options: LagsOptions) -> Result<Array> {
    if in1_len < 1 || in2_len < 1 {
        return wrong(format!("sequences of {in1_len} and {in2_len} elements: each needs at least one"));
    }
    let (n, k) = (in1_len as i64, in2_len as i64);
    let (first, end) = match options.mode {
        CorrelateMode::Full => (1 - k, n),
        // As many as the first operand has elements, in the middle of all.
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

/// An array backwards along all axes: a view.
fn turned(a: &Array) -> Array {
    let mut layout = a.layout().clone();
    let mut offset = layout.offset as i64;
    for (stride, n) in layout.strides.iter_mut().zip(&layout.shape) {
        offset += *stride * (*n as i64 - 1).max(0);
        *stride = -*stride;
    }
    layout.offset = offset as usize;
    a.with_layout(layout)
}

/// The operands of a convolution along all axes; none where they are numbers.
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
        // Whole numbers of int64, of which the lower bits are those of the sums.
        Kind::Bool | Kind::Signed | Kind::Unsigned => rint(&result)?.astype(DType::I64)?.astype(dtype),
        _ => result.astype(dtype),
    }
}

/// Sums of products. The array with more elements is the one that is walked along.
fn direct(task: &Task, dtype: DType) -> Result<Array> {
    let cast = |x: &Array| if x.dtype() == dtype { Ok(x.clone()) } else { x.astype(dtype) };
    let (first, second) = (cast(&task.first)?, cast(&task.second)?);
    let (long, short) = if second.size() > first.size() { (second, first) } else { (first, second) };
    let short = turned(&short);
    let (shape, starts) = task.shown();
    // Of the mode same the results may begin behind the first that the whole shorter array meets.
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

/// Bytes that an H200's memory moves in a second, and what a few dozens of launches take at the least.
const BYTES: f64 = 4.0e12;
const LAUNCHES: f64 = 50e-6;

/// Which of both methods takes less time by what it must compute and move.
fn chosen(task: &Task) -> ConvolveMethod {
    let dtype = promote_types(task.first.dtype(), task.second.dtype());
    let (shape, _) = task.shown();
    let least = task.first.size().min(task.second.size()) as f64;
    if !is_exact(dtype, (task.first.size() as f64 * task.second.size() as f64).sqrt()) {
        return ConvolveMethod::Direct;
    }
    // Of one axis products come from registers, of several from the first-level cache.
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
    // Three transforms, the copies before them and the product between: some 24 times over all elements.
    let item = if matches!(dtype, DType::F16 | DType::BF16 | DType::F32 | DType::C64) { 4.0 } else { 8.0 };
    let parts = if real { 1.0 } else { 2.0 };
    let by_transforms = LAUNCHES + 24.0 * elements * item * parts / BYTES;
    if by_transforms < by_products { ConvolveMethod::Fft } else { ConvolveMethod::Direct }
}

/// Whether transforms in float64 tell sums of a dtype from their neighbours, of integers every single one: each errs by some
/// units of the lengths of both operands, here those of the largest numbers there are.
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
    /// The shape of the results, and at which of all results along each axis they begin.
    fn shown(&self) -> (Dims, Dims) {
        let one = |axis: usize| {
            let size = self.size(axis);
            (size, (self.full(axis) - size) / 2)
        };
        (0..self.first.ndim()).map(one).unzip()
    }
}
