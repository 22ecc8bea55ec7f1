//! Python bindings of the call table: every function of the table as a built-in function.
//!
//! A built-in function is called without a tuple of arguments (`METH_FASTCALL`), it has a name, a docstring and a
//! signature, and it is pickled by its name. Python passes such a function one object of its own, its `__self__`; here
//! that is a small module whose state is the address of the [`Function`].

mod arguments;
mod fits;
mod lengths;
mod results;

use std::ffi::{CString, c_void};

use cuprum::cuda::Device;
use cuprum::table::{Extra, Record, records};
use numpy::PyUntypedArray;
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};

use crate::builtin::{answer, builtin, read};
use crate::convert::array_of;
use crate::errors::{LinalgErrors, OrRaise, type_error};
use crate::nonnumeric;
use crate::ufunc::{PyUfunc, core_of};
use arguments::Slots;
pub(crate) use arguments::{Parameters, sides, written};
pub(crate) use results::results;

/// A function that Python calls.
pub(crate) struct Function {
    pub(crate) record: &'static Record,
    pub(crate) parameters: Parameters,
}

impl Function {
    /// Creates a function from a record; as a `method` its first parameter is the array itself.
    pub(crate) fn new(py: Python<'_>, record: &'static Record) -> Function {
        Function { record, parameters: Parameters::of(py, record) }
    }

    /// Finds the function of this path in the table.
    pub(crate) fn found(py: Python<'_>, path: &str) -> PyResult<Function> {
        Ok(Function::new(py, cuprum::table::find(path).or_raise()?))
    }

    /// Returns the signature without the name: `(a, /, axis=None, *, dtype=None)`.
    pub(crate) fn signature(&self) -> String {
        self.parameters.text(self.record.parameters(), false)
    }

    /// Returns the docstring: the signature for `inspect`, followed by the description.
    pub(crate) fn doc(&self, name: &str, method: bool) -> CString {
        let signature = self.parameters.text(self.record.parameters(), method);
        let text = format!("{name}{signature}\n--\n\n{}", self.record.doc());
        CString::new(text.replace('\0', "")).unwrap_or_default()
    }

