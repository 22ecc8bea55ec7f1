//! Matrix and vector products as generalised ufuncs: `matmul` with all keywords, `vecdot`, `matvec` and `vecmat`, over
//! the last axes of the operands or named ones, broadcast over the rest.

use cuprum_kernels::DType;
use cuprum_macros::{Options, routine};

use super::products::{as_operands_lie, holds_products, products};
use super::vectors::conjugated;
use crate::array::{Array, Axes};
use crate::dtype::{Casting, promote_types};
use crate::engine;
use crate::error::{Error, ErrorKind, Result};
use crate::gufunc::{CoreAxes, core_positions, last};
use crate::layout::{Dims, Layout, Order, Strides, broadcast_shapes, shape_text};
use crate::ufunc::loops::check_cast;

/// Options of [`matmul_with`], [`matvec`] and [`vecmat`].
///
/// They are NumPy's keywords of generalised ufuncs; the defaults compute over the last axes into a new array.
///
/// ```
/// use cuprum::{DType, MatmulOptions, array, matmul_with};
/// let a = array([[1_i8, 2], [3, 4]])?;
/// let wide = matmul_with(&a, &a, MatmulOptions { dtype: Some(DType::I64), ..Default::default() })?;
/// assert_eq!(wide.to_vec::<i64>()?, [7, 10, 15, 22]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Debug, Default, Options)]
pub struct MatmulOptions<'a> {
    /// The output array; by default a new one. It may overlap the operands.
    #[from]
    pub out: Option<&'a Array>,
    /// The casts of the operands and of the result that are allowed. By default [`Casting::SameKind`].
    pub casting: Casting,
    /// The memory order of a new result; by default K: batch axes are ordered in memory as those of the operands, and
    /// each matrix is in C order.
    pub order: Option<Order>,
    /// The dtype of products and sums; by default the promoted dtype of the operands.
    pub dtype: Option<DType>,
    /// The axes of the matrices and vectors; by default the last.
    pub axes: Option<CoreAxes>,
}

/// Options of [`vecdot`].
///
/// An integer converts to options that set the axis.
///
/// ```
/// use cuprum::{array, vecdot};
/// let a = array([[1, 2], [3, 4]])?;
/// assert_eq!(vecdot(&a, &a, ())?.to_vec::<i32>()?, [5, 25]);
/// assert_eq!(vecdot(&a, &a, 0)?.to_vec::<i32>()?, [10, 20]);
/// # Ok::<(), cuprum::Error>(())
/// ```
#[derive(Clone, Debug, Default, Options)]
pub struct VecdotOptions<'a> {
    /// The output array; by default a new one. It may overlap the operands.
    pub out: Option<&'a Array>,
    /// The casts of the operands and of the result that are allowed. By default [`Casting::SameKind`].
    pub casting: Casting,
    /// The memory order of a new result; by default K: batch axes are ordered in memory as those of the operands, and
    /// each matrix is in C order.
    pub order: Option<Order>,
    /// The dtype of products and sums; by default the promoted dtype of the operands.
    pub dtype: Option<DType>,
    /// The axes of the vectors.
    pub axes: Option<CoreAxes>,
    /// The axis of the vectors in both operands; by default the last.
    #[from]
    pub axis: Option<isize>,
    /// If true, the axis is kept with length 1. By default `false`.
    pub keepdims: bool,
}

/// Kind of a product: whether the first operand is a row, whether the second is a column, and whether the first is
/// conjugated.
#[derive(Clone, Copy, Debug)]
struct Form {
    /// True if the first operand is a vector.
    row: bool,
    /// True if the second operand is a vector.
    column: bool,
    /// True if the first operand is conjugated.
    conjugates: bool,
}

/// Options common to all the products.
struct ProductOptions<'a> {
    out: Option<&'a Array>,
    casting: Casting,
    order: Option<Order>,
    dtype: Option<DType>,
    axes: Option<CoreAxes>,
    keepdims: bool,
}

impl<'a> From<MatmulOptions<'a>> for ProductOptions<'a> {
    fn from(options: MatmulOptions<'a>) -> ProductOptions<'a> {
        let MatmulOptions { out, casting, order, dtype, axes } = options;
        ProductOptions { out, casting, order, dtype, axes, keepdims: false }
    }
}

/// Matrix product with all keywords of NumPy's `matmul`; [`matmul`](crate::matmul()) is the variant without keywords.
/// The product is written to `out` directly, unless the library does not support its layout or dtype or `out` overlaps
/// an operand: then it is computed in a new array and copied.
///
/// ```
/// use cuprum::{DType, MatmulOptions, array, matmul_with, zeros};
/// let a = array([[1.0, 2.0], [3.0, 4.0]])?;
/// let out = zeros([2, 2], DType::F64)?;
/// matmul_with(&a, &a, &out)?;
/// assert_eq!(out.to_vec::<f64>()?, [7.0, 10.0, 15.0, 22.0]);
/// assert_eq!(matmul_with(&a, &a, MatmulOptions::new().dtype(DType::F32))?.dtype(), DType::F32);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] where the operands, the result or the axes do not match, [`ErrorKind::Axis`] for axes that are
/// out of bounds or of the wrong number for a matrix or a vector, [`ErrorKind::Type`] for a cast that is not allowed.
#[routine(name = "matmul", names = "x1 x2", python(positional_only = 2, keyword_only = 4))]
pub fn matmul_with(a: &Array, b: &Array, options: MatmulOptions<'_>) -> Result<Array> {
    if a.ndim() == 0 || b.ndim() == 0 {
        let (one, two) = (shape_text(a.shape()), shape_text(b.shape()));
        let message = format!("operands of shapes {one} and {two}: each needs an axis; multiply takes numbers");
        return Err(Error::new(ErrorKind::Value, message));
    }
    product(a, b, Form { row: a.ndim() == 1, column: b.ndim() == 1, conjugates: false }, options.into())
}

