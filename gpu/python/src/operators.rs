//! Operators of arrays.
#![allow(unsafe_op_in_unsafe_fn, reason = "what PyO3 writes for methods that a macro of ours writes")]

use std::sync::OnceLock;

use cuprum::{DType, Scalar, Ufunc, UfuncOptions};
use pyo3::basic::CompareOp;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::array::NdArray;
use crate::convert::{self, PassedOperand, operand, settle, wrap};
use crate::errors::OrRaise;

fn two<'py>(
    f: Ufunc,
    py: Python<'py>,
    left: PassedOperand<'py>,
    right: PassedOperand<'py>,
    out: Option<&NdArray>,
) -> PyResult<Bound<'py, NdArray>> {
    let mut operands = [left, right];
    settle(f.name(), &mut operands, None, true)?;
    let options = UfuncOptions { out: out.map(NdArray::array), ..UfuncOptions::default() };
    wrap(py, f.call([operands[0].operand(), operands[1].operand()], options).or_raise()?)
}

/// A function of the library, looked up once.
pub(crate) struct CachedUfunc(&'static str, OnceLock<Ufunc>);

impl CachedUfunc {
    pub(crate) const fn new(name: &'static str) -> CachedUfunc {
        CachedUfunc(name, OnceLock::new())
    }

    pub(crate) fn get(&self) -> PyResult<Ufunc> {
        match self.1.get() {
            Some(f) => Ok(*f),
            None => Ok(*self.1.get_or_init({
                let f = cuprum::ufunc(self.0).or_raise()?;
                move || f
            })),
        }
    }
}

/// Defines binary operators: with the array on the left, on the right, and in place.
macro_rules! binary {
    ($($left:ident $right:ident $in_place:ident = $name:literal),+ $(,)?) => {
        #[pymethods]
        impl NdArray {
            $(
                fn $left<'py>(slf: &Bound<'py, Self>, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
                    static F: CachedUfunc = CachedUfunc::new($name);
                    let Some(right) = operand(value)? else { return Ok(slf.py().NotImplemented().into_bound(slf.py())) };
                    Ok(two(F.get()?, slf.py(), PassedOperand::Array(slf.clone()), right, None)?.into_any())
                }

                fn $right<'py>(slf: &Bound<'py, Self>, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
                    static F: CachedUfunc = CachedUfunc::new($name);
                    let Some(left) = operand(value)? else { return Ok(slf.py().NotImplemented().into_bound(slf.py())) };
                    Ok(two(F.get()?, slf.py(), left, PassedOperand::Array(slf.clone()), None)?.into_any())
                }

                fn $in_place<'py>(slf: &Bound<'py, Self>, value: &Bound<'py, PyAny>) -> PyResult<()> {
                    static F: CachedUfunc = CachedUfunc::new($name);
                    let Some(right) = operand(value)? else { return assign_sparse(slf, value, stringify!($right)) };
                    two(F.get()?, slf.py(), PassedOperand::Array(slf.clone()), right, Some(slf.get()))?;
                    Ok(())
                }
            )+
        }
    };
}
binary! {
    __add__ __radd__ __iadd__ = "add",
    __sub__ __rsub__ __isub__ = "subtract",
    __mul__ __rmul__ __imul__ = "multiply",
    __truediv__ __rtruediv__ __itruediv__ = "divide",
    __floordiv__ __rfloordiv__ __ifloordiv__ = "floor_divide",
    __mod__ __rmod__ __imod__ = "remainder",
    __lshift__ __rlshift__ __ilshift__ = "left_shift",
    __rshift__ __rrshift__ __irshift__ = "right_shift",
    __and__ __rand__ __iand__ = "bitwise_and",
    __or__ __ror__ __ior__ = "bitwise_or",
    __xor__ __rxor__ __ixor__ = "bitwise_xor",
}

/// Applies an operator in place with a sparse array, whose reflected operator computes the result.
fn assign_sparse<'py>(slf: &Bound<'py, NdArray>, value: &Bound<'py, PyAny>, reflected: &str) -> PyResult<()> {
    if !value.hasattr(pyo3::intern!(slf.py(), "_sparse"))? || !value.hasattr(reflected)? {
        return Err(convert::unsupported(value));
    }
    let (made, a) = (value.call_method1(reflected, (slf,))?, slf.get().array());
    match convert::array_of(&made) {
        None => Err(convert::unsupported(value)),
        Some(made) if !cuprum::can_cast(made.dtype(), a.dtype(), cuprum::Casting::SameKind) => {
            crate::errors::type_error(format!(
                "a result of {} cannot be cast to an array of {} in place: make a dense array of the sparse one with toarray()",
                made.dtype(),
                a.dtype()
            ))
        }
        Some(made) => a.assign(made).or_raise(),
    }
}

