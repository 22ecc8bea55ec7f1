//! Arrays and numbers between Python and the library: the one file where either becomes the other.
//!
//! | from | to | by |
//! |---|---|---|
//! | `Array` | `cuprum.ndarray` | [`wrap`], [`wrap_view`] |
//! | `cuprum.ndarray` | `&Array` | [`array_of`] |
//! | anything `numpy.asarray` takes, our arrays among it | `Array` | [`as_array`], [`upload`] |
//! | `Array` | `numpy.ndarray` | [`to_numpy`] |
//! | a number of Python or NumPy | `Scalar` | [`python_number`], [`numpy_number`] |
//! | an operand of a function | [`Given`] | [`given`], [`settle`] |
//!
//! Which objects of the host are taken:
//!
//! | object | ufuncs and operators | other functions, indices, assigned values |
//! |---|---|---|
//! | numbers of Python and of NumPy, arrays of NumPy without axes | as scalars | as scalars |
//! | lists and tuples | as arrays: [`operand`] | as arrays: [`as_array`] |
//! | arrays of NumPy with axes | `TypeError`: [`unsupported`] | copied to the device: [`as_array`] |
//! | where results go | `TypeError` | `TypeError` |

use std::ffi::c_int;

use cuprum::num_complex::Complex64;
use cuprum::{Array, DType, MAX_NDIM, Operand, Scalar, promote_types};
use numpy::npyffi::{self, PY_ARRAY_API};
use numpy::{PyArrayDescr, PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{
    PyBool, PyByteArray, PyBytes, PyComplex, PyFloat, PyInt, PyList, PySequence, PyString, PyTuple, PyType,
};
use smallvec::SmallVec;

use crate::array::NdArray;
use crate::dtypes;
use crate::errors::{OrRaise, type_error, value_error};
use crate::scalars::FlatIter;

/// A new `cuprum.ndarray`.
pub(crate) fn wrap(py: Python<'_>, a: Array) -> PyResult<Bound<'_, NdArray>> {
    Bound::new(py, NdArray::new(a, None))
}

/// A new `cuprum.ndarray` that shares its elements with another: that one, or what it is a view of, is its `base`.
pub(crate) fn wrap_view<'py>(of: &Bound<'py, NdArray>, a: Array) -> PyResult<Bound<'py, NdArray>> {
    let py = of.py();
    if !of.is_exact_instance_of::<NdArray>() {
        return crate::array::view_as(of, a, &of.get_type());
    }
    let base = match of.get().base() {
        Some(base) => base.clone_ref(py),
        None => of.clone().unbind(),
    };
    Bound::new(py, NdArray::new(a, Some(base)))
}

/// The array of a `cuprum.ndarray`; nothing of one whose dtype is not numeric.
pub(crate) fn array_of<'a>(object: &'a Bound<'_, PyAny>) -> Option<&'a Array> {
    object.cast::<NdArray>().ok().map(Bound::get).filter(|a| !a.is_nonnumeric()).map(NdArray::array)
}

/// NumPy's array of anything; `dtype` and `order` are NumPy's.
pub(crate) fn numpy_array<'py>(
    object: &Bound<'py, PyAny>,
    dtype: Option<DType>,
) -> PyResult<Bound<'py, PyUntypedArray>> {
    let py = object.py();
    let descr = match dtype {
        Some(dtype) => dtypes::object(py, dtype)?.clone().into_ptr(),
        None => std::ptr::null_mut(),
    };
    // SAFETY: the object is alive, the reference to the descriptor is the function's to take, and a null one is allowed.
    let made = unsafe {
        let array = PY_ARRAY_API.PyArray_FromAny(py, object.as_ptr(), descr.cast(), 0, 0, 0, std::ptr::null_mut());
        Bound::from_owned_ptr_or_err(py, array)?
    };
    Ok(made.cast_into::<PyUntypedArray>()?)
}

/// The same in C order, native and aligned; of another order a copy.
fn dense<'py>(a: &Bound<'py, PyUntypedArray>, dtype: DType) -> PyResult<Bound<'py, PyUntypedArray>> {
    let py = a.py();
    let descr = dtypes::object(py, dtype)?.clone().into_ptr();
    let flags: c_int = npyffi::NPY_ARRAY_C_CONTIGUOUS | npyffi::NPY_ARRAY_ALIGNED | npyffi::NPY_ARRAY_FORCECAST;
    // SAFETY: as in `numpy_array`.
    let made = unsafe {
        let array = PY_ARRAY_API.PyArray_FromAny(py, a.as_ptr(), descr.cast(), 0, 0, flags, std::ptr::null_mut());
        Bound::from_owned_ptr_or_err(py, array)?
    };
    Ok(made.cast_into::<PyUntypedArray>()?)
}

