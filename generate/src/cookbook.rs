//! `docs/src/cookbook.md`: the examples of the crate, with their code, so that the page is complete wherever it is read.

use std::io;
use std::path::Path;

use crate::jobs::MARK;

/// The headings, with a comment that names its file in the place of each program.
const TEMPLATE: &str = include_str!("../cookbook.md");

/// The page.
///
/// # Errors
///
/// An example that cannot be read.
pub fn page(root: &Path) -> io::Result<String> {
    let mut page = format!("<!-- {MARK} -->\n\n");
    for line in TEMPLATE.lines() {
        match line.strip_prefix("<!-- ").and_then(|rest| rest.strip_suffix(" -->")) {
            Some(file) => {
                let code = std::fs::read_to_string(root.join(file))
                    .map_err(|e| io::Error::new(e.kind(), format!("{file}: {e}")))?;
                page += &format!("[`{file}`](../../{file})\n\n```rust,ignore\n{code}```\n");
            }
            None => {
                page += line;
                page.push('\n');
            }
        }
    }
    Ok(page)
}
