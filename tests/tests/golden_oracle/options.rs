//! Calls with options, methods, and the tables of their loops and of casts to `out`.

use cuprum_kernels::DType;
use cuprum_oracle::{
    Casting, FoldOptions, NdArray, Operand, OracleError, ReduceOptions, UfuncOptions, Value, fold_accumulate,
    fold_reduce, fold_reduceat, outer, ufunc,
};
use cuprum_tests::golden::{dtype, integers};
use serde_json::Value as Json;

use super::{number, optional, order, reduce_options};

type Called = Result<Result<NdArray, OracleError>, String>;

fn casting(name: &str) -> Result<Casting, String> {
    Ok(match name {
        "no" => Casting::No,
        "safe" => Casting::Safe,
        "same_kind" => Casting::SameKind,
        "unsafe" => Casting::Unsafe,
        other => return Err(format!("no casting is called {other}")),
    })
}

/// The operand whose number the parameter `key` is.
fn numbered(operands: &[Operand<'_>], p: &Json, key: &str) -> Result<Option<NdArray>, String> {
    match p[key].as_u64().map(|i| &operands[i as usize]) {
        Some(Operand::Array(a)) => Ok(Some((*a).clone())),
        Some(Operand::Scalar(_)) => Err(format!("{key} is no array")),
        None => Ok(None),
    }
}

fn options(operands: &[Operand<'_>], p: &Json) -> Result<UfuncOptions, String> {
    Ok(UfuncOptions {
        dtype: optional(&p["dtype"], dtype)?,
        order: order(p)?,
        casting: p["casting"].as_str().map_or(Ok(Casting::SameKind), casting)?,
        out: numbered(operands, p, "out")?,
        where_: numbered(operands, p, "where")?,
    })
}

/// A call whose parameters `out` and `where` are numbers of operands.
pub(crate) fn call(name: &str, operands: &[Operand<'_>], p: &Json) -> Called {
    let options = options(operands, p)?;
    let given = ["out", "where"].iter().filter(|key| p[**key].is_u64()).count();
    Ok(ufunc(name, &operands[..operands.len() - given], &options))
}

/// A method, with parameters of the same kind.
pub(crate) fn method(method: &str, name: &str, operands: &[Operand<'_>], p: &Json) -> Called {
    let arrays: Vec<&NdArray> =
        operands.iter().filter_map(|o| if let Operand::Array(a) = o { Some(*a) } else { None }).collect();
    let a = arrays.first().ok_or("no operand is an array")?;
    let asked = optional(&p["dtype"], dtype)?;
    let one_axis = || optional(&p["axis"], number).map(|axis| axis.unwrap_or(0));
    Ok(match method {
        "reduce" => {
            let mut how = reduce_options(p)?;
            if p.get("axis").is_none() {
                how.axis = Some(vec![0]);
            }
            let told = FoldOptions {
                out: numbered(operands, p, "out")?,
                where_: numbered(operands, p, "where")?,
                initial: optional(&p["initial"], initial)?,
                // Only what is given counts: a case that says nothing begins with the identity.
                no_identity: p.get("initial").is_some_and(Json::is_null),
            };
            fold_reduce(name, a, &how, &told)
        }
        "accumulate" => fold_accumulate(name, a, one_axis()?, asked, numbered(operands, p, "out")?.as_ref()),
        "reduceat" => {
            let out = numbered(operands, p, "out")?;
            fold_reduceat(name, a, &integers(&p["indices"])?, one_axis()?, asked, out.as_ref())
        }
        _ => match operands {
            [a, b, ..] => outer(name, a, b, &options(operands, p)?),
            _ => return Err("an outer product has two operands".into()),
        },
    })
}

pub(crate) fn initial(json: &Json) -> Result<Value, String> {
    Ok(match json {
        Json::Bool(b) => Value::Bool(*b),
        Json::Number(n) if n.is_i64() => Value::Int(n.as_i64().ok_or("no integer")?.into()),
        Json::Number(n) => Value::Float(n.as_f64().ok_or("no number")?),
        Json::String(s) if s == "1j" => Value::Complex(num_complex::Complex64::i()),
        other => Value::Float(other.as_str().and_then(|s| s.parse().ok()).ok_or("no number")?),
    })
}

/// A cell of a table: the letter of the result's dtype, or `!` for a refusal.
pub(crate) fn cell(function: &str, dtypes: &[DType], i: usize, j: usize) -> Result<char, String> {
    let one = |d: DType| NdArray::from_values(d, &[1], [Value::Int(1)]).map_err(|e| e.to_string());
    let (x, y) = (one(dtypes[i.min(dtypes.len() - 1)])?, one(dtypes[j])?);
    // In the rows of a table of folds, a row for no dtype stands before the others.
    let asked = i.checked_sub(1).map(|i| dtypes[i]);
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
        ["folds", name, method] => {
            let told = FoldOptions::default();
            let how = ReduceOptions { axis: Some(vec![0]), dtype: asked, ..ReduceOptions::default() };
            let result = match method {
                "reduce" => fold_reduce(name, &y, &how, &told),
                "accumulate" => fold_accumulate(name, &y, 0, asked, None),
                _ => fold_reduceat(name, &y, &[0], 0, asked, None),
            };
            return Ok(result.map_or('!', |a| a.dtype().char()));
        }
        _ => return Err(format!("no table is called {function}")),
    };
    let operands: Vec<Operand<'_>> = operands.into_iter().map(Operand::Array).collect();
    Ok(ufunc(name, &operands, &options).map_or('!', |a| a.dtype().char()))
}
