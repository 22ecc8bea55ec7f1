//! Packing of booleans into bits: `packbits`, `unpackbits`.

use cuprum_kernels::DType;

use crate::core::array::NdArray;
use crate::core::error::{ErrorKind, Result, fail};
use crate::core::layout::{Order, axis_index};
use crate::core::value::Value;
use crate::table::counterparts;

/// Returns the operand, and the index of its axis.
fn along(a: &NdArray, axis: Option<isize>) -> Result<(NdArray, usize)> {
    let a = if axis.is_none() || a.ndim() == 0 { a.reshape(&[-1], Order::C)? } else { a.clone() };
    let axis = axis_index(axis.unwrap_or(0), a.ndim())?;
    Ok((a, axis))
}

/// Applies a function to each 1-D slice along an axis; the results have length `n`.
fn along_slices(a: &NdArray, axis: usize, n: usize, f: impl Fn(&[i128]) -> Vec<u8>) -> NdArray {
    let values: Vec<i128> = a.values().into_iter().map(Value::int).collect();
    let (length, inner) = (a.shape()[axis], a.shape()[axis + 1..].iter().product::<usize>());
    let outer: usize = a.shape()[..axis].iter().product();
    let mut shape = a.shape().to_vec();
    shape[axis] = n;
    let mut out = vec![Value::Int(0); shape.iter().product()];
    for o in 0..outer {
        for i in 0..inner {
            let line: Vec<i128> = (0..length).map(|k| values[(o * length + k) * inner + i]).collect();
            for (k, byte) in f(&line).into_iter().enumerate().take(n) {
                out[(o * n + k) * inner + i] = Value::Int(byte.into());
            }
        }
    }
    let fortran = a.is_f_contiguous() && !a.is_c_contiguous();
    let order: Vec<usize> = if fortran { (0..shape.len()).rev().collect() } else { (0..shape.len()).collect() };
    NdArray::from_order(DType::U8, &shape, &order, &out)
}

/// Computes NumPy's `packbits`.
///
/// # Errors
///
/// `TypeError` for a dtype that is neither integer nor bool, `AxisError`.
pub fn packbits(a: &NdArray, axis: Option<isize>, little: bool) -> Result<NdArray> {
    if a.dtype().is_float() || a.dtype().is_complex() {
        return fail(ErrorKind::Type, "bits are of integers and booleans");
    }
    let (a, axis) = along(a, axis)?;
    let n = a.shape()[axis].div_ceil(8);
    let byte = |eight: &[i128]| {
        let bit = |(k, v): (usize, &i128)| u8::from(*v != 0) << if little { k } else { 7 - k };
        eight.iter().enumerate().map(bit).sum()
    };
    Ok(along_slices(&a, axis, n, |line| line.chunks(8).map(byte).collect()))
}

/// Computes NumPy's `unpackbits`.
///
/// # Errors
///
/// `TypeError` for a dtype other than uint8, `AxisError`, `ValueError` for a count below minus the number of bits.
pub fn unpackbits(a: &NdArray, axis: Option<isize>, count: Option<i64>, little: bool) -> Result<NdArray> {
    if a.dtype() != DType::U8 {
        return fail(ErrorKind::Type, "bits are taken out of uint8");
    }
    let (a, axis) = along(a, axis)?;
    let bits = 8 * a.shape()[axis] as i64;
    let n = match count {
        None => bits,
        Some(count) if count < 0 => bits + count,
        Some(count) => count,
    };
    let Ok(n) = usize::try_from(n) else { return fail(ErrorKind::Value, "more bits are left out than there are") };
    Ok(along_slices(&a, axis, n, |line| {
        let bit = |byte: &i128, k: usize| (byte >> if little { k } else { 7 - k } & 1) as u8;
        line.iter().flat_map(|byte| (0..8).map(move |k| bit(byte, k))).collect()
    }))
}

counterparts! {
    "numpy.packbits" = |t| packbits(t.get("a")?, t.get("axis")?, t.or("bitorder", "big")? == "little");
    "numpy.unpackbits" = |t| {
        unpackbits(t.get("a")?, t.get("axis")?, t.get("count")?, t.or("bitorder", "big")? == "little")
    };
}
