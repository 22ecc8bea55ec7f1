//! Averages, covariances, correlations, closeness, norms.

use cuprum_kernels::DType;
use cuprum_oracle::{
    self as oracle, Bounded, CorrelateMode, CovOptions, ErrorKind, Gathering, NdArray, Operand, OracleError,
    ReduceOptions, StatisticOptions, Value,
};

use super::super::{Refusal, Result, reduce_options};
use crate::case::Case;
use crate::matrix::Op;
use crate::outcome::Kind;

fn array<'a>(operands: &[Operand<'a>], k: usize) -> Result<&'a NdArray> {
    match operands.get(k) {
        Some(Operand::Array(a)) => Ok(a),
        _ => Err(Refusal(Kind::Broken, "an array was expected".into())),
    }
}

fn exact(result: NdArray) -> Vec<Bounded> {
    let bounds = vec![0.0; result.size()];
    vec![Bounded { result, bounds }]
}

/// The results, each with its bounds.
fn results(op: &Op, case: &Case, operands: &[Operand<'_>], by: Gathering) -> Result<Vec<Bounded>> {
    let p = &case.params;
    let one = p.get("one") == Some("1");
    let mode = match p.get("mode") {
        Some("same") => CorrelateMode::Same,
        Some("full") => CorrelateMode::Full,
        _ => CorrelateMode::Valid,
    };
    let how = reduce_options(case)?;
    let covariances = |y| -> Result<CovOptions<'_>> {
        Ok(CovOptions {
            y,
            columns: p.get("rowvar") == Some("0"),
            bias: p.get("bias") == Some("1"),
            ddof: p.parsed("ddof")?,
            dtype: p.parsed("dtype")?,
            ..CovOptions::default()
        })
    };
    let (rtol, atol) = (p.parsed("rtol")?.unwrap_or(1e-5), p.parsed("atol")?.unwrap_or(1e-8));
    let equal_nan = p.get("equal_nan") == Some("1");
    let truth =
        |t: bool| -> Result<Vec<Bounded>> { Ok(exact(NdArray::from_values(DType::Bool, &[], [Value::Bool(t)])?)) };
    let a = || array(operands, 0);
    Ok(match op.name.as_str() {
        "ptp" => exact(oracle::ptp(a()?, &how, None)?),
        "average" if one => oracle::average(a()?, None, &how)?.into_iter().take(1).collect(),
        "average" => oracle::average(a()?, Some(array(operands, 1)?), &how)?.into(),
        "cov" if one => vec![oracle::cov(a()?, &covariances(None)?)?],
        "cov" => vec![oracle::cov(a()?, &covariances(Some(array(operands, 1)?))?)?],
        "corrcoef" => vec![oracle::corrcoef(a()?, &covariances(None)?)?],
        "correlate" => vec![oracle::correlate(a()?, array(operands, 1)?, mode)?],
        "convolve" => vec![oracle::convolve(a()?, array(operands, 1)?, mode)?],
        "isclose" => exact(oracle::isclose(&operands[0], &operands[1], rtol, atol, equal_nan)?),
        "allclose" => {
            let close = oracle::isclose(&operands[0], &operands[1], rtol, atol, equal_nan)?;
            truth(close.values().iter().all(|v| *v == Value::Bool(true)))?
        }
        "array_equal" => truth(oracle::array_equal(a()?, array(operands, 1)?, equal_nan)?)?,
        "array_equiv" => truth(oracle::array_equiv(a()?, array(operands, 1)?)?)?,
        "trace" => {
            let (rows, columns) = (p.parsed("axis1")?.unwrap_or(0), p.parsed("axis2")?.unwrap_or(1));
            let diagonal = a()?.diagonal(p.parsed("offset")?.unwrap_or(0), rows, columns)?;
            let how =
                StatisticOptions { how: ReduceOptions { axis: Some(vec![-1]), ..how }, ..StatisticOptions::default() };
            let bounds = oracle::statistic_bound("sum", &diagonal, &how, by)?;
            vec![Bounded { result: oracle::statistic("sum", &diagonal, &how)?, bounds }]
        }
        "norm" => {
            let order = match p.get("ord") {
                None => None,
                Some("inf") => Some(f64::INFINITY),
                Some(_) => p.parsed("ord")?,
            };
            let axes = how.axis.as_ref().map_or(a()?.ndim(), |axes| axes.len());
            // The norm of no order is that of all elements; one of an order has an axis.
            if axes != 1 && (order.is_some() || (how.axis.is_some() && axes != 2)) {
                let message = "a norm of vectors is along one axis".to_string();
                return Err(OracleError::new(ErrorKind::Value, message).into());
            }
            vec![oracle::vector_norm(a()?, order.unwrap_or(2.0), &how, by)?]
        }
        other => return Err(Refusal(Kind::Broken, format!("the oracle has no {other}"))),
    })
}

pub(super) fn call(op: &Op, case: &Case, operands: &[Operand<'_>]) -> Result<Vec<NdArray>> {
    Ok(results(op, case, operands, Gathering::DEVICE)?.into_iter().map(|b| b.result).collect())
}

pub(super) fn bounds(op: &Op, case: &Case, operands: &[Operand<'_>], by: Gathering) -> Option<Vec<f64>> {
    Some(results(op, case, operands, by).ok()?.into_iter().flat_map(|b| b.bounds).collect())
}
