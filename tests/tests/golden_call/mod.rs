//! Golden cases as calls by name: what the library and the oracle are told alike.

use cuprum::table::{ParameterKind, find};
use cuprum_conformance::call::{Argument, Call, path};
use cuprum_conformance::case::Scalar;
use cuprum_tests::golden::Case;
use serde_json::Value as Json;

/// The parameter that only says how a result is compared.
const ASIDE: &str = "exact";

/// The call of a case; `None` for what is no function: indices, assignments, tables of a dtype.
pub(crate) fn call(case: &Case) -> Result<Option<Call>, String> {
    let (kind, name) = case.function.split_once(':').unwrap_or((&case.function, ""));
    let name = match kind {
        "finfo" | "iinfo" | "min_scalar_type" | "index" | "assign" | "pick" | "store" => return Ok(None),
        _ if name.is_empty() => kind,
        _ => name,
    };
    let path = path(name)?;
    let record = find(&path).map_err(|e| e.to_string())?;
    let mut call = Call::new(path);
    for (key, json) in case.parameters.as_object().into_iter().flatten().filter(|(key, _)| *key != ASIDE) {
        let parameter = record.parameters().iter().find(|p| p.name == key);
        let parameter = parameter.ok_or_else(|| format!("{record:?} has no parameter {key}"))?;
        call = call.with(key, read(parameter.kind, json)?);
    }
    for (place, parameter) in (0..case.operands.len()).zip(record.parameters()) {
        call = call.with(parameter.name, Argument::Operand(place));
    }
    Ok(Some(call))
}

fn read(kind: ParameterKind, json: &Json) -> Result<Argument, String> {
    Ok(match (kind, json) {
        (_, Json::Null) => Argument::None,
        (ParameterKind::Choice(_), Json::String(name)) => Argument::Text(name.clone()),
        (_, Json::Number(n)) => Argument::Scalar(Scalar::Int(n.as_i64().ok_or("no integer")?.into())),
        (_, other) => return Err(format!("{other} is no parameter")),
    })
}
