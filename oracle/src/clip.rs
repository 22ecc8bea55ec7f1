//! Elements within bounds.

use crate::array::NdArray;
use crate::elementwise::UfuncOptions;
use crate::error::{ErrorKind, Result, fail};
use crate::table::twins;
use crate::ufunc::ufunc;
use crate::{Operand, Value};
use cuprum_kernels::DType;

/// The elements brought within bounds; NumPy's `clip`: the upper bound counts where the two cross. Of truth values there
/// is none, but by one bound alone.
pub(crate) fn clip(a: &NdArray, min: Option<Operand<'_>>, max: Option<Operand<'_>>) -> Result<NdArray> {
    let options = UfuncOptions::default();
    let is_truth = |x: &Operand<'_>| match x {
        Operand::Array(a) => a.dtype() == DType::Bool,
        Operand::Scalar(value) => matches!(value, Value::Bool(_)),
    };
    match (min, max) {
        (Some(min), Some(max)) if a.dtype() == DType::Bool && is_truth(&min) && is_truth(&max) => {
            fail(ErrorKind::Type, "clip: booleans are not within bounds")
        }
        (Some(min), Some(max)) => {
            let above = ufunc("maximum", &[Operand::Array(a), min], &options)?;
            ufunc("minimum", &[Operand::Array(&above), max], &options)
        }
        (Some(min), None) => ufunc("maximum", &[Operand::Array(a), min], &options),
        (None, Some(max)) => ufunc("minimum", &[Operand::Array(a), max], &options),
        (None, None) => ufunc("positive", &[Operand::Array(a)], &options),
    }
}

twins! {
    "numpy.clip" = |t| clip(t.get("a")?, t.get("a_min")?, t.get("a_max")?);
}
