//! Matrix products: `dot` and `matmul`.
//!
//! float16 and bfloat16 accumulate in float32; integers wrap, also where a large product goes through the library.

use cuprum_kernels::DType;
use cuprum_macros::routine;

use crate::array::{Array, AsArray};
use crate::dtype::promote_types;
use crate::engine;
use crate::engine::launch::{Matrix, Stack};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Dims, Layout, Order, broadcast_shapes, shape_text, size_of};
use crate::ufunc::apply;

/// Dot product of two arrays: the sum of products over the last axis of `a` and the second to last of `b`; NumPy's
/// `dot`. For two vectors it is their inner product, for two matrices the matrix product, for a scalar the elementwise
/// product. The result has the remaining axes of `a`, then those of `b`: unlike [`matmul`], it does not broadcast.
///
/// The result has the dtype to which both are promoted; it has no axes for two vectors.
///
/// ```
/// use cuprum::array;
/// let (a, b) = (array([1.0, 2.0, 3.0])?, array([4.0, 5.0, 6.0])?);
/// assert_eq!(a.dot(&b)?.item::<f64>()?, 32.0);
/// assert_eq!(cuprum::dot(array([[1, 2], [3, 4]])?, array([1, 1])?)?.to_vec::<i32>()?, [3, 7]);
/// # Ok::<(), cuprum::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::Value`] where the summed axes differ in length.
#[routine(method, python(extras = [("out", Extra::Out)], exact_out))]
pub fn dot(a: &Array, b: &Array) -> Result<Array> {
    if a.ndim() == 0 || b.ndim() == 0 {
        return apply("multiply", [a.into(), b.into()]);
    }
    let (last, summed) = (a.ndim() - 1, b.ndim().saturating_sub(2));
    let (k, other) = (a.shape()[last], b.shape()[summed]);
    if k != other {
        let (one, two) = (shape_text(a.shape()), shape_text(b.shape()));
        let message = format!("operands of shapes {one} and {two} do not go together: {k} elements meet {other}");
        return Err(Error::new(ErrorKind::Value, message));
    }
    let left = &a.shape()[..last];
    let right: Dims = (0..b.ndim()).filter(|&axis| axis != summed).map(|axis| b.shape()[axis]).collect();
    let rows = a.reshape([size_of(left), k])?;
    let columns = b.moveaxis(summed, 0)?.reshape([k, size_of(&right)])?;
    let shape: Dims = left.iter().chain(&right).copied().collect();
    matmul(rows, columns)?.reshape(shape.as_slice())
}

/// Matrix product; NumPy's `matmul`, whose keywords [`matmul_with`](super::matmul_with) has. The last two axes are
/// those of the matrices, the others are broadcast. Floats are multiplied by the device's BLAS library, integers (which
/// wrap) and booleans by a kernel, or for large matrices by the library, split into digits to base 256; a batch of
/// matrices is one call. Operands are read in place if their strides are supported by the library. The batch axes of
/// the result are ordered in memory as those of the operands, as in NumPy.
///
/// For operands of shapes `[…, m, k]` and `[…, k, n]` the result has `[…, m, n]`, and the dtype to which both are
/// promoted. A vector on the left is a row and on the right a column, whose axis the result lacks.
///
/// # Errors
///
/// [`ErrorKind::Value`] where the inner sizes differ, the batch axes cannot be broadcast, or an operand has no axes.
///
/// ```
/// let a = cuprum::Array::from_slice(&[1.0, 2.0, 3.0, 4.0], [2, 2])?;
/// assert_eq!(cuprum::matmul(&a, &a)?.to_vec::<f64>()?, [7.0, 10.0, 15.0, 22.0]);
/// # Ok::<(), cuprum::Error>(())
/// ```
pub fn matmul(a: impl AsArray, b: impl AsArray) -> Result<Array> {
    multiplied(a.as_array(), b.as_array())
}

