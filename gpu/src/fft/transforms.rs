//! Transforms along any axes of any array, shared by NumPy's and SciPy's functions.
//!
//! Layouts that the library supports are transformed without a copy. If a pass is needed before the transform (another
//! dtype, a padded length, unsupported strides), it also applies the factor of the norm; otherwise the factor is a pass
//! afterwards. More than three axes, or axes in another memory order, are transformed one after the other, in place.

use cuprum_kernels::DType;
use cuprum_kernels::source::SpectralForm;

use super::fused_callbacks::{Left, Riding};
use crate::array::Array;
use crate::driver::TransformKind;
use crate::dtype::{Casting, can_cast};
use crate::engine::{self, Hooks, Spectrum, fourier, fourier_by_passes, slowest_first};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Dims, Layout, shape_text};
use crate::ufunc::{UfuncOptions, ufunc};

/// Normalisation of transforms: the factors of a transform and its inverse multiply to one over the number of elements.
///
/// NumPy spells them in lower case.
///
/// ```
/// use cuprum::{array, fft::{FftOptions, Norm, fft}};
/// let a = array([1.0, 1.0, 1.0, 1.0])?;
/// let first = |norm| cuprum::real(&fft(&a, FftOptions::new().norm(norm))?).index(cuprum::s![0])?.item::<f64>();
/// assert_eq!((first(Norm::Backward)?, first(Norm::Ortho)?, first(Norm::Forward)?), (4.0, 2.0, 1.0));
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, cuprum_macros::Choice)]
pub enum Norm {
    /// The inverse transform has the whole factor.
    #[default]
    Backward,
    /// Each direction has the square root of the factor.
    Ortho,
    /// The forward transform has the whole factor.
    Forward,
}

impl Norm {
    /// Returns the normalisation with the directions exchanged.
    pub(crate) fn swapped(self) -> Norm {
        match self {
            Norm::Backward => Norm::Forward,
            Norm::Ortho => Norm::Ortho,
            Norm::Forward => Norm::Backward,
        }
    }

    /// Returns the factor of a transform of `n` elements.
    pub(crate) fn factor(self, inverse: bool, n: f64) -> f64 {
        match self {
            Norm::Ortho => 1.0 / n.sqrt(),
            Norm::Backward if inverse => 1.0 / n,
            Norm::Forward if !inverse => 1.0 / n,
            _ => 1.0,
        }
    }
}

/// Returns the dtype of spectra: complex64 for float16, bfloat16, float32 and complex64, otherwise complex128.
pub(crate) fn spectrum_dtype(dtype: DType) -> DType {
    match dtype {
        DType::F16 | DType::BF16 | DType::F32 | DType::C64 => DType::C64,
        _ => DType::C128,
    }
}

/// Properties of the results.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Results<'a> {
    /// The dtype and the shape.
    pub(crate) dtype: DType,
    /// Shape of the result.
    pub(crate) shape: &'a [usize],
    /// The memory order of a new array.
    pub(crate) like: Like,
    /// Array that gets the result.
    pub(crate) out: Option<&'a Array>,
}

/// Memory order of a new array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Like {
    /// C order.
    C,
    /// That of the operand.
    Operand,
    /// That of an elementwise ufunc's result.
    Elements,
}

impl Like {
    fn layout(self, a: &Array, shape: &[usize], itemsize: usize) -> Layout {
        if self == Like::C || a.is_c_contiguous() {
            return Layout::c_order(shape, itemsize);
        }
        if self == Like::Elements {
            return Layout::like(shape, itemsize, &[a.strides()]);
        }
        // Among axes of equal stride, such as those of one element, F order has the first one innermost.
        if a.is_f_contiguous() {
            return Layout::f_order(shape, itemsize);
        }
        let mut order: Dims = (0..a.ndim()).collect();
        order.sort_by_key(|&k| std::cmp::Reverse(a.strides()[k].unsigned_abs()));
        let sorted: Dims = order.iter().map(|&k| shape[k]).collect();
        let dense = Layout::c_order(&sorted, itemsize);
        let mut layout = Layout::c_order(shape, itemsize);
        order.iter().zip(&dense.strides).for_each(|(&k, stride)| layout.strides[k] = *stride);
        layout
    }
}

