//! `cuprum.ndarray`: the Python class of arrays.

use std::ptr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicPtr, Ordering};

use cuprum::{Array, CreationOptions, DType, Order};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyType};

use crate::convert::{self, wrap_view};
use crate::dtypes;
use crate::errors::{OrRaise, type_error, value_error};
use crate::memory::{Flags, MemoryPointer};

/// A multi-dimensional array on a GPU, or on the simulator where there is none.
#[pyclass(name = "ndarray", module = "cuprum", subclass, weakref, frozen)]
pub(crate) struct NdArray {
    made: Array,
    /// The array that replaced this one when a shape or strides were set; previous ones live as long as the object, so
    /// that no reference becomes dangling.
    later: AtomicPtr<Later>,
    base: Option<Py<NdArray>>,
    /// True for an array of a non-numeric dtype, which numeric functions reject; it holds the bytes of the elements.
    nonnumeric: bool,
}

struct Later {
    array: Array,
    earlier: *mut Later,
}

impl NdArray {
    pub(crate) fn new(made: Array, base: Option<Py<NdArray>>) -> NdArray {
        NdArray { made, later: AtomicPtr::new(ptr::null_mut()), base, nonnumeric: false }
    }

    /// Creates an array of the bytes of elements of a non-numeric dtype, those of an element along the last axis.
    pub(crate) fn of_bytes(made: Array, base: Option<Py<NdArray>>) -> NdArray {
        NdArray { made, later: AtomicPtr::new(ptr::null_mut()), base, nonnumeric: true }
    }

    /// Returns true for a non-numeric dtype.
    pub(crate) fn is_nonnumeric(&self) -> bool {
        self.nonnumeric
    }

    /// Returns the array.
    pub(crate) fn array(&self) -> &Array {
        // SAFETY: the stored pointer is valid as long as `self`.
        match unsafe { self.later.load(Ordering::Acquire).as_ref() } {
            None => &self.made,
            Some(later) => &later.array,
        }
    }

    /// Returns the array of which this one is a view.
    pub(crate) fn base(&self) -> Option<&Py<NdArray>> {
        self.base.as_ref()
    }

    /// Replaces the array.
    fn replace(&self, array: Array) {
        let new = Box::into_raw(Box::new(Later { array, earlier: ptr::null_mut() }));
        let mut earlier = self.later.load(Ordering::Acquire);
        loop {
            // SAFETY: the new object is not shared yet.
            unsafe { (*new).earlier = earlier };
            match self.later.compare_exchange(earlier, new, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return,
                Err(now) => earlier = now,
            }
        }
    }
}

impl Drop for NdArray {
    fn drop(&mut self) {
        let mut at = *self.later.get_mut();
        while !at.is_null() {
            // SAFETY: each was created by `Box::into_raw`, and no reference to the array remains.
            at = unsafe { Box::from_raw(at) }.earlier;
        }
    }
}

/// The argument for the creation of a subclass: an existing array, passed to `ndarray.__new__` in place of a shape.
#[pyclass(frozen)]
pub(crate) struct ExistingArray(Mutex<Option<(Array, Option<Py<NdArray>>)>>);

/// Creates a view as an object of a subclass, which is notified by `__array_finalize__`.
pub(crate) fn view_as<'py>(
    of: &Bound<'py, NdArray>,
    a: Array,
    class: &Bound<'py, PyType>,
) -> PyResult<Bound<'py, NdArray>> {
    let py = of.py();
    let base = of.get().base().map_or_else(|| of.clone().unbind(), |base| base.clone_ref(py));
    let handed = Bound::new(py, ExistingArray(Mutex::new(Some((a, Some(base))))))?;
    let new = py.get_type::<NdArray>().call_method1("__new__", (class, handed))?;
    finalize(&new, of.as_any())?;
    Ok(new.cast_into::<NdArray>()?)
}

fn finalize(new: &Bound<'_, PyAny>, of: &Bound<'_, PyAny>) -> PyResult<()> {
    if let Some(finalize) = new.getattr_opt("__array_finalize__")?
        && !finalize.is_none()
    {
        finalize.call1((of,))?;
    }
    Ok(())
}

