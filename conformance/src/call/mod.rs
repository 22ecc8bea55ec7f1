//! The call of a case by name: the arguments that both sides receive.
//!
//! The parameters of a case are text, `axis=-1;mode=wrap`. They are parsed by the kinds in the library's record; the
//! oracle has a table of its own and rejects what it does not know.

mod coefficients;
mod made;
mod matrices;
mod names;

pub use names::{path, path_of};

use cuprum::table::{Parameter, ParameterKind, Record, find};
use cuprum_kernels::DType;

use crate::case::{Case, Layout, Operand, Scalar, Setting};
use crate::extra::own;
use crate::matrix::Op;
use crate::operand::Input;
use crate::outcome::Tensor;
use crate::text::{integers, split_outside};

/// An argument, independent of either side.
#[derive(Clone, Debug)]
pub enum Argument {
    /// Python's `None`.
    None,
    /// A number, or a boolean.
    Scalar(Scalar),
    /// A dtype.
    DType(DType),
    /// A string.
    Text(String),
    /// Integers: axes, a shape, positions.
    Integers(Vec<i64>),
    /// The operand at this index, an array or a scalar.
    Operand(usize),
    /// An array that is created for the call.
    Made(Tensor),
    /// An array that is created for the call, with a negative stride in the device's memory.
    Backwards(Tensor),
    /// A number as a 0-d array.
    Full(Scalar, DType),
    /// A list of arguments.
    List(Vec<Argument>),
}

/// A call of a function by name.
#[derive(Clone, Debug)]
pub struct Call {
    /// The path of the function: `numpy.take`.
    pub path: String,
    /// The arguments, by NumPy's names of the parameters.
    pub arguments: Vec<(String, Argument)>,
    /// The dtype of an output array, which is created once the shape of the result is known.
    pub into: Option<DType>,
}

impl Call {
    /// Creates a call without arguments.
    pub fn new(path: impl Into<String>) -> Call {
        Call { path: path.into(), arguments: vec![], into: None }
    }

    /// Returns the call with one more argument.
    #[must_use]
    pub fn with(mut self, name: &str, argument: Argument) -> Call {
        self.arguments.push((name.into(), argument));
        self
    }

    /// Returns the index of the operand to which the result is written.
    pub fn out(&self) -> Option<usize> {
        self.arguments.iter().find_map(|(name, argument)| match argument {
            Argument::Operand(index) if name == "out" => Some(*index),
            _ => None,
        })
    }

    /// Builds the call of a case that creates an array with the operand's dtype, shape and order.
    ///
    /// # Errors
    /// As [`Call::of`].
    pub fn creation(op: &Op, case: &Case) -> Result<Call, String> {
        let Some(Operand::Array { dtype, shape, layout }) = case.operands.first() else {
            return Err("creation takes dtype, shape and order".into());
        };
        let mut call = Call::of(op, case, &[])?;
        // Each is passed if the function has the parameter: none for a window, the dtype alone for a range.
        let parameters = find(&call.path).map_err(|e| e.to_string())?.parameters();
        let order = if *layout == Layout::F { "F" } else { "C" };
        for (name, argument) in [
            ("dtype", Argument::DType(*dtype)),
            ("shape", Argument::Integers(shape.0.iter().map(|n| *n as i64).collect())),
            ("order", Argument::Text(order.into())),
        ] {
            if parameters.iter().any(|p| p.name == name) {
                call = call.with(name, argument);
            }
        }
        Ok(call)
    }