impl Array {
    /// Matrix product with another array; see [`matmul`].
    ///
    /// ```
    /// use cuprum::array;
    /// let a = array([[1.0, 2.0], [3.0, 4.0]])?;
    /// assert_eq!(a.matmul(array([1.0, 1.0])?)?.to_vec::<f64>()?, [3.0, 7.0]);
    /// # Ok::<(), cuprum::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Same as [`matmul`].
    pub fn matmul(&self, other: impl AsArray) -> Result<Array> {
        multiplied(self, other.as_array())
    }
}

fn multiplied(a: &Array, b: &Array) -> Result<Array> {
    let go = || {
        engine::one_device(a, [b])?;
        let shapes = || format!("{} and {}", shape_text(a.shape()), shape_text(b.shape()));
        let no_axes = || {
            Error::new(
                ErrorKind::Value,
                format!("operands of shapes {}: each needs an axis; multiply takes numbers", shapes()),
            )
        };
        if a.ndim() == 0 || b.ndim() == 0 {
            return Err(no_axes());
        }
        // A vector on the left is a row, one on the right a column; its axis is dropped from the result.
        if a.ndim() == 1 {
            let row = multiplied(&a.expand_dims([0])?, b)?;
            return row.squeeze(if b.ndim() == 1 { 0 } else { -2 });
        }
        if b.ndim() == 1 {
            return multiplied(a, &b.expand_dims([1])?)?.squeeze(-1);
        }
        let (&[ref left @ .., m, k], &[ref right @ .., k2, n]) = (a.shape(), b.shape()) else { return Err(no_axes()) };
        if k != k2 {
            return Err(Error::new(
                ErrorKind::Value,
                format!(
                    "operands of shapes {} do not go together: rows of {k} elements meet columns of {k2}",
                    shapes()
                ),
            ));
        }
        let stack = broadcast_shapes(&[left, right])?;
        let dtype = promote_types(a.dtype(), b.dtype());
        let layout = as_operands_lie(&stack, &[m, n], dtype.size(), [a, b]);
        let out = Array::of_layout(a.device(), layout, dtype)?;
        products(a, b, &out)?;
        Ok(out)
    };
    go().map_err(|e: Error| e.with_op("matmul"))
}

/// Returns the layout of products in memory order K: batch axes ordered as those of the operands, whose last two axes
/// are the matrices, and each product in C order.
pub(super) fn as_operands_lie(stack: &[usize], core: &[usize], item: usize, operands: [&Array; 2]) -> Layout {
    let fronts = operands.map(|x| (&x.shape()[..x.ndim() - 2], &x.strides()[..x.ndim() - 2]));
    Layout::stacked(stack, core, item, &fronts)
}

/// Returns whether [`products`] can write to `out`: floats where the rows or the columns of the matrices are
/// contiguous, integers anywhere.
pub(super) fn holds_products(out: &Array) -> bool {
    let is_inexact = out.dtype().is_float() || out.dtype().is_complex();
    !is_inexact || row_step(out).is_some() || row_step(&transposed(out)).is_some()
}

fn transposed(x: &Array) -> Array {
    let (mut layout, last) = (x.layout().clone(), x.ndim() - 1);
    layout.shape.swap(last - 1, last);
    layout.strides.swap(last - 1, last);
    x.with_layout(layout)
}

/// Returns the leading dimension of row-major matrices in elements, if their rows are contiguous.
fn row_step(out: &Array) -> Option<usize> {
    let (item, last) = (out.itemsize() as i64, out.ndim() - 1);
    let (shape, strides) = (out.shape(), out.strides());
    let dense = shape[last] == 1 || strides[last] == item;
    let step = if shape[last - 1] == 1 { shape[last] as i64 * item } else { strides[last - 1] };
    let whole = step % item == 0 && strides[..last - 1].iter().all(|s| s % item == 0);
    (dense && whole && step >= shape[last] as i64 * item).then_some((step / item) as usize)
}

