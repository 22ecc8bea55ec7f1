//! Creation of matrices: `eye`, `tri`, `tril`, `triu`, `diag` and `vander`.
//!
//! Each matrix is written by one kernel, which computes an element from its row and column: a matrix of `n` elements
//! costs one pass of writes, and of reads where there is an input. `diag` of a matrix is a view and costs nothing.

use cuprum_kernels::DType;
use cuprum_macros::{Options, routine};

use super::basic::filled;
use crate::array::{Array, DiagonalOptions, IntoArgument};
use crate::cuda::Device;
use crate::dtype::promote_types;
use crate::engine::{self, Form, Generating};
use crate::error::{Error, ErrorKind, Result};
use crate::index::s;
use crate::layout::{Layout, Order, shape_text};
use crate::ufunc::{AccumulateOptions, ufunc};

/// Options of [`eye`] and [`tri`].
///
/// A [`DType`] converts to options that set it alone.
///
/// ```
/// use cuprum::{DType, EyeOptions, Order, eye};
/// let a = eye(2, EyeOptions::new().k(-1).dtype(DType::I32).order(Order::F))?;
/// assert_eq!((a.to_vec::<i32>()?, a.strides()), (vec![0, 0, 1, 0], &[4, 8][..]));
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Options)]
pub struct EyeOptions {
    /// The number of columns; by default that of rows. NumPy's `M`.
    pub columns: Option<usize>,
    /// The diagonal: above the main one, or below it if negative. By default 0.
    pub k: isize,
    /// The dtype; by default float64.
    #[from]
    pub dtype: Option<DType>,
    /// The memory order; by default C.
    pub order: Option<Order>,
}

/// Creates a matrix with ones on a diagonal and zeros elsewhere; NumPy's `eye`.
///
/// The result has the shape `[rows, columns]` and the dtype of the options, by default float64. Diagonals beyond the
/// corners are allowed: the matrix is zero then.
///
/// ```
/// use cuprum::{DType, EyeOptions, eye};
/// assert_eq!(eye(2, ())?.to_vec::<f64>()?, [1.0, 0.0, 0.0, 1.0]);
/// let above = eye(2, EyeOptions::new().columns(3).k(1).dtype(DType::I8))?;
/// assert_eq!(above.to_vec::<i8>()?, [0, 1, 0, 0, 0, 1]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for more elements than can be addressed, [`ErrorKind::OutOfMemory`].
pub fn eye(rows: usize, options: impl IntoArgument<EyeOptions>) -> Result<Array> {
    matrix(Form::Diagonal, rows, &options.into()).map_err(|e| e.with_op("eye"))
}

/// Creates an identity matrix; NumPy's `identity`. The dtype is float64 by default.
///
/// The result has the shape `[n, n]`.
///
/// ```
/// use cuprum::{DType, identity};
/// assert_eq!(identity(2, DType::I32)?.to_vec::<i32>()?, [1, 0, 0, 1]);
/// assert_eq!(identity(2, ())?.dtype(), DType::F64);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`eye`].
#[routine(python(extras = [("device", Extra::Device)]))]
pub fn identity(n: usize, dtype: Option<DType>) -> Result<Array> {
    eye(n, EyeOptions { dtype, ..EyeOptions::default() })
}

/// Creates a matrix with ones on and below a diagonal, and zeros above; NumPy's `tri`.
///
/// The result has the shape `[rows, columns]` and the dtype of the options, by default float64.
///
/// ```
/// use cuprum::{DType, EyeOptions, tri};
/// assert_eq!(tri(2, EyeOptions::new().columns(3).dtype(DType::I8))?.to_vec::<i8>()?, [1, 0, 0, 1, 1, 0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`eye`].
pub fn tri(rows: usize, options: impl IntoArgument<EyeOptions>) -> Result<Array> {
    matrix(Form::Lower, rows, &options.into()).map_err(|e| e.with_op("tri"))
}

fn matrix(form: Form, rows: usize, options: &EyeOptions) -> Result<Array> {
    let (shape, dtype) = ([rows, options.columns.unwrap_or(rows)], options.dtype.unwrap_or(DType::F64));
    crate::layout::checked_bytes(&shape, dtype.size())?;
    let layout = match options.order {
        Some(Order::F) => Layout::f_order(&shape, dtype.size()),
        _ => Layout::c_order(&shape, dtype.size()),
    };
    let out = Array::of_layout(Device::current()?, layout, dtype)?;
    Generating::new(form, below(options.k), &[-1, 1], &out).run()?;
    Ok(out)
}

/// Returns the offset of the first element from diagonal `k`, clamped beyond the size of any matrix.
fn below(k: isize) -> i64 {
    -(k as i64).clamp(-(1 << 62), 1 << 62)
}

