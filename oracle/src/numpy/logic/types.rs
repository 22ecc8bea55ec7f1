//! Type tests of elements: `isreal`, `iscomplex`, `isposinf`, `isneginf` and others.

use cuprum_kernels::DType;

use crate::core::array::{NdArray, Operand};
use crate::core::error::Result;
use crate::core::layout::Order;
use crate::core::value::Value;
use crate::numpy::creation::basic::full;
use crate::numpy::math::angle::part;
use crate::numpy::math::difference::call;
use crate::table::counterparts;
use crate::ufunc::elementwise::UfuncOptions;
use crate::ufunc::ufunc;

/// Tests whether elements have no imaginary part (`isreal`).
///
/// # Errors
///
/// As [`ufunc`].
pub fn isreal(a: &NdArray) -> Result<NdArray> {
    if a.dtype().is_complex() {
        return compare("equal", a);
    }
    // NumPy compares a new array of imaginary parts, which is Fortran-ordered where `a` is and is not C-ordered.
    let order = if a.is_f_contiguous() && !a.is_c_contiguous() { Order::F } else { Order::C };
    full(a.shape(), Value::Bool(true), Some(DType::Bool), order)
}

/// Tests whether elements have an imaginary part (`iscomplex`).
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

/// Tests whether elements are infinite and of this sign.
fn is_infinite(x: &NdArray, negative: bool, out: Option<&NdArray>) -> Result<NdArray> {
    let infinite = call("isinf", &[x.into()])?;
    let mut sign = call("signbit", &[x.into()])?;
    if !negative {
        sign = call("logical_not", &[(&sign).into()])?;
    }
    let options = UfuncOptions { out: out.cloned(), ..UfuncOptions::default() };
    ufunc("logical_and", &[(&infinite).into(), (&sign).into()], &options)
}

counterparts! {
    "numpy.isposinf" = |t| is_infinite(t.get("x")?, false, t.get("out")?);
    "numpy.isneginf" = |t| is_infinite(t.get("x")?, true, t.get("out")?);
    "numpy.asfarray" = |t| {
        let (a, dtype): (&NdArray, DType) = (t.get("a")?, t.or("dtype", DType::F64)?);
        let dtype = if dtype.is_float() || dtype.is_complex() { dtype } else { DType::F64 };
        if a.dtype() == dtype { Ok(a.clone()) } else { Ok(a.astype(dtype, Order::K)) }
    };
    "numpy.isreal" = |t| isreal(t.get("x")?);
    "numpy.iscomplex" = |t| iscomplex(t.get("x")?);
}
