//! Whether calls wait, and what happens at the end of a scope.

use std::cell::{Cell, RefCell};
use std::sync::{Arc, OnceLock, Weak};

use smallvec::SmallVec;

use super::launch::Made;
use super::rows::Waiting;
use super::{Pending, launch, rows};
use crate::cuda::{Buffer, alone};
use crate::error::{Error, ErrorKind, Result};

/// Results that are noted before those are forgotten that are no more; then twice as many.
const NOTED: usize = 256;

/// What this thread does with elementwise calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// The environment has not been asked.
    Unknown,
    Now,
    Later,
    /// The environment says what makes no sense: the first call that could wait says so.
    Nonsense,
}

thread_local! {
    static MODE: Cell<Mode> = const { Cell::new(Mode::Unknown) };
    /// Whether kernels are compiled at once.
    static WAITS: Cell<bool> = const { Cell::new(false) };
    /// Whether pending calls are made one by one.
    static STEPS: Cell<bool> = const { Cell::new(false) };
    /// What was made in the scopes of this thread, and not yet looked at.
    static MADE: RefCell<Vec<Weak<Buffer>>> = const { RefCell::new(Vec::new()) };
}

/// Returns true if elementwise calls of this thread wait.
#[inline]
pub(crate) fn fuses() -> bool {
    match MODE.get() {
        Mode::Now => false,
        Mode::Later | Mode::Nonsense => true,
        Mode::Unknown => ask(),
    }
}

#[cold]
fn ask() -> bool {
    let mode = match std::env::var("CUPRUM_FUSE").unwrap_or_default().as_str() {
        "" => Mode::Now,
        "always" => Mode::Later,
        _ => Mode::Nonsense,
    };
    MODE.set(mode);
    mode != Mode::Now
}

/// # Errors
///
/// [`ErrorKind::Value`] where the environment says what makes no sense.
pub(super) fn check() -> Result<()> {
    if MODE.get() == Mode::Nonsense { nonsense("CUPRUM_FUSE", "always") } else { Ok(()) }
}

#[cold]
fn nonsense<T>(name: &str, known: &str) -> Result<T> {
    let value = std::env::var(name).unwrap_or_default();
    Err(Error::new(ErrorKind::Value, format!("{name} is {value:?}: set it to {known:?}, or not at all")))
}

/// Returns true if a kernel is compiled as it is first needed, and not in the background.
///
/// # Errors
///
/// [`ErrorKind::Value`] where the environment says what makes no sense.
pub(super) fn waits() -> Result<bool> {
    static ALWAYS: OnceLock<Option<bool>> = OnceLock::new();
    if WAITS.get() {
        return Ok(true);
    }
    let ask = || match std::env::var("CUPRUM_FUSE_WAIT").unwrap_or_default().as_str() {
        "" => Some(false),
        "1" => Some(true),
        _ => None,
    };
    ALWAYS.get_or_init(ask).map_or_else(|| nonsense("CUPRUM_FUSE_WAIT", "1"), Ok)
}

/// Returns true if pending calls are made one by one.
pub(super) fn goes_step_by_step() -> bool {
    STEPS.get()
}

/// Calls `f`, in which pending calls are made one by one.
pub(super) fn step_by_step<R>(f: impl FnOnce() -> R) -> R {
    struct Before(bool);
    impl Drop for Before {
        fn drop(&mut self) {
            STEPS.set(self.0);
        }
    }
    let _before = Before(STEPS.replace(true));
    f()
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

/// A scope in which calls wait. At the end of the outermost one all is computed that is still to be seen.
#[derive(Debug)]
pub(crate) struct Scope {
    mode: Mode,
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

/// Computes what is pending and can be seen: what is an operand of other pending calls alone cannot. Results of one layout
/// share a kernel.
fn compute(made: Vec<Weak<Buffer>>) {
    alone(|| {
        let seen = |buffer: &Arc<Buffer>| Arc::strong_count(buffer) > 1 + buffer.held();
        let mut left: Vec<Arc<Buffer>> = made.iter().filter_map(Weak::upgrade).filter(seen).collect();
        // A kernel is of one graph, or of none.
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
            // What fails together may succeed alone, and otherwise tells why to who needs it.
            match if roots.len() > 1 { launch::run(&roots) } else { Ok(Made::Apart) } {
                Ok(Made::Together(results)) => {
                    for ((buffer, _), result) in together.iter().zip(results) {
                        buffer.give(Ok(result.shared_buffer().clone()));
                    }
                }
                _ => together.iter().for_each(|(buffer, _)| buffer.settle()),
            }
        }
    });
}

/// Computes reductions that wait, and what hangs on them: the last first, since the others are what it is made of.
fn compute_rows(left: &[Arc<Buffer>]) {
    for k in (0..left.len()).rev() {
        let Some(root) = left[k].work().and_then(Waiting::from).filter(Waiting::has_rows) else { continue };
        match (rows::run(&root, left), root) {
            (Ok(Some((Made::Together(results), others))), _) => {
                for (k, result) in std::iter::once(k).chain(others).zip(results) {
                    left[k].give(Ok(result.shared_buffer().clone()));
                }
            }
            // What fails tells why to who needs it.
            (_, Waiting::Row(_)) => left[k].settle(),
            (_, Waiting::Call(_)) => {}
        }
    }
}