/// Returns the results that `run` writes into an array of the dtype `work`.
pub(crate) fn results(
    a: &Array,
    results: Results<'_>,
    work: DType,
    run: impl FnOnce(&Array) -> Result<()>,
) -> Result<Array> {
    let Results { dtype, shape, like, out } = results;
    crate::layout::checked_bytes(shape, work.size())?;
    let new = |dtype: DType| Array::of_layout(a.device(), like.layout(a, shape, dtype.size()), dtype);
    if let Some(out) = out {
        engine::one_device(a, [out])?;
        if out.shape() != shape {
            let (is, needed) = (shape_text(out.shape()), shape_text(shape));
            return Err(Error::new(ErrorKind::Value, format!("`out` has the shape {is}: the result has {needed}")));
        }
        if !can_cast(dtype, out.dtype(), Casting::SameKind) {
            let message = format!("`out` is of {}, to which {dtype} cannot be cast by the rule same_kind", out.dtype());
            return Err(Error::new(ErrorKind::Type, message));
        }
        let direct = out.dtype() == work && !out.may_share_memory(a) && !out.layout().overlaps_itself(work.size());
        let target = if direct { out.clone() } else { new(work)? };
        if out.size() > 0 {
            run(&target)?;
        }
        if !direct {
            engine::copy(&target, out)?;
        }
        return Ok(out.clone());
    }
    let target = new(work)?;
    if target.size() > 0 {
        run(&target)?;
    }
    if work == dtype { Ok(target) } else { target.cast(dtype, crate::layout::Order::K) }
}

/// Returns a view of the first elements along each axis.
fn cropped(a: &Array, shape: &[usize]) -> Array {
    let shape = a.shape().iter().zip(shape).map(|(n, most)| *n.min(most)).collect();
    a.with_layout(Layout { shape, ..a.layout().clone() })
}

/// Returns whether an array has too few elements along an axis.
fn is_short(a: &Array, shape: &[usize]) -> bool {
    a.shape().iter().zip(shape).any(|(n, needed)| n < needed)
}

/// Creates an array in C order with the transformed axis last; returns it as stored, and with the axis in its position.
fn with_axis_last(like: &Array, shape: &[usize], axis: usize, dtype: DType) -> Result<(Array, Array)> {
    let mut moved: Dims = shape.into();
    let n = moved.remove(axis);
    moved.push(n);
    let dense = engine::make::empty(like.device(), &moved, dtype)?;
    let mut layout = dense.layout().clone();
    let (size, stride) = (layout.shape.pop(), layout.strides.pop());
    layout.shape.insert(axis, size.unwrap_or(1));
    layout.strides.insert(axis, stride.unwrap_or(0));
    let placed = dense.with_layout(layout);
    Ok((dense, placed))
}

/// Scales and conjugates an array in place.
fn scaled(out: &Array, scale: f64, conjugate: bool) -> Result<()> {
    if scale == 1.0 && !conjugate {
        return Ok(());
    }
    // The parts of dense numbers are multiplied by vector loads.
    if !conjugate && out.is_c_contiguous() {
        let parts = if out.dtype().is_complex() { out.view(out.dtype().real())? } else { out.clone() };
        return ufunc("multiply")?.call((&parts, scale), UfuncOptions::new().out(&parts)).map(drop);
    }
    Spectrum { conjugate, ..Spectrum::copy(out, out, scale) }.run()
}

/// Transforms contiguous rows, which every library supports.
fn dense(turning: TransformKind, inverse: bool, input: &Array, output: &Array, hooks: &Hooks) -> Result<()> {
    if fourier(turning, inverse, input, output, &[output.ndim() - 1], hooks)? {
        return Ok(());
    }
    let message = format!("there is no transform of lines of {} elements", output.shape()[output.ndim() - 1]);
    Err(Error::new(ErrorKind::NotImplemented, message))
}

/// Options of complex transforms.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Factors {
    /// True for an inverse transform.
    pub(crate) inverse: bool,
    /// Factor of the normalisation.
    pub(crate) scale: f64,
    /// True if results are conjugated.
    pub(crate) conjugate: bool,
}

