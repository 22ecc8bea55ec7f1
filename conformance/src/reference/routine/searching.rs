//! Searching and picking.

use cuprum_oracle::{self as oracle, NdArray, Operand, Value};

use super::super::{Refusal, Result, isizes};
use crate::case::Case;
use crate::matrix::Op;
use crate::outcome::Kind;

pub(super) fn call(op: &Op, case: &Case, operands: &[Operand<'_>]) -> Result<Vec<NdArray>> {
    let array = |k: usize| match operands.get(k) {
        Some(Operand::Array(a)) => Ok(*a),
        _ => Err(Refusal(Kind::Broken, format!("operand {k} is no array"))),
    };
    let a = array(0)?;
    let right = case.params.get("right") == Some("1");
    Ok(vec![match op.name.as_str() {
        "nonzero" => return Ok(oracle::nonzero(a)?),
        "flatnonzero" => oracle::flatnonzero(a)?,
        "argwhere" => oracle::argwhere(a)?,
        "extract" => oracle::extract(a, array(1)?)?,
        "compress" => oracle::compress(a, array(1)?, isizes(case, "axis")?.map(|axes| axes[0]))?,
        "mask" => a.mask(array(1)?)?,
        "searchsorted" => {
            let needles = needles(&operands[1])?;
            if a.ndim() != 1 {
                return Ok(vec![oracle::searchsorted(a, &needles, right, None)?]);
            }
            // The same places, by whichever way the elements are put in order.
            match case.params.parsed::<cuprum_kernels::DType>("sorter")? {
                Some(dtype) => {
                    let order = oracle::sorting_indices(a).into_iter().map(|i| Value::Int(i as i128));
                    let sorter = NdArray::from_values(dtype, a.shape(), order)?;
                    oracle::searchsorted(a, &needles, right, Some(&sorter))?
                }
                None => oracle::searchsorted(&sorted(a, false)?, &needles, right, None)?,
            }
        }
        "digitize" => {
            let bins = array(1)?;
            let fixed = bins.ndim() != 1 || case.params.get("unsorted").is_some();
            let falling = case.params.get("descending").is_some();
            oracle::digitize(a, &if fixed { bins.clone() } else { sorted(bins, falling)? }, right)?
        }
        other => return Err(Refusal(Kind::Broken, format!("no routine is called {other}"))),
    }])
}

fn sorted(a: &NdArray, falling: bool) -> Result<NdArray> {
    let values = a.values();
    let mut order = oracle::sorting_indices(a);
    if falling {
        order.reverse();
    }
    Ok(NdArray::from_values(a.dtype(), a.shape(), order.into_iter().map(|i| values[i]))?)
}

/// Needles are an array, or a number of the dtype that it has by itself.
fn needles(operand: &Operand<'_>) -> Result<NdArray> {
    Ok(match operand {
        Operand::Array(a) => (*a).clone(),
        Operand::Scalar(v) => oracle::full(&[], *v, None, oracle::Order::C)?,
    })
}
