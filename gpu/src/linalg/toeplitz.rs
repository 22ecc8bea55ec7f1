//! Structured matrices determined by vectors: Toeplitz, Hankel, circulant and companion matrices of SciPy's `linalg`. A
//! matrix with constant diagonals is one copy of a strided view of its vector.
//!
//! A product with a Toeplitz or a circulant matrix is a convolution; for long vectors
//! [`fftconvolve`](crate::scipy::signal::fftconvolve) computes it without the matrix.

use cuprum_kernels::DType;
use cuprum_macros::{Choice, Options, routine};

use super::matrices::{map, pair};
use crate::array::{Array, Index};
use crate::dtype::promote_types;
use crate::engine::make;
use crate::error::{Error, ErrorKind, Result};
use crate::index::Slice;
use crate::layout::{Dims, Layout, Order, Strides, broadcast_shapes, shape_text};
use crate::reduction::{Reduce, reduced};
use crate::routines::manipulation::{atleast_1d, atleast_2d, concatenate, flip};
use crate::scalar::Scalar;
use crate::scan::part;

/// Returns the length of the last axis.
fn length(a: &Array) -> usize {
    a.shape().last().copied().unwrap_or(1)
}

/// Returns a slice of the last axis.
fn last(a: &Array, range: impl std::ops::RangeBounds<i64>) -> Result<Array> {
    part(a, a.ndim() - 1, range)
}

/// Copies a strided view of a vector as a matrix: one row down is `down` elements along the vector, one column is
/// `across`.
fn woven(line: &Array, first: usize, [rows, columns]: [usize; 2], [down, across]: [i64; 2]) -> Result<Array> {
    let start = last(line, first as i64..)?;
    let (stack, step) = (&line.shape()[..line.ndim() - 1], line.strides()[line.ndim() - 1]);
    let shape: Dims = stack.iter().copied().chain([rows, columns]).collect();
    let strides = &line.strides()[..stack.len()];
    let strides: Strides = strides.iter().copied().chain([down * step, across * step]).collect();
    if shape.contains(&0) {
        return make::empty(line.device(), &shape, line.dtype());
    }
    // Every index stays within the vector: the last element is that of the last row and column.
    start.with_layout(Layout { shape, strides, offset: start.layout().offset }).copy(Order::C)
}

/// Returns a view of every `step`th element of a diagonal of new matrices, starting at a row and a column.
fn diagonal_from(a: &Array, [row, column]: [usize; 2], step: usize) -> Array {
    let stack = a.ndim() - 2;
    let (m, n) = (a.shape()[stack], a.shape()[stack + 1]);
    let (down, across) = (a.strides()[stack], a.strides()[stack + 1]);
    let count = m.saturating_sub(row).min(n.saturating_sub(column)).div_ceil(step);
    let shape: Dims = a.shape()[..stack].iter().copied().chain([count]).collect();
    let strides: Strides = a.strides()[..stack].iter().copied().chain([(down + across) * step as i64]).collect();
    let offset = if count == 0 { 0 } else { row * down as usize + column * across as usize };
    a.with_layout(Layout { shape, strides, offset: a.layout().offset + offset })
}

/// Returns a batch of zero-filled square matrices for the leading axes of the vectors.
fn squares(like: &Array, n: usize, dtype: DType) -> Result<Array> {
    let shape: Dims = like.shape()[..like.ndim() - 1].iter().copied().chain([n, n]).collect();
    make::zeros(like.device(), &shape, dtype)
}

/// Broadcasts all axes but the last of both arrays.
fn same_stack(a: &Array, b: &Array) -> Result<(Array, Array)> {
    let stack = broadcast_shapes(&[&a.shape()[..a.ndim() - 1], &b.shape()[..b.ndim() - 1]])?;
    let full = |x: &Array| {
        let shape: Dims = stack.iter().copied().chain([length(x)]).collect();
        x.broadcast_to_shape(&shape)
    };
    Ok((full(a)?, full(b)?))
}

