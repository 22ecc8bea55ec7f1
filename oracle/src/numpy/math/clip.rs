//! NumPy's `clip`.

use std::cell::Cell;

use crate::Operand;
use crate::core::array::NdArray;
use crate::core::error::Result;
use crate::core::promote::result_type;
use crate::core::value::{Flag, Value, int_range};
use crate::core::version::{self, Change};
use crate::table::{counterparts, ufunc_options};
use crate::ufunc::elementwise::{UfuncOptions, map};
use crate::ufunc::ufunc;

/// Limits elements to bounds, as NumPy's `clip`: the upper bound counts where the two cross.
pub(crate) fn clip(
    a: &NdArray,
    min: Option<Operand<'_>>,
    max: Option<Operand<'_>>,
    options: &UfuncOptions,
) -> Result<NdArray> {
    // A plain integer at or beyond the limit of the dtype is no bound: so it need not fit.
    let limits = (a.dtype().is_integer() && version::has(Change::Promotion)).then(|| int_range(a.dtype()));
    let binds = |bound: &Operand<'_>, low: bool| match (bound, limits) {
        (Operand::Scalar(Value::Int(i)), Some((least, most))) => {
            if low {
                *i > least
            } else {
                *i < most
            }
        }
        _ => true,
    };
    match (min.filter(|min| binds(min, true)), max.filter(|max| binds(max, false))) {
        (Some(min), Some(max)) => {
            // All three operands are promoted together, whichever two come first.
            let together = result_type(&[Operand::Array(a), min.clone(), max.clone()])?;
            let dtype = Some(options.dtype.unwrap_or(together));
            let plain = UfuncOptions { dtype, casting: options.casting, ..UfuncOptions::default() };
            let above = ufunc("maximum", &[Operand::Array(a), min.clone()], &plain)?;
            let call_options = UfuncOptions { dtype, ..options.clone() };
            let clipped = ufunc("minimum", &[Operand::Array(&above), max.clone()], &call_options)?;
            if options.out.is_some() {
                return Ok(clipped);
            }
            // The bounds and the mask together determine the memory order of the result.
            let (elements, next) = (clipped.values(), Cell::new(0));
            let plain = UfuncOptions { order: options.order, ..UfuncOptions::default() };
            let mask = options.where_.as_ref().map(Operand::Array);
            let all: Vec<Operand<'_>> = [Operand::Array(a), min, max].into_iter().chain(mask).collect();
            let laid = map(&all, &plain, clipped.dtype(), |_| {
                next.set(next.get() + 1);
                Ok((elements[next.get() - 1], Flag::Exact))
            })?;
            Ok(laid.flagged_as(&clipped))
        }
        (Some(min), None) => ufunc("maximum", &[Operand::Array(a), min], options),
        (None, Some(max)) => ufunc("minimum", &[Operand::Array(a), max], options),
        (None, None) => ufunc("positive", &[Operand::Array(a)], options),
    }
}

counterparts! {
    "numpy.clip" = |t| clip(t.get("a")?, t.get("a_min")?, t.get("a_max")?, &ufunc_options(t)?);
}
