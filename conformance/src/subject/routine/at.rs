//! The family `at`: `add.at` and its like.

use cuprum::{Array, DType, Operand, Order};

use super::super::{list, needed};
use super::{Refusal, Result};
use crate::case::Case;
use crate::matrix::Op;
use crate::outcome::Kind;

pub(super) fn call(op: &Op, case: &Case, operands: &[Operand<'_>]) -> Result<Vec<Array>> {
    let name = op.name.trim_end_matches(".at");
    let Some(Operand::Array(a)) = operands.first() else {
        return Err(Refusal(Kind::Broken, "an array was expected".into()));
    };
    let dtype: DType = case.params.parsed("itype")?.unwrap_or(DType::I64);
    let times = case.params.parsed("times")?.unwrap_or(1);
    let array = |indices: Vec<isize>| -> Result<Array> {
        let indices: Vec<i64> = indices.repeat(times).into_iter().map(|i| i as i64).collect();
        Ok(Array::from_slice(&indices, [indices.len()])?.astype(dtype)?)
    };
    let mut indices = vec![array(needed(list(case, "indices")?, "indices")?)?];
    if let Some(second) = list(case, "second")? {
        indices.push(array(second)?);
    }
    let indices: Vec<&Array> = indices.iter().collect();
    cuprum::ufunc(name)?.at(a, &indices, operands.get(1).copied())?;
    Ok(vec![a.copy(Order::K)?])
}