/// Lower triangle of matrices: the elements on and below a diagonal, and zeros above; NumPy's `tril`. The last two axes
/// are those of the matrices; an array of one axis is broadcast to the rows of a square matrix.
///
/// The result has the shape and the dtype of `m`, or the shape `[n, n]` for `n` elements in one axis. `k` is the
/// diagonal: 0 the main one, positive above it, negative below it.
///
/// ```
/// let a = cuprum::array([[1, 2], [3, 4]])?;
/// assert_eq!(cuprum::tril(&a, 0)?.to_vec::<i32>()?, [1, 0, 3, 4]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Type`] for an array without axes.
#[routine(method, k = 0, python(rounded = [("k", Rounding::Cut)]))]
pub fn tril(m: &Array, k: isize) -> Result<Array> {
    triangle(Form::Lower, m, k)
}

/// Upper triangle of matrices: the elements on and above a diagonal, and zeros below; NumPy's `triu`. See
/// [`tril`](fn@tril).
///
/// The result has the shape and the dtype of `m`, or the shape `[n, n]` for `n` elements in one axis. `k` is the first
/// diagonal that is kept.
///
/// ```
/// let a = cuprum::array([[1, 2], [3, 4]])?;
/// assert_eq!(cuprum::triu(&a, 1)?.to_vec::<i32>()?, [0, 2, 0, 0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`tril`](fn@tril).
#[routine(method, k = 0, python(rounded = [("k", Rounding::Ceil)]))]
pub fn triu(m: &Array, k: isize) -> Result<Array> {
    triangle(Form::Upper, m, k)
}

fn triangle(form: Form, m: &Array, k: isize) -> Result<Array> {
    let m = match m.ndim() {
        0 => {
            let message = "an array of shape () is no matrix: reshape((1, 1)) makes it one";
            return Err(Error::new(ErrorKind::Type, message));
        }
        1 => m.broadcast_to_shape(&[m.size(), m.size()])?,
        _ => m.clone(),
    };
    let n = m.ndim();
    // The layout is that of NumPy's `where(mask, m, 0)` with a mask in C order.
    let mut mask = vec![0; n];
    (mask[n - 2], mask[n - 1]) = (m.shape()[n - 1] as i64, 1);
    let layout = Layout::like(m.shape(), m.itemsize(), &[&mask, m.strides()]);
    let out = Array::of_layout(m.device(), layout, m.dtype())?;
    let mut weights = vec![0; n];
    (weights[n - 2], weights[n - 1]) = (-1, 1);
    let input = Some((&m, m.strides()));
    Generating { input, ..Generating::new(form, below(k), &weights, &out) }.run()?;
    Ok(out)
}

/// Extracts a diagonal of a matrix as a view, or builds a matrix with a 1-D array on a diagonal; NumPy's `diag`.
///
/// `k` is the diagonal: 0 the main one, positive above it, negative below it. The result for a matrix has one axis, and
/// is a view, through which the matrix can be written (NumPy's is read-only). The result for `n` elements is a new
/// matrix of `n + |k|` rows and columns, of the dtype of `v`.
///
/// ```
/// let a = cuprum::array([[1, 2], [3, 4]])?;
/// assert_eq!(cuprum::diag(&a, 0)?.to_vec::<i32>()?, [1, 4]);
/// let b = cuprum::diag(cuprum::array([5, 6])?, 0)?;
/// assert_eq!(b.to_vec::<i32>()?, [5, 0, 0, 6]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for an array of neither one nor two axes.
#[routine(method, k = 0, python(read_only_views))]
pub fn diag(v: &Array, k: isize) -> Result<Array> {
    match v.ndim() {
        1 => on_diagonal(v, k),
        2 => v.diagonal(DiagonalOptions::new().offset(k)),
        _ => {
            let shape = shape_text(v.shape());
            Err(Error::new(
                ErrorKind::Value,
                format!(
                    "an array of shape {shape} is neither a diagonal nor a matrix: `diagonal` takes stacks of matrices, \
                     `diagflat` the elements of any array"
                ),
            ))
        }
    }
}

/// Creates a matrix with the flattened elements on a diagonal; NumPy's `diagflat`.
///
/// The result has `n + |k|` rows and columns for `n` elements, the dtype of `v`, and zeros off the diagonal `k`.
///
/// ```
/// use cuprum::{array, diagflat};
/// assert_eq!(diagflat(array([[1, 2]])?, 0)?.to_vec::<i32>()?, [1, 0, 0, 2]);
/// assert_eq!(diagflat(array([7])?, -1)?.to_vec::<i32>()?, [0, 0, 7, 0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::OutOfMemory`] and errors of the device.
#[routine(k = 0)]
pub fn diagflat(v: &Array, k: isize) -> Result<Array> {
    on_diagonal(&v.in_one_axis()?, k)
}

