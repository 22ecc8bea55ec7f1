//! Joining of arrays along an existing or a new axis; NumPy's `concatenate`, `stack` and their relatives.
//!
//! A kernel takes the arrays, their layouts and dtypes as data and casts as it copies: joining costs one read of each
//! array and one write of the result, without temporaries for casts or transpositions.

use cuprum_kernels::DType;
use cuprum_macros::{Options, routine};
use smallvec::SmallVec;

use super::dims::{atleast_1d, atleast_2d, atleast_3d};
use crate::array::{Array, Operand};
use crate::dtype::{Casting, can_cast, result_type};
use crate::engine;
use crate::error::{Error, ErrorKind, Result};
use crate::index::{Index, Slice};
use crate::layout::{Dims, Layout, Order, normalize_axis, shape_text, size_of};
use crate::scalar::OperandType;

/// Options of [`concatenate`]. An integer is the axis; `None` flattens each array in C order.
///
/// ```
/// use cuprum::{ConcatenateOptions, DType, array, concatenate};
/// let a = array([[1, 2], [3, 4]])?;
/// assert_eq!(concatenate(&[&a, &a], 1)?.shape(), [2, 4]);
/// let flat = concatenate(&[&a, &a], ConcatenateOptions { axis: None, dtype: Some(DType::F64), ..Default::default() })?;
/// assert_eq!((flat.shape(), flat.dtype()), (&[8][..], DType::F64));
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Options)]
pub struct ConcatenateOptions<'a> {
    /// The axis, by default the first; with `None` the arrays are flattened in C order.
    #[from]
    pub axis: Option<isize>,
    /// The output array, of the result's shape and any dtype and layout; by default a new one.
    pub out: Option<&'a Array>,
    /// The dtype of a new result; by default the promoted dtype of the arrays.
    pub dtype: Option<DType>,
    /// The casts that are allowed. By default [`Casting::SameKind`].
    pub casting: Casting,
}

impl Default for ConcatenateOptions<'_> {
    fn default() -> Self {
        ConcatenateOptions { axis: Some(0), out: None, dtype: None, casting: Casting::SameKind }
    }
}

/// Options of [`stack`].
///
/// An integer converts to options that set the axis.
///
/// ```
/// use cuprum::{DType, StackOptions, array, stack};
/// let a = stack([array([1, 2])?, array([3, 4])?], StackOptions::new().axis(1).dtype(DType::F64))?;
/// assert_eq!(a.to_vec::<f64>()?, [1.0, 3.0, 2.0, 4.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, Options)]
pub struct StackOptions<'a> {
    /// The position of the new axis in the result; by default the first.
    #[from]
    pub axis: isize,
    /// See [`ConcatenateOptions::out`].
    pub out: Option<&'a Array>,
    /// See [`ConcatenateOptions::dtype`].
    pub dtype: Option<DType>,
    /// The casts that are allowed. By default [`Casting::SameKind`].
    pub casting: Casting,
}

/// Options of [`vstack`] and [`hstack`].
///
/// A [`DType`] converts to options that set it.
///
/// ```
/// use cuprum::{DType, array, hstack};
/// let a = array([1, 2])?;
/// assert_eq!(hstack(&[&a, &a], DType::F32)?.dtype(), DType::F32);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Options)]
pub struct JoinOptions {
    /// See [`ConcatenateOptions::dtype`].
    #[from]
    pub dtype: Option<DType>,
    /// The casts that are allowed. By default [`Casting::SameKind`].
    pub casting: Casting,
}

/// Concatenates arrays along an existing axis; NumPy's `concatenate`. One launch writes arrays of any number, dtypes
/// and layouts, unless they are few and large. If all arrays are in Fortran order, the result is, too.
///
/// The result has the shape of the arrays with the sum of their lengths along the axis, one axis for `None`, and the
/// promoted dtype. As in NumPy, an array of other than one axis is not broadcast.
///
/// ```
/// use cuprum::{DType, array, concatenate};
/// let (a, b) = (array([[1, 2], [3, 4]])?, array([[5, 6]])?);
/// assert_eq!(concatenate([&a, &b], ())?.to_vec::<i32>()?, [1, 2, 3, 4, 5, 6]);
/// assert_eq!(concatenate([&a, &b.t()], 1)?.to_vec::<i32>()?, [1, 2, 5, 3, 4, 6]);
/// assert_eq!(concatenate([&a, &b], None)?.shape(), [6]);
/// assert_eq!(concatenate([&a, &b.astype(DType::F16)?], ())?.dtype(), DType::F64);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for an empty list, for an array without axes and for shapes that differ along another axis or
/// from that of `out`, [`ErrorKind::Axis`], [`ErrorKind::Type`] for `out` and `dtype` together and for a cast that
/// `casting` forbids.
#[routine(python(positional_only = 1, keyword_only = 2, weak_scalars, aliases = [("tup", "arrays")]))]
pub fn concatenate(arrays: &[&Array], options: ConcatenateOptions<'_>) -> Result<Array> {
    concatenated(arrays, &options)
}

