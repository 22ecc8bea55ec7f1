//! Gathering elements at indices: `take` and `take_along_axis`.
//!
//! A gather is one kernel: a thread for each element of the result, which reads the index and copies the element, or
//! rows of several bytes where the elements after the axis are contiguous.

use cuprum_kernels::source::OutOfBounds;
use cuprum_macros::{Choice, Options, routine};
use smallvec::SmallVec;

use crate::array::Array;
use crate::dtype::{Casting, can_cast};
use crate::elements::along;
use crate::engine::{self, Along, Gathering, Pick, make};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Dims, Layout, Order, broadcast_shapes, normalize_axis, shape_text, size_of};

/// Treatment of indices out of bounds; NumPy's `mode`.
///
/// Each has NumPy's name in lower case, by which the call table and Python pass it.
///
/// ```
/// use cuprum::{IndexMode, TakeOptions, array, take};
/// let (a, out_of_bounds) = (array([1, 2, 3])?, array([-4, 5])?);
/// assert_eq!(take(&a, &out_of_bounds, TakeOptions::new().mode(IndexMode::Wrap))?.to_vec::<i32>()?, [3, 3]);
/// assert_eq!(take(&a, &out_of_bounds, TakeOptions::new().mode(IndexMode::Clip))?.to_vec::<i32>()?, [1, 3]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Choice)]
pub enum IndexMode {
    /// An error. Negative indices count from the end.
    #[default]
    Raise,
    /// Wraps around: the index modulo the size.
    Wrap,
    /// Clips to the nearest index in bounds: negative indices become 0.
    Clip,
}

impl IndexMode {
    pub(super) fn out_of_bounds(self) -> OutOfBounds {
        match self {
            IndexMode::Raise => OutOfBounds::Rejected,
            IndexMode::Wrap => OutOfBounds::Wrapped,
            IndexMode::Clip => OutOfBounds::Clipped,
        }
    }
}

/// Options of [`take`].
///
/// An integer converts to options that set the axis alone.
///
/// ```
/// use cuprum::{IndexMode, TakeOptions, array, take};
/// let a = array([1, 2, 3])?;
/// assert_eq!(take(&a, array([5, -1])?, TakeOptions::new().mode(IndexMode::Clip))?.to_vec::<i32>()?, [3, 1]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, Options)]
pub struct TakeOptions<'a> {
    /// The axis; by default the array is flattened in C order.
    #[from]
    pub axis: Option<isize>,
    /// The output array, of the result's shape and of a dtype that can be cast safely to the array's; by default a new
    /// one.
    pub out: Option<&'a Array>,
    /// The treatment of indices out of bounds. By default [`IndexMode::Raise`].
    pub mode: IndexMode,
}

/// Gathers the elements of `a` at indices along an axis, which is replaced by the axes of the indices; NumPy's `take`.
/// The indices are integers of any dtype.
///
/// The result has the dtype of `a` and C order; its shape is that of `a` with the axis replaced by the shape of the
/// indices, or the shape of the indices without an axis.
///
/// # Errors
///
/// [`ErrorKind::Axis`] for an axis that is out of bounds, [`ErrorKind::Type`] for indices that are not integers and for
/// an `out` of another kind of dtype, [`ErrorKind::Value`] for one of another shape, [`ErrorKind::Index`] for any index
/// of an axis of size 0. An index out of bounds is reported by the next call of this thread that synchronises, as
/// [`ErrorKind::Index`].
///
/// ```
/// use cuprum::{IndexMode, TakeOptions, array, take};
/// let a = array([[1, 2, 3], [4, 5, 6]])?;
/// let indices = array([2, -1])?;
/// assert_eq!(take(&a, &indices, ())?.to_vec::<i32>()?, [3, 6]);
/// assert_eq!(take(&a, &indices, 1)?.to_vec::<i32>()?, [3, 3, 6, 6]);
/// let clipped = TakeOptions::new().axis(0).mode(IndexMode::Clip);
/// assert_eq!(take(&a, &indices, clipped)?.to_vec::<i32>()?, [4, 5, 6, 1, 2, 3]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[routine(method, python(indices = "indices"))]
pub fn take(a: &Array, indices: &Array, options: TakeOptions<'_>) -> Result<Array> {
    engine::one_device(a, [indices].into_iter().chain(options.out))?;
    // NumPy treats an array without axes as one of one axis.
    let axis = options.axis.map(|axis| normalize_axis(axis, a.ndim().max(1))).transpose()?;
    if indices.dtype().is_float() || indices.dtype().is_complex() {
        let message = format!("indices are integers: {} cannot be cast to int64", indices.dtype());
        return Err(Error::new(ErrorKind::Type, message));
    }
    let taking = Taking::of(a, axis);
    let shape = taking.shape(indices);
    let Some(out) = options.out else {
        crate::layout::checked_bytes(&shape, a.itemsize())?;
        let out = make::empty(a.device(), &shape, a.dtype())?;
        taking.take(indices, options.mode, &out)?;
        return Ok(out);
    };
    check_out(out, a, &shape)?;
    let read = out.may_share_memory(a) || out.may_share_memory(indices);
    if out.dtype() == a.dtype() && out.is_c_contiguous() && !read {
        taking.take(indices, options.mode, out)?;
    } else {
        let new = make::empty(a.device(), &shape, a.dtype())?;
        taking.take(indices, options.mode, &new)?;
        engine::copy(&new, out)?;
    }
    Ok(out.clone())
}

