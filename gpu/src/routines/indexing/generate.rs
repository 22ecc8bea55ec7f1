//! Index grids of diagonals and triangles, and conversion between multi-indices and flat indices.
//!
//! Index arrays are int64. Those of triangles are computed in closed form, one kernel an array: an element's number is
//! converted to its row by the root of a quadratic equation, so that neither a mask nor a count is needed.

use cuprum_kernels::DType;
use cuprum_kernels::source::{GATHER_INDICES, OutOfBounds};
use cuprum_macros::{Options, routine, unrecorded};
use smallvec::SmallVec;

use super::IndexMode;
use super::bounds::{check_integers, check_numbers, counting};
use crate::array::{Array, IntoArgument, IntoOptional, IntoShape, checked_shape};
use crate::cuda::Device;
use crate::elements::along;
use crate::engine::{self, Form, Gathering, Generating, Pick};
use crate::error::{Error, ErrorKind, Result};
use crate::index::{Ellipsis, s};
use crate::layout::{Layout, Order, Strides, broadcast_shapes, shape_text, size_of};
use crate::routines::creation::arange;
use crate::routines::searching::{flatnonzero, nonzero};
use crate::routines::{creation, math};
use crate::table::{Argument, ParameterKind, Value};
use crate::ufunc::{UfuncOptions, ufunc};

/// Returns the indices of the main diagonal of an array of `ndim` axes of length `n`, the same array for each axis;
/// NumPy's `diag_indices`. There are two axes by default, and no index arrays if `ndim` is 0 or negative.
///
/// Each index array has the shape `[n]` and dtype int64.
///
/// ```
/// let at = cuprum::diag_indices(2, ())?;
/// assert_eq!((at.len(), at[0].to_vec::<i64>()?), (2, vec![0, 1]));
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::OutOfMemory`] and errors of the device.
pub fn diag_indices(n: usize, ndim: impl IntoOptional<isize>) -> Result<Vec<Array>> {
    let ndim = ndim.into_optional().unwrap_or(2).max(0) as usize;
    let along = arange(0, n, 1).map_err(|e| e.with_op("diag_indices"))?;
    Ok(vec![along; ndim])
}

/// Returns the indices of the main diagonal of an array; NumPy's `diag_indices_from`.
///
/// There is one index array an axis, each int64 with as many elements as an axis is long.
///
/// ```
/// let at = cuprum::diag_indices_from(cuprum::zeros([3, 3], ())?)?;
/// assert_eq!(at[1].to_vec::<i64>()?, [0, 1, 2]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for an array of one axis or none, and for axes of different lengths.
#[routine(no_programs = "returns one array several times, as NumPy does")]
pub fn diag_indices_from(arr: &Array) -> Result<Vec<Array>> {
    let shape = arr.shape();
    if shape.len() < 2 || shape.iter().any(|&n| n != shape[0]) {
        let message =
            format!("an array of shape {} has no diagonal: it has two axes or more, of one length", shape_text(shape));
        return Err(Error::new(ErrorKind::Value, message));
    }
    diag_indices(shape[0], shape.len())
}

/// Options of [`tril_indices`] and [`triu_indices`].
///
/// An integer converts to options that set the diagonal alone.
///
/// ```
/// use cuprum::tril_indices;
/// let indices = tril_indices(2, ())?;
/// assert_eq!((indices[0].to_vec::<i64>()?, indices[1].to_vec::<i64>()?), (vec![0, 1, 1], vec![0, 0, 1]));
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Options)]
pub struct TriangleOptions {
    /// The diagonal: above the main one, or below it if negative. By default 0.
    #[from]
    pub k: isize,
    /// The number of columns; by default that of rows.
    pub m: Option<usize>,
}

