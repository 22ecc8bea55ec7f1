//! Methods of arrays that change shape, dtype or order, or copy the elements.

use cuprum::{Array, Casting, DType, Order};
use numpy::PyUntypedArray;
use pyo3::exceptions::PyNotImplementedError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyType};
use smallvec::SmallVec;

use crate::array::{NdArray, order as order_of};
use crate::convert::{self, Copying, wrap, wrap_view};
use crate::dtypes;
use crate::errors::{OrRaise, type_error, value_error};

/// Reads integers of arguments: `f(1, 2)`, `f((1, 2))`, `f([1, 2])`.
fn several(arguments: &Bound<'_, PyTuple>) -> PyResult<SmallVec<[isize; 8]>> {
    match arguments.len() {
        1 => convert::lengths(&arguments.get_item(0)?),
        _ => convert::lengths(arguments.as_any()),
    }
}

/// Returns the result as a view if it shares the elements of the array, else as a new array.
pub(crate) fn shown<'py>(of: &Bound<'py, NdArray>, a: Array) -> PyResult<Bound<'py, NdArray>> {
    if a.shares_allocation(of.get().array()) { wrap_view(of, a) } else { wrap(of.py(), a) }
}

/// Reshapes the array; `copy` is NumPy's.
pub(crate) fn reshaped<'py>(
    of: &Bound<'py, NdArray>,
    shape: &[isize],
    order: Order,
    copy: Option<bool>,
) -> PyResult<Bound<'py, NdArray>> {
    let a = of.get().array();
    let order = if order == Order::K { return value_error("order 'K' is not permitted for reshaping") } else { order };
    let made = a.reshape_in(shape, order).or_raise()?;
    match copy {
        Some(true) if made.size() > 0 && made.shares_allocation(a) => wrap(of.py(), made.copy(order).or_raise()?),
        Some(false) if made.size() > 0 && !made.shares_allocation(a) => {
            value_error("Unable to avoid creating a copy while reshaping.")
        }
        _ => shown(of, made),
    }
}

/// Returns the elements in one axis, contiguous: a view of an array that is.
pub(crate) fn ravelled<'py>(of: &Bound<'py, NdArray>, order: Order) -> PyResult<Bound<'py, NdArray>> {
    shown(of, of.get().array().ravel_in(order).or_raise()?)
}

pub(crate) fn casting_of(name: Option<&str>) -> PyResult<Casting> {
    Ok(match name {
        None | Some("unsafe") => Casting::Unsafe,
        Some("no") => Casting::No,
        Some("equiv") => Casting::Equiv,
        Some("safe") => Casting::Safe,
        Some("same_kind") => Casting::SameKind,
        Some(other) => {
            return value_error(format!(
                "casting must be one of 'no', 'equiv', 'safe', 'same_kind', or 'unsafe' (got '{other}')"
            ));
        }
    })
}

