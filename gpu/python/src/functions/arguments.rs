//! Binding of Python arguments to parameters, and their conversion to values of the table.

use std::fmt::Write;

use cuprum::table::{Arguments, AxisForm, Extra, Parameter, ParameterKind, PythonSignature, Record, Rounding, Value};
use cuprum::{Array, DType, OperandType, Scalar};
use numpy::{PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyList, PyString, PyTuple, PyType};
use smallvec::SmallVec;

use super::lengths::Lengths;

use crate::convert::{self, PassedOperand, array_of, is_sequence};
use crate::dtypes;
use crate::errors::{OrRaise, type_error};

/// Additional parameters of ufuncs: subclasses are not kept, and a signature is handled before.
const OF_UFUNCS: &[(&str, Extra)] = &[("subok", Extra::Granted), ("signature", Extra::Rejected)];

/// Additional parameters of SciPy's transforms, which follow `workers`.
const OF_TRANSFORMS: &[(&str, Extra)] = &[("plan", Extra::Plan)];

/// The arguments of a call, each in the slot of its parameter.
pub(crate) type Slots<'py> = SmallVec<[Option<Bound<'py, PyAny>>; 8]>;

/// The parameters of a function in Python.
pub(crate) struct Parameters {
    /// The names of the parameters of the table, followed by those that only Python has.
    names: Vec<Py<PyString>>,
    /// Number of positional-only parameters.
    positional_only: usize,
    /// Number of parameters that may be positional.
    positional: usize,
    /// The index of the parameter that takes all positional arguments from its own on.
    varargs: Option<usize>,
    extras: &'static [(&'static str, Extra)],
    /// The function's own signature.
    signature: &'static PythonSignature,
    /// True for an elementwise ufunc: its call has NumPy's keywords.
    of_elements: bool,
    /// True if NumPy arrays are rejected: for ufuncs, including matrix products.
    on_device: bool,
    /// The parameter that is an integer of any size.
    saturating: Option<usize>,
    /// The parameter `out`.
    out: Option<usize>,
    /// The parameter that is written to the first one.
    written: Option<usize>,
    /// Two parameters that must be passed together or not at all.
    together: Option<[usize; 2]>,
    /// Lengths and axes of a Fourier transform.
    pub(crate) lengths: Option<Lengths>,
}

impl Parameters {
    pub(crate) fn of(py: Python<'_>, record: &'static Record) -> Parameters {
        let signature = record.python();
        let all = record.parameters();
        let path = record.path();
        let first_is = |letter| all.first().is_some_and(|p| p.name.starts_with(letter));
        // Matrix products have the keywords of a ufunc, but are not elementwise.
        let of_products = all.first().is_some_and(|p| p.name == "x1" && p.kind == ParameterKind::Array);
        let of_elements =
            all.iter().any(|p| p.name == "casting") && !of_products && (first_is('x') || path.ends_with(".outer"));
        let last_is = |name| all.last().is_some_and(|p| p.name == name);
        let planned = record.namespace() == "scipy.fft" && last_is("workers");
        // CuPy's transforms under the legacy names take plans after `overwrite_x`.
        let planned_too = record.namespace() == "scipy.fftpack" && last_is("overwrite_x");
        let usual = if planned || planned_too {
            OF_TRANSFORMS
        } else if of_elements && !path.ends_with(".outer") {
            OF_UFUNCS
        } else {
            &[]
        };
        let extras = if signature.extras.is_empty() { usual } else { signature.extras };
        let at = |name: &str| all.iter().position(|p| p.name == name);
        let (saturating, varargs) = (signature.saturating.and_then(at), signature.varargs.and_then(at));
        let names: Vec<&str> = all.iter().map(|p| p.name).chain(extras.iter().map(|(name, _)| *name)).collect();
        let (positional_only, positional) = match (of_elements, varargs) {
            (true, _) => {
                let operands = all.iter().take_while(|p| p.kind == ParameterKind::Operand).count();
                (operands, operands + 1)
            }
            (_, Some(varargs)) => (varargs + 1, varargs + 1),
            _ => match signature.keyword_only.or(planned.then_some(0)) {
                Some(count) => (signature.positional_only, all.len() - count.min(all.len())),
                None => (signature.positional_only, names.len()),
            },
        };
        let at = |name: &str| names.iter().position(|n| *n == name);
        Parameters {
            lengths: Lengths::of(record),
            out: at("out"),
            together: signature.together.and_then(|[a, b]| Some([at(a)?, at(b)?])),
            written: signature.written.and_then(at),
            names: names.into_iter().map(|name| PyString::intern(py, name).unbind()).collect(),
            positional_only,
            positional,
            varargs,
            extras,
            signature,
            of_elements,
            on_device: of_elements || crate::ufunc::core_of(&path).is_some(),
            saturating,
        }
    }

