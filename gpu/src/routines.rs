//! NumPy's functions, thin over the engines.

use cuprum_kernels::DType;

use crate::array::Array;
use crate::engine::{self, launch::Matrix};
use crate::error::{Error, ErrorKind, Result};
use crate::index::Index;
use crate::layout::{Dims, Layout, Order, broadcast_shapes, shape_text};
use crate::scalar::Operand;
use crate::ufunc::{UfuncOptions, ufunc};

/// Functions of two operands; the sentence is the registry's.
macro_rules! binary {
    ($($name:ident: $doc:literal),+ $(,)?) => {$(
        #[doc = $doc]
        ///
        #[doc = concat!("NumPy's `", stringify!($name), "`. Operands are broadcast; scalars are weak.")]
        ///
        /// # Errors
        ///
        /// As [`Ufunc::call`](crate::Ufunc::call).
        pub fn $name<'a>(a: impl Into<Operand<'a>>, b: impl Into<Operand<'a>>) -> Result<Array> {
            ufunc(stringify!($name))?.call(&[a.into(), b.into()], &UfuncOptions::default())
        }
    )+};
}
pub(crate) use binary;

binary! {
    add: "The sum; of booleans, logical or. Integers wrap.",
    subtract: "The difference. Integers wrap.",
    multiply: "The product; of booleans, logical and. Integers wrap.",
    true_divide: "The quotient; of integers, float64.",
    floor_divide: "The largest integer not above the quotient, in the operands' dtype.",
    remainder: "What `floor_divide` leaves, with the sign of the divisor.",
    power: "The first operand to the power of the second.",
    maximum: "The larger operand; a NaN in either is the result.",
    minimum: "The smaller operand; a NaN in either is the result.",
    equal: "Whether the operands are equal.",
    not_equal: "Whether the operands differ.",
    less: "Whether the first operand is below the second.",
    less_equal: "Whether the first operand is not above the second.",
    greater: "Whether the first operand is above the second.",
    greater_equal: "Whether the first operand is not below the second.",
    logical_and: "Whether both operands are non-zero.",
    logical_or: "Whether either operand is non-zero.",
    bitwise_and: "The bits set in both operands.",
    bitwise_or: "The bits set in either operand.",
    bitwise_xor: "The bits set in one operand only.",
}

/// Functions of one operand; the sentence is the registry's.
macro_rules! unary {
    ($($name:ident: $doc:literal),+ $(,)?) => {$(
        #[doc = $doc]
        ///
        #[doc = concat!("NumPy's `", stringify!($name), "`.")]
        ///
        /// # Errors
        ///
        /// As [`Ufunc::call`](crate::Ufunc::call).
        pub fn $name<'a>(a: impl Into<Operand<'a>>) -> Result<Array> {
            ufunc(stringify!($name))?.call(&[a.into()], &UfuncOptions::default())
        }
    )+};
}
pub(crate) use unary;

unary! {
    negative: "The operand with the other sign.",
    absolute: "The magnitude; of a complex number, the modulus.",
    sqrt: "The non-negative square root.",
    exp: "The exponential.",
    log: "The natural logarithm.",
    sin: "The sine of an angle in radians.",
    cos: "The cosine of an angle in radians.",
    tanh: "The hyperbolic tangent.",
    logical_not: "Whether the operand is zero.",
    invert: "Every bit flipped; of a boolean, logical not.",
    isnan: "Whether the operand is NaN.",
    isfinite: "Whether the operand is neither infinite nor NaN.",
}

/// The second operand where the first is true, the third elsewhere; NumPy's `where` of three operands.
///
/// # Errors
///
/// As [`Ufunc::call`](crate::Ufunc::call).
pub fn where_<'a>(
    condition: impl Into<Operand<'a>>,
    x: impl Into<Operand<'a>>,
    y: impl Into<Operand<'a>>,
) -> Result<Array> {
    ufunc("where")?.call(&[condition.into(), x.into(), y.into()], &UfuncOptions::default())
}

