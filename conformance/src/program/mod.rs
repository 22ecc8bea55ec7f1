//! Random programs: sequences of calls, views and writes, executed step by step on the device and on the oracle.
//!
//! A case is one call with new operands. A program is 5 to 25 steps on arrays that it created before: views of views,
//! writes through one of them, results as operands, masks and overlapping views. Both sides execute each step; the
//! results are compared like those of a case, and then the oracle continues with the device's values, so that rounding
//! errors do not accumulate. After a write the whole memory of the array is compared, and at the end all memory.
//!
//! [`generate`] generates a program from a seed, choosing functions from the call table by the kinds of their parameters
//! ([`arguments`]); [`state`] executes steps and compares them; [`shrink`] reduces a failing program, [`mod@print`]
//! formats it, and [`run`] executes thousands, in separate processes if [`processes`] starts them.

pub mod arguments;
pub mod catalog;
pub mod fused;
pub mod generate;
pub mod print;
pub mod processes;
pub mod run;
pub mod shapes;
pub mod shrink;
pub mod state;

use cuprum_kernels::DType;

use crate::call::{Argument, Call};
use crate::judge::Failure;
use crate::outcome::Tensor;
use crate::text::Key;

/// An array of a program: one of the results of one of its steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ref {
    /// The step that created it.
    pub step: usize,
    /// The index among its results.
    pub result: usize,
}

/// The action of a step. Its operands are indices into the step's operands.
#[derive(Clone, Debug)]
pub enum Action {
    /// Creates an array of these elements, in C order.
    Make(Tensor),
    /// Returns a part of its operand, as a view.
    Index(Vec<Key>),
    /// Views the bytes of its operand with another dtype.
    View(DType),
    /// Calls a function of the table.
    Call(Call),
    /// Writes to a part of its first operand.
    Set(Vec<Key>, Argument),
    /// Writes a scalar to all elements.
    Fill(Argument),
}

/// A step of a program.
#[derive(Clone, Debug)]
pub struct Step {
    /// Its number, which does not change when other steps are removed.
    pub id: usize,
    /// The operands.
    pub operands: Vec<Ref>,
    /// The action.
    pub action: Action,
}

/// A program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The seed from which it is generated.
    pub seed: u64,
    /// The steps.
    pub steps: Vec<Step>,
}

/// A difference between the two sides.
#[derive(Clone, Debug)]
pub struct Fault {
    /// The number of the step; `None` where memory differs at the end.
    pub step: Option<usize>,
    /// The failure.
    pub failure: Failure,
}