/// Checks that elements of `a` can be written to `out` in this shape.
pub(super) fn check_out(out: &Array, a: &Array, shape: &[usize]) -> Result<()> {
    if !can_cast(out.dtype(), a.dtype(), Casting::Safe) {
        let (given, own) = (out.dtype(), a.dtype());
        return Err(Error::new(ErrorKind::Type, format!("an out of {given} cannot be cast safely to {own}")));
    }
    if out.shape() != shape {
        let (given, own) = (shape_text(out.shape()), shape_text(shape));
        return Err(Error::new(
            ErrorKind::Value,
            format!("an out of shape {given} does not take results of shape {own}"),
        ));
    }
    out.check_writable()
}

/// An array whose elements are gathered along one axis, or flattened in C order.
struct Taking<'a> {
    a: Array,
    own: &'a Array,
    /// The axis; `None` if the indices are flat.
    axis: Option<usize>,
}

impl Taking<'_> {
    fn of(a: &Array, axis: Option<usize>) -> Taking<'_> {
        let flat = match axis {
            None => a.layout().reshape(&[a.size()], a.itemsize(), Order::C),
            Some(_) if a.ndim() == 0 => a.layout().reshape(&[1], a.itemsize(), Order::C),
            Some(_) => None,
        };
        let axis = axis.or(flat.is_some().then_some(0));
        Taking { a: flat.map_or_else(|| a.clone(), |layout| a.with_layout(layout)), own: a, axis }
    }

    fn shape(&self, indices: &Array) -> Dims {
        let shape = self.a.shape();
        let (before, behind) = self.axis.map_or((&shape[..0], &shape[..0]), |x| (&shape[..x], &shape[x + 1..]));
        before.iter().chain(indices.shape()).chain(behind).copied().collect()
    }

    /// Gathers the elements into `out`, in C order.
    fn take(&self, indices: &Array, mode: IndexMode, out: &Array) -> Result<()> {
        let (a, axis) = (&self.a, self.axis.unwrap_or(0));
        let bound = self.axis.map_or(a.size(), |x| a.shape()[x]);
        if bound == 0 {
            if out.size() > 0 {
                let shape = shape_text(self.own.shape());
                let message = format!("there is nothing to take along axis {axis} of shape {shape}");
                return Err(Error::new(ErrorKind::Index, message));
            }
            return Ok(());
        }
        let step = self.axis.map_or(0, |x| a.strides()[x]);
        let pick = Pick { indices: indices.clone(), bound, axis, step, cell_step: 1 };
        let whole = |x: usize| Along { size: a.shape()[x], offset: a.strides()[x], ..Along::default() };
        let around = self.axis.map_or(0..0, |_| 0..a.ndim());
        let picked = along(indices.shape(), std::slice::from_ref(&pick));
        let mut axes: SmallVec<[Along; 6]> = around.clone().take_while(|x| *x < axis).map(whole).collect();
        if axes.iter().any(|a| a.size == 0) || indices.size() == 0 {
            return Ok(());
        }
        axes.extend(picked);
        axes.extend(around.skip(axis + 1).map(whole));
        let split = self.axis.is_none().then(|| (a.layout().shape.clone(), a.layout().strides.clone()));
        let picks = smallvec::smallvec![pick];
        let out_of_bounds = mode.out_of_bounds();
        Gathering { out_of_bounds, split, ..Gathering::new(("take", ""), picks, axes) }.read(a, out)
    }
}

/// Gathers slices of `a` along an axis at indices that are known to be in bounds, in C order.
pub(in crate::routines) fn parts_at(a: &Array, axis: usize, indices: &Array) -> Result<Array> {
    let mut shape: Dims = a.shape().into();
    shape[axis] = indices.size();
    let out = make::empty(a.device(), &shape, a.dtype())?;
    Taking::of(a, Some(axis)).take(indices, IndexMode::Wrap, &out)?;
    Ok(out)
}

/// Options of [`take_along_axis`] and [`put_along_axis`](super::put_along_axis()).
///
/// An integer converts to options that set the axis.
///
/// ```
/// use cuprum::{array, take_along_axis};
/// let a = array([[30, 10], [20, 40]])?;
/// let order = cuprum::argsort(&a, 1)?;
/// assert_eq!(take_along_axis(&a, &order, 1)?.to_vec::<i32>()?, [10, 30, 20, 40]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Options)]
pub struct AlongAxisOptions {
    /// The axis; without one, the array is flattened in C order. By default the last one.
    #[from]
    pub axis: Option<isize>,
}

