//! Reductions with options, and what is made of them.

use cuprum::linalg::{NormOrder, norm};
use cuprum::{Array, CloseOptions, CorrelateMode, CovOptions, Operand, Reduce, Scalar};
use cuprum_tests::golden::{dtype, integers};
use serde_json::Value as Json;

use super::options::numbered;
use super::{Called, scalar};
use crate::golden_oracle::{number, optional, options::initial};

pub(crate) fn call(name: &str, operands: &[Operand<'_>], p: &Json) -> Called {
    let given = |key: &str| numbered(operands, p, key);
    let array = |k: usize| match operands.get(k) {
        Some(Operand::Array(a)) => Ok(*a),
        _ => Err("an operand is no array".to_string()),
    };
    let mut how = optional(&p["axis"], integers)?.as_deref().map_or_else(Reduce::all, Reduce::axes);
    how = how.keepdims(p["keepdims"] == true);
    if let (Some(dtype), false) = (optional(&p["dtype"], dtype)?, matches!(name, "cov" | "corrcoef")) {
        how = how.dtype(dtype);
    }
    if let Some(initial) = optional(&p["initial"], initial)? {
        let initial: Scalar = scalar(&initial);
        how = how.initial(initial);
    }
    if let Some(ddof) = p["ddof"].as_f64() {
        how = how.ddof(ddof);
    }
    for (key, set) in
        [("out", Reduce::out as fn(Reduce, &Array) -> Reduce), ("where", Reduce::where_), ("mean", Reduce::mean)]
    {
        if let Some(a) = given(key)? {
            how = set(how, a);
        }
    }
    let close = CloseOptions {
        rtol: p["rtol"].as_f64().unwrap_or(1e-5),
        atol: p["atol"].as_f64().unwrap_or(1e-8),
        equal_nan: p["equal_nan"] == true,
    };
    let mode = |default| match p["mode"].as_str() {
        Some("valid") => CorrelateMode::Valid,
        Some("same") => CorrelateMode::Same,
        Some("full") => CorrelateMode::Full,
        _ => default,
    };
    let covariances = CovOptions {
        y: given("y")?,
        columns: p["rowvar"] == false,
        bias: p["bias"] == true,
        ddof: p["ddof"].as_i64(),
        fweights: given("fweights")?,
        aweights: given("aweights")?,
        dtype: optional(&p["dtype"], dtype)?,
    };
    let truth = |t: cuprum::Result<bool>| t.and_then(|t| Array::from_slice(&[t], ()));
    let a = array(0)?;
    let one = match name {
        "ptp" => cuprum::ptp(a, how),
        "average" if p["returned"] == true => {
            let both = cuprum::average_returned(a, given("weights")?, how);
            return Ok(both.map(|(average, scale)| vec![average, scale]));
        }
        "average" => cuprum::average(a, given("weights")?, how),
        "cov" => cuprum::cov(a, &covariances),
        "corrcoef" => cuprum::corrcoef(a, &covariances),
        "correlate" => cuprum::correlate(a, array(1)?, mode(CorrelateMode::Valid)),
        "convolve" => cuprum::convolve(a, array(1)?, mode(CorrelateMode::Full)),
        "isclose" => cuprum::isclose(operands[0], operands[1], &close),
        "allclose" => truth(cuprum::allclose(operands[0], operands[1], &close)),
        "array_equal" => truth(cuprum::array_equal(a, array(1)?, close.equal_nan)),
        "array_equiv" => truth(cuprum::array_equiv(a, array(1)?)),
        "norm" => {
            let order = match &p["ord"] {
                Json::String(_) => NormOrder::P(f64::INFINITY),
                Json::Null => NormOrder::Euclidean,
                order => NormOrder::P(number(order)? as f64),
            };
            norm(a, order, how)
        }
        _ => cuprum::reduction(name).and_then(|f| f.call(a, &how)),
    };
    Ok(one.map(|result| vec![result]))
}