/// Defines unary operators.
macro_rules! unary {
    ($($method:ident = $name:literal),+ $(,)?) => {
        #[pymethods]
        impl NdArray {
            $(
                fn $method<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, NdArray>> {
                    static F: CachedUfunc = CachedUfunc::new($name);
                    wrap(py, F.get()?.call([NdArray::array(self)], ()).or_raise()?)
                }
            )+
        }
    };
}
unary! { __neg__ = "negative", __pos__ = "positive", __abs__ = "absolute", __invert__ = "invert" }

fn compared(op: CompareOp) -> &'static CachedUfunc {
    static FOUND: [CachedUfunc; 6] = [
        CachedUfunc::new("less"),
        CachedUfunc::new("less_equal"),
        CachedUfunc::new("equal"),
        CachedUfunc::new("not_equal"),
        CachedUfunc::new("greater"),
        CachedUfunc::new("greater_equal"),
    ];
    &FOUND[match op {
        CompareOp::Lt => 0,
        CompareOp::Le => 1,
        CompareOp::Eq => 2,
        CompareOp::Ne => 3,
        CompareOp::Gt => 4,
        CompareOp::Ge => 5,
    }]
}

static POWER: CachedUfunc = CachedUfunc::new("power");
static DIVMOD: CachedUfunc = CachedUfunc::new("divmod");

/// Returns NumPy's replacement of a power with some Python scalars: the square, the root, the reciprocal and the number
/// itself, which are exact or faster.
fn quick_power(dtype: DType, exponent: &PassedOperand<'_>) -> Option<&'static CachedUfunc> {
    static SQUARE: CachedUfunc = CachedUfunc::new("square");
    static SQRT: CachedUfunc = CachedUfunc::new("sqrt");
    static RECIPROCAL: CachedUfunc = CachedUfunc::new("reciprocal");
    static POSITIVE: CachedUfunc = CachedUfunc::new("positive");
    let inexact = dtype.is_float() || dtype.is_complex();
    let exponent = match exponent {
        PassedOperand::Weak(Scalar::Int(2)) => 2.0,
        PassedOperand::Weak(Scalar::Int(n)) if inexact => *n as f64,
        PassedOperand::Weak(Scalar::Float(x)) if inexact => *x,
        _ => return None,
    };
    match exponent {
        2.0 => Some(&SQUARE),
        0.5 => Some(&SQRT),
        -1.0 => Some(&RECIPROCAL),
        1.0 => Some(&POSITIVE),
        _ => None,
    }
}

/// Returns the result of `==` and `!=` for objects that are equal to no element.
fn unequal<'py>(a: &Bound<'py, NdArray>, op: CompareOp) -> PyResult<Bound<'py, PyAny>> {
    let options = cuprum::CreationOptions::new().dtype(DType::Bool);
    let made = cuprum::full_like(a.get().array(), matches!(op, CompareOp::Ne), options).or_raise()?;
    Ok(wrap(a.py(), made)?.into_any())
}

/// Determines whether an object that is no operand has to handle the comparison itself: true if it has one of NumPy's
/// protocols. For an object with an `__eq__` of its own and no protocol the result is unknown (`false`); any other is
/// only equal to itself (`None`).
fn compares_by_itself(object: &Bound<'_, PyAny>) -> PyResult<Option<bool>> {
    let py = object.py();
    for protocol in [pyo3::intern!(py, "__array_ufunc__"), pyo3::intern!(py, "__array_priority__")] {
        if object.getattr_opt(protocol)?.is_some() {
            return Ok(Some(true));
        }
    }
    let eq = pyo3::intern!(py, "__eq__");
    let own = !object.get_type().getattr(eq)?.is(&py.get_type::<PyAny>().getattr(eq)?);
    Ok(own.then_some(false))
}

