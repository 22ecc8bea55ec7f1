//! Tables of the loops of calls with options, of casts to `out` and of methods.

use cuprum_kernels::DType;
use cuprum_oracle::{
    Casting, FoldOptions, NdArray, Operand, ReduceOptions, UfuncOptions, Value, fold_accumulate, fold_reduce,
    fold_reduceat, ufunc,
};

fn casting(name: &str) -> Result<Casting, String> {
    Ok(match name {
        "no" => Casting::No,
        "safe" => Casting::Safe,
        "same_kind" => Casting::SameKind,
        "unsafe" => Casting::Unsafe,
        other => return Err(format!("no casting is called {other}")),
    })
}

/// Returns a cell of a table: the letter of the result's dtype, or `!` for a rejection.
pub(crate) fn cell(function: &str, dtypes: &[DType], i: usize, j: usize) -> Result<char, String> {
    let one = |d: DType| NdArray::from_values(d, &[1], [Value::Int(1)]).map_err(|e| e.to_string());
    let (x, y) = (one(dtypes[i.min(dtypes.len() - 1)])?, one(dtypes[j])?);
    // In tables of reductions, the rows start with one for no dtype.
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
            let options = FoldOptions::default();
            let reduction = ReduceOptions { axis: Some(vec![0]), dtype: asked, ..ReduceOptions::default() };
            let result = match method {
                "reduce" => fold_reduce(name, &y, &reduction, &options),
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
