//! `docs/src/cookbook.md`: the crate's examples with their code, so that the page is complete by itself.

use std::io;
use std::path::Path;

use crate::jobs::MARK;

/// The headings, with a comment in place of each program that names its file.
const TEMPLATE: &str = include_str!("../cookbook.md");

/// Returns the page.
///
/// # Errors
///
/// Returns an error if an example cannot be read.
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
