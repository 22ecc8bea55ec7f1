//! Operands and arguments with constructions of their own, shared by both sides.

use cuprum::table::{ParameterKind, Record};
use cuprum_kernels::DType;
use cuprum_oracle::{NdArray, sorting_indices};

use super::{Argument, coefficients, matrices, operand_names};
use crate::case::{Case, Scalar};
use crate::matrix::Op;
use crate::outcome::{Number, Tensor};
use crate::text::{Making, integers, numbers, positions};

type Arguments = Vec<(String, Argument)>;

fn on(case: &Case, name: &str) -> bool {
    case.params.get(name) == Some("1")
}

/// Creates a 1-D tensor of numbers in a dtype.
fn line(dtype: DType, values: &[f64]) -> Tensor {
    let number = |x: &f64| match dtype {
        d if d.is_complex() => Number::Complex(*x, 0.0),
        d if d.is_float() => Number::Float(*x),
        _ => Number::Int(*x as i128),
    };
    let bytes = values.iter().flat_map(|x| number(x).encode(dtype)).collect();
    Tensor::packed(dtype, &[values.len()], bytes)
}

fn of_integers(dtype: DType, values: &[i64]) -> Tensor {
    line(dtype, &values.iter().map(|v| *v as f64).collect::<Vec<_>>())
}

/// Builds the operands, each under the name of its parameter.
pub(super) fn operands(op: &Op, case: &Case, record: &Record, given: &[Option<&Tensor>]) -> Result<Arguments, String> {
    let count = op.operands.min(given.len());
    let all: Vec<Argument> = (0..count).map(Argument::Operand).collect();
    let name = op.name.split_once('.').map_or(op.name.as_str(), |(name, _)| name);
    // One operand and a list of others, or two lists.
    match name {
        "choose" => {
            return Ok(vec![("a".into(), all[0].clone()), ("choices".into(), Argument::List(all[1..].to_vec()))]);
        }
        "select" => {
            let (conditions, choices) = all.split_at(count / 2);
            let list = |all: &[Argument]| Argument::List(all.to_vec());
            return Ok(vec![("condlist".into(), list(conditions)), ("choicelist".into(), list(choices))]);
        }
        _ => {}
    }
    // The first parameter of `einsum` is a string.
    if let Some(list) =
        record.parameters().get(usize::from(name == "einsum")).filter(|p| p.kind == ParameterKind::Arrays)
    {
        return Ok(vec![(list.name.into(), Argument::List(all))]);
    }
    let array = |k: usize| given.get(k).copied().flatten().ok_or(format!("operand {k} is no array"));
    let names: Vec<String> = match (name, count) {
        ("average", 2) if on(case, "one") => vec!["a".into()],
        ("average", 2) => vec!["a".into(), "weights".into()],
        ("cov", 2) if on(case, "one") => vec!["m".into()],
        ("histogram" | "weighted_quantile" | "weighted_nanquantile", 2) => vec!["a".into(), "weights".into()],
        ("insert", 2) => vec!["arr".into(), "values".into()],
        ("put", 2) => vec!["a".into(), "v".into()],
        ("putmask", 2) => vec!["a".into(), "values".into()],
        ("put_along_axis", 2) => vec!["arr".into(), "values".into()],
        ("scatter_add" | "scatter_max" | "scatter_min", 2) => vec!["a".into(), "value".into()],
        _ if op.name.ends_with(".at") => vec!["a".into(), "b".into()],
        _ => operand_names(record),
    };
    let mut named: Arguments = names.into_iter().zip(all).collect();
    if let (true, Some(kind)) = (matrices::MADE.contains(&name), case.params.get("of")) {
        named[0].1 = Argument::Made(matrices::of_kind(kind, array(0)?)?);
    }
    for k in 0..count.min(named.len()) {
        if let (Ok(a), Ok(first)) = (array(k), array(0))
            && let Some(other) = coefficients::replaced(&op.name, k, a, &first.shape)
        {
            named[k].1 = Argument::Made(other);
        }
    }
    match name {
        "average" if named.len() == 2 => named.push(("returned".into(), truth(true))),
        "searchsorted" if array(0)?.shape.len() == 1 && case.params.get("sorter").is_none() => {
            named[0].1 = sorted(array(0)?, case)?;
        }
        // Sample points increase.
        "interp" if array(1)?.shape.len() == 1 => {
            let knots = sorted(array(1)?, case)?;
            // Coordinates are sample points, and every other value is infinite, so that a read of a neighbour is
            // visible.
            if on(case, "knots")
                && let Argument::Made(knots) = &knots
            {
                named[0].1 = Argument::Made(again(knots, &array(0)?.shape));
                let values = host(array(2)?)?.values().into_iter().enumerate();
                let values: Vec<f64> =
                    values.map(|(k, v)| if k % 2 == 0 { f64::INFINITY } else { v.float() }).collect();
                named[2].1 = Argument::Made(line(DType::F64, &values));
            }
            // Sample points that coincide modulo the period have one value, so that any of them may be the first.
            if let (Some(period), Argument::Made(knots)) = (case.params.parsed::<f64>("period")?, &knots)
                && period != 0.0
            {
                let of = |v: cuprum_oracle::Value| v.float().rem_euclid(period.abs()) + 0.0;
                let values: Vec<f64> = host(knots)?.values().into_iter().map(of).collect();
                named[2].1 = Argument::Made(line(DType::F64, &values));
            }
            named[1].1 = knots;
        }
        "digitize" if array(1)?.shape.len() == 1 && case.params.get("unsorted").is_none() => {
            named[1].1 = sorted(array(1)?, case)?;
        }
        "unique" if on(case, "alike") => {
            named[0].1 = Argument::Made(alike(array(0)?, case.params.integers("axis")?.map_or(0, |axes| axes[0])));
        }
        "repeat" if on(case, "negative") => {
            let mut counts = vec![1; array(1)?.shape.iter().product()];
            if let Some(last) = counts.last_mut() {
                *last = -1;
            }
            named[1].1 = Argument::Made(of_integers(DType::I64, &counts));
        }
        _ if op.name.ends_with(".at") => named.push(("indices".into(), positions_of_at(case)?)),
        _ => {}
    }
    Ok(named)
}