/// Returns the row and the column indices of the lower triangle, on and below a diagonal, row by row; NumPy's
/// `tril_indices`. They are computed in closed form, without synchronising.
///
/// Both arrays are int64 with one axis, as long as the triangle has elements; `n` is the number of rows.
///
/// ```
/// let at = cuprum::tril_indices(2, ())?;
/// assert_eq!((at[0].to_vec::<i64>()?, at[1].to_vec::<i64>()?), (vec![0, 1, 1], vec![0, 0, 1]));
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::OutOfMemory`] and errors of the device.
pub fn tril_indices(n: usize, options: impl IntoArgument<TriangleOptions>) -> Result<Vec<Array>> {
    let options = options.into();
    Triangle::lower(n, options.m.unwrap_or(n), options.k as i64).indices(None).map_err(|e| e.with_op("tril_indices"))
}

/// Returns the row and the column indices of the upper triangle, on and above a diagonal, row by row; NumPy's
/// `triu_indices`.
///
/// Both arrays are int64 with one axis, as long as the triangle has elements; `n` is the number of rows.
///
/// ```
/// let at = cuprum::triu_indices(2, ())?;
/// assert_eq!((at[0].to_vec::<i64>()?, at[1].to_vec::<i64>()?), (vec![0, 0, 1], vec![0, 1, 1]));
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`tril_indices`].
pub fn triu_indices(n: usize, options: impl IntoArgument<TriangleOptions>) -> Result<Vec<Array>> {
    let options = options.into();
    upper(n, options.m.unwrap_or(n), options.k as i64).map_err(|e| e.with_op("triu_indices"))
}

/// Returns the indices of the lower triangle of a matrix; NumPy's `tril_indices_from`.
///
/// The arrays are those of [`tril_indices`] for the rows and the columns of `arr`; `k` is the diagonal.
///
/// There are two arrays of int64.
///
/// ```
/// let at = cuprum::tril_indices_from(cuprum::zeros([2, 2], ())?, -1)?;
/// assert_eq!((at[0].to_vec::<i64>()?, at[1].to_vec::<i64>()?), (vec![1], vec![0]));
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for an array that is not a matrix.
#[routine(k = 0, python(rounded = [("k", Rounding::Cut)]))]
pub fn tril_indices_from(arr: &Array, k: isize) -> Result<Vec<Array>> {
    let [rows, columns] = matrix(arr)?;
    Triangle::lower(rows, columns, k as i64).indices(None)
}

/// Returns the indices of the upper triangle of a matrix; NumPy's `triu_indices_from`.
///
/// The arrays are those of [`triu_indices`] for the rows and the columns of `arr`; `k` is the diagonal.
///
/// There are two arrays of int64.
///
/// ```
/// let at = cuprum::triu_indices_from(cuprum::zeros([2, 2], ())?, 1)?;
/// assert_eq!((at[0].to_vec::<i64>()?, at[1].to_vec::<i64>()?), (vec![0], vec![1]));
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for an array that is not a matrix.
#[routine(k = 0, python(rounded = [("k", Rounding::Ceil)]))]
pub fn triu_indices_from(arr: &Array, k: isize) -> Result<Vec<Array>> {
    let [rows, columns] = matrix(arr)?;
    upper(rows, columns, k as i64)
}

fn matrix(arr: &Array) -> Result<[usize; 2]> {
    arr.shape().try_into().map_err(|_| {
        Error::new(ErrorKind::Value, format!("an array of shape {} is no matrix of two axes", shape_text(arr.shape())))
    })
}

/// Computes an upper triangle as a lower triangle rotated by 180 degrees, counted from its end.
fn upper(n: usize, m: usize, k: i64) -> Result<Vec<Array>> {
    let above = (m as i64 - n as i64).saturating_sub(k);
    Triangle::lower(n, m, above).indices(Some([n as i64 - 1, m as i64 - 1]))
}

/// The nonempty rows of a lower triangle.
struct Triangle {
    /// The first of these rows.
    top: i64,
    /// The number of elements of the first row.
    first: i64,
    /// The maximum number of elements of a row.
    width: i64,
    elements: i64,
}

