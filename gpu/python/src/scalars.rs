//! Conversion of arrays to host scalars, strings, bytes and sequences.

use std::path::PathBuf;

use cuprum::{Array, DType, Order, Scalar, TofileOptions};
use pyo3::basic::CompareOp;
use pyo3::exceptions::{PyIndexError, PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use smallvec::SmallVec;

use crate::array::{NdArray, order as order_of, wants_fortran};
use crate::convert::{self, scalar_object, wrap_view};
use crate::errors::{OrRaise, type_error, value_error};

/// Returns the only element.
fn only(py: Python<'_>, a: &Array) -> PyResult<Scalar> {
    if a.ndim() > 0 {
        return type_error("only 0-dimensional arrays can be converted to Python scalars");
    }
    py.detach(|| a.to_scalar()).or_raise()
}

#[pymethods]
impl NdArray {
    fn __bool__(&self, py: Python<'_>) -> PyResult<bool> {
        let a = self.array();
        if a.size() != 1 {
            return value_error(match a.size() {
                0 => {
                    "The truth value of an empty array is ambiguous. Use `array.size > 0` to check that an array is not empty."
                }
                _ => "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()",
            });
        }
        Ok(match py.detach(|| a.to_scalar()).or_raise()? {
            Scalar::Bool(b) => b,
            Scalar::Int(i) => i != 0,
            Scalar::Float(x) => x != 0.0,
            Scalar::Complex(z) => z.re != 0.0 || z.im != 0.0,
        })
    }

    fn __int__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let value = only(py, self.array())?;
        if let Scalar::Complex(_) = value {
            return type_error("int() argument must be a real number: take the real part first");
        }
        scalar_object(py, value)?.call_method0("__int__")
    }

    fn __float__(&self, py: Python<'_>) -> PyResult<f64> {
        match only(py, self.array())? {
            Scalar::Bool(b) => Ok(b.into()),
            Scalar::Int(i) => Ok(i as f64),
            Scalar::Float(x) => Ok(x),
            Scalar::Complex(_) => type_error("float() argument must be a real number: take the real part first"),
        }
    }

    fn __complex__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let value = only(py, self.array())?;
        py.get_type::<pyo3::types::PyComplex>().call1((scalar_object(py, value)?,))
    }

    fn __index__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let a = self.array();
        if a.ndim() != 0 || !a.dtype().is_integer() {
            return type_error("only integer scalar arrays can be converted to a scalar index");
        }
        scalar_object(py, only(py, a)?)
    }

    fn __len__(&self) -> PyResult<usize> {
        match self.array().shape() {
            [] => type_error("len() of unsized object"),
            [n, ..] => Ok(*n),
        }
    }

    fn __iter__(slf: &Bound<'_, Self>) -> PyResult<Items> {
        if slf.get().array().ndim() == 0 {
            return type_error("iteration over a 0-d array");
        }
        Ok(Items { of: slf.clone().unbind(), at: 0.into() })
    }

    fn __reversed__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, pyo3::types::PyIterator>> {
        let a = slf.get().array();
        if a.ndim() == 0 {
            return type_error("len() of unsized object");
        }
        let backwards = cuprum::Slice { step: Some(-1), ..cuprum::Slice::default() };
        wrap_view(slf, a.index([cuprum::Index::Slice(backwards)]).or_raise()?)?.as_any().try_iter()
    }

    fn __contains__(slf: &Bound<'_, Self>, value: &Bound<'_, PyAny>) -> PyResult<bool> {
        let equal = slf.as_any().rich_compare(value, pyo3::basic::CompareOp::Eq)?;
        match convert::array_of(&equal) {
            Some(equal) => Ok(cuprum::any(equal, ()).and_then(|any| any.item::<bool>()).or_raise()?),
            None => equal.is_truthy(),
        }
    }

    /// Returns the only element, or the one at an index, as a Python scalar.
    #[pyo3(signature = (*args))]
    fn item<'py>(&self, py: Python<'py>, args: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
        let a = self.array();
        if args.is_empty() {
            if a.size() != 1 {
                return value_error("can only convert an array of size 1 to a Python scalar");
            }
            return scalar_object(py, py.detach(|| a.to_scalar()).or_raise()?);
        }
        let mut indices =
            if args.len() == 1 { convert::integers(&args.get_item(0)?)? } else { convert::integers(args)? };
        if indices.len() == 1 && a.ndim() != 1 {
            // A single index refers to all elements in C order.
            let (n, at) = (a.size() as isize, indices[0]);
            let mut left = if at < 0 { at + n } else { at };
            if left < 0 || left >= n {
                return Err(pyo3::exceptions::PyIndexError::new_err(format!(
                    "index {at} is out of bounds for size {n}"
                )));
            }
            indices = a
                .shape()
                .iter()
                .rev()
                .map(|n| {
                    let digit = left % *n as isize;
                    left /= *n as isize;
                    digit
                })
                .collect();
            indices.reverse();
        }
        if indices.len() != a.ndim() {
            return value_error("incorrect number of indices for array");
        }
        let index: Vec<cuprum::Index> = indices.iter().map(|i| cuprum::Index::At(*i as i64)).collect();
        let one = a.index(&index).or_raise()?;
        scalar_object(py, py.detach(|| one.to_scalar()).or_raise()?)
    }

    /// Returns the elements in nested lists.
    fn tolist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        convert::to_numpy(py, self.array(), false)?.call_method0("tolist")
    }

    /// Returns the bytes of the elements.
    #[pyo3(signature = (order="C"))]
    fn tobytes<'py>(&self, py: Python<'py>, order: Option<&str>) -> PyResult<Bound<'py, PyBytes>> {
        let a = self.array();
        let fortran = wants_fortran(a, order_of(order, Order::C)?);
        let bytes = py.detach(|| if fortran { a.t().to_bytes() } else { a.to_bytes() }).or_raise()?;
        Ok(PyBytes::new(py, &bytes))
    }

    fn __bytes__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.tobytes(py, None)
    }

    /// Writes the elements to a file: a path, or an open file, into which NumPy writes.
    #[pyo3(signature = (fid, sep="", format="%s"))]
    fn tofile(&self, py: Python<'_>, fid: &Bound<'_, PyAny>, sep: &str, format: &str) -> PyResult<()> {
        let path = fid.extract::<PathBuf>().ok();
        // NumPy's error names a folder that does not exist.
        if let Some(path) = path.filter(|path| path.parent().is_some_and(|at| at.as_os_str().is_empty() || at.is_dir()))
        {
            let options = TofileOptions::new().sep(sep);
            let options = if format == "%s" { options } else { options.format(format) };
            return py.detach(|| self.array().tofile(path, options)).or_raise();
        }
        convert::to_numpy(py, self.array(), false)?.call_method1("tofile", (fid, sep, format))?;
        Ok(())
    }

    /// Pickles the array to a file.
    fn dump(slf: &Bound<'_, Self>, file: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = slf.py();
        let pickle = py.import("pickle")?;
        if file.hasattr("write")? {
            pickle.call_method1("dump", (slf, file, -1))?;
            return Ok(());
        }
        let bytes = pickle.call_method1("dumps", (slf, -1))?;
        py.import("pathlib")?.call_method1("Path", (file,))?.call_method1("write_bytes", (bytes,))?;
        Ok(())
    }

    /// Returns the pickled array.
    fn dumps<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("pickle")?.call_method1("dumps", (slf, -1))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let py = slf.py();
        let a = slf.get().array();
        let fortran = wants_fortran(a, Order::A);
        let host = convert::to_numpy(py, a, fortran)?;
        let make = py.import("cuprum")?.getattr("array")?;
        PyTuple::new(py, [make, PyTuple::new(py, [host])?.into_any()])
    }

    fn __sizeof__(&self) -> usize {
        size_of::<NdArray>() + 2 * size_of::<usize>()
    }

    /// Sets all elements to a scalar.
    fn fill(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        match has_axes(value)? {
            Some(true) => value_error("ndarray.fill: the value must be a number or an array without axes"),
            Some(false) => crate::indexing::assign(self.array(), value),
            None => Err(convert::unsupported(value)),
        }
    }

    /// Copies host elements into the array.
    #[pyo3(signature = (arr, stream=None))]
    fn set(&self, arr: &Bound<'_, PyAny>, stream: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let a = self.array();
        let Ok(host) = arr.cast::<numpy::PyUntypedArray>() else {
            return type_error("Only numpy.ndarray can be set to cuprum.ndarray");
        };
        let made = crate::transfer::on_stream(stream, || convert::upload(host, None, true))?;
        if made.dtype() != a.dtype() {
            return type_error(format!("{} array cannot be set to {} array", made.dtype(), a.dtype()));
        }
        if made.shape() != a.shape() {
            return value_error(format!("Shape mismatch. Old shape: {:?}, new shape: {:?}", a.shape(), made.shape()));
        }
        crate::transfer::on_stream(stream, || a.assign(&made.to_device(a.device()).or_raise()?).or_raise())
    }

    /// The struct of the array as a kernel parameter: address, number of elements, shape, strides; 64 bits each.
    #[getter]
    fn cstruct<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let a = self.array();
        let mut words = vec![a.pointer() as i64, a.size() as i64];
        words.extend(a.shape().iter().map(|n| *n as i64).chain(a.strides().iter().copied()));
        let bytes: Vec<u8> = words.into_iter().flat_map(i64::to_le_bytes).collect();
        PyBytes::new(py, &bytes)
    }

    /// A flat iterator over the elements in C order.
    #[getter]
    fn flat(slf: &Bound<'_, Self>) -> FlatIter {
        FlatIter { of: slf.clone().unbind(), at: 0.into() }
    }

    #[setter]
    fn set_flat(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let a = self.array();
        let value = flat_values(value, a.dtype())?.reshape(-1isize).or_raise()?;
        match value.size() {
            0 => Ok(()),
            n if n == a.size() => a.assign(&value.reshape(a.shape()).or_raise()?).or_raise(),
            _ => a.assign(&cuprum::resize(&value, a.shape()).or_raise()?).or_raise(),
        }
    }

    /// The name of the device that holds the elements.
    #[getter]
    fn __array_priority__(&self) -> f64 {
        100.0
    }

    #[classattr]
    fn __hash__() -> Option<Py<PyAny>> {
        None
    }
}

