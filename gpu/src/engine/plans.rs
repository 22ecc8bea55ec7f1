//! The plans of Fourier transforms that a thread keeps for each device.
//!
//! A plan is one thread's at a time, and nothing is locked. The last one used stands first, and a search compares from
//! there on: a hit moves some words and allocates nothing.

use std::cell::RefCell;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::cuda::Device;
use crate::driver::{Planned, Transform};
use crate::error::Result;

/// Plans that are kept unless another number is said: CuPy's number.
const SIZE: usize = 16;

/// A plan, which is given back to the library with its last owner.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) planned: Planned,
    device: Device,
}

impl Drop for Plan {
    fn drop(&mut self) {
        if let Ok(driver) = self.device.driver_for_drop() {
            // There is nobody to tell of a failure.
            // SAFETY: the plan was made on this device, and this was its last owner.
            let _ = unsafe { driver.transform_forget(self.planned) };
        }
    }
}

/// The plans of a thread for a device, the last used first.
#[derive(Debug)]
pub(crate) struct Plans {
    kept: Vec<(Transform, Arc<Plan>)>,
    /// The most plans, and the most bytes of their work areas; `None` for any number.
    pub(crate) size: Option<usize>,
    pub(crate) bytes: Option<usize>,
    pub(crate) hits: usize,
    pub(crate) misses: usize,
}

impl Default for Plans {
    fn default() -> Self {
        Plans { kept: vec![], size: Some(SIZE), bytes: None, hits: 0, misses: 0 }
    }
}

thread_local! {
    static PLANS: RefCell<FxHashMap<usize, Plans>> = RefCell::default();
}

impl Plans {
    /// Looks at the plans of this thread for a device.
    pub(crate) fn of<R>(device: Device, look: impl FnOnce(&mut Plans) -> R) -> R {
        PLANS.with_borrow_mut(|all| look(all.entry(device.address()).or_default()))
    }

    fn plan(&mut self, device: Device, transform: &Transform) -> Result<Arc<Plan>> {
        if let Some(at) = self.kept.iter().position(|(of, _)| of == transform) {
            self.hits += 1;
            self.kept[..=at].rotate_right(1);
            return Ok(self.kept[0].1.clone());
        }
        self.misses += 1;
        let plan = Arc::new(Plan { planned: device.driver()?.transform_plan(transform)?, device });
        self.kept.insert(0, (*transform, plan.clone()));
        self.shorten();
        Ok(plan)
    }

    /// Lets go of those that were used longest ago until the rest fits.
    pub(crate) fn shorten(&mut self) {
        while self.size.is_some_and(|most| self.kept.len() > most) || self.bytes.is_some_and(|most| self.used() > most)
        {
            self.kept.pop();
        }
    }

    /// Plans that are kept.
    pub(crate) fn len(&self) -> usize {
        self.kept.len()
    }

    /// Bytes of the work areas of all of them.
    pub(crate) fn used(&self) -> usize {
        self.kept.iter().map(|(_, plan)| plan.planned.work).sum()
    }

    pub(crate) fn clear(&mut self) {
        *self = Plans { size: self.size, bytes: self.bytes, ..Plans::default() };
    }

    /// A line for each plan.
    pub(crate) fn lines(&self) -> Vec<String> {
        let one = |(of, plan): &(Transform, Arc<Plan>)| {
            let parts = if of.wide { "float64" } else { "float32" };
            let n = &of.n[..of.rank];
            format!("{:?} of {n:?} in parts of {parts}, {} at once: {} bytes", of.turning, of.batch, plan.planned.work)
        };
        self.kept.iter().map(one).collect()
    }
}

/// The plan of a transform, out of those that are kept where it is among them.
pub(crate) fn plan(device: Device, transform: &Transform) -> Result<Arc<Plan>> {
    Plans::of(device, |plans| plans.plan(device, transform))
}
