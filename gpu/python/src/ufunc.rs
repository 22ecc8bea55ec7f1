//! `cuprum.ufunc`: elementwise functions as objects, with their methods.

use cuprum::table::{Record, find};
use cuprum::{Ufunc, UfuncOptions};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyString, PyTuple};

use crate::array::NdArray;
use crate::convert::{operand, settle, unsupported, wrap};
use crate::errors::{OrRaise, type_error, value_error};
use crate::functions::Function;
use crate::signatures;

// An elementwise function, with the methods `reduce`, `accumulate`, `reduceat`, `outer` and `at`. A doc comment here
// would replace each function's own.
#[pyclass(name = "ufunc", module = "cuprum", frozen, weakref)]
pub(crate) struct PyUfunc {
    /// The ufunc; for products of vectors and matrices the one whose loops have the same dtypes.
    function: Ufunc,
    call: Function,
    /// Empty for products of vectors and matrices.
    methods: Vec<Function>,
    core: Option<&'static str>,
}

/// The generalised ufuncs among NumPy's ufuncs, with their signatures.
const CORES: [(&str, &str); 4] = [
    ("numpy.matmul", "(n?,k),(k,m?)->(n?,m?)"),
    ("numpy.matvec", "(m,n),(n)->(m)"),
    ("numpy.vecdot", "(n),(n)->()"),
    ("numpy.vecmat", "(n),(n,m)->(m)"),
];

/// Returns the signature of a generalised ufunc, which has the attributes of a ufunc.
pub(crate) fn core_of(path: &str) -> Option<&'static str> {
    CORES.iter().find(|(name, _)| *name == path).map(|(_, core)| *core)
}

const METHODS: [&str; 5] = ["reduce", "accumulate", "reduceat", "outer", "at"];

impl PyUfunc {
    pub(crate) fn new(py: Python<'_>, record: &'static Record) -> PyResult<PyUfunc> {
        let (mut methods, core) = (vec![], core_of(&record.path()));
        if core.is_some() {
            let function = cuprum::ufunc("multiply").or_raise()?;
            return Ok(PyUfunc { function, call: Function::new(py, record), methods, core });
        }
        for method in METHODS {
            methods.push(Function::new(py, find(&format!("{}.{method}", record.path())).or_raise()?));
        }
        let namespace = record.namespace();
        // If NumPy has another function of the same name, that of the module is registered with its namespace.
        let known = Ufunc::named(&format!("{namespace}.{}", record.name())).or_else(|| Ufunc::named(record.function()));
        let function = known.map_or_else(|| cuprum::ufunc(record.name()), Ok).or_raise()?;
        Ok(PyUfunc { function, call: Function::new(py, record), methods, core })
    }

    fn method<'py>(
        &self,
        py: Python<'py>,
        which: usize,
        positional: &Bound<'py, PyTuple>,
        keywords: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.check_elements(METHODS[which])?;
        let positional: Vec<_> = positional.iter().collect();
        let mut keywords = pairs(keywords)?;
        for (name, value) in &mut keywords {
            if self.function.nout() == 1 && name.to_str()? == "out" {
                *value = unpacked(value.clone(), 1)?;
            }
        }
        self.methods[which].call(py, None, &positional, &keywords)
    }
}

impl PyUfunc {
    /// Rejects a method of a generalised ufunc, as NumPy does.
    fn check_elements(&self, method: &str) -> PyResult<()> {
        let Some(core) = self.core else { return Ok(()) };
        let message =
            format!("{}.{method}: a function of signature {core} has no such method", self.call.record.name());
        if matches!(method, "outer" | "at") { type_error(message) } else { Err(PyRuntimeError::new_err(message)) }
    }

