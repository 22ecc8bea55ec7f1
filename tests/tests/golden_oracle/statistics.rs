//! Reductions with options, and what is made of them.

use cuprum_kernels::DType;
use cuprum_oracle::{
    self as oracle, Bounded, CorrelateMode, CovOptions, FoldOptions, Gathering, NdArray, Operand, OracleError,
    StatisticOptions, Value,
};
use cuprum_tests::golden::{Case, dtype};
use serde_json::Value as Json;

use super::options::initial;
use super::{arrays, number, optional, reduce_options};

type Called = Result<Result<Vec<Bounded>, OracleError>, String>;

/// The array whose number the parameter `key` is.
fn numbered(arrays: &[Option<NdArray>], p: &Json, key: &str) -> Result<Option<NdArray>, String> {
    match p[key].as_u64() {
        Some(i) => Ok(Some(arrays[i as usize].clone().ok_or_else(|| format!("{key} is no array"))?)),
        None => Ok(None),
    }
}

pub(crate) fn mode(p: &Json, default: CorrelateMode) -> CorrelateMode {
    match p["mode"].as_str() {
        Some("valid") => CorrelateMode::Valid,
        Some("same") => CorrelateMode::Same,
        Some("full") => CorrelateMode::Full,
        _ => default,
    }
}

/// The results of a case, each with the bounds of one way to gather elements.
pub(crate) fn bounded(name: &str, case: &Case, operands: &[Operand<'_>], by: Gathering) -> Called {
    let p = &case.parameters;
    let arrays = arrays(case)?;
    let given = |key: &str| numbered(&arrays, p, key);
    let array = |k: usize| arrays.get(k).and_then(Option::as_ref).ok_or("an operand is no array");
    let exact = |result: NdArray| {
        let bounds = vec![0.0; result.size()];
        vec![Bounded { result, bounds }]
    };
    let truth = |t: bool| {
        exact(NdArray::from_values(DType::Bool, &[], [Value::Bool(t)]).expect("one value has the shape of none"))
    };
    let how = reduce_options(p)?;
    let nan = p["equal_nan"] == true;
    let float = |key: &str, default: f64| p[key].as_f64().unwrap_or(default);
    let close = || oracle::isclose(&operands[0], &operands[1], float("rtol", 1e-5), float("atol", 1e-8), nan);
    let (y, f, w) = (given("y")?, given("fweights")?, given("aweights")?);
    let covariances = CovOptions {
        y: y.as_ref(),
        columns: p["rowvar"] == false,
        bias: p["bias"] == true,
        ddof: p["ddof"].as_i64(),
        fweights: f.as_ref(),
        aweights: w.as_ref(),
        dtype: optional(&p["dtype"], dtype)?,
    };
    let a = array(0)?;
    Ok(match name {
        "ptp" => oracle::ptp(a, &how, given("out")?.as_ref()).map(exact),
        "average" => oracle::average(a, given("weights")?.as_ref(), &how)
            .map(|both| both.into_iter().take(if p["returned"] == true { 2 } else { 1 }).collect()),
        "cov" => oracle::cov(a, &covariances).map(|b| vec![b]),
        "corrcoef" => oracle::corrcoef(a, &covariances).map(|b| vec![b]),
        "correlate" => oracle::correlate(a, array(1)?, mode(p, CorrelateMode::Valid)).map(|b| vec![b]),
        "convolve" => oracle::convolve(a, array(1)?, mode(p, CorrelateMode::Full)).map(|b| vec![b]),
        "isclose" => close().map(exact),
        "allclose" => close().map(|c| truth(c.values().iter().all(|v| *v == Value::Bool(true)))),
        "array_equal" => oracle::array_equal(a, array(1)?, nan).map(truth),
        "array_equiv" => oracle::array_equiv(a, array(1)?).map(truth),
        "norm" => {
            let order = match &p["ord"] {
                Json::String(_) => Some(f64::INFINITY),
                Json::Null => None,
                order => Some(number(order)? as f64),
            };
            let axes = how.axis.as_ref().map_or(a.ndim(), Vec::len);
            if axes > 2 && how.axis.is_some() {
                let message = "a norm of vectors is along one axis";
                return Ok(Err(OracleError::new(oracle::ErrorKind::Value, message)));
            }
            oracle::vector_norm(a, order.unwrap_or(2.0), &how, by).map(|b| vec![b])
        }
        _ => {
            let options = StatisticOptions {
                how,
                told: FoldOptions {
                    out: given("out")?,
                    where_: given("where")?,
                    initial: optional(&p["initial"], initial)?,
                    no_identity: false,
                },
                ddof: float("ddof", 0.0),
                mean: given("mean")?,
            };
            oracle::statistic(name, a, &options).and_then(|result| {
                let bounds = oracle::statistic_bound(name, a, &options, by)?;
                Ok(vec![Bounded { result, bounds }])
            })
        }
    })
}

/// How far NumPy may lie from the oracle. It adds one element after the other, and rounds to the result's dtype at each
/// step: to float16 too.
pub(crate) fn tolerances(name: &str, case: &Case, got: &NdArray) -> Result<Vec<f64>, String> {
    let arrays = arrays(case)?;
    let all = bounded(name, case, &super::operands(case, &arrays), Gathering::NUMPY)?.map_err(|e| e.to_string())?;
    let of = |b: &&Bounded| b.result.to_c_bytes() == got.to_c_bytes() && b.result.shape() == got.shape();
    let bounds = all.iter().find(of).ok_or("the result is none of the case's")?.bounds.clone();
    let in_halves = arrays.iter().flatten().any(|a| a.dtype() == DType::F16) || got.dtype() == DType::F16;
    // A rounding to float16 is that many of float32, in which the bounds are counted.
    let coarser = if in_halves { f64::from(1 << 13) } else { 1.0 };
    let last = |v: &Value| {
        let size = v.complex().norm();
        if size.is_finite() { oracle::ulp(size, got.dtype()) } else { 0.0 }
    };
    let values = got.values();
    Ok(bounds.iter().zip(&values).map(|(b, v)| if *b > 0.0 { b * coarser + 4.0 * last(v) } else { 0.0 }).collect())
}
