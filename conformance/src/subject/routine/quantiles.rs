//! The family `quantiles`.
//!
//! `q=0.5` is a plain number, `q=1` a plain integer, `q=(0.25,0.5)` several; `of=f32` makes an array of them. A second
//! operand is the weights; `into=f32` is the dtype of an array that the result goes to.

use cuprum::{Array, DType, MedianOptions, Operand, QuantileOptions, Quantiles, Reduce};

use super::super::{list, needed};
use super::sorting::arrays;
use super::{Refusal, Result};
use crate::case::Case;
use crate::matrix::Op;
use crate::outcome::Kind;
use crate::text::numbers;

fn quantiles(case: &Case) -> Result<Quantiles> {
    let (values, shape) = numbers(needed(case.params.get("q"), "q")?)?;
    let plain = case.params.get("q").is_some_and(|q| !q.contains(['.', '(']));
    Ok(match (case.params.parsed::<DType>("of")?, values.as_slice()) {
        (Some(dtype), values) => Quantiles::from_array(&Array::from_slice(values, shape.as_slice())?.astype(dtype)?)?,
        (None, [one]) if plain => (*one as i32).into(),
        (None, [one]) if shape.is_empty() => (*one).into(),
        (None, values) => values.into(),
    })
}

pub(super) fn call(op: &Op, case: &Case, operands: &[Operand<'_>]) -> Result<Vec<Array>> {
    let operands = arrays(operands)?;
    let a = operands[0];
    let axes = if case.params.get("axis") == Some("None") { None } else { list(case, "axis")? };
    let how = axes.map_or(Reduce::all(), |axes| Reduce::axes(&axes)).keepdims(case.params.get("keepdims") == Some("1"));
    let run = |out: Option<&Array>| -> Result<Array> {
        let method = case.params.get("method").map_or(Ok(Default::default()), str::parse)?;
        let options = QuantileOptions { method, out, weights: operands.get(1).copied(), ..QuantileOptions::default() };
        let medians = MedianOptions { out, ..MedianOptions::default() };
        Ok(match op.name.trim_start_matches("weighted_") {
            "median" => cuprum::median(a, how.clone(), &medians)?,
            "nanmedian" => cuprum::nanmedian(a, how.clone(), &medians)?,
            "quantile" => cuprum::quantile(a, quantiles(case)?, how.clone(), &options)?,
            "percentile" => cuprum::percentile(a, quantiles(case)?, how.clone(), &options)?,
            "nanquantile" => cuprum::nanquantile(a, quantiles(case)?, how.clone(), &options)?,
            "nanpercentile" => cuprum::nanpercentile(a, quantiles(case)?, how.clone(), &options)?,
            other => return Err(Refusal(Kind::Broken, format!("the library has no {other}"))),
        })
    };
    let result = run(None)?;
    let Some(dtype) = case.params.parsed::<DType>("into")? else { return Ok(vec![result]) };
    let out = cuprum::empty(result.shape(), dtype)?;
    run(Some(&out))?;
    Ok(vec![out])
}
