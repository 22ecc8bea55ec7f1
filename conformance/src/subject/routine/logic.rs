//! Questions of what elements are.

use cuprum::{Array, Operand};

use super::super::{Refusal, Result};
use crate::matrix::Op;
use crate::outcome::Kind;

pub(super) fn call(op: &Op, operands: &[Operand<'_>]) -> Result<Vec<Array>> {
    match (op.name.as_str(), operands) {
        ("isreal", [Operand::Array(a)]) => Ok(vec![cuprum::isreal(a)?]),
        ("iscomplex", [Operand::Array(a)]) => Ok(vec![cuprum::iscomplex(a)?]),
        (other, _) => Err(Refusal(Kind::Broken, format!("the library has no {other} of these operands"))),
    }
}
