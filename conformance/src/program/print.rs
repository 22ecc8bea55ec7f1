//! Text form of a program: one line a step, similar to NumPy code.

use std::fmt;

use super::{Action, Program, Ref, Step};
use crate::call::Argument;
use crate::case::Scalar;
use crate::outcome::Tensor;
use crate::text::{Key, row_text};

/// Maximum number of elements that are written out.
const WRITTEN: usize = 24;

impl fmt::Display for Ref {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.result {
            0 => write!(f, "v{}", self.step),
            result => write!(f, "v{}_{result}", self.step),
        }
    }
}

fn tensor(t: &Tensor) -> String {
    let n = t.size();
    let row: Vec<_> = (0..n.min(WRITTEN)).map(|i| t.get(i)).collect();
    let more = if n > WRITTEN { format!(" and {} more", n - WRITTEN) } else { String::new() };
    format!("{} {:?} {}{more}", t.dtype.device_name(), t.shape, row_text(&row))
}

fn scalar(s: Scalar) -> String {
    match s {
        Scalar::Bool(true) => "True".into(),
        Scalar::Bool(false) => "False".into(),
        Scalar::Int(i) => i.to_string(),
        Scalar::Float(x) => format!("{x:?}"),
        Scalar::Imaginary(y) => format!("{y:?}j"),
    }
}

fn argument(a: &Argument, operands: &[Ref]) -> String {
    match a {
        Argument::None => "None".into(),
        Argument::Scalar(s) => scalar(*s),
        Argument::DType(dtype) => dtype.device_name().into(),
        Argument::Text(text) => format!("{text:?}"),
        Argument::Integers(all) => format!("{all:?}"),
        Argument::Operand(index) => operands.get(*index).map_or("?".into(), Ref::to_string),
        Argument::Made(t) | Argument::Backwards(t) => format!("array({})", tensor(t)),
        Argument::Full(s, dtype) => format!("array({}, {})", scalar(*s), dtype.device_name()),
        Argument::List(all) => {
            format!("[{}]", all.iter().map(|a| argument(a, operands)).collect::<Vec<_>>().join(", "))
        }
    }
}

fn key(keys: &[Key]) -> String {
    let end = |end: &Option<i64>| end.map_or(String::new(), |i| i.to_string());
    let part = |key: &Key| match key {
        Key::At(i) => i.to_string(),
        Key::Slice(start, stop, 1) => format!("{}:{}", end(start), end(stop)),
        Key::Slice(start, stop, step) => format!("{}:{}:{step}", end(start), end(stop)),
        Key::NewAxis => "None".into(),
        Key::Ellipsis => "...".into(),
        other => format!("{other:?}"),
    };
    format!("[{}]", keys.iter().map(part).collect::<Vec<_>>().join(", "))
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Ref { step: self.id, result: 0 };
        let of = self.operands.first().map_or(String::new(), Ref::to_string);
        match &self.action {
            Action::Make(t) => write!(f, "{name} = array({})", tensor(t)),
            Action::Index(keys) => write!(f, "{name} = {of}{}", key(keys)),
            Action::View(dtype) => write!(f, "{name} = {of}.view({})", dtype.device_name()),
            Action::Call(call) => {
                let one = |(n, a): &(String, Argument)| format!("{n}={}", argument(a, &self.operands));
                let all: Vec<String> = call.arguments.iter().map(one).collect();
                write!(f, "{name} = {}({})", call.path, all.join(", "))
            }
            Action::Set(keys, value) => write!(f, "{of}{} = {}", key(keys), argument(value, &self.operands)),
            Action::Fill(value) => write!(f, "{of}.fill({})", argument(value, &self.operands)),
        }
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.steps.iter().try_for_each(|step| writeln!(f, "    {step}"))
    }
}