/// Vector dot product along an axis, with the first operand conjugated, broadcast over the other axes; NumPy's
/// `vecdot`.
///
/// The result has the shape to which the operands are broadcast, without the axis, and the promoted dtype.
///
/// ```
/// use cuprum::array;
/// let a = array([[1.0, 2.0], [3.0, 4.0]])?;
/// assert_eq!(cuprum::vecdot(&a, &a, ())?.to_vec::<f64>()?, [5.0, 25.0]);
/// assert_eq!(cuprum::vecdot(&a, &a, 0)?.to_vec::<f64>()?, [10.0, 20.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`matmul_with`], and [`ErrorKind::Type`] for both `axis` and `axes`.
#[routine(names = "x1 x2", python(positional_only = 2, keyword_only = 6))]
pub fn vecdot(a: &Array, b: &Array, options: VecdotOptions<'_>) -> Result<Array> {
    let VecdotOptions { out, casting, order, dtype, axes, axis, keepdims } = options;
    let axes = match (axes, axis) {
        (Some(_), Some(_)) => {
            return Err(Error::new(
                ErrorKind::Type,
                "axis and axes are both given: one of them says where the vectors are",
            ));
        }
        (axes, None) => axes,
        // With keepdims the axis keeps its position.
        (None, Some(axis)) if keepdims => Some(CoreAxes::from((axis, axis, axis))),
        (None, Some(axis)) => Some(CoreAxes::from((axis, axis))),
    };
    let options = ProductOptions { out, casting, order, dtype, axes, keepdims };
    product(a, b, Form { row: true, column: true, conjugates: true }, options)
}

/// Matrix-vector product, broadcast over the leading axes; NumPy's `matvec`.
///
/// `a` has the shape `[…, m, n]` and `b` `[…, n]`; the result has `[…, m]` and the promoted dtype.
///
/// ```
/// use cuprum::array;
/// let a = array([[1.0, 2.0], [3.0, 4.0]])?;
/// assert_eq!(cuprum::matvec(&a, array([1.0, 1.0])?, ())?.to_vec::<f64>()?, [3.0, 7.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`matmul_with`].
#[routine(names = "x1 x2", python(positional_only = 2, keyword_only = 4))]
pub fn matvec(a: &Array, b: &Array, options: MatmulOptions<'_>) -> Result<Array> {
    product(a, b, Form { row: false, column: true, conjugates: false }, options.into())
}

/// Vector-matrix product with the vector conjugated, broadcast over the leading axes; NumPy's `vecmat`.
///
/// `a` has the shape `[…, m]` and `b` `[…, m, n]`; the result has `[…, n]` and the promoted dtype.
///
/// ```
/// use cuprum::array;
/// let a = array([[1.0, 2.0], [3.0, 4.0]])?;
/// assert_eq!(cuprum::vecmat(array([1.0, 1.0])?, &a, ())?.to_vec::<f64>()?, [4.0, 6.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`matmul_with`].
#[routine(names = "x1 x2", python(positional_only = 2, keyword_only = 4))]
pub fn vecmat(a: &Array, b: &Array, options: MatmulOptions<'_>) -> Result<Array> {
    product(a, b, Form { row: true, column: false, conjugates: true }, options.into())
}

fn wrong(message: String) -> Error {
    Error::new(ErrorKind::Value, message)
}

