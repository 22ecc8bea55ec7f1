//! Plans of Fourier transforms: the cache of a thread, and plans as objects.

use cuprum::fft::config::{PlanCache, PlanKey};
use cuprum::fft::{FftPlan, FftPlanOptions, ValueType};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyAny, PyIterator, PyTuple};

use crate::array::NdArray;
use crate::convert;
use crate::errors::OrRaise;

/// The plan cache of this thread for a device.
#[pyclass(name = "PlanCache", module = "cuprum.fft._cache", frozen)]
pub(crate) struct Plans(PlanCache);

/// The key of a plan in the cache: the transform with its lengths, the layouts of both sides, and the batch size.
#[pyclass(name = "PlanKey", module = "cuprum.fft._cache", frozen, eq, hash)]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct Key(PlanKey);

#[pymethods]
impl Key {
    /// The lengths of the transform along each axis.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.shape())
    }

    /// The batch size.
    #[getter]
    fn batch(&self) -> usize {
        self.0.batch()
    }

    /// The types of the transform: `'C2C'`, `'R2C'` or `'C2R'`.
    #[getter]
    fn value_type(&self) -> &'static str {
        value_type(self.0.value_type())
    }

    fn __repr__(&self) -> String {
        format!("{:?}", self.0)
    }
}

/// Returns CuPy's name of the types of a transform.
fn value_type(of: ValueType) -> &'static str {
    match of {
        ValueType::Complex => "C2C",
        ValueType::RealToComplex => "R2C",
        ValueType::ComplexToReal => "C2R",
    }
}

/// Converts a number to CuPy's form: -1 for unlimited.
fn any(most: Option<usize>) -> isize {
    most.map_or(-1, |n| n as isize)
}

#[pymethods]
impl Plans {
    /// Returns the maximum number of plans; -1 for unlimited.
    fn get_size(&self) -> isize {
        any(self.0.get_size())
    }

    /// Sets the maximum number of plans: 0 for none, -1 for unlimited.
    fn set_size(&self, size: isize) {
        self.0.set_size(usize::try_from(size).ok());
    }

    /// Returns the number of plans in the cache.
    fn get_curr_size(&self) -> usize {
        self.0.get_curr_size()
    }

    /// Returns the maximum size of the plans' work areas in bytes; -1 for unlimited.
    fn get_memsize(&self) -> isize {
        any(self.0.get_memsize())
    }

    /// Sets the maximum size of the work areas in bytes; -1 for unlimited.
    fn set_memsize(&self, memsize: isize) {
        self.0.set_memsize(usize::try_from(memsize).ok());
    }

    /// Returns the total size of the plans' work areas in bytes.
    fn get_curr_memsize(&self) -> usize {
        self.0.get_curr_memsize()
    }

    /// Removes all plans.
    fn clear(&self) {
        self.0.clear();
    }

    /// Prints the text of `str`.
    fn show_info(&self, py: Python<'_>) -> PyResult<()> {
        py.import("builtins")?.call_method1("print", (self.0.to_string(),)).map(|_| ())
    }

    /// Returns the plan of a key, which becomes the most recently used; `default` if there is none.
    #[pyo3(signature = (key, default=None))]
    fn get(&self, py: Python<'_>, key: &Key, default: Option<Py<PyAny>>) -> PyResult<Py<PyAny>> {
        match self.0.get(&key.0) {
            Some(plan) => Ok(Py::new(py, Plan(plan))?.into_any()),
            None => Ok(default.unwrap_or_else(|| py.None())),
        }
    }

    fn __getitem__(&self, key: &Key) -> PyResult<Plan> {
        self.0.get(&key.0).map(Plan).ok_or_else(|| absent(key))
    }

    fn __setitem__(&self, key: &Key, plan: &Plan) -> PyResult<()> {
        self.0.set(&key.0, &plan.0).or_raise()
    }

    fn __delitem__(&self, key: &Key) -> PyResult<()> {
        if self.0.remove(&key.0) { Ok(()) } else { Err(absent(key)) }
    }

    /// Iterates over pairs of a key and its plan, the most recently used first.
    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        let pairs = self.0.plans().into_iter().map(|(key, plan)| (Key(key), Plan(plan)));
        pyo3::types::PyList::new(py, pairs.map(|pair| pair.into_pyobject(py)).collect::<PyResult<Vec<_>>>()?)?
            .try_iter()
    }

    fn __len__(&self) -> usize {
        self.0.get_curr_size()
    }

    fn __repr__(&self) -> String {
        self.0.to_string()
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }
}

fn absent(key: &Key) -> PyErr {
    PyKeyError::new_err(format!("there is no plan of {}", key.0))
}

