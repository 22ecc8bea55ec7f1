//! Random programs: chains of calls, views and writes, carried out step by step on the device and on the oracle.
//!
//! A case is one call of fresh operands. A program is 5 to 25 steps on arrays that it made before: views of views, writes
//! through one of them, results that go into operands, masks and overlapping views. Both sides take each step; what comes
//! of it is judged as a case is, and then the oracle goes on with the device's values, so that rounding does not pile
//! up. Behind a write the whole memory behind the array is compared, and at the end all memory.
//!
//! [`draw`] makes a program of a seed, drawing functions from the call table by what their parameters take ([`arguments`]);
//! [`state`] carries steps out and judges them; [`shrink`] makes a failing program smaller, [`mod@print`] writes it down, and
//! [`run`] does thousands, in processes of their own where [`processes`] starts them.

pub mod arguments;
pub mod catalog;
pub mod draw;
pub mod fused;
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
    /// The step that made it.
    pub step: usize,
    /// Which of its results.
    pub result: usize,
}

/// What a step does. An operand in it stands at a place among the step's operands.
#[derive(Clone, Debug)]
pub enum Action {
    /// Makes an array of these elements, in C order.
    Make(Tensor),
    /// Takes a part of its operand, as a view.
    Index(Vec<Key>),
    /// Sees the bytes of its operand as another dtype.
    View(DType),
    /// Calls a function of the table.
    Call(Call),
    /// Writes to a part of its first operand.
    Set(Vec<Key>, Argument),
    /// Writes a number to all of it.
    Fill(Argument),
}

/// One step.
#[derive(Clone, Debug)]
pub struct Step {
    /// Its number, which stays when other steps go.
    pub id: usize,
    /// The arrays that it is about.
    pub operands: Vec<Ref>,
    /// What it does.
    pub action: Action,
}

/// A program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The seed that it is drawn from.
    pub seed: u64,
    /// The steps.
    pub steps: Vec<Step>,
}

/// A step at which the two sides differ.
#[derive(Clone, Debug)]
pub struct Fault {
    /// The number of the step; none where memory was found changed at the end.
    pub step: Option<usize>,
    /// How they differ.
    pub failure: Failure,
}
