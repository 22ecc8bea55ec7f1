//! Conversion of arrays and scalars between Python and the library: the only file that converts either.
//!
//! | from | to | by |
//! |---|---|---|
//! | `Array` | `cuprum.ndarray` | [`wrap`], [`wrap_view`] |
//! | `cuprum.ndarray` | `&Array` | [`array_of`] |
//! | anything `numpy.asarray` takes, our arrays among it | `Array` | [`as_array`], [`upload`] |
//! | `Array` | `numpy.ndarray` | [`to_numpy`] |
//! | a Python or NumPy scalar | `Scalar` | [`python_number`], [`numpy_number`] |
//! | an operand of a function | [`PassedOperand`] | [`given`], [`settle`] |
//!
//! Host objects that are accepted:
//!
//! | object | ufuncs and operators | other functions, indices, assigned values |
//! |---|---|---|
//! | Python and NumPy scalars, NumPy arrays without axes | as scalars | as scalars |
//! | lists and tuples | as arrays: [`operand`] | as arrays: [`as_array`] |
//! | NumPy arrays with axes | `TypeError`: [`unsupported`] | copied to the device: [`as_array`] |
//! | outputs | `TypeError` | `TypeError` |

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

/// Creates a `cuprum.ndarray`.
pub(crate) fn wrap(py: Python<'_>, a: Array) -> PyResult<Bound<'_, NdArray>> {
    Bound::new(py, NdArray::new(a, None))
}

/// Creates a `cuprum.ndarray` that shares its elements with another: that one, or its base, is its `base`.
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

/// Returns the array of a `cuprum.ndarray`; `None` if its dtype is not numeric.
pub(crate) fn array_of<'a>(object: &'a Bound<'_, PyAny>) -> Option<&'a Array> {
    object.cast::<NdArray>().ok().map(Bound::get).filter(|a| !a.is_nonnumeric()).map(NdArray::array)
}

/// Converts an object to a NumPy array; `dtype` and `order` are NumPy's.
pub(crate) fn numpy_array<'py>(
    object: &Bound<'py, PyAny>,
    dtype: Option<DType>,
) -> PyResult<Bound<'py, PyUntypedArray>> {
    let py = object.py();
    let descr = match dtype {
        Some(dtype) => dtypes::object(py, dtype)?.clone().into_ptr(),
        None => std::ptr::null_mut(),
    };
    // SAFETY: the object is alive, the function takes over the reference to the descriptor, and a null one is allowed.
    let made = unsafe {
        let array = PY_ARRAY_API.PyArray_FromAny(py, object.as_ptr(), descr.cast(), 0, 0, 0, std::ptr::null_mut());
        Bound::from_owned_ptr_or_err(py, array)?
    };
    Ok(made.cast_into::<PyUntypedArray>()?)
}

/// Converts to an array in C order, native and aligned; copies if necessary.
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

/// Returns the bytes of a NumPy array that is contiguous in one of the two orders.
fn bytes<'a>(a: &'a Bound<'_, PyUntypedArray>) -> &'a [u8] {
    // SAFETY: the array is alive and contiguous, so its elements are `len` times `itemsize` bytes from `data` on.
    unsafe {
        let data = (*a.as_array_ptr()).fields.data.cast::<u8>();
        let length = a.len() * a.dtype().itemsize();
        if length == 0 { &[] } else { std::slice::from_raw_parts(data, length) }
    }
}

/// Number of bytes from which on a copy releases the GIL.
const WORTH_WAITING: usize = 1 << 18;

/// Creates an array from host bytes.
fn sent(py: Python<'_>, bytes: &[u8], shape: &[usize], dtype: DType) -> PyResult<Array> {
    if bytes.len() < WORTH_WAITING {
        return Array::from_bytes(bytes, shape, dtype).or_raise();
    }
    py.detach(|| Array::from_bytes(bytes, shape, dtype)).or_raise()
}

/// Copies a NumPy array to the current device, in its memory order if `keep_order` is set.
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
        // The axes from the slowest to the fastest, as in a copy with order K.
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

/// Returns the dtype of elements in foreign byte order, which are swapped when they are uploaded.
fn native_dtype(descr: &Bound<'_, PyArrayDescr>) -> PyResult<DType> {
    if descr.byteorder() == b'>' {
        return dtypes::of(&descr.call_method1("newbyteorder", ("=",))?);
    }
    dtypes::of_descr(descr)
}