#[pymethods]
impl NdArray {
    /// Returns the elements in another shape: a view if possible.
    #[pyo3(signature = (*shape, order="C", copy=None))]
    fn reshape<'py>(
        slf: &Bound<'py, Self>,
        shape: &Bound<'py, PyTuple>,
        order: Option<&str>,
        copy: Option<Copying>,
    ) -> PyResult<Bound<'py, NdArray>> {
        if shape.is_empty() {
            return type_error("reshape() takes exactly 1 argument (0 given)");
        }
        reshaped(slf, &several(shape)?, order_of(order, Order::C)?, copy.and_then(|Copying(copy)| copy))
    }

    /// Permutes the axes, by default in reverse: a view.
    #[pyo3(signature = (*axes))]
    fn transpose<'py>(slf: &Bound<'py, Self>, axes: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, NdArray>> {
        let a = slf.get().array();
        if axes.is_empty() || (axes.len() == 1 && axes.get_item(0)?.is_none()) {
            return wrap_view(slf, a.t());
        }
        wrap_view(slf, a.transpose(&several(axes)?[..]).or_raise()?)
    }

    /// Returns the elements in one axis: a view if possible.
    #[pyo3(signature = (order="C"))]
    fn ravel<'py>(slf: &Bound<'py, Self>, order: Option<&str>) -> PyResult<Bound<'py, NdArray>> {
        ravelled(slf, order_of(order, Order::C)?)
    }

    /// Returns a copy of the elements in one axis.
    #[pyo3(signature = (order="C"))]
    fn flatten<'py>(slf: &Bound<'py, Self>, order: Option<&str>) -> PyResult<Bound<'py, NdArray>> {
        let a = slf.get().array();
        let flat = a.ravel_in(order_of(order, Order::C)?).or_raise()?;
        wrap(slf.py(), if flat.shares_allocation(a) { flat.copy(Order::C).or_raise()? } else { flat })
    }

    /// Casts the elements to another dtype.
    #[pyo3(signature = (dtype, order="K", casting=None, subok=None, copy=true))]
    fn astype<'py>(
        slf: &Bound<'py, Self>,
        dtype: &Bound<'py, PyAny>,
        order: Option<&str>,
        casting: Option<&str>,
        subok: Option<bool>,
        copy: bool,
    ) -> PyResult<Bound<'py, NdArray>> {
        let _ = subok;
        let to = match dtypes::of(dtype) {
            Ok(to) => to,
            Err(e) => return crate::nonnumeric::method_instead(slf, "astype", dtype, e),
        };
        let (a, dtype, order) = (slf.get().array(), to, order_of(order, Order::K)?);
        if !cuprum::can_cast(a.dtype(), dtype, casting_of(casting)?) {
            let rule = casting.unwrap_or_default();
            return type_error(format!(
                "Cannot cast array data from {} to {dtype} according to the rule '{rule}'",
                a.dtype()
            ));
        }
        crate::warnings::complex_to_real(slf.py(), a.dtype(), dtype)?;
        if a.dtype() == dtype {
            let in_order = match order {
                Order::C => a.is_c_contiguous(),
                Order::F => a.is_f_contiguous(),
                Order::A | Order::K => true,
            };
            if !copy && in_order {
                return Ok(slf.clone());
            }
            return wrap(slf.py(), a.copy(order).or_raise()?);
        }
        let made = a.astype(dtype).or_raise()?;
        let in_order = match order {
            Order::C => made.is_c_contiguous(),
            Order::F => made.is_f_contiguous(),
            Order::A => made.is_c_contiguous() || made.is_f_contiguous(),
            Order::K => true,
        };
        wrap(slf.py(), if in_order { made } else { made.copy(order).or_raise()? })
    }

    /// Returns a copy on the current device.
    #[pyo3(signature = (order="C"))]
    fn copy<'py>(slf: &Bound<'py, Self>, order: Option<&str>) -> PyResult<Bound<'py, NdArray>> {
        let (a, order) = (slf.get().array(), order_of(order, Order::C)?);
        match crate::creation::on_current_device(a)? {
            // A moved array is contiguous.
            Some(moved) if matches!(order, Order::C) => wrap(slf.py(), moved),
            Some(moved) => wrap(slf.py(), moved.copy(order).or_raise()?),
            None => wrap(slf.py(), a.copy(order).or_raise()?),
        }
    }

    fn __copy__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, NdArray>> {
        wrap(slf.py(), slf.get().array().copy(Order::K).or_raise()?)
    }

    fn __deepcopy__<'py>(slf: &Bound<'py, Self>, _memo: &Bound<'py, PyAny>) -> PyResult<Bound<'py, NdArray>> {
        wrap(slf.py(), slf.get().array().copy(Order::K).or_raise()?)
    }

    /// Returns a view of the same bytes with another dtype, or the same array as another class.
    #[pyo3(signature = (dtype=None, r#type=None))]
    fn view<'py>(
        slf: &Bound<'py, Self>,
        dtype: Option<&Bound<'py, PyAny>>,
        r#type: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, NdArray>> {
        let mut class = r#type.filter(|t| !t.is_none()).cloned();
        let mut dtype = dtype.filter(|d| !d.is_none()).cloned();
        // NumPy accepts an array class as the first argument, too.
        if let Some(given) = &dtype
            && let Ok(given) = given.cast::<PyType>()
            && (given.is_subclass_of::<NdArray>()? || given.is_subclass_of::<PyUntypedArray>()?)
        {
            class = dtype.take();
        }
        let class = match class {
            None => None,
            Some(class) => match class.cast_into::<PyType>() {
                Ok(class) if class.is_subclass_of::<NdArray>()? => Some(class),
                _ => return value_error("view: type must be cuprum.ndarray or a subclass of it"),
            },
        };
        let a = match &dtype {
            Some(dtype) => match dtypes::of(dtype) {
                Ok(dtype) => slf.get().array().view(dtype).or_raise()?,
                Err(e) => return crate::nonnumeric::method_instead(slf, "view", dtype, e),
            },
            None => slf.get().array().clone(),
        };
        match class {
            Some(class) => crate::array::view_as(slf, a, &class),
            None => wrap_view(slf, a),
        }
    }

    /// Reverses the bytes of each element.
    #[pyo3(signature = (inplace=false))]
    fn byteswap<'py>(slf: &Bound<'py, Self>, inplace: bool) -> PyResult<Bound<'py, NdArray>> {
        let a = slf.get().array();
        let word = if a.dtype().is_complex() { a.itemsize() / 2 } else { a.itemsize() };
        let dense = a.copy(Order::C).or_raise()?.reshape(-1isize).or_raise()?;
        let bytes = dense.view(DType::U8).or_raise()?.reshape([dense.nbytes() / word, word]).or_raise()?;
        let reversed =
            bytes.index([cuprum::Index::Ellipsis, cuprum::Slice { start: None, stop: None, step: Some(-1) }.into()]);
        let reversed = reversed.and_then(|t| t.copy(Order::C)).and_then(|t| t.reshape(-1isize)).or_raise()?;
        let made = reversed.view(a.dtype()).and_then(|t| t.reshape(a.shape())).or_raise()?;
        if inplace {
            a.assign(&made).or_raise()?;
            return Ok(slf.clone());
        }
        wrap(slf.py(), made)
    }

    /// Returns a view in which mergeable axes are merged, and those of length 1 removed.
    #[pyo3(signature = (dtype=None))]
    fn reduced_view<'py>(slf: &Bound<'py, Self>, dtype: Option<&Bound<'py, PyAny>>) -> PyResult<Bound<'py, NdArray>> {
        let _ = dtype;
        let a = slf.get().array();
        if a.ndim() <= 1 {
            return Ok(slf.clone());
        }
        let (mut shape, mut last): (Vec<usize>, Option<i64>) = (vec![], None);
        for (n, stride) in a.shape().iter().zip(a.strides()).filter(|(n, _)| **n != 1) {
            match (shape.last_mut(), last) {
                (Some(outer), Some(outer_stride)) if outer_stride == stride * *n as i64 => *outer *= n,
                _ => shape.push(*n),
            }
            last = Some(*stride);
        }
        if shape.is_empty() {
            shape.push(a.size());
        }
        if a.size() == 0 {
            shape = vec![0];
        }
        shown(slf, a.reshape(&shape[..]).or_raise()?)
    }

    /// Sorts the elements along an axis, in place.
    #[pyo3(signature = (axis=-1, kind=None, order=None, *, stable=None))]
    fn sort(
        slf: &Bound<'_, Self>,
        axis: isize,
        kind: Option<&str>,
        order: Option<&str>,
        stable: Option<bool>,
    ) -> PyResult<()> {
        let _ = stable;
        if order.is_some() {
            return value_error("Cannot specify order when the array has no fields.");
        }
        if kind.is_some_and(|kind| !["quicksort", "heapsort", "mergesort", "stable"].contains(&kind)) {
            return value_error("sort kind must be one of 'quick', 'heap', or 'stable'");
        }
        let a = slf.get().array();
        slf.py().detach(|| a.sort(axis)).or_raise()
    }

    /// Partitions in place: the elements at `kth` are those of a sorted array, with smaller ones before and larger ones
    /// after.
    #[pyo3(signature = (kth, axis=-1, kind="introselect", order=None))]
    fn partition(
        slf: &Bound<'_, Self>,
        kth: &Bound<'_, PyAny>,
        axis: isize,
        kind: &str,
        order: Option<&str>,
    ) -> PyResult<()> {
        if kind != "introselect" {
            return crate::errors::value_error(format!("partition: kind is {kind:?}: introselect is the only one"));
        }
        if let Some(order) = order {
            let said = format!("partition: order is {order:?}, and there are no fields here");
            return Err(pyo3::exceptions::PyNotImplementedError::new_err(said));
        }
        let (a, kth) = (slf.get().array(), convert::integers(kth)?);
        slf.py().detach(|| a.partition(&kth[..], axis)).or_raise()
    }

    /// Clips the elements to an interval.
    #[pyo3(signature = (min=None, max=None, out=None, **kwargs))]
    fn clip<'py>(
        slf: &Bound<'py, Self>,
        min: Option<&Bound<'py, PyAny>>,
        max: Option<&Bound<'py, PyAny>>,
        out: Option<&Bound<'py, PyAny>>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        crate::functions::call(py, "clip", (slf, min, max, out), kwargs)
    }

    /// Selects the parts along an axis for which the condition is true.
    #[pyo3(signature = (condition, axis=None, out=None))]
    fn compress<'py>(
        slf: &Bound<'py, Self>,
        condition: &Bound<'py, PyAny>,
        axis: Option<&Bound<'py, PyAny>>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        crate::functions::call(slf.py(), "compress", (condition, slf, axis, out), None)
    }

    /// Returns the complex conjugates; for real dtypes the array itself.
    #[pyo3(signature = (out=None))]
    fn conj<'py>(slf: &Bound<'py, Self>, out: Option<&Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
        if out.is_none_or(|out| out.is_none()) && !slf.get().array().dtype().is_complex() {
            return Ok(slf.clone().into_any());
        }
        crate::functions::call(slf.py(), "conjugate", (slf, out), None)
    }

    /// Returns the complex conjugates; for real dtypes the array itself.
    #[pyo3(signature = (out=None))]
    fn conjugate<'py>(slf: &Bound<'py, Self>, out: Option<&Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
        Self::conj(slf, out)
    }

    /// Not implemented: kernels do not take C++ `mdspan` parameters.
    #[pyo3(signature = (*, index_type=None, allow_unsafe=false))]
    fn mdspan(&self, index_type: Option<&Bound<'_, PyAny>>, allow_unsafe: bool) -> PyResult<()> {
        let _ = (index_type, allow_unsafe);
        Err(PyNotImplementedError::new_err("ndarray.mdspan: give the array itself to a kernel"))
    }
}