/// Options of [`toeplitz`] and [`hankel`].
///
/// An array converts to options that set the row.
///
/// ```
/// use cuprum::{array, scipy::linalg::toeplitz};
/// let (column, row) = (array([1, 2])?, array([0, 3, 4])?);
/// assert_eq!(toeplitz(&column, &row)?.to_vec::<i32>()?, [1, 3, 4, 2, 1, 3]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, Options)]
pub struct RowOptions<'a> {
    /// The first row of a Toeplitz matrix, or the last row of a Hankel matrix.
    #[from]
    pub r: Option<&'a Array>,
}

/// Toeplitz matrices: constant diagonals, from their first columns and rows; SciPy's `linalg.toeplitz`. By default the
/// row is the conjugated column; the first element of a row is not read. Leading axes are a batch.
///
/// Columns of `m` elements and rows of `n` elements result in matrices of shape `(..., m, n)`, in the dtype to which
/// both are promoted.
///
/// ```
/// use cuprum::{array, scipy::linalg::toeplitz};
/// assert_eq!(toeplitz(array([1, 2])?, ())?.to_vec::<i32>()?, [1, 2, 2, 1]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for batch axes that cannot be broadcast.
#[routine(namespace = "scipy.linalg")]
pub fn toeplitz(c: &Array, options: RowOptions<'_>) -> Result<Array> {
    let c = atleast_1d(c)?;
    let r = match options.r {
        Some(r) => atleast_1d(r)?,
        None => super::matrices::conjugated(c.clone())?,
    };
    constant_diagonals(&c, &r)
}

fn constant_diagonals(c: &Array, r: &Array) -> Result<Array> {
    let (c, r) = same_stack(c, r)?;
    let (m, n) = (length(&c), length(&r));
    let line = concatenate([&flip(&c, -1)?, &last(&r, 1..)?], -1)?;
    woven(&line, m.saturating_sub(1), [m, n], [-1, 1])
}

/// Hankel matrix: constant antidiagonals, from its first column and its last row, whose first element is not read;
/// SciPy's `linalg.hankel`. By default the row is zeros.
///
/// A column of `m` elements and a row of `n` elements result in a matrix of shape `[m, n]`; both are flattened, and
/// promoted to one dtype.
///
/// ```
/// use cuprum::{array, scipy::linalg::hankel};
/// assert_eq!(hankel(array([1, 2])?, &array([9, 3, 4])?)?.to_vec::<i32>()?, [1, 2, 3, 2, 3, 4]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::OutOfMemory`].
#[routine(namespace = "scipy.linalg")]
pub fn hankel(c: &Array, options: RowOptions<'_>) -> Result<Array> {
    let c = c.ravel()?;
    let r = match options.r {
        Some(r) => r.ravel()?,
        None => make::zeros(c.device(), c.shape(), c.dtype())?,
    };
    let line = concatenate([&c, &last(&r, 1..)?], 0)?;
    woven(&line, 0, [c.size(), r.size()], [1, 1])
}

/// Circulant matrices: each column is the first one, rotated by one more element; SciPy's `linalg.circulant`.
///
/// Vectors of shape `(..., n)` result in matrices of shape `(..., n, n)` and of the same dtype.
///
/// ```
/// use cuprum::{array, scipy::linalg::circulant};
/// assert_eq!(circulant(array([1, 2, 3])?)?.to_vec::<i32>()?, [1, 3, 2, 2, 1, 3, 3, 2, 1]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::OutOfMemory`].
#[routine(namespace = "scipy.linalg")]
pub fn circulant(c: &Array) -> Result<Array> {
    let c = atleast_1d(c)?;
    let n = length(&c);
    let line = concatenate([&flip(&c, -1)?, &flip(last(&c, 1..)?, -1)?], -1)?;
    woven(&line, n.saturating_sub(1), [n, n], [-1, 1])
}

/// Part of the convolution that a convolution matrix computes.
///
/// SciPy's parameter `mode` spells them in lower case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Choice)]
pub enum ConvolutionPart {
    /// The full convolution.
    #[default]
    Full,
    /// The part where the shorter vector is completely inside the longer one.
    Valid,
    /// The central part, as long as the longer vector.
    Same,
}

