//! Histograms.

use cuprum_kernels::DType;
use cuprum_oracle::{self as oracle, HistogramBins, HistogramOptions, NdArray, Operand, PointOptions, Value};

use super::super::{Refusal, Result};
use crate::case::Case;
use crate::matrix::Op;
use crate::outcome::Kind;

fn array<'a>(operands: &[Operand<'a>], k: usize) -> Result<&'a NdArray> {
    match operands.get(k) {
        Some(Operand::Array(a)) => Ok(*a),
        _ => Err(Refusal(Kind::Broken, format!("operand {k} is no array"))),
    }
}

fn weights(op: &Op, operands: &[Operand<'_>]) -> Result<Option<NdArray>> {
    if op.name.contains(".weights") { array(operands, 1).map(|w| Some(w.clone())) } else { Ok(None) }
}

fn bins(case: &Case) -> Result<HistogramBins> {
    if let Some(edges) = case.params.integers("edges")? {
        let dtype = case.params.parsed("of")?.unwrap_or(DType::I64);
        let values = edges.iter().map(|e| Value::Int((*e).into()));
        return Ok(HistogramBins::Edges(NdArray::from_values(dtype, &[edges.len()], values)?));
    }
    let text = case.params.get("bins").unwrap_or("10");
    Ok(text.parse().map_or_else(|_| HistogramBins::Rule(text.into()), HistogramBins::Count))
}

fn range(case: &Case) -> Result<Option<(f64, f64)>> {
    Ok(case.params.integers("range")?.map(|r| (r[0] as f64, r[1] as f64)))
}

fn options(op: &Op, case: &Case, operands: &[Operand<'_>]) -> Result<HistogramOptions> {
    let density = case.params.get("density") == Some("1");
    Ok(HistogramOptions { bins: bins(case)?, range: range(case)?, density, weights: weights(op, operands)? })
}

fn minlength(case: &Case) -> Result<usize> {
    Ok(case.params.parsed("minlength")?.unwrap_or(0))
}

pub(super) fn call(op: &Op, case: &Case, operands: &[Operand<'_>]) -> Result<Vec<NdArray>> {
    let a = array(operands, 0)?;
    let name = op.name.split_once('.').map_or(op.name.as_str(), |(name, _)| name);
    Ok(match name {
        "bincount" => vec![oracle::bincount(a, weights(op, operands)?.as_ref(), minlength(case)?)?],
        "histogram_bin_edges" => vec![oracle::histogram_bin_edges(a, &options(op, case, operands)?)?],
        "histogramdd" | "histogram2d" => {
            let sample = if name == "histogram2d" { together(a, array(operands, 1)?)? } else { a.clone() };
            let axes = sample.shape().get(1).copied().unwrap_or(1);
            let ranges = range(case)?.map_or(vec![], |r| vec![Some(r); axes]);
            let density = case.params.get("density") == Some("1");
            let how = PointOptions { bins: vec![bins(case)?], range: ranges, density, weights: None };
            let (values, edges) = oracle::histogramdd(&sample, &how)?;
            [vec![values], edges].concat()
        }
        _ => {
            let (values, edges) = oracle::histogram(a, &options(op, case, operands)?)?;
            vec![values, edges]
        }
    })
}

/// Two coordinates as the columns of one array.
fn together(x: &NdArray, y: &NdArray) -> Result<NdArray> {
    if x.ndim() != 1 || x.shape() != y.shape() {
        return Err(Refusal(Kind::Value, "there are as many of one coordinate as of the other".into()));
    }
    let rows = x.values().into_iter().zip(y.values()).flat_map(|(x, y)| [x, y]);
    Ok(NdArray::from_values(oracle::promote_types(x.dtype(), y.dtype()), &[x.size(), 2], rows)?)
}

pub(super) fn bounds(op: &Op, case: &Case, operands: &[Operand<'_>]) -> Option<Vec<f64>> {
    let (a, w) = (array(operands, 0).ok()?, weights(op, operands).ok()??);
    if op.name.starts_with("bincount") {
        return (a.shape() == w.shape()).then(|| oracle::bincount_bounds(a, &w, minlength(case).unwrap_or(0)));
    }
    oracle::histogram_bounds(a, &options(op, case, operands).ok()?).ok()
}
