//! User-defined functions over the last axes of their operands: products as [`GeneralizedUfunc`]s, compared with the
//! oracle's products.

use cuprum::table::Value;
use cuprum::{Array, Casting, CoreAxes, Error, ErrorKind, GeneralizedUfunc, GufuncOptions, Operand, Order, Result};

use crate::call::Call;
use crate::subject::value;

/// Returns the function of an operation, `matmul.gufunc`; `None` for others. That of `matmul` is called for each core
/// operand, the others with whole batches.
fn function(op: &str) -> Option<Result<GeneralizedUfunc>> {
    let name = op.strip_suffix(".gufunc")?;
    let two = |f: fn(&Array, &Array) -> Result<Array>| move |x: &[Array]| Ok(vec![f(&x[0], &x[1])?]);
    Some(match name {
        "matmul" => GeneralizedUfunc::new(name, "(m?,n),(n,p?)->(m?,p?)", two(|a, b| cuprum::matmul(a, b))),
        "vecdot" => GeneralizedUfunc::batched(name, "(n),(n)->()", two(|a, b| cuprum::vecdot(a, b, ()))),
        "matvec" => GeneralizedUfunc::batched(name, "(m,n),(n)->(m)", two(|a, b| cuprum::matvec(a, b, ()))),
        other => Err(Error::new(ErrorKind::Value, format!("{other} is no generalised function of the harness"))),
    })
}

/// Calls the function of such an operation; `None` for another one.
///
/// # Errors
/// The library's, and a message for a parameter that such functions do not have.
pub fn called(op: &str, call: &Call, operands: &[Operand<'_>]) -> Option<Result<Vec<Array>>> {
    let function = function(op)?;
    Some(function.and_then(|function| with_options(&function, call, operands)))
}

fn with_options(function: &GeneralizedUfunc, call: &Call, operands: &[Operand<'_>]) -> Result<Vec<Array>> {
    let mut options = GufuncOptions::default();
    let mut out = None;
    let mut arrays = vec![];
    for (name, argument) in &call.arguments {
        let given = value(argument, operands)?;
        match (name.as_str(), given) {
            ("x1" | "x2", Value::Array(a)) => arrays.push(a),
            ("out", Value::Array(a)) => out = Some(a),
            ("axis", Value::Scalar(cuprum::Scalar::Int(axis))) => options.axis = Some(axis as isize),
            ("axis", Value::Integers(all)) if all.len() == 1 => options.axis = Some(all[0]),
            ("axes", given) => options.axes = Some(core_axes(&given)?),
            ("keepdims", Value::Scalar(truth)) => {
                options.keepdims = matches!(truth, cuprum::Scalar::Bool(true) | cuprum::Scalar::Int(1));
            }
            ("dtype", Value::DType(dtype)) => options.dtype = Some(dtype),
            ("casting", Value::Text(text)) => options.casting = casting(&text)?,
            ("order", Value::Text(text)) => options.order = Some(order(&text)?),
            (name, given) => return Err(unknown(name, &given)),
        }
    }
    let operands: Vec<&Array> = arrays.iter().collect();
    options.out = out.iter().map(Some).collect();
    function.call_with(&operands, &options)
}

fn casting(text: &str) -> Result<Casting> {
    let known = [Casting::No, Casting::Equiv, Casting::Safe, Casting::SameKind, Casting::Unsafe];
    let found = ["no", "equiv", "safe", "same_kind", "unsafe"].iter().position(|name| *name == text);
    found.map(|k| known[k]).ok_or_else(|| unknown("casting", &Value::Text(text.into())))
}

fn order(text: &str) -> Result<Order> {
    let known = [Order::C, Order::F, Order::A, Order::K];
    let found = ["C", "F", "A", "K"].iter().position(|name| *name == text);
    found.map(|k| known[k]).ok_or_else(|| unknown("order", &Value::Text(text.into())))
}

fn unknown(name: &str, given: &Value) -> Error {
    Error::new(ErrorKind::NotImplemented, format!("a generalised function is passed {name} = {given:?}"))
}

/// Reads an entry for each array: an axis, or a list of axes.
fn core_axes(given: &Value) -> Result<CoreAxes> {
    let one = |entry: &Value| -> Result<Vec<isize>> {
        match entry {
            Value::Integers(all) => Ok(all.clone()),
            Value::Scalar(cuprum::Scalar::Int(axis)) => Ok(vec![*axis as isize]),
            Value::List(all) => all
                .iter()
                .map(|axis| match axis {
                    Value::Scalar(cuprum::Scalar::Int(axis)) => Ok(*axis as isize),
                    other => Err(unknown("axes", other)),
                })
                .collect(),
            other => Err(unknown("axes", other)),
        }
    };
    match given {
        Value::Integers(all) => Ok(CoreAxes::listed(all.iter().map(|&axis| vec![axis]))),
        Value::List(all) => Ok(CoreAxes::listed(all.iter().map(one).collect::<Result<Vec<_>>>()?)),
        other => Err(unknown("axes", other)),
    }
}