/// An iterator over an array along its first axis.
#[pyclass(module = "cuprum", frozen)]
pub(crate) struct Items {
    of: Py<NdArray>,
    at: std::sync::atomic::AtomicUsize,
}

#[pymethods]
impl Items {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, NdArray>>> {
        let of = self.of.bind(py);
        let a = of.get().array();
        let at = self.at.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        if at >= a.len() {
            return Ok(None);
        }
        wrap_view(of, a.index([cuprum::Index::At(at as i64)]).or_raise()?).map(Some)
    }

    fn __length_hint__(&self) -> usize {
        let at = self.at.load(std::sync::atomic::Ordering::Relaxed);
        self.of.get().array().len().saturating_sub(at)
    }
}

/// A flat iterator over the elements of an array in C order.
#[pyclass(name = "flatiter", module = "cuprum", frozen)]
pub(crate) struct FlatIter {
    of: Py<NdArray>,
    at: std::sync::atomic::AtomicUsize,
}

impl FlatIter {
    /// Returns the elements in one axis: a view if possible, else a copy.
    fn line(&self) -> PyResult<Array> {
        self.of.get().array().reshape(-1isize).or_raise()
    }

    /// Returns a copy of the elements in one axis.
    pub(crate) fn copied(&self) -> PyResult<Array> {
        self.line()?.copy(Order::C).or_raise()
    }

