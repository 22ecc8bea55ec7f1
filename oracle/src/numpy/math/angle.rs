//! NumPy's `angle`, composed of two functions, each of which is rounded.

use crate::core::array::{NdArray, Operand};
use crate::core::error::Result;
use crate::core::value::Value;
use crate::table::counterparts;
use crate::ufunc::elementwise::UfuncOptions;
use crate::ufunc::ufunc;

/// Returns a view of the real parts, or with `skip` 1 of the imaginary parts.
pub(crate) fn part(z: &NdArray, skip: usize) -> NdArray {
    let dtype = z.dtype().real();
    let mut part = z.view(z.shape.clone(), z.strides.clone(), z.offset + skip * dtype.size());
    part.dtype = dtype;
    part
}

/// Computes NumPy's `angle`: `arctan2(imag, real)`, for a real number `arctan2(0, z)`; in degrees times 180/π.
///
/// # Errors
///
/// As [`ufunc`].
pub fn angle(z: &NdArray, deg: bool) -> Result<NdArray> {
    let options = UfuncOptions::default();
    let radians = if z.dtype().is_complex() {
        let (re, im) = (part(z, 0), part(z, 1));
        ufunc("arctan2", &[Operand::Array(&im), Operand::Array(&re)], &options)?
    } else {
        ufunc("arctan2", &[Operand::Scalar(Value::Int(0)), Operand::Array(z)], &options)?
    };
    if !deg {
        return Ok(radians);
    }
    let unit = Value::Float(180.0 / std::f64::consts::PI);
    ufunc("multiply", &[Operand::Array(&radians), Operand::Scalar(unit)], &options)
}

counterparts! {
    "numpy.angle" = |t| angle(t.get("z")?, t.or("deg", false)?);
}
