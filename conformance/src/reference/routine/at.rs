//! The family `at`: `add.at` and its like.

use cuprum_kernels::DType;
use cuprum_oracle::{self as oracle, NdArray, Operand, Order, Value};

use super::super::{isizes, needed};
use super::{Refusal, Result};
use crate::case::Case;
use crate::matrix::Op;
use crate::outcome::Kind;

pub(super) fn call(op: &Op, case: &Case, operands: &[Operand<'_>]) -> Result<Vec<NdArray>> {
    let name = op.name.trim_end_matches(".at");
    let Some(Operand::Array(a)) = operands.first() else {
        return Err(Refusal(Kind::Broken, "an array was expected".into()));
    };
    let dtype: DType = case.params.parsed("itype")?.unwrap_or(DType::I64);
    let times = case.params.parsed("times")?.unwrap_or(1);
    let array = |indices: Vec<isize>| -> Result<NdArray> {
        let indices: Vec<Value> = indices.repeat(times).into_iter().map(|i| Value::Int(i as i128)).collect();
        Ok(NdArray::from_values(DType::I64, &[indices.len()], indices)?.astype(dtype, Order::K))
    };
    let mut indices = vec![array(needed(isizes(case, "indices")?, "indices")?)?];
    if let Some(second) = isizes(case, "second")? {
        indices.push(array(second)?);
    }
    let with = match operands.get(1) {
        None => None,
        Some(Operand::Array(b)) => Some((*b).clone()),
        Some(Operand::Scalar(v)) => Some(oracle::full(&[], *v, None, Order::C)?),
    };
    Ok(vec![oracle::at(name, a, &indices, with.as_ref())?.copy(Order::K)])
}
