//! The `signature` argument of a ufunc's call: the dtypes in which it computes, each passed explicitly; and
//! `resolve_dtypes`, the dtypes that it chooses itself.

use cuprum::{Casting, DType, OperandType, Scalar, Ufunc};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyComplex, PyFloat, PyInt, PyString, PyTuple, PyType};
use smallvec::SmallVec;

use crate::convert::{self, PassedOperand};
use crate::dtypes;
use crate::errors::{OrRaise, in_python, type_error, value_error};

/// The dtype of each operand and of each result, if it is specified.
type Signature = SmallVec<[Option<DType>; 4]>;

/// Returns the dtypes that a signature specifies.
pub(crate) fn parse_signature(f: Ufunc, signature: &Bound<'_, PyAny>) -> PyResult<Signature> {
    let (nin, all) = (f.nin(), f.nin() + f.nout());
    if let Ok(tuple) = signature.cast::<PyTuple>() {
        if tuple.len() == 1 {
            return type_error(format!(
                "{}: a signature of one dtype says too little: use dtype, or None for others",
                f.name()
            ));
        }
        if tuple.len() != all {
            return value_error(format!("{}: a signature has {all} dtypes or None, not {}", f.name(), tuple.len()));
        }
        return tuple.iter().map(|one| if one.is_none() { Ok(None) } else { one_dtype(&one).map(Some) }).collect();
    }
    let text = match signature.cast::<PyBytes>() {
        Ok(bytes) => bytes.call_method0("decode")?.extract::<String>()?,
        Err(_) if signature.is_instance_of::<PyString>() => signature.extract()?,
        Err(_) => return type_error("the signature object to ufunc must be a string or a tuple."),
    };
    if text.chars().count() == 1 {
        return type_error(format!("{}: a signature of one dtype says too little: use dtype", f.name()));
    }
    let parts =
        text.split_once("->").filter(|(ins, outs)| ins.chars().count() == nin && outs.chars().count() == all - nin);
    let Some((ins, outs)) = parts else {
        return value_error(format!(
            "{}: a signature is {nin} letters, an arrow and {}, not {text:?}",
            f.name(),
            all - nin
        ));
    };
    let of_letter = |letter: char| match DType::from_char(letter) {
        Some(dtype) => Ok(Some(dtype)),
        // NumPy's letters for C types with other names, and those of unsupported dtypes.
        None => dtypes::of(&PyString::new(signature.py(), &letter.to_string())).map(Some).map_err(|e| {
            if e.is_instance_of::<pyo3::exceptions::PyValueError>(signature.py()) {
                return e;
            }
            pyo3::exceptions::PyValueError::new_err(format!("{}: {letter:?} is the letter of no dtype", f.name()))
        }),
    };
    ins.chars().chain(outs.chars()).map(of_letter).collect()
}

/// Converts a dtype, or a NumPy scalar class.
fn one_dtype(object: &Bound<'_, PyAny>) -> PyResult<DType> {
    match object.cast::<PyType>() {
        Ok(class) if class.is_subclass(&object.py().import("numpy")?.getattr("dtype")?)? => dtypes::of(&class.call0()?),
        _ => dtypes::of(object),
    }
}

/// Returns the casting rule of a name.
pub(crate) fn casting(f: Ufunc, name: Option<&Bound<'_, PyAny>>) -> PyResult<Casting> {
    let Some(name) = name.filter(|name| !name.is_none()) else { return Ok(Casting::SameKind) };
    Ok(match &*name.extract::<String>()? {
        "no" => Casting::No,
        "equiv" => Casting::Equiv,
        "safe" => Casting::Safe,
        "same_kind" => Casting::SameKind,
        "unsafe" => Casting::Unsafe,
        other => {
            let said =
                format!("{}: there is no casting {other:?}: it is no, equiv, safe, same_kind or unsafe", f.name());
            return value_error(said);
        }
    })
}