/// Transforms complex numbers along different axes; the shape of `out` determines the lengths. `conjugate` applies to
/// the numbers that are read.
pub(crate) fn complex(a: &Array, axes: &[usize], options: Factors, out: &Array) -> Result<()> {
    several(a, axes, options, out, &Riding::new()?, [true; 2])
}

/// Performs [`complex`] as a part of a longer sequence of transforms: the flags state whether it reads first and writes
/// last.
fn several(
    a: &Array,
    axes: &[usize],
    options: Factors,
    out: &Array,
    riding: &Riding,
    [mut first, ends]: [bool; 2],
) -> Result<()> {
    let Factors { inverse, mut scale, conjugate } = options;
    let mut left = slowest_first(out, axes);
    let unpadded = a.dtype() == out.dtype() && !conjugate && !is_short(a, out.shape());
    let mut source = unpadded.then(|| cropped(a, out.shape()));
    if source.is_none() {
        Spectrum { conjugate, ..Spectrum::copy(a, out, riding.before(&mut scale)) }.run()?;
    }
    // A single axis; in several the library needs no copy between them.
    if let ([axis], false) = (axes, riding.has_callbacks())
        && fourier_by_passes(inverse, scale, source.as_ref().unwrap_or(out), out, *axis)?
    {
        return Ok(());
    }
    while !left.is_empty() {
        let from = source.as_ref().unwrap_or(out);
        let mut done = 0;
        for count in (1..=left.len().min(3)).rev() {
            let last = ends && left.len() == count;
            let (hooks, behind) = riding.hooks(
                out,
                along(out, &left[left.len() - count..]),
                [first, last],
                Left { scale, conjugate: false },
            )?;
            if fourier(TransformKind::Complex, inverse, from, out, &left[left.len() - count..], &hooks)? {
                (done, scale) = (count, behind.scale);
                break;
            }
        }
        if done > 0 {
            left.truncate(left.len() - done);
            (source, first) = (None, false);
            continue;
        }
        let axis = left.pop().expect("an axis is left");
        let (lines, placed) = with_axis_last(out, out.shape(), axis, out.dtype())?;
        Spectrum::copy(from, &placed, riding.before(&mut scale)).run()?;
        let (hooks, behind) = riding.hooks(
            out,
            along(out, &[axis]),
            [first, ends && left.is_empty()],
            Left { scale, conjugate: false },
        )?;
        dense(TransformKind::Complex, inverse, &lines, &lines, &hooks)?;
        Spectrum::copy(&placed, out, 1.0).run()?;
        (scale, source, first) = (behind.scale, None, false);
    }
    scaled(out, scale, false)
}

/// Transforms real numbers to a half spectrum; the last axis has `n` elements. `conjugate` applies to the results.
pub(crate) fn forward(a: &Array, axes: &[usize], n: usize, options: Factors, out: &Array) -> Result<()> {
    let Factors { mut scale, mut conjugate, .. } = options;
    let riding = Riding::new()?;
    let (last, others) = axes.split_last().expect("an axis is halved");
    let mut shape: Dims = out.shape().into();
    shape[*last] = n;
    let real = out.dtype().real();
    let from = if a.dtype() == real && !is_short(a, &shape) {
        cropped(a, &shape)
    } else {
        let layout = Like::Operand.layout(out, &shape, real.size());
        let copy = Array::of_layout(a.device(), layout, real)?;
        Spectrum::copy(a, &copy, riding.before(&mut scale)).run()?;
        copy
    };
    let mut left = slowest_first(out, others);
    let mut done = false;
    for count in (0..=left.len().min(2)).rev() {
        let mut group: Dims = left[left.len() - count..].into();
        group.push(*last);
        let (hooks, behind) =
            riding.hooks(out, along(&from, &group), [true, left.len() == count], Left { scale, conjugate })?;
        if fourier(TransformKind::Forward, false, &from, out, &group, &hooks)? {
            left.truncate(left.len() - count);
            Left { scale, conjugate } = behind;
            done = true;
            break;
        }
    }
    if !done {
        let (lines, placed) = with_axis_last(out, &shape, *last, real)?;
        Spectrum::copy(&from, &placed, riding.before(&mut scale)).run()?;
        let (half, half_placed) = with_axis_last(out, out.shape(), *last, out.dtype())?;
        // The copy afterwards applies what remains.
        let (hooks, _) = riding.hooks(
            out,
            along(&from, &[*last]),
            [true, left.is_empty()],
            Left { scale: 1.0, conjugate: false },
        )?;
        dense(TransformKind::Forward, false, &lines, &half, &hooks)?;
        // Conjugated here only if no transform follows.
        let here = conjugate && left.is_empty();
        Spectrum { conjugate: here, ..Spectrum::copy(&half_placed, out, 1.0) }.run()?;
        conjugate &= !here;
    }
    if !left.is_empty() {
        let options = Factors { inverse: false, scale: 1.0, conjugate: false };
        several(out, &left, options, out, &riding, [false, true])?;
    }
    scaled(out, scale, conjugate)
}

