//! `docs/src/cookbook.md` and `docs/src/gallery.md`: programs with their code, so that the pages are complete by themselves.

use std::io;
use std::path::Path;

use crate::jobs::MARK;

/// The pages, with a comment in place of each program that names its file.
const TEMPLATES: [(&str, &str); 2] =
    [("cookbook.md", include_str!("../cookbook.md")), ("gallery.md", include_str!("../gallery.md"))];

/// Returns the pages by their paths.
///
/// # Errors
///
/// Returns an error if a program cannot be read.
pub fn pages(root: &Path) -> io::Result<Vec<(String, String)>> {
    TEMPLATES.iter().map(|(name, template)| Ok((format!("docs/src/{name}"), page(root, template)?))).collect()
}

fn page(root: &Path, template: &str) -> io::Result<String> {
    let mut page = format!("<!-- {MARK} -->\n\n");
    for line in template.lines() {
        match line.strip_prefix("<!-- ").and_then(|rest| rest.strip_suffix(" -->")) {
            Some(file) => {
                let code = std::fs::read_to_string(root.join(file))
                    .map_err(|e| io::Error::new(e.kind(), format!("{file}: {e}")))?;
                let language = if file.ends_with(".py") { "python" } else { "rust,ignore" };
                page += &format!("[`{file}`](../../{file})\n\n```{language}\n{code}```\n");
            }
            None => {
                page += line;
                page.push('\n');
            }
        }
    }
    Ok(page)
}