impl Triangle {
    fn lower(n: usize, m: usize, k: i64) -> Triangle {
        let (n, m) = (n as i64, m as i64);
        // The diagonal is clamped beyond the size of the matrix.
        let k = k.clamp(-n - 1, m);
        let top = (-k).max(0);
        let rows = (n - top).max(0);
        let first = (top + k + 1).clamp(0, m);
        let growing = rows.min(m - first);
        let elements = if m == 0 { 0 } else { growing * first + growing * (growing - 1) / 2 + (rows - growing) * m };
        Triangle { top, first, width: m, elements }
    }

    /// Computes row and column indices; given the last row and column, both count down from the last element.
    fn indices(&self, last: Option<[i64; 2]>) -> Result<Vec<Array>> {
        let device = Device::current()?;
        let line = |form, from: i64, last: Option<i64>| {
            let out = engine::make::empty(device, &[self.elements as usize], DType::I64)?;
            let (start, weight) = if last.is_some() { (self.elements - 1, -1) } else { (0, 1) };
            let (base, sign) = last.map_or((from, 1), |last| (last - from, -1));
            let integers = [self.first, self.width, base, sign];
            Generating { integers, ..Generating::new(form, start, &[weight], &out) }.run()?;
            Ok(out)
        };
        Ok(vec![
            line(Form::TriangleRow, self.top, last.map(|last| last[0]))?,
            line(Form::TriangleColumn, 0, last.map(|last| last[1]))?,
        ])
    }
}

/// NumPy's signatures, for the call table: negative numbers of rows and columns count as zero.
mod forms {
    use super::*;

    fn count(n: isize) -> usize {
        usize::try_from(n).unwrap_or(0)
    }

    /// Returns the indices of the main diagonal of an array of `ndim` axes of length `n`.
    #[routine(ndim = 2, python(rounded = [("n", Rounding::Ceil)]), no_programs = "returns one array several times, as NumPy does")]
    fn diag_indices(n: isize, ndim: isize) -> Result<Vec<Array>> {
        super::diag_indices(count(n), ndim)
    }

    /// Returns the row and the column indices of the lower triangle, on and below a diagonal, row by row.
    #[routine(k = 0, python(rounded = [("n", Rounding::Ceil), ("k", Rounding::Cut), ("m", Rounding::Ceil)]))]
    fn tril_indices(n: isize, k: isize, m: Option<isize>) -> Result<Vec<Array>> {
        super::tril_indices(count(n), TriangleOptions { k, m: m.map(count) })
    }

    /// Returns the row and the column indices of the upper triangle, on and above a diagonal, row by row.
    #[routine(k = 0, python(rounded = [("n", Rounding::Ceil), ("k", Rounding::Ceil), ("m", Rounding::Ceil)]))]
    fn triu_indices(n: isize, k: isize, m: Option<isize>) -> Result<Vec<Array>> {
        super::triu_indices(count(n), TriangleOptions { k, m: m.map(count) })
    }
}

/// Returns the indices of the nonzero elements that a function leaves of a square matrix of ones; NumPy's
/// `mask_indices`. The function, such as [`tril`](fn@crate::tril), is called with the matrix and `k`.
///
/// There is one int64 array an axis, two for a function that returns a matrix. `k` is passed on to the function, whose
/// result may be of any dtype.
///
/// ```
/// let at = cuprum::mask_indices(3, |m, k| cuprum::triu(m, k), 1)?;
/// assert_eq!((at[0].to_vec::<i64>()?, at[1].to_vec::<i64>()?), (vec![0, 0, 1], vec![1, 2, 2]));
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// The function's, and errors of the device.
///
/// # Synchronization
///
/// Synchronises to read the number of indices.
#[unrecorded("calls a Rust function")]
pub fn mask_indices(n: usize, mask: impl FnOnce(&Array, isize) -> Result<Array>, k: isize) -> Result<Vec<Array>> {
    let go = || nonzero(mask(&creation::ones([n, n], DType::I64)?, k)?);
    go().map_err(|e: Error| e.with_op("mask_indices"))
}