/// Transforms a half spectrum to real numbers. `conjugate` applies to the numbers that are read.
pub(crate) fn backward(a: &Array, axes: &[usize], options: Factors, out: &Array) -> Result<()> {
    let Factors { mut scale, conjugate, .. } = options;
    let riding = Riding::new()?;
    let (last, others) = axes.split_last().expect("an axis is halved");
    let dtype = if out.dtype() == DType::F64 { DType::C128 } else { DType::C64 };
    let mut shape: Dims = out.shape().into();
    shape[*last] = shape[*last] / 2 + 1;
    // The library overwrites its input: a copy is always needed, and applies all preprocessing.
    let half = Array::of_layout(a.device(), Like::Operand.layout(out, &shape, dtype.size()), dtype)?;
    if others.is_empty() {
        Spectrum { conjugate, ..Spectrum::copy(a, &half, riding.before(&mut scale)) }.run()?;
    } else {
        let options = Factors { inverse: true, scale: 1.0, conjugate };
        several(a, others, options, &half, &riding, [true, false])?;
    }
    let first = others.is_empty();
    let (hooks, behind) = riding.hooks(out, along(out, &[*last]), [first, true], Left { scale, conjugate: false })?;
    if fourier(TransformKind::Backward, true, &half, out, &[*last], &hooks)? {
        return scaled(out, behind.scale, false);
    }
    let (lines, placed) = with_axis_last(out, &shape, *last, dtype)?;
    Spectrum::copy(&half, &placed, riding.before(&mut scale)).run()?;
    let (whole, whole_placed) = with_axis_last(out, out.shape(), *last, out.dtype())?;
    let (hooks, _) = riding.hooks(out, along(out, &[*last]), [first, true], Left { scale: 1.0, conjugate: false })?;
    dense(TransformKind::Backward, true, &lines, &whole, &hooks)?;
    Spectrum::copy(&whole_placed, out, 1.0).run()?;
    scaled(out, scale, false)
}

/// Returns the lengths of axes.
fn along(a: &Array, axes: &[usize]) -> impl Iterator<Item = usize> {
    axes.iter().map(|&axis| a.shape()[axis])
}

/// Builds a pass between an array and the rows of a transform.
pub(crate) fn pass<'a>(form: SpectralForm, input: &'a Array, out: &'a Array, axis: usize, n: usize) -> Spectrum<'a> {
    Spectrum { form, axis: Some(axis), n, ..Spectrum::copy(input, out, 1.0) }
}

/// Transforms contiguous rows, in place or between real and complex numbers.
pub(crate) fn lines(turning: TransformKind, inverse: bool, input: &Array, output: &Array) -> Result<()> {
    dense(turning, inverse, input, output, &Hooks::default())
}

/// Creates an array in C order with this axis last, of a given length.
pub(crate) fn new_lines(like: &Array, axis: usize, n: usize, dtype: DType) -> Result<(Array, Array)> {
    let mut shape: Dims = like.shape().into();
    shape[axis] = n;
    with_axis_last(like, &shape, axis, dtype)
}
