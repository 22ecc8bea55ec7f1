//! Elements at given indices.

use crate::array::NdArray;
use crate::error::{ErrorKind, Result, fail};
use crate::layout::{Order, axis_index};
use crate::table::twins;
use crate::value::{Value, cast};

/// NumPy's `take`; the mode is `raise`, `wrap` or `clip`.
///
/// # Errors
///
/// `AxisError` for an axis that is not there, `TypeError` for indices that are not integers, `IndexError` for those out of
/// bounds.
pub fn take(a: &NdArray, indices: &NdArray, axis: Option<isize>, mode: &str) -> Result<NdArray> {
    let (a, axis) = match axis {
        None => (a.reshape(&[-1], Order::C)?, 0),
        Some(axis) if a.ndim() == 0 => (a.reshape(&[-1], Order::C)?, axis_index(axis, 1)?),
        Some(axis) => (a.clone(), axis_index(axis, a.ndim())?),
    };
    if indices.dtype().is_float() || indices.dtype().is_complex() {
        return fail(ErrorKind::Type, "indices are integers");
    }
    let n = a.shape()[axis] as i128;
    let (outer, inner): (usize, usize) = (a.shape()[..axis].iter().product(), a.shape()[axis + 1..].iter().product());
    let shape = [&a.shape()[..axis], indices.shape(), &a.shape()[axis + 1..]].concat();
    if n == 0 && shape.iter().product::<usize>() > 0 {
        return fail(ErrorKind::Index, "there is nothing to take");
    }
    let elements = a.values();
    let mut values: Vec<Value> = vec![];
    for o in 0..outer {
        for index in indices.values() {
            let index = cast(index, cuprum_kernels::DType::I64).0.int();
            let index = match mode {
                _ if n == 0 => continue,
                "wrap" => index.rem_euclid(n),
                "clip" => index.clamp(0, n - 1),
                _ if index < -n || index >= n => return fail(ErrorKind::Index, format!("{index} is out of bounds")),
                _ => index.rem_euclid(n),
            };
            let first = (o * n as usize + index as usize) * inner;
            values.extend(&elements[first..first + inner]);
        }
    }
    NdArray::from_values(a.dtype(), &shape, values)
}

twins! {
    "numpy.take" = |t| take(t.get("a")?, t.get("indices")?, t.get("axis")?, t.or("mode", "raise")?);
}
