//! Coordinate grids: `meshgrid`, `mgrid`, `ogrid`, `indices`.

use cuprum_kernels::DType;

use crate::core::array::{NdArray, Operand};
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::layout::{Order, broadcast_shapes};
use crate::core::promote::result_type;
use crate::core::value::Value;
use crate::numpy::creation::basic::arange;
use crate::table::{Argument, Arguments, CallResult, counterparts};

fn on_axis(a: &NdArray, axis: usize, n: usize) -> Result<NdArray> {
    let mut shape = vec![1; n];
    shape[axis] = -1;
    if a.size() == 0 {
        shape[axis] = 0;
    }
    a.reshape(&shape, Order::C)
}

fn meshgrid(xi: &[&NdArray], xy: bool, sparse: bool, copy: bool) -> Result<Vec<NdArray>> {
    let n = xi.len();
    let axis_of = |k: usize| if xy && n > 1 && k < 2 { 1 - k } else { k };
    let mut all: Vec<NdArray> = xi.iter().enumerate().map(|(k, a)| on_axis(a, axis_of(k), n)).collect::<Result<_>>()?;
    if !sparse {
        let shape = broadcast_shapes(&all.iter().map(NdArray::shape).collect::<Vec<_>>())?;
        all = all.iter().map(|a| a.broadcast_to(&shape)).collect::<Result<_>>()?;
    }
    Ok(if copy { all.iter().map(|a| a.copy(Order::C)).collect() } else { all })
}

/// Creates grids from 1-D coordinates: open, or each broadcast to the whole grid and stacked.
fn grid(lines: &[NdArray], dtype: DType, sparse: bool) -> Result<Vec<NdArray>> {
    let n = lines.len();
    let lines: Vec<NdArray> = lines.iter().enumerate().map(|(k, a)| on_axis(a, k, n)).collect::<Result<_>>()?;
    if sparse {
        return Ok(lines);
    }
    let shape = broadcast_shapes(&lines.iter().map(NdArray::shape).collect::<Vec<_>>())?;
    let mut values = vec![];
    for line in &lines {
        values.extend(line.broadcast_to(&shape)?.values());
    }
    Ok(vec![NdArray::from_values(dtype, &[&[n], &shape[..]].concat(), values)?])
}

fn indices(dimensions: &[usize], dtype: DType, sparse: bool) -> Result<Vec<NdArray>> {
    let line = |n: &usize| arange(Value::Int(0), Value::Int(*n as i128), Value::Int(1), Some(dtype));
    grid(&dimensions.iter().map(line).collect::<Result<Vec<_>>>()?, dtype, sparse)
}

/// Reads the coordinates along each axis of `mgrid` and `ogrid`, which NumPy takes as slices.
fn sliced(t: &Arguments, sparse: bool) -> CallResult<Vec<NdArray>> {
    let read = |name: &str| -> CallResult<Vec<Value>> {
        let all: Vec<Argument> = t.get(name)?;
        Ok(all.into_iter().filter_map(|a| if let Argument::Scalar(v) = a { Some(v) } else { None }).collect())
    };
    Ok(slices(&read("start")?, &read("stop")?, &read("step")?, sparse)?)
}

fn slices(start: &[Value], stop: &[Value], step: &[Value], sparse: bool) -> Result<Vec<NdArray>> {
    let points = |v: &Value| if let Value::Complex(z) = v { Some(z.norm()) } else { None };
    let weigh = |v: &Value| Operand::Scalar(points(v).map_or(*v, Value::Float));
    let mut types: Vec<Operand<'_>> = start.iter().chain(stop).chain(step).map(weigh).collect();
    types.push(Operand::Scalar(Value::Int(0)));
    let dtype = result_type(&types)?;
    let mut lines = vec![];
    for ((start, stop), step) in start.iter().zip(stop).zip(step) {
        let span = stop.float() - start.float();
        let (count, step) = match points(step) {
            Some(1.0) => (1.0, Value::Int(1)),
            Some(points) => (points.trunc(), Value::Float(span / (points.trunc() - 1.0))),
            None if !step.truth() => return fail(ErrorKind::ZeroDivision, "a grid's step cannot be 0"),
            None => ((span / step.float()).ceil(), *step),
        };
        if count < 0.0 && !sparse {
            return fail(ErrorKind::Value, "a grid of negative size");
        }
        let at = |i: i128| match dtype {
            DType::I64 => Value::Int(i * step.int() + start.int()),
            _ => Value::Float(i as f64 * step.float() + start.float()),
        };
        lines.push(NdArray::from_values(dtype, &[count as usize], (0..count as i128).map(at))?);
    }
    grid(&lines, dtype, sparse)
}

counterparts! {
    "numpy.meshgrid" = |t| {
        let xi: Vec<&NdArray> = t.get("xi")?;
        let xy = match t.or("indexing", "xy")? {
            "xy" => true,
            "ij" => false,
            _ => fail(ErrorKind::Value, "a grid is indexed by xy or by ij")?,
        };
        meshgrid(&xi, xy, t.or("sparse", false)?, t.or("copy", true)?)
    };
    "numpy.indices" = |t| {
        indices(&t.get::<Vec<usize>>("dimensions")?, t.or("dtype", DType::I64)?, t.or("sparse", false)?)
    };
    "numpy.mgrid" = |t| sliced(t, false)?;
    "numpy.ogrid" = |t| sliced(t, true)?;
}