/// Writes the products of broadcast batches of matrices to `out`, which is supported by [`holds_products`], has the
/// shape of the products, and shares no memory with the operands.
pub(super) fn products(a: &Array, b: &Array, out: &Array) -> Result<()> {
    if out.size() == 0 {
        return Ok(());
    }
    if a.shape()[a.ndim() - 1] == 0 {
        return out.fill(0);
    }
    if !(out.dtype().is_float() || out.dtype().is_complex()) {
        return integer_products(a, b, out);
    }
    let [a, b, out] = &forwards([a, b, out])?;
    match row_step(out) {
        Some(step) => float_products(a, b, out, step),
        None => {
            let out = transposed(out);
            let step = row_step(&out).expect("the rows or the columns of an output for products are dense");
            float_products(&transposed(b), &transposed(a), &out, step)
        }
    }
}

/// Reverses the batch axes along which the result has negative strides, in the operands and the result; operands that
/// then have negative strides are copied. cuBLAS accepts no negative batch strides.
fn forwards(arrays: [&Array; 3]) -> Result<[Array; 3]> {
    let mut made = arrays.map(Array::clone);
    let ndim = made[2].ndim();
    for axis in 0..ndim - 2 {
        if made[2].strides()[axis] >= 0 {
            continue;
        }
        for x in &mut made {
            let Some(at) = (axis + x.ndim()).checked_sub(ndim) else { continue };
            let mut layout = x.layout().clone();
            let (size, stride) = (layout.shape[at] as i64, layout.strides[at]);
            layout.offset = (layout.offset as i64 + (size - 1).max(0) * stride) as usize;
            layout.strides[at] = -stride;
            *x = x.with_layout(layout);
        }
    }
    for x in &mut made[..2] {
        let axes = x.shape().iter().zip(x.strides()).take(x.ndim() - 2);
        if axes.into_iter().any(|(&size, &stride)| size > 1 && stride < 0) {
            *x = x.copy(Order::C)?;
        }
    }
    Ok(made)
}

/// A run of matrices at constant strides in the batches of the operands and of the products: count, strides in bytes,
/// and offsets of the first of each.
struct Run {
    count: usize,
    strides: [i64; 3],
    offsets: [i64; 3],
}

/// Splits batches into runs of constant stride and calls `go` for each.
fn each_run(stack: &[usize], strides: [&[i64]; 3], mut go: impl FnMut(Run) -> Result<()>) -> Result<()> {
    let axes = crate::layout::Axes::collapse(stack, strides, true);
    let (count, outer) = match axes.sizes.split_last() {
        Some((&count, outer)) => (count, outer),
        None => (1, &[][..]),
    };
    let strides = std::array::from_fn(|k| axes.strides[k].last().copied().unwrap_or(0));
    for number in 0..outer.iter().product() {
        let (mut rest, mut offsets) = (number, [0; 3]);
        for (axis, size) in outer.iter().enumerate().rev() {
            for (offset, strides) in offsets.iter_mut().zip(&axes.strides) {
                *offset += (rest % size) as i64 * strides[axis];
            }
            rest /= size;
        }
        go(Run { count, strides, offsets })?;
    }
    Ok(())
}

/// Products of integers and booleans: one launch for each run of matrices at a constant stride.
fn integer_products(a: &Array, b: &Array, out: &Array) -> Result<()> {
    let (dtype, core) = (out.dtype(), out.ndim() - 2);
    let stack = &out.shape()[..core];
    let full = |x: &Array| {
        // A launch reads the whole batch from its first matrix, so only bytes other than 0 and 1 need a copy.
        let x = if x.dtype() == dtype && !x.may_have_any_bytes() { x.clone() } else { x.cast(dtype, Order::K)? };
        x.broadcast_to_shape(&[stack, &x.shape()[x.ndim() - 2..]].concat())
    };
    let (a, b) = (full(a)?, full(b)?);
    let all = [&a, &b, out];
    each_run(stack, all.map(|x| &x.strides()[..core]), |run| {
        let first = |k: usize| {
            let of = all[k].layout();
            let (shape, strides) = (of.shape[core..].into(), of.strides[core..].into());
            all[k].with_layout(Layout { shape, strides, offset: (of.offset as i64 + run.offsets[k]) as usize })
        };
        engine::matmul([&first(0), &first(1), &first(2)], run.count, run.strides)
    })
}

