//! Products of matrices.

use cuprum_kernels::DType;
use cuprum_macros::routine;

use crate::array::Array;
use crate::array::Index;
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

/// The matrix product; NumPy's `matmul`. The last two axes are those of the matrices, the others are broadcast. Floats
/// are multiplied by the device's library, a stack of matrices in one call, integers (which wrap) and booleans by a kernel,
/// one pair after the other. Operands are used where they lie, if the library can say how they do.
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
#[routine(method, names = "x1 x2")]
pub fn matmul(a: &Array, b: &Array) -> Result<Array> {
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
            let row = matmul(&a.expand_dims([0])?, b)?;
            return row.squeeze(if b.ndim() == 1 { 0 } else { -2 });
        }
        if b.ndim() == 1 {
            return matmul(a, &b.expand_dims([1])?)?.squeeze(-1);
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
        let shape = |rows: usize, columns: usize| -> Dims { stack.iter().copied().chain([rows, columns]).collect() };
        let out = Array::of_layout(a.device(), Layout::c_order(&shape(m, n), dtype.size()), dtype)?;
        if out.size() == 0 {
            return Ok(out);
        }
        if k == 0 {
            out.fill(0)?;
            return Ok(out);
        }
        if dtype.is_float() || dtype.is_complex() {
            float_products(a, b, &out)?;
            return Ok(out);
        }
        let cast = |x: &Array| if x.dtype() == dtype { Ok(x.clone()) } else { x.astype(dtype) };
        let (a, b) = (cast(a)?.stretched_to(&shape(m, k))?, cast(b)?.stretched_to(&shape(k, n))?);
        let mut at: Vec<Index> = vec![Index::At(0); stack.len()];
        for number in 0..stack.iter().product() {
            let mut rest = number;
            for (place, size) in at.iter_mut().zip(&stack).rev() {
                *place = Index::At((rest % size) as i64);
                rest /= size;
            }
            engine::matmul(&a.index(&at)?, &b.index(&at)?, &out.index(&at)?)?;
        }
        Ok(out)
    };
    go().map_err(|e: Error| e.with_op("matmul"))
}

/// Writes the products of stacks of matrices, which are broadcast, into `out`, which is in C order: one call of the library
/// for as many matrices as lie at one distance from each other.
fn float_products(a: &Array, b: &Array, out: &Array) -> Result<()> {
    let (dtype, ndim) = (out.dtype(), out.ndim());
    let (m, n, k) = (out.shape()[ndim - 2], out.shape()[ndim - 1], a.shape()[a.ndim() - 1]);
    // The product in C order is the transposed product of the transposed operands in the library's column order.
    let (left, left_turned, left_step) = columns(b, dtype)?;
    let (right, right_turned, right_step) = columns(a, dtype)?;
    if left.ndim() == 2 && right.is_c_contiguous() && !right_turned && right_step == k {
        // One matrix on the right of many: their rows are those of one matrix.
        let rows = out.size() / n;
        let matrices = matrices([(&left, left_turned, left_step), (&right, false, k), (out, false, n)]);
        let one = Stack { count: 1, strides: [0; 3], offsets: [0; 3] };
        // SAFETY: the matrices are those of the arrays, whose sizes and steps are checked above.
        return unsafe { engine::launch::gemm([n, rows, k], matrices, one) };
    }
    let stack = &out.shape()[..ndim - 2];
    let full = |x: &Array| x.stretched_to(&[stack, &x.shape()[x.ndim() - 2..]].concat());
    let (left, right) = (full(&left)?, full(&right)?);
    let strides = [&left, &right, out].map(|x| &x.strides()[..ndim - 2]);
    let axes = crate::layout::Axes::collapse(stack, strides, true);
    let (count, outer) = match axes.sizes.split_last() {
        Some((&count, outer)) => (count, outer),
        None => (1, &[][..]),
    };
    let item = dtype.size() as i64;
    let inner = |k: usize| axes.strides[k].last().map_or(0, |bytes| bytes / item);
    let (strides, matrices) = (
        [inner(0), inner(1), inner(2)],
        matrices([(&left, left_turned, left_step), (&right, right_turned, right_step), (out, false, n)]),
    );
    for number in 0..outer.iter().product() {
        let (mut rest, mut offsets) = (number, [0; 3]);
        for (axis, size) in outer.iter().enumerate().rev() {
            for (offset, strides) in offsets.iter_mut().zip(&axes.strides) {
                *offset += (rest % size) as i64 * strides[axis];
            }
            rest /= size;
        }
        // SAFETY: the matrices are those of the arrays, whose sizes and steps are checked above.
        unsafe { engine::launch::gemm([n, m, k], matrices, Stack { count, strides, offsets }) }?;
    }
    Ok(())
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