/// Concatenates arrays along an existing axis; the array API's name of [`concatenate`].
///
/// Result, options and synchronisation are those of [`concatenate`].
///
/// ```
/// use cuprum::{array, concat};
/// assert_eq!(concat([array([1, 2])?, array([3])?], ())?.to_vec::<i32>()?, [1, 2, 3]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`concatenate`].
#[routine(python(positional_only = 1, keyword_only = 2, weak_scalars, aliases = [("tup", "arrays")]))]
pub fn concat(arrays: &[&Array], options: ConcatenateOptions<'_>) -> Result<Array> {
    concatenated(arrays, &options)
}

fn concatenated(arrays: &[&Array], options: &ConcatenateOptions<'_>) -> Result<Array> {
    let [first, others @ ..] = arrays else {
        return Err(Error::new(ErrorKind::Value, "there is no array: at least one is needed"));
    };
    if options.out.is_some() && options.dtype.is_some() {
        return Err(Error::new(
            ErrorKind::Type,
            "out and dtype are both given: out has a dtype, leave one of them away",
        ));
    }
    engine::one_device(first, others.iter().copied().chain(options.out))?;
    let (shape, axis) = match options.axis {
        None => (SmallVec::from_slice(&[arrays.iter().map(|a| a.size()).sum()]), 0),
        Some(axis) => joined_shape(arrays, axis)?,
    };
    let dtype = match (options.out, options.dtype) {
        (Some(out), _) => out.dtype(),
        (None, Some(dtype)) => dtype,
        (None, None) if others.iter().all(|a| a.dtype() == first.dtype()) => first.dtype(),
        (None, None) => result_type(&arrays.iter().map(|a| OperandType::Array(a.dtype())).collect::<Vec<_>>())?,
    };
    if let Some(a) = arrays.iter().find(|a| !can_cast(a.dtype(), dtype, options.casting)) {
        let (from, rule) = (a.dtype(), options.casting);
        let message =
            format!("{from} is not cast to {dtype} under the rule {rule:?}: use Casting::Unsafe, or another dtype");
        return Err(Error::new(ErrorKind::Type, message));
    }
    let flat = options.axis.is_none();
    let Some(out) = options.out else {
        let out = if flat { Layout::c_order(&shape, dtype.size()) } else { layout(arrays, &shape, dtype) };
        let out = Array::of_layout(first.device(), out, dtype)?;
        return fill(arrays, flat, axis, &out).map(|()| out);
    };
    if *out.shape() != shape[..] {
        let (own, wanted) = (shape_text(out.shape()), shape_text(&shape));
        return Err(Error::new(ErrorKind::Value, format!("out has the shape {own}, the result {wanted}")));
    }
    out.check_writable()?;
    if arrays.iter().any(|a| a.may_share_memory(out)) {
        let fresh = Array::of_layout(out.device(), out.layout().in_order(dtype.size(), Order::K), dtype)?;
        fill(arrays, flat, axis, &fresh)?;
        engine::copy(&fresh, out)?;
    } else {
        fill(arrays, flat, axis, out)?;
    }
    Ok(out.clone())
}

fn layout(arrays: &[&Array], shape: &[usize], dtype: DType) -> Layout {
    let layouts: SmallVec<[(&[usize], &[i64]); 4]> = arrays.iter().map(|a| (a.shape(), a.strides())).collect();
    Layout::joined(shape, dtype.size(), &layouts)
}

fn fill(arrays: &[&Array], flat: bool, axis: usize, out: &Array) -> Result<()> {
    if !flat {
        return engine::concatenate(arrays, axis, out);
    }
    // Arrays flattened in C order are contiguous in the result if their shapes agree in all axes but the first.
    let apart = arrays.iter().find(|a| a.layout().reshape(&[a.size()], a.itemsize(), Order::C).is_none());
    let row = apart.map_or(&[][..], |a| &a.shape()[1..]);
    if let Some(rows) = in_rows(arrays, row) {
        let shape: Vec<usize> = [out.size() / size_of(row)].iter().chain(row).copied().collect();
        let seen = out.layout().reshape(&shape, out.itemsize(), Order::C).map(|layout| out.with_layout(layout));
        if let Some(out) = seen {
            return engine::concatenate(&rows.iter().collect::<Vec<_>>(), 0, &out);
        }
    }
    // Otherwise each array is copied to its part of the result, reshaped to its own shape.
    let mut at = 0;
    for a in arrays {
        let end = at + a.size() as i64;
        let part = out.index([Index::Slice(Slice::from(at..end))])?.reshape(a.shape())?;
        if part.may_share_memory(out) {
            engine::copy(a, &part)?;
        }
        at = end;
    }
    Ok(())
}

