//! The dtype in which arrays are at home together.

use cuprum_kernels::{DType, Kind};

use crate::array::Array;
use crate::dtype::promote_types;
use crate::error::{Error, ErrorKind, Result};

/// The floating-point dtype in which the elements of all arrays are at home, integers counting as float64; float16 of
/// no arrays. NumPy's `common_type`.
///
/// # Errors
///
/// [`ErrorKind::Type`] for an array of booleans.
pub fn common_type(arrays: &[&Array]) -> Result<DType> {
    let float = |a: &&Array| match a.dtype().kind() {
        Kind::Bool => Err(Error::new(ErrorKind::Type, "common_type: bool is no numeric dtype")),
        Kind::Unsigned | Kind::Signed => Ok(DType::F64),
        Kind::Float | Kind::Complex => Ok(a.dtype()),
    };
    let floats = arrays.iter().map(float).collect::<Result<Vec<DType>>>()?;
    Ok(floats.into_iter().reduce(promote_types).unwrap_or(DType::F16))
}