/// Returns the dtypes of the loop that a signature selects: operands with unspecified dtypes must be castable safely.
pub(crate) fn loop_of(f: Ufunc, given: &[Option<DType>], operands: &[OperandType]) -> PyResult<Vec<DType>> {
    if given.iter().all(Option::is_none) {
        let mut found = f.resolve_dtypes(operands).or_raise()?;
        // A quotient of integers is computed in floats, though its loop takes integers.
        if f.name() == "true_divide" && found[0].is_integer() {
            found.fill(DType::F64);
        }
        return Ok(found);
    }
    let together: Vec<OperandType> =
        operands.iter().zip(given).map(|(o, dtype)| dtype.map_or(*o, OperandType::Array)).collect();
    let takes = |loop_: &Vec<DType>| -> PyResult<bool> {
        for ((operand, dtype), to) in operands.iter().zip(given).zip(loop_) {
            let from = match operand {
                _ if dtype.is_some() => continue,
                OperandType::Array(dtype) => *dtype,
                OperandType::Scalar(_) => cuprum::result_type(&together).or_raise()?,
            };
            if !cuprum::can_cast(from, *to, Casting::Safe) {
                return Ok(false);
            }
        }
        Ok(true)
    };
    let mut first = None;
    for text in f.types() {
        let loop_: Vec<DType> = text.replace("->", "").chars().filter_map(DType::from_char).collect();
        if loop_.len() == given.len()
            && given.iter().zip(&loop_).all(|(dtype, of)| dtype.is_none_or(|dtype| dtype == *of))
        {
            if takes(&loop_)? {
                return Ok(loop_);
            }
            first.get_or_insert(loop_);
        }
    }
    // As with `dtype`: if only results are specified, operands are cast as `casting` allows.
    if let Some(first) = first.filter(|_| given[..f.nin()].iter().all(Option::is_none)) {
        return Ok(first);
    }
    let names: Vec<_> = given.iter().map(|dtype| dtype.map_or("None", |dtype| dtype.name())).collect();
    type_error(format!("{}: no loop matches the signature ({}) and its operands", f.name(), names.join(", ")))
}

/// Casts an operand to the dtype of a loop.
pub(crate) fn cast<'py>(
    f: Ufunc,
    object: &Bound<'py, PyAny>,
    to: DType,
    casting: Casting,
) -> PyResult<Bound<'py, PyAny>> {
    let rejected = |from: &str| {
        let message = format!("{}: an operand of {from} cannot be cast to {to} under Casting::{casting:?}", f.name());
        type_error(in_python(&message))
    };
    let made = match convert::operand(object)? {
        Some(PassedOperand::Array(a)) => {
            let a = a.get().array().clone();
            if !cuprum::can_cast(a.dtype(), to, casting) {
                return rejected(a.dtype().name());
            }
            a.astype(to).or_raise()?
        }
        Some(PassedOperand::Made(a)) => a.astype(to).or_raise()?,
        Some(PassedOperand::Strong(dtype, _)) if !cuprum::can_cast(dtype, to, casting) => {
            return rejected(dtype.name());
        }
        Some(PassedOperand::Strong(_, s)) => convert::strong(to, s)?,
        Some(PassedOperand::Weak(s)) => {
            let by_itself = operand_type(&PassedOperand::Weak(s));
            if casting != Casting::Unsafe && cuprum::result_type(&[by_itself, to.into()]).or_raise()? != to {
                return rejected("a number of Python's");
            }
            convert::strong(to, s)?
        }
        Some(PassedOperand::Huge(_)) | None => return Err(convert::unsupported(object)),
    };
    Ok(convert::wrap(object.py(), made)?.into_any())
}

/// Returns the type of an operand for promotion.
pub(crate) fn operand_type(given: &PassedOperand<'_>) -> OperandType {
    match given {
        PassedOperand::Strong(dtype, _) => OperandType::Array(*dtype),
        other => (&other.operand()).into(),
    }
}