/// Repeats the elements cyclically to a shape.
fn again(a: &Tensor, shape: &[usize]) -> Tensor {
    let elements = a.bytes.chunks(a.dtype.size()).cycle().take(shape.iter().product());
    Tensor::packed(a.dtype, shape, elements.flatten().copied().collect())
}

/// Creates subarrays along an axis of which three share a prefix longer than a comparison block, and every fifth
/// duplicates another one.
fn alike(a: &Tensor, axis: i64) -> Tensor {
    const COMPARED: usize = 64;
    let axis = axis.rem_euclid(a.shape.len().max(1) as i64) as usize;
    let Some(&rows) = a.shape.get(axis) else { return a.clone() };
    let (size, inner) = (a.dtype.size(), a.shape[axis + 1..].iter().product::<usize>());
    let from = |at: usize| {
        let (outer, row, within) = (at / inner / rows, at / inner % rows, at % inner);
        let column = outer * inner + within;
        let like = if row % 5 == 4 { row / 5 } else { row };
        let like = if column < COMPARED { like % 3 } else { like };
        (outer * rows + like) * inner + within
    };
    let bytes = (0..a.bytes.len() / size).flat_map(|at| &a.bytes[from(at) * size..][..size]).copied().collect();
    Tensor::packed(a.dtype, &a.shape, bytes)
}

fn truth(t: bool) -> Argument {
    Argument::Scalar(Scalar::Bool(t))
}

fn host(a: &Tensor) -> Result<NdArray, String> {
    NdArray::from_packed(a.dtype, &a.shape, a.bytes.clone()).map_err(|e| e.to_string())
}