/// The bytes of an array of NumPy's that is dense in one of the two orders.
fn bytes<'a>(a: &'a Bound<'_, PyUntypedArray>) -> &'a [u8] {
    // SAFETY: the array is alive and dense, so its elements are `len` times `itemsize` bytes from `data` on.
    unsafe {
        let data = (*a.as_array_ptr()).fields.data.cast::<u8>();
        let length = a.len() * a.dtype().itemsize();
        if length == 0 { &[] } else { std::slice::from_raw_parts(data, length) }
    }
}

/// So many bytes are worth letting other threads of Python go on meanwhile.
const WORTH_WAITING: usize = 1 << 18;

/// An array of the bytes of the host.
fn sent(py: Python<'_>, bytes: &[u8], shape: &[usize], dtype: DType) -> PyResult<Array> {
    if bytes.len() < WORTH_WAITING {
        return Array::from_bytes(bytes, shape, dtype).or_raise();
    }
    py.detach(|| Array::from_bytes(bytes, shape, dtype)).or_raise()
}

/// An array of NumPy's on the current device, in the order that it has if `order` keeps it.
pub(crate) fn upload(a: &Bound<'_, PyUntypedArray>, dtype: Option<DType>, keep_order: bool) -> PyResult<Array> {
    let native = dtypes::known(&a.dtype());
    let dtype = match (dtype, native) {
        (Some(dtype), _) | (None, Some(dtype)) => dtype,
        (None, None) => native_dtype(&a.dtype())?,
    };
    let shape: SmallVec<[usize; 8]> = a.shape().into();
    if native == Some(dtype) && a.is_aligned() && a.is_c_contiguous() {
        return sent(a.py(), bytes(a), &shape, dtype);
    }
    if keep_order && !a.is_c_contiguous() && !a.is_empty() {
        // The axes from the slowest to the fastest, as the order K of a copy has them.
        let mut axes: SmallVec<[isize; 8]> = (0..shape.len() as isize).collect();
        axes.sort_by_key(|axis| std::cmp::Reverse(a.strides()[*axis as usize].unsigned_abs()));
        let mut back: SmallVec<[isize; 8]> = smallvec::smallvec![0; axes.len()];
        for (at, axis) in axes.iter().enumerate() {
            back[*axis as usize] = at as isize;
        }
        let transpose = pyo3::intern!(a.py(), "transpose");
        let slowest_first = a.call_method1(transpose, (axes.to_vec(),))?.cast_into::<PyUntypedArray>()?;
        return upload(&slowest_first, Some(dtype), false)?.transpose(&back[..]).or_raise();
    }
    let dense = dense(a, dtype)?;
    sent(a.py(), bytes(&dense), &shape, dtype)
}

/// The dtype of elements in foreign byte order, which are turned as they are uploaded.
fn native_dtype(descr: &Bound<'_, PyArrayDescr>) -> PyResult<DType> {
    if descr.byteorder() == b'>' {
        return dtypes::of(&descr.call_method1("newbyteorder", ("=",))?);
    }
    dtypes::of_descr(descr)
}

/// An array of anything that becomes one: ours as it is, NumPy's, numbers, and nested sequences of all of these.
pub(crate) fn as_array(object: &Bound<'_, PyAny>, dtype: Option<DType>) -> PyResult<Array> {
    let cast = |a: Array| match dtype {
        Some(dtype) if dtype != a.dtype() => a.astype(dtype).or_raise(),
        _ => Ok(a),
    };
    if let Some(a) = array_of(object) {
        return cast(a.clone());
    }
    crate::nonnumeric::reject(object)?;
    if let Ok(host) = object.cast::<PyUntypedArray>() {
        return upload(host, dtype, true);
    }
    if let Ok(flat) = object.cast::<FlatIter>() {
        let a = flat.get().copied()?;
        crate::warnings::complex_to_real(object.py(), a.dtype(), dtype.unwrap_or(a.dtype()))?;
        return cast(a);
    }
    if let Some(a) = crate::interop::imported(object)? {
        return cast(a);
    }
    // NumPy raises for a list with arrays of ours, and makes objects of those of other libraries.
    let host = match numpy_array(object, dtype.filter(|dtype| *dtype != DType::BF16)) {
        // Objects with a dtype, such as memory views, are cast like arrays. A number has to fit.
        Err(e) if e.is_instance_of::<PyTypeError>(object.py()) && is_array_like(object)? => numpy_array(object, None),
        host => host,
    };
    if host.as_ref().map_or(true, |host| host.dtype().kind() == b'O')
        && let Some(a) = joined(object)?
    {
        return cast(a);
    }
    upload(&host?, dtype, true)
}

