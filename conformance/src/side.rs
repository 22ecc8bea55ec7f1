//! The two sides of a comparison.

use crate::case::Case;
use crate::matrix::Op;
use crate::operand::Input;
use crate::outcome::{Outcome, Tensor};

/// A side that can execute an operation: the device, or the oracle.
pub trait Side: Sync {
    /// Executes the operation of a case on these operands. Every failure is an error.
    fn run(&self, op: &Op, case: &Case, inputs: &[Input]) -> Outcome;

    /// Bounds the error of each element of the result, where the operands determine it: for sums in any order.
    fn bounds(&self, _: &Op, _: &Case, _: &[Input]) -> Option<Vec<f64>> {
        None
    }

    /// Computes the residuals of a side's result, where its elements are not unique: the name of each residual, and its
    /// size, of which 1 is permitted. `None` for functions that are compared by their elements.
    fn remainders(&self, _: &Op, _: &Case, _: &[Input], _: &Outcome) -> Option<Result<Vec<(String, f64)>, String>> {
        None
    }

    /// Returns true if the result is a scalar, and no array.
    fn gives_scalar(&self, _: &Op, _: &Case, _: &Outcome) -> bool {
        false
    }

    /// Returns the scale of the error of each element of the result: the element or the condition number of the
    /// function there, whichever is larger. The condition number is computed for the requested elements only. It is
    /// returned with the value of a real element before it is rounded to its dtype, where that is known.
    fn scales(&self, _: &Op, _: &[Input], _: &Tensor, _: &dyn Fn(usize) -> bool) -> Option<Vec<(f64, Option<f64>)>> {
        None
    }
}