/// Open mesh from index vectors, for indexing with their cross product; NumPy's `ix_`. Each result is a view of an
/// argument along an axis of its own, with size 1 along the others. A mask means the indices at which it is true.
///
/// Result `i` has size 1 along all axes but `i`, and the dtype of the argument, or int64 for a mask. Arrays indexed
/// with all of them select the cross product of rows and columns.
///
/// ```
/// use cuprum::{array, ix_};
/// let at = ix_([array([0, 1])?, array([2, 4, 5])?])?;
/// assert_eq!((at[0].shape(), at[1].shape()), ([2, 1].as_slice(), [1, 3].as_slice()));
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for an array of other than one axis.
///
/// # Synchronization
///
/// Synchronises to count the true elements of a mask.
#[routine(name = "ix_", python(varargs = "args"))]
pub fn ix_(args: &[&Array]) -> Result<Vec<Array>> {
    let crossed = |(axis, a): (usize, &&Array)| {
        if a.ndim() != 1 {
            let shape = shape_text(a.shape());
            return Err(Error::new(
                ErrorKind::Value,
                format!("indices that cross have one axis each, not shape {shape}"),
            ));
        }
        let indices = if a.dtype() == DType::Bool { flatnonzero(a)? } else { (*a).clone() };
        let mut shape = vec![1; args.len()];
        shape[axis] = indices.size() as i64;
        indices.reshape(shape)
    };
    args.iter().enumerate().map(crossed).collect()
}

/// Treatment of indices out of bounds: one mode for every axis, or one for each.
///
/// A single [`IndexMode`] converts to one for every axis, an array of them to one for each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexModes(SmallVec<[IndexMode; 4]>);

impl Default for IndexModes {
    fn default() -> Self {
        IndexMode::default().into()
    }
}

impl From<IndexMode> for IndexModes {
    fn from(mode: IndexMode) -> Self {
        IndexModes([mode].into_iter().collect())
    }
}

impl<const N: usize> From<[IndexMode; N]> for IndexModes {
    fn from(modes: [IndexMode; N]) -> Self {
        IndexModes(modes.into_iter().collect())
    }
}

impl Argument<'_> for IndexModes {
    const KIND: ParameterKind = IndexMode::KIND;

    fn read(value: &Value) -> Result<Self> {
        match value {
            Value::List(all) => Ok(IndexModes(all.iter().map(IndexMode::read).collect::<Result<_>>()?)),
            one => Ok(IndexMode::read(one)?.into()),
        }
    }

    fn value(&self) -> Value {
        match &self.0[..] {
            [one] => one.value(),
            all => Value::List(all.iter().map(IndexMode::value).collect()),
        }
    }
}

/// Options of [`ravel_multi_index`](fn@ravel_multi_index).
///
/// An [`IndexMode`] converts to options that set the mode alone.
#[derive(Clone, Debug, PartialEq, Eq, Options)]
pub struct RavelOptions {
    /// The treatment of indices out of bounds. A negative index is out of bounds.
    #[from]
    pub mode: IndexModes,
    /// The order in which elements are counted: C or F. By default [`Order::C`].
    pub order: Order,
}

impl Default for RavelOptions {
    fn default() -> Self {
        RavelOptions { mode: IndexModes::default(), order: Order::C }
    }
}

/// Returns the strides of flat indices along each axis, and the number of elements.
fn strides(dims: &[usize], order: Order) -> Result<(Vec<i64>, i64)> {
    let mut axes: Vec<usize> = (0..dims.len()).rev().collect();
    match order {
        Order::C => {}
        Order::F => axes.reverse(),
        other => {
            let message = format!("elements are counted in order C or F, not {other:?}");
            return Err(Error::new(ErrorKind::Value, message));
        }
    }
    let (mut strides, mut size) = (vec![0; dims.len()], 1i64);
    for axis in axes {
        strides[axis] = size;
        size = i64::try_from(dims[axis]).ok().and_then(|n| size.checked_mul(n)).ok_or_else(|| {
            let shape = shape_text(dims);
            Error::new(ErrorKind::Value, format!("an array of shape {shape} has more elements than int64 counts"))
        })?;
    }
    Ok((strides, size))
}

