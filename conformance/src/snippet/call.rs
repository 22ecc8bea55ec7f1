//! The call of an operation in Rust, for each kind of operation.

use std::fmt::Write;

use cuprum_kernels::DType;

use super::Subject;
use super::rust::{array, buffer, operand, scalar, shape, slice, views};
use crate::case::{Case, Layout, Operand, Scalar};
use crate::extra::{Target, parts};
use crate::matrix::OpKind;
use crate::operand::Input;
use crate::text::{Key, keys, made_for};

/// Returns the lines before the call, and the call; `None` for calls that only the harness can make.
pub(super) fn call(subject: &Subject<'_>) -> Option<(String, String)> {
    if subject.op.kind == OpKind::Method {
        return method(subject);
    }
    let mut before = String::new();
    if subject.op.kind != OpKind::Creation {
        for (input, name) in subject.inputs.iter().zip(subject.names()) {
            before += &operand(name.unwrap_or_default(), input);
        }
    }
    Some((before, plain(subject)?))
}

/// Formats the operands as arguments.
fn operands(subject: &Subject<'_>) -> Vec<String> {
    let one = |(input, name): (&Input, Option<&str>)| match input {
        Input::Array(_) => format!("&{}", name.unwrap_or_default()),
        Input::Scalar(s) => scalar(*s),
    };
    subject.inputs.iter().zip(subject.names()).map(one).collect()
}

/// Formats the tuple that a function of any number of operands takes.
fn tuple(operands: &[String]) -> String {
    match operands {
        [one] => format!("({one},)"),
        several => format!("({})", several.join(", ")),
    }
}

fn list(case: &Case, name: &str) -> Option<Vec<i64>> {
    case.params.integers(name).ok().flatten()
}

fn dtype(case: &Case, name: &str) -> Option<String> {
    let dtype = case.params.parsed::<DType>(name).ok()??;
    Some(format!("cuprum::DType::{dtype:?}"))
}

fn order(case: &Case) -> String {
    format!("cuprum::Order::{}", case.params.get("order").unwrap_or("C"))
}

/// Returns the second operand, if it is a scalar.
fn second(subject: &Subject<'_>) -> Option<Scalar> {
    match subject.inputs.get(1)? {
        Input::Scalar(s) => Some(*s),
        Input::Array(_) => None,
    }
}

fn plain(subject: &Subject<'_>) -> Option<String> {
    let Subject { op, case, .. } = subject;
    Some(match op.kind {
        OpKind::Ufunc => {
            let two = cuprum::ufunc(&op.name).is_ok_and(|u| u.nout() == 2);
            let call = if two { "call_pair" } else { "call" };
            format!("cuprum::ufunc({:?})?.{call}({}, ())?", op.name, tuple(&operands(subject)))
        }
        OpKind::Operator => {
            let sign = match op.name.trim_start_matches("operator_") {
                "add" => "+",
                "subtract" => "-",
                "multiply" => "*",
                "divide" => "/",
                "left_shift" => "<<",
                _ => ">>",
            };
            format!("&a {sign} {}", second(subject).map_or("&b".into(), scalar))
        }
        OpKind::Reduction => format!("cuprum::reduction({:?})?.call(&a, &{})?", op.name, reduce(case, "axis")),
        OpKind::Matmul if second(subject).is_none() => "cuprum::matmul(&a, &b)?".into(),
        OpKind::Getitem => format!("a.index({})?", index(case, "key")?),
        // There is no view of elements that index arrays select.
        OpKind::Setitem
            if index(case, "key")?.contains("cuprum::Array") || index(case, "key")?.contains("Index::Truth") =>
        {
            let value = match (index(case, "from"), second(subject)) {
                (Some(from), _) => format!("&a.index({from})?"),
                (_, Some(s)) => scalar(s),
                _ => "&b".into(),
            };
            format!("{{\n        a.set({}, {value})?;\n        a\n    }}", index(case, "key")?)
        }
        OpKind::Setitem => {
            let set = match (index(case, "from"), second(subject)) {
                (Some(from), _) => format!("assign(&a.index({from})?)"),
                (_, Some(s)) => format!("fill({})", scalar(s)),
                _ => "assign(&b)".into(),
            };
            format!("{{\n        a.index({})?.{set}?;\n        a\n    }}", index(case, "key")?)
        }
        OpKind::Cast => format!("a.astype({})?", dtype(case, "to")?),
        OpKind::Creation => created(case)?,
        OpKind::Manipulation => moved(case)?,
        OpKind::Text if op.name == "str" => "a.to_string()".into(),
        OpKind::Text if op.name == "repr" => "format!(\"{a:?}\")".into(),
        // Each routine has options of its own, which the harness handles.
        OpKind::Matmul | OpKind::Routine | OpKind::Method | OpKind::Text | OpKind::Sparse | OpKind::Spatial => {
            return None;
        }
    })
}