/// Tests for an object that NumPy converts to an array, other than lists, numbers and strings.
fn is_array_like(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(!is_sequence(object) && !is_text(object) && number(object)?.is_none())
}

/// Tests for a list or a tuple.
pub(crate) fn is_sequence(object: &Bound<'_, PyAny>) -> bool {
    object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>()
}

/// Rejects lists that are nested deeper than an array has axes: who walks one that holds itself comes to no end.
pub(crate) fn not_too_deep(object: &Bound<'_, PyAny>) -> PyResult<()> {
    fn walk(object: &Bound<'_, PyAny>, depth: usize) -> PyResult<()> {
        if !is_sequence(object) {
            return Ok(());
        }
        if depth == MAX_NDIM {
            return value_error(format!("lists are nested deeper than the {MAX_NDIM} axes that an array can have"));
        }
        object.try_iter()?.try_for_each(|item| walk(&item?, depth + 1))
    }
    walk(object, 0)
}

/// A list of indices as an array: without elements it is one of integers.
pub(crate) fn index_array(list: &Bound<'_, PyAny>) -> PyResult<Array> {
    let a = as_array(list, None)?;
    if a.is_empty() { a.astype(DType::I64).or_raise() } else { Ok(a) }
}

/// A nested list with arrays of a device, joined on the device: in C order, as a list has no order of its own, and of the dtype
/// to which those of the items are promoted one after the other.
fn joined(object: &Bound<'_, PyAny>) -> PyResult<Option<Array>> {
    fn holds_arrays(object: &Bound<'_, PyAny>) -> PyResult<bool> {
        if !is_sequence(object) {
            return crate::interop::is_on_device(object);
        }
        for item in object.try_iter()? {
            if holds_arrays(&item?)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
    not_too_deep(object)?;
    if !is_sequence(object) || !holds_arrays(object)? {
        return Ok(None);
    }
    let parts = object.try_iter()?.map(|item| as_array(&item?, None)).collect::<PyResult<Vec<Array>>>()?;
    let dtype = parts.iter().map(Array::dtype).reduce(promote_types).unwrap_or(DType::F64);
    let shape: Vec<usize> = [parts.len()].into_iter().chain(parts[0].shape().iter().copied()).collect();
    let out = cuprum::empty(&shape[..], cuprum::CreationOptions::new().dtype(dtype)).or_raise()?;
    cuprum::stack(&parts, cuprum::StackOptions::new().out(&out)).or_raise().map(Some)
}

/// A new array of NumPy's, unwritten.
pub(crate) fn numpy_empty<'py>(
    py: Python<'py>,
    shape: &[usize],
    dtype: DType,
    fortran: bool,
) -> PyResult<Bound<'py, PyUntypedArray>> {
    let mut dims: SmallVec<[npyffi::npy_intp; 8]> = shape.iter().map(|n| *n as npyffi::npy_intp).collect();
    let descr = dtypes::object(py, dtype)?.clone().into_ptr();
    // SAFETY: as many lengths are given as is said, and the reference to the descriptor is the function's to take.
    let made = unsafe {
        let (rank, dims) = (dims.len() as c_int, dims.as_mut_ptr());
        Bound::from_owned_ptr_or_err(
            py,
            PY_ARRAY_API.PyArray_Empty(py, rank, dims, descr.cast(), c_int::from(fortran)),
        )?
    };
    Ok(made.cast_into::<PyUntypedArray>()?)
}