/// Parses a memory order; `None` is the default.
pub(crate) fn order(letter: Option<&str>, default: Order) -> PyResult<Order> {
    match letter {
        None => Ok(default),
        Some("C" | "c") => Ok(Order::C),
        Some("F" | "f") => Ok(Order::F),
        Some("A" | "a") => Ok(Order::A),
        Some("K" | "k") => Ok(Order::K),
        Some(other) => value_error(format!("order must be one of 'C', 'F', 'A', or 'K' (got '{other}')")),
    }
}

/// Returns true if the elements are to be laid out in Fortran order.
pub(crate) fn wants_fortran(a: &Array, order: Order) -> bool {
    match order {
        Order::F => true,
        Order::C => false,
        Order::A | Order::K => a.is_f_contiguous() && !a.is_c_contiguous(),
    }
}

#[pymethods]
impl NdArray {
    #[new]
    #[pyo3(signature = (shape, dtype=None, memptr=None, strides=None, order=None))]
    fn create(
        shape: &Bound<'_, PyAny>,
        dtype: Option<&Bound<'_, PyAny>>,
        memptr: Option<&Bound<'_, PyAny>>,
        strides: Option<&Bound<'_, PyAny>>,
        order: Option<&str>,
    ) -> PyResult<NdArray> {
        if let Ok(handed) = shape.cast::<ExistingArray>() {
            let taken = handed.get().0.lock().ok().and_then(|mut handed| handed.take());
            return match taken {
                Some((a, base)) => Ok(NdArray::new(a, base)),
                None => type_error("the array was handed over before"),
            };
        }
        let dtype = dtypes::optional(dtype)
            .map_err(|e| crate::nonnumeric::with_cure(shape.py(), e, "ndarray", "create it with cuprum.empty"))?
            .unwrap_or(DType::F64);
        let shape = convert::lengths(shape)?;
        // CuPy accepts these words, too.
        let letter = order.map(|order| match order {
            "" | "CONTIGUOUS" => "C",
            "FORTRAN" => "F",
            other => other,
        });
        let order = self::order(letter, Order::C)?;
        if memptr.is_some_and(|m| !m.is_none()) {
            return crate::memory::of_pointer(memptr, &shape, dtype, strides, order);
        }
        let made = cuprum::empty(&shape[..], CreationOptions::new().dtype(dtype).order(order)).or_raise()?;
        match strides.filter(|s| !s.is_none()) {
            None => Ok(NdArray::new(made, None)),
            Some(strides) => {
                let strides: Vec<i64> = strides.extract()?;
                Ok(NdArray::new(made.as_strided(&shape[..], &strides).or_raise()?, None))
            }
        }
    }

    /// Initialises a subclass, whose `__array_finalize__` is called for new arrays, too.
    #[pyo3(signature = (*_args, **_kwargs))]
    fn __init__(
        slf: &Bound<'_, Self>,
        _args: &Bound<'_, PyTuple>,
        _kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        if slf.is_exact_instance_of::<NdArray>() {
            return Ok(());
        }
        finalize(slf.as_any(), slf.py().None().bind(slf.py()))
    }

    /// Called for an array of a subclass that is created from another one; does nothing here.
    fn __array_finalize__(&self, _of: &Bound<'_, PyAny>) {}

    /// The dtype of the elements.
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(dtypes::object(py, self.array().dtype())?.clone().into_any())
    }