    /// Returns the number of elements that have been iterated.
    fn iterated(&self) -> usize {
        self.at.load(std::sync::atomic::Ordering::Relaxed).min(self.of.get().array().size())
    }

    /// Returns the multi-index of an element.
    fn multi_index(&self, at: usize) -> SmallVec<[i64; 8]> {
        let mut left = at;
        let digit = |n: &usize| {
            let digit = left % n.max(&1);
            left /= n.max(&1);
            digit as i64
        };
        let mut index: SmallVec<[i64; 8]> = self.of.get().array().shape().iter().rev().map(digit).collect();
        index.reverse();
        index
    }

    /// Parses an index of the flat array: one part, which adds no axis.
    fn parts(key: &Bound<'_, PyAny>) -> PyResult<crate::indexing::Parts> {
        let parts = crate::indexing::parts(key)?;
        match &parts[..] {
            parts if parts.iter().any(|part| matches!(part, cuprum::Index::NewAxis)) => Err(PyIndexError::new_err(
                "flat: only integers, slices (`:`), ellipsis (`...`) and integer or boolean arrays are valid indices",
            )),
            [_, _, ..] => Err(PyIndexError::new_err(format!(
                "flat: too many indices: the elements are along one axis, {} were indexed",
                parts.len()
            ))),
            _ => Ok(parts),
        }
    }
}

