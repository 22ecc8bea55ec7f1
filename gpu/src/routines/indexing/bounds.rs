//! Whether indices are in bounds. Today the host waits to know; what asks is these functions alone.

use crate::array::Array;
use crate::error::{Error, ErrorKind, Result};
use crate::reduction::Reduce;
use crate::routines::statistics;

/// The least index below 0, or the greatest one that is `size` or more. The host waits.
pub(super) fn outside(indices: &Array, size: usize) -> Result<Option<i128>> {
    if indices.size() == 0 {
        return Ok(None);
    }
    let ends = [statistics::min(indices, Reduce::all())?, statistics::max(indices, Reduce::all())?];
    for end in ends {
        let index = end.to_scalar()?;
        let index =
            index.as_i64().map(i128::from).or(index.as_u64().map(i128::from)).or(index.as_bool().map(i128::from));
        if let Some(wrong) = index.filter(|&i| i < 0 || i >= size as i128) {
            return Ok(Some(wrong));
        }
    }
    Ok(None)
}

/// Fails for what is no index: floats and complex numbers.
pub(super) fn check_integers(indices: &Array) -> Result<()> {
    if indices.dtype().is_float() || indices.dtype().is_complex() {
        let message = format!("indices are integers, not {}: cast them with `astype`", indices.dtype());
        return Err(Error::new(ErrorKind::Type, message));
    }
    Ok(())
}