/// The bytes of an array of NumPy's that is dense and that nobody else sees yet, or that the caller gave to be written.
///
/// # Safety
///
/// The array is dense in one of the orders and may be written, and nothing else reads or writes it meanwhile.
#[expect(clippy::mut_from_ref, reason = "the array is a handle; the bytes are elsewhere")]
pub(crate) unsafe fn bytes_mut<'a>(a: &'a Bound<'_, PyUntypedArray>) -> &'a mut [u8] {
    // SAFETY: the array is alive and dense, and the caller answers for the rest.
    unsafe {
        let data = (*a.as_array_ptr()).fields.data.cast::<u8>();
        let length = a.len() * a.dtype().itemsize();
        if length == 0 { &mut [] } else { std::slice::from_raw_parts_mut(data, length) }
    }
}

/// The elements as an array of NumPy's, in C order or in Fortran's. The interpreter goes on with other threads while the
/// host waits.
pub(crate) fn to_numpy<'py>(py: Python<'py>, a: &Array, fortran: bool) -> PyResult<Bound<'py, PyUntypedArray>> {
    let host = numpy_empty(py, a.shape(), a.dtype(), fortran)?;
    // SAFETY: the array is new and dense.
    let bytes = unsafe { bytes_mut(&host) };
    read(py, a, fortran, bytes)?;
    Ok(host)
}

/// Copies the elements into memory of the host.
pub(crate) fn read(py: Python<'_>, a: &Array, fortran: bool, bytes: &mut [u8]) -> PyResult<()> {
    py.detach(|| if fortran { a.t().copy_to_bytes(bytes) } else { a.copy_to_bytes(bytes) }).or_raise()
}

/// A number of Python's own; nothing of anything else. A number of NumPy's is none, though some are made of Python's.
pub(crate) fn python_number(object: &Bound<'_, PyAny>) -> PyResult<Option<Scalar>> {
    if object.is_exact_instance_of::<PyFloat>() {
        return Ok(Some(Scalar::Float(float(object))));
    }
    if object.is_exact_instance_of::<PyInt>() {
        return integer(object).map(Some);
    }
    if object.is_exact_instance_of::<PyBool>() {
        return Ok(Some(Scalar::Bool(object.is_truthy()?)));
    }
    if object.is_exact_instance_of::<PyComplex>() {
        return Ok(Some(Scalar::Complex(complex(object))));
    }
    Ok(None)
}

fn float(object: &Bound<'_, PyAny>) -> f64 {
    // SAFETY: the object is alive; of a float the call cannot fail.
    unsafe { ffi::PyFloat_AsDouble(object.as_ptr()) }
}

fn complex(object: &Bound<'_, PyAny>) -> Complex64 {
    // SAFETY: the object is alive; of a complex number the calls cannot fail.
    unsafe {
        Complex64::new(ffi::PyComplex_RealAsDouble(object.as_ptr()), ffi::PyComplex_ImagAsDouble(object.as_ptr()))
    }
}

fn integer(object: &Bound<'_, PyAny>) -> PyResult<Scalar> {
    if let Ok(i) = object.extract::<i64>() {
        return Ok(Scalar::Int(i.into()));
    }
    match object.extract::<i128>() {
        Ok(i) => Ok(Scalar::Int(i)),
        Err(e) if e.is_instance_of::<PyOverflowError>(object.py()) => Err(PyOverflowError::new_err(format!(
            "the integer {} has more than 128 bits, and is taken by no array: give it as a float",
            digits(object)?
        ))),
        Err(e) => Err(e),
    }
}

/// An integer as errors tell it: of a long one the first digits. Python does not write one of thousands.
fn digits(object: &Bound<'_, PyAny>) -> PyResult<String> {
    let bits: usize = object.call_method0("bit_length")?.extract()?;
    Ok(if bits <= 1024 { object.to_string() } else { format!("of {bits} bits") })
}

/// An integer of Python's that has more than 128 bits.
pub(crate) fn is_huge(object: &Bound<'_, PyAny>) -> bool {
    object.is_instance_of::<PyInt>()
        && object.extract::<i128>().is_err_and(|e| e.is_instance_of::<PyOverflowError>(object.py()))
}

