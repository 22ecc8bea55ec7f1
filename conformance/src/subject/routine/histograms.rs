//! Histograms.

use cuprum::{Array, BincountOptions, DType, Estimator, HistogramBins, HistogramOptions, Operand, PointOptions};

use super::super::{Refusal, Result};
use crate::case::Case;
use crate::matrix::Op;
use crate::outcome::Kind;

pub(super) fn call(op: &Op, case: &Case, operands: &[Operand<'_>]) -> Result<Vec<Array>> {
    let array = |k: usize| match operands.get(k) {
        Some(Operand::Array(a)) => Ok(*a),
        _ => Err(Refusal(Kind::Broken, format!("operand {k} is no array"))),
    };
    let a = array(0)?;
    let (name, variant) = op.name.split_once('.').unwrap_or((&op.name, ""));
    let weights = if variant.starts_with("weights") { Some(array(1)?) } else { None };
    if name == "bincount" {
        let minlength = case.params.parsed("minlength")?.unwrap_or(0);
        return Ok(vec![cuprum::bincount(a, BincountOptions { weights, minlength })?]);
    }
    let edges = match case.params.integers("edges")? {
        Some(edges) => Some(Array::from_vec(edges)?.astype(case.params.parsed("of")?.unwrap_or(DType::I64))?),
        None => None,
    };
    let bins = match (&edges, case.params.get("bins")) {
        (Some(edges), _) => HistogramBins::Edges(edges),
        (None, None) => HistogramBins::Count(10),
        (None, Some(text)) => match text.parse::<usize>() {
            Ok(number) => HistogramBins::Count(number),
            Err(_) => HistogramBins::Estimated(text.parse::<Estimator>()?),
        },
    };
    let range = case.params.integers("range")?.map(|r| (r[0] as f64, r[1] as f64));
    let density = case.params.get("density") == Some("1");
    if matches!(name, "histogramdd" | "histogram2d") {
        let axes = if name == "histogram2d" { 2 } else { a.shape().get(1).copied().unwrap_or(1) };
        let ranges = if range.is_some() { vec![range; axes] } else { vec![] };
        let how = PointOptions { bins: vec![bins], range: ranges, density, weights: None };
        if name == "histogram2d" {
            let (values, x, y) = cuprum::histogram2d(a, array(1)?, how)?;
            return Ok(vec![values, x, y]);
        }
        let (values, edges) = cuprum::histogramdd(a, how)?;
        return Ok([vec![values], edges].concat());
    }
    let how = HistogramOptions { bins, range, density, weights };
    if name == "histogram_bin_edges" {
        return Ok(vec![cuprum::histogram_bin_edges(a, how)?]);
    }
    let (values, edges) = cuprum::histogram(a, how)?;
    Ok(vec![values, edges])
}
