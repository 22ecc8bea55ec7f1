//! Searching, picking and histograms.

use cuprum::{
    Array, BincountOptions, Estimator, HistogramBins, HistogramOptions, IndexMode, Operand, PointOptions, Reduce,
    Result, SearchOptions, Side, TakeOptions,
};
use cuprum_tests::golden::integers;
use serde_json::Value as Json;

use super::Called;
use crate::golden_oracle::searching::range;
use crate::golden_oracle::{number, optional};

fn numbered<'a>(operands: &[Operand<'a>], p: &Json, key: &str) -> Option<&'a Array> {
    match p[key].as_u64().and_then(|i| operands.get(i as usize)) {
        Some(Operand::Array(a)) => Some(a),
        _ => None,
    }
}

fn options<'a>(operands: &[Operand<'a>], p: &Json) -> Result<HistogramOptions<'a>> {
    let bins = match (numbered(operands, p, "bins"), p["rule"].as_str()) {
        (Some(edges), _) => HistogramBins::Edges(edges),
        (_, Some(rule)) => HistogramBins::Estimated(rule.parse::<Estimator>()?),
        _ => HistogramBins::Count(p["count"].as_u64().unwrap_or(10) as usize),
    };
    let weights = numbered(operands, p, "weights");
    Ok(HistogramOptions { bins, range: range(&p["range"]), density: p["density"] == true, weights })
}

fn point_options<'a>(operands: &[Operand<'a>], p: &Json) -> PointOptions<'a> {
    let count = |v: &Json| HistogramBins::Count(v.as_u64().unwrap_or(0) as usize);
    PointOptions {
        bins: p["bins"].as_array().map_or_else(|| vec![count(&p["bins"])], |list| list.iter().map(count).collect()),
        range: p["ranges"].as_array().map_or(vec![], |list| list.iter().map(range).collect()),
        density: p["density"] == true,
        weights: numbered(operands, p, "weights"),
    }
}

pub(crate) fn call(name: &str, operands: &[Operand<'_>], p: &Json) -> Called {
    let array = |k: usize| match operands.get(k) {
        Some(Operand::Array(a)) => Ok(*a),
        _ => Err(format!("operand {k} is no array")),
    };
    let a = array(0)?;
    let one = match name {
        "nonzero" => return Ok(cuprum::nonzero(a)),
        "flatnonzero" => cuprum::flatnonzero(a),
        "argwhere" => cuprum::argwhere(a),
        "count_nonzero" => {
            let axes = optional(&p["axis"], integers)?;
            cuprum::count_nonzero(a, axes.as_deref().map_or_else(Reduce::all, Reduce::axes))
        }
        "extract" => cuprum::extract(a, array(1)?),
        "compress" => cuprum::compress(a, array(1)?, optional(&p["axis"], number)?),
        "mask" => a.mask(array(1)?),
        "searchsorted" => {
            let side = if p["side"] == "right" { Side::Right } else { Side::Left };
            cuprum::searchsorted(a, operands[1], SearchOptions { side, sorter: numbered(operands, p, "sorter") })
        }
        "take" => {
            let mode = match p["mode"].as_str() {
                Some("wrap") => IndexMode::Wrap,
                Some("clip") => IndexMode::Clip,
                _ => IndexMode::Raise,
            };
            cuprum::take(a, array(1)?, TakeOptions { axis: optional(&p["axis"], number)?, mode })
        }
        "digitize" => cuprum::digitize(a, array(1)?, p["right"] == true),
        "bincount" => {
            let minlength = p["minlength"].as_u64().unwrap_or(0) as usize;
            cuprum::bincount(a, BincountOptions { weights: numbered(operands, p, "weights"), minlength })
        }
        "histogram" => {
            let made = options(operands, p).and_then(|how| cuprum::histogram(a, how));
            return Ok(made.map(|(values, edges)| vec![values, edges]));
        }
        "histogram_bin_edges" => options(operands, p).and_then(|how| cuprum::histogram_bin_edges(a, how)),
        "histogramdd" => {
            let made = cuprum::histogramdd(a, point_options(operands, p));
            return Ok(made.map(|(values, edges)| [vec![values], edges].concat()));
        }
        "histogram2d" => {
            let made = cuprum::histogram2d(a, array(1)?, point_options(operands, p));
            return Ok(made.map(|(values, x, y)| vec![values, x, y]));
        }
        other => return Err(format!("no function is called {other}")),
    };
    Ok(one.map(|result| vec![result]))
}