fn on_diagonal(v: &Array, k: isize) -> Result<Array> {
    let n = v.size().saturating_add(k.unsigned_abs());
    let out = engine::make::empty(v.device(), &[n, n], v.dtype())?;
    // Above the main diagonal the row is the element's index, below it the column.
    let step = v.strides()[0];
    let along = if k >= 0 { [step, 0] } else { [0, step] };
    Generating { input: Some((v, &along)), ..Generating::new(Form::Diagonal, below(k), &[-1, 1], &out) }.run()?;
    Ok(out)
}

/// Options of [`vander`].
///
/// An integer converts to options that set the number of columns alone.
///
/// ```
/// use cuprum::{VanderOptions, array, vander};
/// let powers = vander(&array([1, 2])?, VanderOptions::new().columns(3).increasing(true))?;
/// assert_eq!(powers.to_vec::<i64>()?, [1, 1, 1, 1, 2, 4]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Options)]
pub struct VanderOptions {
    /// The number of columns; by default that of rows. NumPy's `N`.
    #[from]
    pub columns: Option<usize>,
    /// If true, powers increase from column to column. By default `false`.
    pub increasing: bool,
}

/// Vandermonde matrix: a row of powers for each number, from the highest to the power 0; NumPy's `vander`.
///
/// The result has the shape `[n, columns]` for `n` numbers, and the dtype to which that of `x` and int64 are promoted,
/// as in NumPy. The powers are running products, in the order in which NumPy multiplies.
///
/// ```
/// use cuprum::{VanderOptions, array, vander};
/// let x = array([2i64, 3])?;
/// assert_eq!(vander(&x, 3)?.to_vec::<i64>()?, [4, 2, 1, 9, 3, 1]);
/// let growing = VanderOptions::new().columns(3).increasing(true);
/// assert_eq!(vander(&x, growing)?.to_vec::<i64>()?, [1, 2, 4, 1, 3, 9]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for an array of other than one axis.
pub fn vander(x: impl crate::array::AsArray, options: impl IntoArgument<VanderOptions>) -> Result<Array> {
    powers(x.as_array(), &options.into()).map_err(|e| e.with_op("vander"))
}

fn powers(x: &Array, options: &VanderOptions) -> Result<Array> {
    if x.ndim() != 1 {
        let shape = shape_text(x.shape());
        return Err(Error::new(ErrorKind::Value, format!("the numbers, of shape {shape}, must have one axis")));
    }
    let (rows, columns) = (x.size(), options.columns.unwrap_or(x.size()));
    let out = engine::make::empty(x.device(), &[rows, columns], promote_types(x.dtype(), DType::I64))?;
    let growing = if options.increasing { out.clone() } else { out.index(s![.., ..;-1])? };
    if columns > 0 {
        filled(growing.index(s![.., 0])?, 1.into())?;
    }
    if columns > 1 && rows > 0 {
        let each = growing.index(s![.., 1..])?;
        each.assign(x.expand_dims(1)?)?;
        if columns > 2 {
            ufunc("multiply")?.accumulate(&each, 1, AccumulateOptions::new().out(&each))?;
        }
    }
    Ok(out)
}

/// NumPy's signatures, for the call table.
mod forms {
    use super::*;

    /// Creates a matrix with ones on a diagonal and zeros elsewhere.
    #[routine(
        names = "N M k dtype order", k = 0, dtype = DType::F64, order = Order::C,
        python(saturating = "k", extras = [("device", Extra::Device)])
    )]
    fn eye(n: usize, m: Option<usize>, k: isize, dtype: DType, order: Order) -> Result<Array> {
        super::eye(n, EyeOptions { columns: m, k, dtype: Some(dtype), order: Some(order) })
    }

    /// Creates a matrix with ones on and below a diagonal, and zeros above.
    #[routine(
        names = "N M k dtype", k = 0, dtype = DType::F64,
        python(rounded = [("N", Rounding::Ceil), ("M", Rounding::Ceil), ("k", Rounding::Cut)])
    )]
    fn tri(n: isize, m: Option<isize>, k: isize, dtype: DType) -> Result<Array> {
        // NumPy treats a negative number as zero here, and rejects it in `eye`.
        let count = |n: isize| usize::try_from(n).unwrap_or(0);
        super::tri(count(n), EyeOptions { columns: m.map(count), k, dtype: Some(dtype), order: None })
    }

    /// Vandermonde matrix: a row of powers for each number.
    #[routine(names = "x N increasing", increasing = false)]
    fn vander(x: &Array, n: Option<usize>, increasing: bool) -> Result<Array> {
        super::vander(x, VanderOptions { columns: n, increasing })
    }
}
