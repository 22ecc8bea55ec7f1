//! NumPy's `dot`: the sum of products over the last axis of one operand and the second to last of the other.

use crate::Operand;
use crate::core::array::NdArray;
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::layout::Order;
use crate::core::promote::promote_types;
use crate::numpy::linalg::matmul::{matmul, matmul_bound};
use crate::table::counterparts;
use crate::ufunc::elementwise::UfuncOptions;
use crate::ufunc::ufunc;

/// Reshapes the operands to two matrices, and returns the shape of the product.
fn matrices(a: &NdArray, b: &NdArray) -> Result<(NdArray, NdArray, Vec<isize>)> {
    let summed = b.ndim().saturating_sub(2);
    let k = a.shape()[a.ndim() - 1];
    if b.shape()[summed] != k {
        return fail(ErrorKind::Value, format!("dot: the lengths {k} and {} differ", b.shape()[summed]));
    }
    let signed = |shape: &[usize]| shape.iter().map(|&n| n as isize).collect::<Vec<_>>();
    let (left, mut right) = (signed(&a.shape()[..a.ndim() - 1]), signed(b.shape()));
    right.remove(summed);
    let (rows, columns): (isize, isize) = (left.iter().product(), right.iter().product());
    let first = b.moveaxis(&[summed as isize], &[0])?;
    let shape = [left, right].concat();
    let k = k as isize;
    Ok((a.reshape(&[rows, k], Order::C)?, first.reshape(&[k, columns], Order::C)?, shape))
}

/// Computes NumPy's `dot`.
pub(crate) fn dot(a: &NdArray, b: &NdArray) -> Result<NdArray> {
    if a.ndim() == 0 || b.ndim() == 0 {
        return ufunc("multiply", &[Operand::Array(a), Operand::Array(b)], &UfuncOptions::default());
    }
    let (left, right, shape) = matrices(a, b)?;
    matmul(&left, &right)?.reshape(&shape, Order::C)
}

/// Bounds the error of plain arithmetic for `dot`. The product of two real numbers is exact; for complex ones each part
/// is a sum of two products.
fn dot_bound(a: &NdArray, b: &NdArray) -> Result<Option<Vec<f64>>> {
    if a.ndim() == 0 || b.ndim() == 0 {
        let (number, others) = if a.ndim() == 0 { (a, b) } else { (b, a) };
        if !promote_types(a.dtype(), b.dtype()).is_complex() {
            return Ok(None);
        }
        let others = others.reshape(&[others.size() as isize, 1], Order::C)?;
        return matmul_bound(&others, &number.reshape(&[1, 1], Order::C)?).map(Some);
    }
    let (left, right, _) = matrices(a, b)?;
    matmul_bound(&left, &right).map(Some)
}

counterparts! {
    "numpy.dot" = |t| dot(t.get("a")?, t.get("b")?), bounds |t| dot_bound(t.get("a")?, t.get("b")?)?;
}