    /// The lengths of the axes.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.array().shape())
    }

    #[setter]
    fn set_shape(&self, shape: &Bound<'_, PyAny>) -> PyResult<()> {
        let (a, shape) = (self.array(), convert::lengths(shape)?);
        let reshaped = a.reshape_in(&shape[..], Order::C).or_raise()?;
        if reshaped.size() > 0 && !reshaped.shares_allocation(a) {
            return Err(pyo3::exceptions::PyAttributeError::new_err("incompatible shape for a non-contiguous array"));
        }
        self.replace(reshaped);
        Ok(())
    }

    /// The distances in bytes between consecutive elements along each axis.
    #[getter]
    fn strides<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.array().strides())
    }

    /// The number of axes.
    #[getter]
    fn ndim(&self) -> usize {
        self.array().ndim()
    }

    /// The number of elements.
    #[getter]
    fn size(&self) -> usize {
        self.array().size()
    }

    /// The number of bytes of one element.
    #[getter]
    fn itemsize(&self) -> usize {
        self.array().itemsize()
    }

    /// The number of bytes of all elements.
    #[getter]
    fn nbytes(&self) -> usize {
        self.array().nbytes()
    }

    /// The array of which this one is a view; `None` if it owns its elements.
    #[getter(base)]
    fn base_object<'py>(&self, py: Python<'py>) -> Option<Bound<'py, NdArray>> {
        self.base.as_ref().map(|base| base.bind(py).clone())
    }

    /// The memory layout flags.
    #[getter]
    fn flags(&self) -> Flags {
        let a = self.array();
        Flags {
            c_contiguous: a.is_c_contiguous(),
            f_contiguous: a.is_f_contiguous(),
            owndata: self.base.is_none(),
            writeable: a.is_writable(),
        }
    }

    /// A pointer to the elements in device memory.
    #[getter]
    fn data(slf: &Bound<'_, Self>) -> PyResult<MemoryPointer> {
        MemoryPointer::of(slf.py(), slf.get().array())
    }

    /// The transposed array: the axes in reverse order.
    #[getter(T)]
    fn transposed<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, NdArray>> {
        wrap_view(slf, slf.get().array().t())
    }

    /// The array with its last two axes exchanged.
    #[getter(mT)]
    fn matrix_transposed<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, NdArray>> {
        let a = slf.get().array();
        if a.ndim() < 2 {
            return value_error("matrix transpose with ndim < 2 is undefined");
        }
        wrap_view(slf, a.swapaxes(-1isize, -2isize).or_raise()?)
    }

    /// The real parts: a view.
    #[getter]
    fn real<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, NdArray>> {
        if !slf.get().array().dtype().is_complex() {
            return Ok(slf.clone());
        }
        wrap_view(slf, slf.get().array().real())
    }

    #[setter]
    fn set_real(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        crate::indexing::fill(&self.array().real(), value)
    }

    /// The imaginary parts: a view for complex dtypes, zeros for others.
    #[getter]
    fn imag<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, NdArray>> {
        let a = slf.get().array();
        if a.dtype().is_complex() {
            return wrap_view(slf, a.imag().or_raise()?);
        }
        // NumPy's zeros are a separate array that cannot be written to.
        let zeros = cuprum::zeros_like(a, CreationOptions::new().order(Order::A)).or_raise()?;
        convert::wrap(slf.py(), zeros.read_only())
    }

    #[setter]
    fn set_imag(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let a = self.array();
        if !a.dtype().is_complex() {
            return type_error("cannot set imag of an array of real numbers");
        }
        crate::indexing::fill(&a.imag().or_raise()?, value)
    }

    /// Copies the array to the host and returns a NumPy array.
    #[pyo3(signature = (stream=None, order=None, out=None, blocking=true))]
    fn get<'py>(
        slf: &Bound<'py, Self>,
        stream: Option<&Bound<'py, PyAny>>,
        order: Option<&str>,
        out: Option<&Bound<'py, PyAny>>,
        blocking: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let _ = blocking;
        crate::transfer::get(slf.get().array(), slf.py(), stream, order, out)
    }

    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__(&self, dtype: Option<&Bound<'_, PyAny>>, copy: Option<bool>) -> PyResult<()> {
        let _ = (dtype, copy);
        type_error(
            "Implicit conversion to a NumPy array is not allowed: the elements are on the device. \
             Use the method get() or cuprum.asnumpy() to copy them to the host",
        )
    }

    #[classmethod]
    fn __class_getitem__<'py>(class: &Bound<'py, PyType>, item: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        class.py().import("types")?.getattr("GenericAlias")?.call1((class, item))
    }
}