/// Convolution matrices: products with them convolve `n` numbers with a vector; SciPy's `linalg.convolution_matrix`.
///
/// Vectors of shape `(..., m)` result in matrices of the same dtype. They have `n` columns and `m + n - 1` rows (full),
/// `max(m, n)` (same) or `max(m, n) - min(m, n) + 1` (valid).
///
/// ```
/// use cuprum::{array, scipy::linalg::{ConvolutionPart, convolution_matrix}};
/// let a = convolution_matrix(array([1, 4])?, 2, ConvolutionPart::Full)?;
/// assert_eq!(a.to_vec::<i32>()?, [1, 0, 4, 1, 0, 4]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for an `n` below 1.
#[routine(namespace = "scipy.linalg", mode = ConvolutionPart::Full)]
pub fn convolution_matrix(a: &Array, n: isize, mode: ConvolutionPart) -> Result<Array> {
    if n <= 0 {
        return Err(Error::new(ErrorKind::Value, format!("n is {n}: it is a number of columns, at least 1")));
    }
    let a = atleast_1d(a)?;
    let (columns, count) = (n as usize, length(&a));
    if count == 0 {
        return Err(Error::new(ErrorKind::Value, "a line without numbers has no convolution: at least one is needed"));
    }
    let (trim, front) = match (mode, columns.min(count) - 1) {
        (ConvolutionPart::Full, _) => (0, 0),
        (ConvolutionPart::Same, trim) => (trim, trim / 2),
        (ConvolutionPart::Valid, trim) => (2 * trim, trim),
    };
    let zeros: Dims = a.shape()[..a.ndim() - 1].iter().copied().chain([columns - 1]).collect();
    let zeros = make::zeros(a.device(), &zeros, a.dtype())?;
    // The element of row `i` and column `j` is element `i - j` of the vector, with the omitted rows skipped.
    let line = concatenate([&zeros, &flip(&a, -1)?, &zeros], -1)?;
    let rows = count + columns - 1 - trim;
    woven(&line, count + columns - 2 - front, [rows, columns], [-1, 1])
}

fn no_leading(function: &str) -> Error {
    Error::new(ErrorKind::Value, format!("the first coefficient is zero: {function} divides by it, trim it away"))
}

/// Returns whether any element is zero.
fn any_zero(a: &Array) -> Result<bool> {
    reduced("any", &pair("equal", a, Scalar::from(0))?, &Reduce::all())?.item()
}

/// Companion matrices, whose eigenvalues are the roots of polynomials with the highest power first; SciPy's
/// `linalg.companion`.
///
/// Polynomials of shape `(..., n)` result in matrices of shape `(..., n - 1, n - 1)` and of a floating-point or complex
/// dtype.
///
/// ```
/// use cuprum::{array, scipy::linalg::companion};
/// assert_eq!(companion(array([1.0, -10.0, 31.0])?)?.to_vec::<f64>()?, [10.0, -31.0, 1.0, 0.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for fewer than two coefficients, and where the first is zero.
///
/// # Synchronization
///
/// Synchronises to check that the first coefficient is not zero.
#[routine(namespace = "scipy.linalg", no_programs = "rejects zeros, that is by value and not by shape")]
pub fn companion(a: &Array) -> Result<Array> {
    let a = atleast_1d(a)?;
    let n = length(&a);
    if n < 2 {
        let message = format!("{n} coefficients have no companion matrix: a power above 0 is needed");
        return Err(Error::new(ErrorKind::Value, message));
    }
    // Negating booleans is an error, whatever the first element is.
    let (lead, below) = (last(&a, ..1)?, map("negative", &last(&a, 1..)?)?);
    if any_zero(&lead)? {
        return Err(no_leading("companion"));
    }
    let row = pair("divide", &below, &pair("multiply", Scalar::Float(1.0), &lead)?)?;
    let out = squares(&a, n - 1, row.dtype())?;
    part(&out, out.ndim() - 2, ..1)?.assign(row.expand_dims(-2)?)?;
    diagonal_from(&out, [1, 0], 1).fill(1)?;
    Ok(out)
}

