//! Vector and tensor products: `vdot`, `inner`, `outer`, `tensordot` and `kron`.
//!
//! They reshape and permute their operands as views and call [`matmul`](crate::matmul()), except for products without a
//! sum, which are elementwise.

use cuprum_kernels::DType;
use cuprum_macros::{Options, routine};

use super::products::{dot, matmul};
use crate::array::{Array, Axes};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Dims, normalize_axes, shape_text, size_of};
use crate::table::{Argument, ParameterKind, Value};
use crate::ufunc::{UfuncOptions, apply, ufunc};

/// Returns the complex conjugate; real arrays are returned as they are.
pub(super) fn conjugated(a: &Array) -> Result<Array> {
    if a.dtype().is_complex() { apply("conjugate", [a.into()]) } else { Ok(a.clone()) }
}

fn of_lengths(one: &Array, two: &Array) -> Error {
    let message = format!(
        "operands of shapes {} and {} do not go together: the axes that are summed over differ in length",
        shape_text(one.shape()),
        shape_text(two.shape())
    );
    Error::new(ErrorKind::Value, message)
}

/// Dot product of all elements of two arrays, with the first operand conjugated; NumPy's `vdot`.
///
/// The result is a 0-d array of the dtype to which both are promoted. The operands are flattened in C order.
///
/// ```
/// use cuprum::array;
/// assert_eq!(cuprum::vdot(array([[1, 2], [3, 4]])?, array([[1, 0], [0, 1]])?)?.item::<i32>()?, 5);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for operands of different sizes.
#[routine]
pub fn vdot(a: &Array, b: &Array) -> Result<Array> {
    if a.size() != b.size() {
        return Err(of_lengths(a, b));
    }
    dot(conjugated(&a.ravel()?)?, b.ravel()?)
}

/// Inner product over the last axes of both operands; NumPy's `inner`. Nothing is conjugated. For a scalar it is the
/// elementwise product.
///
/// The result has the axes of `a` but the last, then those of `b` but the last, and the dtype to which both are
/// promoted.
///
/// ```
/// use cuprum::array;
/// assert_eq!(cuprum::inner(array([[1, 2], [3, 4]])?, array([1, 1])?)?.to_vec::<i32>()?, [3, 7]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] where the last axes differ in length.
#[routine]
pub fn inner(a: &Array, b: &Array) -> Result<Array> {
    if a.ndim() == 0 || b.ndim() == 0 {
        return apply("multiply", [a.into(), b.into()]);
    }
    if a.shape()[a.ndim() - 1] != b.shape()[b.ndim() - 1] {
        return Err(of_lengths(a, b));
    }
    contracted(a, &[a.ndim() - 1], b, &[b.ndim() - 1])
}

/// Options of [`outer`].
///
/// An array converts to options that set `out`.
#[derive(Clone, Copy, Debug, Default, Options)]
pub struct OuterOptions<'a> {
    /// The output array; by default a new one.
    #[from]
    pub out: Option<&'a Array>,
}

/// Outer product: each element of one operand times each of the other; NumPy's `outer`. Both are flattened.
///
/// The result has the shape `[m, n]` for `m` and `n` elements, and the dtype to which both are promoted.
///
/// ```
/// use cuprum::array;
/// assert_eq!(cuprum::outer(array([1, 2])?, array([3, 4])?, ())?.to_vec::<i32>()?, [3, 4, 6, 8]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] and [`ErrorKind::Type`] where the result does not fit `out`.
#[routine]
pub fn outer(a: &Array, b: &Array, options: OuterOptions<'_>) -> Result<Array> {
    let (column, row) = (a.reshape([-1, 1])?, b.reshape([1, -1])?);
    ufunc("multiply")?.called(&[(&column).into(), (&row).into()], &UfuncOptions::new().out(options.out))
}

