//! Windows with all arguments given, from which the filters are composed.
//!
//! A window is described by sizes, offsets and host lists, which become kernel parameters: a new size or
//! weight compiles nothing. [`filter_axes`] has one pass for each axis, which costs the sum of the sizes;
//! [`filter_area`] visits all elements of a footprint, which costs their number.

use cuprum_macros::unrecorded;

use num_complex::Complex64;

use super::{BorderRule, wrong};
use crate::array::Array;
use crate::engine::components::Reach;
use crate::engine::{Area, AreaOp, Binary, LineOp, Pass, fill, window_changes, window_passes};
use crate::error::{Error, ErrorKind, Result};
use crate::scalar::Scalar;

/// Operation of a window along one axis.
///
/// Means never subtract an element that has left the window, as a running sum does: an infinity or NaN
/// affects its own windows only, and errors do not accumulate along an axis.
#[derive(Clone, Debug, PartialEq)]
pub enum AxisOp {
    /// Sum of products with these weights.
    Weights(Vec<f64>),
    /// Mean of this number of elements.
    Mean(usize),
    /// Minimum of this number of elements.
    Minimum(usize),
    /// Maximum of this number of elements.
    Maximum(usize),
}

/// Window along one axis.
///
/// SciPy's functions of one axis are windows of this kind.
#[derive(Clone, Debug, PartialEq)]
pub struct AxisWindow {
    /// The axis.
    pub axis: usize,
    /// The operation.
    pub op: AxisOp,
    /// Offset of the window of n elements from its centre, at least -(n / 2) and at most (n - 1) / 2.
    pub origin: isize,
    /// Continuation beyond the ends of the axis.
    pub mode: BorderRule,
    /// The value of a constant continuation.
    pub cval: Complex64,
}

impl AxisWindow {
    fn pass(&self, imaginary: bool) -> Result<Pass> {
        let (op, size) = match &self.op {
            AxisOp::Weights(weights) => (LineOp::Weights(weights.clone()), weights.len()),
            AxisOp::Mean(size) => (LineOp::Mean(*size), *size),
            AxisOp::Minimum(size) => (LineOp::Minimum(*size), *size),
            AxisOp::Maximum(size) => (LineOp::Maximum(*size), *size),
        };
        if size == 0 {
            return wrong("a window has no element: its size must be at least 1".into());
        }
        let lead = lead(size, self.origin)?;
        let cval = if imaginary { self.cval.im } else { self.cval.re };
        Ok(Pass { axis: self.axis, op, lead, rule: self.mode, cval })
    }
}

/// Returns the position of a result in its window.
fn lead(size: usize, origin: isize) -> Result<i64> {
    let (n, half) = (size as isize, size as isize / 2);
    if origin < -half || origin > (n - 1) / 2 {
        return wrong(format!(
            "the origin {origin} is outside a window of {n} elements: it is from {} to {}",
            -half,
            (n - 1) / 2
        ));
    }
    Ok((half + origin) as i64)
}

/// Calls a computation for each part of complex arrays: `run(source, output, imaginary)`.
pub(super) fn by_parts(
    src: &Array,
    out: &Array,
    mut run: impl FnMut(&Array, &Array, bool) -> Result<()>,
) -> Result<()> {
    match (src.dtype().is_complex(), out.dtype().is_complex()) {
        (false, false) => run(src, out, false),
        (true, false) => Err(Error::new(
            ErrorKind::Type,
            format!("the result of a {} input does not fit an output of {}", src.dtype(), out.dtype()),
        )),
        (false, true) => {
            run(src, &out.real(), false)?;
            fill(&out.imag()?, Scalar::from(0))
        }
        (true, true) => {
            // The parts of an output that is the input are separate, so that each is replaced alone.
            run(&src.real(), &out.real(), false)?;
            run(&src.imag()?, &out.imag()?, true)
        }
    }
}

fn same_shape(src: &Array, out: &Array) -> Result<()> {
    if src.shape() != out.shape() {
        return wrong("the output does not have the shape of the input".into());
    }
    Ok(())
}