/// Sorts the searched array: descending with `descending=1`, with a negative stride with `backwards=1`.
fn sorted(a: &Tensor, case: &Case) -> Result<Argument, String> {
    let size = a.dtype.size();
    let mut order = sorting_indices(&host(a)?);
    if case.params.get("descending").is_some() {
        order.reverse();
    }
    let bytes = order.iter().flat_map(|i| a.bytes[i * size..][..size].iter().copied()).collect();
    let sorted = Tensor::packed(a.dtype, &a.shape, bytes);
    Ok(if case.params.get("backwards").is_some() { Argument::Backwards(sorted) } else { Argument::Made(sorted) })
}

/// Creates the index arrays of `add.at` and similar methods, repeated `times` times: for the first axis, or for the
/// first two.
fn positions_of_at(case: &Case) -> Result<Argument, String> {
    let dtype: DType = case.params.parsed("itype")?.unwrap_or(DType::I64);
    let times = case.params.parsed("times")?.unwrap_or(1);
    let lists = ["indices", "second"].iter().filter_map(|name| case.params.integers(name).transpose());
    let made = |list: Result<Vec<i64>, String>| Ok(Argument::Made(of_integers(dtype, &list?.repeat(times))));
    lists.map(made).collect::<Result<_, String>>().map(Argument::List)
}

/// Creates the coordinates along an axis of an operand: `even`, or in a dtype with increasing distances.
fn sample_positions(a: &Tensor, axis: i64, text: &str) -> Result<Argument, String> {
    let axis = axis.rem_euclid(a.shape.len().max(1) as i64) as usize;
    let length = a.shape.get(axis).copied().unwrap_or(1);
    let dtype = match text {
        "even" => DType::F64,
        dtype => dtype.parse().map_err(|_| format!("{dtype} is no dtype"))?,
    };
    Ok(Argument::Made(line(dtype, &positions(text == "even", length))))
}

/// Parses `0.5` as a float, `1` as an integer, `(0.25,0.5)` as a list.
pub(super) fn quantiles(text: &str) -> Result<Argument, String> {
    let (values, shape) = numbers(text)?;
    if shape.is_empty() {
        return text.parse().map(Argument::Scalar);
    }
    Ok(Argument::List(values.into_iter().map(|q| Argument::Scalar(Scalar::Float(q))).collect()))
}

