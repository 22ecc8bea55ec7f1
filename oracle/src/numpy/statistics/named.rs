//! Counterparts of this folder's functions in the table.

use super::*;
use crate::core::value::Value;
use crate::numpy::linalg::norms::{self, NormOrder};
use crate::table::{Argument, Arguments, Fault, counterparts, reduce_options};
use crate::ufunc::methods::gathered_in;

type Parsed<T> = std::result::Result<T, Fault>;

fn covariance<'t>(t: &'t Arguments) -> Parsed<CovOptions<'t>> {
    Ok(CovOptions {
        y: t.get("y")?,
        columns: !t.or("rowvar", true)?,
        bias: t.or("bias", false)?,
        ddof: t.get("ddof")?,
        fweights: t.get("fweights")?,
        aweights: t.get("aweights")?,
        dtype: t.get("dtype")?,
    })
}

fn close(t: &Arguments) -> Parsed<NdArray> {
    let (a, b): (Operand<'_>, Operand<'_>) = (t.get("a")?, t.get("b")?);
    Ok(isclose(&a, &b, t.or("rtol", 1e-5)?, t.or("atol", 1e-8)?, t.or("equal_nan", false)?)?)
}

/// Computes the sum of a diagonal, and its bounds.
fn trace(t: &Arguments) -> Parsed<Bounded> {
    let (rows, columns) = (t.or("axis1", 0)?, t.or("axis2", 1)?);
    let diagonal = t.get::<&NdArray>("a")?.diagonal(t.or("offset", 0)?, rows, columns)?;
    let (dtype, out) = (t.get("dtype")?, t.get::<Option<&NdArray>>("out")?);
    // The output, if there is one, determines the dtype of the sum.
    let dtype = match out {
        Some(out) => Some(gathered_in("add", diagonal.dtype(), Some(out.dtype()), dtype)?),
        None => dtype,
    };
    let options = ReduceOptions { axis: Some(vec![-1]), dtype, ..ReduceOptions::default() };
    let options = StatisticOptions { options, ..StatisticOptions::default() };
    let result = into_out(statistic("sum", &diagonal, &options)?, out)?;
    Ok(Bounded { result, bounds: statistic_bound("sum", &diagonal, &options, t.by)? })
}

fn norm(t: &Arguments) -> Parsed<Bounded> {
    let a: &NdArray = t.get("x")?;
    let options = reduce_options(t)?;
    let axes = options.axis.as_ref().map_or(a.ndim(), Vec::len);
    let ord = match t.get::<Option<Argument>>("ord")? {
        Some(Argument::Text(name)) if name == "nuc" => Some(NormOrder::Nuclear),
        Some(Argument::Text(name)) if name == "fro" && axes == 2 => None,
        Some(Argument::Text(_)) => {
            return fail(ErrorKind::Value, "a norm of that name is not of these axes").map_err(Fault::from);
        }
        None => None,
        Some(_) => Some(NormOrder::Number(t.get("ord")?)),
    };
    let usual =
        |order: &NormOrder| axes == 1 && [1.0, 2.0, f64::INFINITY].iter().any(|p| *order == NormOrder::Number(*p));
    if let Some(order) = ord.filter(|order| !usual(order) && (axes == 2 || axes == 1 && *order != NormOrder::Nuclear)) {
        let all: Vec<isize> = options.axis.clone().unwrap_or_else(|| (0..a.ndim() as isize).collect());
        return Ok(norms::norm(a, order, &all, options.keepdims)?);
    }
    let ord = ord.map(|order| if let NormOrder::Number(p) = order { p } else { f64::NAN });
    // Without an order the norm is that of all elements; with an order it needs an axis.
    if axes != 1 && (ord.is_some() || (options.axis.is_some() && axes != 2)) || ord.is_some_and(f64::is_nan) {
        return fail(ErrorKind::Value, "a norm of vectors is along one axis").map_err(Fault::from);
    }
    Ok(vector_norm(a, ord.unwrap_or(2.0), &options, t.by)?)
}

counterparts! {
    "numpy.ptp" = |t| ptp(t.get("a")?, &reduce_options(t)?, t.get("out")?);
    "numpy.average" = |t| {
        let results = if t.or("returned", false)? { 2 } else { 1 };
        let both = average(t.get("a")?, t.get("weights")?, &reduce_options(t)?)?;
        both.into_iter().take(results).collect::<Vec<_>>()
    };
    "numpy.cov" = |t| cov(t.get("m")?, &covariance(t)?);
    "numpy.corrcoef" = |t| {
        let (y, columns, dtype) = (t.get("y")?, !t.or("rowvar", true)?, t.get("dtype")?);
        corrcoef(t.get("x")?, &CovOptions { y, columns, dtype, ..CovOptions::default() })
    };
    "numpy.correlate" = |t| correlate(t.get("a")?, t.get("v")?, t.or("mode", CorrelateMode::Valid)?);
    "numpy.convolve" = |t| convolve(t.get("a")?, t.get("v")?, t.or("mode", CorrelateMode::Full)?);
    "numpy.isclose" = |t| close(t)?;
    "numpy.allclose" = |t| close(t)?.values().iter().all(|v| *v == Value::Bool(true));
    "numpy.array_equal" = |t| array_equal(t.get("a1")?, t.get("a2")?, t.or("equal_nan", false)?);
    "numpy.array_equiv" = |t| array_equiv(t.get("a1")?, t.get("a2")?);
    "numpy.trace" = |t| trace(t)?;
    "numpy.linalg.norm" = |t| norm(t)?;
}