/// Tests a number, an array or a sequence for axes; `None` for other objects.
fn has_axes(value: &Bound<'_, PyAny>) -> PyResult<Option<bool>> {
    Ok(match convert::given_of_any_size(value)? {
        Some(given) => Some(matches!(given.operand(), cuprum::Operand::Array(a) if a.ndim() > 0)),
        None if value.is_instance_of::<numpy::PyUntypedArray>() || convert::is_sequence(value) => Some(true),
        None => None,
    })
}

/// The values that are assigned to the elements of a flat iterator: Python's numbers must fit in the dtype, elements of arrays are cast.
fn flat_values(value: &Bound<'_, PyAny>, dtype: DType) -> PyResult<Array> {
    let is_converted = convert::is_sequence(value) || convert::python_number(value)?.is_some();
    let values = convert::as_array(value, is_converted.then_some(dtype))?;
    crate::warnings::complex_to_real(value.py(), values.dtype(), dtype)?;
    Ok(values)
}

/// Sets the element of a flat iterator at an integer. Every value that is not one number of the dtype raises a ValueError.
fn set_item(line: &Array, parts: &[cuprum::Index], value: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = value.py();
    if value.is_instance_of::<FlatIter>() || has_axes(value)?.unwrap_or_default() {
        return value_error("flat: a single element cannot be set to a sequence: index a slice");
    }
    crate::indexing::set(line, parts, value).map_err(|e| {
        let is_no_number = e.is_instance_of::<PyTypeError>(py) || e.is_instance_of::<PyOverflowError>(py);
        if is_no_number { PyValueError::new_err(format!("flat: {}", e.value(py))) } else { e }
    })
}

#[pymethods]
impl FlatIter {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, NdArray>>> {
        let a = self.of.get().array();
        let at = self.at.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        if at >= a.size() {
            return Ok(None);
        }
        let index: Vec<cuprum::Index> = self.multi_index(at).into_iter().map(cuprum::Index::At).collect();
        wrap_view(self.of.bind(py), a.index(&index).or_raise()?).map(Some)
    }

    fn __len__(&self) -> usize {
        self.of.get().array().size()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, NdArray>> {
        let parts = FlatIter::parts(key)?;
        let found = self.line()?.index(&parts[..]).or_raise()?;
        // NumPy's flat iterator returns copies.
        convert::wrap(py, found.copy(Order::C).or_raise()?)
    }

    fn __setitem__(&self, key: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let (a, line) = (self.of.get().array(), self.line()?);
        let shown = a.size() == 0 || line.shares_allocation(a);
        let parts = FlatIter::parts(key)?;
        if matches!(parts[..], [cuprum::Index::At(_)]) {
            set_item(&line, &parts, value)?;
        } else if convert::python_number(value)?.is_some() {
            crate::indexing::set(&line, &parts, value)?;
        } else {
            let shape = line.index(&parts[..]).or_raise()?.shape().to_vec();
            let values = flat_values(value, line.dtype())?;
            if values.size() == 0 {
                return Ok(());
            }
            // The values are repeated until all elements are set.
            line.set(&parts[..], &cuprum::resize(&values, &shape[..]).or_raise()?).or_raise()?;
        }
        if shown { Ok(()) } else { a.assign(&line.reshape(a.shape()).or_raise()?).or_raise() }
    }

    /// The array.
    #[getter]
    fn base(&self, py: Python<'_>) -> Py<NdArray> {
        self.of.clone_ref(py)
    }

    /// The flat index of the next element.
    #[getter]
    fn index(&self) -> usize {
        self.iterated()
    }

    /// The multi-index of the next element.
    #[getter]
    fn coords<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.multi_index(self.iterated()))
    }

    /// Returns a copy of the elements in one axis.
    fn copy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, NdArray>> {
        convert::wrap(py, self.copied()?)
    }

    /// Compares the elements with others, one by one.
    fn __richcmp__<'py>(
        &self,
        py: Python<'py>,
        other: &Bound<'py, PyAny>,
        options: CompareOp,
    ) -> PyResult<Bound<'py, PyAny>> {
        let own = convert::wrap(py, self.copied()?)?;
        match other.cast::<FlatIter>() {
            Ok(other) => own.as_any().rich_compare(convert::wrap(py, other.get().copied()?)?, options),
            Err(_) => own.as_any().rich_compare(other, options),
        }
    }
}
