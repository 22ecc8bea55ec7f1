//! Questions of what elements are.

use cuprum_oracle::{self as oracle, NdArray, Operand};

use super::super::{Refusal, Result};
use crate::matrix::Op;
use crate::outcome::Kind;

pub(super) fn call(op: &Op, operands: &[Operand<'_>]) -> Result<Vec<NdArray>> {
    match (op.name.as_str(), operands) {
        ("isreal", [Operand::Array(a)]) => Ok(vec![oracle::isreal(a)?]),
        ("iscomplex", [Operand::Array(a)]) => Ok(vec![oracle::iscomplex(a)?]),
        (other, _) => Err(Refusal(Kind::Broken, format!("the oracle has no {other} of these operands"))),
    }
}