    /// Calls the function.
    pub(crate) fn call<'py>(
        &self,
        py: Python<'py>,
        first: Option<&Bound<'py, PyAny>>,
        positional: &[Bound<'py, PyAny>],
        keywords: &[(Bound<'py, PyString>, Bound<'py, PyAny>)],
    ) -> PyResult<Bound<'py, PyAny>> {
        let result = self.call_numeric(py, first, positional, keywords);
        nonnumeric::instead(
            py,
            result,
            || self.record.path(),
            || nonnumeric::collect(py, first.into_iter().chain(positional), keywords),
        )
    }

    fn call_numeric<'py>(
        &self,
        py: Python<'py>,
        first: Option<&Bound<'py, PyAny>>,
        positional: &[Bound<'py, PyAny>],
        keywords: &[(Bound<'py, PyString>, Bound<'py, PyAny>)],
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut slots = self.parameters.bind(self.record, first, positional, keywords)?;
        if let Some(lengths) = &self.parameters.lengths {
            lengths.settle(self.record, &mut slots)?;
        }
        if let Some(descending) = self.parameters.extra(&slots, Extra::Descending)
            && descending.is_truthy()?
        {
            return self.sort_descending(py, slots);
        }
        if let Some(fit) = self.record.python().fit {
            return self.fit(py, slots, fit);
        }
        let run = |slots: &Slots<'py>| {
            let arguments = self.parameters.arguments(self.record, slots)?;
            let at_once = self.looks_at_once(slots);
            let outputs = py.detach(|| {
                let outputs = self.record.call(&arguments)?;
                if at_once {
                    crate::errors::look()?;
                }
                Ok(outputs)
            });
            if crate::errors::linalg_errors() != LinalgErrors::Later && self.is_of_matrices() {
                py.detach(crate::errors::look_at_matrices).or_raise()?;
            }
            let made = results(py, self, slots, outputs)?;
            if crate::poly1d::is_among(&slots[..self.record.python().polynomials])? {
                return crate::poly1d::objects(made);
            }
            // With an `out` the result has its dtype.
            match self.parameters.extra(slots, Extra::Cast).filter(|_| self.parameters.out(slots).is_none()) {
                Some(dtype) => made.call_method1(pyo3::intern!(py, "astype"), (dtype,)),
                None => Ok(made),
            }
        };
        if let Some(plan) = self.parameters.extra(&slots, Extra::Plan) {
            let Ok(plan) = plan.cast::<crate::transforms::Plan>() else {
                return type_error(format!("{}: `plan` is what `get_fft_plan` gives", self.record.name()));
            };
            return plan.get().around(|| run(&slots));
        }
        match self.parameters.extra(&slots, Extra::Device) {
            None => match device_of_host_operands(&slots) {
                None => run(&slots),
                Some(device) => device.with(|| run(&slots)),
            },
            Some(device) => crate::transfer::on_device(py, Some(device), || run(&slots)),
        }
    }

    /// Returns true if errors are raised before the call returns: for numbers that count arrays or indices, for which
    /// CuPy synchronises, too. With a `mode` that rejects nothing there are none.
    fn looks_at_once(&self, slots: &Slots<'_>) -> bool {
        const AT_ONCE: [&str; 3] = ["choose", "ravel_multi_index", "unravel_index"];
        if self.record.namespace() != "numpy" || !AT_ONCE.contains(&self.record.name()) {
            return false;
        }
        let mode = self.record.parameters().iter().position(|p| p.name == "mode");
        let mode = mode.and_then(|at| slots[at].as_ref());
        mode.is_none_or(|mode| !mode.is_instance_of::<PyString>() || mode.eq("raise").unwrap_or(true))
    }

    fn is_of_matrices(&self) -> bool {
        matches!(self.record.namespace(), "numpy.linalg" | "scipy.linalg" | "cupyx.scipy.linalg" | "cupyx.linalg")
    }

    /// Sorts in descending order; equal elements keep their order.
    fn sort_descending<'py>(&self, py: Python<'py>, mut slots: Slots<'py>) -> PyResult<Bound<'py, PyAny>> {
        let flip = |a: &Bound<'py, PyAny>, axis: isize| call(py, "flip", (a, axis), None);
        let (Some(a), axis) = (slots[0].take(), slots[1].take()) else { return type_error("an array is expected") };
        let (a, axis) = match axis {
            None => (a, -1),
            Some(axis) if axis.is_none() => (a.call_method0("ravel")?, -1),
            Some(axis) => (a, crate::convert::index(&axis)?),
        };
        let Some(n) = crate::convert::array_of(&a).map(|a| a.shape().to_vec()) else {
            return type_error("an array is expected");
        };
        let positions = self.record.name() == "argsort";
        slots[0] = Some(if positions { flip(&a, axis)? } else { a });
        slots[1] = Some(axis.into_pyobject(py)?.into_any());
        let arguments = self.parameters.arguments(self.record, &slots)?;
        let sorted = results(py, self, &slots, py.detach(|| self.record.call(&arguments)))?;
        let flipped = flip(&sorted, axis)?;
        if !positions {
            return Ok(flipped);
        }
        // Indices were counted from the other end.
        let last = n[(axis + if axis < 0 { n.len() as isize } else { 0 }) as usize] as isize - 1;
        last.into_pyobject(py)?.as_any().sub(flipped)
    }
}

/// The C function of all functions of the table.
unsafe extern "C" fn called(
    own: *mut ffi::PyObject,
    arguments: *const *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    Python::attach(|py| {
        answer(py, || {
            // SAFETY: `own` is the module that `builtin` created, whose state is the address of a function that is
            // never freed.
            let function = unsafe { &**ffi::PyModule_GetState(own).cast::<*const Function>() };
            // SAFETY: the arguments come from Python.
            let (positional, keywords) = unsafe { read(py, arguments, count, names) };
            function.call(py, None, &positional, &keywords)
        })
    })
}

/// Returns the Python module of the functions of a namespace of the table.
pub(crate) fn module_of(namespace: &str) -> String {
    match namespace.split_once('.') {
        None if namespace == "numpy" || namespace == "cupy" => "cuprum".into(),
        None if namespace == "scipy" => "cuprum.cupyx.scipy".into(),
        Some(("scipy", rest)) => format!("cuprum.cupyx.scipy.{rest}"),
        Some(("numpy" | "cupy", rest)) => format!("cuprum.{rest}"),
        _ => format!("cuprum.{namespace}"),
    }
}

