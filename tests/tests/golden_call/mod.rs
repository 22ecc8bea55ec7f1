//! Golden cases as calls by name, for both the library and the oracle.

use std::sync::OnceLock;

use cuprum::table::find;
use cuprum_conformance::Matrix;
use cuprum_conformance::call::{Argument, Call, path_of};
use cuprum_conformance::case::{Case as Made, Scalar, ValueSet};
use cuprum_tests::golden::{Case, dtype, integers};
use serde_json::Value as Json;

/// Returns the call of a case; `None` for tables of a dtype.
pub(crate) fn call(case: &Case) -> Result<Option<Call>, String> {
    let (kind, name) = case.function.split_once(':').unwrap_or((&case.function, ""));
    let name = match kind {
        "routine" | "made" => return described(name, &case.parameters, case.operands.len()).map(Some),
        "finfo" | "iinfo" | "min_scalar_type" => return Ok(None),
        "at" | "reduce" | "accumulate" | "reduceat" | "outer" => format!("{name}.{kind}"),
        _ => name.to_string(),
    };
    let (path, p) = (path_of(&name)?, &case.parameters);
    let record = find(&path).map_err(|e| e.to_string())?;
    // `out` and `where` follow the other operands, separately even if both are the same array; so do the indices.
    let behind = ["out", "where"].iter().filter(|key| !p[**key].is_null()).count();
    let indices = if kind == "at" { p["indices"].as_u64().ok_or("no number of indices")? as usize } else { 0 };
    let others = case.operands.len() - behind - indices;
    let names: Vec<&str> = match kind {
        "at" => vec!["a", "b"],
        _ => record.parameters().iter().map(|p| p.name).collect(),
    };
    let mut call =
        (0..others).zip(names).fold(Call::new(path), |call, (k, name)| call.with(name, Argument::Operand(k)));
    // Whether a result is compared bit by bit is not a parameter of the function.
    for (key, json) in p.as_object().into_iter().flatten().filter(|(key, _)| *key != "exact") {
        let argument = match (key.as_str(), json) {
            (_, Json::Null) => Argument::None,
            ("indices", _) if kind == "at" => {
                Argument::List((others..others + indices).map(Argument::Operand).collect())
            }
            ("out" | "where", _) => {
                Argument::Operand(json.as_u64().ok_or_else(|| format!("{json} is no operand"))? as usize)
            }
            ("dtype", _) => Argument::DType(dtype(json)?),
            ("initial", _) => Argument::Scalar(scalar(json)?),
            (_, Json::Array(_)) => Argument::Integers(integers(json)?.into_iter().map(|i| i as i64).collect()),
            (_, Json::String(name)) => Argument::Text(name.clone()),
            _ => Argument::Scalar(scalar(json)?),
        };
        call = call.with(key, argument);
    }
    Ok(Some(call))
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

/// Returns the call of a function whose parameters are encoded as in the cases of `matrix.yaml`.
fn described(name: &str, p: &Json, operands: usize) -> Result<Call, String> {
    static MATRIX: OnceLock<Matrix> = OnceLock::new();
    let matrix = MATRIX.get_or_init(|| Matrix::built_in().expect("matrix.yaml is read"));
    let op = matrix.op(name).ok_or_else(|| format!("matrix.yaml has no {name}"))?;
    let params = p["call"].as_str().ok_or("the parameter `call` is missing")?.parse()?;
    let (family, op_name) = (op.family.clone(), op.name.clone());
    let case = Made { family, op: op_name, operands: vec![], values: ValueSet::Small.into(), params };
    Call::of(op, &case, &vec![None; operands])
}
