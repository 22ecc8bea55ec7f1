//! `docs/src/results/runs/`: the tables of the pages of results, made of what `conformance record` kept of the runs.

use std::collections::BTreeMap;
use std::path::Path;
use std::{fs, io};

use cuprum_conformance::report::record::{Record, tables};

use crate::jobs::MARK;

/// A folder of records for each page of results; the page includes the file of tables beside it.
const RUNS: &str = "docs/src/results/runs";
/// The pages.
const PAGES: [&str; 3] = ["h100", "h200", "simulator"];

/// The files of tables, by their paths from the root.
///
/// # Errors
///
/// A record that cannot be read, or is none.
pub fn pages(root: &Path) -> io::Result<BTreeMap<String, String>> {
    let mut files = BTreeMap::new();
    for page in PAGES {
        let records = records(&root.join(RUNS).join(page))?;
        let shown = match records.as_slice() {
            [] => "No run has been recorded yet.\n".to_owned(),
            records => tables(records),
        };
        files.insert(format!("{RUNS}/{page}.md"), format!("<!-- {MARK} -->\n\n{shown}"));
    }
    Ok(files)
}

/// The records of a folder, in the order of their names; none where there is no such folder.
fn records(folder: &Path) -> io::Result<Vec<Record>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(vec![]),
        Err(error) => return Err(error),
    };
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    paths.sort();
    let read = |path: &std::path::PathBuf| {
        let named = |error: String| io::Error::other(format!("{}: {error}", path.display()));
        let text = fs::read_to_string(path).map_err(|e| named(e.to_string()))?;
        serde_json::from_str(&text).map_err(|e| named(e.to_string()))
    };
    paths.iter().map(read).collect()
}
