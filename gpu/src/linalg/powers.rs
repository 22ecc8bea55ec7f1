//! Matrix powers, chained products, tensor equations and condition numbers.
//!
//! All are combinations of products, inverses and norms of batches.

use cuprum_macros::{Options, routine};

use super::linear::{inv, solve};
use super::matrices::Matrices;
use super::norms::{NormOptions, NormOrder, norm};
use crate::array::{Array, Axes};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Dims, Order, normalize_axes, shape_text, size_of};
use crate::reduction::{Reduce, reduced};
use crate::routines::linalg::matmul;
use crate::ufunc::apply;

/// Matrix power of square matrices; NumPy's `linalg.matrix_power`, by binary exponentiation.
///
/// The result has the shape and the dtype of `a`. For a negative `n` the inverse is raised to the power,
/// and for 0 the result is the identity matrix. It takes about `log2(n)` products.
///
/// ```
/// use cuprum::{array, linalg};
/// assert_eq!(linalg::matrix_power(array([[1, 1], [1, 0]])?, 6)?.to_vec::<i32>()?, [13, 8, 8, 5]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::LinAlg`] for matrices that are not square, and, at the next synchronisation, for singular ones if `n`
/// is negative.
#[routine(
    namespace = "numpy.linalg", python(aliases = [("M", "a")]),
    no_programs = "has no error bound for nearly singular matrices"
)]
pub fn matrix_power(a: &Array, n: isize) -> Result<Array> {
    let &[ref stack @ .., rows, columns] = a.shape() else {
        let message = format!("an array of shape {} is no matrix: it needs two axes", shape_text(a.shape()));
        return Err(Error::new(ErrorKind::LinAlg, message));
    };
    if rows != columns {
        let message = format!("matrices of {rows} rows and {columns} columns are not square");
        return Err(Error::new(ErrorKind::LinAlg, message));
    }
    if n == 0 {
        let unit = Matrices { stack: stack.into(), m: rows, n: rows, dtype: a.dtype() };
        return unit.identity(a, rows);
    }
    let mut square = if n < 0 { inv(a)? } else { a.copy(Order::C)? };
    // NumPy's order of products, which decides where infinities become NaN.
    if n.unsigned_abs() == 3 {
        return matmul(matmul(&square, &square)?, &square);
    }
    let (mut digits, mut power) = (n.unsigned_abs(), None);
    loop {
        if digits % 2 == 1 {
            power = Some(match power {
                None => square.clone(),
                Some(power) => matmul(power, &square)?,
            });
        }
        digits /= 2;
        if digits == 0 {
            break;
        }
        square = matmul(&square, &square)?;
    }
    Ok(power.expect("a number that is not 0 has a digit that is not"))
}