/// A number of NumPy's, with its dtype: one of its scalars, or an array of its own without axes. Next to arrays it counts as an
/// array without axes does.
pub(crate) fn numpy_number(object: &Bound<'_, PyAny>) -> PyResult<Option<(DType, Scalar)>> {
    let no_axes = object.cast::<PyUntypedArray>().is_ok_and(|a| a.ndim() == 0);
    if !no_axes && !is_numpy_scalar(object)? {
        return Ok(None);
    }
    let py = object.py();
    let descr = object.getattr(pyo3::intern!(py, "dtype"))?.cast_into::<PyArrayDescr>()?;
    let dtype = native_dtype(&descr)?;
    let value = object.call_method0(pyo3::intern!(py, "item"))?;
    match number(&value)? {
        Some(scalar) => Ok(Some((dtype, scalar))),
        None => Ok(Some((dtype, Scalar::Float(value.extract()?)))),
    }
}

/// Whether it is one of NumPy's scalars.
pub(crate) fn is_numpy_scalar(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    static GENERIC: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    object.is_instance(GENERIC.import(object.py(), "numpy", "generic")?)
}

/// Whether it is what NumPy's functions give on for an argument that nobody gave.
pub(crate) fn is_no_value(object: &Bound<'_, PyAny>) -> bool {
    static NO_VALUE: PyOnceLock<Option<Py<PyAny>>> = PyOnceLock::new();
    let py = object.py();
    let found = || py.import("numpy").and_then(|numpy| numpy.getattr("_NoValue")).ok().map(Bound::unbind);
    NO_VALUE.get_or_init(py, found).as_ref().is_some_and(|none| object.is(none))
}

/// A number of Python's, or of a class made of one: a boolean, an integer, a float, a complex.
pub(crate) fn number(object: &Bound<'_, PyAny>) -> PyResult<Option<Scalar>> {
    if let Some(scalar) = python_number(object)? {
        return Ok(Some(scalar));
    }
    if object.is_instance_of::<PyInt>() {
        return integer(object).map(Some);
    }
    if object.is_instance_of::<PyFloat>() {
        return Ok(Some(Scalar::Float(float(object))));
    }
    if object.is_instance_of::<PyComplex>() {
        return Ok(Some(Scalar::Complex(complex(object))));
    }
    Ok(None)
}

/// An operand as it was given.
pub(crate) enum Given<'py> {
    /// An array of ours.
    Array(Bound<'py, NdArray>),
    /// A number that takes the dtype of what stands beside it.
    Weak(Scalar),
    /// A number that has a dtype of its own.
    Strong(DType, Scalar),
    /// What was made of one of these.
    Made(Array),
    /// An integer of Python's with more than 128 bits, which is a number once it is known what stands beside it.
    Huge(Bound<'py, PyAny>),
}

impl Given<'_> {
    /// The operand, once it is settled.
    pub(crate) fn operand(&self) -> Operand<'_> {
        match self {
            Given::Array(a) => Operand::Array(a.get().array()),
            Given::Weak(s) | Given::Strong(_, s) => Operand::Scalar(*s),
            Given::Made(a) => Operand::Array(a),
            // Of those that `settle` has not seen yet the size is all that matters.
            Given::Huge(_) => Operand::Scalar(Scalar::Int(i128::MAX)),
        }
    }
}

/// The operand that an object is; nothing where it is none. NumPy's arrays with axes are none.
pub(crate) fn given<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Given<'py>>> {
    given_number(object, |object| integer(object).map(Given::Weak))
}

/// The same of a function of elements, beside whose other operands an integer of any size may be a number.
pub(crate) fn given_of_any_size<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Given<'py>>> {
    given_number(object, |object| match integer(object) {
        Err(_) if is_huge(object) => Ok(Given::Huge(object.clone())),
        integer => integer.map(Given::Weak),
    })
}

/// The operand of a ufunc or of an operator that an object is; nothing where it is none. An array of NumPy's with axes raises, so
/// that nothing large is copied to the device unseen, and so does a string, which Python would repeat or concatenate.
pub(crate) fn operand<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Given<'py>>> {
    // An array of dates or of structures has operators of its own.
    if object.is_instance_of::<crate::nonnumeric::NonNumeric>() {
        return Ok(None);
    }
    if let Some(given) = given_of_any_size(object)? {
        return Ok(Some(given));
    }
    if is_sequence(object) {
        return as_array(object, None).map(|a| Some(Given::Made(a)));
    }
    if object.is_instance_of::<PyUntypedArray>() || is_text(object) {
        return Err(unsupported(object));
    }
    // A range or a deque; a class with a protocol of its own is asked by Python.
    let own_protocol = || object.getattr_opt(pyo3::intern!(object.py(), "__array_ufunc__"));
    if object.cast::<PySequence>().is_ok() && own_protocol()?.is_none() {
        return as_array(object, None).map(|a| Some(Given::Made(a)));
    }
    Ok(None)
}

