//! Index expressions: all objects that NumPy accepts as an index.

use cuprum::{Array, DType, Index, Operand, Scalar, Slice};
use numpy::{PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyIndexError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyEllipsis, PyInt, PyList, PySequence, PySlice, PyString, PyTuple};
use smallvec::SmallVec;

use crate::array::NdArray;
use crate::convert::{self, PassedOperand, array_of, wrap, wrap_view};
use crate::errors::OrRaise;
use crate::scalars::FlatIter;

/// The parts of an index.
pub(crate) type Parts = SmallVec<[Index; 4]>;

/// Parses an index.
pub(crate) fn parts(key: &Bound<'_, PyAny>) -> PyResult<Parts> {
    match key.cast::<PyTuple>() {
        Ok(tuple) => {
            // The bounds of slices are read last: an invalid index is reported first.
            let (mut parts, mut ends) = (Parts::new(), None);
            for item in tuple.iter_borrowed() {
                match part(&item) {
                    Ok(part) => parts.push(part),
                    Err(e) if item.is_instance_of::<PySlice>() => ends = ends.or(Some(e)),
                    Err(e) => return Err(e),
                }
            }
            ends.map_or(Ok(parts), Err)
        }
        Err(_) => Ok(smallvec::smallvec![part(key)?]),
    }
}

/// Parses an index of an array: arrays in it are moved to its device.
fn parts_of(a: &Array, key: &Bound<'_, PyAny>) -> PyResult<Parts> {
    let mut parts = parts(key)?;
    for part in &mut parts {
        if let Index::Array(picked) = part
            && picked.device() != a.device()
        {
            *picked = picked.to_device(a.device()).or_raise()?;
        }
    }
    Ok(parts)
}

fn not_an_index() -> PyErr {
    PyIndexError::new_err(
        "only integers, slices (`:`), ellipsis (`...`), None and integer or boolean arrays are valid indices",
    )
}

fn part(item: &Bound<'_, PyAny>) -> PyResult<Index> {
    if item.is_exact_instance_of::<PyInt>() {
        return at(item);
    }
    if item.is_instance_of::<PySlice>() {
        return slice(item).map(Index::Slice);
    }
    if item.is_none() {
        return Ok(Index::NewAxis);
    }
    if item.is_instance_of::<PyEllipsis>() {
        return Ok(Index::Ellipsis);
    }
    if item.is_instance_of::<PyBool>() {
        return Ok(Index::Truth(item.is_truthy()?));
    }
    if let Some(a) = array_of(item) {
        return picking(a.clone());
    }
    if item.is_instance_of::<crate::nonnumeric::NonNumeric>() {
        return Err(not_an_index());
    }
    if convert::is_numpy_scalar(item)? {
        if item.getattr("dtype")?.getattr("kind")?.eq("b")? {
            return Ok(Index::Truth(item.is_truthy()?));
        }
        return at(item);
    }
    if let Ok(flat) = item.cast::<FlatIter>() {
        return picking(flat.get().copied()?);
    }
    if item.is_instance_of::<PyString>() {
        return Err(not_an_index());
    }
    if item.is_instance_of::<PyList>() || item.is_instance_of::<PyTuple>() || item.is_instance_of::<PyUntypedArray>() {
        let host = match convert::numpy_array(item, None) {
            Ok(host) => host,
            Err(_) => return picking(convert::as_array(item, None)?),
        };
        if host.is_empty() && !item.is_instance_of::<PyUntypedArray>() {
            return picking(convert::upload(&host, Some(DType::I64), false)?);
        }
        return match crate::dtypes::known(&host.dtype()) {
            Some(_) => picking(convert::upload(&host, None, false)?),
            None if host.dtype().kind() == b'O' && !item.is_instance_of::<PyUntypedArray>() => {
                picking(convert::as_array(item, None).map_err(|_| not_an_index())?)
            }
            None => Err(not_an_index()),
        };
    }
    if let Some(a) = crate::interop::imported(item)? {
        return picking(a);
    }
    match at(item) {
        // An array of another library on the host, as a column of a table.
        Err(_) if item.hasattr("__array__")? => picking(convert::as_array(item, None)?),
        // A range or another sequence, which selects nothing if it is empty.
        Err(_) if item.cast::<PySequence>().is_ok() && !convert::is_text(item) => {
            picking(convert::as_array(item, (item.len()? == 0).then_some(DType::I64))?)
        }
        index => index,
    }
}

