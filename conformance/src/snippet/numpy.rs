//! The same call with NumPy.

use std::fmt::Write;

use cuprum::table::get;
use cuprum_kernels::DType;

use super::Subject;
use crate::call::path;
use crate::case::{Layout, Operand, Setting};
use crate::extra::{Target, parts};
use crate::matrix::OpKind;
use crate::operand::{Input, Placed, Step};
use crate::outcome::{Number, Tensor};

/// Formats the snippet; `None` for an operation without a counterpart of the same form.
pub(super) fn snippet(subject: &Subject<'_>) -> Option<String> {
    let Subject { op, case, .. } = subject;
    let mut out = String::from("import numpy as np\n");
    let parts = parts(op, case, subject.inputs);
    let arrays = subject.inputs.iter().filter_map(|i| if let Input::Array(p) = i { Some(p.base.dtype) } else { None });
    if arrays.into_iter().any(|d| d == DType::BF16) {
        out += "import ml_dtypes\n";
    }
    if op.family == "special" {
        out += "import scipy.special\n";
    }
    let mut operands = vec![];
    for (input, name) in parts.operands.iter().zip(subject.names()) {
        match (input, name) {
            (Input::Array(placed), Some(name)) if op.kind != OpKind::Creation => {
                let _ = writeln!(out, "{name} = {}", array(placed));
                operands.push(name.to_string());
            }
            _ => {}
        }
    }
    for operand in &case.operands {
        if let Operand::Scalar(text) = operand {
            operands.push(text.clone());
        }
    }
    let extra = match parts.out {
        Target::New => None,
        Target::Own(index) => Some(("out", own(op.operands, index).to_string())),
        Target::Shifted(placed) | Target::Given(placed) => {
            let _ = writeln!(out, "out = {}", array(placed));
            Some(("out", "out".into()))
        }
    };
    let mask = parts.mask.map(|mask| {
        let _ = writeln!(out, "mask = {}", array(mask));
        ("where", "mask".to_string())
    });
    let mut arguments = operands.clone();
    arguments.extend(extra.into_iter().chain(mask).map(|(name, value)| format!("{name}={value}")));
    let named = |without: &[&str]| -> Vec<String> {
        let ours = |name: &str| ["out", "where"].contains(&name) || Setting::NAMES.contains(&name);
        let given = case.params.pairs().iter().filter(|(n, _)| !ours(n));
        given.filter(|(n, _)| !without.contains(&n.as_str())).map(|(n, v)| format!("{n}={}", value(n, v))).collect()
    };
    let given = |name: &str| case.params.get(name);
    let module = if op.family == "special" { "scipy.special" } else { "np" };
    let short = op.name.trim_start_matches("operator_").trim_start_matches("scipy.special.");
    let call = match op.kind {
        OpKind::Getitem => format!("a{}", given("key")?),
        OpKind::Setitem => {
            let value = given("from").map_or_else(|| operands.get(1).cloned(), |from| Some(format!("a{from}")))?;
            let _ = writeln!(out, "a{} = {value}", given("key")?);
            "a".into()
        }
        OpKind::Cast => format!("a.astype({})", dtype(given("to")?.parse().ok()?)),
        OpKind::Creation => created(subject)?,
        OpKind::Manipulation => match short {
            "reshape" => format!("a.reshape({}, order={:?})", given("to")?, given("order").unwrap_or("C")),
            "transpose" => format!("a.transpose({})", given("axes").unwrap_or_default()),
            "swapaxes" => format!("np.swapaxes(a, {}, {})", given("a")?, given("b")?),
            "moveaxis" => format!("np.moveaxis(a, {}, {})", given("a")?, given("b")?),
            "broadcast_to" => format!("np.broadcast_to(a, {})", given("to")?),
            "copy" => format!("a.copy({})", named(&[]).join(", ")),
            name => format!("np.{name}({})", [arguments, named(&[])].concat().join(", ")),
        },
        OpKind::Text if op.name == "array2string" => {
            let keyword = |(name, value): &(String, String)| match name.as_str() {
                "sign" | "floatmode" => format!("{name}={value:?}"),
                _ => format!("{name}={value}"),
            };
            let all = case.params.pairs().iter().map(keyword);
            format!("np.array2string({})", std::iter::once("a".into()).chain(all).collect::<Vec<_>>().join(", "))
        }
        OpKind::Text => format!("{}(a)", op.name),
        OpKind::Method => {
            let name = short.trim_end_matches(".call");
            format!("np.{name}({})", [arguments, named(&[])].concat().join(", "))
        }
        OpKind::Sparse | OpKind::Spatial => return None,
        OpKind::Ufunc | OpKind::Operator | OpKind::Reduction | OpKind::Matmul | OpKind::Routine => {
            // The suffix of a function's name identifies its cases; a ufunc has methods.
            let own =
                short.strip_suffix(".at").is_none() && !short.starts_with("linalg.") && !short.starts_with("ndarray.");
            let short = if own { short.split('.').next().unwrap_or(short) } else { short };
            format!("{module}.{short}({})", [arguments, named(&[])].concat().join(", "))
        }
    };
    let show = match parts.out {
        Target::New => format!("print(repr({call}))"),
        Target::Own(index) => format!("{call}\nprint(repr({}))", own(op.operands, index)),
        _ => format!("{call}\nprint(repr(out))"),
    };
    Some(out + &show)
}