/// Converts an object to an array: arrays of the package, NumPy arrays, scalars, and nested sequences of these.
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
    // NumPy raises for a list with arrays of the package, and creates object arrays from those of other libraries.
    let host = match numpy_array(object, dtype.filter(|dtype| *dtype != DType::BF16)) {
        // Objects with a dtype, such as memory views, are cast like arrays. A scalar has to fit.
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

/// Returns true for an object that NumPy converts to an array, other than lists, scalars and strings.
fn is_array_like(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(!is_sequence(object) && !is_text(object) && number(object)?.is_none())
}

/// Returns true for a list or a tuple.
pub(crate) fn is_sequence(object: &Bound<'_, PyAny>) -> bool {
    object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>()
}

/// Rejects lists that are nested deeper than an array has axes: a list that contains itself would not terminate.
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

/// Converts a list of indices to an array: an empty one is an array of integers.
pub(crate) fn index_array(list: &Bound<'_, PyAny>) -> PyResult<Array> {
    let a = as_array(list, None)?;
    if a.is_empty() { a.astype(DType::I64).or_raise() } else { Ok(a) }
}

/// Stacks a nested list with device arrays on the device: in C order, as a list has no order of its own, with the dtype
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

/// Creates an uninitialised NumPy array.
pub(crate) fn numpy_empty<'py>(
    py: Python<'py>,
    shape: &[usize],
    dtype: DType,
    fortran: bool,
) -> PyResult<Bound<'py, PyUntypedArray>> {
    let mut dims: SmallVec<[npyffi::npy_intp; 8]> = shape.iter().map(|n| *n as npyffi::npy_intp).collect();
    let descr = dtypes::object(py, dtype)?.clone().into_ptr();
    // SAFETY: the number of lengths is that of `shape`, and the function takes over the reference to the descriptor.
    let made = unsafe {
        let (rank, dims) = (dims.len() as c_int, dims.as_mut_ptr());
        Bound::from_owned_ptr_or_err(
            py,
            PY_ARRAY_API.PyArray_Empty(py, rank, dims, descr.cast(), c_int::from(fortran)),
        )?
    };
    Ok(made.cast_into::<PyUntypedArray>()?)
}

/// Returns the bytes of a contiguous NumPy array that is not shared yet, or that the caller passed as a destination.
///
/// # Safety
///
/// The array is contiguous in one of the orders and writable, and is not accessed elsewhere during the borrow.
#[expect(clippy::mut_from_ref, reason = "the array is a handle; the bytes are elsewhere")]
pub(crate) unsafe fn bytes_mut<'a>(a: &'a Bound<'_, PyUntypedArray>) -> &'a mut [u8] {
    // SAFETY: the array is alive and contiguous, and the caller guarantees the rest.
    unsafe {
        let data = (*a.as_array_ptr()).fields.data.cast::<u8>();
        let length = a.len() * a.dtype().itemsize();
        if length == 0 { &mut [] } else { std::slice::from_raw_parts_mut(data, length) }
    }
}

/// Copies the elements to a NumPy array, in C or Fortran order. The GIL is released while the host waits.
pub(crate) fn to_numpy<'py>(py: Python<'py>, a: &Array, fortran: bool) -> PyResult<Bound<'py, PyUntypedArray>> {
    let host = numpy_empty(py, a.shape(), a.dtype(), fortran)?;
    // SAFETY: the array is new and contiguous.
    let bytes = unsafe { bytes_mut(&host) };
    read(py, a, fortran, bytes)?;
    Ok(host)
}

/// Copies the elements to host memory.
pub(crate) fn read(py: Python<'_>, a: &Array, fortran: bool, bytes: &mut [u8]) -> PyResult<()> {
    py.detach(|| if fortran { a.t().copy_to_bytes(bytes) } else { a.copy_to_bytes(bytes) }).or_raise()
}

/// Converts a Python scalar; `None` for anything else. NumPy scalars are not accepted, though some are subclasses of
/// Python's.
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
    // SAFETY: the object is alive; for a float the call cannot fail.
    unsafe { ffi::PyFloat_AsDouble(object.as_ptr()) }
}

