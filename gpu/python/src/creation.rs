//! Creation of arrays from Python objects, and conversion back.

use cuprum::cuda::Device;
use cuprum::{Array, DType, Order, Scalar};
use numpy::PyUntypedArrayMethods;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::array::{NdArray, order as order_of};
use crate::convert::{self, Copying, array_of, wrap};
use crate::dtypes;
use crate::errors::{OrRaise, value_error};

/// Returns an array in a memory order: itself if it has the order.
fn ordered(a: Array, order: Order) -> PyResult<Array> {
    match order {
        Order::C if !a.is_c_contiguous() => a.copy(Order::C).or_raise(),
        Order::F if !a.is_f_contiguous() => a.copy(Order::F).or_raise(),
        _ => Ok(a),
    }
}

/// Creates an array from an object, with NumPy's `order` and `copy`.
fn new_array(object: &Bound<'_, PyAny>, dtype: Option<DType>, order: Order, copy: Option<bool>) -> PyResult<Array> {
    let shown = match array_of(object) {
        Some(a) => Some(a.clone()),
        // Device memory of another library is not copied.
        None => crate::interop::imported(object)?,
    };
    let Some(a) = shown else {
        if copy == Some(false) {
            return Err(copied());
        }
        let new = convert::as_array(object, dtype)?;
        // A new array that is contiguous in both orders has the strides of the requested one.
        return match order {
            Order::F if new.is_c_contiguous() && new.is_f_contiguous() && !new.is_empty() => {
                new.reshape(-1isize).and_then(|flat| flat.reshape_in(new.shape(), Order::F)).or_raise()
            }
            _ => ordered(new, order),
        };
    };
    let (a, copy) = match on_current_device(&a)? {
        Some(_) if copy == Some(false) => return Err(copied()),
        Some(moved) => (moved, None),
        None => (a, copy),
    };
    let cast = dtype.filter(|dtype| *dtype != a.dtype());
    if let Some(dtype) = cast {
        if copy == Some(false) {
            return Err(copied());
        }
        crate::warnings::complex_to_real(object.py(), a.dtype(), dtype)?;
        return ordered(a.astype(dtype).or_raise()?, order);
    }
    if copy == Some(true) {
        return a.copy(order).or_raise();
    }
    let found = ordered(a.clone(), order)?;
    if copy == Some(false) && !found.is_empty() && !found.shares_allocation(&a) { Err(copied()) } else { Ok(found) }
}

/// Returns a copy on the current device of an array of another device, as CuPy does; `None` for an array of this one.
pub(crate) fn on_current_device(a: &Array) -> PyResult<Option<Array>> {
    let current = Device::current().or_raise()?;
    if a.device() == current { Ok(None) } else { a.to_device(current).or_raise().map(Some) }
}

fn copied() -> PyErr {
    pyo3::exceptions::PyValueError::new_err(
        "copy is False, and the array cannot be made without a copy: leave copy at None to copy where it is needed",
    )
}

fn with_axes(a: Array, ndmin: usize) -> PyResult<Array> {
    if a.ndim() >= ndmin {
        return Ok(a);
    }
    let shape: Vec<usize> = std::iter::repeat_n(1, ndmin - a.ndim()).chain(a.shape().iter().copied()).collect();
    a.reshape(&shape[..]).or_raise()
}

