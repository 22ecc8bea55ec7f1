//! Index arrays: their dtype, and conversions that copy only where they must.

use cuprum_kernels::DType;

use crate::array::Array;
use crate::error::{Error, ErrorKind, Result};
use crate::layout::{Order, shape_text};

/// The dtype of indices below these sizes.
pub(crate) fn index_dtype(sizes: impl IntoIterator<Item = usize>) -> DType {
    if sizes.into_iter().all(|n| i32::try_from(n).is_ok()) { DType::I32 } else { DType::I64 }
}

/// The dtype of the indices of a result: int64 where those of an operand are, or where these sizes need it.
pub(super) fn result_index(operands: impl IntoIterator<Item = DType>, sizes: impl IntoIterator<Item = usize>) -> DType {
    if operands.into_iter().any(|dtype| dtype == DType::I64) { DType::I64 } else { index_dtype(sizes) }
}

/// An index array in C order: of int32 or int64, other integers cast to what the sizes need.
pub(super) fn as_indices(a: &Array, what: &str, sizes: &[usize]) -> Result<Array> {
    if !a.dtype().is_integer() && a.size() > 0 {
        return Err(Error::new(ErrorKind::Type, format!("{what} are integers, not of {}", a.dtype())));
    }
    let dtype = match a.dtype() {
        DType::I32 | DType::I64 => a.dtype(),
        _ => index_dtype(sizes.iter().copied()),
    };
    one_axis(a, what)?.to_dtype(dtype)
}

pub(super) fn one_axis(a: &Array, what: &str) -> Result<Array> {
    if a.ndim() != 1 {
        let message = format!("{what} are an array of one axis, not of shape {}", shape_text(a.shape()));
        return Err(Error::new(ErrorKind::Value, message));
    }
    Ok(a.clone())
}

/// Conversion without a copy where there is nothing to convert.
pub(super) trait CastTo {
    /// The elements in C order and of a dtype: shared with the array where they are so already.
    fn to_dtype(&self, dtype: DType) -> Result<Array>;
}

impl CastTo for Array {
    fn to_dtype(&self, dtype: DType) -> Result<Array> {
        if self.dtype() == dtype { contiguous(self) } else { self.cast(dtype, Order::C) }
    }
}

pub(super) fn contiguous(a: &Array) -> Result<Array> {
    if a.is_c_contiguous() { Ok(a.clone()) } else { a.copy(Order::C) }
}

/// The number in an array of one index, of int32 or int64. Synchronises.
pub(super) fn number(a: &Array) -> Result<i64> {
    a.to_dtype(DType::I64)?.item::<i64>()
}

/// Casts index arrays to one dtype: int64 where one of them is.
pub(super) fn of_one_dtype<const N: usize>(arrays: [Array; N]) -> Result<[Array; N]> {
    let wide = arrays.iter().any(|a| a.dtype() == DType::I64);
    let dtype = if wide { DType::I64 } else { DType::I32 };
    let mut cast = arrays;
    for a in &mut cast {
        if a.dtype() != dtype {
            *a = a.to_dtype(dtype)?;
        }
    }
    Ok(cast)
}