fn complex(object: &Bound<'_, PyAny>) -> Complex64 {
    // SAFETY: the object is alive; for a complex number the calls cannot fail.
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

/// Formats an integer for error messages: the first digits of a long one. Python does not format thousands of digits.
fn digits(object: &Bound<'_, PyAny>) -> PyResult<String> {
    let bits: usize = object.call_method0("bit_length")?.extract()?;
    Ok(if bits <= 1024 { object.to_string() } else { format!("of {bits} bits") })
}

/// Returns true for a Python integer of more than 128 bits.
pub(crate) fn is_huge(object: &Bound<'_, PyAny>) -> bool {
    object.is_instance_of::<PyInt>()
        && object.extract::<i128>().is_err_and(|e| e.is_instance_of::<PyOverflowError>(object.py()))
}

/// Converts a NumPy scalar, or a NumPy array without axes, with its dtype. Next to arrays it counts like an array
/// without axes.
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

/// Returns true for a NumPy scalar.
pub(crate) fn is_numpy_scalar(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    static GENERIC: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    object.is_instance(GENERIC.import(object.py(), "numpy", "generic")?)
}

/// Returns true for NumPy's placeholder of an omitted argument (`numpy._NoValue`).
pub(crate) fn is_no_value(object: &Bound<'_, PyAny>) -> bool {
    static NO_VALUE: PyOnceLock<Option<Py<PyAny>>> = PyOnceLock::new();
    let py = object.py();
    let found = || py.import("numpy").and_then(|numpy| numpy.getattr("_NoValue")).ok().map(Bound::unbind);
    NO_VALUE.get_or_init(py, found).as_ref().is_some_and(|none| object.is(none))
}

/// Converts a Python scalar, or an object of a subclass: a boolean, an integer, a float, a complex.
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

/// An operand as it was passed.
pub(crate) enum PassedOperand<'py> {
    /// An array of the package.
    Array(Bound<'py, NdArray>),
    /// A weak scalar, which takes the dtype of the other operands.
    Weak(Scalar),
    /// A scalar with a dtype of its own.
    Strong(DType, Scalar),
    /// An array that was created from one of these.
    Made(Array),
    /// A Python integer of more than 128 bits, which is converted once the other operands are known.
    Huge(Bound<'py, PyAny>),
}

impl PassedOperand<'_> {
    /// Returns the operand, after [`settle`].
    pub(crate) fn operand(&self) -> Operand<'_> {
        match self {
            PassedOperand::Array(a) => Operand::Array(a.get().array()),
            PassedOperand::Weak(s) | PassedOperand::Strong(_, s) => Operand::Scalar(*s),
            PassedOperand::Made(a) => Operand::Array(a),
            // For integers that `settle` has not converted yet only the size matters.
            PassedOperand::Huge(_) => Operand::Scalar(Scalar::Int(i128::MAX)),
        }
    }
}

/// Converts an object to an operand; `None` if it is none. NumPy arrays with axes are none.
pub(crate) fn given<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<PassedOperand<'py>>> {
    given_number(object, |object| integer(object).map(PassedOperand::Weak))
}

/// Converts an object to an operand of an elementwise function, for which an integer may have any size.
pub(crate) fn given_of_any_size<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<PassedOperand<'py>>> {
    given_number(object, |object| match integer(object) {
        Err(_) if is_huge(object) => Ok(PassedOperand::Huge(object.clone())),
        integer => integer.map(PassedOperand::Weak),
    })
}

/// Converts an object to an operand of a ufunc or of an operator; `None` if it is none. A NumPy array with axes raises,
/// so that nothing large is copied to the device implicitly, and so does a string, which Python would repeat or
/// concatenate.
pub(crate) fn operand<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<PassedOperand<'py>>> {
    // An array of dates or of structures has operators of its own.
    if object.is_instance_of::<crate::nonnumeric::NonNumeric>() {
        return Ok(None);
    }
    if let Some(given) = given_of_any_size(object)? {
        return Ok(Some(given));
    }
    if is_sequence(object) {
        return as_array(object, None).map(|a| Some(PassedOperand::Made(a)));
    }
    if object.is_instance_of::<PyUntypedArray>() || is_text(object) {
        return Err(unsupported(object));
    }
    // A range or a deque; a class with a protocol of its own is handled by Python.
    let own_protocol = || object.getattr_opt(pyo3::intern!(object.py(), "__array_ufunc__"));
    if object.cast::<PySequence>().is_ok() && own_protocol()?.is_none() {
        return as_array(object, None).map(|a| Some(PassedOperand::Made(a)));
    }
    Ok(None)
}

/// Returns true for a string or bytes.
pub(crate) fn is_text(object: &Bound<'_, PyAny>) -> bool {
    object.is_instance_of::<PyString>() || object.is_instance_of::<PyBytes>() || object.is_instance_of::<PyByteArray>()
}

fn given_number<'py>(
    object: &Bound<'py, PyAny>,
    integer: impl Fn(&Bound<'py, PyAny>) -> PyResult<PassedOperand<'py>>,
) -> PyResult<Option<PassedOperand<'py>>> {
    if let Ok(a) = object.cast::<NdArray>() {
        crate::nonnumeric::reject(object)?;
        return Ok(Some(PassedOperand::Array(a.clone())));
    }
    if object.is_exact_instance_of::<PyInt>() {
        return integer(object).map(Some);
    }
    if let Some(s) = python_number(object)? {
        return Ok(Some(PassedOperand::Weak(s)));
    }
    if let Some((dtype, s)) = numpy_number(object)? {
        return Ok(Some(PassedOperand::Strong(dtype, s)));
    }
    if object.is_instance_of::<PyInt>() {
        return integer(object).map(Some);
    }
    if let Some(s) = number(object)? {
        return Ok(Some(PassedOperand::Weak(s)));
    }
    Ok(crate::interop::imported(object)?.map(PassedOperand::Made))
}