/// Axes over which [`tensordot`] sums.
///
/// An integer and a pair of lists convert to it.
///
/// ```
/// use cuprum::{TensordotAxes, ones, tensordot};
/// let (a, b) = (ones([2, 3, 4], ())?, ones([4, 3, 5], ())?);
/// let pairs = TensordotAxes::Named(vec![1, 2], vec![1, 0]);
/// assert_eq!(tensordot(&a, &b, pairs)?.shape(), [2, 5]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TensordotAxes {
    /// A number of axes: the last of the first operand, the first of the second.
    Count(usize),
    /// Axes of the first operand, and axes of the second.
    Named(Vec<isize>, Vec<isize>),
}

impl From<usize> for TensordotAxes {
    fn from(count: usize) -> TensordotAxes {
        TensordotAxes::Count(count)
    }
}

impl<A: Into<Axes>, B: Into<Axes>> From<(A, B)> for TensordotAxes {
    fn from((a, b): (A, B)) -> TensordotAxes {
        let list = |axes: Axes| axes.as_slice().unwrap_or_default().to_vec();
        TensordotAxes::Named(list(a.into()), list(b.into()))
    }
}

impl Argument<'_> for TensordotAxes {
    const KIND: ParameterKind = ParameterKind::Sides;

    fn read(value: &Value) -> Result<TensordotAxes> {
        let axes = |value: &Value| match value {
            Value::List(list) => list.iter().map(isize::read).collect(),
            Value::Integers(all) => Ok(all.clone()),
            one => isize::read(one).map(|axis| vec![axis]),
        };
        match value {
            Value::List(sides) if sides.len() == 2 => Ok(TensordotAxes::Named(axes(&sides[0])?, axes(&sides[1])?)),
            Value::Integers(two) if two.len() == 2 => Ok(TensordotAxes::Named(vec![two[0]], vec![two[1]])),
            one => usize::read(one).map(TensordotAxes::Count),
        }
    }

    fn value(&self) -> Value {
        match self {
            TensordotAxes::Count(count) => Value::from(*count),
            TensordotAxes::Named(a, b) => Value::List(vec![Value::Integers(a.clone()), Value::Integers(b.clone())]),
        }
    }
}

/// Options of [`tensordot`].
///
/// By default the sum is over the last two axes of the first operand and the first two of the second.
#[derive(Clone, Debug, PartialEq, Eq, Options)]
pub struct TensordotOptions {
    /// The axes to sum over.
    #[from]
    pub axes: TensordotAxes,
}

impl Default for TensordotOptions {
    fn default() -> Self {
        TensordotOptions { axes: TensordotAxes::Count(2) }
    }
}

/// Tensor dot product: the sum of products over axes of two arrays; NumPy's `tensordot`. The result has the remaining
/// axes of `a`, then those of `b`.
///
/// The dtype is the promoted one.
///
/// ```
/// use cuprum::{TensordotOptions, arange, tensordot};
/// let a = arange(0, 6, 1)?.reshape([2, 3])?;
/// assert_eq!(tensordot(&a, &a, ())?.item::<i64>()?, 55);
/// let rows = TensordotOptions::new().axes((1, 1));
/// assert_eq!(tensordot(&a, &a, rows)?.to_vec::<i64>()?, [5, 14, 14, 50]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] where the summed axes differ in number or in length, [`ErrorKind::Axis`].
#[routine]
pub fn tensordot(a: &Array, b: &Array, options: TensordotOptions) -> Result<Array> {
    let (first, second) = match options.axes {
        TensordotAxes::Count(count) => {
            if count > a.ndim() || count > b.ndim() {
                return Err(of_lengths(a, b));
            }
            ((a.ndim() - count..a.ndim()).collect(), (0..count).collect())
        }
        TensordotAxes::Named(first, second) => {
            if first.len() != second.len() {
                return Err(of_lengths(a, b));
            }
            (normalize_axes(&first, a.ndim())?, normalize_axes(&second, b.ndim())?)
        }
    };
    if first.iter().zip(&second).any(|(&one, &two)| a.shape()[one] != b.shape()[two]) {
        return Err(of_lengths(a, b));
    }
    contracted(a, &first, b, &second)
}

