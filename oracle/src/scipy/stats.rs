//! Functions of `scipy.stats`: `entropy`, `trim_mean`.

use cuprum_kernels::DType;

use crate::core::array::NdArray;
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::layout::{Order, axis_index, broadcast_shapes};
use crate::core::promote::promote_types;
use crate::core::value::{Value, ulp};
use crate::numpy::math::difference::{call, float, part};
use crate::numpy::sorting::sort;
use crate::numpy::statistics::Bounded;
use crate::table::counterparts;
use crate::ufunc::reduce::{Gathering, ReduceOptions, reduce, reduction_bound};

fn floating(dtype: DType) -> DType {
    if dtype.is_float() || dtype.is_complex() { dtype } else { DType::F64 }
}

fn along(axis: isize, keepdims: bool) -> ReduceOptions {
    ReduceOptions { axis: Some(vec![axis]), keepdims, ..ReduceOptions::default() }
}

/// Computes `entropy`, and bounds the error of a sum of terms that are a few units off each.
fn entropy(pk: &NdArray, qk: Option<&NdArray>, base: Option<f64>, axis: isize, by: Gathering) -> Result<Bounded> {
    if base.is_some_and(|base| base <= 0.0) {
        return fail(ErrorKind::Value, "no base of a logarithm");
    }
    let mut dtype = floating(pk.dtype());
    let mut shape = pk.shape().to_vec();
    if let Some(qk) = qk {
        dtype = promote_types(dtype, floating(qk.dtype()));
        shape = broadcast_shapes(&[pk.shape(), qk.shape()])?;
    }
    axis_index(axis, shape.len())?;
    // Relative error of a sum: for numbers of both signs increased by their cancellation.
    let mut off = 0.0f64;
    let mut shares = |a: &NdArray| -> Result<NdArray> {
        let mut a = a.broadcast_to(&shape)?;
        // Only a cast makes a copy, whose axes are ordered by the sizes of their strides.
        if a.dtype() != dtype {
            a = a.astype(dtype, Order::K);
        }
        let sums = reduce("sum", &a, &along(axis, true))?;
        for (bound, sum) in reduction_bound("sum", &a, &along(axis, true), by)?.into_iter().zip(sums.values()) {
            if bound > 0.0 && !sum.float().is_nan() {
                let ratio = bound / sum.float().abs();
                off = off.max(if ratio.is_nan() { f64::INFINITY } else { ratio });
            }
        }
        call("true_divide", &[(&a).into(), (&sums).into()])
    };
    let pk = shares(pk)?;
    let each = match qk {
        None => call("entr", &[(&pk).into()]),
        Some(qk) => call("rel_entr", &[(&pk).into(), (&shares(qk)?).into()]),
    }?;
    let masses = reduce("sum", &call("absolute", &[(&pk).into()])?, &along(axis, false))?;
    let mut result = reduce("sum", &each, &along(axis, false))?;
    let sizes = reduce("sum", &call("absolute", &[(&each).into()])?, &along(axis, false))?;
    let mut bounds = reduction_bound("sum", &each, &along(axis, false), by)?;
    let scale = base.map_or(1.0, f64::ln);
    if base.is_some() {
        result = call("true_divide", &[(&result).into(), float(scale)])?;
    }
    // A fraction is off by a few units and by the error of its sum, and a term by as many units of itself and of the
    // fraction.
    let each = 16.0 * ulp(1.0, dtype) + 2.0 * off;
    for (((bound, size), mass), value) in
        bounds.iter_mut().zip(sizes.values()).zip(masses.values()).zip(result.values())
    {
        let terms = each * (size.float() + mass.float());
        let terms = if terms.is_nan() { f64::INFINITY } else { terms };
        *bound = (*bound + terms) / scale.abs() + ulp(value.float(), dtype);
    }
    Ok(Bounded { result, bounds })
}

/// Computes `trim_mean`, with the bounds of the mean.
fn trim_mean(a: &NdArray, share: f64, axis: Option<isize>, by: Gathering) -> Result<Bounded> {
    let (a, axis) = match axis {
        None => (a.reshape(&[-1], Order::C)?, 0),
        Some(axis) => (a.clone(), axis_index(axis, a.ndim())?),
    };
    let n = a.shape()[axis] as isize;
    let cut = (share * n as f64) as isize;
    if cut < 0 || cut > n - cut {
        return fail(ErrorKind::Value, "the share is too large");
    }
    let kept = part(&sort(&a, Some(axis as isize))?, axis, Some(cut), Some(n - cut))?;
    let options = along(axis as isize, false);
    Ok(Bounded { result: reduce("mean", &kept, &options)?, bounds: reduction_bound("mean", &kept, &options, by)? })
}

counterparts! {
    "scipy.stats.entropy" = |t| {
        let base: Option<Value> = t.get("base")?;
        entropy(t.get("pk")?, t.get("qk")?, base.map(Value::float), t.or("axis", 0)?, t.by)
    };
    "scipy.stats.trim_mean" = |t| {
        trim_mean(t.get("a")?, t.get("proportiontocut")?, t.or("axis", Some(0))?, t.by)
    };
}
