//! Questions of what elements are.

use cuprum_kernels::DType;

use crate::angle::part;
use crate::array::{NdArray, Operand};
use crate::creation::full;
use crate::elementwise::UfuncOptions;
use crate::error::Result;
use crate::layout::Order;
use crate::table::twins;
use crate::ufunc::ufunc;
use crate::value::Value;

/// Whether elements have no imaginary part (`isreal`).
///
/// # Errors
///
/// As [`ufunc`].
pub fn isreal(a: &NdArray) -> Result<NdArray> {
    if a.dtype().is_complex() {
        return compare("equal", a);
    }
    // NumPy compares a new array of imaginary parts, which is in Fortran order where `a` is and is not in C order.
    let order = if a.is_f_contiguous() && !a.is_c_contiguous() { Order::F } else { Order::C };
    full(a.shape(), Value::Bool(true), Some(DType::Bool), order)
}

/// Whether elements have an imaginary part (`iscomplex`).
///
/// # Errors
///
/// As [`ufunc`].
pub fn iscomplex(a: &NdArray) -> Result<NdArray> {
    if a.dtype().is_complex() {
        return compare("not_equal", a);
    }
    full(a.shape(), Value::Bool(false), Some(DType::Bool), Order::C)
}

fn compare(name: &str, a: &NdArray) -> Result<NdArray> {
    ufunc(name, &[Operand::Array(&part(a, 1)), Operand::Scalar(Value::Int(0))], &UfuncOptions::default())
}

twins! {
    "numpy.isreal" = |t| isreal(t.get("x")?);
    "numpy.iscomplex" = |t| iscomplex(t.get("x")?);
}