    /// Formats the signature for `inspect`; for a method with `$self` in place of the first parameter.
    pub(crate) fn text(&self, all: &[Parameter], method: bool) -> String {
        let mut text = String::from(if method { "($self" } else { "(" });
        let names = all.iter().map(|p| p.name).chain(self.extras.iter().map(|(name, _)| *name));
        for (i, name) in names.enumerate().skip(usize::from(method)) {
            if text.len() > 1 {
                text.push_str(", ");
            }
            if self.varargs == Some(i) {
                let _ = write!(text, "*{name}");
                continue;
            }
            if i == self.positional && self.varargs.is_none() {
                text.push_str("*, ");
            }
            text.push_str(name);
            // NumPy's defaults for `where` and `subok`.
            if self.of_elements && matches!(name, "where" | "subok") {
                text.push_str("=True");
                continue;
            }
            // The only `kind` of `partition`.
            if name == "kind"
                && all.first().is_some_and(|p| p.name == "a")
                && all.get(1).is_some_and(|p| p.name == "kth")
            {
                text.push_str("='introselect'");
                continue;
            }
            match all.get(i).map(|p| &p.default) {
                Some(None) => {}
                Some(Some(Value::DType(dtype))) => {
                    let _ = write!(text, "='{}'", dtype.name());
                }
                Some(Some(Value::Text(default))) => {
                    let _ = write!(text, "='{}'", default.escape_default());
                }
                Some(Some(default)) => {
                    let _ = write!(text, "={default}");
                }
                None => text.push_str("=None"),
            }
            if i + 1 == self.positional_only && self.varargs.is_none() {
                text.push_str(", /");
            }
        }
        text.push(')');
        text
    }