/// Converts index arrays along each axis of an array of shape `dims` to flat indices; NumPy's `ravel_multi_index`.
///
/// The result is int64 and has the shape to which the index arrays are broadcast.
///
/// ```
/// use cuprum::{array, ravel_multi_index};
/// let at = [array([3, 6, 6])?, array([4, 5, 1])?];
/// assert_eq!(ravel_multi_index(&at, [7, 6], ())?.to_vec::<i64>()?, [22, 41, 37]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for another number of indices or modes than of axes, for a shape without elements and for one
/// of more elements than int64 can count, [`ErrorKind::Type`] for indices that are not integers. With
/// [`IndexMode::Raise`] an index out of bounds is reported by the next call of this thread that synchronises, as
/// [`ErrorKind::Value`].
#[routine(keywords = "multi_index dims mode order")]
pub fn ravel_multi_index(multi_index: &[&Array], dims: impl IntoShape, options: RavelOptions) -> Result<Array> {
    let dims = checked_shape(&dims.into_shape())?;
    let (n, axes) = (multi_index.len(), dims.len());
    if n != axes || n == 0 {
        let message = format!("{n} indices are given, a shape of {axes} axes has one for each");
        return Err(Error::new(ErrorKind::Value, message));
    }
    let modes = &options.mode.0;
    if modes.len() != 1 && modes.len() != axes {
        let message = format!("{} modes are given for {axes} axes: there is one for all or one for each", modes.len());
        return Err(Error::new(ErrorKind::Value, message));
    }
    engine::one_device(multi_index[0], multi_index[1..].iter().copied())?;
    let (strides, size) = strides(&dims, options.order)?;
    let shapes: Vec<&[usize]> = multi_index.iter().map(|a| a.shape()).collect();
    // An empty index array has nothing to check.
    let counts = size_of(&broadcast_shapes(&shapes)?) > 0;
    for index in multi_index {
        check_integers(index)?;
        if size == 0 && counts {
            let shape = shape_text(&dims);
            return Err(Error::new(ErrorKind::Value, format!("an array of shape {shape} has no elements to count")));
        }
    }
    if counts && axes <= GATHER_INDICES && modes.iter().all(|mode| *mode == modes[0]) {
        return numbered(multi_index, &dims, &strides, modes[0]);
    }
    let mut sum: Option<Array> = None;
    for (axis, index) in multi_index.iter().enumerate() {
        let n = dims[axis];
        let mode = modes[axis % modes.len()];
        if mode == IndexMode::Raise && counts {
            check_numbers(index, n, axis, ("ravel_multi_index", ""))?;
        }
        let index = index.astype(DType::I64)?;
        let index = match mode {
            _ if n == 0 => index,
            IndexMode::Raise => index,
            IndexMode::Wrap => math::remainder(&index, n as i64)?,
            IndexMode::Clip => math::maximum(&math::minimum(&index, n as i64 - 1)?, 0)?,
        };
        let part = if strides[axis] == 1 { index } else { math::multiply(&index, strides[axis])? };
        sum = Some(match sum {
            Some(sum) => math::add(&sum, &part)?,
            None => part,
        });
    }
    Ok(sum.expect("there is an index"))
}

/// Computes flat indices in one launch, which also checks the bounds. The result has the layout of a sum of the
/// indices.
fn numbered(multi_index: &[&Array], dims: &[usize], strides: &[i64], mode: IndexMode) -> Result<Array> {
    let shape = broadcast_shapes(&multi_index.iter().map(|a| a.shape()).collect::<Vec<_>>())?;
    let picks: SmallVec<[Pick; 2]> =
        multi_index.iter().enumerate().map(|(k, a)| counting(a, dims[k], k, strides[k])).collect();
    let of: SmallVec<[Strides; 4]> = picks.iter().map(|p| p.indices.layout().broadcast_strides(&shape)).collect();
    let layout = Layout::like(&shape, 8, &of.iter().map(|s| &s[..]).collect::<SmallVec<[&[i64]; 4]>>());
    // Results are written consecutively in memory order.
    let by_axis = along(&shape, &picks);
    let mut order: SmallVec<[usize; 6]> = (0..shape.len()).collect();
    order.sort_by_key(|&k| (std::cmp::Reverse(layout.strides[k]), k));
    let axes = order.iter().map(|&k| by_axis[k]).collect();
    let out = Array::of_layout(multi_index[0].device(), layout, DType::I64)?;
    let out_of_bounds = match mode {
        IndexMode::Raise => OutOfBounds::Uncounted,
        other => other.out_of_bounds(),
    };
    let caller = ("ravel_multi_index", "");
    Gathering { out_of_bounds, ..Gathering::new(caller, picks, axes) }.write_cells(&out, None)?;
    out.device().check_errors_now()?;
    Ok(out)
}