    /// Calls the function with arrays of numeric dtypes.
    fn call_numeric<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (nin, nout) = (self.function.nin(), self.function.nout());
        let kwargs = kwargs.filter(|kwargs| !kwargs.is_empty());
        if self.core.is_some() {
            return self.call_core(&args.iter().collect::<Vec<_>>(), pairs(kwargs)?, py);
        }
        // Fast path: no options, or only `out`.
        let mut out = None;
        if let Some(kwargs) = kwargs
            && kwargs.len() == 1
            && let Some(given) = kwargs.get_item(pyo3::intern!(py, "out"))?
        {
            out = given.cast_into::<NdArray>().ok().filter(|out| !out.get().is_nonnumeric());
        } else if kwargs.is_none() && args.len() == nin + 1 {
            out = args.get_item(nin)?.cast_into::<NdArray>().ok().filter(|out| !out.get().is_nonnumeric());
        }
        let positional_count = if kwargs.is_none() && out.is_some() { nin + 1 } else { nin };
        if (kwargs.is_none() || out.is_some()) && args.len() == positional_count && nout == 1 {
            let mut operands = smallvec::SmallVec::<[_; 3]>::new();
            for item in args.iter_borrowed().take(nin) {
                operands.push(operand(&item)?.ok_or_else(|| unsupported(&item))?);
            }
            settle(self.function.name(), &mut operands, None, true)?;
            let operands: smallvec::SmallVec<[cuprum::Operand<'_>; 3]> = operands.iter().map(|o| o.operand()).collect();
            let options = UfuncOptions { out: out.as_ref().map(|out| out.get().array()), ..UfuncOptions::default() };
            let made = self.function.call(&operands[..], options).or_raise()?;
            return match out {
                Some(out) => Ok(out.into_any()),
                None => Ok(wrap(py, made)?.into_any()),
            };
        }
        let mut positional: Vec<_> = args.iter().collect();
        let mut keywords = pairs(kwargs)?;
        if positional.len() > nin + nout {
            let (name, most, given) = (self.call.record.name(), nin + nout, positional.len());
            return type_error(format!(
                "{name}() takes from {nin} to {most} positional arguments but {given} were given"
            ));
        }
        // Positional outputs, as in NumPy; an omitted one is a new array.
        if positional.len() > nin && nout == 2 {
            let mut outs: Vec<_> = positional.drain(nin..).collect();
            outs.resize_with(nout, || py.None().into_bound(py));
            keywords.push((PyString::new(py, "out"), PyTuple::new(py, outs)?.into_any()));
        }
        for (name, value) in &mut keywords {
            if name.to_str()? == "out" {
                *value = unpacked(value.clone(), nout)?;
            }
        }
        self.by_signature(&mut positional, &mut keywords)?;
        let out_keyword = keywords.iter().position(|(name, _)| nout == 2 && name.to_str().is_ok_and(|n| n == "out"));
        let outs = out_keyword.and_then(|at| keywords[at].1.cast::<PyTuple>().ok().cloned());
        let some_left_out = outs.as_ref().is_some_and(|outs| outs.iter().any(|out| out.is_none()));
        if let (Some(at), true) = (out_keyword, some_left_out) {
            keywords.remove(at);
        }
        let made = self.call.call(py, None, &positional, &keywords)?;
        match outs {
            Some(outs) if some_left_out => partly(&outs, made.cast::<PyTuple>()?),
            Some(outs) => Ok(outs.into_any()),
            None => Ok(made),
        }
    }

    /// Calls a generalised ufunc. Each of its loops has one dtype, which is its signature.
    fn call_core<'py>(
        &self,
        positional: &[Bound<'py, PyAny>],
        mut keywords: Vec<(Bound<'py, PyString>, Bound<'py, PyAny>)>,
        py: Python<'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        for (name, value) in &mut keywords {
            match name.to_str()? {
                "out" => *value = unpacked(value.clone(), 1)?,
                "signature" | "sig" => {
                    let dtypes: Vec<_> =
                        signatures::parse_signature(self.function, value)?.into_iter().flatten().collect();
                    if dtypes.windows(2).any(|pair| pair[0] != pair[1]) {
                        return type_error(format!("{}: no loop is of several dtypes", self.call.record.name()));
                    }
                    *name = PyString::new(py, "dtype");
                    *value = match dtypes.first() {
                        Some(dtype) => crate::dtypes::object(py, *dtype)?.clone().into_any(),
                        None => py.None().into_bound(py),
                    };
                }
                _ => {}
            }
        }
        self.call.call(py, None, positional, &keywords)
    }

    /// Calls the function with a `signature`: operands are cast to the loop that it selects.
    fn by_signature<'py>(
        &self,
        positional: &mut [Bound<'py, PyAny>],
        keywords: &mut Vec<(Bound<'py, PyString>, Bound<'py, PyAny>)>,
    ) -> PyResult<()> {
        let f = self.function;
        let at = |wanted: &str, keywords: &[(Bound<'py, PyString>, Bound<'py, PyAny>)]| {
            keywords.iter().position(|(name, _)| name.to_str().is_ok_and(|name| name == wanted))
        };
        let Some(found) = at("signature", keywords).or_else(|| at("sig", keywords)) else { return Ok(()) };
        let (_, signature) = keywords.remove(found);
        for other in ["sig", "dtype"] {
            if at(other, keywords).is_some() {
                return type_error(format!("{}: of signature, sig and dtype only one can be given", f.name()));
            }
        }
        let dtypes = signatures::parse_signature(f, &signature)?;
        if dtypes.iter().all(Option::is_none) || positional.len() < f.nin() {
            return Ok(());
        }
        let operands = positional.iter().take(f.nin()).map(|object| {
            let given = operand(object)?.ok_or_else(|| unsupported(object))?;
            Ok(signatures::operand_type(&given))
        });
        let ins = signatures::loop_of(f, &dtypes, &operands.collect::<PyResult<Vec<_>>>()?)?;
        let name = at("casting", keywords).map(|at| keywords[at].1.clone());
        let casting = signatures::casting(f, name.as_ref())?;
        for (operand, to) in positional.iter_mut().zip(&ins[..f.nin()]) {
            *operand = signatures::cast(f, operand, *to, casting)?;
        }
        Ok(())
    }
}