    /// Assigns each argument to its slot.
    pub(crate) fn bind<'py>(
        &self,
        record: &Record,
        first: Option<&Bound<'py, PyAny>>,
        positional: &[Bound<'py, PyAny>],
        keywords: &[(Bound<'py, PyString>, Bound<'py, PyAny>)],
    ) -> PyResult<Slots<'py>> {
        let mut slots: Slots<'py> = smallvec::smallvec![None; self.names.len()];
        let own = usize::from(first.is_some());
        let mut placed = positional;
        if let Some(varargs) = self.varargs
            && let Some((several, py)) = positional.get(varargs..).zip(positional.first().map(|p| p.py()))
        {
            slots[varargs] = Some(PyTuple::new(py, several)?.into_any());
            placed = &positional[..varargs];
        }
        if own + placed.len() > self.positional {
            let (takes, given) = (self.positional - own, positional.len());
            return type_error(format!(
                "{}() takes at most {takes} positional arguments but {given} were given",
                record.name()
            ));
        }
        for (slot, value) in slots.iter_mut().zip(first.into_iter().chain(placed)) {
            *slot = Some(value.clone()).filter(|value| !convert::is_no_value(value));
        }
        if self.signature.dtype_before_out {
            self.move_dtype(&mut slots);
        }
        for (name, value) in keywords.iter().filter(|(_, value)| !convert::is_no_value(value)) {
            let py = name.py();
            let same = |n: &Py<PyString>| n.as_ptr() == name.as_ptr();
            let found = self.names.iter().position(same);
            let found = found.or_else(|| {
                let text = name.to_str().ok()?;
                self.names.iter().position(|n| n.bind(py).to_str().is_ok_and(|n| n == text))
            });
            let found = found.filter(|at| *at >= self.positional_only).or_else(|| {
                let text = name.to_str().ok()?;
                let (_, own) = self.signature.aliases.iter().find(|(other, _)| *other == text)?;
                self.names.iter().position(|n| n.bind(py).to_str().is_ok_and(|n| n == *own))
            });
            match found {
                None => return type_error(format!("{}() got an unexpected keyword argument '{name}'", record.name())),
                Some(at) if slots[at].is_some() => {
                    return type_error(format!("{}() got multiple values for argument '{name}'", record.name()));
                }
                Some(at) => slots[at] = Some(value.clone()),
            }
        }
        if let Some(ends) = self.together
            && let [Some(at), None] | [None, Some(at)] = ends.map(|at| slots[at].as_ref().map(|_| at))
        {
            let lacking = record.parameters()[if at == ends[0] { ends[1] } else { ends[0] }].name;
            return type_error(format!("{}() missing 1 required positional argument: '{lacking}'", record.name()));
        }
        self.grant(record, &mut slots)?;
        for (at, (slot, parameter)) in slots.iter().zip(record.parameters()).enumerate() {
            if slot.is_none() && parameter.default.is_none() && self.varargs != Some(at) {
                return type_error(format!("{}() missing required argument: '{}'", record.name(), parameter.name));
            }
        }
        Ok(slots)
    }

    /// Moves arguments that are passed by position in CuPy's order, dtype and out, to their parameters; an array in the
    /// third position is NumPy's `out`.
    fn move_dtype(&self, slots: &mut Slots<'_>) {
        const OUT: usize = 2;
        let dtype = self.names.len() - 1;
        let is_array = |slot: &Option<Bound<'_, PyAny>>| slot.as_ref().is_some_and(|value| array_of(value).is_some());
        if slots[OUT].is_some() && !is_array(&slots[OUT]) {
            slots[dtype] = slots[OUT].take();
        }
        if is_array(&slots[OUT + 1]) || slots[OUT + 1].as_ref().is_some_and(|value| value.is_none()) {
            slots[OUT] = slots[OUT + 1].take();
        }
    }

    /// Handles the parameters that only Python has.
    fn grant(&self, record: &Record, slots: &mut Slots<'_>) -> PyResult<()> {
        let own = record.parameters().len();
        for (i, (name, extra)) in self.extras.iter().enumerate() {
            let Some(value) = slots[own + i].take() else { continue };
            match extra {
                Extra::Granted => {}
                Extra::Named(ways) => {
                    if !value.is_none() && !ways.iter().any(|way| value.eq(way).unwrap_or(false)) {
                        let said = format!("{}: `{name}` is {value}: it must be one of {ways:?}", record.name());
                        return crate::errors::value_error(said);
                    }
                }
                Extra::Out | Extra::Cast | Extra::Device | Extra::Descending | Extra::Plan => {
                    slots[own + i] = Some(value)
                }
                Extra::Alias(other) => {
                    let at = record.parameters().iter().position(|p| p.name == *other);
                    // `None` is the default of the other name, if the parameter does not accept it.
                    let taken = |at: &usize| !value.is_none() || record.parameters()[*at].optional;
                    if let Some(at) = at.filter(taken) {
                        if slots[at].is_some() && !value.is_none() {
                            let said = format!("{}() takes {other} or {name}, not both", record.name());
                            return crate::errors::value_error(said);
                        }
                        slots[at].get_or_insert(value);
                    }
                }
                Extra::Rejected => {
                    if !value.is_none() && value.is_truthy()? {
                        let said = format!("{}: the parameter `{name}` is not supported", record.name());
                        return Err(pyo3::exceptions::PyNotImplementedError::new_err(said));
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns the argument of a parameter that only Python has.
    pub(crate) fn extra<'a, 'py>(&self, slots: &'a Slots<'py>, which: Extra) -> Option<&'a Bound<'py, PyAny>> {
        let own = self.names.len() - self.extras.len();
        let at = self.extras.iter().position(|(_, extra)| *extra == which)?;
        slots[own + at].as_ref().filter(|value| !value.is_none())
    }

    /// Returns the output argument, and whether the result has to be copied to it.
    pub(crate) fn out<'a, 'py>(&self, slots: &'a Slots<'py>) -> Option<(&'a Bound<'py, PyAny>, bool)> {
        let at = self.out?;
        let out = slots[at].as_ref().filter(|out| !out.is_none())?;
        Some((out, at >= self.names.len() - self.extras.len()))
    }

    /// Converts the arguments to those of the table.
    pub(crate) fn arguments(&self, record: &Record, slots: &Slots<'_>) -> PyResult<Arguments> {
        let all = record.parameters();
        let mut values: SmallVec<[Option<Value>; 8]> = SmallVec::new();
        let mut strong: SmallVec<[(usize, PassedOperand<'_>); 3]> = SmallVec::new();
        let (mut weak_at, mut weak) = (SmallVec::<[usize; 2]>::new(), vec![]);
        for (at, (slot, parameter)) in slots.iter().zip(all).enumerate() {
            let Some(object) = slot else {
                values.push((self.varargs == Some(at) && parameter.default.is_none()).then(|| Value::List(vec![])));
                continue;
            };
            let destination = parameter.name == "out" && parameter.kind == ParameterKind::Array
                || at == 0 && self.signature.changes_first;
            if destination && !object.is_none() && array_of(object).is_none() {
                let said = "an array of the device is expected, to which results are written";
                let e = pyo3::exceptions::PyTypeError::new_err(format!("{said}, not {}", object.get_type()));
                return Err(named(object.py(), e, record, parameter));
            }
            if self.on_device && object.cast::<PyUntypedArray>().is_ok_and(|host| host.ndim() > 0) {
                return Err(named(object.py(), convert::unsupported(object), record, parameter));
            }
            // Scalars that are written to an array become its elements, one by one: they must fit.
            if self.written == Some(at)
                && (is_sequence(object)
                    || parameter.kind == ParameterKind::Array && is_number(object)?
                    || convert::numpy_number(object)?.is_some())
                && let Some(Some(Value::Array(to))) = values.first()
            {
                values.push(Some(Value::Array(written(object, to.dtype())?)));
                continue;
            }
            if self.signature.indices == Some(parameter.name) && is_sequence(object) {
                values.push(Some(Value::Array(convert::index_array(object)?)));
                continue;
            }
            if self.signature.weak_scalars && parameter.kind == ParameterKind::Arrays && is_sequence(object) {
                let items = object.try_iter()?.collect::<PyResult<Vec<_>>>()?;
                let arrays = with_weak_numbers(&items)?;
                values.push(Some(Value::List(arrays.into_iter().map(Value::Array).collect())));
                continue;
            }
            if self.signature.common_dtype && !object.is_none() {
                weak_at.push(at);
                weak.push(object.clone());
                values.push(None);
                continue;
            }
            if self.saturating == Some(at) {
                let k = convert::saturating_index(object).map_err(|e| named(object.py(), e, record, parameter))?;
                values.push(Some(Value::from(k)));
                continue;
            }
            if parameter.kind == ParameterKind::Operand
                && !object.is_none()
                && let Some(given) = self.operand(object)?
            {
                strong.push((at, given));
                values.push(None);
                continue;
            }
            if parameter.name == "kind" && record.name().ends_with("partition") {
                way_of_partition(object, record)?;
                values.push(None);
                continue;
            }
            if parameter.kind == ParameterKind::Axes && parameter.name == "axis" {
                check_axes(object, record)?;
            }
            let rounded = match self.signature.rounded.iter().find(|(name, _)| *name == parameter.name) {
                Some((_, rounding)) => rounded(object, *rounding)?,
                None => None,
            };
            let rounded = match (self.signature.cyclic, values.first()) {
                (Some(name), Some(Some(Value::Array(a)))) if name == parameter.name => remainders(object, a.size())?,
                _ => rounded,
            };
            let object = rounded.as_ref().unwrap_or(object);
            // Indices at which arrays are split determine shapes: they must be on the host.
            let cut = parameter.kind == ParameterKind::Sections && parameter.name == "indices_or_sections";
            let value = match array_of(object) {
                Some(a) if cut && a.ndim() > 0 => integers(&object.call_method0("tolist")?).map(Some),
                _ => value(object, parameter),
            };
            values.push(value.map_err(|e| named(object.py(), e, record, parameter))?);
        }
        if !strong.is_empty() {
            let (positions, mut operands): (SmallVec<[usize; 3]>, SmallVec<[PassedOperand<'_>; 3]>) =
                strong.into_iter().unzip();
            let arrays =
                values.iter().find_map(|value| if let Some(Value::Array(a)) = value { Some(a.dtype()) } else { None });
            convert::settle(record.name(), &mut operands, arrays, false)?;
            for (at, operand) in positions.into_iter().zip(operands) {
                values[at] = Some(match operand {
                    PassedOperand::Array(a) => Value::Array(a.get().array().clone()),
                    PassedOperand::Weak(s) | PassedOperand::Strong(_, s) => Value::Scalar(s),
                    PassedOperand::Made(a) => Value::Array(a),
                    PassedOperand::Huge(object) => return Err(convert::unsupported(&object)),
                });
            }
        }
        if self.signature.common_dtype {
            for (at, array) in weak_at.into_iter().zip(with_weak_numbers(&weak)?) {
                values[at] = Some(Value::Array(array));
            }
        }
        if let Some(object) = slots.iter().flatten().next() {
            crate::warnings::of_call(object.py(), record, &values)?;
        }
        Ok(Arguments::with_gaps(values))
    }

    /// Converts an operand: for a ufunc by the rule of ufuncs, for another function anything that becomes an array.
    fn operand<'py>(&self, object: &Bound<'py, PyAny>) -> PyResult<Option<PassedOperand<'py>>> {
        if self.on_device {
            return convert::operand(object)?
                .map_or_else(|| Err(convert::unsupported(object)), |given| Ok(Some(given)));
        }
        match convert::given_of_any_size(object)? {
            Some(given) => Ok(Some(given)),
            None => Ok(Some(PassedOperand::Made(array(object)?))),
        }
    }
}

/// Rounds a float to an integer; `None` for anything else.
fn rounded<'py>(object: &Bound<'py, PyAny>, rounding: Rounding) -> PyResult<Option<Bound<'py, PyAny>>> {
    let x = match convert::number(object)? {
        Some(Scalar::Float(x)) => x,
        Some(_) => return Ok(None),
        None => match convert::numpy_number(object)? {
            Some((_, Scalar::Float(x))) => x,
            None if rounding == Rounding::Exact
                && (array_of(object).is_some() || object.is_instance_of::<PyUntypedArray>()) =>
            {
                match scalar(object)? {
                    Scalar::Float(x) => x,
                    one => return convert::scalar_object(object.py(), one).map(Some),
                }
            }
            _ => return Ok(None),
        },
    };
    let x = match rounding {
        Rounding::Cut => x.trunc(),
        Rounding::Ceil => x.ceil(),
        Rounding::Exact if x.fract() != 0.0 => {
            return crate::errors::value_error(format!("an integer is expected, not {x}"));
        }
        Rounding::Exact => x,
    };
    // Python rejects numbers that are not finite.
    PyFloat::new(object.py(), x).call_method0("__int__").map(Some)
}

/// Returns the remainders of integers by the number of elements if there are some of too many bits.
fn remainders<'py>(object: &Bound<'py, PyAny>, size: usize) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = object.py();
    if convert::lengths(object).map_or_else(|e| !e.is_instance_of::<PyOverflowError>(py), |_| true) {
        return Ok(None);
    }
    let remainder = |n: &Bound<'py, PyAny>| n.rem(size.max(1));
    if !is_sequence(object) {
        return remainder(object).map(Some);
    }
    let all = object.try_iter()?.map(|n| remainder(&n?)).collect::<PyResult<Vec<_>>>()?;
    Ok(Some(PyTuple::new(py, all)?.into_any()))
}

/// Returns true if an argument is one scalar, of Python or of NumPy.
fn is_number(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(matches!(
        convert::given_of_any_size(object)?,
        Some(PassedOperand::Weak(_) | PassedOperand::Huge(_) | PassedOperand::Strong(..))
    ))
}

/// Converts a value that is written to elements of a dtype. A NumPy scalar wraps, a Python scalar must fit.
pub(crate) fn written(object: &Bound<'_, PyAny>, dtype: DType) -> PyResult<Array> {
    match convert::numpy_number(object)? {
        Some((own, s)) => {
            crate::warnings::complex_to_real(object.py(), own, dtype)?;
            convert::strong(own, s)?.astype(dtype).or_raise()
        }
        None => convert::as_array(object, Some(dtype)),
    }
}

/// Converts objects to arrays where Python scalars take the dtype of the arrays, as they do as operands; integers wrap.
fn with_weak_numbers(items: &[Bound<'_, PyAny>]) -> PyResult<Vec<Array>> {
    let numbers = items.iter().map(convert::python_number).collect::<PyResult<Vec<_>>>()?;
    let arrays = items.iter().zip(&numbers).map(|(item, number)| match number {
        Some(s) => convert::strong(cuprum::result_type(&[(*s).into()]).or_raise()?, *s),
        None => array(item),
    });
    let mut arrays = arrays.collect::<PyResult<Vec<Array>>>()?;
    if numbers.iter().any(Option::is_some) && numbers.iter().any(Option::is_none) {
        let types: Vec<OperandType> =
            arrays.iter().zip(&numbers).map(|(a, s)| s.map_or(a.dtype().into(), OperandType::from)).collect();
        let dtype = cuprum::result_type(&types).or_raise()?;
        for (a, _) in arrays.iter_mut().zip(&numbers).filter(|(_, number)| number.is_some()) {
            *a = a.astype(dtype).or_raise()?;
        }
    }
    Ok(arrays)
}

/// Rejects a sequence of axes where NumPy only takes an integer or a tuple.
fn check_axes(object: &Bound<'_, PyAny>, record: &Record) -> PyResult<()> {
    let axis = record.python().axis;
    if !record.namespace().starts_with("numpy") || axis == AxisForm::Sequence {
        return Ok(());
    }
    let one = axis == AxisForm::Integer;
    let accepted = if one { "an integer" } else { "an integer or a tuple of integers" };
    let is_array = object.is_instance_of::<PyUntypedArray>() || array_of(object).is_some();
    if object.is_instance_of::<PyList>()
        || (one && object.is_instance_of::<PyTuple>())
        || (is_array && object.getattr("ndim")?.gt(0)?)
    {
        let class = object.get_type().name()?;
        return type_error(format!("{}: `axis` must be {accepted}, not {class}", record.name()));
    }
    Ok(())
}

/// Rejects an unknown `kind` of `partition`: NumPy names one, which does not affect the result here.
fn way_of_partition(kind: &Bound<'_, PyAny>, record: &Record) -> PyResult<()> {
    if kind.is_none() || kind.eq("introselect")? {
        return Ok(());
    }
    if !kind.is_instance_of::<PyString>() {
        return type_error(format!("{}: kind is a text, not {}", record.name(), kind.get_type().name()?));
    }
    crate::errors::value_error(format!("{}: kind is {kind:?}: introselect is the only one", record.name()))
}

/// Prefixes the error of an argument with the names of the function and of the parameter.
fn named(py: Python<'_>, e: PyErr, record: &Record, parameter: &Parameter) -> PyErr {
    if e.is_instance_of::<pyo3::exceptions::PyTypeError>(py) {
        let said = format!("{}: the parameter `{}`: {}", record.name(), parameter.name, e.value(py));
        return PyErr::from_type(e.get_type(py), (said,));
    }
    e
}

/// Converts an object to an array, except a string.
fn array(object: &Bound<'_, PyAny>) -> PyResult<Array> {
    if convert::is_text(object) { Err(convert::unsupported(object)) } else { convert::as_array(object, None) }
}

/// Converts to a scalar: of Python, of NumPy, or the only element of an array.
fn scalar(object: &Bound<'_, PyAny>) -> PyResult<Scalar> {
    if let Some(s) = convert::number(object)? {
        return Ok(s);
    }
    if let Some((_, s)) = convert::numpy_number(object)? {
        return Ok(s);
    }
    if let Some(a) = array_of(object) {
        return a.to_scalar().or_raise();
    }
    match object.cast::<PyUntypedArray>() {
        Ok(host) if host.len() == 1 => scalar(&host.call_method0("item")?),
        _ => type_error(format!("a number is expected, not {}", object.get_type().name()?)),
    }
}

/// Converts a boolean to an integer where it is used as a number.
fn counted(s: Scalar) -> Scalar {
    match s {
        Scalar::Bool(b) => Scalar::Int(b.into()),
        other => other,
    }
}

fn list(object: &Bound<'_, PyAny>, one: impl Fn(&Bound<'_, PyAny>) -> PyResult<Value>) -> PyResult<Value> {
    object.try_iter()?.map(|item| one(&item?)).collect::<PyResult<Vec<Value>>>().map(Value::List)
}

fn integers(object: &Bound<'_, PyAny>) -> PyResult<Value> {
    Ok(Value::Integers(convert::integers(object)?.into_vec()))
}

/// Converts an argument to a value; `None` if the parameter keeps its default.
pub(crate) fn value(object: &Bound<'_, PyAny>, parameter: &Parameter) -> PyResult<Option<Value>> {
    if object.is_none() {
        // `None` is the default of a parameter that has one and does not accept `None`.
        let kept = !parameter.optional
            && parameter.default.is_some()
            && matches!(parameter.kind, ParameterKind::Choice(_) | ParameterKind::DType | ParameterKind::Ranges);
        // As in NumPy.
        if parameter.kind == ParameterKind::Bool && !parameter.optional {
            return Ok(Some(Value::from(false)));
        }
        return Ok(if kept { None } else { Some(Value::None) });
    }
    // The default of NumPy's reductions: there is no mask, and so no initial value is required.
    if parameter.name == "where"
        && parameter.default.is_some()
        && object.cast::<PyBool>().is_ok_and(|one| one.is_true())
    {
        return Ok(None);
    }
    if let ParameterKind::Arrays | ParameterKind::DTypes | ParameterKind::Sides | ParameterKind::Choice(_) =
        parameter.kind
    {
        convert::not_too_deep(object)?;
    }
    let value = match parameter.kind {
        // A list of scalars is a mask, and so is a scalar.
        ParameterKind::Array if parameter.name == "where" && is_sequence(object) => {
            Value::Array(convert::as_array(object, Some(DType::Bool))?)
        }
        ParameterKind::Array
            if parameter.name == "where" && is_number(object)? && !object.is_instance_of::<PyUntypedArray>() =>
        {
            Value::Array(convert::strong(DType::Bool, Scalar::Bool(object.is_truthy()?))?)
        }
        ParameterKind::Array => Value::Array(array(object)?),
        ParameterKind::Operand => operand(object)?,
        // A generator, which could be read only once, is no sequence in NumPy either.
        ParameterKind::Arrays if !object.hasattr(pyo3::intern!(object.py(), "__getitem__"))? => {
            let class = object.get_type().name()?;
            return type_error(format!("arrays must be passed as a sequence such as a list or a tuple, not {class}"));
        }
        ParameterKind::Arrays => nested(object)?,
        ParameterKind::Operands => list(object, operand)?,
        ParameterKind::Scalar => Value::Scalar(scalar(object)?),
        ParameterKind::Int | ParameterKind::Axis => Value::from(convert::index(object)?),
        ParameterKind::Integers | ParameterKind::Axes => integers(object)?,
        ParameterKind::Shape => Value::Integers(convert::lengths(object)?.into_vec()),
        // The name of a norm in place of its order.
        ParameterKind::Float if object.is_instance_of::<PyString>() => Value::from(object.extract::<&str>()?),
        // NumPy compares a complex tolerance by its real part first.
        ParameterKind::Float if parameter.name == "tol" => match convert::numpy_number(object)? {
            Some((_, Scalar::Complex(z))) => Value::Scalar(Scalar::Float(z.re)),
            _ => Value::Scalar(counted(scalar(object)?)),
        },
        ParameterKind::Float => Value::Scalar(counted(scalar(object)?)),
        ParameterKind::Bool if parameter.name == "copy" => {
            Value::from(object.extract::<convert::Copying>()?.0.unwrap_or(false))
        }
        ParameterKind::Bool => Value::from(object.is_truthy()?),
        ParameterKind::DType => Value::DType(dtypes::of(object)?),
        ParameterKind::DTypes => dtypes_of(object)?,
        ParameterKind::Sections => match array_of(object) {
            Some(a) if a.ndim() > 0 => Value::Array(a.clone()),
            _ => match convert::index(object) {
                Ok(one) => Value::from(one),
                // Booleans select elements.
                Err(_) if is_mask(object)? => Value::Array(convert::as_array(object, None)?),
                Err(_) => integers(object)?,
            },
        },
        // The axes of two arrays are no pair of ends: a list of one is that for one array.
        ParameterKind::Sides => sides(object, parameter.name != "axes")?,
        ParameterKind::Choice(names) => choice(object, names)?,
        ParameterKind::Text => Value::from(object.extract::<&str>()?),
        ParameterKind::Texts => list(object, |one| Ok(Value::from(one.extract::<&str>()?)))?,
        ParameterKind::Quantiles => match array_of(object) {
            Some(a) => Value::Array(a.clone()),
            None if object.is_instance_of::<PyUntypedArray>() => Value::Array(convert::as_array(object, None)?),
            None if is_sequence(object) => Value::Array(convert::as_array(object, None)?),
            // A boolean is an integer quantile of NumPy's default dtype.
            None if object.is_instance_of::<PyBool>() => {
                Value::Array(convert::strong(DType::I64, Scalar::Int(object.is_truthy()?.into()))?)
            }
            // A NumPy scalar has a dtype of its own, which counts.
            None => match convert::numpy_number(object)? {
                Some((dtype, s)) => Value::Array(convert::strong(dtype, s)?),
                None => Value::Scalar(counted(scalar(object)?)),
            },
        },
        ParameterKind::Bins => bins(object)?,
        ParameterKind::BinsOfAxes => {
            if is_sequence(object) {
                list(object, bins)?
            } else {
                bins(object)?
            }
        }
        ParameterKind::Range => list(object, |end| Ok(Value::Scalar(scalar(end)?)))?,
        ParameterKind::Ranges => list(object, |ends| {
            if ends.is_none() { Ok(Value::None) } else { list(ends, |end| Ok(Value::Scalar(scalar(end)?))) }
        })?,
        _ => return type_error("a parameter of a kind that Python does not know"),
    };
    Ok(Some(value))
}

/// Returns true for a list or a host array of booleans.
fn is_mask(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    if let Ok(host) = object.cast::<PyUntypedArray>() {
        return Ok(dtypes::known(&host.dtype()) == Some(DType::Bool));
    }
    Ok(is_sequence(object) && object.len()? > 0 && object.get_item(0)?.is_instance_of::<PyBool>())
}

fn operand(object: &Bound<'_, PyAny>) -> PyResult<Value> {
    match convert::given(object)? {
        Some(PassedOperand::Weak(s)) => Ok(Value::Scalar(s)),
        Some(PassedOperand::Strong(dtype, s)) => convert::strong(dtype, s).map(Value::Array),
        Some(PassedOperand::Array(a)) => Ok(Value::Array(a.get().array().clone())),
        Some(PassedOperand::Made(a)) => Ok(Value::Array(a)),
        Some(PassedOperand::Huge(_)) | None => array(object).map(Value::Array),
    }
}

/// Converts nested lists of arrays, as in `block`. An array is split along its first axis.
fn nested(object: &Bound<'_, PyAny>) -> PyResult<Value> {
    if let Some(a) = array_of(object)
        && a.ndim() == 0
    {
        return Ok(Value::Array(a.clone()));
    }
    list(object, |item| if holds_arrays(item) { nested(item) } else { array(item).map(Value::Array) })
}

/// Returns true if a list, or lists within, contains arrays of the package: a list of scalars alone is an array itself.
fn holds_arrays(object: &Bound<'_, PyAny>) -> bool {
    let Ok(list) = object.cast::<PyList>() else { return false };
    list.iter().any(|item| array_of(&item).is_some() || holds_arrays(&item))
}

fn dtypes_of(object: &Bound<'_, PyAny>) -> PyResult<Value> {
    if let Some(a) = array_of(object) {
        return Ok(Value::Array(a.clone()));
    }
    if let Some(s) = convert::python_number(object)? {
        return Ok(Value::Scalar(s));
    }
    if let Some((dtype, _)) = convert::numpy_number(object)? {
        return Ok(Value::DType(dtype));
    }
    if let Ok(host) = object.cast::<PyUntypedArray>() {
        return Ok(Value::DType(dtypes::of_descr(&host.dtype())?));
    }
    if object.is_instance_of::<PyList>() || (object.is_instance_of::<PyTuple>() && !object.is_instance_of::<PyType>()) {
        return list(object, dtypes_of);
    }
    Ok(Value::DType(dtypes::of(object)?))
}

/// Reads numbers for both ends of each axis. One number in a list applies to both ends, as in NumPy.
pub(crate) fn sides(object: &Bound<'_, PyAny>, of_ends: bool) -> PyResult<Value> {
    if object.is_instance_of::<PyUntypedArray>() || array_of(object).is_some_and(|a| a.ndim() > 0) {
        return sides(&object.call_method0("tolist")?, of_ends);
    }
    if !is_sequence(object) {
        return Ok(Value::Scalar(scalar(object)?));
    }
    if of_ends && object.len()? == 1 {
        return sides(&object.get_item(0)?, of_ends);
    }
    list(object, |ends| {
        if of_ends && is_sequence(ends) && ends.len()? == 1 {
            let both = scalar(&ends.get_item(0)?)?;
            return Ok(Value::List(vec![Value::Scalar(both), Value::Scalar(both)]));
        }
        sides(ends, of_ends)
    })
}

fn bins(object: &Bound<'_, PyAny>) -> PyResult<Value> {
    if let Ok(name) = object.cast::<PyString>() {
        return Ok(Value::from(name.to_str()?));
    }
    if let Some(a) = array_of(object) {
        return Ok(if a.ndim() == 0 { Value::Scalar(scalar(object)?) } else { Value::Array(a.clone()) });
    }
    if is_sequence(object) || object.cast::<PyUntypedArray>().is_ok_and(|host| host.ndim() > 0) {
        return Ok(Value::Array(convert::as_array(object, None)?));
    }
    Ok(Value::from(convert::index(object)?))
}

fn choice(object: &Bound<'_, PyAny>, names: &[&str]) -> PyResult<Value> {
    if is_sequence(object) {
        // A list of numbers is no list of names, but a contraction path.
        let mut items = object.try_iter()?;
        let numbers = object.len()? > 0 && items.all(|one| one.is_ok_and(|one| one.is_exact_instance_of::<PyInt>()));
        return if numbers { integers(object) } else { list(object, |one| choice(one, names)) };
    }
    let Ok(name) = object.cast::<PyString>() else {
        // NumPy accepts numbers for these.
        if names == ["valid", "same", "full"] && object.is_instance_of::<PyInt>() {
            let at = convert::index(object)?;
            return match usize::try_from(at).ok().and_then(|at| names.get(at)) {
                Some(name) => Ok(Value::from(*name)),
                None => crate::errors::value_error(format!("{at} is none of 0 (valid), 1 (same) and 2 (full)")),
            };
        }
        if object.is_instance_of::<PyBool>() || names.is_empty() {
            return Ok(Value::from(object.is_truthy()?));
        }
        return type_error(format!("one of {} is expected, not {}", names.join(", "), object.get_type().name()?));
    };
    let name = name.to_str()?;
    // Single letters and the ends of `trim_zeros` are case-insensitive.
    let (upper, lower) = (name.to_uppercase(), name.to_lowercase());
    let said = [name, upper.as_str(), lower.as_str()].into_iter().find(|said| names.contains(said));
    Ok(Value::from(said.filter(|_| name.len() <= 2).unwrap_or(name)))
}
