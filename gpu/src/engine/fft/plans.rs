//! Cache of Fourier transform plans, for each thread and device.
//!
//! A plan belongs to one thread, and nothing is locked. The last used plan is first, and a search compares from there
//! on: a hit moves some words and allocates nothing. A user may hold plans as a value, and run transforms with those.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::cuda::Device;
use crate::driver::{Hook, LibraryPlan, Transform};
use crate::error::{Error, ErrorKind, Result};

/// Default number of cached plans, which is CuPy's.
const SIZE: usize = 16;

/// Plan, which is destroyed with its last owner.
#[derive(Debug)]
pub(crate) struct Plan {
    /// The library's plan, with its work area's size.
    pub(crate) planned: LibraryPlan,
    /// Device of the plan, whose context must be current when it is destroyed.
    pub(crate) device: Device,
}

impl Drop for Plan {
    fn drop(&mut self) {
        if let Ok(driver) = self.device.driver_for_drop() {
            // A failure cannot be reported here.
            // SAFETY: the plan was created on this device, and this was its last owner.
            let _ = unsafe { driver.transform_forget(self.planned) };
        }
    }
}

/// The plans of a thread for a device, the most recently used first.
#[derive(Debug)]
pub(crate) struct Plans {
    /// Transforms and their plans, the most recently used first.
    kept: Vec<(Transform, Arc<Plan>)>,
    /// The maximum number of plans, and of bytes of their work areas; `None` for any number.
    pub(crate) size: Option<usize>,
    /// See `size`.
    pub(crate) bytes: Option<usize>,
    /// Transforms that found a plan.
    pub(crate) hits: usize,
    /// Transforms that created a plan.
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
    /// Calls `look` with the plans of this thread for a device.
    pub(crate) fn of<R>(device: Device, look: impl FnOnce(&mut Plans) -> R) -> R {
        PLANS.with_borrow_mut(|all| look(all.entry(device.address()).or_default()))
    }

    fn plan(&mut self, device: Device, transform: &Transform) -> Result<Arc<Plan>> {
        if let Some(plan) = self.find(transform) {
            return Ok(plan);
        }
        let plan = Arc::new(Plan { planned: device.driver()?.transform_plan(transform)?, device });
        self.kept.insert(0, (*transform, plan.clone()));
        self.shorten();
        Ok(plan)
    }

    /// Returns the plan of a transform, which becomes the most recently used one; counted as a hit or a miss.
    pub(crate) fn find(&mut self, transform: &Transform) -> Option<Arc<Plan>> {
        let Some(at) = self.kept.iter().position(|(of, _)| of == transform) else {
            self.misses += 1;
            return None;
        };
        self.hits += 1;
        self.kept[..=at].rotate_right(1);
        Some(self.kept[0].1.clone())
    }

    /// Caches a plan as the most recently used one, and replaces an earlier one of the same transform.
    pub(crate) fn keep(&mut self, transform: Transform, plan: Arc<Plan>) {
        self.remove(&transform);
        self.kept.insert(0, (transform, plan));
        self.shorten();
    }

    /// Removes the plan of a transform; returns true if there was one.
    pub(crate) fn remove(&mut self, transform: &Transform) -> bool {
        let before = self.kept.len();
        self.kept.retain(|(of, _)| of != transform);
        self.kept.len() < before
    }

    /// Returns all cached plans, the most recently used first.
    pub(crate) fn all(&self) -> Vec<(Transform, Arc<Plan>)> {
        self.kept.clone()
    }

    /// Evicts the least recently used plans until the rest fits.
    pub(crate) fn shorten(&mut self) {
        while self.size.is_some_and(|most| self.kept.len() > most) || self.bytes.is_some_and(|most| self.used() > most)
        {
            self.kept.pop();
        }
    }

    /// Returns the number of cached plans.
    pub(crate) fn len(&self) -> usize {
        self.kept.len()
    }

    /// Returns the bytes of all work areas.
    pub(crate) fn used(&self) -> usize {
        self.kept.iter().map(|(_, plan)| plan.planned.work).sum()
    }

    /// Drops all plans, and resets the counters.
    pub(crate) fn clear(&mut self) {
        *self = Plans { size: self.size, bytes: self.bytes, ..Plans::default() };
    }

