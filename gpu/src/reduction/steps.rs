//! Means and variances computed in NumPy's individual steps, for a given mean and for integer dtypes, where every step
//! rounds.
//!
//! These calls are rare; all others are one kernel.

use cuprum_kernels::DType;
use cuprum_kernels::registry::ReductionId;

use super::{KnownMean, RareOptions, Reduce, is_inexact, reduced};
use crate::array::Array;
use crate::engine;
use crate::engine::make;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Order, normalize_axes, shape_text};
use crate::ufunc::apply;

/// Returns whether a variance must be computed in steps.
pub(super) fn is_needed(id: ReductionId, a: &Array, options: &Reduce, rare: &RareOptions) -> bool {
    let changes = |d: DType| !is_inexact(d) || d.is_complex() != a.dtype().is_complex();
    let into_integer = rare.out.as_ref().is_some_and(|out| !is_inexact(out.dtype()));
    id.is_variance() && (rare.mean.is_some() || into_integer || options.dtype.is_some_and(changes))
}

/// Returns the number of elements of each result; a single number without a mask.
fn counts(a: &Array, options: &Reduce) -> Result<Array> {
    match options.given_mask() {
        Some(mask) => sum(&mask.broadcast_to_shape(a.shape())?, &options.same_axes()),
        None => {
            let gone: Vec<usize> = match &options.axes {
                Some(axes) if a.ndim() > 0 => normalize_axes(axes, a.ndim())?.into_iter().collect(),
                _ => (0..a.ndim()).collect(),
            };
            let count: usize = gone.iter().map(|&x| a.shape()[x]).product();
            make::full(a.device(), &[], count as i64, DType::I64)
        }
    }
}

fn sum(a: &Array, options: &Reduce) -> Result<Array> {
    reduced("sum", a, options)
}

fn unary(name: &str, a: &Array) -> Result<Array> {
    apply(name, [a.into()])
}

fn binary(name: &str, a: &Array, b: &Array) -> Result<Array> {
    apply(name, [a.into(), b.into()])
}

fn summed(a: &Array, options: &Reduce, dtype: Option<DType>, keepdims: bool) -> Result<Array> {
    let mut same = options.same_axes().keepdims(keepdims);
    same.dtype = dtype;
    match options.given_mask() {
        Some(mask) => sum(a, &same.where_(mask)),
        None => sum(a, &same),
    }
}

/// Divides in the dtype of the dividend.
fn divided(a: &Array, by: &Array) -> Result<Array> {
    binary("true_divide", a, by)?.astype(a.dtype())
}

/// Returns the mask of elements that are not NaN, combined with the given mask.
fn valid(a: &Array, options: &Reduce) -> Result<Array> {
    let valid = unary("logical_not", &unary("isnan", a)?)?;
    match options.given_mask() {
        Some(mask) => binary("logical_and", &valid, mask),
        None => Ok(valid),
    }
}

/// Computes the mean through `out`, which holds the sum and then its quotient.
pub(super) fn mean(id: ReductionId, a: &Array, options: &Reduce, out: &Array) -> Result<Array> {
    if id.skips(a.dtype()) {
        // Elements other than NaN are summed in the dtype of `out`.
        let options = options.clone().where_(&valid(a, options)?);
        let counts = counts(a, &options)?;
        sum(a, &options)?;
        engine::copy(&binary("true_divide", out, &counts)?, out)?;
        return Ok(out.clone());
    }
    let mut total = options.clone();
    total.dtype = options.dtype.or(match a.dtype() {
        DType::F16 => Some(DType::F32),
        d if !is_inexact(d) => Some(DType::F64),
        _ => None,
    });
    // Before the sum, which may overwrite the mask.
    let counts = counts(a, options)?;
    sum(a, &total)?;
    engine::copy(&binary("true_divide", out, &counts)?, out)?;
    Ok(out.clone())
}

/// Computes the variance in steps; with `skip_nan`, of the elements that are not NaN.
pub(super) fn variance(
    id: ReductionId,
    skip_nan: bool,
    a: &Array,
    options: &Reduce,
    rare: &RareOptions,
) -> Result<Array> {
    if skip_nan {
        // NumPy's layout is that of a copy, in which a broadcast axis is the fastest.
        let a = &if a.strides().contains(&0) { a.copy(Order::K)? } else { a.clone() };
        return variance(id, false, a, &options.clone().where_(&valid(a, options)?), rare);
    }
    let into = rare.out.as_ref().map(Array::dtype);
    if let Some(out) = into.filter(|out| id.is_deviation() && !is_inexact(*out)) {
        return Err(Error::new(ErrorKind::Type, format!("a root, which is a float, does not fit in an out of {out}")));
    }
    let dtype = options.dtype.or((!is_inexact(a.dtype())).then_some(DType::F64));
    let apart = match &rare.mean {
        Some(KnownMean::Array(mean)) => binary("subtract", a, mean)?,
        Some(KnownMean::Number(mean)) => apply("subtract", [a.into(), (*mean).into()])?,
        None => {
            let counts = counts(a, &options.clone().keepdims(true))?;
            binary("subtract", a, &divided(&summed(a, options, dtype, true)?, &counts)?)?
        }
    };
    let squares = match apart.dtype().is_complex() && a.dtype().is_complex() {
        true => binary("add", &unary("square", &apart.real())?, &unary("square", &apart.imag()?)?)?,
        false if apart.dtype().is_complex() => binary("multiply", &apart, &unary("conjugate", &apart)?)?.real(),
        false => unary("square", &apart)?,
    };
    let total = summed(&squares, options, dtype, options.keepdims)?;
    // A sum of integers is divided in the dtype of the output.
    let total = match into.filter(|out| is_inexact(*out) && !is_inexact(total.dtype())) {
        Some(out) => total.astype(out)?,
        None => total,
    };
    let degrees = apply("subtract", [(&counts(a, options)?).into(), options.ddof.into()])?;
    let degrees = apply("maximum", [(&degrees).into(), 0.0.into()])?;
    let result = divided(&total, &degrees)?;
    let result = match id.is_deviation() {
        true if !is_inexact(result.dtype()) && result.ndim() > 0 => {
            let message = format!("the root of {} does not fit in the out", result.dtype());
            return Err(Error::new(ErrorKind::Type, message));
        }
        true => unary("sqrt", &result)?.astype(result.dtype())?,
        false => result,
    };
    match &rare.out {
        Some(out) if out.shape() != result.shape() => {
            let (to, from) = (shape_text(out.shape()), shape_text(result.shape()));
            let message = format!("out has the shape {to}, and the result the shape {from}");
            Err(Error::new(ErrorKind::Value, message))
        }
        Some(out) => {
            engine::copy(&result, out)?;
            Ok(out.clone())
        }
        None => Ok(result),
    }
}