/// Creates an array of the current device from scalars, nested sequences of them, or arrays.
#[expect(clippy::too_many_arguments, reason = "NumPy's parameters")]
#[pyfunction]
#[pyo3(
    signature = (object=None, dtype=None, copy=Some(Copying(Some(true))), order="K", subok=false, ndmin=0, *, ndmax=0, blocking=false, obj=None),
    text_signature = "(object, dtype=None, copy=True, order='K', subok=False, ndmin=0, *, ndmax=0, blocking=False)"
)]
fn array<'py>(
    py: Python<'py>,
    object: Option<&Bound<'py, PyAny>>,
    dtype: Option<&Bound<'py, PyAny>>,
    copy: Option<Copying>,
    order: Option<&str>,
    subok: bool,
    ndmin: usize,
    ndmax: usize,
    blocking: bool,
    obj: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, NdArray>> {
    let _ = (subok, blocking);
    // CuPy's name of the first parameter.
    let none = py.None().into_bound(py);
    let object = object.or(obj).unwrap_or(&none);
    if ndmax != 0 {
        return Err(pyo3::exceptions::PyNotImplementedError::new_err(
            "array: the parameter `ndmax` is not supported: it makes arrays of objects",
        ));
    }
    let (dtype, order) = (dtypes::optional(dtype)?, order_of(order, Order::K)?);
    let copy = copy.and_then(|Copying(copy)| copy);
    let a = with_axes(new_array(object, dtype, order, copy)?, ndmin)?;
    itself(object, a)
}

/// Returns the object if it is exactly this array, else a new one.
fn itself<'py>(object: &Bound<'py, PyAny>, a: Array) -> PyResult<Bound<'py, NdArray>> {
    if let Ok(of) = object.cast::<NdArray>() {
        let whole = of.get().array();
        if a.is_same_view(whole) {
            return Ok(of.clone());
        }
        if a.shares_allocation(whole) {
            return convert::wrap_view(of, a);
        }
        if a.size() == 0 && whole.shape() == a.shape() && whole.dtype() == a.dtype() {
            return Ok(of.clone());
        }
    }
    wrap(object.py(), a)
}

/// Converts the object to an array of the current device; returns it unchanged if it is one.
#[pyfunction]
#[pyo3(signature = (a, dtype=None, order=None, *, copy=None, device=None, blocking=false))]
pub(crate) fn asarray<'py>(
    a: &Bound<'py, PyAny>,
    dtype: Option<&Bound<'py, PyAny>>,
    order: Option<&str>,
    copy: Option<Copying>,
    device: Option<&Bound<'py, PyAny>>,
    blocking: bool,
) -> PyResult<Bound<'py, NdArray>> {
    if device.is_some_and(|d| !d.is_none()) {
        return crate::transfer::on_device(a.py(), device, || asarray(a, dtype, order, copy, None, true));
    }
    // The host's elements are always copied before the call returns.
    let _ = blocking;
    let copy = copy.and_then(|Copying(copy)| copy);
    itself(a, new_array(a, dtypes::optional(dtype)?, order_of(order, Order::K)?, copy)?)
}

/// Converts the object to an array; returns it unchanged if it is one.
#[pyfunction]
#[pyo3(signature = (a, dtype=None, order=None, *, copy=None, device=None, blocking=false))]
fn asanyarray<'py>(
    a: &Bound<'py, PyAny>,
    dtype: Option<&Bound<'py, PyAny>>,
    order: Option<&str>,
    copy: Option<Copying>,
    device: Option<&Bound<'py, PyAny>>,
    blocking: bool,
) -> PyResult<Bound<'py, NdArray>> {
    asarray(a, dtype, order, copy, device, blocking)
}

/// Copies the elements to the host and returns a NumPy array.
#[pyfunction]
#[pyo3(signature = (a, stream=None, order="C", out=None, *, blocking=true))]
fn asnumpy<'py>(
    a: &Bound<'py, PyAny>,
    stream: Option<&Bound<'py, PyAny>>,
    order: Option<&str>,
    out: Option<&Bound<'py, PyAny>>,
    blocking: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let _ = blocking;
    let py = a.py();
    if let Some(a) = array_of(a) {
        return crate::transfer::get(a, py, stream, order, out);
    }
    if let Some(a) = crate::interop::imported(a)? {
        return crate::transfer::get(&a, py, stream, order, out);
    }
    let host = py.import("numpy")?.call_method1("asarray", (a, py.None(), order))?;
    match out.filter(|o| !o.is_none()) {
        Some(out) => {
            out.set_item(py.Ellipsis(), host)?;
            Ok(out.clone())
        }
        None => Ok(host),
    }
}