    /// Returns a line of text for each plan.
    pub(crate) fn lines(&self) -> Vec<String> {
        let one = |(of, plan): &(Transform, Arc<Plan>)| format!("{}: {} bytes", describe(of), plan.planned.work);
        self.kept.iter().map(one).collect()
    }
}

/// Plans that a user holds.
pub(crate) type HeldPlans = Arc<Vec<(Transform, Arc<Plan>)>>;

/// Scopes that decide the plans of a thread's transforms.
#[derive(Debug, Default)]
struct Watch {
    /// The scopes, the innermost last: transforms run with these plans only.
    scopes: Vec<HeldPlans>,
    /// Records of the requested plans.
    noted: Option<Vec<(Transform, Arc<Plan>)>>,
}

thread_local! {
    /// True if there is a scope or a record: tested by each transform.
    static WATCHED: Cell<bool> = const { Cell::new(false) };
    static WATCH: RefCell<Watch> = RefCell::default();
}

fn watch<R>(change: impl FnOnce(&mut Watch) -> R) -> R {
    WATCH.with_borrow_mut(|watch| {
        let result = change(watch);
        WATCHED.set(watch.noted.is_some() || !watch.scopes.is_empty());
        result
    })
}

/// Returns true if transforms of this thread run with plans that a user holds, or if their plans are recorded.
pub(crate) fn plans_are_held() -> bool {
    WATCHED.get()
}

/// Returns true if the plans of this thread's transforms are recorded: the transforms themselves are not run.
pub(crate) fn plans_are_recorded() -> bool {
    WATCHED.get() && WATCH.with_borrow(|watch| watch.noted.is_some())
}

/// Returns the plans of the transforms that a call requests, without running these.
pub(crate) fn plans_of<R>(call: impl FnOnce() -> Result<R>) -> Result<HeldPlans> {
    let before = watch(|watch| watch.noted.replace(vec![]));
    let result = call();
    let noted = watch(|watch| std::mem::replace(&mut watch.noted, before));
    result.map(|_| Arc::new(noted.unwrap_or_default()))
}

/// Enters a scope in which the transforms of this thread run with these plans only.
pub(crate) fn enter_plans(held: &HeldPlans) {
    watch(|watch| watch.scopes.push(held.clone()));
}

/// Leaves the innermost scope.
pub(crate) fn leave_plans() {
    watch(|watch| watch.scopes.pop());
}

/// Returns the description of a transform.
pub(crate) fn describe(of: &Transform) -> String {
    let parts = if of.wide { "float64" } else { "float32" };
    let hooks = [(of.load, "load"), (of.store, "store")].map(|(hook, side)| match hook {
        None => String::new(),
        Some(Hook::Factor { bits, .. }) => format!(", multiplied by {}", f64::from_bits(bits)),
        Some(Hook::Text { number, data }) => format!(", with the {side} callback {number} of the data at {data:#x}"),
    });
    let [load, store] = hooks;
    format!("{:?} of {:?} in parts of {parts}, {} at once{load}{store}", of.turning, &of.n[..of.rank], of.batch)
}

fn watched_plan(device: Device, transform: &Transform) -> Result<Arc<Plan>> {
    let innermost = watch(|watch| watch.scopes.last().cloned());
    let plan = match innermost {
        None => Plans::of(device, |plans| plans.plan(device, transform))?,
        Some(held) => {
            let found = held.iter().find(|(of, plan)| of == transform && plan.device == device);
            let Some((_, plan)) = found else {
                let message = format!(
                    "the plan is not one of {}: make one of an array of this shape, layout and dtype",
                    describe(transform)
                );
                return Err(Error::new(ErrorKind::Value, message));
            };
            plan.clone()
        }
    };
    watch(|watch| {
        if let Some(noted) = watch.noted.as_mut().filter(|noted| noted.iter().all(|(of, _)| of != transform)) {
            noted.push((*transform, plan.clone()));
        }
    });
    Ok(plan)
}

/// Returns the plan of a transform, from those that are held or cached if it is among them.
pub(crate) fn plan(device: Device, transform: &Transform) -> Result<Arc<Plan>> {
    if WATCHED.get() {
        return watched_plan(device, transform);
    }
    Plans::of(device, |plans| plans.plan(device, transform))
}
