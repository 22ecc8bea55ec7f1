//! Products of matrices.

use cuprum_kernels::DType;
use cuprum_macros::routine;

use crate::array::{Array, AsArray};
use crate::dtype::promote_types;
use crate::engine;
use crate::engine::launch::{Matrix, Stack};
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Dims, Layout, Order, broadcast_shapes, shape_text, size_of};
use crate::ufunc::apply;

/// The sum of products over the last axis of `a` and the one before the last of `b`; NumPy's `dot`. Of two lines it is their
/// inner product, of two matrices their product, of a number the product with each element. The axes that stay are those of
/// `a`, then those of `b`: other than in [`matmul`], nothing is broadcast.
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
/// [`ErrorKind::Value`] where the axes that are summed over differ in length.
#[routine(method)]
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

/// The matrix product; NumPy's `matmul`, whose keywords [`matmul_with`](super::matmul_with) has. The last two axes are those of the matrices, the others are broadcast. Floats
/// are multiplied by the device's library, integers (which wrap) and booleans by a kernel, and of large matrices by the library as digits to the base 256; a stack of matrices in one call. Operands are used where they lie, if the library can say how they do. The axes in front lie in the
/// memory of the result in the order of those of the operands, as in NumPy.
///
/// # Errors
///
/// [`ErrorKind::Value`] where the inner sizes differ, the stacks do not go together, or an operand has no axes.
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
    /// The matrix product with another array; [`matmul`].
    ///
    /// # Errors
    ///
    /// As [`matmul`].
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
        // A vector on the left is a row, one on the right a column; its axis is not in the result.
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

/// The layout of products in NumPy's order K: the axes in front as those of the operands lie, which have matrices in their
/// last two, and the core of each product in C order.
pub(super) fn as_operands_lie(stack: &[usize], core: &[usize], item: usize, operands: [&Array; 2]) -> Layout {
    let fronts = operands.map(|x| (&x.shape()[..x.ndim() - 2], &x.strides()[..x.ndim() - 2]));
    Layout::stacked(stack, core, item, &fronts)
}

/// Whether [`products`] can write here: floats where the rows or the columns of matrices are dense, integers anywhere.
pub(super) fn holds_products(out: &Array) -> bool {
    let is_inexact = out.dtype().is_float() || out.dtype().is_complex();
    !is_inexact || row_step(out).is_some() || row_step(&turned(out)).is_some()
}

fn turned(x: &Array) -> Array {
    let (mut layout, last) = (x.layout().clone(), x.ndim() - 1);
    layout.shape.swap(last - 1, last);
    layout.strides.swap(last - 1, last);
    x.with_layout(layout)
}

/// The distance of the rows of matrices in elements, where the rows are dense.
fn row_step(out: &Array) -> Option<usize> {
    let (item, last) = (out.itemsize() as i64, out.ndim() - 1);
    let (shape, strides) = (out.shape(), out.strides());
    let dense = shape[last] == 1 || strides[last] == item;
    let step = if shape[last - 1] == 1 { shape[last] as i64 * item } else { strides[last - 1] };
    let whole = step % item == 0 && strides[..last - 1].iter().all(|s| s % item == 0);
    (dense && whole && step >= shape[last] as i64 * item).then_some((step / item) as usize)
}

/// Writes the products of stacks of matrices, which are broadcast, in the dtype of `out`, which [holds
/// them](holds_products), has the sizes that come of them, and shares no memory with them.
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
            let out = turned(out);
            let step = row_step(&out).expect("the rows or the columns of a place for products are dense");
            float_products(&turned(b), &turned(a), &out, step)
        }
    }
}

/// The operands and the result with the axes of the batch reversed along which the result has negative strides; operands that
/// have negative ones then are copied. cuBLAS takes no negative strides of a batch.
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

/// What stands at equal distances in stacks of the operands and of the products: how many, at which distances in bytes, and
/// where the first of each is.
struct Run {
    count: usize,
    strides: [i64; 3],
    offsets: [i64; 3],
}

/// Goes through stacks run by run.
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

/// Products of integers and booleans: one launch for as many matrices as lie at one distance from each other.
fn integer_products(a: &Array, b: &Array, out: &Array) -> Result<()> {
    let (dtype, core) = (out.dtype(), out.ndim() - 2);
    let stack = &out.shape()[..core];
    let full = |x: &Array| {
        // A launch reads a whole batch by the first of its matrices, which is all that would be copied for other bytes than 0 and 1.
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

/// Products of floats, whose rows are so far from each other: one call of the library for as many matrices as lie at one
/// distance from each other.
fn float_products(a: &Array, b: &Array, out: &Array, step: usize) -> Result<()> {
    let (dtype, ndim) = (out.dtype(), out.ndim());
    let (m, n, k) = (out.shape()[ndim - 2], out.shape()[ndim - 1], a.shape()[a.ndim() - 1]);
    // The product in C order is the transposed product of the transposed operands in the library's column order.
    let (left, left_turned, left_step) = columns(b, dtype)?;
    let (right, right_turned, right_step) = columns(a, dtype)?;
    let stack = &out.shape()[..ndim - 2];
    let rows_of_one = right.is_c_contiguous() && right.shape()[..right.ndim() - 2] == *stack && out.is_c_contiguous();
    if left.ndim() == 2 && rows_of_one && !right_turned && right_step == k {
        // One matrix on the right of many: their rows are those of one matrix.
        let rows = out.size() / n;
        let matrices = matrices([(&left, left_turned, left_step), (&right, false, k), (out, false, n)]);
        let one = Stack { count: 1, strides: [0; 3], offsets: [0; 3] };
        // SAFETY: the matrices are those of the arrays, whose sizes and steps are checked above.
        return unsafe { engine::launch::gemm([n, rows, k], matrices, one) };
    }
    let full = |x: &Array| x.broadcast_to_shape(&[stack, &x.shape()[x.ndim() - 2..]].concat());
    let (left, right) = (full(&left)?, full(&right)?);
    let matrices = matrices([(&left, left_turned, left_step), (&right, right_turned, right_step), (out, false, step)]);
    let item = dtype.size() as i64;
    each_run(stack, [&left, &right, out].map(|x| &x.strides()[..ndim - 2]), |Run { count, strides, offsets }| {
        let strides = strides.map(|bytes| bytes / item);
        // SAFETY: the matrices are those of the arrays, whose sizes and steps are checked above.
        unsafe { engine::launch::gemm([n, m, k], matrices, Stack { count, strides, offsets }) }
    })
}

fn matrices(of: [(&Array, bool, usize); 3]) -> [Matrix<'_>; 3] {
    of.map(|(array, transposed, step)| Matrix { array, transposed, step })
}

/// Matrices, transposed, as the library takes them: the array, whether they are to be transposed once more, and the
/// distance of their columns. A copy is made where neither axis is dense.
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
