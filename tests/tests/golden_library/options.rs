//! Calls with options, and methods.

use cuprum::{AccumulateOptions, Array, Casting, FoldOptions, Operand, Reduce, Scalar, UfuncOptions};
use cuprum_tests::golden::{dtype, integers};
use serde_json::Value as Json;

use super::{order, scalar};

type Called = std::result::Result<cuprum::Result<Array>, String>;
use crate::golden_oracle::{number, optional, options::initial};

/// The operand whose number the parameter `key` is.
pub(super) fn numbered<'a>(operands: &[Operand<'a>], p: &Json, key: &str) -> Result<Option<&'a Array>, String> {
    match p[key].as_u64().map(|i| operands[i as usize]) {
        Some(Operand::Array(a)) => Ok(Some(a)),
        Some(Operand::Scalar(_)) => Err(format!("{key} is no array")),
        None => Ok(None),
    }
}

/// A call, or a method, whose parameters `out` and `where` are numbers of operands.
pub(crate) fn call(method: &str, name: &str, operands: &[Operand<'_>], p: &Json) -> Called {
    let options = UfuncOptions {
        out: numbered(operands, p, "out")?,
        where_: numbered(operands, p, "where")?,
        dtype: optional(&p["dtype"], dtype)?,
        casting: match p["casting"].as_str() {
            Some("no") => Casting::No,
            Some("safe") => Casting::Safe,
            Some("unsafe") => Casting::Unsafe,
            _ => Casting::SameKind,
        },
        order: order(p)?,
        ..UfuncOptions::default()
    };
    let given = ["out", "where"].iter().filter(|key| p[**key].is_u64()).count();
    let operands = &operands[..operands.len() - given];
    let array = |k: usize| match operands.get(k) {
        Some(Operand::Array(a)) => Ok(*a),
        _ => Err(format!("operand {k} is no array")),
    };
    let one_axis = || optional(&p["axis"], number).map(|axis| axis.unwrap_or(0));
    let asked = options.dtype;
    let gathered = AccumulateOptions { dtype: asked, out: options.out };
    let f = cuprum::ufunc(name).map_err(|e| e.to_string())?;
    Ok(match method {
        "call" => f.call(operands, &options),
        "outer" => match operands {
            [a, b, ..] => f.outer(*a, *b, &options),
            _ => return Err("an outer product has two operands".into()),
        },
        "accumulate" => f.accumulate(array(0)?, one_axis()?, &gathered),
        "reduceat" => f.reduceat(array(0)?, &integers(&p["indices"])?, one_axis()?, &gathered),
        _ => {
            let how = match (p.get("axis"), optional(&p["axis"], integers)?) {
                (None, _) => Reduce::axis(0),
                (_, None) => Reduce::all(),
                (_, Some(axes)) => Reduce::axes(&axes),
            };
            let how = how.keepdims(p["keepdims"] == true);
            let how = asked.map_or(how.clone(), |dtype| how.dtype(dtype));
            let initial: Option<Scalar> = optional(&p["initial"], initial)?.map(|v| scalar(&v));
            let no_identity = p.get("initial").is_some_and(Json::is_null);
            f.reduce(array(0)?, how, &FoldOptions { out: options.out, where_: options.where_, initial, no_identity })
        }
    })
}