fn pairs<'py>(keywords: Option<&Bound<'py, PyDict>>) -> PyResult<Vec<(Bound<'py, PyString>, Bound<'py, PyAny>)>> {
    let Some(keywords) = keywords else { return Ok(vec![]) };
    keywords.iter().map(|(name, value)| Ok((name.cast_into::<PyString>()?, value))).collect()
}

/// Returns the only element of a tuple that is passed as `out`.
fn unpacked<'py>(value: Bound<'py, PyAny>, results: usize) -> PyResult<Bound<'py, PyAny>> {
    match value.cast::<PyTuple>() {
        Ok(tuple) if results == 1 => {
            if tuple.len() != 1 {
                return value_error("The 'out' tuple must have exactly one entry per ufunc output");
            }
            tuple.get_item(0)
        }
        Ok(tuple) if tuple.len() != results => {
            value_error("The 'out' tuple must have exactly one entry per ufunc output")
        }
        Err(_) if results > 1 && !value.is_none() => type_error("'out' must be a tuple of arrays"),
        _ => Ok(value),
    }
}

/// Combines results of which some are written to passed arrays and the others are new.
fn partly<'py>(outs: &Bound<'py, PyTuple>, made: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
    let mut results = vec![];
    for (out, new) in outs.iter().zip(made.iter()) {
        crate::nonnumeric::reject(&out)?;
        let Ok(given) = out.cast::<NdArray>() else {
            if !out.is_none() {
                return Err(unsupported(&out));
            }
            results.push(new);
            continue;
        };
        let new = new.cast_into::<NdArray>()?;
        let (to, from) = (given.get().array(), new.get().array());
        if !cuprum::can_cast(from.dtype(), to.dtype(), cuprum::Casting::SameKind) {
            return type_error(format!("a result of {} cannot be cast to out of {}", from.dtype(), to.dtype()));
        }
        if to.shape() != from.shape() {
            return value_error(format!(
                "a result of shape {:?} does not fit in out of shape {:?}",
                from.shape(),
                to.shape()
            ));
        }
        to.assign(from).or_raise()?;
        results.push(out);
    }
    Ok(PyTuple::new(outs.py(), results)?.into_any())
}