/// Product of several matrices in the order that needs the fewest scalar multiplications; NumPy's
/// `linalg.multi_dot`.
///
/// The result has the rows of the first matrix, the columns of the last one and the promoted dtype. The
/// first operand may be a row vector and the last one a column vector of one axis; the result then lacks
/// their axis.
///
/// Algorithm: dynamic programming over the shapes, on the host (T. H. Cormen and others, Introduction to
/// Algorithms, 15.2).
///
/// ```
/// use cuprum::{linalg, ones};
/// let all = [ones([2, 30], ())?, ones([30, 4], ())?, ones([4, 5], ())?];
/// assert_eq!(linalg::multi_dot(&all)?.shape(), [2, 5]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for fewer than two arrays and for incompatible sizes, [`ErrorKind::LinAlg`] for an array that
/// is not a matrix.
#[routine(
    namespace = "numpy.linalg", python(keyword_only = 0, extras = [("out", Extra::Out)], exact_out),
    no_programs = "has no error bound for nearly singular matrices"
)]
pub fn multi_dot(arrays: &[&Array]) -> Result<Array> {
    let [first, .., last] = arrays else {
        let message = format!("{} arrays have no product: two are needed", arrays.len());
        return Err(Error::new(ErrorKind::Value, message));
    };
    let mut all: Vec<Array> = arrays.iter().map(|a| (*a).clone()).collect();
    let (row, column) = (first.ndim() == 1, last.ndim() == 1);
    let count = all.len();
    if row {
        all[0] = all[0].expand_dims(0)?;
    }
    if column {
        all[count - 1] = all[count - 1].expand_dims(1)?;
    }
    if let Some(a) = all.iter().find(|a| a.ndim() != 2) {
        let message = format!("an array of shape {} is no matrix: it has two axes", shape_text(a.shape()));
        return Err(Error::new(ErrorKind::LinAlg, message));
    }
    // Dynamic programming: the lowest cost of multiplying the matrices of each range, and the position of its last
    // product.
    let sizes: Vec<f64> = all.iter().map(|a| a.shape()[0] as f64).chain([all[count - 1].shape()[1] as f64]).collect();
    let mut best = vec![vec![(0.0, 0); count]; count];
    for length in 1..count {
        for i in 0..count - length {
            let j = i + length;
            let cost = |k: usize| best[i][k].0 + best[k + 1][j].0 + sizes[i] * sizes[k + 1] * sizes[j + 1];
            let cheapest = (i..j).map(|k| (cost(k), k)).min_by(|a, b| a.0.total_cmp(&b.0));
            best[i][j] = cheapest.expect("there is a split between two matrices");
        }
    }
    let product = multiplied(&all, &best, 0, count - 1)?;
    match (row, column) {
        (true, true) => product.squeeze([0, 1]),
        (true, false) => product.squeeze(0),
        (false, true) => product.squeeze(1),
        (false, false) => Ok(product),
    }
}

fn multiplied(all: &[Array], best: &[Vec<(f64, usize)>], i: usize, j: usize) -> Result<Array> {
    if i == j {
        return Ok(all[i].clone());
    }
    let at = best[i][j].1;
    matmul(multiplied(all, best, i, at)?, multiplied(all, best, at + 1, j)?)
}

/// Options of [`tensorsolve`].
///
/// By default no axes are moved.
#[derive(Clone, Debug, Default, PartialEq, Eq, Options)]
pub struct TensorsolveOptions {
    /// The axes of `a` that are moved to the end first.
    #[from]
    pub axes: Axes,
}

/// Solves the tensor equation `tensordot(a, x, x.ndim()) = b` for `x`; NumPy's `linalg.tensorsolve`.
///
/// The solution has the axes of `a` after those of `b`, and the promoted dtype. The equation is reshaped to
/// a square system and solved by [`solve`](super::solve).
///
/// ```
/// use cuprum::{eye, linalg, ones};
/// let a = eye(6, ())?.reshape([2, 3, 6])?;
/// assert_eq!(linalg::tensorsolve(&a, ones([2, 3], ())?, ())?.shape(), [6]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::LinAlg`] where `a` is not square with respect to `b`, and, at the next synchronisation, where it is
/// singular.
#[routine(namespace = "numpy.linalg")]
pub fn tensorsolve(a: &Array, b: &Array, options: TensorsolveOptions) -> Result<Array> {
    let a = match options.axes.as_slice() {
        None => a.clone(),
        Some(axes) => {
            let moved = normalize_axes(axes, a.ndim())?;
            let stay = (0..a.ndim()).filter(|axis| !moved.contains(axis));
            let order: Vec<isize> = stay.chain(moved.iter().copied()).map(|axis| axis as isize).collect();
            a.transpose(Axes::from(order))?
        }
    };
    let rest: Dims = a.shape()[b.ndim().min(a.ndim())..].into();
    let n = size_of(&rest);
    if a.size() != n * n {
        let (one, two) = (shape_text(a.shape()), shape_text(b.shape()));
        return Err(Error::new(
            ErrorKind::LinAlg,
            format!("an array of shape {one} is not square for results of {two}"),
        ));
    }
    let right = b.ravel()?;
    if right.size() != n {
        let (one, two) = (shape_text(a.shape()), shape_text(b.shape()));
        return Err(Error::new(ErrorKind::Value, format!("an array of shape {one} does not go with results of {two}")));
    }
    solve(a.reshape([n, n])?, right)?.reshape(&rest[..])
}