/// Returns the name of the input at an index.
fn own(operands: usize, index: usize) -> &'static str {
    if index == operands { "mask" } else { ["a", "b", "c"].get(index).unwrap_or(&"out") }
}

fn value(name: &str, text: &str) -> String {
    match (name, text.parse::<DType>()) {
        (_, Ok(of)) => dtype(of),
        ("keepdims", _) => if text == "1" { "True" } else { "False" }.into(),
        ("casting" | "order" | "side" | "kind" | "mode" | "method", _) => format!("{text:?}"),
        ("bins", _) if text.chars().all(char::is_alphabetic) => format!("{text:?}"),
        ("indices", _) if text.starts_with('(') => text.replace('(', "[").replace(')', "]"),
        _ => text.into(),
    }
}

fn dtype(of: DType) -> String {
    match of {
        DType::BF16 => "ml_dtypes.bfloat16".into(),
        DType::Bool => "np.bool_".into(),
        of => format!("np.{}", of.name()),
    }
}

fn created(subject: &Subject<'_>) -> Option<String> {
    let case = subject.case;
    let Some(Operand::Array { dtype: of, shape, layout }) = case.operands.first() else { return None };
    let of = dtype(*of);
    Some(match case.op.as_str() {
        "full" => format!("np.full({shape}, {}, dtype={of})", case.params.get("value")?),
        "arange" => {
            let part = |name| case.params.get(name);
            format!("np.arange({}, {}, {}, dtype={of})", part("start")?, part("stop")?, part("step")?)
        }
        "empty" if *layout == Layout::F => format!("np.empty({shape}, dtype={of}, order=\"F\")"),
        name @ ("zeros" | "ones" | "empty") => format!("np.{name}({shape}, dtype={of})"),
        name => {
            let name = name.split('.').next().unwrap_or(name);
            let given = case.params.pairs().iter().map(|(name, text)| format!("{name}={}", value(name, text)));
            let takes_dtype = get(&path(subject.op).ok()?)?.parameters().iter().any(|p| p.name == "dtype");
            let all: Vec<String> = given.chain(takes_dtype.then(|| format!("dtype={of}"))).collect();
            format!("np.{name}({})", all.join(", "))
        }
    })
}

fn elements(base: &Tensor) -> String {
    let float = |x: f64| match x {
        x if x.is_nan() => "np.nan".to_string(),
        x if x.is_infinite() => if x > 0.0 { "np.inf" } else { "-np.inf" }.into(),
        x => format!("{x:?}"),
    };
    let one = |i: usize| match base.get(i) {
        Number::Int(i) => i.to_string(),
        Number::Float(x) => float(x),
        Number::Complex(re, im) => format!("complex({}, {})", float(re), float(im)),
    };
    format!("[{}]", (0..base.size()).map(one).collect::<Vec<_>>().join(", "))
}

fn commas(numbers: &[usize]) -> String {
    numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
}

fn array(placed: &Placed) -> String {
    let base = &placed.base;
    let mut text = format!("np.array({}, dtype={})", elements(base), dtype(base.dtype));
    let reshape =
        |to: &[usize]| if to.is_empty() { ".reshape(())".into() } else { format!(".reshape({})", commas(to)) };
    if base.shape != [base.size()] {
        text += &reshape(&base.shape);
    }
    let end = |x: Option<i64>| x.map_or(String::new(), |x| x.to_string());
    for step in &placed.steps {
        text = match step {
            Step::Transpose(axes) => format!("{text}.transpose({})", commas(axes)),
            Step::Slice(slices) => {
                let part = |(a, b, c): &(Option<i64>, Option<i64>, i64)| format!("{}:{}:{c}", end(*a), end(*b));
                format!("{text}[{}]", slices.iter().map(part).collect::<Vec<_>>().join(", "))
            }
            Step::Broadcast(shape) => format!("np.broadcast_to({text}, {})", crate::text::Shape(shape.clone())),
            Step::Reshape(shape) => format!("{text}{}", reshape(shape)),
        };
    }
    text
}
