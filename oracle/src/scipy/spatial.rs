//! Distances of points of `scipy.spatial.distance`: the definition of each metric, one pair after another.

use cuprum_kernels::DType;

use crate::core::array::NdArray;
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::layout::Order;
use crate::core::promote::promote_types;
use crate::core::value::{Value, ulp};
use crate::numpy::statistics::Bounded;
use crate::table::{Arguments, Fault, counterparts};

/// Returns the rows of a matrix.
fn rows(a: &NdArray) -> Result<Vec<Vec<f64>>> {
    if a.ndim() != 2 {
        return fail(ErrorKind::Value, "points are rows of a matrix");
    }
    if a.dtype().is_complex() {
        return fail(ErrorKind::Type, "points are real");
    }
    let columns = a.shape()[1];
    let values: Vec<f64> = a.values().iter().map(|v| v.float()).collect();
    Ok((0..a.shape()[0]).map(|i| values[i * columns..(i + 1) * columns].to_vec()).collect())
}

/// Distance of two points, and the size of its error in units of the relative rounding error of one operation.
fn distance(metric: &str, p: f64, a: &[f64], b: &[f64]) -> Result<(f64, f64)> {
    let pairs = || a.iter().zip(b);
    let sum = |term: &dyn Fn(f64, f64) -> f64| pairs().map(|(x, y)| term(*x, *y)).sum::<f64>();
    let terms = a.len() as f64 + 8.0;
    let count = |of: &dyn Fn(f64, f64) -> bool| pairs().filter(|(x, y)| of(**x, **y)).count() as f64;
    // Sums of terms of one sign: the error is a part of the value.
    let relative = |value: f64| (value, terms * value.abs());
    Ok(match metric {
        "euclidean" => relative(sum(&|x, y| (x - y) * (x - y)).sqrt()),
        "sqeuclidean" => relative(sum(&|x, y| (x - y) * (x - y))),
        "cityblock" => relative(sum(&|x, y| (x - y).abs())),
        "chebyshev" => relative(pairs().map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)),
        "canberra" => {
            relative(sum(&|x, y| if x == 0.0 && y == 0.0 { 0.0 } else { (x - y).abs() / (x.abs() + y.abs()) }))
        }
        "braycurtis" => {
            let (value, size) = relative(sum(&|x, y| (x - y).abs()) / sum(&|x, y| (x + y).abs()));
            // Elements of both signs cancel in the divisor.
            let kept = sum(&|x, y| (x + y).abs()) / sum(&|x, y| x.abs() + y.abs());
            (value, 2.0 * size / kept.min(1.0))
        }
        "cosine" => {
            let norms = sum(&|x, _| x * x).sqrt() * sum(&|_, y| y * y).sqrt();
            (1.0 - sum(&|x, y| x * y) / norms, 4.0 * terms)
        }
        "hamming" => relative(count(&|x, y| x != y) / a.len() as f64),
        "jaccard" => {
            let either = count(&|x, y| x != 0.0 || y != 0.0);
            relative(if either == 0.0 { 0.0 } else { count(&|x, y| (x != 0.0) != (y != 0.0)) / either })
        }
        "minkowski" => {
            let (value, size) = relative(sum(&|x, y| (x - y).abs().powf(p)).powf(1.0 / p));
            // Powers are off by some units.
            (value, 4.0 * size)
        }
        _ => return fail(ErrorKind::Value, "a metric that the oracle does not have"),
    })
}

fn distances(t: &Arguments, of_pairs: bool) -> std::result::Result<Bounded, Fault> {
    let a: &NdArray = t.get(if of_pairs { "X" } else { "XA" })?;
    let b: &NdArray = if of_pairs { a } else { t.get("XB")? };
    let (metric, p): (&str, Option<Value>) = (t.or("metric", "euclidean")?, t.get("p")?);
    let dtype = match promote_types(a.dtype(), b.dtype()) {
        DType::F16 | DType::BF16 | DType::F32 => DType::F32,
        _ => DType::F64,
    };
    let (from, to) = (rows(a)?, rows(b)?);
    if a.shape()[1] != b.shape()[1] {
        fail(ErrorKind::Value, "points have the same number of columns")?;
    }
    if p.is_some() && metric != "minkowski" {
        fail(ErrorKind::Type, "the metric has no exponent")?;
    }
    let p = p.map_or(2.0, Value::float);
    if p.is_nan() || p <= 0.0 {
        fail(ErrorKind::Value, "the exponent is above 0")?;
    }
    let epsilon = ulp(1.0, dtype);
    let (mut values, mut bounds) = (vec![], vec![]);
    for (i, x) in from.iter().enumerate() {
        for y in &to[if of_pairs { i + 1 } else { 0 }..] {
            let (value, size) = distance(metric, p, x, y)?;
            values.push(value);
            bounds.push(size * epsilon);
        }
    }
    let shape = if of_pairs { vec![values.len()] } else { vec![from.len(), to.len()] };
    let result = NdArray::from_values(DType::F64, &shape, values.into_iter().map(Value::Float))?;
    Ok(Bounded { result: result.astype(dtype, Order::C), bounds })
}

counterparts! {
    "scipy.spatial.distance.cdist" = |t| distances(t, false)?;
    "scipy.spatial.distance.pdist" = |t| distances(t, true)?;
}
