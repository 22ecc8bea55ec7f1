//! Put into a copy of the library by `conformance mutants`, with one mutant at work at a time.

use std::borrow::Cow;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::cuda::Source;

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|text| !text.is_empty())
}

/// Says once that the fault was reached.
fn applied() {
    static SAID: AtomicBool = AtomicBool::new(false);
    if !SAID.swap(true, Ordering::Relaxed) {
        // Past what a test program takes in of the prints of its tests.
        let _ = std::io::Write::write_all(&mut std::io::stderr(), b"the mutant is at work\n");
    }
}

/// Whether the mutant of this name is at work: asked where the fault is.
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

/// The source of a kernel with the fault in its text.
pub(crate) fn source<'a>(source: &Source<'a>) -> Source<'a> {
    let mut text = source.text.clone();
    if let Some((find, put)) = edit()
        && text.contains(find.as_str())
    {
        applied();
        text = Cow::Owned(text.replace(find, put));
    }
    let (name, options, expressions) = (source.name.clone(), source.options.clone(), source.expressions.clone());
    Source { name, text, options, expressions, own: source.own }
}

/// The options of the compiler with the fault in them; a line each.
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
