//! Fusing scopes: deferral of calls, and computation at the end of a scope.
//!
//! A result is visible as long as a handle of it exists outside the expressions that use it; what has no handle at the
//! end of the scope is never computed.

use std::cell::{Cell, RefCell};
use std::sync::{Arc, Weak};

use smallvec::SmallVec;

use super::launch::LaunchOutcome;
use super::mode::{MODE, Mode, WAITS};
use super::row_wise::PendingNode;
use super::{Pending, launch, row_wise};
use crate::cuda::{Buffer, alone};

/// Number of noted results before dropped ones are removed; then twice as many.
const NOTED: usize = 256;

thread_local! {
    /// Results of the scopes of this thread that are not yet computed.
    static MADE: RefCell<Vec<Weak<Buffer>>> = const { RefCell::new(Vec::new()) };
}

/// Notes a pending result of the scope.
pub(super) fn note(buffer: &Arc<Buffer>) {
    if !in_scope() {
        return;
    }
    MADE.with_borrow_mut(|made| {
        if made.len() >= NOTED && made.len().is_power_of_two() {
            made.retain(|m| m.strong_count() > 0);
        }
        made.push(Arc::downgrade(buffer));
    });
}

thread_local! {
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

fn in_scope() -> bool {
    DEPTH.get() > 0
}

/// Scope in which calls are deferred. At the end of the outermost one everything that is still visible is computed.
#[derive(Debug)]
pub(crate) struct Scope {
    /// The mode in force before the scope.
    mode: Mode,
    /// The flag in force before the scope: true if calls wait for the compiler.
    waits: bool,
}

impl Scope {
    pub(crate) fn begin(waits: bool) -> Scope {
        DEPTH.set(DEPTH.get() + 1);
        Scope { mode: MODE.replace(Mode::Later), waits: WAITS.replace(WAITS.get() || waits) }
    }
}

impl Drop for Scope {
    fn drop(&mut self) {
        DEPTH.set(DEPTH.get() - 1);
        MODE.set(self.mode);
        if !in_scope() {
            let made = MADE.take();
            if !std::thread::panicking() {
                compute(made);
            }
        }
        WAITS.set(self.waits);
    }
}

/// Computes the pending arrays that are visible, unlike those that are only operands of other pending calls. Results of
/// one layout share a kernel.
fn compute(made: Vec<Weak<Buffer>>) {
    alone(|| {
        let seen = |buffer: &Arc<Buffer>| Arc::strong_count(buffer) > 1 + buffer.held();
        let mut left: Vec<Arc<Buffer>> = made.iter().filter_map(Weak::upgrade).filter(seen).collect();
        // A kernel belongs to one graph, or to none.
        left.retain(|buffer| {
            let beside = buffer.waits_beside(&buffer.device().queue());
            if beside {
                buffer.settle();
            }
            !beside
        });
        compute_rows(&left);
        while !left.is_empty() {
            let mut together: SmallVec<[(Arc<Buffer>, Arc<Pending>); 4]> = SmallVec::new();
            left.retain(|buffer| {
                let Some(work) = buffer.work().and_then(|w| w.as_any().downcast::<Pending>().ok()) else {
                    return false;
                };
                let fits = together.first().is_none_or(|(_, first)| {
                    first.layout == work.layout && first.device == work.device && {
                        let roots: SmallVec<[&Arc<Pending>; 4]> =
                            together.iter().map(|(_, w)| w).chain([&work]).collect();
                        super::Collected::of(&roots).is_some()
                    }
                });
                if fits {
                    together.push((buffer.clone(), work));
                }
                !fits
            });
            let roots: SmallVec<[&Arc<Pending>; 4]> = together.iter().map(|(_, work)| work).collect();
            // Calls that fail together may succeed alone, and otherwise report the error where the array is needed.
            match if roots.len() > 1 { launch::run(&roots) } else { Ok(LaunchOutcome::Apart) } {
                Ok(LaunchOutcome::Together(results)) => {
                    for ((buffer, _), result) in together.iter().zip(results) {
                        buffer.give(Ok(result.shared_buffer().clone()));
                    }
                }
                _ => together.iter().for_each(|(buffer, _)| buffer.settle()),
            }
        }
    });
}

/// Computes pending reductions and what depends on them: the last first, since it depends on the others.
fn compute_rows(left: &[Arc<Buffer>]) {
    for k in (0..left.len()).rev() {
        let Some(root) = left[k].work().and_then(PendingNode::from).filter(PendingNode::has_rows) else { continue };
        match (row_wise::run(&root, left), root) {
            (Ok(Some((LaunchOutcome::Together(results), others))), _) => {
                for (k, result) in std::iter::once(k).chain(others).zip(results) {
                    left[k].give(Ok(result.shared_buffer().clone()));
                }
            }
            // A failure is reported where the array is needed.
            (_, PendingNode::Row(_)) => left[k].settle(),
            (_, PendingNode::Call(_)) => {}
        }
    }
}