/// Leslie matrices, with fecundities in the first row and survivals below the diagonal; SciPy's `linalg.leslie`.
///
/// Fecundities of shape `(..., n)` and survivals of shape `(..., n - 1)` result in matrices of shape `(..., n, n)`, in
/// the dtype to which both are promoted.
///
/// ```
/// use cuprum::{array, scipy::linalg::leslie};
/// assert_eq!(leslie(array([0.1, 2.0])?, array([0.2])?)?.to_vec::<f64>()?, [0.1, 2.0, 0.2, 0.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] where the survivals are not one fewer than the fecundities, and for empty arrays.
#[routine(namespace = "scipy.linalg")]
pub fn leslie(f: &Array, s: &Array) -> Result<Array> {
    let (f, s) = (atleast_1d(f)?, atleast_1d(s)?);
    let (n, others) = (length(&f), length(&s));
    if n != others + 1 || others == 0 {
        let message = format!("{n} fecundities and {others} survivals do not go together: one less is needed, and one");
        return Err(Error::new(ErrorKind::Value, message));
    }
    let (f, s) = same_stack(&f, &s)?;
    let out = squares(&f, n, promote_types(f.dtype(), s.dtype()))?;
    part(&out, out.ndim() - 2, ..1)?.assign(f.expand_dims(-2)?)?;
    diagonal_from(&out, [1, 0], 1).assign(&s)?;
    Ok(out)
}

/// Fiedler matrices: absolute differences of all pairs of numbers; SciPy's `linalg.fiedler`.
///
/// Vectors of shape `(..., n)` result in matrices of shape `(..., n, n)` and of the same dtype.
///
/// ```
/// use cuprum::{array, scipy::linalg::fiedler};
/// assert_eq!(fiedler(array([1, 4])?)?.to_vec::<i32>()?, [0, 3, 3, 0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Type`] for booleans.
#[routine(namespace = "scipy.linalg")]
pub fn fiedler(a: &Array) -> Result<Array> {
    let a = atleast_1d(a)?;
    match a.size() {
        0 => make::empty(a.device(), &[0], DType::F64),
        1 => make::zeros(a.device(), &[1, 1], DType::F64),
        _ => map("absolute", &pair("subtract", &a.expand_dims(-1)?, &a.expand_dims(-2)?)?),
    }
}

/// Fiedler companion matrices: pentadiagonal matrices whose eigenvalues are the roots of polynomials with the highest
/// power first; SciPy's `linalg.fiedler_companion`.
///
/// Polynomials of shape `(..., n)` result in matrices of shape `(..., n - 1, n - 1)`.
///
/// ```
/// use cuprum::{array, scipy::linalg::fiedler_companion};
/// let a = fiedler_companion(array([1.0, -6.0, 11.0, -6.0])?)?;
/// assert_eq!(a.to_vec::<f64>()?, [6.0, -11.0, 1.0, 1.0, 0.0, 0.0, 0.0, 6.0, 0.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] where the first coefficient is zero.
///
/// # Synchronization
///
/// Same as [`companion`].
#[routine(namespace = "scipy.linalg", no_programs = "rejects zeros, that is by value and not by shape")]
pub fn fiedler_companion(a: &Array) -> Result<Array> {
    let a = atleast_1d(a)?;
    let count = length(&a);
    if count < 2 {
        let shape: Dims = a.shape()[..a.ndim() - 1].iter().copied().chain([0]).collect();
        return make::empty(a.device(), &shape, a.dtype());
    }
    let lead = last(&a, ..1)?;
    if count > 2 && any_zero(&lead)? {
        return Err(no_leading("fiedler_companion"));
    }
    let (a, n) = (pair("divide", &a, &lead)?, count - 1);
    let below = map("negative", &last(&a, 1..)?)?;
    let out = squares(&a, n, a.dtype())?;
    let first = |from: usize| diagonal_from(&out, [from, 0], n);
    first(0).assign(last(&below, ..1)?)?;
    if n == 1 {
        return Ok(out);
    }
    first(1).fill(1)?;
    diagonal_from(&out, [3, 1], 2).fill(1)?;
    diagonal_from(&out, [0, 2], 2).fill(1)?;
    // Coefficients alternate between above and below the diagonal.
    for (start, corner) in [(1, [0, 1]), (2, [2, 1])] {
        let target = diagonal_from(&out, corner, 2);
        target.assign(every_other(&last(&below, start..)?)?)?;
    }
    Ok(out)
}