/// The matrix product; NumPy's `matmul`. The last two axes are those of the matrices, the others are broadcast. Floats
/// are multiplied by the device's library, integers (which wrap) and booleans by a kernel; of a stack of matrices one
/// pair after the other.
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
pub fn matmul(a: &Array, b: &Array) -> Result<Array> {
    let go = || {
        engine::one_device(a, [b])?;
        let shapes = || format!("{} and {}", shape_text(a.shape()), shape_text(b.shape()));
        let no_axes =
            || Error::new(ErrorKind::Value, format!("operands have the shapes {}: a scalar is none", shapes()));
        if a.ndim() == 0 || b.ndim() == 0 {
            return Err(no_axes());
        }
        // A vector on the left is a row, one on the right a column; its axis is not in the result.
        if a.ndim() == 1 {
            let row = matmul(&a.expand_dims(&[0])?, b)?;
            return row.squeeze(Some(&[if b.ndim() == 1 { 0 } else { -2 }]));
        }
        if b.ndim() == 1 {
            return matmul(a, &b.expand_dims(&[1])?)?.squeeze(Some(&[-1]));
        }
        let (&[ref left @ .., m, k], &[ref right @ .., k2, n]) = (a.shape(), b.shape()) else { return Err(no_axes()) };
        if k != k2 {
            return Err(Error::new(ErrorKind::Value, format!("operands of shapes {} do not go together", shapes())));
        }
        let stack = broadcast_shapes(&[left, right])?;
        let dtype = crate::promote_types(a.dtype(), b.dtype());
        let shape = |rows: usize, columns: usize| -> Dims { stack.iter().copied().chain([rows, columns]).collect() };
        let out = Array::of_layout(a.device(), Layout::c_order(&shape(m, n), dtype.size()), dtype)?;
        if out.size() == 0 {
            return Ok(out);
        }
        if k == 0 {
            out.fill(0)?;
            return Ok(out);
        }
        let (a, b) = (a.broadcast_to(&shape(m, k))?, b.broadcast_to(&shape(k, n))?);
        let mut at: Vec<Index> = vec![Index::At(0); stack.len()];
        for number in 0..stack.iter().product() {
            let mut rest = number;
            for (place, size) in at.iter_mut().zip(&stack).rev() {
                *place = Index::At((rest % size) as i64);
                rest /= size;
            }
            matrix_product(&a.index(&at)?, &b.index(&at)?, &out.index(&at)?)?;
        }
        Ok(out)
    };
    go().map_err(|e: Error| e.with_op("matmul"))
}

/// Writes the product of two matrices into a third, which is in C order.
fn matrix_product(a: &Array, b: &Array, out: &Array) -> Result<()> {
    let dtype = out.dtype();
    if !(dtype.is_float() || dtype.is_complex()) {
        let cast = |x: &Array| if x.dtype() == dtype { Ok(x.clone()) } else { x.astype(dtype) };
        return engine::matmul(&cast(a)?, &cast(b)?, out);
    }
    let (m, k, n) = (a.shape()[0], a.shape()[1], b.shape()[1]);
    // The product in C order is the transposed product of the transposed operands in the library's column order.
    let (left, left_turned, left_step) = columns(b, dtype)?;
    let (right, right_turned, right_step) = columns(a, dtype)?;
    let left = Matrix { array: &left, transposed: left_turned, step: left_step };
    let right = Matrix { array: &right, transposed: right_turned, step: right_step };
    let product = Matrix { array: out, transposed: false, step: n };
    // SAFETY: the matrices are those of the arrays, whose sizes and steps are checked above.
    unsafe { engine::launch::gemm([n, m, k], [left, right, product]) }
}

/// The transpose of a matrix as the library takes it: the array, whether it is to be transposed once more, and the
/// distance of its columns. A copy is made where neither axis is dense.
fn columns(x: &Array, dtype: DType) -> Result<(Array, bool, usize)> {
    let x = if x.dtype() == dtype { x.clone() } else { x.astype(dtype)? };
    let (item, shape, strides) = (x.itemsize() as i64, x.shape(), x.strides());
    let serves = |fast: usize, slow: usize| {
        let dense = shape[fast] == 1 || strides[fast] == item;
        let step = if shape[slow] == 1 { shape[fast] as i64 * item } else { strides[slow] };
        (dense && step >= shape[fast] as i64 * item && step % item == 0).then_some((step / item) as usize)
    };
    if let Some(step) = serves(1, 0) {
        return Ok((x.clone(), false, step));
    }
    if let Some(step) = serves(0, 1) {
        return Ok((x.clone(), true, step));
    }
    let copy = x.copy(Order::C)?;
    let step = copy.shape()[1].max(1);
    Ok((copy, false, step))
}