/// Creates arrays of the scalars that have a dtype of their own, except where that changes nothing: in a call of a
/// ufunc without options (`plain`), next to an array of a dtype to which it is promoted, a scalar takes that dtype.
/// `function` is the function of the operands, `also` the dtype of an additional array.
pub(crate) fn settle(
    function: &str,
    operands: &mut [PassedOperand<'_>],
    also: Option<DType>,
    plain: bool,
) -> PyResult<()> {
    if !operands.iter().any(|o| matches!(o, PassedOperand::Strong(..) | PassedOperand::Huge(_))) {
        return Ok(());
    }
    let beside = operands.iter().filter_map(|o| match o.operand() {
        Operand::Array(a) => Some(a.dtype()),
        Operand::Scalar(_) => None,
    });
    let beside = beside.reduce(promote_types);
    let numbers =
        operands.iter().filter_map(|o| if let PassedOperand::Strong(dtype, _) = o { Some(*dtype) } else { None });
    let all = numbers.chain(beside).chain(also).reduce(promote_types);
    let changes_nothing = |dtype: DType| plain && beside.is_some_and(|beside| promote_types(beside, dtype) == beside);
    for operand in operands {
        match operand {
            PassedOperand::Strong(dtype, s) if !changes_nothing(*dtype) => {
                *operand = PassedOperand::Made(strong(*dtype, *s)?)
            }
            PassedOperand::Huge(object) => *operand = PassedOperand::Weak(huge(function, object, all)?),
            _ => {}
        }
    }
    Ok(())
}

/// Returns the scalar that replaces an integer beyond all integer dtypes: next to floats, and in functions of floats,
/// the nearest float. A comparison only depends on the side of all integers on which it is.
pub(crate) fn huge(function: &str, object: &Bound<'_, PyAny>, beside: Option<DType>) -> PyResult<Scalar> {
    const BY_VALUE: [&str; 7] = ["equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "clip"];
    // A quotient of integers is computed in floats, though its loop takes integers.
    let of_floats = || match function {
        "divide" | "true_divide" => true,
        _ => cuprum::Ufunc::named(function)
            .is_some_and(|f| !f.types().iter().any(|loops| loops.contains(DType::I64.char()))),
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

/// Creates an array without axes.
pub(crate) fn strong(dtype: DType, s: Scalar) -> PyResult<Array> {
    cuprum::full((), s, cuprum::CreationOptions::new().dtype(dtype)).or_raise()
}

/// Returns the error for an object that is no operand.
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

/// NumPy's parameter `copy`: always, never (`False`) or, with `None`, if necessary. Anything with a boolean value is
/// accepted except a string.
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

/// Converts a host scalar to a Python object.
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

/// Converts an object with `__index__` to an integer.
pub(crate) fn index(object: &Bound<'_, PyAny>) -> PyResult<isize> {
    // SAFETY: the object is alive; -1 may be an error, which is checked.
    let i = unsafe { ffi::PyNumber_AsSsize_t(object.as_ptr(), ffi::PyExc_OverflowError) };
    if i == -1
        && let Some(e) = PyErr::take(object.py())
    {
        return Err(e);
    }
    Ok(i)
}

/// Converts an object to an integer; one of too many bits is the bound of `isize` that it exceeds.
pub(crate) fn saturating_index(object: &Bound<'_, PyAny>) -> PyResult<isize> {
    match index(object) {
        Err(e) if e.is_instance_of::<PyOverflowError>(object.py()) => {
            Ok(if object.lt(0)? { isize::MIN } else { isize::MAX })
        }
        found => found,
    }
}

/// Reads the lengths of a shape. A boolean is rejected, as in NumPy.
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

/// Reads integers from an integer, a sequence of them or an array.
pub(crate) fn integers(object: &Bound<'_, PyAny>) -> PyResult<SmallVec<[isize; 8]>> {
    if let Ok(tuple) = object.cast::<PyTuple>() {
        return tuple.iter_borrowed().map(|item| index(&item)).collect();
    }
    if object.is_instance_of::<PyInt>() {
        return Ok(smallvec::smallvec![index(object)?]);
    }
    // An array without axes is a scalar, and cannot be iterated.
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