/// Returns evenly spaced numbers: `arange(stop)`, `arange(start, stop)`, `arange(start, stop, step)`.
#[pyfunction]
#[pyo3(signature = (start=None, stop=None, step=None, dtype=None, *, device=None))]
fn arange<'py>(
    py: Python<'py>,
    start: Option<&Bound<'py, PyAny>>,
    stop: Option<&Bound<'py, PyAny>>,
    step: Option<&Bound<'py, PyAny>>,
    dtype: Option<&Bound<'py, PyAny>>,
    device: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, NdArray>> {
    if device.is_some_and(|d| !d.is_none()) {
        return crate::transfer::on_device(py, device, || arange(py, start, stop, step, dtype, None));
    }
    let dtype = dtypes::optional(dtype)?;
    // For NumPy scalars only the kind counts, as for Python's.
    let number = |object: &Bound<'py, PyAny>| -> PyResult<Scalar> {
        if let Some(s) = convert::python_number(object)? {
            return Ok(s);
        }
        if let Some((_, s)) = convert::numpy_number(object)? {
            return Ok(s);
        }
        match convert::number(object)? {
            Some(s) => Ok(s),
            None => match array_of(object) {
                Some(a) => a.to_scalar().or_raise(),
                None => Err(convert::unsupported(object)),
            },
        }
    };
    let given = |o: Option<&Bound<'py, PyAny>>| o.filter(|o| !o.is_none()).cloned();
    let step = given(step).map(|o| number(&o)).transpose()?;
    let (first, last) = match (given(start), given(stop)) {
        (Some(start), Some(stop)) => (number(&start)?, number(&stop)?),
        (Some(only), None) | (None, Some(only)) => (Scalar::Int(0), number(&only)?),
        (None, None) => return crate::errors::type_error("arange() requires stop to be specified."),
    };
    let step = step.unwrap_or(Scalar::Int(1));
    let record = cuprum::table::find("numpy.arange").or_raise()?;
    let mut arguments = cuprum::table::Arguments::new([first.into(), last.into(), step.into()]);
    if let Some(dtype) = dtype {
        arguments = arguments.with("dtype", dtype);
    }
    let made = record.call(&arguments).or_raise()?;
    wrap(py, made[0].array().or_raise()?.clone())
}

/// Returns a new array filled with a value, which may be an array that is broadcast.
#[pyfunction]
#[pyo3(signature = (shape, fill_value, dtype=None, order="C", *, device=None))]
fn full<'py>(
    shape: &Bound<'py, PyAny>,
    fill_value: &Bound<'py, PyAny>,
    dtype: Option<&Bound<'py, PyAny>>,
    order: Option<&str>,
    device: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, NdArray>> {
    if device.is_some_and(|d| !d.is_none()) {
        return crate::transfer::on_device(shape.py(), device, || full(shape, fill_value, dtype, order, None));
    }
    let shape = convert::lengths(shape)?;
    let dtype = match dtypes::optional(dtype)? {
        Some(dtype) => dtype,
        None => match (array_of(fill_value), convert::number(fill_value)?) {
            (Some(a), _) => a.dtype(),
            (None, Some(Scalar::Bool(_))) => DType::Bool,
            (None, Some(Scalar::Int(i))) => {
                if i > i64::MAX.into() {
                    DType::U64
                } else {
                    DType::I64
                }
            }
            (None, Some(Scalar::Complex(_))) => DType::C128,
            (None, Some(Scalar::Float(_))) if !convert::is_numpy_scalar(fill_value)? => DType::F64,
            _ => dtypes::of_descr(&convert::numpy_array(fill_value, None)?.dtype())?,
        },
    };
    let options = cuprum::CreationOptions::new().dtype(dtype).order(order_of(order, Order::C)?);
    let out = cuprum::empty(&shape[..], options).or_raise()?;
    crate::indexing::fill(&out, fill_value)?;
    wrap(fill_value.py(), out)
}