/// Contracts axes of `a` with as many axes of `b`, of the same lengths.
fn contracted(a: &Array, first: &[usize], b: &Array, second: &[usize]) -> Result<Array> {
    // In the order of `a` in memory, in which it is more often read in place.
    let mut pairs: Vec<(usize, usize)> = first.iter().copied().zip(second.iter().copied()).collect();
    pairs.sort_by_key(|&(axis, _)| std::cmp::Reverse(a.strides()[axis].unsigned_abs()));
    let (first, second): (Vec<usize>, Vec<usize>) = pairs.into_iter().unzip();
    let (first, second) = (&first[..], &second[..]);
    let stay = |x: &Array, gone: &[usize]| -> Dims { (0..x.ndim()).filter(|axis| !gone.contains(axis)).collect() };
    let (left, right) = (stay(a, first), stay(b, second));
    let sizes = |x: &Array, axes: &[usize]| -> Dims { axes.iter().map(|&axis| x.shape()[axis]).collect() };
    let order = |axes: Vec<usize>| Axes::from(axes.iter().map(|&axis| axis as isize).collect::<Vec<_>>());
    let k = size_of(&sizes(a, first));
    let rows = a.transpose(order([&left[..], first].concat()))?.reshape([size_of(&sizes(a, &left)), k])?;
    let columns = b.transpose(order([second, &right[..]].concat()))?.reshape([k, size_of(&sizes(b, &right))])?;
    let shape = [&sizes(a, &left)[..], &sizes(b, &right)].concat();
    matmul(rows, columns)?.reshape(shape.as_slice())
}

/// Kronecker product; NumPy's `kron`.
///
/// Along each axis the result has the product of both lengths; an operand with fewer axes gets leading ones of length
/// 1. The dtype is that to which both are promoted.
///
/// ```
/// use cuprum::array;
/// assert_eq!(cuprum::kron(array([1, 10])?, array([1, 2, 3])?)?.to_vec::<i32>()?, [1, 2, 3, 10, 20, 30]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Only errors of the device.
#[routine]
pub fn kron(a: &Array, b: &Array) -> Result<Array> {
    if a.ndim() == 0 || b.ndim() == 0 {
        return apply("multiply", [a.into(), b.into()]);
    }
    let ndim = a.ndim().max(b.ndim());
    let padded =
        |x: &Array| -> Dims { std::iter::repeat_n(1, ndim - x.ndim()).chain(x.shape().iter().copied()).collect() };
    let (first, second) = (padded(a), padded(b));
    let between = |sizes: &Dims, at: usize| -> Dims {
        sizes.iter().flat_map(|&n| if at == 0 { [n, 1] } else { [1, n] }).collect()
    };
    let (one, two) = (a.reshape(between(&first, 0).as_slice())?, b.reshape(between(&second, 1).as_slice())?);
    let shape: Dims = first.iter().zip(&second).map(|(m, n)| m * n).collect();
    apply("multiply", [(&one).into(), (&two).into()])?.reshape(shape.as_slice())
}

/// Returns the dtype in which linear algebra computes: that of the array, or float64 for integers and booleans.
///
/// # Errors
///
/// [`ErrorKind::Type`] for float16 and bfloat16, which no library decomposes.
pub(crate) fn work_dtype(dtype: DType) -> Result<DType> {
    match dtype {
        DType::F16 | DType::BF16 => {
            Err(Error::new(ErrorKind::Type, format!("there is no linear algebra of {dtype}: cast to float32")))
        }
        DType::F32 | DType::F64 | DType::C64 | DType::C128 => Ok(dtype),
        _ => Ok(DType::F64),
    }
}