/// Tests for a string or bytes.
pub(crate) fn is_text(object: &Bound<'_, PyAny>) -> bool {
    object.is_instance_of::<PyString>() || object.is_instance_of::<PyBytes>() || object.is_instance_of::<PyByteArray>()
}

fn given_number<'py>(
    object: &Bound<'py, PyAny>,
    integer: impl Fn(&Bound<'py, PyAny>) -> PyResult<Given<'py>>,
) -> PyResult<Option<Given<'py>>> {
    if let Ok(a) = object.cast::<NdArray>() {
        crate::nonnumeric::reject(object)?;
        return Ok(Some(Given::Array(a.clone())));
    }
    if object.is_exact_instance_of::<PyInt>() {
        return integer(object).map(Some);
    }
    if let Some(s) = python_number(object)? {
        return Ok(Some(Given::Weak(s)));
    }
    if let Some((dtype, s)) = numpy_number(object)? {
        return Ok(Some(Given::Strong(dtype, s)));
    }
    if object.is_instance_of::<PyInt>() {
        return integer(object).map(Some);
    }
    if let Some(s) = number(object)? {
        return Ok(Some(Given::Weak(s)));
    }
    Ok(crate::interop::imported(object)?.map(Given::Made))
}

/// Makes arrays of the numbers that have a dtype of their own, but where that changes nothing: in a call of a ufunc without options
/// (`plain`), next to an array of a dtype to which it is promoted, a number may as well take that one. `function` is whose operands they
/// are, `also` the dtype of an array that is given next to them and is none.
pub(crate) fn settle(function: &str, operands: &mut [Given<'_>], also: Option<DType>, plain: bool) -> PyResult<()> {
    if !operands.iter().any(|o| matches!(o, Given::Strong(..) | Given::Huge(_))) {
        return Ok(());
    }
    let beside = operands.iter().filter_map(|o| match o.operand() {
        Operand::Array(a) => Some(a.dtype()),
        Operand::Scalar(_) => None,
    });
    let beside = beside.reduce(promote_types);
    let numbers = operands.iter().filter_map(|o| if let Given::Strong(dtype, _) = o { Some(*dtype) } else { None });
    let all = numbers.chain(beside).chain(also).reduce(promote_types);
    let changes_nothing = |dtype: DType| plain && beside.is_some_and(|beside| promote_types(beside, dtype) == beside);
    for operand in operands {
        match operand {
            Given::Strong(dtype, s) if !changes_nothing(*dtype) => *operand = Given::Made(strong(*dtype, *s)?),
            Given::Huge(object) => *operand = Given::Weak(huge(function, object, all)?),
            _ => {}
        }
    }
    Ok(())
}

/// The number that a function takes in the place of an integer which no integer of the device holds: beside floats, and of
/// functions of floats alone, the float next to it. A comparison asks but on which side of all integers it is.
pub(crate) fn huge(function: &str, object: &Bound<'_, PyAny>, beside: Option<DType>) -> PyResult<Scalar> {
    const BY_VALUE: [&str; 7] = ["equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "clip"];
    // A quotient of integers is made of floats, though its loop takes integers.
    let of_floats = || match function {
        "divide" | "true_divide" => true,
        _ => cuprum::ufunc(function).is_ok_and(|f| !f.types().iter().any(|loops| loops.contains(DType::I64.char()))),
    };
    match beside {
        Some(dtype) if dtype.is_float() || dtype.is_complex() => Ok(Scalar::Float(object.extract()?)),
        Some(_) if of_floats() => Ok(Scalar::Float(object.extract()?)),
        Some(dtype) if dtype.is_integer() && BY_VALUE.contains(&function) => {
            Ok(Scalar::Int(if object.lt(0)? { i128::MIN } else { i128::MAX }))
        }
        Some(dtype) => {
            let said = format!("{function}: the integer {} is out of bounds for {dtype}", digits(object)?);
            Err(PyOverflowError::new_err(said))
        }
        None => integer(object),
    }
}

/// An array without axes.
pub(crate) fn strong(dtype: DType, s: Scalar) -> PyResult<Array> {
    cuprum::full((), s, cuprum::CreationOptions::new().dtype(dtype)).or_raise()
}

/// What is said of an object that is no operand.
pub(crate) fn unsupported(object: &Bound<'_, PyAny>) -> PyErr {
    let class = object.get_type();
    let name = class.fully_qualified_name().map_or_else(|_| class.to_string(), |name| name.to_string());
    let cure = if object.is_instance_of::<PyUntypedArray>() {
        ": its elements are on the host, make an array of it with cuprum.asarray"
    } else {
        ""
    };
    PyTypeError::new_err(format!("Unsupported type <class '{name}'>{cure}"))
}

/// NumPy's parameter `copy`: always, never (`False`) or, with `None`, where it is needed. Anything with a boolean is taken but
/// a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Copying(pub(crate) Option<bool>);

impl<'py> FromPyObject<'_, 'py> for Copying {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Copying> {
        if object.is_instance_of::<PyString>() {
            return value_error(format!(
                "copy is {:?}: it must be True, False or None, and no string",
                object.to_string()
            ));
        }
        if object.is_none() { Ok(Copying(None)) } else { object.is_truthy().map(|copy| Copying(Some(copy))) }
    }
}