/// Defaults to the last axis.
impl Default for AlongAxisOptions {
    fn default() -> AlongAxisOptions {
        AlongAxisOptions { axis: Some(-1) }
    }
}

/// Gathers elements of `arr` at an index for each, along an axis, by default the last; NumPy's `take_along_axis`. The
/// other axes of the indices are broadcast with those of `arr`.
///
/// The result has the dtype of `arr` and the shape of the indices, with the other axes broadcast.
///
/// # Errors
///
/// [`ErrorKind::Axis`] for an axis that is out of bounds, [`ErrorKind::Value`] for indices of another number of axes,
/// [`ErrorKind::Index`] for those that are not integers, for shapes that cannot be broadcast, and for any index of an
/// axis of size 0. An index out of bounds is reported by the next call of this thread that synchronises, as
/// [`ErrorKind::Index`].
///
/// ```
/// use cuprum::{array, argsort, take_along_axis};
/// let a = array([[3, 1, 2], [6, 5, 4]])?;
/// let sorted = take_along_axis(&a, argsort(&a, -1)?, -1)?;
/// assert_eq!(sorted.to_vec::<i32>()?, [1, 2, 3, 4, 5, 6]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[routine(python(aliases = [("a", "arr")]))]
pub fn take_along_axis(arr: &Array, indices: &Array, options: AlongAxisOptions) -> Result<Array> {
    let (a, lines) = (lines_of(arr, options)?, AlongLines::of(arr, indices, options)?);
    let of_indices = indices.layout().broadcast_strides(&lines.shape);
    let layout = Layout::like(&lines.shape, a.itemsize(), &[&of_indices]);
    let out = Array::of_layout(a.device(), layout, a.dtype())?;
    let mut gathering = lines.gathering(&a, indices, ("take_along_axis", ""), None);
    let mut order: SmallVec<[usize; 6]> = (0..lines.shape.len()).collect();
    order.sort_by_key(|&k| std::cmp::Reverse((out.strides()[k], lines.shape[k])));
    gathering.axes = order.iter().map(|&k| gathering.axes[k]).collect();
    gathering.read(&a, &out)?;
    Ok(out)
}

/// Returns the array that is indexed along an axis, flattened if there is none.
pub(super) fn lines_of(arr: &Array, options: AlongAxisOptions) -> Result<Array> {
    if options.axis.is_some() { Ok(arr.clone()) } else { arr.in_one_axis() }
}

/// Indices along one axis, with one for each element of the result.
pub(super) struct AlongLines {
    axis: usize,
    /// The shape of the indices, broadcast with the other axes of the array.
    pub(super) shape: Dims,
}

impl AlongLines {
    pub(super) fn of(arr: &Array, indices: &Array, options: AlongAxisOptions) -> Result<AlongLines> {
        engine::one_device(arr, [indices])?;
        let own: Dims = if options.axis.is_some() { arr.shape().into() } else { smallvec::smallvec![arr.size()] };
        let axis = options.axis.map_or(Ok(0), |axis| normalize_axis(axis, own.len()))?;
        if !indices.dtype().is_integer() {
            let message = format!("indices are integers, not {}", indices.dtype());
            return Err(Error::new(ErrorKind::Index, message));
        }
        if indices.ndim() != own.len() {
            let (given, axes) = (indices.ndim(), own.len());
            let message = format!("the indices have {given} axes, and what they pick from has {axes}");
            return Err(Error::new(ErrorKind::Value, message));
        }
        let mut others = own.clone();
        others[axis] = 1;
        let shape =
            broadcast_shapes(&[&others, indices.shape()]).map_err(|e| Error::new(ErrorKind::Index, e.message()))?;
        if own[axis] == 0 && size_of(&shape) > 0 {
            let shape = shape_text(arr.shape());
            let message = format!("there is nothing to take along axis {axis} of shape {shape}");
            return Err(Error::new(ErrorKind::Index, message));
        }
        Ok(AlongLines { axis, shape })
    }

    /// Builds the gather in C order. `value` has the shape of the indices.
    pub(super) fn gathering(
        &self,
        a: &Array,
        indices: &Array,
        caller: crate::cuda::Function,
        value: Option<&Array>,
    ) -> Gathering {
        let cells = Layout::c_order(a.shape(), 1);
        let pick = Pick {
            indices: indices.clone(),
            bound: a.shape()[self.axis],
            axis: self.axis,
            step: a.strides()[self.axis],
            cell_step: cells.strides[self.axis],
        };
        let mut axes = along(&self.shape, std::slice::from_ref(&pick));
        for (k, to) in axes.iter_mut().enumerate() {
            to.value = value.map_or(0, |v| v.strides()[k]);
            if k != self.axis && a.shape()[k] != 1 {
                (to.offset, to.cell) = (a.strides()[k], cells.strides[k]);
            }
        }
        Gathering { most: a.size(), ..Gathering::new(caller, smallvec::smallvec![pick], axes) }
    }
}