/// Computes NumPy's `resolve_dtypes`: the dtypes of each operand, then of each result.
pub(crate) fn resolved<'py>(
    f: Ufunc,
    dtypes: &Bound<'py, PyAny>,
    signature: Option<&Bound<'py, PyAny>>,
    casting_name: Option<&Bound<'py, PyAny>>,
    reduction: bool,
) -> PyResult<Bound<'py, PyTuple>> {
    let (py, name, nin, all) = (dtypes.py(), f.name(), f.nin(), f.nin() + f.nout());
    let Ok(given) = dtypes.cast::<PyTuple>() else {
        return type_error(format!("{name}: resolve_dtypes takes a tuple of dtypes"));
    };
    if given.len() != all {
        return type_error(format!("{name}: resolve_dtypes takes {all} dtypes or None, not {}", given.len()));
    }
    let signature_dtypes = match signature.filter(|s| !s.is_none()) {
        Some(signature) => parse_signature(f, signature)?,
        None => smallvec::smallvec![None; all],
    };
    let allowed = casting(f, casting_name)?;
    let dtype_of = |one: &Bound<'py, PyAny>| -> PyResult<DType> {
        match one.cast::<numpy::PyArrayDescr>() {
            Ok(descr) => dtypes::of_descr(descr),
            Err(_) => type_error(format!("{name}: resolve_dtypes takes objects of numpy.dtype, not {one}")),
        }
    };
    if reduction {
        if !given.get_item(0)?.is_none() || !given.get_item(2)?.is_none() || (nin, f.nout()) != (2, 1) {
            return type_error(format!("{name}: of a reduction resolve_dtypes takes (None, dtype, None)"));
        }
        let element = dtype_of(&given.get_item(1)?)?;
        let small = matches!(name, "add" | "multiply") && (element == DType::Bool || element.is_integer());
        let small_unsigned = cuprum::can_cast(element, DType::U64, Casting::Safe) && element != DType::Bool;
        let operand = match (small, small_unsigned) {
            (true, true) => DType::U64,
            (true, false) => DType::I64,
            _ => element,
        };
        let found = loop_of(f, &signature_dtypes, &[operand.into(), operand.into()])?;
        let result = dtypes::object(py, found[2])?;
        return PyTuple::new(py, [result, result, result]);
    }
    let weak = |one: &Bound<'py, PyAny>| -> Option<OperandType> {
        let is = |class: Bound<'py, PyType>| one.is(&class);
        match () {
            () if is(py.get_type::<PyInt>()) => Some(Scalar::Int(0).into()),
            () if is(py.get_type::<PyFloat>()) => Some(Scalar::Float(0.0).into()),
            () if is(py.get_type::<PyComplex>()) => Some(Scalar::Complex(0.0.into()).into()),
            () => None,
        }
    };
    let operands = given.iter().take(nin).map(|one| match weak(&one) {
        Some(weak) => Ok(weak),
        None => dtype_of(&one).map(OperandType::Array),
    });
    let operands = operands.collect::<PyResult<Vec<_>>>()?;
    let found = loop_of(f, &signature_dtypes, &operands)?;
    for (operand, to) in operands.iter().zip(&found) {
        if let OperandType::Array(from) = operand
            && !cuprum::can_cast(*from, *to, allowed)
        {
            return type_error(format!(
                "{name}: an operand of {from} cannot be cast to {to} under Casting::{allowed:?}"
            ));
        }
    }
    for (out, from) in given.iter().zip(&found).skip(nin) {
        if !out.is_none() && !cuprum::can_cast(*from, dtype_of(&out)?, allowed) {
            return type_error(format!(
                "{name}: a result of {from} cannot be cast to {out} under Casting::{allowed:?}"
            ));
        }
    }
    let objects = found.iter().map(|dtype| dtypes::object(py, *dtype)).collect::<PyResult<Vec<_>>>()?;
    PyTuple::new(py, objects)
}