/// Numbers of the host as Python has them.
pub(crate) fn scalar_object<'py>(py: Python<'py>, s: Scalar) -> PyResult<Bound<'py, PyAny>> {
    Ok(match s {
        Scalar::Bool(b) => PyBool::new(py, b).to_owned().into_any(),
        Scalar::Int(i) => match i64::try_from(i) {
            Ok(i) => i.into_pyobject(py)?.into_any(),
            Err(_) => i.into_pyobject(py)?.into_any(),
        },
        Scalar::Float(x) => PyFloat::new(py, x).into_any(),
        Scalar::Complex(z) => PyComplex::from_doubles(py, z.re, z.im).into_any(),
    })
}

/// An integer of anything that has `__index__`.
pub(crate) fn index(object: &Bound<'_, PyAny>) -> PyResult<isize> {
    // SAFETY: the object is alive; -1 may be an error, which is looked for.
    let i = unsafe { ffi::PyNumber_AsSsize_t(object.as_ptr(), ffi::PyExc_OverflowError) };
    if i == -1
        && let Some(e) = PyErr::take(object.py())
    {
        return Err(e);
    }
    Ok(i)
}

/// The integer of an object; one of too many bits is the bound of `isize` that it exceeds.
pub(crate) fn saturating_index(object: &Bound<'_, PyAny>) -> PyResult<isize> {
    match index(object) {
        Err(e) if e.is_instance_of::<PyOverflowError>(object.py()) => {
            Ok(if object.lt(0)? { isize::MIN } else { isize::MAX })
        }
        found => found,
    }
}

/// The lengths of a shape. A boolean is none, as in NumPy.
pub(crate) fn lengths(object: &Bound<'_, PyAny>) -> PyResult<SmallVec<[isize; 8]>> {
    let rejected = || type_error("integers are expected, not booleans");
    if object.is_instance_of::<PyBool>() {
        return rejected();
    }
    if let Ok(tuple) = object.cast::<PyTuple>() {
        if tuple.iter_borrowed().any(|item| item.is_instance_of::<PyBool>()) {
            return rejected();
        }
    } else if let Ok(list) = object.cast::<PyList>()
        && list.iter().any(|item| item.is_instance_of::<PyBool>())
    {
        return rejected();
    }
    integers(object)
}

/// Integers of one, of a sequence of them or of an array.
pub(crate) fn integers(object: &Bound<'_, PyAny>) -> PyResult<SmallVec<[isize; 8]>> {
    if let Ok(tuple) = object.cast::<PyTuple>() {
        return tuple.iter_borrowed().map(|item| index(&item)).collect();
    }
    if object.is_instance_of::<PyInt>() {
        return Ok(smallvec::smallvec![index(object)?]);
    }
    // An array without axes is a number, and iterates not.
    if let Some(a) = array_of(object)
        && a.ndim() == 0
    {
        return Ok(smallvec::smallvec![index(object)?]);
    }
    match object.try_iter() {
        Ok(items) => items.map(|item| index(&item?)).collect(),
        Err(_) => match index(object) {
            Ok(one) => Ok(smallvec::smallvec![one]),
            Err(e) if e.is_instance_of::<PyOverflowError>(object.py()) => Err(e),
            Err(_) => type_error(format!("an integer or integers are expected, not {}", object.get_type().name()?)),
        },
    }
}
