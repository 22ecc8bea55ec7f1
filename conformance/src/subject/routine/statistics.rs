//! Averages, covariances, correlations, closeness, norms.

use cuprum::linalg::{NormOrder, norm};
use cuprum::{Array, CloseOptions, CorrelateMode, CovOptions, Operand, TraceOptions};

use super::super::reduction::how;
use super::super::{Refusal, Result};
use crate::case::Case;
use crate::matrix::Op;
use crate::outcome::Kind;

fn array<'a>(operands: &[Operand<'a>], k: usize) -> Result<&'a Array> {
    match operands.get(k) {
        Some(Operand::Array(a)) => Ok(a),
        _ => Err(Refusal(Kind::Broken, "an array was expected".into())),
    }
}

pub(super) fn call(op: &Op, case: &Case, operands: &[Operand<'_>]) -> Result<Vec<Array>> {
    let p = &case.params;
    let one = p.get("one") == Some("1");
    let mode = match p.get("mode") {
        Some("same") => CorrelateMode::Same,
        Some("full") => CorrelateMode::Full,
        _ => CorrelateMode::Valid,
    };
    let close = || -> Result<CloseOptions> {
        let d = CloseOptions::default();
        Ok(CloseOptions {
            rtol: p.parsed("rtol")?.unwrap_or(d.rtol),
            atol: p.parsed("atol")?.unwrap_or(d.atol),
            equal_nan: p.get("equal_nan") == Some("1"),
        })
    };
    let truth = |t: bool| -> Result<Vec<Array>> { Ok(vec![Array::from_slice(&[t], ())?]) };
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
    let result = match op.name.as_str() {
        "ptp" => cuprum::ptp(array(operands, 0)?, how(case)?)?,
        "average" if one => cuprum::average(array(operands, 0)?, None, how(case)?)?,
        "average" => {
            let (average, scale) =
                cuprum::average_returned(array(operands, 0)?, Some(array(operands, 1)?), how(case)?)?;
            return Ok(vec![average, scale]);
        }
        "cov" if one => cuprum::cov(array(operands, 0)?, &covariances(None)?)?,
        "cov" => cuprum::cov(array(operands, 0)?, &covariances(Some(array(operands, 1)?))?)?,
        "corrcoef" => cuprum::corrcoef(array(operands, 0)?, &covariances(None)?)?,
        "correlate" => cuprum::correlate(array(operands, 0)?, array(operands, 1)?, mode)?,
        "convolve" => cuprum::convolve(array(operands, 0)?, array(operands, 1)?, mode)?,
        "isclose" => cuprum::isclose(operands[0], operands[1], &close()?)?,
        "allclose" => return truth(cuprum::allclose(operands[0], operands[1], &close()?)?),
        "array_equal" => {
            return truth(cuprum::array_equal(array(operands, 0)?, array(operands, 1)?, close()?.equal_nan)?);
        }
        "array_equiv" => return truth(cuprum::array_equiv(array(operands, 0)?, array(operands, 1)?)?),
        "trace" => {
            let d = TraceOptions::default();
            let how = TraceOptions {
                offset: p.parsed("offset")?.unwrap_or(d.offset),
                axis1: p.parsed("axis1")?.unwrap_or(d.axis1),
                axis2: p.parsed("axis2")?.unwrap_or(d.axis2),
                dtype: p.parsed("dtype")?,
                out: None,
            };
            cuprum::trace(array(operands, 0)?, &how)?
        }
        "norm" => {
            let order = match p.get("ord") {
                None => NormOrder::Euclidean,
                Some("inf") => NormOrder::P(f64::INFINITY),
                Some(_) => NormOrder::P(p.parsed("ord")?.unwrap_or(2.0)),
            };
            norm(array(operands, 0)?, order, how(case)?)?
        }
        other => return Err(Refusal(Kind::Broken, format!("the library has no {other}"))),
    };
    Ok(vec![result])
}