/// Applies windows along axes one after another, each to the results of the one before, rounded to the dtype of `out`.
///
/// The result is written to `out`, which has the shape of the input and may share memory with it.
///
/// ```
/// use cuprum::scipy::ndimage::{AxisOp, AxisWindow, BorderRule, filter_axes};
/// let a = cuprum::array([1.0, 4.0, 2.0])?;
/// let window = AxisWindow { axis: 0, op: AxisOp::Maximum(2), origin: 0, mode: BorderRule::Nearest, cval: 0.0.into() };
/// filter_axes(&a, &[window], &a)?;
/// assert_eq!(a.to_vec::<f64>()?, [1.0, 4.0, 4.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for an origin outside its window, an empty window and an output of another shape;
/// [`ErrorKind::Type`] for a complex input with a real output, and for minima and maxima of complex numbers.
#[unrecorded("takes a window of Rust: compared with SciPy's in `gpu/python/tests/test_ndimage_filters.py`")]
pub fn filter_axes(input: &Array, windows: &[AxisWindow], out: &Array) -> Result<()> {
    same_shape(input, out)?;
    let ordered = windows.iter().any(|w| matches!(w.op, AxisOp::Minimum(_) | AxisOp::Maximum(_)));
    if ordered && (input.dtype().is_complex() || out.dtype().is_complex()) {
        return Err(Error::new(ErrorKind::Type, "complex numbers have no minimum or maximum"));
    }
    let src = if input.dtype().is_complex() && input.may_share_memory(out) {
        &input.copy(crate::layout::Order::C)?
    } else {
        input
    };
    by_parts(src, out, |src, out, imaginary| {
        let passes: Vec<Pass> = windows.iter().map(|w| w.pass(imaginary)).collect::<Result<_>>()?;
        window_passes(src, out, &passes)
    })
}

/// Window over all axes.
///
/// The footprint has as many axes as the input.
///
/// ```
/// use cuprum::scipy::ndimage::{AreaWindow, BorderRule, WindowOp, filter_area};
/// let a = cuprum::array([[1, 2], [3, 4]])?;
/// let window = AreaWindow {
///     shape: vec![1, 3],
///     footprint: vec![true, false, true],
///     weights: None,
///     origins: vec![0, 0],
///     modes: vec![BorderRule::Nearest; 2],
///     cval: 0.0.into(),
/// };
/// let out = cuprum::zeros_like(&a, ())?;
/// filter_area(&a, &window, WindowOp::Maximum, &out)?;
/// assert_eq!(out.to_vec::<i32>()?, [2, 2, 4, 4]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct AreaWindow {
    /// Size along each axis.
    pub shape: Vec<usize>,
    /// The elements that belong to the window, in C order.
    pub footprint: Vec<bool>,
    /// Weights, or the structure of a minimum or maximum, in C order.
    pub weights: Option<Vec<f64>>,
    /// Offset of the window from its centre along each axis.
    pub origins: Vec<isize>,
    /// Continuation beyond the ends of each axis.
    pub modes: Vec<BorderRule>,
    /// The value of a constant continuation.
    pub cval: Complex64,
}

/// Operation on the elements of a window over all axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowOp {
    /// Sum of products with the weights.
    Weighted,
    /// Minimum of the elements less the structure.
    Minimum,
    /// Maximum of the elements plus the structure.
    Maximum,
}