/// Options of [`unravel_index`](fn@unravel_index).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Options)]
pub struct UnravelOptions {
    /// The order in which elements are counted: C or F. By default [`Order::C`].
    pub order: Order,
}

impl Default for UnravelOptions {
    fn default() -> Self {
        UnravelOptions { order: Order::C }
    }
}

/// Converts flat indices to indices along each axis of a shape; NumPy's `unravel_index`. As in NumPy, the results are
/// views of one array, whose last axis selects the axis.
///
/// There is one int64 array for each axis of the shape, each of the shape of `indices`.
///
/// ```
/// let at = cuprum::unravel_index(cuprum::array([22, 41, 37])?, [7, 6], ())?;
/// assert_eq!(at[0].to_vec::<i64>()?, [3, 6, 6]);
/// assert_eq!(at[1].to_vec::<i64>()?, [4, 5, 1]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for indices of a shape without elements, for an index array with axes of a shape without axes,
/// and for a shape of more elements than int64 can count, [`ErrorKind::Type`] for indices that are not integers. An
/// index out of bounds is reported by the next call of this thread that synchronises, as [`ErrorKind::Value`].
#[routine(keywords = "indices shape order", python(aliases = [("dims", "shape")]))]
pub fn unravel_index(indices: &Array, shape: impl IntoShape, options: UnravelOptions) -> Result<Vec<Array>> {
    let shape = checked_shape(&shape.into_shape())?;
    check_integers(indices)?;
    let (strides, size) = strides(&shape, options.order)?;
    let ndim = shape.len();
    if ndim == 0 && indices.ndim() > 0 {
        let own = shape_text(indices.shape());
        let message = format!("numbers of shape {own} do not count the one element of an array of shape ()");
        return Err(Error::new(ErrorKind::Value, message));
    }
    if size == 0 && !indices.is_empty() {
        let shape = shape_text(&shape);
        return Err(Error::new(ErrorKind::Value, format!("an array of shape {shape} has no elements to count")));
    }
    check_numbers(indices, size as usize, 0, ("unravel_index", ""))?;
    if ndim == 0 {
        return Ok(vec![]);
    }
    let each = indices.layout().in_order(8 * ndim, Order::K);
    let layout = Layout {
        shape: each.shape.iter().copied().chain([ndim]).collect(),
        strides: each.strides.iter().copied().chain([8]).collect(),
        offset: 0,
    };
    let out = Array::of_layout(indices.device(), layout, DType::I64)?;
    let numbers = indices.astype(DType::I64)?;
    let (divide, rest) = (ufunc("floor_divide")?, ufunc("remainder")?);
    // The slowest axis needs no remainder, the fastest no quotient.
    let slowest = if options.order == Order::F { ndim - 1 } else { 0 };
    let along = |axis: usize| {
        let to = out.index(s![Ellipsis, axis as i64])?;
        let n = shape[axis] as i64;
        let ufunc_options = UfuncOptions::new().out(&to);
        if to.size() == 0 {
            return Ok(to);
        }
        match (strides[axis], axis == slowest) {
            (1, true) => to.assign(&numbers)?,
            (1, false) => drop(rest.call((&numbers, n), ufunc_options)?),
            (stride, true) => drop(divide.call((&numbers, stride), ufunc_options)?),
            (stride, false) => drop(rest.call((&divide.call((&numbers, stride), ())?, n), ufunc_options)?),
        }
        Ok(to)
    };
    (0..ndim).map(along).collect()
}