/// Builds the arguments of a parameter that is no keyword of NumPy, or whose text describes an array; `None` for
/// others.
pub(super) fn special(
    op: &Op,
    case: &Case,
    given: &[Option<&Tensor>],
    key: &str,
    text: &str,
) -> Result<Option<Arguments>, String> {
    let name = op.name.split_once('.').map_or(op.name.as_str(), |(name, _)| name);
    let first = || given.first().copied().flatten().ok_or("the first operand is no array");
    let axes = || case.params.integers("axis");
    let one = |name: &str, argument| Ok(Some(vec![(name.into(), argument)]));
    let nothing = Ok(Some(vec![]));
    match (name, key) {
        ("mgrid" | "ogrid", "key") => slices(text).map(Some),
        ("ravel_multi_index", "mode") if text.contains(',') => {
            one("mode", Argument::List(text.split(',').map(|mode| Argument::Text(mode.into())).collect()))
        }
        ("take_along_axis" | "put_along_axis", "indices") => {
            let shape = &first()?.shape;
            let axis = match case.params.get("axis") {
                Some("None") => {
                    return one("indices", Argument::Made(Making::of_routine(text, &[first()?.size()], 0)?));
                }
                _ => axes()?.map_or(-1, |axes| axes[0]).rem_euclid(shape.len().max(1) as i64),
            };
            one("indices", Argument::Made(Making::of_routine(text, shape, axis as usize)?))
        }
        ("put", "ind") => one("ind", Argument::Made(Making::of_routine(text, &[first()?.size()], 0)?)),
        ("scatter_add" | "scatter_max" | "scatter_min", "slices") => {
            one("slices", Argument::List(vec![Argument::Made(of_integers(DType::I64, &integers(text)?))]))
        }
        ("putmask", "mask") => one(key, Argument::Made(Making::of_routine(text, &first()?.shape, 0)?)),
        ("average" | "cov", "one") | ("digitize", "unsorted" | "descending" | "backwards") => nothing,
        ("interp", "knots") | ("unique", "alike") | ("repeat", "negative") => nothing,
        (_, "indices" | "second" | "itype" | "times") if op.name.ends_with(".at") => nothing,
        ("searchsorted", _) if first()?.shape.len() != 1 => nothing,
        ("searchsorted", "backwards") => nothing,
        ("searchsorted", "right") => one("side", Argument::Text("right".into())),
        ("searchsorted", "sorter") => {
            let order: Vec<i64> = sorting_indices(&host(first()?)?).into_iter().map(|i| i as i64).collect();
            let dtype = text.parse().map_err(|_| format!("{text} is no dtype"))?;
            one("sorter", Argument::Made(of_integers(dtype, &order)))
        }
        ("trapezoid", "x") if text != "self" => {
            one("x", sample_positions(first()?, axes()?.map_or(-1, |axes| axes[0]), text)?)
        }
        ("gradient", "spacing") => {
            let a = first()?;
            let along = axes()?.unwrap_or((0..a.shape.len() as i64).collect());
            let spacing = text.split(',').enumerate().map(|(k, text)| match text.parse() {
                Ok(distance) => Ok(Argument::Scalar(distance)),
                Err(_) => sample_positions(a, along.get(k).copied().unwrap_or(0), text),
            });
            one("spacing", Argument::List(spacing.collect::<Result<_, String>>()?))
        }
        (_, "of") => nothing,
        (_, "q") => match case.params.parsed("of")? {
            Some(dtype) => {
                let (values, shape) = numbers(text)?;
                one("q", Argument::Made(Tensor { shape, ..line(dtype, &values) }))
            }
            None => one("q", quantiles(text)?),
        },
        ("histogram" | "histogram_bin_edges", "edges") => one("bins", edges(case, text)?),
        ("histogramdd" | "histogram2d", "edges") => one("bins", Argument::List(vec![edges(case, text)?])),
        ("histogramdd" | "histogram2d", "bins") => {
            one("bins", Argument::List(vec![text.parse().map(Argument::Scalar)?]))
        }
        ("histogramdd" | "histogram2d", "range") => {
            let axes = if name == "histogram2d" { 2 } else { first()?.shape.get(1).copied().unwrap_or(1) };
            let ends = integers(text)?.into_iter().map(|end| Argument::Scalar(Scalar::Float(end as f64)));
            one("range", Argument::List(vec![Argument::List(ends.collect()); axes]))
        }
        // The mean of the operand in its dtype.
        (_, "mean") => {
            let dtype = first()?.dtype;
            let dtype = if dtype.is_float() || dtype.is_complex() { dtype } else { DType::F64 };
            one("mean", Argument::Full(text.parse()?, dtype))
        }
        _ => Ok(None),
    }
}

/// Parses `[0:5:1,-1:1:9j]` to lists of the starts, the stops and the steps.
fn slices(text: &str) -> Result<Arguments, String> {
    let mut lists = [("start", vec![]), ("stop", vec![]), ("step", vec![])];
    for slice in text.trim_matches(['[', ']']).split(',') {
        for ((_, list), number) in lists.iter_mut().zip(slice.split(':')) {
            list.push(Argument::Scalar(number.parse()?));
        }
    }
    Ok(lists.into_iter().map(|(name, list)| (name.into(), Argument::List(list))).collect())
}

fn edges(case: &Case, text: &str) -> Result<Argument, String> {
    let dtype = case.params.parsed("of")?.unwrap_or(DType::I64);
    Ok(Argument::Made(of_integers(dtype, &integers(text)?)))
}