/// Returns views of the arrays as rows of this shape, if all arrays have such views.
fn in_rows(arrays: &[&Array], row: &[usize]) -> Option<Vec<Array>> {
    let width = size_of(row);
    let of = |a: &&Array| {
        let shape: Vec<usize> = [a.size().checked_div(width)?].iter().chain(row).copied().collect();
        let layout = (size_of(&shape) == a.size()).then(|| a.layout().reshape(&shape, a.itemsize(), Order::C))??;
        Some(a.with_layout(layout))
    };
    arrays.iter().map(of).collect()
}

/// Returns the shape of the concatenated arrays, and the axis.
fn joined_shape(arrays: &[&Array], axis: isize) -> Result<(Dims, usize)> {
    let first = arrays[0];
    if first.ndim() == 0 {
        return Err(Error::new(
            ErrorKind::Value,
            "an array without axes cannot be concatenated: use stack, or atleast_1d",
        ));
    }
    let axis = normalize_axis(axis, first.ndim())?;
    let mut shape: Dims = first.shape().into();
    for a in &arrays[1..] {
        let fits = a.ndim() == first.ndim() && (0..a.ndim()).all(|x| x == axis || a.shape()[x] == first.shape()[x]);
        if !fits {
            let (one, other) = (shape_text(first.shape()), shape_text(a.shape()));
            let message = format!("arrays of shapes {one} and {other} cannot be joined along axis {axis}");
            return Err(Error::new(ErrorKind::Value, message));
        }
        shape[axis] = shape[axis].checked_add(a.shape()[axis]).ok_or_else(|| {
            Error::new(
                ErrorKind::Value,
                format!("the arrays have more elements along axis {axis} than can be addressed"),
            )
        })?;
    }
    Ok((shape, axis))
}

/// Concatenates arrays along an axis, in a new array of the promoted dtype.
pub(crate) fn joined(arrays: &[&Array], axis: usize) -> Result<Array> {
    let (shape, axis) = joined_shape(arrays, axis as isize)?;
    let first = arrays[0];
    engine::one_device(first, arrays.iter().copied())?;
    let dtype = result_type(&arrays.iter().map(|a| OperandType::Array(a.dtype())).collect::<Vec<_>>())?;
    let out = Array::of_layout(first.device(), layout(arrays, &shape, dtype), dtype)?;
    engine::concatenate(arrays, axis, &out)?;
    Ok(out)
}

/// Joins arrays of one shape along a new axis; NumPy's `stack`.
///
/// The result has one axis more than the arrays, of the length of the list, and the promoted dtype.
///
/// ```
/// use cuprum::{array, stack};
/// let (a, b) = (array([1, 2])?, array([3, 4])?);
/// assert_eq!(stack([&a, &b], ())?.to_vec::<i32>()?, [1, 2, 3, 4]);
/// assert_eq!(stack([&a, &b], -1)?.to_vec::<i32>()?, [1, 3, 2, 4]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for an empty list and for different shapes, [`ErrorKind::Axis`], and those of [`concatenate`].
#[routine(python(keyword_only = 2, aliases = [("tup", "arrays")]))]
pub fn stack(arrays: &[&Array], options: StackOptions<'_>) -> Result<Array> {
    let Some(first) = arrays.first() else {
        return Err(Error::new(ErrorKind::Value, "there is no array: at least one is needed"));
    };
    if let Some(other) = arrays.iter().find(|a| a.shape() != first.shape()) {
        let (one, other) = (shape_text(first.shape()), shape_text(other.shape()));
        return Err(Error::new(ErrorKind::Value, format!("arrays of shapes {one} and {other} are not of one shape")));
    }
    let axis = normalize_axis(options.axis, first.ndim() + 1)? as isize;
    let longer = arrays.iter().map(|a| a.expand_dims(axis)).collect::<Result<Vec<_>>>()?;
    let StackOptions { out, dtype, casting, .. } = options;
    concatenated(&longer.iter().collect::<Vec<_>>(), &ConcatenateOptions { axis: Some(axis), out, dtype, casting })
}

fn with_axes(
    arrays: &[&Array],
    axes: impl Fn(&Array) -> Result<Array>,
    axis: impl Fn(&Array) -> isize,
    JoinOptions { dtype, casting }: JoinOptions,
) -> Result<Array> {
    let seen = arrays.iter().map(|a| axes(a)).collect::<Result<Vec<_>>>()?;
    let axis = seen.first().map_or(0, axis);
    let options = ConcatenateOptions { axis: Some(axis), out: None, dtype, casting };
    concatenated(&seen.iter().collect::<Vec<_>>(), &options)
}

