//! The memories of a simulated GPU and the marks of the checks.

mod allocation;
mod flight;
mod global;
mod heap;
mod local;
mod races;
mod shared;

pub(crate) use allocation::Allocation;
pub use global::Mark;
pub(crate) use global::{Memory, Snapshot, View};
pub(crate) use local::Local;
pub(crate) use races::{By, How, Races};
pub(crate) use shared::{Accessor, Layout, Shared};

use crate::FaultKind;

/// The reason why an access failed; the executor adds the location.
pub(crate) type Denied = (FaultKind, String);
