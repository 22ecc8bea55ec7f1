//! Searching and picking.

use cuprum::{Array, Operand, SearchOptions, Side, s};
use cuprum_oracle::{NdArray, sorting_indices};

use super::super::{Refusal, Result, upload};
use crate::case::Case;
use crate::matrix::Op;
use crate::outcome::{Kind, Tensor};
use crate::subject::list;

pub(super) fn call(op: &Op, case: &Case, operands: &[Operand<'_>]) -> Result<Vec<Array>> {
    let array = |k: usize| match operands.get(k) {
        Some(Operand::Array(a)) => Ok(*a),
        _ => Err(Refusal(Kind::Broken, format!("operand {k} is no array"))),
    };
    let axis = || Ok::<_, Refusal>(list(case, "axis")?.map(|axes| axes[0]));
    let a = array(0)?;
    let right = case.params.get("right") == Some("1");
    Ok(vec![match op.name.as_str() {
        "nonzero" => return Ok(cuprum::nonzero(a)?),
        "flatnonzero" => cuprum::flatnonzero(a)?,
        "argwhere" => cuprum::argwhere(a)?,
        "extract" => cuprum::extract(a, array(1)?)?,
        "compress" => cuprum::compress(a, array(1)?, axis()?)?,
        "mask" => a.mask(array(1)?)?,
        "searchsorted" if a.ndim() == 1 => {
            let side = if right { Side::Right } else { Side::Left };
            let (haystack, sorter) = sorted(a, case)?;
            let how = SearchOptions { side, sorter: sorter.as_ref() };
            cuprum::searchsorted(&haystack, operands[1], how)?
        }
        "searchsorted" => cuprum::searchsorted(a, operands[1], ())?,
        "digitize" if array(1)?.ndim() == 1 && case.params.get("unsorted").is_none() => {
            cuprum::digitize(a, &sorted(array(1)?, case)?.0, right)?
        }
        "digitize" => cuprum::digitize(a, array(1)?, right)?,
        other => return Err(Refusal(Kind::Broken, format!("no routine is called {other}"))),
    }])
}

/// What is searched, sorted, and the sorter, where one is asked for: the array is then left as it is. `falling=1` is a
/// view of it from its end, and with `descending=1` it falls.
fn sorted(a: &Array, case: &Case) -> Result<(Array, Option<Array>)> {
    let host = NdArray::from_packed(a.dtype(), a.shape(), a.to_bytes()?).map_err(|e| e.to_string())?;
    let order: Vec<usize> = sorting_indices(&host);
    if let Some(dtype) = case.params.parsed("sorter")? {
        let indices: Vec<i64> = order.iter().map(|i| *i as i64).collect();
        return Ok((a.clone(), Some(Array::from_vec(indices).and_then(|i| i.astype(dtype))?)));
    }
    let size = a.itemsize();
    let element = |i: &usize| host.buffer()[i * size..][..size].to_vec();
    let upwards = case.params.get("descending").is_none();
    let backwards = case.params.get("backwards").is_some();
    let mut bytes: Vec<Vec<u8>> = order.iter().map(element).collect();
    if upwards == backwards {
        bytes.reverse();
    }
    let array = upload(&Tensor::packed(a.dtype(), a.shape(), bytes.concat()))?;
    Ok((if backwards { array.index(s![..;-1])? } else { array }, None))
}
