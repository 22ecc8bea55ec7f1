//! The oracle: calls it by the names that `matrix.yaml` uses.

use crate::case::Case;
use crate::matrix::Op;
use crate::operand::Input;
use crate::outcome::{Kind, Outcome};
use crate::run::Side;

/// The oracle.
#[derive(Clone, Copy, Debug)]
pub struct Reference;

impl Side for Reference {
    fn run(&self, op: &Op, _: &Case, _: &[Input]) -> Outcome {
        Outcome::Refused(Kind::Broken, format!("{} is not connected", op.name))
    }
}