#[pymethods]
impl PyUfunc {
    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let result = self.call_numeric(py, args, kwargs);
        let keywords = || kwargs.map_or_else(|| PyDict::new(py), Clone::clone);
        crate::nonnumeric::instead(py, result, || self.call.record.path(), || Ok((args.clone(), keywords())))
    }

    /// The name in NumPy.
    #[getter(__name__)]
    fn name(&self) -> &str {
        self.call.record.name()
    }

    #[getter(__qualname__)]
    fn qualname(&self) -> &str {
        self.call.record.name()
    }

    /// The name in NumPy.
    #[getter(name)]
    fn other_name(&self) -> String {
        format!("cuprum_{}", self.call.record.name())
    }

    #[getter(__doc__)]
    fn doc(&self) -> String {
        format!("{}{}\n\n{}", self.call.record.name(), self.call.signature(), self.call.record.doc())
    }

    #[getter(__text_signature__)]
    fn text_signature(&self) -> String {
        self.call.signature()
    }

    /// The signature for `inspect`.
    #[getter]
    fn __signature__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let inspect = py.import("inspect")?;
        let text = format!("def f{}: pass", self.call.signature());
        let names = PyDict::new(py);
        py.run(&std::ffi::CString::new(text)?, Some(&names), Some(&names))?;
        match names.get_item("f")? {
            Some(f) => inspect.call_method1("signature", (f,)),
            None => type_error("the function has no signature"),
        }
    }

    /// The number of operands.
    #[getter]
    fn nin(&self) -> usize {
        self.function.nin()
    }

    /// The number of results.
    #[getter]
    fn nout(&self) -> usize {
        self.function.nout()
    }

    /// The number of operands and results.
    #[getter]
    fn nargs(&self) -> usize {
        self.function.nin() + self.function.nout()
    }

    /// The identity, with which `reduce` begins; `None` if there is none.
    #[getter]
    fn identity<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(match self.call.record.name() {
            "add" | "bitwise_or" | "bitwise_xor" | "hypot" | "gcd" => 0i64.into_pyobject(py)?.into_any(),
            "multiply" => 1i64.into_pyobject(py)?.into_any(),
            "bitwise_and" => (-1i64).into_pyobject(py)?.into_any(),
            "logical_and" => PyBool::new(py, true).to_owned().into_any(),
            "logical_or" | "logical_xor" => PyBool::new(py, false).to_owned().into_any(),
            "logaddexp" | "logaddexp2" => f64::NEG_INFINITY.into_pyobject(py)?.into_any(),
            _ => py.None().into_bound(py),
        })
    }

    /// The signature of core axes; `None` for elementwise functions.
    #[getter]
    fn signature(&self) -> Option<&str> {
        self.core
    }

    /// The loops: the dtypes of the operands, an arrow, those of the results.
    #[getter]
    fn types(&self) -> Vec<String> {
        let (mut types, mut of_long_long) = (vec![], vec![]);
        for loop_ in self.function.types() {
            // The loops of `long long`, which is `long` here, follow those of `long`.
            let of_long = loop_.contains(['l', 'L']) && loop_.chars().all(|letter| "lL?->".contains(letter));
            if of_long {
                of_long_long.push(loop_.replace('l', "q").replace('L', "Q"));
            } else {
                types.append(&mut of_long_long);
            }
            types.push(loop_);
        }
        types.append(&mut of_long_long);
        types
    }

    /// The number of loops.
    #[getter]
    fn ntypes(&self) -> usize {
        self.types().len()
    }

    fn __repr__(&self) -> String {
        format!("<ufunc 'cuprum_{}'>", self.call.record.name())
    }

    /// Returns the name by which `pickle` finds the object in `cuprum`, whose modules are its attributes.
    fn __reduce__(&self) -> String {
        let record = self.call.record;
        let module = crate::functions::module_of(record.namespace());
        match module.strip_prefix("cuprum.") {
            None => record.name().into(),
            Some(inner) => format!("{inner}.{}", record.name()),
        }
    }

    /// Returns the dtypes in which a call computes: of each operand, then of each result. An operand is a dtype, or
    /// `int`, `float` or `complex` for a Python scalar; a result is `None` or the dtype of `out`.
    #[pyo3(signature = (dtypes, *, signature=None, casting=None, reduction=false))]
    fn resolve_dtypes<'py>(
        &self,
        dtypes: &Bound<'py, PyAny>,
        signature: Option<&Bound<'py, PyAny>>,
        casting: Option<&Bound<'py, PyAny>>,
        reduction: bool,
    ) -> PyResult<Bound<'py, PyTuple>> {
        signatures::resolved(self.function, dtypes, signature, casting, reduction)
    }

    /// Reduces the elements along axes by the function.
    #[pyo3(signature = (*args, **kwargs))]
    fn reduce<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.method(py, 0, args, kwargs)
    }

    /// Accumulates the results of the function along an axis.
    #[pyo3(signature = (*args, **kwargs))]
    fn accumulate<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.method(py, 1, args, kwargs)
    }

    /// Reduces slices along an axis by the function.
    #[pyo3(signature = (*args, **kwargs))]
    fn reduceat<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.method(py, 2, args, kwargs)
    }

    /// Applies the function to all pairs of elements of two arrays.
    #[pyo3(signature = (*args, **kwargs))]
    fn outer<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.method(py, 3, args, kwargs)
    }

    /// Changes elements at indices in place; repeatedly if an index is repeated.
    ///
    /// `order='any'` allows additions of floats in any order, with results that may differ in every call.
    #[pyo3(signature = (a, indices, b=None, *, order="deterministic"))]
    fn at<'py>(
        &self,
        py: Python<'py>,
        a: &Bound<'py, NdArray>,
        indices: &Bound<'py, PyAny>,
        b: Option<&Bound<'py, PyAny>>,
        order: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let order = cuprum::AtOrder::named(order).or_raise()?;
        self.check_elements("at")?;
        crate::nonnumeric::reject(a)?;
        crate::indexing::ufunc_at(self.function, a.get().array(), indices, b, order)?;
        Ok(py.None().into_bound(py))
    }
}
