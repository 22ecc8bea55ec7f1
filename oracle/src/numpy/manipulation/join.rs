//! Joining arrays: `concatenate`, `stack`, `block`, `append` and related functions.

use cuprum_kernels::DType;

use crate::core::array::{NdArray, Operand};
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::layout::{self, Order, axis_index};
use crate::core::promote::{Casting, can_cast, result_type};
use crate::core::value::{Flag, Value};
use crate::table::{Arguments, Fault, counterparts};

/// An element with its flag.
pub(crate) type Cell = (Value, Flag);

/// Returns the elements in C order, cast.
pub(crate) fn cells(a: &NdArray, dtype: DType) -> Vec<Cell> {
    let a = a.astype(dtype, Order::C);
    a.values().into_iter().zip(a.flags()).collect()
}

/// Creates an array of elements in C order, whose memory has its axes in this order, the outermost first.
pub(crate) fn laid_out(dtype: DType, shape: &[usize], axes: &[usize], cells: &[Cell]) -> NdArray {
    let (values, flags): (Vec<Value>, Vec<Flag>) = cells.iter().copied().unzip();
    NdArray::from_order(dtype, shape, axes, &values).with_flags(flags)
}

/// Returns the axes of a copy that is Fortran-ordered where the array is Fortran-contiguous only, and C-ordered
/// otherwise.
pub(crate) fn fortran_or_c(a: &NdArray) -> Vec<usize> {
    let mut axes = layout::c_order(a.ndim());
    if a.is_f_contiguous() && !a.is_c_contiguous() {
        axes.reverse();
    }
    axes
}

/// Returns the order of axes of concatenated arrays: starting from C order, two axes are exchanged where every array
/// that has several elements along both has its larger stride along the later one.
fn joined_axes(arrays: &[NdArray]) -> Vec<usize> {
    let mut axes = layout::c_order(arrays[0].ndim());
    for start in 1..axes.len() {
        let (axis, mut slot) = (axes[start], start);
        for before in (0..start).rev() {
            let other = axes[before];
            let voters: Vec<&NdArray> =
                arrays.iter().filter(|a| a.shape()[axis] != 1 && a.shape()[other] != 1).collect();
            let longer = |a: &&NdArray| a.strides()[axis].unsigned_abs() > a.strides()[other].unsigned_abs();
            match voters.is_empty() {
                true => {}
                false if voters.iter().all(longer) => slot = before,
                false => break,
            }
        }
        axes[slot..=start].rotate_right(1);
    }
    axes
}

/// Options of `concatenate` beyond the axis.
#[derive(Clone, Debug, Default)]
pub(crate) struct JoinOptions {
    out: Option<NdArray>,
    dtype: Option<DType>,
    casting: Casting,
}

impl JoinOptions {
    fn read(t: &Arguments) -> std::result::Result<JoinOptions, Fault> {
        Ok(JoinOptions { out: t.get("out")?, dtype: t.get("dtype")?, casting: t.or("casting", Casting::SameKind)? })
    }
}

/// Computes NumPy's `concatenate`.
///
/// # Errors
///
/// `ValueError` for no arrays, arrays without axes, shapes that differ; `AxisError`; `TypeError` for a cast that is forbidden.
pub(crate) fn concatenate(arrays: &[NdArray], axis: Option<isize>, options: &JoinOptions) -> Result<NdArray> {
    let Some(first) = arrays.first() else { return fail(ErrorKind::Value, "need at least one array to concatenate") };
    if options.out.is_some() && options.dtype.is_some() {
        return fail(ErrorKind::Type, "only one of out and dtype is possible");
    }
    let lines: Vec<NdArray>;
    let (arrays, axis) = match axis {
        None => {
            lines = arrays.iter().map(|a| a.reshape(&[-1], Order::C)).collect::<Result<_>>()?;
            (&lines[..], 0)
        }
        Some(_) if first.ndim() == 0 => {
            return fail(ErrorKind::Value, "zero-dimensional arrays cannot be concatenated");
        }
        Some(axis) => (arrays, axis_index(axis, first.ndim())?),
    };
    let first = &arrays[0];
    let mut shape = first.shape().to_vec();
    for a in &arrays[1..] {
        let alike = |x: usize| x == axis || a.shape()[x] == shape[x];
        if a.ndim() != shape.len() || !(0..shape.len()).all(alike) {
            return fail(ErrorKind::Value, "the dimensions must match except along the axis");
        }
        shape[axis] += a.shape()[axis];
    }
    let operands: Vec<Operand<'_>> = arrays.iter().map(Operand::from).collect();
    let dtype = match (&options.out, options.dtype) {
        (Some(out), _) => out.dtype(),
        (None, Some(dtype)) => dtype,
        (None, None) => result_type(&operands)?,
    };
    if arrays.iter().any(|a| !can_cast(a.dtype(), dtype, options.casting)) {
        return fail(ErrorKind::Type, "a cast is forbidden");
    }
    // Rows of all arrays, one after the other.
    let inner: usize = shape[axis + 1..].iter().product();
    let outer: usize = shape[..axis].iter().product();
    let parts: Vec<Vec<Cell>> = arrays.iter().map(|a| cells(a, dtype)).collect();
    let mut all = vec![];
    for o in 0..outer {
        for (a, part) in arrays.iter().zip(&parts) {
            let length = a.shape()[axis] * inner;
            all.extend(&part[o * length..][..length]);
        }
    }
    match &options.out {
        Some(out) if out.shape() != shape => fail(ErrorKind::Value, "Output array is the wrong shape"),
        Some(out) => {
            out.check_writable()?;
            Ok(out.with_elements(&all.into_iter().map(Some).collect::<Vec<_>>()))
        }
        None => Ok(laid_out(dtype, &shape, &joined_axes(arrays), &all)),
    }
}

