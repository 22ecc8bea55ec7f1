//! `docs/src/troubleshooting.md`: the library's error messages and their remedies.

use std::fmt::Write;

use cuprum_conformance::messages;

use crate::jobs::MARK;

/// Formats a call on one line, as a cell of a table.
fn cell(call: &str) -> String {
    let mut line = String::new();
    for part in call.lines().map(str::trim) {
        if !line.is_empty() && !line.ends_with(['(', '[']) && !part.starts_with([')', ']', '.', '?']) {
            line.push(' ');
        }
        line.push_str(part);
    }
    line.replace('|', "\\|")
}

/// Returns the page: a table for each section.
pub fn page() -> String {
    let mut page = format!(
        "<!-- {MARK} -->\n\n\
         # Troubleshooting\n\n\
         Calls that the library rejects, the messages of the errors, and what helps. A message begins with the name of \
         the function that was called. Functions return it in an `Error`, whose `kind` corresponds to NumPy's exception; \
         operators panic with it.\n"
    );
    let mut section = "";
    for message in messages::all() {
        if message.section != section {
            section = message.section;
            let _ = write!(page, "\n## {section}\n\n| call | message | what helps |\n|---|---|---|\n");
        }
        let (call, text) = (cell(message.call), message.message.replace('|', "\\|"));
        let _ = writeln!(page, "| `{call}` | {text} | {} |", message.cure.replace('|', "\\|"));
    }
    page
}