/// Reads an index along one axis.
fn at(item: &Bound<'_, PyAny>) -> PyResult<Index> {
    // SAFETY: the object is alive; -1 may be an error, which is checked.
    let i = unsafe { ffi::PyNumber_AsSsize_t(item.as_ptr(), ffi::PyExc_IndexError) };
    if i == -1
        && let Some(e) = PyErr::take(item.py())
    {
        return Err(if e.is_instance_of::<PyTypeError>(item.py()) { not_an_index() } else { e });
    }
    Ok(Index::At(i as i64))
}

pub(crate) fn slice(item: &Bound<'_, PyAny>) -> PyResult<Slice> {
    let (mut start, mut stop, mut step) = (0, 0, 0);
    // SAFETY: the object is a slice, and the three pointers are valid.
    if unsafe { ffi::PySlice_Unpack(item.as_ptr(), &mut start, &mut stop, &mut step) } < 0 {
        return Err(PyErr::fetch(item.py()));
    }
    Ok(Slice { start: Some(start as i64), stop: Some(stop as i64), step: Some(step as i64) })
}

/// Reads an index array of integers or booleans.
fn picking(a: Array) -> PyResult<Index> {
    if a.dtype() == DType::Bool || a.dtype().is_integer() {
        return Ok(Index::Array(a));
    }
    Err(PyIndexError::new_err("arrays used as indices must be of integer (or boolean) type"))
}

/// Returns true if an index selects a view and no copy.
fn is_view(parts: &[Index]) -> bool {
    !parts.iter().any(|part| matches!(part, Index::Truth(_) | Index::Array(_) | Index::List(_)))
}

/// Assigns a scalar, an array, or an object that becomes one.
pub(crate) fn assign(to: &Array, value: &Bound<'_, PyAny>) -> PyResult<()> {
    set(to, &[Index::Ellipsis], value)
}

/// Assigns to the elements at an index.
pub(crate) fn set(to: &Array, parts: &[Index], value: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = value.py();
    let value = match convert::given_of_any_size(value)? {
        Some(PassedOperand::Huge(n)) => PassedOperand::Weak(convert::huge("set", &n, Some(to.dtype()))?),
        // A NumPy scalar that becomes a signed integer has to fit, like a Python scalar; to an unsigned one it is cast,
        // and so is any with index arrays.
        Some(PassedOperand::Strong(_, s @ (Scalar::Int(_) | Scalar::Float(_))))
            if to.dtype().kind() == cuprum::Kind::Signed && is_view(parts) && convert::is_numpy_scalar(value)? =>
        {
            PassedOperand::Weak(s)
        }
        Some(PassedOperand::Strong(dtype, s)) => PassedOperand::Made(convert::strong(dtype, s)?),
        Some(given) => given,
        None => match value.cast::<PyUntypedArray>() {
            // One value for all elements is a scalar, also if the host has broadcast it to a shape.
            Ok(host) if host.ndim() > 0 && !host.is_empty() && host.strides().iter().all(|s| *s == 0) => {
                let one = host.call_method1("__getitem__", (PyTuple::new(host.py(), vec![0; host.ndim()])?,))?;
                let one = convert::as_array(&one, None)?;
                PassedOperand::Made(cuprum::broadcast_to(&one, host.shape()).or_raise()?)
            }
            // Scalars of a list become elements one by one, and must fit.
            _ => PassedOperand::Made(convert::as_array(value, convert::is_sequence(value).then(|| to.dtype()))?),
        },
    };
    if let Operand::Array(from) = value.operand() {
        crate::warnings::complex_to_real(py, from.dtype(), to.dtype())?;
    }
    match value.operand() {
        // An assignment copies between devices too; values of the host are on the current one.
        Operand::Array(from) if from.device() != to.device() => to.set(parts, &moved(from, to)?),
        operand => to.set(parts, operand),
    }
    .or_raise()
}

