//! Calls with options, and the tables of loops and of casts to `out`.

use cuprum_kernels::DType;
use cuprum_oracle::{Casting, NdArray, Operand, OracleError, UfuncOptions, Value, ufunc};
use cuprum_tests::golden::dtype;
use serde_json::Value as Json;

use super::{optional, order};

fn casting(name: &str) -> Result<Casting, String> {
    Ok(match name {
        "no" => Casting::No,
        "safe" => Casting::Safe,
        "same_kind" => Casting::SameKind,
        "unsafe" => Casting::Unsafe,
        other => return Err(format!("no casting is called {other}")),
    })
}

/// A call whose parameters `out` and `where` are numbers of operands.
pub(crate) fn call(name: &str, operands: &[Operand<'_>], p: &Json) -> Result<Result<NdArray, OracleError>, String> {
    let array = |key: &str| match p[key].as_u64().map(|i| &operands[i as usize]) {
        Some(Operand::Array(a)) => Ok(Some((*a).clone())),
        Some(Operand::Scalar(_)) => Err(format!("{key} is no array")),
        None => Ok(None),
    };
    let options = UfuncOptions {
        dtype: optional(&p["dtype"], dtype)?,
        order: order(p)?,
        casting: p["casting"].as_str().map_or(Ok(Casting::SameKind), casting)?,
        out: array("out")?,
        where_: array("where")?,
    };
    let given = ["out", "where"].iter().filter(|key| p[**key].is_u64()).count();
    Ok(ufunc(name, &operands[..operands.len() - given], &options))
}

/// A cell of a table: the letter of the result's dtype, or `!` for a refusal.
pub(crate) fn cell(function: &str, a: DType, b: DType) -> Result<char, String> {
    let one = |d: DType| NdArray::from_values(d, &[1], [Value::Int(1)]).map_err(|e| e.to_string());
    let (x, y) = (one(a)?, one(b)?);
    let parts: Vec<&str> = function.split(':').collect();
    let (name, options, operands) = match parts[..] {
        ["loops", name, asked, rule] => {
            let asked = asked.chars().next().and_then(DType::from_char);
            let options = UfuncOptions { dtype: asked, casting: casting(rule)?, ..UfuncOptions::default() };
            let unary = ["sqrt", "absolute", "negative"].contains(&name);
            (name, options, if unary { vec![&y] } else { vec![&x, &y] })
        }
        ["outs", name, rule] => {
            let options = UfuncOptions { out: Some(y), casting: casting(rule)?, ..UfuncOptions::default() };
            (name, options, vec![&x, &x])
        }
        _ => return Err(format!("no table is called {function}")),
    };
    let operands: Vec<Operand<'_>> = operands.into_iter().map(Operand::Array).collect();
    Ok(ufunc(name, &operands, &options).map_or('!', |a| a.dtype().char()))
}