fn stack(arrays: &[NdArray], axis: isize, options: &JoinOptions) -> Result<NdArray> {
    let Some(first) = arrays.first() else { return fail(ErrorKind::Value, "need at least one array to stack") };
    if arrays.iter().any(|a| a.shape() != first.shape()) {
        return fail(ErrorKind::Value, "all input arrays must have the same shape");
    }
    let axis = axis_index(axis, first.ndim() + 1)? as isize;
    let longer = arrays.iter().map(|a| a.expand_dims(&[axis])).collect::<Result<Vec<_>>>()?;
    concatenate(&longer, Some(axis), options)
}

/// Prepends axes up to at least `ndim`.
pub(crate) fn atleast(a: &NdArray, ndim: usize) -> Result<NdArray> {
    match (a.ndim(), ndim) {
        (0, 1) => a.expand_dims(&[0]),
        (0, 2) => a.expand_dims(&[0, 1]),
        (0, 3) => a.expand_dims(&[0, 1, 2]),
        (1, 2) => a.expand_dims(&[0]),
        (1, 3) => a.expand_dims(&[0, 2]),
        (2, 3) => a.expand_dims(&[2]),
        _ => Ok(a.clone()),
    }
}

fn all_atleast(arrays: &[NdArray], ndim: usize) -> Result<Vec<NdArray>> {
    arrays.iter().map(|a| atleast(a, ndim)).collect()
}

fn vstack(arrays: &[NdArray], options: &JoinOptions) -> Result<NdArray> {
    concatenate(&all_atleast(arrays, 2)?, Some(0), options)
}

fn hstack(arrays: &[NdArray], options: &JoinOptions) -> Result<NdArray> {
    let arrays = all_atleast(arrays, 1)?;
    let flat = arrays.first().is_none_or(|a| a.ndim() == 1);
    concatenate(&arrays, Some(if flat { 0 } else { 1 }), options)
}

fn column_stack(arrays: &[NdArray]) -> Result<NdArray> {
    let column = |a: &NdArray| if a.ndim() < 2 { atleast(a, 2)?.transpose(None) } else { Ok(a.clone()) };
    concatenate(&arrays.iter().map(column).collect::<Result<Vec<_>>>()?, Some(1), &JoinOptions::default())
}

fn append(arr: &NdArray, values: &NdArray, axis: Option<isize>) -> Result<NdArray> {
    concatenate(&[arr.clone(), values.clone()], axis, &JoinOptions::default())
}

/// Computes NumPy's `block` of one list: concatenation along the last axis.
fn block(arrays: &[NdArray]) -> Result<NdArray> {
    if arrays.is_empty() {
        return fail(ErrorKind::Value, "a list cannot be empty");
    }
    let ndim = arrays.iter().map(NdArray::ndim).max().unwrap_or(0).max(1);
    let new = |a: &NdArray| a.expand_dims(&(0..(ndim - a.ndim()) as isize).collect::<Vec<_>>());
    concatenate(&arrays.iter().map(new).collect::<Result<Vec<_>>>()?, Some(-1), &JoinOptions::default())
}

fn arrays(t: &Arguments, name: &str) -> std::result::Result<Vec<NdArray>, Fault> {
    Ok(t.get::<Vec<&NdArray>>(name)?.into_iter().cloned().collect())
}

/// Converts a scalar to an array, or returns the array.
pub(crate) fn strong(operand: Operand<'_>) -> Result<NdArray> {
    match operand {
        Operand::Array(a) => Ok(a.clone()),
        Operand::Scalar(v) => crate::numpy::creation::basic::full(&[], v, None, Order::C),
    }
}

counterparts! {
    "numpy.concatenate" = |t| {
        let axis = if t.has("axis") { t.get("axis")? } else { Some(0) };
        concatenate(&arrays(t, "arrays")?, axis, &JoinOptions::read(t)?)
    };
    "numpy.concat" = |t| {
        let axis = if t.has("axis") { t.get("axis")? } else { Some(0) };
        concatenate(&arrays(t, "arrays")?, axis, &JoinOptions::read(t)?)
    };
    "numpy.stack" = |t| stack(&arrays(t, "arrays")?, t.or("axis", 0)?, &JoinOptions::read(t)?);
    "numpy.vstack" = |t| vstack(&arrays(t, "tup")?, &JoinOptions::read(t)?);
    "numpy.row_stack" = |t| vstack(&arrays(t, "tup")?, &JoinOptions::read(t)?);
    "numpy.hstack" = |t| hstack(&arrays(t, "tup")?, &JoinOptions::read(t)?);
    "numpy.dstack" = |t| concatenate(&all_atleast(&arrays(t, "tup")?, 3)?, Some(2), &JoinOptions::default());
    "numpy.column_stack" = |t| column_stack(&arrays(t, "tup")?);
    "numpy.append" = |t| append(t.get("arr")?, &strong(t.get("values")?)?, t.get("axis")?);
    "numpy.block" = |t| block(&arrays(t, "arrays")?);
    "numpy.atleast_1d" = |t| atleast(t.get("ary")?, 1);
    "numpy.atleast_2d" = |t| atleast(t.get("ary")?, 2);
    "numpy.atleast_3d" = |t| atleast(t.get("ary")?, 3);
}