/// Products of floats whose rows are `step` elements apart: one library call for each run of matrices at a constant
/// stride.
fn float_products(a: &Array, b: &Array, out: &Array, step: usize) -> Result<()> {
    let (dtype, ndim) = (out.dtype(), out.ndim());
    let (m, n, k) = (out.shape()[ndim - 2], out.shape()[ndim - 1], a.shape()[a.ndim() - 1]);
    // The product in C order is the transposed product of the transposed operands in column-major order.
    let (left, left_transposed, left_step) = columns(b, dtype)?;
    let (right, right_transposed, right_step) = columns(a, dtype)?;
    let stack = &out.shape()[..ndim - 2];
    let rows_of_one = right.is_c_contiguous() && right.shape()[..right.ndim() - 2] == *stack && out.is_c_contiguous();
    if left.ndim() == 2 && rows_of_one && !right_transposed && right_step == k {
        // One matrix on the right of many: all rows form a single matrix.
        let rows = out.size() / n;
        let matrices = matrices([(&left, left_transposed, left_step), (&right, false, k), (out, false, n)]);
        let one = Stack { count: 1, strides: [0; 3], offsets: [0; 3], adds: false };
        // SAFETY: the matrices are those of the arrays, whose sizes and steps are checked above.
        return unsafe { engine::launch::gemm([n, rows, k], matrices, one) };
    }
    let full = |x: &Array| x.broadcast_to_shape(&[stack, &x.shape()[x.ndim() - 2..]].concat());
    let (left, right) = (full(&left)?, full(&right)?);
    let matrices =
        matrices([(&left, left_transposed, left_step), (&right, right_transposed, right_step), (out, false, step)]);
    let item = dtype.size() as i64;
    each_run(stack, [&left, &right, out].map(|x| &x.strides()[..ndim - 2]), |Run { count, strides, offsets }| {
        let strides = strides.map(|bytes| bytes / item);
        // SAFETY: the matrices are those of the arrays, whose sizes and steps are checked above.
        unsafe { engine::launch::gemm([n, m, k], matrices, Stack { count, strides, offsets, adds: false }) }
    })
}

fn matrices(of: [(&Array, bool, usize); 3]) -> [Matrix<'_>; 3] {
    of.map(|(array, transposed, step)| Matrix { array, transposed, step })
}

/// Returns transposed matrices as BLAS arguments: the array, whether a further transposition is needed, and the leading
/// dimension. A copy is made where neither axis is contiguous.
fn columns(x: &Array, dtype: DType) -> Result<(Array, bool, usize)> {
    let x = if x.dtype() == dtype { x.clone() } else { x.cast(dtype, Order::K)? };
    let (item, last) = (x.itemsize() as i64, x.ndim() - 1);
    let serves = |fast: usize, slow: usize| {
        let (shape, strides) = (x.shape(), x.strides());
        let dense = shape[fast] == 1 || strides[fast] == item;
        let step = if shape[slow] == 1 { shape[fast] as i64 * item } else { strides[slow] };
        (dense && step >= shape[fast] as i64 * item && step % item == 0).then_some((step / item) as usize)
    };
    let whole = x.strides()[..last - 1].iter().all(|s| s % item == 0);
    if let (true, Some(step)) = (whole, serves(last, last - 1)) {
        return Ok((x.clone(), false, step));
    }
    if let (true, Some(step)) = (whole, serves(last - 1, last)) {
        return Ok((x.clone(), true, step));
    }
    let copy = x.copy(Order::C)?;
    let step = copy.shape()[last].max(1);
    Ok((copy, false, step))
}