/// Moves an array to the device of another.
fn moved(a: &Array, to: &Array) -> PyResult<Array> {
    a.to_device(to.device()).or_raise()
}

/// Fills an array with a number or with an array. Numbers and the elements of a list are cast, but a single Python
/// integer must fit.
pub(crate) fn fill(to: &Array, value: &Bound<'_, PyAny>) -> PyResult<()> {
    let dtype = to.dtype();
    let (own, s) = match convert::given_of_any_size(value)? {
        Some(PassedOperand::Weak(s @ Scalar::Float(_))) if dtype.is_integer() => (DType::F64, s),
        Some(PassedOperand::Weak(s @ Scalar::Complex(_))) if !dtype.is_complex() => (DType::C128, s),
        Some(PassedOperand::Strong(own, s)) => (own, s),
        None if convert::is_sequence(value) => {
            let values = convert::as_array(value, None)?;
            crate::warnings::complex_to_real(value.py(), values.dtype(), dtype)?;
            return to.set([Index::Ellipsis], &moved(&values, to)?).or_raise();
        }
        _ => return assign(to, value),
    };
    crate::warnings::complex_to_real(value.py(), own, dtype)?;
    to.set([Index::Ellipsis], &moved(&convert::strong(own, s)?, to)?).or_raise()
}

#[pymethods]
impl NdArray {
    fn __getitem__<'py>(slf: &Bound<'py, Self>, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, NdArray>> {
        let parts = parts_of(slf.get().array(), key)?;
        let found = slf.get().array().index(&parts[..]).or_raise()?;
        if is_view(&parts) { wrap_view(slf, found) } else { wrap(slf.py(), found) }
    }

    fn __setitem__(&self, key: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let a = NdArray::array(self);
        set(a, &parts_of(a, key)?, value)
    }

    /// Adds to the elements at an index; repeatedly if it is repeated.
    fn scatter_add(&self, slices: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        ufunc_at(cuprum::ufunc("add").or_raise()?, NdArray::array(self), slices, Some(value), Default::default())
    }

    /// Replaces each element at an index by the maximum of it and of the value.
    fn scatter_max(&self, slices: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        ufunc_at(cuprum::ufunc("maximum").or_raise()?, NdArray::array(self), slices, Some(value), Default::default())
    }

    /// Replaces each element at an index by the minimum of it and of the value.
    fn scatter_min(&self, slices: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        ufunc_at(cuprum::ufunc("minimum").or_raise()?, NdArray::array(self), slices, Some(value), Default::default())
    }

    fn __delitem__(&self, _key: &Bound<'_, PyAny>) -> PyResult<()> {
        Err(pyo3::exceptions::PyValueError::new_err("cannot delete array elements"))
    }
}

/// Applies a ufunc in place to the elements at an index, in an order of the updates of an element.
pub(crate) fn ufunc_at(
    f: cuprum::Ufunc,
    a: &Array,
    key: &Bound<'_, PyAny>,
    b: Option<&Bound<'_, PyAny>>,
    order: cuprum::AtOrder,
) -> PyResult<()> {
    let parts = parts_of(a, key)?;
    let b = match b.filter(|b| !b.is_none()) {
        None => None,
        Some(b) => Some(match convert::given(b)? {
            Some(PassedOperand::Strong(dtype, s)) => PassedOperand::Made(convert::strong(dtype, s)?),
            Some(given) => given,
            None => PassedOperand::Made(convert::as_array(b, None)?),
        }),
    };
    let operand = b.as_ref().map(PassedOperand::operand);
    if let Some(operand) = &operand {
        crate::warnings::of_at(key.py(), f, a, operand)?;
    }
    let other = match operand {
        Some(Operand::Array(b)) if b.device() != a.device() => Some(moved(b, a)?),
        _ => None,
    };
    f.at_in(order, a, &parts, other.as_ref().map(Operand::Array).or(operand)).or_raise()
}