/// Formats axes as an array; an empty one needs its type.
fn axes_of(axes: &[i64]) -> String {
    if axes.is_empty() { "[0isize; 0]".into() } else { format!("{axes:?}") }
}

fn reduce(case: &Case, axis: &str) -> String {
    let mut reduction =
        list(case, axis).map_or("cuprum::Reduce::all()".into(), |a| format!("cuprum::Reduce::axes(&{})", axes_of(&a)));
    if case.params.get("keepdims") == Some("1") {
        reduction += ".keepdims(true)";
    }
    if let Some(dtype) = dtype(case, "dtype") {
        let _ = write!(reduction, ".dtype({dtype})");
    }
    reduction
}

fn index(case: &Case, name: &str) -> Option<String> {
    let part = |key: &Key| match key {
        Key::At(i) => format!("cuprum::Index::At({i})"),
        Key::Slice(a, b, c) => slice(*a, *b, *c),
        Key::NewAxis => "cuprum::Index::NewAxis".into(),
        Key::Ellipsis => "cuprum::Index::Ellipsis".into(),
        Key::Truth(truth) => format!("cuprum::Index::Truth({truth})"),
        Key::List(list) => format!("cuprum::Index::List(vec!{list:?})"),
        Key::Array(made) => format!("cuprum::Index::Array({})", array(made)),
        Key::Made(_) => unreachable!("arrays are made for the operand"),
    };
    let Some(Operand::Array { shape, .. }) = case.operands.first() else { return None };
    let parts: Vec<String> = made_for(keys(case.params.get(name)?).ok()?, &shape.0).iter().map(part).collect();
    Some(format!("[{}]", parts.join(", ")))
}

fn created(case: &Case) -> Option<String> {
    let Some(Operand::Array { dtype, shape: of, layout }) = case.operands.first() else { return None };
    let (of, dtype) = (shape(&of.0), format!("cuprum::DType::{dtype:?}"));
    let number = |name: &str| Some(format!("cuprum::Scalar::from({})", scalar(case.params.parsed(name).ok()??)));
    Some(match case.op.as_str() {
        "empty" => {
            let order = if *layout == Layout::F { "F" } else { "C" };
            format!("cuprum::empty({of}, cuprum::CreationOptions::new().dtype({dtype}).order(cuprum::Order::{order}))?")
        }
        "full" => format!("cuprum::full({of}, {}, {dtype})?", number("value")?),
        "arange" => {
            let (start, stop, step) = (number("start")?, number("stop")?, number("step")?);
            format!("cuprum::arange_of({start}, {stop}, {step}, Some({dtype}))?")
        }
        name @ ("zeros" | "ones") => format!("cuprum::{name}({of}, {dtype})?"),
        _ => return None,
    })
}

fn moved(case: &Case) -> Option<String> {
    let axes = |name: &str| list(case, name);
    let one = |name: &str| axes(name)?.first().copied();
    Some(match case.op.as_str() {
        "reshape" => format!("a.reshape_in(vec!{:?}, {})?", axes("to")?, order(case)),
        "transpose" => axes("axes").map_or("a.t()".into(), |axes| format!("a.transpose(&{})?", axes_of(&axes))),
        "swapaxes" => format!("a.swapaxes({}, {})?", one("a")?, one("b")?),
        "moveaxis" => format!("a.moveaxis(&{}, &{})?", axes_of(&axes("a")?), axes_of(&axes("b")?)),
        "expand_dims" => format!("a.expand_dims(&{})?", axes_of(&axes("axis")?)),
        "squeeze" => format!("a.squeeze({})?", axes("axis").map_or("()".into(), |a| format!("&{}", axes_of(&a)))),
        "broadcast_to" => format!("a.broadcast_to(&{})?", axes_of(&axes("to")?)),
        "copy" => format!("a.copy({})?", order(case)),
        name @ ("ascontiguousarray" | "asfortranarray") => format!("cuprum::{name}(&a)?"),
        _ => return None,
    })
}