fn product(a: &Array, b: &Array, form: Form, options: ProductOptions<'_>) -> Result<Array> {
    let Form { row, column, conjugates } = form;
    engine::one_device(a, std::iter::once(b).chain(options.out))?;
    let sum = row && column;
    let (ones, twos) = (if row { 1 } else { 2 }, if column { 1 } else { 2 });
    // With keepdims the reduced axis is an axis of the result.
    let of_result = if sum { usize::from(options.keepdims) } else { usize::from(!row) + usize::from(!column) };
    let dtype = options.dtype.unwrap_or_else(|| promote_types(a.dtype(), b.dtype()));
    check_cast(a.dtype(), dtype, options.casting, "an operand")?;
    check_cast(b.dtype(), dtype, options.casting, "an operand")?;
    if let Some(out) = options.out {
        check_cast(dtype, out.dtype(), options.casting, "a result")?;
    }
    for (x, count) in [(a, ones), (b, twos)] {
        if x.ndim() < count {
            let shape = shape_text(x.shape());
            return Err(wrong(format!("an operand of shape {shape} has too few axes: {count} are needed")));
        }
    }
    let at = core_positions(options.axes.as_ref(), &[ones, twos], &[of_result], sum && conjugates)?;
    let moved = |x: &Array, from: &Option<Axes>, count: usize| match from {
        Some(from) if count > 0 => x.moveaxis(from, last(count)),
        _ => Ok(x.clone()),
    };
    let (first, second) = (moved(a, &at[0], ones)?, moved(b, &at[1], twos)?);
    // Memory order K: the batch axes are ordered as in the operands.
    let fronts = (if row { first.expand_dims(-2)? } else { first.clone() }, second.clone());
    let fronts = (fronts.0, if column { fronts.1.expand_dims(-1)? } else { fronts.1 });
    let first = if first.dtype() == dtype { first } else { first.cast(dtype, Order::K)? };
    let first = if conjugates { conjugated(&first)? } else { first };
    let first = if row { first.expand_dims(-2)? } else { first };
    let second = if column { second.expand_dims(-1)? } else { second };
    let (&[ref left @ .., m, k], &[ref right @ .., k2, n]) = (first.shape(), second.shape()) else {
        unreachable!("both have the axes of a matrix");
    };
    if k != k2 {
        let (one, two) = (shape_text(a.shape()), shape_text(b.shape()));
        let message =
            format!("operands of shapes {one} and {two} do not go together: rows of {k} elements meet columns of {k2}");
        return Err(wrong(message));
    }
    let stack = broadcast_shapes(&[left, right])?;
    let own: Dims = [(m, row), (n, column)].iter().filter(|(_, gone)| !gone).map(|(size, _)| *size).collect();
    let own = if sum && options.keepdims { Dims::from_elem(1, 1) } else { own };
    // Inserts the core axes that the result lacks.
    let as_matrices = |x: &Array| -> Result<Array> {
        let front = &x.shape()[..x.ndim() - own.len()];
        let shape: Dims = front.iter().copied().chain([m, n]).collect();
        let (mut strides, item): (Strides, _) = (x.strides()[..front.len()].into(), x.itemsize() as i64);
        let core = &x.strides()[front.len()..];
        match (row, column) {
            (false, false) => strides.extend_from_slice(core),
            (false, true) => strides.extend([core[0], item]),
            (true, false) => strides.extend([n as i64 * item, core[0]]),
            (true, true) => strides.extend([item, item]),
        }
        Ok(x.with_layout(Layout { shape, strides, offset: x.layout().offset }))
    };
    if let Some(given) = options.out {
        given.check_writable()?;
        let misfit = || {
            let shape = shape_text(&[&stack[..], &own].concat());
            wrong(format!("a result of shape {shape} does not fit in out of shape {}", shape_text(given.shape())))
        };
        if given.ndim() < own.len() {
            return Err(misfit());
        }
        let target = moved(given, &at[2], own.len())?;
        let (front, core) = target.shape().split_at(target.ndim() - own.len());
        // Extra leading axes are allowed if they have length 1.
        let extra = stack.len().saturating_sub(front.len());
        let fits = stack[..extra].iter().all(|n| *n == 1)
            && broadcast_shapes(&[&stack[extra..], front]).is_ok_and(|both| both.as_slice() == front);
        if !fits || core != own.as_slice() {
            return Err(misfit());
        }
        let (target, extra) = (as_matrices(&target)?, extra as isize);
        let without = |x: &Array| -> Result<Array> {
            let gone = (x.ndim() as isize - 2 - front.len() as isize).clamp(0, extra);
            if gone == 0 { Ok(x.clone()) } else { x.squeeze((0..gone).collect::<Vec<_>>()) }
        };
        written(&without(&first)?, &without(&second)?, &target, dtype)?;
        return Ok(given.clone());
    }
    let shape: Dims = stack.iter().chain(&own).copied().collect();
    let item = dtype.size();
    let layout = match options.order.unwrap_or(Order::K) {
        Order::F => Layout::f_order(&shape, item),
        Order::A if a.is_f_contiguous() && b.is_f_contiguous() => Layout::f_order(&shape, item),
        Order::K => as_operands_lie(&stack, &own, item, [&fronts.0, &fronts.1]),
        Order::C | Order::A => Layout::c_order(&shape, item),
    };
    let out = Array::of_layout(a.device(), layout, dtype)?;
    written(&first, &second, &as_matrices(&out)?, dtype)?;
    match &at[2] {
        Some(to) if !own.is_empty() => out.moveaxis(last(own.len()), to),
        _ => Ok(out),
    }
}

/// Writes products computed in a dtype to an output array: directly where possible, otherwise through a copy.
fn written(a: &Array, b: &Array, target: &Array, dtype: DType) -> Result<()> {
    let apart = !target.may_share_memory(a) && !target.may_share_memory(b);
    if target.dtype() == dtype && apart && holds_products(target) {
        return products(a, b, target);
    }
    let made = Array::of_layout(target.device(), Layout::c_order(target.shape(), dtype.size()), dtype)?;
    products(a, b, &made)?;
    engine::copy(&made, target)
}
