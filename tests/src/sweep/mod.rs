//! The instruction sweep: every instruction form that the simulator supports, on special and random operands, recorded
//! on a GPU and compared with the simulator.

pub mod bounds;
pub mod compare;
pub mod departures;
mod draws;
pub mod form;
pub mod forms;
mod kernel;
pub mod matrices;
pub mod operands;
pub mod recording;
mod run;

pub use compare::{Outcome, compare};
pub use form::Form;
pub use recording::{Answer, Recording};
pub use run::record;

/// Returns the source of a module with the kernels of these forms.
pub fn text(forms: &[Form]) -> String {
    kernel::text(&forms.iter().collect::<Vec<_>>())
}

/// The seed of the committed recording.
pub const SEED: u64 = 1;