impl AreaWindow {
    /// Calls a computation with the window as the engine needs it.
    fn with<T>(&self, input: &Array, imaginary: bool, run: impl FnOnce(&Area<'_>) -> Result<T>) -> Result<T> {
        let axes = input.ndim();
        let elements: usize = self.shape.iter().product();
        let weights = self.weights.as_ref().map_or(elements, Vec::len);
        if [self.shape.len(), self.origins.len(), self.modes.len()] != [axes; 3]
            || self.footprint.len() != elements
            || weights != elements
        {
            return wrong(format!("a window of {} axes does not fit an input of {axes}", self.shape.len()));
        }
        if elements == 0 {
            return wrong("a window has no element: its size must be at least 1 along each axis".into());
        }
        let leads: Vec<i64> = self.shape.iter().zip(&self.origins).map(|(n, o)| lead(*n, *o)).collect::<Result<_>>()?;
        run(&Area {
            shape: &self.shape,
            footprint: &self.footprint,
            weights: self.weights.as_deref(),
            leads: &leads,
            rules: &self.modes,
            cval: if imaginary { self.cval.im } else { self.cval.re },
        })
    }
}

/// Applies a window over all axes.
///
/// The result is written to `out`, which has the shape of the input and may share memory with it; see
/// [`AreaWindow`] for an example. Sums are computed in float64 and rounded once; minima and maxima without
/// a structure are exact in every dtype.
///
/// # Errors
///
/// Same as for [`filter_axes`], and [`ErrorKind::Value`] for a window with another number of axes than the input.
#[unrecorded("takes a window of Rust: compared with SciPy's in `gpu/python/tests/test_ndimage_filters.py`")]
pub fn filter_area(input: &Array, window: &AreaWindow, op: WindowOp, out: &Array) -> Result<()> {
    same_shape(input, out)?;
    let op = match op {
        WindowOp::Weighted => AreaOp::Weighted,
        WindowOp::Minimum => AreaOp::Minimum,
        WindowOp::Maximum => AreaOp::Maximum,
    };
    if op != AreaOp::Weighted && (input.dtype().is_complex() || out.dtype().is_complex()) {
        return Err(Error::new(ErrorKind::Type, "complex numbers have no minimum or maximum"));
    }
    let src = if input.dtype().is_complex() && input.may_share_memory(out) {
        &input.copy(crate::layout::Order::C)?
    } else {
        input
    };
    by_parts(src, out, |src, out, imaginary| window.with(src, imaginary, |area| area.run(op, src, out)))
}

/// Computes a weighted sum for each element of `out`, whose shape is any with the same number of axes: the window of
/// the result at i begins at the element i - `leads` of the input. The origins of the window are not used.
///
/// ```
/// use cuprum::scipy::ndimage::{AreaWindow, BorderRule, correlate_at};
/// let a = cuprum::array([1.0, 2.0])?;
/// let window = AreaWindow {
///     shape: vec![2],
///     footprint: vec![true; 2],
///     weights: Some(vec![1.0, 10.0]),
///     origins: vec![0],
///     modes: vec![BorderRule::Constant],
///     cval: 0.0.into(),
/// };
/// let full = cuprum::zeros([3], ())?;
/// correlate_at(&a, &window, &[1], &full)?;
/// assert_eq!(full.to_vec::<f64>()?, [10.0, 21.0, 2.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as for [`filter_area`]; [`ErrorKind::Value`] for an empty input, and [`ErrorKind::Type`] for complex arrays,
/// which the caller splits.
#[unrecorded("takes a window of Rust: compared with SciPy's in `gpu/python/tests/test_ndimage_filters.py`")]
pub fn correlate_at(input: &Array, window: &AreaWindow, leads: &[i64], out: &Array) -> Result<()> {
    if input.size() == 0 || leads.len() != input.ndim() || out.ndim() != input.ndim() {
        return wrong("the input is empty, or the axes of input, output and offsets differ in number".into());
    }
    if input.dtype().is_complex() || out.dtype().is_complex() {
        return Err(Error::new(ErrorKind::Type, "complex numbers are correlated as their parts"));
    }
    window.with(input, false, |area| Area { leads, ..area.clone() }.run(AreaOp::Weighted, input, out))
}

/// Computes the element of a rank, counted from 0, among the elements of a window over all axes. NaN comes after all
/// numbers.
///
/// The result is written to `out`, which has the shape of the input and may share memory with it; it is
/// exact in every real dtype.
///
/// ```
/// use cuprum::scipy::ndimage::{AreaWindow, BorderRule, filter_rank};
/// let a = cuprum::array([5, 1, 3])?;
/// let window = AreaWindow {
///     shape: vec![3],
///     footprint: vec![true; 3],
///     weights: None,
///     origins: vec![0],
///     modes: vec![BorderRule::Nearest],
///     cval: 0.0.into(),
/// };
/// filter_rank(&a, &window, 1, &a)?;
/// assert_eq!(a.to_vec::<i32>()?, [5, 3, 3]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as for [`filter_area`]; [`ErrorKind::Value`] for a rank that is not less than the number of elements.
#[unrecorded("takes a window of Rust: compared with SciPy's in `gpu/python/tests/test_ndimage_filters.py`")]
pub fn filter_rank(input: &Array, window: &AreaWindow, rank: usize, out: &Array) -> Result<()> {
    same_shape(input, out)?;
    if input.dtype().is_complex() || out.dtype().is_complex() {
        return Err(Error::new(ErrorKind::Type, "complex numbers have no order"));
    }
    let elements = window.footprint.iter().filter(|inside| **inside).count();
    if rank >= elements {
        return wrong(format!("the rank {rank} is not below the number of elements of the window, {elements}"));
    }
    window.with(input, false, |area| area.rank(rank, input, out))
}

/// Returns true if a window is of size 3 along each axis, centred and symmetric, and includes its centre: repeated, it
/// joins neighbours.
fn joins_neighbours(window: &AreaWindow) -> bool {
    let elements = &window.footprint;
    !window.shape.is_empty()
        && window.shape.iter().all(|n| *n == 3)
        && window.origins.iter().all(|origin| *origin == 0)
        && elements[elements.len() / 2]
        && elements.iter().eq(elements.iter().rev())
}

/// Launches between two reads of whether anything changed.
const ROUNDS: usize = 8;

/// Erodes a binary image: an element stays true if all elements of the window around it are.
///
/// The elements beyond the borders have the value `cval`, elements where the mask is false keep theirs, and
/// with `invert` the image and the results are inverted, which dilates it. It is repeated `iterations`
/// times, or, for 0, until nothing changes. The result is written to `out`, which has the shape of the
/// input; elements that are not 0 count as true.
///
/// Repetition until nothing changes is one pass of labelling if the window has size 3 along each axis, is
/// symmetric and includes its centre: the result then consists of connected components.
///
/// ```
/// use cuprum::scipy::ndimage::{AreaWindow, BorderRule, erode};
/// let a = cuprum::array([true, true, true, true])?;
/// let window = AreaWindow {
///     shape: vec![3],
///     footprint: vec![true; 3],
///     weights: None,
///     origins: vec![0],
///     modes: vec![BorderRule::Constant],
///     cval: 0.0.into(),
/// };
/// erode(&a, &window, None, false, 1, &a)?;
/// assert_eq!(a.to_vec::<bool>()?, [false, true, true, false]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as for [`filter_area`]; [`ErrorKind::Value`] for a mask of another shape; [`ErrorKind::Type`] for
/// complex inputs.
///
/// # Synchronization
///
/// For `iterations` of 0 and a window that does not join neighbours it synchronises after every 8 passes,
/// to read whether anything has changed.
#[unrecorded("takes a window of Rust: compared with SciPy's in `gpu/python/tests/test_ndimage_filters.py`")]
pub fn erode(
    input: &Array,
    window: &AreaWindow,
    mask: Option<&Array>,
    invert: bool,
    iterations: usize,
    out: &Array,
) -> Result<()> {
    same_shape(input, out)?;
    if let Some(mask) = mask {
        same_shape(mask, out)?;
    }
    if input.dtype().is_complex() {
        return Err(Error::new(ErrorKind::Type, "a binary image is not complex"));
    }
    window.with(input, false, |area| {
        let image = |a: &Array| crate::engine::make::empty(a.device(), a.shape(), cuprum_kernels::DType::Bool);
        let step =
            |src: &Array, out: &Array, changed: Option<&Array>| area.erode(src, out, Binary { mask, invert, changed });
        if iterations == 0 && input.size() > 0 && joins_neighbours(window) {
            // What a dilation reaches within the mask is the components with a seed.
            let to = if out.is_c_contiguous()
                && out.dtype() == cuprum_kernels::DType::Bool
                && !out.may_share_memory(input)
            {
                out.clone()
            } else {
                image(input)?
            };
            let border = (area.cval != 0.0) == invert;
            Reach { mask, seeds: input, invert: !invert, border }.run(&window.footprint, &to)?;
            return if to.addr() == out.addr() { Ok(()) } else { crate::engine::copy(&to, out) };
        }
        if area.erode_bits(input, out, mask, invert, iterations)? {
            return Ok(());
        }
        if iterations == 1 {
            return step(input, out, None);
        }
        let (mut one, mut two) = (image(input)?, image(input)?);
        step(input, &one, None)?;
        if iterations > 1 {
            for _ in 1..iterations {
                step(&one, &two, None)?;
                std::mem::swap(&mut one, &mut two);
            }
        } else {
            loop {
                let changed = window_changes(&one)?;
                for round in 0..ROUNDS {
                    step(&one, &two, (round + 1 == ROUNDS).then_some(&changed))?;
                    std::mem::swap(&mut one, &mut two);
                }
                if changed.to_vec::<u32>()? == [0] {
                    break;
                }
            }
        }
        crate::engine::copy(&one, out)
    })
}