#[pymethods]
impl NdArray {
    fn __richcmp__<'py>(
        slf: &Bound<'py, Self>,
        value: &Bound<'py, PyAny>,
        op: CompareOp,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let equality = matches!(op, CompareOp::Eq | CompareOp::Ne);
        if equality && (value.is_none() || convert::is_text(value)) {
            return unequal(slf, op);
        }
        let Some(right) = operand(value)? else {
            return match compares_by_itself(value)? {
                _ if !equality => Ok(py.NotImplemented().into_bound(py)),
                Some(true) => Ok(py.NotImplemented().into_bound(py)),
                Some(false) => Err(convert::unsupported(value)),
                None => unequal(slf, op),
            };
        };
        Ok(two(compared(op).get()?, py, PassedOperand::Array(slf.clone()), right, None)?.into_any())
    }

    fn __pow__<'py>(
        slf: &Bound<'py, Self>,
        value: &Bound<'py, PyAny>,
        modulo: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let right = if modulo.is_some_and(|m| !m.is_none()) { None } else { operand(value)? };
        let Some(right) = right else { return Ok(py.NotImplemented().into_bound(py)) };
        if let Some(quick) = quick_power(slf.get().array().dtype(), &right) {
            return Ok(wrap(py, quick.get()?.call([slf.get().array()], ()).or_raise()?)?.into_any());
        }
        Ok(two(POWER.get()?, py, PassedOperand::Array(slf.clone()), right, None)?.into_any())
    }

    fn __rpow__<'py>(
        slf: &Bound<'py, Self>,
        value: &Bound<'py, PyAny>,
        modulo: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let left = if modulo.is_some_and(|m| !m.is_none()) { None } else { operand(value)? };
        let Some(left) = left else { return Ok(py.NotImplemented().into_bound(py)) };
        Ok(two(POWER.get()?, py, left, PassedOperand::Array(slf.clone()), None)?.into_any())
    }

    fn __ipow__<'py>(
        slf: &Bound<'py, Self>,
        value: &Bound<'py, PyAny>,
        _modulo: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<()> {
        let Some(right) = operand(value)? else { return Err(convert::unsupported(value)) };
        let a = slf.get().array();
        if let Some(quick) = quick_power(a.dtype(), &right) {
            let options = UfuncOptions { out: Some(a), ..UfuncOptions::default() };
            quick.get()?.call([a], options).or_raise()?;
            return Ok(());
        }
        two(POWER.get()?, slf.py(), PassedOperand::Array(slf.clone()), right, Some(slf.get()))?;
        Ok(())
    }

    fn __divmod__<'py>(slf: &Bound<'py, Self>, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let Some(right) = operand(value)? else { return Ok(py.NotImplemented().into_bound(py)) };
        pair(py, [PassedOperand::Array(slf.clone()), right])
    }

    fn __rdivmod__<'py>(slf: &Bound<'py, Self>, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let Some(left) = operand(value)? else { return Ok(py.NotImplemented().into_bound(py)) };
        pair(py, [left, PassedOperand::Array(slf.clone())])
    }

    /// Raises for `operator.concat`: `+` adds the elements of arrays.
    fn __concat__(&self, _other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        crate::errors::type_error("arrays are joined by cuprum.concatenate, and not as sequences are")
    }

    fn __matmul__<'py>(slf: &Bound<'py, Self>, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        product(slf.py(), slf.as_any(), value, value)
    }

    fn __rmatmul__<'py>(slf: &Bound<'py, Self>, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        product(slf.py(), value, slf.as_any(), value)
    }

    fn __imatmul__<'py>(slf: &Bound<'py, Self>, value: &Bound<'py, PyAny>) -> PyResult<()> {
        let made = product(slf.py(), slf.as_any(), value, value)?;
        let (a, shape) = (slf.get().array(), convert::array_of(&made).map(|made| made.shape().to_vec()));
        if let Some(from) = convert::array_of(&made).map(cuprum::Array::dtype)
            && !cuprum::can_cast(from, a.dtype(), cuprum::Casting::SameKind)
        {
            return crate::errors::type_error(format!(
                "matmul: a product of {from} cannot be cast to an array of {} in place: use a = a @ b",
                a.dtype()
            ));
        }
        // A vector or a scalar would be broadcast over the array, so that the product does not fit in place.
        if shape.as_deref().is_some_and(|shape| shape != a.shape()) {
            let said = format!(
                "matmul: a product of shape {:?} does not fit in an array of shape {:?}",
                shape.unwrap_or_default(),
                a.shape()
            );
            return crate::errors::value_error(said);
        }
        crate::indexing::assign(a, &made)
    }
}

fn pair<'py>(py: Python<'py>, mut operands: [PassedOperand<'py>; 2]) -> PyResult<Bound<'py, PyAny>> {
    settle("divmod", &mut operands, None, true)?;
    let (first, second) = DIVMOD.get()?.call_pair([operands[0].operand(), operands[1].operand()], ()).or_raise()?;
    Ok(PyTuple::new(py, [wrap(py, first)?, wrap(py, second)?])?.into_any())
}

fn product<'py>(
    py: Python<'py>,
    left: &Bound<'py, PyAny>,
    right: &Bound<'py, PyAny>,
    other: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let (a, b) = match (convert::array_of(left), convert::array_of(right)) {
        (Some(a), Some(b)) => (a.clone(), b.clone()),
        (a, b) => match operand(other)? {
            Some(PassedOperand::Made(made)) if made.ndim() > 0 => {
                (a.unwrap_or(&made).clone(), b.unwrap_or(&made).clone())
            }
            Some(_) => {
                return crate::errors::value_error(
                    "matmul: an operand without axes has no product of matrices, use * instead",
                );
            }
            None => return Ok(py.NotImplemented().into_bound(py)),
        },
    };
    Ok(wrap(py, cuprum::matmul(a, b).or_raise()?)?.into_any())
}
