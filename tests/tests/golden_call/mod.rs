//! Golden cases as calls by name: what the library and the oracle are told alike.

use std::sync::OnceLock;

use cuprum::table::{ParameterKind, find};
use cuprum_conformance::Matrix;
use cuprum_conformance::call::{Argument, Call, path};
use cuprum_conformance::case::{Case as Made, Scalar, ValueSet};
use cuprum_tests::golden::{Case, dtype, integers};
use serde_json::Value as Json;

/// Parameters that only say how a result is compared.
const ASIDE: [&str; 2] = ["exact", "told"];

/// What the files call a parameter, by function, and NumPy's keyword.
const KEYWORDS: [(&str, &str, &str); 7] = [
    ("swapaxes", "a", "axis1"),
    ("swapaxes", "b", "axis2"),
    ("expand_dims", "axes", "axis"),
    ("squeeze", "axes", "axis"),
    ("histogram", "count", "bins"),
    ("histogram_bin_edges", "rule", "bins"),
    ("histogramdd", "ranges", "range"),
];

/// The call of a case; `None` for what is no function: indices, assignments, tables of a dtype.
pub(crate) fn call(case: &Case) -> Result<Option<Call>, String> {
    let (kind, name) = case.function.split_once(':').unwrap_or((&case.function, ""));
    if matches!(kind, "routine" | "made") {
        return told(name, &case.parameters, case.operands.len()).map(Some);
    }
    let name = match kind {
        "finfo" | "iinfo" | "min_scalar_type" | "index" | "assign" | "pick" | "store" => return Ok(None),
        "at" | "accumulate" | "reduceat" | "outer" => format!("{name}.{kind}"),
        "reduce" if !cuprum_oracle::REDUCTIONS.contains(&name) => format!("{name}.{kind}"),
        _ if name.is_empty() => kind.to_string(),
        _ => name.to_string(),
    };
    let path = path(&name)?;
    let record = find(&path).map_err(|e| e.to_string())?;
    let (mut call, mut named) = (Call::new(path), vec![]);
    for (key, json) in
        case.parameters.as_object().into_iter().flatten().filter(|(key, _)| !ASIDE.contains(&key.as_str()))
    {
        let keyword = KEYWORDS.iter().find(|(of, key_, _)| *of == name && key_ == key).map_or(key.as_str(), |k| k.2);
        let parameter = record.parameters().iter().find(|p| p.name == keyword);
        let parameter = parameter.ok_or_else(|| format!("{record:?} has no parameter {keyword}"))?;
        let argument = if kind == "at" {
            // The last operands, so many.
            let count = json.as_u64().ok_or("no number of indices")? as usize;
            Argument::List((case.operands.len() - count..case.operands.len()).map(Argument::Operand).collect())
        } else {
            read(parameter.kind, key, json)?
        };
        collect(&argument, &mut named);
        call = call.with(keyword, argument);
    }
    // `out` and `where` lie behind the others, each for itself even where both are the same array. One that points before
    // that is an operand, too.
    let told = || ["out", "where"].iter().filter_map(|key| case.parameters[*key].as_u64());
    let others = case.operands.len() - told().count();
    named.retain(|&place| place >= others || told().all(|t| t as usize != place));
    let rest = (0..others).filter(|place| !named.contains(place));
    let names: Vec<&str> = match (kind, name.as_str()) {
        ("full", _) => vec!["fill_value"],
        ("at", _) => vec!["a", "b"],
        _ => record.parameters().iter().map(|p| p.name).collect(),
    };
    for (place, name) in rest.zip(names) {
        call = call.with(name, Argument::Operand(place));
    }
    Ok(Some(call))
}

/// The places of operands among the arguments.
fn collect(argument: &Argument, places: &mut Vec<usize>) {
    match argument {
        Argument::Operand(place) => places.push(*place),
        Argument::List(all) => all.iter().for_each(|argument| collect(argument, places)),
        _ => {}
    }
}

fn read(kind: ParameterKind, key: &str, json: &Json) -> Result<Argument, String> {
    let list = |kind| -> Result<Argument, String> {
        let all = json.as_array().ok_or_else(|| format!("{json} is no list"))?;
        all.iter().map(|json| read(kind, key, json)).collect::<Result<_, _>>().map(Argument::List)
    };
    let place = || json.as_u64().map(|place| Argument::Operand(place as usize)).ok_or(format!("{json} is no operand"));
    if json.is_null() {
        return Ok(Argument::None);
    }
    match kind {
        ParameterKind::Array | ParameterKind::Operand => place(),
        _ if key == "dx" => place(),
        ParameterKind::Operands => list(ParameterKind::Operand),
        ParameterKind::Axes | ParameterKind::Shape | ParameterKind::Integers => {
            Ok(Argument::Integers(integers(json)?.into_iter().map(|i| i as i64).collect()))
        }
        ParameterKind::DType => dtype(json).map(Argument::DType),
        ParameterKind::Choice(_) => Ok(Argument::Text(json.as_str().ok_or("no name")?.into())),
        // The edges are an operand; a number is one of bins.
        ParameterKind::Bins if key == "bins" => place(),
        ParameterKind::Bins if key == "rule" => Ok(Argument::Text(json.as_str().ok_or("no rule")?.into())),
        ParameterKind::BinsOfAxes if json.is_array() => list(ParameterKind::Scalar),
        ParameterKind::Ranges => list(ParameterKind::Range),
        ParameterKind::Range => list(ParameterKind::Float),
        _ => scalar(json).map(Argument::Scalar),
    }
}

fn scalar(json: &Json) -> Result<Scalar, String> {
    Ok(match json {
        Json::Bool(b) => Scalar::Bool(*b),
        Json::Number(n) if n.is_i64() => Scalar::Int(n.as_i64().ok_or("no integer")?.into()),
        Json::Number(n) => Scalar::Float(n.as_f64().ok_or("no number")?),
        Json::String(s) => s.parse()?,
        other => return Err(format!("{other} is no number")),
    })
}

/// The call of a function that is told its parameters as the cases of `matrix.yaml` are.
fn told(name: &str, p: &Json, operands: usize) -> Result<Call, String> {
    static MATRIX: OnceLock<Matrix> = OnceLock::new();
    let matrix = MATRIX.get_or_init(|| Matrix::built_in().expect("matrix.yaml is read"));
    let op = matrix.op(name).ok_or_else(|| format!("matrix.yaml has no {name}"))?;
    let params = p["told"].as_str().ok_or("nothing is told")?.parse()?;
    let (family, op_name) = (op.family.clone(), op.name.clone());
    let case = Made { family, op: op_name, operands: vec![], values: ValueSet::Small.into(), params };
    Call::of(op, &case, &vec![None; operands])
}