/// Returns the plan cache of this thread for the current device.
#[pyfunction]
fn get_plan_cache() -> PyResult<Plans> {
    cuprum::fft::config::get_plan_cache().map(Plans).or_raise()
}

/// Prints the plan cache of this thread.
#[pyfunction]
fn show_plan_cache_info(py: Python<'_>) -> PyResult<()> {
    get_plan_cache()?.show_info(py)
}

/// Sets the devices, by their numbers, over which transforms of one axis are distributed: none for an empty list.
#[pyfunction]
fn set_fft_devices(numbers: Vec<i64>) -> PyResult<()> {
    let devices = numbers.into_iter().map(crate::cuda::device).collect::<PyResult<Vec<_>>>()?;
    cuprum::fft::config::set_devices(&devices).or_raise()
}

/// The plans of the transforms of one array: in a `with` block transforms use only these.
#[pyclass(name = "Plan", module = "cuprum.fft", frozen)]
pub(crate) struct Plan(FftPlan);

impl Plan {
    /// Runs a call with the plan.
    pub(crate) fn around<R>(&self, call: impl FnOnce() -> PyResult<R>) -> PyResult<R> {
        self.0.enter().or_raise()?;
        let result = call();
        self.0.leave();
        result
    }
}

#[pymethods]
impl Plan {
    /// The lengths of the transform along each axis.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.shape())
    }

    /// The axes.
    #[getter]
    fn axes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.axes())
    }

    /// The types of the transform: `'C2C'`, `'R2C'` or `'C2R'`.
    #[getter]
    fn value_type(&self) -> &'static str {
        value_type(self.0.value_type())
    }

    /// The cache keys of the plans: one for each library call of the transform.
    #[getter]
    fn keys(&self) -> Vec<Key> {
        self.0.keys().into_iter().map(Key).collect()
    }

    /// The size of the work area of a transform in bytes.
    #[getter]
    fn work_size(&self) -> usize {
        self.0.work_size()
    }

    /// Transforms `a` into `out` without normalisation: `direction` is `cupy.cuda.cufft.CUFFT_FORWARD` or
    /// `CUFFT_INVERSE`.
    fn fft(slf: Bound<'_, Self>, a: &Bound<'_, PyAny>, out: &Bound<'_, PyAny>, direction: i32) -> PyResult<()> {
        slf.py().import("cuprum.cuda.cufft")?.call_method1("_of_plan", (&slf, a, out, direction)).map(|_| ())
    }

    /// Returns a new array for the result of `fft`.
    fn get_output_array<'py>(slf: Bound<'py, Self>, a: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("cuprum.cuda.cufft")?.call_method1("_output_of_plan", (&slf, a))
    }

    fn __enter__(slf: Bound<'_, Self>) -> PyResult<Bound<'_, Self>> {
        slf.get().0.enter().or_raise()?;
        Ok(slf)
    }

    #[pyo3(signature = (*_exc))]
    fn __exit__(&self, _exc: &Bound<'_, PyTuple>) {
        self.0.leave();
    }

    fn __repr__(&self) -> String {
        format!("{:?}", self.0)
    }
}

/// Returns the plan of the transforms of arrays with the shape, layout and dtype of this one. It is used as a `with`
/// block, or as the parameter `plan` of a transform.
#[pyfunction]
#[pyo3(signature = (a, shape=None, axes=None, value_type="C2C"))]
fn get_fft_plan(
    a: &Bound<'_, NdArray>,
    shape: Option<&Bound<'_, PyAny>>,
    axes: Option<&Bound<'_, PyAny>>,
    value_type: &str,
) -> PyResult<Plan> {
    crate::nonnumeric::reject(a)?;
    let mut options = FftPlanOptions::new().value_type(value_type.parse::<ValueType>().or_raise()?);
    if let Some(shape) = shape.filter(|s| !s.is_none()) {
        options = options.shape(convert::integers(shape)?.to_vec());
    }
    if let Some(axes) = axes.filter(|s| !s.is_none()) {
        options = options.axes(convert::integers(axes)?.to_vec());
    }
    cuprum::fft::get_fft_plan(a.get().array(), options).map(Plan).or_raise()
}

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Plans>()?;
    module.add_class::<Key>()?;
    module.add_class::<Plan>()?;
    module.add_function(wrap_pyfunction!(get_plan_cache, module)?)?;
    module.add_function(wrap_pyfunction!(show_plan_cache_info, module)?)?;
    module.add_function(wrap_pyfunction!(set_fft_devices, module)?)?;
    module.add_function(wrap_pyfunction!(get_fft_plan, module)?)
}
