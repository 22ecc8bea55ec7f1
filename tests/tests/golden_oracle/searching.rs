//! Searching, picking and histograms.

use cuprum_oracle::{
    self as oracle, HistogramBins, HistogramOptions, NdArray, Operand, Order, PointOptions, ReduceOptions, Value,
};
use cuprum_tests::golden::integers;
use serde_json::Value as Json;

use super::{Called, number, optional};

/// The operand that the parameter `key` numbers.
fn numbered(arrays: &[NdArray], p: &Json, key: &str) -> Option<NdArray> {
    p[key].as_u64().and_then(|i| arrays.get(i as usize)).cloned()
}

pub(crate) fn range(json: &Json) -> Option<(f64, f64)> {
    Some((json[0].as_f64()?, json[1].as_f64()?))
}

/// The options of a histogram: its edges are an operand, or there are `count` bins, or a rule's.
pub(crate) fn histogram_options(arrays: &[NdArray], p: &Json) -> HistogramOptions {
    let bins = match (numbered(arrays, p, "bins"), p["rule"].as_str()) {
        (Some(edges), _) => HistogramBins::Edges(edges),
        (_, Some(rule)) => HistogramBins::Rule(rule.into()),
        _ => HistogramBins::Count(p["count"].as_u64().unwrap_or(10) as usize),
    };
    let weights = numbered(arrays, p, "weights");
    HistogramOptions { bins, range: range(&p["range"]), density: p["density"] == true, weights }
}

fn point_options(arrays: &[NdArray], p: &Json) -> PointOptions {
    let count = |v: &Json| HistogramBins::Count(v.as_u64().unwrap_or(0) as usize);
    PointOptions {
        bins: p["bins"].as_array().map_or_else(|| vec![count(&p["bins"])], |list| list.iter().map(count).collect()),
        range: p["ranges"].as_array().map_or(vec![], |list| list.iter().map(range).collect()),
        density: p["density"] == true,
        weights: numbered(arrays, p, "weights"),
    }
}

/// Operands as arrays; a number is one of the dtype that it has by itself.
pub(crate) fn arrays(operands: &[Operand<'_>]) -> Result<Vec<NdArray>, String> {
    let array = |o: &Operand<'_>| match o {
        Operand::Array(a) => Ok((*a).clone()),
        Operand::Scalar(v) => oracle::full(&[], *v, None, Order::C).map_err(|e| e.to_string()),
    };
    operands.iter().map(array).collect()
}

pub(crate) fn call(name: &str, operands: &[Operand<'_>], p: &Json) -> Called {
    let arrays = arrays(operands)?;
    let second = || arrays.get(1).ok_or("there is no second operand");
    let a = arrays.first().ok_or("there is no operand")?;
    let one = match name {
        "nonzero" => return Ok(oracle::nonzero(a)),
        "flatnonzero" => oracle::flatnonzero(a),
        "argwhere" => oracle::argwhere(a),
        "count_nonzero" => {
            let axis = optional(&p["axis"], integers)?;
            oracle::reduce(name, a, &ReduceOptions { axis, ..ReduceOptions::default() })
        }
        "extract" => oracle::extract(a, second()?),
        "compress" => oracle::compress(a, second()?, optional(&p["axis"], number)?),
        "mask" => a.mask(second()?),
        "searchsorted" => {
            oracle::searchsorted(a, second()?, p["side"] == "right", numbered(&arrays, p, "sorter").as_ref())
        }
        "take" => oracle::take(a, second()?, optional(&p["axis"], number)?, p["mode"].as_str().unwrap_or("raise")),
        "digitize" => oracle::digitize(a, second()?, p["right"] == true),
        "bincount" => {
            let minlength = p["minlength"].as_u64().unwrap_or(0) as usize;
            oracle::bincount(a, numbered(&arrays, p, "weights").as_ref(), minlength)
        }
        "histogram" => {
            return Ok(oracle::histogram(a, &histogram_options(&arrays, p)).map(|(values, edges)| vec![values, edges]));
        }
        "histogram_bin_edges" => oracle::histogram_bin_edges(a, &histogram_options(&arrays, p)),
        "histogramdd" | "histogram2d" => {
            let sample = if name == "histogram2d" { columns(a, second()?) } else { Ok(a.clone()) };
            let made = sample.and_then(|s| oracle::histogramdd(&s, &point_options(&arrays, p)));
            return Ok(made.map(|(values, edges)| [vec![values], edges].concat()));
        }
        other => return Err(format!("no function is called {other}")),
    };
    Ok(one.map(|result| vec![result]))
}

fn columns(x: &NdArray, y: &NdArray) -> oracle::Result<NdArray> {
    if x.shape() != y.shape() {
        return Err(oracle::OracleError::new(oracle::ErrorKind::Value, "coordinates of two lengths"));
    }
    let rows: Vec<Value> = x.values().into_iter().zip(y.values()).flat_map(|(x, y)| [x, y]).collect();
    NdArray::from_values(oracle::promote_types(x.dtype(), y.dtype()), &[x.size(), 2], rows)
}

/// How far sums of weights may be off, which NumPy adds one after the other, between given edges in the dtype of the
/// weights and the differences of running sums.
pub(crate) fn tolerances(name: &str, operands: &[Operand<'_>], p: &Json, got: &NdArray) -> Result<Vec<f64>, String> {
    let arrays = arrays(operands)?;
    let Some(weights) = numbered(&arrays, p, "weights").filter(|_| name != "histogramdd") else {
        return Ok(vec![0.0; got.size()]);
    };
    if name == "histogram" && got.dtype() != weights.dtype() {
        // The edges.
        return Ok(vec![0.0; got.size()]);
    }
    let mass: f64 = weights.values().iter().map(|v| v.complex().re.abs().max(v.complex().im.abs())).sum();
    let unit = if name == "bincount" { f64::EPSILON } else { oracle::ulp(1.0, weights.dtype()) };
    Ok(vec![unit * weights.size() as f64 * mass; got.size()])
}