/// Returns `cuprum` if one of the arguments is an array of the package, else `numpy`.
#[pyfunction]
#[pyo3(signature = (*args))]
fn get_array_module<'py>(args: &Bound<'py, pyo3::types::PyTuple>) -> PyResult<Bound<'py, PyAny>> {
    let py = args.py();
    let ours = |object: &Bound<'py, PyAny>| -> PyResult<bool> {
        Ok(crate::nonnumeric::memory_of(object).is_some() || object.hasattr("_cuprum_array_")?)
    };
    for object in args.iter_borrowed() {
        if ours(&object)? {
            return Ok(py.import("cuprum")?.into_any());
        }
    }
    Ok(py.import("numpy")?.into_any())
}

/// Returns the number of axes.
#[pyfunction]
fn ndim(a: &Bound<'_, PyAny>) -> PyResult<usize> {
    match array_of(a) {
        Some(a) => Ok(a.ndim()),
        None => Ok(convert::numpy_array(a, None)?.ndim()),
    }
}

/// Returns the lengths of the axes.
#[pyfunction]
fn shape<'py>(a: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    match array_of(a) {
        Some(_) => a.getattr("shape"),
        None => convert::numpy_array(a, None)?.getattr("shape"),
    }
}

/// Returns the number of elements, or of those along axes.
#[pyfunction]
#[pyo3(signature = (a, axis=None))]
fn size(a: &Bound<'_, PyAny>, axis: Option<&Bound<'_, PyAny>>) -> PyResult<usize> {
    let host;
    let lengths: &[usize] = match array_of(a) {
        Some(a) => a.shape(),
        None => {
            host = convert::numpy_array(a, None)?;
            host.shape()
        }
    };
    let Some(axes) = axis.filter(|axis| !axis.is_none()) else { return Ok(lengths.iter().product()) };
    let (mut size, mut counted) = (1, smallvec::SmallVec::<[usize; 8]>::new());
    for axis in convert::integers(axes)? {
        let at = if axis < 0 { axis + lengths.len() as isize } else { axis };
        let Some(at) = usize::try_from(at).ok().filter(|at| *at < lengths.len()) else {
            return Err(crate::errors::exception(&cuprum::Error::new(
                cuprum::ErrorKind::Axis,
                format!("size: axis {axis} is out of bounds for array of dimension {}", lengths.len()),
            )));
        };
        if counted.contains(&at) {
            return value_error(format!("size: axis {axis} is given twice"));
        }
        counted.push(at);
        size *= lengths[at];
    }
    Ok(size)
}

/// Returns true if the object is a scalar or a string, and no array.
#[pyfunction]
fn isscalar(element: &Bound<'_, PyAny>) -> PyResult<bool> {
    if array_of(element).is_some() {
        return Ok(false);
    }
    element.py().import("numpy")?.call_method1("isscalar", (element,))?.extract()
}

/// Returns true if both may share memory; decided by their extents.
#[pyfunction]
#[pyo3(signature = (a, b, max_work=None))]
fn may_share_memory(a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>, max_work: Option<&Bound<'_, PyAny>>) -> bool {
    let _ = max_work;
    match (crate::nonnumeric::memory_of(a), crate::nonnumeric::memory_of(b)) {
        (Some(a), Some(b)) => a.may_share_memory(b),
        _ => false,
    }
}

/// Adds the functions of this file, by their names.
pub(crate) fn add(module: &Bound<'_, PyModule>, names: &Bound<'_, PyDict>) -> PyResult<()> {
    macro_rules! all {
        ($($function:ident),+ $(,)?) => {
            [$(wrap_pyfunction!($function, module)?),+]
        };
    }
    let functions = all![
        array,
        asarray,
        asanyarray,
        asnumpy,
        arange,
        full,
        get_array_module,
        ndim,
        shape,
        size,
        isscalar,
        may_share_memory,
    ];
    for function in functions {
        names.set_item(function.getattr("__name__")?, &function)?;
    }
    Ok(())
}