/// Inverse of a tensor: the array whose product with `a`, summed over `ind` axes, is the identity; NumPy's
/// `linalg.tensorinv`.
///
/// The result has the axes of `a` from `ind` on, then the first `ind` ones. The tensor is reshaped to a
/// square matrix and inverted by [`inv`](super::inv).
///
/// ```
/// use cuprum::{eye, linalg};
/// let a = eye(6, ())?.reshape([2, 3, 6])?;
/// assert_eq!(linalg::tensorinv(&a, 2)?.shape(), [6, 2, 3]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] for an `ind` that is not positive, [`ErrorKind::LinAlg`] for a tensor that is not square, and,
/// at the next synchronisation, for a singular one.
#[routine(namespace = "numpy.linalg", ind = 2)]
pub fn tensorinv(a: &Array, ind: isize) -> Result<Array> {
    if ind <= 0 {
        return Err(Error::new(ErrorKind::Value, format!("ind is {ind}: it is the number of first axes, at least 1")));
    }
    let (first, last) = a.shape().split_at((ind as usize).min(a.ndim()));
    let shape = [last, first].concat();
    inv(a.reshape([size_of(first), size_of(last)])?)?.reshape(shape.as_slice())
}

/// Options of [`cond`].
///
/// A [`NormOrder`] or a number converts to options that set the order.
///
/// ```
/// use cuprum::{array, linalg::{NormOrder, cond}};
/// let a = array([[1.0, 0.0], [0.0, 4.0]])?;
/// assert_eq!(cond(&a, NormOrder::P(1.0))?.item::<f64>()?, 4.0);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Options)]
pub struct CondOptions {
    /// The order of the norm; by default the quotient of the largest and the smallest singular value.
    #[from]
    pub p: NormOrder,
}

/// Condition number of matrices: the norm of a matrix times that of its inverse; NumPy's `linalg.cond`.
///
/// The result has the shape of `x` without the last two axes, and the real dtype of its matrices. The
/// orders 2 and -2 are computed from singular values, the other orders by [`norm`]. The condition number of
/// a singular matrix is infinite.
///
/// A matrix of condition number `10ᵏ` loses about `k` digits in a solution.
///
/// ```
/// use cuprum::{array, linalg};
/// assert_eq!(linalg::cond(array([[4.0, 0.0], [0.0, 2.0]])?, ())?.item::<f64>()?, 2.0);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::LinAlg`] for fewer than two axes and for empty matrices, and with other orders for matrices that are
/// not square.
#[routine(namespace = "numpy.linalg", no_programs = "has no error bound for nearly singular matrices")]
pub fn cond(x: &Array, options: CondOptions) -> Result<Array> {
    let of = Matrices::of(x)?;
    if of.m == 0 || of.n == 0 {
        return Err(Error::new(ErrorKind::LinAlg, "a matrix without elements has no condition"));
    }
    let found = match options.p {
        NormOrder::Euclidean | NormOrder::P(2.0 | -2.0) => {
            let s = super::singular::svdvals(x)?;
            let ends = [super::singular::at_last(&s, 0)?, super::singular::at_last(&s, -1)?];
            let [above, below] =
                if options.p == NormOrder::P(-2.0) { [&ends[1], &ends[0]] } else { [&ends[0], &ends[1]] };
            super::matrices::pair("divide", above, below)?
        }
        order => {
            let options = || NormOptions { order, axis: Axes::from([-2, -1]), keepdims: false };
            super::matrices::pair("multiply", &norm(x, options())?, &norm(super::linear::inv_or_nan(x)?, options())?)?
        }
    };
    // A NaN result of a matrix without NaN comes from a quotient of zeros or from a singular matrix, and is replaced by
    // infinity.
    let unknown = super::matrices::map("isnan", x)?;
    let unknown_matrices = reduced("any", &unknown, &Reduce::from(Axes::from([-2, -1])))?;
    let singular = apply("greater", [(&super::matrices::map("isnan", &found)?).into(), (&unknown_matrices).into()])?;
    crate::routines::searching::where_(&singular, f64::INFINITY, &found)
}