/// Returns the extension's module of the functions that a module of the package imports: for `cuprum.linalg` it is
/// `cuprum._cuprum.routines.linalg`.
fn routines_of(module: &str) -> String {
    format!("cuprum._cuprum.routines{}", module.strip_prefix("cuprum").unwrap_or(module))
}

/// Adds a module of the extension for the functions of each module of the package, which imports them by name:
/// `from cuprum._cuprum.routines.linalg import norm`. `own` are functions of the main namespace with a signature that
/// no record has: a record of the same name is called by them alone.
pub(crate) fn add(module: &Bound<'_, PyModule>, own: &Bound<'_, PyDict>) -> PyResult<()> {
    let py = module.py();
    let modules = PyDict::new(py);
    let loaded = py.import("sys")?.getattr("modules")?;
    let is_ufunc = |path: &str| cuprum::table::get(&format!("{path}.reduce")).is_some();
    let of = |namespace: &str| -> PyResult<Bound<'_, PyModule>> {
        let name = module_of(namespace);
        if let Some(found) = modules.get_item(&name)? {
            return Ok(found.cast_into::<PyModule>()?);
        }
        let path = routines_of(&name);
        let new = PyModule::new(py, &path)?;
        loaded.set_item(&path, &new)?;
        modules.set_item(&name, &new)?;
        Ok(new)
    };
    for (name, function) in own {
        of("numpy")?.dict().set_item(name, function)?;
    }
    let is_own = |r: &Record| module_of(r.namespace()) == "cuprum" && own.contains(r.name()).unwrap_or(false);
    // Methods of ufuncs and of arrays are added to these. Other names of a function are the same object.
    // Those of `ndimage` are written in Python, with SciPy's parameters.
    let elsewhere = |r: &Record| r.name().contains('.') || ["numpy.ndarray", "scipy.ndimage"].contains(&r.namespace());
    let whole = records().iter().filter(|r| !elsewhere(r) && !is_own(r));
    let (own, others): (Vec<&Record>, Vec<&Record>) = whole.partition(|r| r.alias_of().is_none());
    for record in own {
        let object = if is_ufunc(&record.path()) || core_of(&record.path()).is_some() {
            Bound::new(py, PyUfunc::new(py, record)?)?.into_any()
        } else {
            let function: &'static Function = Box::leak(Box::new(Function::new(py, record)));
            let state = std::ptr::from_ref(function).cast::<c_void>();
            let doc = function.doc(record.name(), false);
            builtin(py, &PyString::new(py, &module_of(record.namespace())), record.name(), doc, called, state)?
        };
        of(record.namespace())?.dict().set_item(record.name(), object)?;
    }
    for record in others {
        let module = of(record.namespace())?;
        match module.dict().get_item(record.alias_of())? {
            Some(object) => module.dict().set_item(record.name(), object)?,
            None => {
                let missing = format!("{} is another name of what is not there", record.path());
                return Err(PyTypeError::new_err(missing));
            }
        }
    }
    module.add("routines", modules.get_item("cuprum")?)?;
    module.add("routine_modules", modules)
}

/// Returns the device of the first array if lists or arrays of the host are among the arguments, and if it is not the
/// current one: they are copied there.
fn device_of_host_operands(slots: &Slots<'_>) -> Option<Device> {
    let device = slots.iter().flatten().find_map(array_of)?.device();
    let of_host = |slot: &Bound<'_, PyAny>| slot.is_instance_of::<PyList>() || slot.is_instance_of::<PyUntypedArray>();
    (Device::current().is_ok_and(|current| current != device) && slots.iter().flatten().any(of_host)).then_some(device)
}

/// Calls a function of the package by its name.
pub(crate) fn call<'py>(
    py: Python<'py>,
    name: &str,
    arguments: impl pyo3::call::PyCallArgs<'py>,
    keywords: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    py.import("cuprum")?.getattr(name)?.call(arguments, keywords)
}
