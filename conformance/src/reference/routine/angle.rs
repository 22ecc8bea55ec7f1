//! The angles of numbers.

use cuprum_oracle::{NdArray, Operand};

use crate::case::Case;
use crate::outcome::Kind;
use crate::reference::{Refusal, Result};

/// `angle`; the parameter `deg` is 1 for degrees.
pub(super) fn call(case: &Case, operands: &[Operand<'_>]) -> Result<Vec<NdArray>> {
    let [Operand::Array(z)] = operands else {
        return Err(Refusal(Kind::Broken, "angle takes one array".into()));
    };
    Ok(vec![cuprum_oracle::angle(z, case.params.get("deg") == Some("1"))?])
}
