//! Hook that `conformance mutants` adds to a copy of the library, with one mutant active at a time.

use std::borrow::Cow;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::cuda::Source;

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|text| !text.is_empty())
}

/// Reports once that the fault was reached.
fn applied() {
    static SAID: AtomicBool = AtomicBool::new(false);
    if !SAID.swap(true, Ordering::Relaxed) {
        // Bypasses the output capture of test programs.
        let _ = std::io::Write::write_all(&mut std::io::stderr(), b"the mutant is at work\n");
    }
}

/// Returns true if the mutant of this name is active: called at the location of the fault.
pub(crate) fn is(name: &str) -> bool {
    static NAME: OnceLock<Option<String>> = OnceLock::new();
    let at_work = NAME.get_or_init(|| variable("CUPRUM_MUTANT")).as_deref() == Some(name);
    if at_work {
        applied();
    }
    at_work
}

fn edit() -> Option<&'static (String, String)> {
    static EDIT: OnceLock<Option<(String, String)>> = OnceLock::new();
    EDIT.get_or_init(|| Some((variable("CUPRUM_MUTANT_FIND")?, std::env::var("CUPRUM_MUTANT_PUT").ok()?))).as_ref()
}

/// Returns the source of a kernel with the fault in it.
pub(crate) fn source<'a>(source: &Source<'a>) -> Source<'a> {
    let mut text = source.text.clone();
    if let Some((find, put)) = edit()
        && text.contains(find.as_str())
    {
        applied();
        text = Cow::Owned(text.replace(find, put));
    }
    Source { text, ..source.clone() }
}

/// Returns the options of the compiler with the fault in them; one per line.
pub(crate) fn options(options: Vec<String>) -> Vec<String> {
    let text = options.join("\n");
    match edit() {
        Some((find, put)) if text.contains(find.as_str()) => {
            applied();
            text.replace(find, put).lines().map(String::from).collect()
        }
        _ => options,
    }
}