/// Returns every other element of the last axis, from the first on.
fn every_other(a: &Array) -> Result<Array> {
    a.part_at(&[Index::Ellipsis, Index::Slice(Slice { step: Some(2), ..Slice::default() })])
}

/// Block diagonal matrix of the arrays; SciPy's `linalg.block_diag`. An array of one axis is a row; leading axes are
/// broadcast.
///
/// The result has as many rows and columns as all arrays together, zeros outside of them, and the promoted
/// dtype.
///
/// ```
/// use cuprum::{array, scipy::linalg::block_diag};
/// let out = block_diag([array([[1]])?, array([[2, 3]])?])?;
/// assert_eq!((out.shape(), out.to_vec::<i32>()?), (&[2, 3][..], vec![1, 0, 0, 0, 2, 3]));
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for batch axes that cannot be broadcast.
#[routine(namespace = "scipy.linalg", python(varargs = "arrs"))]
pub fn block_diag(arrs: &[&Array]) -> Result<Array> {
    let all: Vec<Array> = arrs.iter().map(|a| atleast_2d(*a)).collect::<Result<_>>()?;
    let Some(first) = all.first() else {
        return make::zeros(crate::cuda::Device::current()?, &[1, 0], DType::F64);
    };
    crate::engine::one_device(first, &all[1..])?;
    let stacks: Vec<&[usize]> = all.iter().map(|a| &a.shape()[..a.ndim() - 2]).collect();
    let stack = broadcast_shapes(&stacks)?;
    let sides = |a: &Array| [a.shape()[a.ndim() - 2], a.shape()[a.ndim() - 1]];
    let [m, n] = all.iter().map(sides).fold([0; 2], |[m, n], [rows, columns]| [m + rows, n + columns]);
    let dtype = all.iter().map(Array::dtype).reduce(promote_types).expect("there is a first one");
    let shape: Dims = stack.iter().copied().chain([m, n]).collect();
    let out = make::zeros(first.device(), &shape, dtype)?;
    let (mut row, mut column) = (0, 0);
    for a in &all {
        let [rows, columns] = sides(a).map(|n| n as i64);
        let target = part(&part(&out, stack.len(), row..row + rows)?, stack.len() + 1, column..column + columns)?;
        target.assign(a)?;
        (row, column) = (row + rows, column + columns);
    }
    Ok(out)
}

/// Khatri-Rao product: column-wise Kronecker products of two matrices; SciPy's `linalg.khatri_rao`.
///
/// Matrices of shapes `[m, k]` and `[n, k]` result in one of shape `[m * n, k]`, in the dtype to which both are
/// promoted.
///
/// ```
/// use cuprum::{array, scipy::linalg::khatri_rao};
/// let out = khatri_rao(array([[1, 2]])?, array([[3, 4], [5, 6]])?)?;
/// assert_eq!(out.to_vec::<i32>()?, [3, 8, 5, 12]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for an array that is not a matrix, and for different numbers of columns.
#[routine(namespace = "scipy.linalg")]
pub fn khatri_rao(a: &Array, b: &Array) -> Result<Array> {
    let columns = |x: &Array| if x.ndim() < 2 { None } else { Some(length(x)) };
    if columns(a).is_none() || columns(a) != columns(b) {
        let (one, two) = (shape_text(a.shape()), shape_text(b.shape()));
        let message = format!("operands of shapes {one} and {two} are no matrices with as many columns each");
        return Err(Error::new(ErrorKind::Value, message));
    }
    let product = pair("multiply", &a.expand_dims(-2)?, &b.expand_dims(-3)?)?;
    let &[ref stack @ .., m, rows, n] = product.shape() else { unreachable!("three axes were made of two") };
    let shape: Dims = stack.iter().copied().chain([m * rows, n]).collect();
    product.reshape(&shape[..])
}