/// Formats a method of a ufunc: with `out`, the whole memory of `out` is the result.
fn method(subject: &Subject<'_>) -> Option<(String, String)> {
    let case = subject.case;
    let parts = parts(subject.op, case, subject.inputs);
    let mut before = String::new();
    let shared = match parts.out {
        Target::Own(index) => Some(index),
        Target::Shifted(_) => Some(0),
        Target::New | Target::Given(_) => None,
    };
    for (i, (input, name)) in parts.operands.iter().zip(subject.names()).enumerate() {
        match (input, name) {
            (Input::Array(placed), Some(name)) if shared == Some(i) => {
                let _ = writeln!(before, "    let {name}_buffer = {};", buffer(placed));
                let _ = writeln!(before, "    let {name} = {name}_buffer.clone(){};", views(placed));
            }
            (input, name) => before += &operand(name.unwrap_or_default(), input),
        }
    }
    let mut options = vec![];
    let buffer_of_out = match parts.out {
        Target::New => None,
        Target::Own(0) => {
            options.push("out: Some(&a)".to_string());
            Some("a_buffer")
        }
        Target::Own(1) if subject.op.operands > 1 => {
            options.push("out: Some(&b)".to_string());
            Some("b_buffer")
        }
        Target::Own(_) => {
            options.push("out: Some(&mask)".to_string());
            Some("mask_buffer")
        }
        Target::Shifted(placed) => {
            let _ = writeln!(before, "    let out = a_buffer.clone(){};", views(placed));
            options.push("out: Some(&out)".into());
            Some("a_buffer")
        }
        Target::Given(placed) => {
            let _ = writeln!(before, "    let out_buffer = {};", buffer(placed));
            let _ = writeln!(before, "    let out = out_buffer.clone(){};", views(placed));
            options.push("out: Some(&out)".into());
            Some("out_buffer")
        }
    };
    if let Some(mask) = parts.mask {
        let _ = writeln!(before, "    let mask_buffer = {};", buffer(mask));
        let _ = writeln!(before, "    let mask = mask_buffer.clone(){};", views(mask));
        options.push("where_: Some(&mask)".into());
    }
    let (name, method) = subject.op.name.split_once('.').unwrap_or((&subject.op.name, "call"));
    let call = method_call(subject, method, options)?;
    let call = format!("cuprum::ufunc({name:?})?.{call}?");
    let call = match buffer_of_out {
        None => call,
        Some(buffer) => format!("{{\n        {call};\n        {buffer}\n    }}"),
    };
    Some((before, call))
}

fn method_call(subject: &Subject<'_>, method: &str, mut options: Vec<String>) -> Option<String> {
    let case = subject.case;
    let given = dtype(case, "dtype").map_or("None".into(), |d| format!("Some({d})"));
    if given != "None" && method != "reduce" {
        options.push(format!("dtype: {given}"));
    }
    if matches!(method, "call" | "outer") {
        if let Some(casting) = case.params.get("casting") {
            let (first, rest) = casting.split_at(1);
            let name = if casting == "same_kind" { "SameKind".into() } else { first.to_uppercase() + rest };
            options.push(format!("casting: cuprum::Casting::{name}"));
        }
        if case.params.get("order").is_some() {
            options.push(format!("order: Some({})", order(case)));
        }
    }
    let axis = list(case, "axis").and_then(|a| a.first().copied()).unwrap_or(0);
    Some(match method {
        "call" | "outer" => {
            options.push("..Default::default()".into());
            let options = options.join(", ");
            let operands = operands(subject);
            let operands = if method == "outer" { operands.join(", ") } else { tuple(&operands) };
            format!("{method}({operands}, cuprum::UfuncOptions {{ {options} }})")
        }
        "reduce" => {
            if case.params.get("initial") == Some("None") {
                options.push("no_identity: true".into());
            } else if let Some(initial) = case.params.parsed::<Scalar>("initial").ok()? {
                options.push(format!("initial: Some({}.into())", scalar(initial)));
            }
            options.push("..Default::default()".into());
            let reduction = match case.params.get("axis") {
                None => reduce(case, "axis").replace("Reduce::all()", "Reduce::axes(&[0])"),
                Some("None") => reduce(case, "no axis"),
                Some(_) => reduce(case, "axis"),
            };
            format!("reduce(&a, {reduction}, cuprum::FoldOptions {{ {} }})", options.join(", "))
        }
        "accumulate" | "reduceat" => {
            options.push("..Default::default()".into());
            let options = format!("cuprum::AccumulateOptions {{ {} }}", options.join(", "));
            match method {
                "accumulate" => format!("accumulate(&a, {axis}, {options})"),
                _ => format!("reduceat(&a, {:?}, {axis}, {options})", list(case, "indices")?),
            }
        }
        _ => return None,
    })
}
