//! Arrays of two devices, and data that changes between launches.

use std::cell::RefCell;

thread_local! {
    static AFTER: RefCell<Option<Box<dyn FnMut()>>> = const { RefCell::new(None) };
}

/// Called once a launch is queued.
pub(super) fn after_launch() {
    // The hook launches, too.
    let hook = AFTER.with_borrow_mut(Option::take);
    if let Some(mut hook) = hook {
        hook();
        AFTER.with_borrow_mut(|after| *after = Some(hook));
    }
}
