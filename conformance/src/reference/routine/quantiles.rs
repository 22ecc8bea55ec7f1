//! The family `quantiles`.

use cuprum_kernels::DType;
use cuprum_oracle::{self as oracle, Casting, NdArray, Operand, Order, QuantileOptions, Quantiles};

use super::super::{isizes, needed};
use super::sorting::arrays;
use super::{Refusal, Result};
use crate::case::Case;
use crate::matrix::Op;
use crate::outcome::Kind;
use crate::text::numbers;

fn quantiles(case: &Case) -> Result<Quantiles> {
    let (values, shape) = numbers(needed(case.params.get("q"), "q")?)?;
    let plain = case.params.get("q").is_some_and(|q| !q.contains(['.', '(']));
    Ok(match case.params.parsed::<DType>("of")? {
        Some(dtype) => {
            let values = values.iter().map(|q| oracle::round(*q, dtype)).collect();
            Quantiles { values, shape, dtype, weak: false }
        }
        None => {
            let weak = shape.is_empty();
            Quantiles { values, shape, dtype: if plain { DType::I64 } else { DType::F64 }, weak }
        }
    })
}

pub(super) fn call(op: &Op, case: &Case, operands: &[Operand<'_>]) -> Result<Vec<NdArray>> {
    let operands = arrays(operands)?;
    let a = operands[0];
    let name = op.name.trim_start_matches("weighted_");
    let options = QuantileOptions {
        axis: if case.params.get("axis") == Some("None") { None } else { isizes(case, "axis")? },
        keepdims: case.params.get("keepdims") == Some("1"),
        method: case.params.get("method").unwrap_or_default().into(),
        weights: operands.get(1).map(|w| (*w).clone()),
        without_nan: name.starts_with("nan"),
    };
    let result = match name.trim_start_matches("nan") {
        "median" => oracle::median(a, &options)?,
        "quantile" => oracle::quantile(a, &quantiles(case)?, &options)?,
        "percentile" => oracle::quantile(a, &quantiles(case)?.of_percents(), &options)?,
        other => return Err(Refusal(Kind::Broken, format!("the oracle has no {other}"))),
    };
    let Some(dtype) = case.params.parsed::<DType>("into")? else { return Ok(vec![result]) };
    if !name.ends_with("median") && !oracle::can_cast(result.dtype(), dtype, Casting::SameKind) {
        return Err(Refusal(Kind::Type, "the result is not cast to that".into()));
    }
    Ok(vec![result.astype(dtype, Order::C)])
}