/// Stacks arrays vertically, along the first axis; NumPy's `vstack`. Arrays of one axis are rows.
///
/// The result has the promoted dtype and at least two axes.
///
/// ```
/// use cuprum::{array, vstack};
/// assert_eq!(vstack([array([1, 2])?, array([3, 4])?], ())?.shape(), [2, 2]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`concatenate`].
#[routine(python(keyword_only = 2))]
pub fn vstack(tup: &[&Array], options: JoinOptions) -> Result<Array> {
    with_axes(tup, |a| atleast_2d(a), |_| 0, options)
}

/// Stacks arrays vertically; the older name of [`vstack`].
///
/// NumPy 2 deprecates this name.
///
/// The result has the promoted dtype of the arrays.
///
/// ```
/// use cuprum::{array, row_stack};
/// let a = array([1, 2])?;
/// assert_eq!(row_stack(&[&a, &a], ())?.shape(), [2, 2]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`vstack`].
#[routine(python(keyword_only = 2))]
pub fn row_stack(tup: &[&Array], options: JoinOptions) -> Result<Array> {
    with_axes(tup, |a| atleast_2d(a), |_| 0, options)
}

/// Stacks arrays horizontally, along the second axis, or the first if they have one axis; NumPy's `hstack`.
///
/// The result has the promoted dtype, and as many axes as the arrays, at least one.
///
/// ```
/// use cuprum::{array, hstack};
/// assert_eq!(hstack([array([1, 2])?, array([3])?], ())?.to_vec::<i32>()?, [1, 2, 3]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`concatenate`].
#[routine(python(keyword_only = 2))]
pub fn hstack(tup: &[&Array], options: JoinOptions) -> Result<Array> {
    with_axes(tup, |a| atleast_1d(a), |first| isize::from(first.ndim() > 1), options)
}

/// Stacks arrays in depth, along the third axis; NumPy's `dstack`.
///
/// The result has the promoted dtype and at least three axes: arrays of shape `[n]` become `[1, n, k]`, and those of
/// shape `[m, n]` become `[m, n, k]`.
///
/// ```
/// use cuprum::{array, dstack};
/// assert_eq!(dstack([array([1, 2])?, array([3, 4])?])?.to_vec::<i32>()?, [1, 3, 2, 4]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`concatenate`].
#[routine]
pub fn dstack(tup: &[&Array]) -> Result<Array> {
    with_axes(tup, |a| atleast_3d(a), |_| 2, JoinOptions::default())
}

/// Stacks 1-D arrays as the columns of a matrix, and matrices horizontally; NumPy's `column_stack`.
///
/// The result has the promoted dtype and two axes for arrays of one or two.
///
/// ```
/// use cuprum::{array, column_stack};
/// assert_eq!(column_stack([array([1, 2])?, array([3, 4])?])?.to_vec::<i32>()?, [1, 3, 2, 4]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`concatenate`].
#[routine]
pub fn column_stack(tup: &[&Array]) -> Result<Array> {
    let column = |a: &Array| if a.ndim() < 2 { atleast_2d(a).map(|a| a.t()) } else { Ok(a.clone()) };
    with_axes(tup, column, |_| 1, JoinOptions::default())
}

/// Options of [`append`], [`insert`](super::insert()) and [`delete`](super::delete()).
///
/// An integer converts to options that set the axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Options)]
pub struct AlongOptions {
    /// The axis; by default the array is flattened in C order.
    #[from]
    pub axis: Option<isize>,
}

/// Appends values along an axis, or without one the flattened values to the flattened array; NumPy's `append`.
///
/// The result has the dtype to which both are promoted. Along an axis the values need the shape of `arr` but for it. A
/// copy of `arr` is part of every call: many small appends cost a copy each, and one [`concatenate`] costs one.
///
/// ```
/// use cuprum::{append, array};
/// let a = array([[1, 2], [3, 4]])?;
/// assert_eq!(append(&a, array([[5, 6]])?, 0)?.shape(), [3, 2]);
/// assert_eq!(append(&a, 5, ())?.to_vec::<i64>()?, [1, 2, 3, 4, 5]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`concatenate`].
#[routine]
pub fn append(arr: &Array, values: Operand<'_>, options: AlongOptions) -> Result<Array> {
    let values = values.strong(Some(arr.device()))?;
    concatenated(&[arr, &values], &ConcatenateOptions { axis: options.axis, ..Default::default() })
}