    /// Builds the call of a case with these operands: `None` for a scalar.
    ///
    /// # Errors
    /// A message, if the table has no such function, or the function no such parameter.
    pub fn of(op: &Op, case: &Case, operands: &[Option<&Tensor>]) -> Result<Call, String> {
        let path = path(op)?;
        let record = find(&path).map_err(|e| e.to_string())?;
        let mut call = Call::new(path);
        call.arguments = made::operands(op, case, record, operands)?;
        call.into = case.params.parsed("into")?;
        let mut rest = op.operands;
        for (key, text) in case.params.pairs() {
            match key.as_str() {
                // These follow the operands, in this order (see [`crate::extra`]).
                "out" | "where" => {
                    let index = Some(text.as_str()).and_then(|text| own(op, text)).filter(|_| key == "out");
                    call = call.with(key, Argument::Operand(index.unwrap_or(rest)));
                    rest += usize::from(index.is_none());
                }
                "into" => {}
                _ if Setting::NAMES.contains(&key.as_str()) => {}
                _ => match made::special(op, case, operands, key, text)? {
                    Some(arguments) => call.arguments.extend(arguments),
                    None => {
                        let name = op.keywords.get(key).map_or(key.as_str(), String::as_str);
                        let parameter = record.parameters().iter().find(|p| p.name == name);
                        let parameter = parameter.ok_or_else(|| format!("{record:?} has no parameter {name}"))?;
                        call = call.with(name, parsed(parameter, text)?);
                    }
                },
            }
        }
        Ok(call)
    }
}

/// Returns the elements of the arrays among the inputs.
pub fn logical(inputs: &[Input]) -> Vec<Option<&Tensor>> {
    fn of(input: &Input) -> Option<&Tensor> {
        match input {
            Input::Array(placed) => Some(&placed.logical),
            Input::Scalar(_) => None,
        }
    }
    inputs.iter().map(of).collect()
}

/// Parses the text of a parameter by its kind.
fn parsed(parameter: &Parameter, text: &str) -> Result<Argument, String> {
    let scalar = || text.parse().map(Argument::Scalar);
    if text == "None" {
        return Ok(Argument::None);
    }
    match parameter.kind {
        ParameterKind::Bool => Ok(Argument::Scalar(Scalar::Bool(text == "1"))),
        ParameterKind::Axis | ParameterKind::Axes | ParameterKind::Integers | ParameterKind::Shape => {
            let all = integers(text)?;
            match (parameter.kind, &all[..]) {
                (ParameterKind::Axis, [one]) => Ok(Argument::Scalar(Scalar::Int((*one).into()))),
                (ParameterKind::Axis, _) => Err(format!("{}={text} is no axis", parameter.name)),
                _ => Ok(Argument::Integers(all)),
            }
        }
        ParameterKind::DType => text.parse().map(Argument::DType).map_err(|_| format!("`{text}` is no dtype")),
        ParameterKind::Choice(_) | ParameterKind::Text => Ok(Argument::Text(text.into())),
        ParameterKind::Operand if text == "self" => Ok(Argument::Operand(0)),
        ParameterKind::Array if text == "self" => Ok(Argument::Operand(0)),
        ParameterKind::Float if parameter.name == "ord" => scalar().or_else(|_| Ok(Argument::Text(text.into()))),
        ParameterKind::Bins => scalar().or_else(|_| Ok(Argument::Text(text.into()))),
        ParameterKind::Range => {
            let ends = integers(text)?.into_iter().map(|end| Argument::Scalar(Scalar::Float(end as f64)));
            Ok(Argument::List(ends.collect()))
        }
        ParameterKind::Sections => match text.parse::<i64>() {
            Ok(one) => Ok(Argument::Scalar(Scalar::Int(one.into()))),
            Err(_) => integers(text).map(Argument::Integers),
        },
        ParameterKind::Sides => sides(text),
        ParameterKind::Quantiles => made::quantiles(text),
        ParameterKind::Scalar | ParameterKind::Operand | ParameterKind::Int | ParameterKind::Float => scalar(),
        other => Err(format!("the parameter {} takes {other:?}, which has no text", parameter.name)),
    }
}

/// Parses `2`, `(1,2)` or `((1,2),(0,3))`.
fn sides(text: &str) -> Result<Argument, String> {
    match text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) {
        None => text.parse().map(Argument::Scalar),
        Some(all) => {
            let parts = split_outside(all, ',').into_iter().map(str::trim).filter(|part| !part.is_empty());
            parts.map(sides).collect::<Result<_, _>>().map(Argument::List)
        }
    }
}

/// Returns the names of the first operands in a record.
fn operand_names(record: &Record) -> Vec<String> {
    record.parameters().iter().map(|p| p.name.to_string()).collect()
}
